// Command app is the example application of the cluster tests, their load client, and their one-shot client, in one static binary.
//
//	app serve [options]     answers HTTP/1.1 and h2c; keeps accepting for --linger after SIGTERM
//	app load [options] URL  sends requests at a steady rate until it receives SIGTERM, and prints what failed
//	app hold KIND URL       keeps one exchange open (websocket, grpc, upload), and prints how it ended
//	app poll ADDRESS PATH   asks each 10 ms, and prints when the first 200 came
//	app csi NAME ...        serves volumes with certificates to the kubelet
//	app fetch URL...        exits with 0 if each URL gives a 2xx
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: app serve|load|hold|poll|csi|fetch ...")
		os.Exit(64)
	}
	arguments := os.Args[2:]
	switch os.Args[1] {
	case "serve":
		serve(arguments)
	case "load":
		load(arguments)
	case "hold":
		hold(arguments)
	case "poll":
		poll(arguments)
	case "csi":
		csi(arguments)
	case "fetch":
		fetch(arguments)
	default:
		fmt.Fprintf(os.Stderr, "app: unknown command %s\n", os.Args[1])
		os.Exit(64)
	}
}
