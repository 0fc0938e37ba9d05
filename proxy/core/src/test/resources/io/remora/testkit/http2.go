// Go's own server of HTTP/2 over TLS, for tests. Needs nothing but the standard library.
//
//	http2 PORT CERTIFICATE KEY
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
)

func answer(writer http.ResponseWriter, request *http.Request) {
	if request.Method == "POST" {
		octets, _ := io.Copy(io.Discard, request.Body)
		fmt.Fprintln(writer, octets)
		return
	}
	octets, _ := strconv.Atoi(request.URL.Query().Get("octets"))
	if octets == 0 {
		fmt.Fprintln(writer, request.Proto)
		return
	}
	writer.Header().Set("Content-Length", strconv.Itoa(octets))
	piece := make([]byte, 1<<16)
	for sent := 0; sent < octets; sent += len(piece) {
		if _, err := writer.Write(piece); err != nil {
			return
		}
	}
}

func main() {
	http.HandleFunc("/", answer)
	fmt.Println(http.ListenAndServeTLS("127.0.0.1:"+os.Args[1], os.Args[2], os.Args[3], nil))
}
