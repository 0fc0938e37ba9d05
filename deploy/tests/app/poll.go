package main

import (
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

// Asks for a page each 10 ms, each time on a connection of its own, and prints when the first 200 came, in seconds since 1970.
func poll(arguments []string) {
	if len(arguments) != 2 {
		fmt.Fprintln(os.Stderr, "usage: app poll ADDRESS PATH")
		os.Exit(64)
	}
	fmt.Println("polling")
	first := make(chan time.Time, 1)
	for tick := time.Tick(10 * time.Millisecond); ; {
		select {
		case when := <-first:
			fmt.Printf("%.6f\n", seconds(when))
			return
		case <-tick:
			go func() {
				if answers(arguments[0], arguments[1]) {
					select {
					case first <- time.Now():
					default:
					}
				}
			}()
		}
	}
}

func answers(address, path string) bool {
	connection, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(5 * time.Second))
	fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, address)
	head := make([]byte, 15)
	read, _ := connection.Read(head)
	return strings.HasPrefix(string(head[:read]), "HTTP/1.1 200")
}
