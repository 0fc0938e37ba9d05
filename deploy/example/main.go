// Command example is the application of the manifests in deploy/kustomize: one static binary without dependencies.
//
//	example serve            answers HTTP/1.1, HTTP/2 and gRPC health checks on LISTEN; /call makes a call to UPSTREAM
//	example get URL          prints the body of URL, or of grpc://ADDRESS the health of a gRPC server; for exec probes
//	example check URL        serves, and exits with 0 once URL, which leads to itself through a sidecar, answers
//	example reach HOST PORT  exits with 0 once an HTTPS server answers there, with any certificate and any status
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

const (
	usageStatus  = 64
	callTimeout  = 5 * time.Second
	closeTimeout = 20 * time.Second
	patience     = 30 * time.Second
	pause        = 200 * time.Millisecond
	healthMethod = "/grpc.health.v1.Health/Check"
)

// The frames of a HealthCheckRequest for the whole server, and of a response that says SERVING.
var (
	healthRequest  = []byte{0, 0, 0, 0, 0}
	healthResponse = []byte{0, 0, 0, 0, 2, 8, 1}
)

func main() {
	switch {
	case len(os.Args) == 2 && os.Args[1] == "serve":
		serve()
	case len(os.Args) == 3 && os.Args[1] == "get":
		body, err := get(os.Args[2])
		fmt.Print(body)
		if err != nil {
			fmt.Fprintf(os.Stderr, "example: %v\n", err)
			os.Exit(1)
		}
	case len(os.Args) == 3 && os.Args[1] == "check":
		go serve()
		await(func() (string, error) { return get(os.Args[2]) })
	case len(os.Args) == 4 && os.Args[1] == "reach":
		await(func() (string, error) { return reach(net.JoinHostPort(os.Args[2], os.Args[3])) })
	default:
		fmt.Fprintln(os.Stderr, "usage: example serve | get URL | check URL | reach HOST PORT")
		os.Exit(usageStatus)
	}
}

// Asks until there is an answer, or the time is up, and exits.
func await(ask func() (string, error)) {
	deadline := time.Now().Add(patience)
	for {
		answer, err := ask()
		if err == nil {
			fmt.Print(answer)
			os.Exit(0)
		}
		if time.Now().After(deadline) {
			fmt.Fprintf(os.Stderr, "example: %v\n", err)
			os.Exit(1)
		}
		time.Sleep(pause)
	}
}

func reach(address string) (string, error) {
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	client := http.Client{Timeout: callTimeout, Transport: transport}
	response, err := client.Get("https://" + address + "/")
	if err != nil {
		return "", err
	}
	response.Body.Close()
	return address + " responded with " + response.Status + "\n", nil
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// Keeps accepting for LINGER after SIGTERM, because clients still use the pod while its endpoints are removed.
func serve() {
	linger, err := time.ParseDuration(setting("LINGER", "5s"))
	if err != nil {
		fmt.Fprintf(os.Stderr, "example: LINGER: %v, expected a duration such as 5s\n", err)
		os.Exit(usageStatus)
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Addr: setting("LISTEN", "127.0.0.1:8081"), Handler: handler(), Protocols: protocols, ReadHeaderTimeout: callTimeout}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	ended := make(chan struct{})
	go func() {
		<-signals
		time.Sleep(linger)
		closing, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		server.Shutdown(closing)
		close(ended)
	}()
	fmt.Println("example: listening on", server.Addr)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		fmt.Fprintf(os.Stderr, "example: %v\n", err)
		os.Exit(1)
	}
	<-ended
}

func handler() http.Handler {
	name := setting("NAME", "example") + " " + setting("HOSTNAME", "-")
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		fmt.Fprintf(response, "hello from %s\n", name)
	})
	mux.HandleFunc("/headers", func(response http.ResponseWriter, request *http.Request) {
		request.Header.Write(response)
	})
	mux.HandleFunc("/call", func(response http.ResponseWriter, request *http.Request) {
		body, err := get(os.Getenv("UPSTREAM"))
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadGateway)
			return
		}
		fmt.Fprintf(response, "%s called: %s", name, body)
	})
	mux.HandleFunc("POST "+healthMethod, func(response http.ResponseWriter, request *http.Request) {
		io.Copy(io.Discard, request.Body)
		response.Header().Set("Content-Type", "application/grpc")
		response.Header().Set("Trailer", "Grpc-Status")
		response.Write(healthResponse)
		response.Header().Set("Grpc-Status", "0")
	})
	return mux
}

func get(url string) (string, error) {
	transport := &http.Transport{DisableKeepAlives: true}
	client := http.Client{Timeout: callTimeout, Transport: transport}
	if address, ok := strings.CutPrefix(url, "grpc://"); ok {
		transport.Protocols = new(http.Protocols)
		transport.Protocols.SetUnencryptedHTTP2(true)
		return health(client, address)
	}
	response, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("%s responded with %s", url, response.Status)
	}
	return string(body), err
}

func health(client http.Client, address string) (string, error) {
	request, err := http.NewRequest(http.MethodPost, "http://"+address+healthMethod, bytes.NewReader(healthRequest))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/grpc")
	request.Header.Set("Te", "trailers")
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	status := response.Trailer.Get("Grpc-Status") + response.Header.Get("Grpc-Status")
	if status != "0" || !bytes.Equal(body, healthResponse) {
		return "", fmt.Errorf("%s: grpc-status %q, %s", address, status, response.Header.Get("Grpc-Message"))
	}
	return "SERVING\n", nil
}
