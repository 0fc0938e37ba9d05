package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// What /allocate took, so that it stays.
var taken [][]byte

func serve(arguments []string) {
	flags := flag.NewFlagSet("serve", flag.ExitOnError)
	listen := flags.String("listen", ":8081", "address")
	linger := flags.Duration("linger", 5*time.Second, "time to keep accepting after SIGTERM")
	ignore := flags.Bool("ignore-term", false, "never end on SIGTERM")
	name := flags.String("name", os.Getenv("HOSTNAME"), "text of the response")
	alive := flags.String("tcp", "", "address that accepts connections while the application is healthy")
	flags.Parse(arguments)
	runtime.GOMAXPROCS(1)
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("app: listening", *listen)
	server := &http.Server{Handler: handler(*name, newHealth(*alive)), Protocols: protocols}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	ended := make(chan struct{})
	go func() {
		for received := range signals {
			fmt.Println("app: received", received)
			if *ignore {
				continue
			}
			time.Sleep(*linger)
			fmt.Println("app: stops accepting")
			context, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			server.Shutdown(context)
			cancel()
			close(ended)
			return
		}
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-ended
	fmt.Println("app: exits")
}

func number(request *http.Request, name string, otherwise int) int {
	if value, err := strconv.Atoi(request.URL.Query().Get(name)); err == nil {
		return value
	}
	return otherwise
}

func handler(name string, health *health) http.Handler {
	mux := http.NewServeMux()
	health.handle(mux)
	mux.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		fmt.Fprintf(response, "app %s\n", name)
	})
	mux.HandleFunc("/headers", func(response http.ResponseWriter, request *http.Request) {
		request.Header.Write(response)
	})
	mux.HandleFunc("/slow", func(response http.ResponseWriter, request *http.Request) {
		time.Sleep(time.Duration(number(request, "ms", 1000)) * time.Millisecond)
		fmt.Fprintf(response, "app %s\n", name)
	})
	mux.HandleFunc("/stream", func(response http.ResponseWriter, request *http.Request) {
		for i := range number(request, "count", 10) {
			fmt.Fprintf(response, "line %d\n", i)
			response.(http.Flusher).Flush()
			time.Sleep(time.Duration(number(request, "ms", 100)) * time.Millisecond)
		}
	})
	mux.HandleFunc("POST /upload", func(response http.ResponseWriter, request *http.Request) {
		digest := sha256.New()
		size, err := io.Copy(digest, request.Body)
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprintf(response, "%d %x\n", size, digest.Sum(nil))
	})
	mux.HandleFunc("/allocate", func(response http.ResponseWriter, request *http.Request) {
		for range number(request, "mb", 1) {
			piece := make([]byte, 1<<20)
			for i := 0; i < len(piece); i += 4096 {
				piece[i] = 1
			}
			taken = append(taken, piece)
		}
		fmt.Fprintf(response, "%d MB\n", len(taken))
	})
	mux.HandleFunc("/call", call)
	mux.HandleFunc("/ws", websocket)
	mux.HandleFunc("POST /remora.test.Echo/Stream", grpcEcho)
	return mux
}

// Gets the URL that the query names: an outbound call of the application's own.
func call(response http.ResponseWriter, request *http.Request) {
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get(request.URL.Query().Get("url"))
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	response.WriteHeader(answer.StatusCode)
	io.Copy(response, answer.Body)
}

// Sends each gRPC message back as it is; the trailers say OK.
func grpcEcho(response http.ResponseWriter, request *http.Request) {
	response.Header().Set("Content-Type", "application/grpc")
	response.Header().Set("Trailer", "Grpc-Status")
	response.WriteHeader(http.StatusOK)
	response.(http.Flusher).Flush()
	buffer := make([]byte, 16384)
	for {
		read, err := request.Body.Read(buffer)
		if read > 0 {
			response.Write(buffer[:read])
			response.(http.Flusher).Flush()
		}
		if err != nil {
			break
		}
	}
	response.Header().Set("Grpc-Status", "0")
}

// Echoes the frames of RFC 6455 until the client closes.
func websocket(response http.ResponseWriter, request *http.Request) {
	if !strings.EqualFold(request.Header.Get("Upgrade"), "websocket") {
		http.Error(response, "a WebSocket is expected", http.StatusBadRequest)
		return
	}
	connection, buffered, err := response.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer connection.Close()
	fmt.Fprintf(connection, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
		accept(request.Header.Get("Sec-WebSocket-Key")))
	for {
		operation, payload, err := readFrame(buffered.Reader)
		if err != nil {
			return
		}
		connection.Write(frame(operation, payload, false))
		if operation == closing {
			return
		}
	}
}

func fetch(arguments []string) {
	flags := flag.NewFlagSet("fetch", flag.ExitOnError)
	patience := flags.Duration("patience", 0, "time in which a URL may fail at first")
	quit := flags.String("then-post", "", "URL to POST to at the end")
	flags.Parse(arguments)
	client := http.Client{Timeout: 10 * time.Second}
	for _, url := range flags.Args() {
		deadline := time.Now().Add(*patience)
		for {
			answer, err := client.Get(url)
			if err == nil && answer.StatusCode/100 == 2 {
				line, _ := bufio.NewReader(answer.Body).ReadString('\n')
				answer.Body.Close()
				fmt.Printf("fetched %s: %s\n", url, strings.TrimSpace(line))
				break
			}
			if time.Now().After(deadline) {
				if err == nil {
					err = errors.New(answer.Status)
				}
				fmt.Printf("failed %s: %v\n", url, err)
				os.Exit(1)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	if *quit != "" {
		client.Post(*quit, "text/plain", nil)
	}
}
