// A gRPC server for make run PROTOCOL=grpc: the health service, with reflection so that grpcurl needs no files.
//
//	grpc-demo ADDRESS
package main

import (
	"fmt"
	"net"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: grpc-demo ADDRESS")
		os.Exit(64)
	}
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "grpc-demo:", err)
		os.Exit(69)
	}
	server := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	reflection.Register(server)
	if err := server.Serve(listener); err != nil {
		fmt.Fprintln(os.Stderr, "grpc-demo:", err)
		os.Exit(70)
	}
}
