package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

const pace = 100 * time.Millisecond

// Keeps an exchange open until standard input ends, then finishes it: prints "open" once it is under way, "pieces N" when a line on standard
// input is followed by a further piece, and "complete N" or "broken ..." at its end.
func hold(arguments []string) {
	if len(arguments) != 2 {
		fmt.Fprintln(os.Stderr, "usage: app hold websocket|grpc|upload URL")
		os.Exit(64)
	}
	kinds := map[string]func(string, chan struct{}) (int, error){"websocket": holdWebsocket, "grpc": holdGrpc, "upload": holdUpload}
	finish := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			asked.Store(true)
		}
		close(finish)
	}()
	pieces, err := kinds[arguments[0]](arguments[1], finish)
	if err != nil {
		fmt.Printf("broken after %d: %v\n", pieces, err)
		os.Exit(1)
	}
	fmt.Printf("complete %d\n", pieces)
}

// Whether the count of pieces is asked for.
var asked atomic.Bool

// Tells the count of pieces after one that began when it was asked for.
func told(pieces int, wanted bool) {
	if wanted {
		asked.Store(false)
		fmt.Println("pieces", pieces)
	}
}

// Whether the exchange goes on; waits for the next piece's time.
func goesOn(finish chan struct{}) bool {
	select {
	case <-finish:
		return false
	case <-time.After(pace):
		return true
	}
}

func holdWebsocket(address string, finish chan struct{}) (int, error) {
	target, err := url.Parse(address)
	if err != nil {
		return 0, err
	}
	address = target.Host
	if target.Port() == "" {
		address = net.JoinHostPort(target.Hostname(), "80")
	}
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return 0, err
	}
	defer connection.Close()
	reader := bufio.NewReader(connection)
	fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", target.RequestURI(), target.Host)
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		return 0, err
	}
	if response.StatusCode != http.StatusSwitchingProtocols {
		return 0, fmt.Errorf("status %d", response.StatusCode)
	}
	fmt.Println("open")
	pieces := 0
	for goesOn(finish) {
		wanted := asked.Load()
		sent := fmt.Appendf(nil, "message %d", pieces)
		if err := echo(connection, reader, text, sent); err != nil {
			return pieces, err
		}
		pieces++
		told(pieces, wanted)
	}
	return pieces, echo(connection, reader, closing, []byte{3, 232})
}

func echo(connection net.Conn, reader *bufio.Reader, operation byte, payload []byte) error {
	if _, err := connection.Write(frame(operation, payload, true)); err != nil {
		return err
	}
	connection.SetReadDeadline(time.Now().Add(10 * time.Second))
	received, echoed, err := readFrame(reader)
	if err == nil && (received != operation || !bytes.Equal(echoed, payload)) {
		err = fmt.Errorf("frame %d %q instead of an echo", received, echoed)
	}
	return err
}

func holdGrpc(address string, finish chan struct{}) (int, error) {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	client := http.Client{Transport: &http.Transport{Protocols: protocols}}
	body, pipe := io.Pipe()
	request, err := http.NewRequest(http.MethodPost, address, body)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/grpc")
	request.Header.Set("TE", "trailers")
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if status := response.Header.Get("Grpc-Status"); response.StatusCode != 200 || status != "" {
		return 0, fmt.Errorf("status %d, grpc-status %s", response.StatusCode, status)
	}
	fmt.Println("open")
	pieces := 0
	for goesOn(finish) {
		wanted := asked.Load()
		payload := fmt.Appendf(nil, "message %d", pieces)
		message := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(payload)))
		message = append(message, payload...)
		if _, err := pipe.Write(message); err != nil {
			return pieces, err
		}
		echoed := make([]byte, len(message))
		if _, err := io.ReadFull(response.Body, echoed); err != nil {
			return pieces, err
		}
		if !bytes.Equal(echoed, message) {
			return pieces, fmt.Errorf("%q instead of an echo", echoed)
		}
		pieces++
		told(pieces, wanted)
	}
	pipe.Close()
	rest, err := io.ReadAll(response.Body)
	if err != nil {
		return pieces, err
	}
	if status := response.Trailer.Get("Grpc-Status"); status != "0" || len(rest) > 0 {
		return pieces, fmt.Errorf("grpc-status %q and %d bytes more", status, len(rest))
	}
	return pieces, nil
}

func holdUpload(address string, finish chan struct{}) (int, error) {
	body, pipe := io.Pipe()
	digest := sha256.New()
	pieces := make(chan int, 1)
	go func() {
		sent := 0
		for goesOn(finish) {
			wanted := asked.Load()
			piece := bytes.Repeat([]byte{byte(sent)}, 8192)
			digest.Write(piece)
			if _, err := pipe.Write(piece); err != nil {
				break
			}
			if sent++; sent == 1 {
				fmt.Println("open")
			}
			told(sent, wanted)
		}
		pieces <- sent
		pipe.Close()
	}()
	response, err := http.Post(address, "application/octet-stream", body)
	body.Close()
	sent := <-pieces
	if err != nil {
		return sent, err
	}
	answer, err := io.ReadAll(response.Body)
	if want := fmt.Sprintf("%d %x", sent*8192, digest.Sum(nil)); err == nil && strings.TrimSpace(string(answer)) != want {
		err = fmt.Errorf("status %d, %q instead of %q", response.StatusCode, answer, want)
	}
	return sent, err
}
