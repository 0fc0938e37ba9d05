// A client of gRPC's interoperability server that does for long what production does: streams of many messages, uploads and downloads, and
// calls that are given up. All calls of a run share one connection; the first that fails ends it.
//
//	streams HOST:PORT chat|upload|download|cancel
package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	testing "google.golang.org/grpc/interop/grpc_testing"
)

const (
	messages = 3000
	large    = 64 << 10
	small    = 1 << 10
	// Of round trips, and of calls.
	perSecond = 200
)

func must(what string, err error) {
	if err != nil {
		fmt.Println(what+":", err)
		os.Exit(1)
	}
}

func payload(octets int) *testing.Payload {
	return &testing.Payload{Body: make([]byte, octets)}
}

func asked(octets int) []*testing.ResponseParameters {
	return []*testing.ResponseParameters{{Size: int32(octets)}}
}

func chat(ctx context.Context, client testing.TestServiceClient) {
	stream, err := client.FullDuplexCall(ctx)
	must("chat", err)
	request := &testing.StreamingOutputCallRequest{ResponseParameters: asked(small), Payload: payload(small)}
	pace := time.NewTicker(time.Second / perSecond)
	defer pace.Stop()
	for i := 0; i < messages; i++ {
		must(fmt.Sprint("message ", i), stream.Send(request))
		_, err := stream.Recv()
		must(fmt.Sprint("answer ", i), err)
		<-pace.C
	}
	must("end", stream.CloseSend())
}

func upload(ctx context.Context, client testing.TestServiceClient) {
	stream, err := client.StreamingInputCall(ctx)
	must("upload", err)
	for i := 0; i < messages; i++ {
		if stream.Send(&testing.StreamingInputCallRequest{Payload: payload(large)}) != nil {
			_, err := stream.CloseAndRecv()
			must(fmt.Sprint("message ", i), err)
		}
	}
	sum, err := stream.CloseAndRecv()
	must("sum", err)
	if sum.AggregatedPayloadSize != messages*large {
		must("sum", fmt.Errorf("%d octets", sum.AggregatedPayloadSize))
	}
}

func download(ctx context.Context, client testing.TestServiceClient) {
	request := &testing.StreamingOutputCallRequest{}
	for i := 0; i < messages; i++ {
		request.ResponseParameters = append(request.ResponseParameters, asked(large)...)
	}
	stream, err := client.StreamingOutputCall(ctx, request)
	must("download", err)
	for i := 0; i < messages; i++ {
		_, err := stream.Recv()
		must(fmt.Sprint("message ", i), err)
	}
}

// One in ten is given up while it waits for its answer.
func cancel(ctx context.Context, client testing.TestServiceClient) {
	var calls sync.WaitGroup
	pace := time.NewTicker(time.Second / (5 * perSecond / 2))
	defer pace.Stop()
	for i := 0; i < messages; i++ {
		<-pace.C
		calls.Add(1)
		go func(i int) {
			defer calls.Done()
			if i%10 != 0 {
				_, err := client.UnaryCall(ctx, &testing.SimpleRequest{ResponseSize: small, Payload: payload(small)})
				must(fmt.Sprint("call ", i), err)
				return
			}
			own, end := context.WithCancel(ctx)
			defer end()
			stream, err := client.FullDuplexCall(own)
			must(fmt.Sprint("call ", i), err)
			must(fmt.Sprint("message ", i), stream.Send(&testing.StreamingOutputCallRequest{Payload: payload(small)}))
			end()
			if _, err = stream.Recv(); status.Code(err) != codes.Canceled {
				must(fmt.Sprint("cancelled call ", i), fmt.Errorf("came to %v", err))
			}
		}(i)
	}
	calls.Wait()
}

func main() {
	run, known := map[string]func(context.Context, testing.TestServiceClient){
		"chat": chat, "upload": upload, "download": download, "cancel": cancel,
	}[os.Args[2]]
	if !known {
		must(os.Args[2], fmt.Errorf("no such case"))
	}
	connection, err := grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	must("connection", err)
	ctx, end := context.WithTimeout(context.Background(), 2*time.Minute)
	defer end()
	run(ctx, testing.NewTestServiceClient(connection))
	fmt.Println(os.Args[2], "done")
}
