package main

import (
	"io"
	"log"
	"net"
	"net/http"
	"sync"
)

// What the probes of an application see: by HTTP, by gRPC, and by a port that accepts connections.
type health struct {
	mutex    sync.Mutex
	serving  bool
	address  string
	listener net.Listener
}

func newHealth(address string) *health {
	health := &health{address: address}
	health.set(true)
	return health
}

// Turns all three at once. The port is closed while the application is not healthy.
func (health *health) set(serving bool) {
	health.mutex.Lock()
	defer health.mutex.Unlock()
	if health.address != "" && serving && health.listener == nil {
		listener, err := net.Listen("tcp", health.address)
		if err != nil {
			log.Fatal(err)
		}
		health.listener = listener
		go func() {
			for {
				connection, err := listener.Accept()
				if err != nil {
					return
				}
				connection.Close()
			}
		}()
	} else if !serving && health.listener != nil {
		health.listener.Close()
		health.listener = nil
	}
	health.serving = serving
}

func (health *health) is() bool {
	health.mutex.Lock()
	defer health.mutex.Unlock()
	return health.serving
}

func (health *health) handle(mux *http.ServeMux) {
	mux.HandleFunc("/healthz", func(response http.ResponseWriter, request *http.Request) {
		if !health.is() {
			http.Error(response, "not healthy", http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("/healthy", func(response http.ResponseWriter, request *http.Request) { health.set(true) })
	mux.HandleFunc("/unhealthy", func(response http.ResponseWriter, request *http.Request) { health.set(false) })
	mux.HandleFunc("POST /grpc.health.v1.Health/Check", func(response http.ResponseWriter, request *http.Request) {
		io.Copy(io.Discard, request.Body)
		response.Header().Set("Content-Type", "application/grpc")
		response.Header().Set("Trailer", "Grpc-Status")
		// a message of two octets: field 1 is the status, SERVING or NOT_SERVING
		response.Write([]byte{0, 0, 0, 0, 2, 8, map[bool]byte{true: 1, false: 2}[health.is()]})
		response.Header().Set("Grpc-Status", "0")
	})
}
