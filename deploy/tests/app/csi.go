package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// A CSI driver that stands in for one of a cluster: its volumes have the files that the test has laid down for the service account of a pod.
type driver struct {
	name, node, endpoint, files string
	mutex                       sync.Mutex
	volumes                     map[string]volume
}

// One published volume: where its files come from, and the group that may read them.
type volume struct {
	source string
	group  int
}

// Registers the driver at the kubelet, and serves until standard input ends. Each line there renews the files of all volumes.
func csi(arguments []string) {
	if len(arguments) != 4 {
		fmt.Fprintln(os.Stderr, "usage: app csi NAME NODE KUBELET FILES")
		os.Exit(64)
	}
	kubelet := arguments[2]
	driver := &driver{name: arguments[0], node: arguments[1], files: arguments[3], volumes: map[string]volume{}}
	driver.endpoint = filepath.Join(kubelet, "plugins", driver.name+".sock")
	registration := filepath.Join(kubelet, "plugins_registry", driver.name+"-reg.sock")
	for _, socket := range []string{driver.endpoint, registration} {
		os.MkdirAll(filepath.Dir(socket), 0o755)
		os.Remove(socket)
		listener, err := net.Listen("unix", socket)
		if err != nil {
			log.Fatal(err)
		}
		defer os.Remove(socket)
		protocols := new(http.Protocols)
		protocols.SetUnencryptedHTTP2(true)
		go (&http.Server{Handler: http.HandlerFunc(driver.answer), Protocols: protocols}).Serve(listener)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		driver.renew()
		fmt.Println("renewed")
	}
}

// Answers a call of gRPC.
func (driver *driver) answer(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	var message []byte
	if err == nil && len(body) >= 5 {
		message, err = driver.call(request.URL.Path, body[5:])
	}
	response.Header().Set("Content-Type", "application/grpc")
	response.Header().Set("Trailer", "Grpc-Status, Grpc-Message")
	if err != nil {
		log.Print(request.URL.Path, ": ", err)
		response.WriteHeader(http.StatusOK)
		response.Header().Set("Grpc-Message", err.Error())
		response.Header().Set("Grpc-Status", "13")
		return
	}
	response.Write(append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...))
	response.Header().Set("Grpc-Status", "0")
}

func (driver *driver) call(path string, request []byte) ([]byte, error) {
	switch path {
	case "/pluginregistration.Registration/GetInfo":
		return texts("CSIPlugin", driver.name, driver.endpoint, "1.0.0"), nil
	case "/csi.v1.Identity/GetPluginInfo":
		return texts(driver.name, "1"), nil
	case "/csi.v1.Node/NodeGetInfo":
		return texts(driver.node), nil
	case "/pluginregistration.Registration/NotifyRegistrationStatus":
		fmt.Println("registered")
		return nil, nil
	case "/csi.v1.Identity/Probe", "/csi.v1.Node/NodeGetCapabilities":
		return nil, nil
	case "/csi.v1.Node/NodePublishVolume":
		return nil, driver.publish(request)
	case "/csi.v1.Node/NodeUnpublishVolume":
		target := fields(request)[2]
		driver.mutex.Lock()
		defer driver.mutex.Unlock()
		delete(driver.volumes, string(target[0]))
		return nil, os.RemoveAll(string(target[0]))
	}
	return nil, errors.New("not known: " + path)
}

func (driver *driver) publish(request []byte) error {
	told := fields(request)
	if len(told[4]) == 0 {
		return errors.New("no target")
	}
	about := map[string]string{}
	for _, entry := range told[8] {
		if pair := fields(entry); len(pair[1]) == 1 && len(pair[2]) == 1 {
			about[string(pair[1][0])] = string(pair[2][0])
		}
	}
	group, err := strconv.Atoi(about[driver.name+"/fs-group"])
	if err != nil {
		return err
	}
	target := string(told[4][0])
	published := volume{filepath.Join(driver.files, about["csi.storage.k8s.io/pod.namespace"], about["csi.storage.k8s.io/serviceAccount.name"]), group}
	driver.mutex.Lock()
	defer driver.mutex.Unlock()
	if err := published.write(target); err != nil {
		return err
	}
	driver.volumes[target] = published
	return nil
}

func (driver *driver) renew() {
	driver.mutex.Lock()
	defer driver.mutex.Unlock()
	for target, published := range driver.volumes {
		if err := published.write(target); err != nil {
			log.Print(err)
		}
	}
}

// Replaces each file by a rename, as only its group may read it.
func (volume volume) write(target string) error {
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	names, err := os.ReadDir(volume.source)
	if err != nil {
		return err
	}
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(volume.source, name.Name()))
		if err != nil {
			return err
		}
		part := filepath.Join(target, "."+name.Name())
		if err := os.WriteFile(part, content, 0o440); err != nil {
			return err
		}
		if err := os.Chown(part, 0, volume.group); err != nil {
			return err
		}
		if err := os.Rename(part, filepath.Join(target, name.Name())); err != nil {
			return err
		}
	}
	return nil
}

// A message of texts whose fields are numbered from 1.
func texts(values ...string) []byte {
	var message []byte
	for index, value := range values {
		message = append(message, byte(index+1)<<3|2)
		message = binary.AppendUvarint(message, uint64(len(value)))
		message = append(message, value...)
	}
	return message
}

// The fields of a message that have a length, by number.
func fields(message []byte) map[int][][]byte {
	found := map[int][][]byte{}
	for len(message) > 0 {
		key, read := binary.Uvarint(message)
		if read <= 0 {
			break
		}
		message = message[read:]
		value, read := binary.Uvarint(message)
		if read <= 0 {
			break
		}
		message = message[read:]
		if key&7 != 2 {
			continue
		}
		if value > uint64(len(message)) {
			break
		}
		found[int(key>>3)] = append(found[int(key>>3)], message[:value])
		message = message[value:]
	}
	return found
}
