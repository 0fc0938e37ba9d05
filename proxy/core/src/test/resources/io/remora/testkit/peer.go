// Go's own client and server of HTTP over TLS, for tests. Needs nothing but the standard library.
//
//	peer client -port P -version 1.3 -ca FILE -host NAME -sni NAME [-group N] [-cert FILE -key FILE]
//	peer server -port P -version 1.3 -cert FILE -key FILE [-group N] [-ca FILE]
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
)

var (
	port    = flag.String("port", "", "where the other side is, or where to listen")
	version = flag.String("version", "1.3", "the only version of TLS")
	ca      = flag.String("ca", "", "who is trusted; a server that has it requires a certificate")
	host    = flag.String("host", "", "who the server must be")
	sni     = flag.String("sni", "", "the name that the server is asked for; empty for none")
	cert    = flag.String("cert", "", "the own chain")
	key     = flag.String("key", "", "its key")
	group   = flag.Uint("group", 0, "the only group of the key exchange, by IANA's number; 0 for Go's choice")
)

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func config() *tls.Config {
	only := uint16(tls.VersionTLS13)
	if *version == "1.2" {
		only = tls.VersionTLS12
	}
	all := &tls.Config{MinVersion: only, MaxVersion: only}
	if *group != 0 {
		all.CurvePreferences = []tls.CurveID{tls.CurveID(*group)}
	}
	if *ca != "" {
		pem, err := os.ReadFile(*ca)
		must(err)
		all.RootCAs = x509.NewCertPool()
		all.RootCAs.AppendCertsFromPEM(pem)
		all.ClientCAs = all.RootCAs
	}
	if *cert != "" {
		own, err := tls.LoadX509KeyPair(*cert, *key)
		must(err)
		all.Certificates = []tls.Certificate{own}
	}
	return all
}

// A name that is not that of the server is verified by hand; Go sends none for an address.
func clientConfig() *tls.Config {
	all := config()
	all.ServerName = *host
	if *sni != "" && *sni != *host {
		all.ServerName = *sni
		all.InsecureSkipVerify = true
		all.VerifyConnection = func(state tls.ConnectionState) error {
			options := x509.VerifyOptions{DNSName: *host, Roots: all.RootCAs, Intermediates: x509.NewCertPool()}
			for _, one := range state.PeerCertificates[1:] {
				options.Intermediates.AddCert(one)
			}
			_, err := state.PeerCertificates[0].Verify(options)
			return err
		}
	}
	return all
}

// Two requests on one connection, the second with a body.
func client() {
	dials := 0
	transport := &http.Transport{
		TLSClientConfig:   clientConfig(),
		ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			dials++
			return (&net.Dialer{}).DialContext(ctx, network, "127.0.0.1:"+*port)
		},
	}
	url := "https://" + net.JoinHostPort(*host, *port) + "/"
	for _, body := range []string{"", strings.Repeat("content", 20000)} {
		method := "GET"
		if body != "" {
			method = "POST"
		}
		request, err := http.NewRequest(method, url, strings.NewReader(body))
		must(err)
		response, err := transport.RoundTrip(request)
		must(err)
		text, err := io.ReadAll(response.Body)
		must(err)
		fmt.Printf("%d %s\n", response.StatusCode, text)
	}
	if dials != 1 {
		fmt.Println("connections:", dials)
		os.Exit(1)
	}
}

func server() {
	all := config()
	if *ca != "" {
		all.ClientAuth = tls.RequireAndVerifyClientCert
	}
	answer := func(to http.ResponseWriter, request *http.Request) {
		got, _ := io.Copy(io.Discard, request.Body)
		fmt.Fprintf(to, "TLSv%s|%s|%d", tls.VersionName(request.TLS.Version)[4:], request.TLS.ServerName, got)
	}
	listening := &http.Server{Addr: "127.0.0.1:" + *port, TLSConfig: all, Handler: http.HandlerFunc(answer)}
	must(listening.ListenAndServeTLS("", ""))
}

func main() {
	what := os.Args[1]
	os.Args = os.Args[1:]
	flag.Parse()
	if what == "client" {
		client()
	} else {
		server()
	}
}
