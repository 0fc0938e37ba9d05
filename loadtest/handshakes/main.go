// Makes full TLS 1.3 handshakes with a server of this machine one after the other, with one key exchange, and prints how many. Exit status 69 says that
// the server refused the first one, as one does that has no such key exchange.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const timeout = 10 * time.Second

func main() {
	port := flag.Int("port", 0, "of the server")
	directory := flag.String("tls", "", "directory with ca.crt, client.crt and client.key")
	group := flag.String("group", "X25519MLKEM768", "or X25519")
	seconds := flag.Float64("seconds", 1, "of handshakes")
	flag.Parse()
	config, err := configuration(*directory, *group)
	if err != nil {
		log.Fatal("handshakes: ", err)
	}
	until, count := time.Now().Add(time.Duration(*seconds*float64(time.Second))), 0
	for time.Now().Before(until) {
		if err := handshake(fmt.Sprintf("127.0.0.1:%d", *port), config); err != nil {
			fmt.Fprintln(os.Stderr, "handshakes:", err)
			// servers name different alerts for a key exchange that they do not have
			if count == 0 && strings.Contains(err.Error(), "remote error: tls: ") {
				os.Exit(69)
			}
			os.Exit(1)
		}
		count++
	}
	fmt.Printf("{\"handshakes\": %d}\n", count)
}

func configuration(directory, group string) (*tls.Config, error) {
	curves := map[string]tls.CurveID{"X25519": tls.X25519, "X25519MLKEM768": tls.X25519MLKEM768}
	curve, known := curves[group]
	if !known {
		return nil, fmt.Errorf("no key exchange %s", group)
	}
	pem, err := os.ReadFile(filepath.Join(directory, "ca.crt"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	pair, err := tls.LoadX509KeyPair(filepath.Join(directory, "client.crt"), filepath.Join(directory, "client.key"))
	if err != nil {
		return nil, err
	}
	return &tls.Config{RootCAs: roots, ServerName: "localhost", Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13,
		CurvePreferences: []tls.CurveID{curve}, SessionTicketsDisabled: true}, nil
}

// The end of the server's side follows on ours, so that what ends the handshake has been judged: an alert is an error.
func handshake(address string, config *tls.Config) error {
	plain, err := net.DialTimeout("tcp", address, timeout)
	if err != nil {
		return err
	}
	connection := tls.Client(plain, config)
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(timeout))
	if err := connection.Handshake(); err != nil {
		return err
	}
	if err := connection.CloseWrite(); err != nil {
		return err
	}
	if err := plain.(*net.TCPConn).CloseWrite(); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, connection)
	return err
}
