package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"
)

// One failed request, printed when it fails.
type failure struct {
	Failure string  `json:"failure"`
	At      float64 `json:"at"`
	AfterMs float64 `json:"after_ms"`
	Kept    int     `json:"kept"`  // requests that this connection had served before
	Age     float64 `json:"age_s"` // of the connection
	Local   string  `json:"local"`
	Remote  string  `json:"remote"`
	Reason  string  `json:"reason,omitempty"` // Remora-Error of the response
	Error   string  `json:"error,omitempty"`
}

// The counters, printed for each line of standard input, and once more at the end.
type counts struct {
	Requests  int            `json:"requests"`
	Succeeded int            `json:"succeeded"`
	Failed    map[string]int `json:"failed"`
	Resets    int            `json:"resets"`
	Skipped   int            `json:"skipped"` // not sent, as too many were under way
	Opened    int            `json:"opened"`
	ClosedBy  int            `json:"closed_by_server"` // connections whose response said so
	Answers   map[string]int `json:"answers"`
	P50Ms     float64        `json:"p50_ms"`
	P99Ms     float64        `json:"p99_ms"`
	MaxMs     float64        `json:"max_ms"`
	LastAt    float64        `json:"last_success_at"`
	Recovered []float64      `json:"recovered"` // times of the first success behind each run of failures

	// Why a rate was not held.
	Seconds     float64 `json:"seconds"`     // in which requests were sent, without the wait for the last answers
	CPUSeconds  float64 `json:"cpu_s"`       // of this program
	LateP99Ms   float64 `json:"late_p99_ms"` // of this program, for a request that was due
	FullSeconds float64 `json:"full_s"`      // in which as many requests as may be were under way
	OpenP50Ms   float64 `json:"open_p50_ms"` // to open a connection, its handshake included
	OpenP99Ms   float64 `json:"open_p99_ms"`
}

type loader struct {
	address, path, host string
	timeout             time.Duration
	tls                 *tls.Config
	mutex               sync.Mutex
	counts              counts
	failing             bool
	began, stopped      time.Time // of sending; stopped is zero before
	latencies           []float64
	late, opening       []float64
	kept                chan *kept
	out                 *json.Encoder
}

// A connection that stays open between requests.
type kept struct {
	net.Conn
	reader *bufio.Reader
	served int
	opened time.Time
}

// Requests under way at once, so that a machine that is too busy for the rate is not held up further.
const inFlight = 100

func load(arguments []string) {
	flags := flag.NewFlagSet("load", flag.ExitOnError)
	rps := flags.Int("rps", 300, "requests a second")
	connections := flags.Int("connections", 8, "kept connections")
	fresh := flags.Float64("fresh", 0.5, "share of the requests that open a connection of their own")
	timeout := flags.Duration("timeout", 30*time.Second, "of a request")
	ca := flags.String("ca", "", "file of certificate authorities: TLS")
	certificate := flags.String("certificate", "", "file of the client's certificate and key")
	flags.Parse(arguments)
	target, err := url.Parse(flags.Arg(0))
	if err != nil || target.Host == "" {
		log.Fatalf("app: no URL: %q", flags.Arg(0))
	}
	port := target.Port()
	if port == "" {
		port = map[bool]string{false: "80", true: "443"}[*ca != ""]
	}
	load := &loader{address: net.JoinHostPort(target.Hostname(), port), path: target.RequestURI(), host: target.Host, timeout: *timeout, kept: make(chan *kept, *connections),
		out: json.NewEncoder(os.Stdout)}
	load.counts.Failed, load.counts.Answers = map[string]int{}, map[string]int{}
	if *ca != "" {
		load.tls = clientTLS(*ca, *certificate)
	}
	load.began = time.Now()
	ended := make(chan struct{})
	go load.listen(ended)
	var running sync.WaitGroup
	slots := make(chan struct{}, inFlight)
	began, sent := load.began, 0
	var full time.Time
	for {
		next := began.Add(time.Duration(sent) * time.Second / time.Duration(*rps))
		select {
		case <-ended:
			load.stop()
			running.Wait()
			load.print()
			return
		case <-time.After(time.Until(next)):
		}
		sent++
		load.dispatched(time.Since(next))
		select {
		case slots <- struct{}{}:
			full = time.Time{}
			running.Go(func() {
				load.request(rand.Float64() < *fresh)
				<-slots
			})
		default:
			load.mutex.Lock()
			load.counts.Skipped++
			if !full.IsZero() {
				load.counts.FullSeconds += time.Since(full).Seconds()
			}
			load.mutex.Unlock()
			full = time.Now()
		}
	}
}

// The verification is of the chain alone: names are for the sidecars' tests.
func clientTLS(ca, certificate string) *tls.Config {
	roots := x509.NewCertPool()
	pem, err := os.ReadFile(ca)
	if err != nil || !roots.AppendCertsFromPEM(pem) {
		log.Fatal("app: no certificate authority in ", ca)
	}
	config := &tls.Config{RootCAs: roots, InsecureSkipVerify: true}
	config.VerifyConnection = func(state tls.ConnectionState) error {
		_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots})
		return err
	}
	if certificate != "" {
		// read for each handshake, as it rotates
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(certificate, certificate)
			return &pair, err
		}
	}
	return config
}

func (l *loader) listen(ended chan struct{}) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		l.print()
	}
	close(ended)
}

func (l *loader) stop() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.stopped = time.Now()
}

func (l *loader) print() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.counts.P50Ms, l.counts.P99Ms, l.counts.MaxMs = percentiles(l.latencies)
	l.counts.OpenP50Ms, l.counts.OpenP99Ms, _ = percentiles(l.opening)
	_, l.counts.LateP99Ms, _ = percentiles(l.late)
	until := l.stopped
	if until.IsZero() {
		until = time.Now()
	}
	l.counts.Seconds = until.Sub(l.began).Seconds()
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) == nil {
		l.counts.CPUSeconds = time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
	}
	l.out.Encode(l.counts)
}

// The median, the 99th percentile, and the most; zero without values.
func percentiles(values []float64) (float64, float64, float64) {
	if len(values) == 0 {
		return 0, 0, 0
	}
	sorted := append([]float64(nil), values...)
	sort.Float64s(sorted)
	return sorted[len(sorted)/2], sorted[len(sorted)*99/100], sorted[len(sorted)-1]
}

// How late this program itself is, as on a machine without a free core.
func (l *loader) dispatched(late time.Duration) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.late = append(l.late, milliseconds(late))
}

func milliseconds(duration time.Duration) float64 {
	return float64(duration.Microseconds()) / 1000
}

func (l *loader) request(fresh bool) {
	began := time.Now()
	var connection *kept
	if !fresh {
		select {
		case connection = <-l.kept:
		default:
		}
	}
	response, body, connection, err := l.exchange(connection, fresh)
	kind := classify(err, response)
	l.record(began, kind, response, body, connection, err)
	if connection == nil {
		return
	}
	if kind == "" && !fresh && !response.Close {
		connection.served++
		select {
		case l.kept <- connection:
			return
		default:
		}
	}
	connection.Close()
}

func (l *loader) exchange(connection *kept, fresh bool) (*http.Response, []byte, *kept, error) {
	if connection == nil {
		opened, err := l.open()
		if err != nil {
			return nil, nil, nil, fmt.Errorf("connect: %w", err)
		}
		connection = &kept{Conn: opened, reader: bufio.NewReader(opened), opened: time.Now()}
	}
	connection.SetDeadline(time.Now().Add(l.timeout))
	end := ""
	if fresh {
		end = "Connection: close\r\n"
	}
	if _, err := fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", l.path, l.host, end); err != nil {
		return nil, nil, connection, err
	}
	response, err := http.ReadResponse(connection.reader, nil)
	if err != nil {
		return nil, nil, connection, err
	}
	body, err := io.ReadAll(response.Body)
	return response, body, connection, err
}

func (l *loader) open() (net.Conn, error) {
	l.mutex.Lock()
	l.counts.Opened++
	l.mutex.Unlock()
	began := time.Now()
	defer func() {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		l.opening = append(l.opening, milliseconds(time.Since(began)))
	}()
	dialer := &net.Dialer{Timeout: l.timeout}
	if l.tls != nil {
		return tls.DialWithDialer(dialer, "tcp", l.address, l.tls)
	}
	return dialer.Dial("tcp", l.address)
}

func classify(err error, response *http.Response) string {
	var timeout net.Error
	prefix := ""
	if err != nil && strings.HasPrefix(err.Error(), "connect: ") {
		prefix = "connect-"
	}
	switch {
	case err == nil && response.StatusCode == 200:
		return ""
	case err == nil:
		return fmt.Sprintf("status-%d", response.StatusCode)
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return prefix + "reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return prefix + "eof"
	case errors.As(err, &timeout) && timeout.Timeout():
		return prefix + "timeout"
	}
	return prefix + "error"
}

func seconds(when time.Time) float64 {
	return float64(when.UnixMicro()) / 1e6
}

func (l *loader) record(began time.Time, kind string, response *http.Response, body []byte, connection *kept, err error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.counts.Requests++
	now := time.Now()
	if response != nil && response.Close {
		l.counts.ClosedBy++
	}
	if kind == "" {
		l.counts.Succeeded++
		l.counts.Answers[strings.TrimSpace(string(body))]++
		l.counts.LastAt = seconds(now)
		l.latencies = append(l.latencies, milliseconds(now.Sub(began)))
		if l.failing {
			l.failing = false
			l.counts.Recovered = append(l.counts.Recovered, seconds(now))
		}
		return
	}
	l.failing = true
	l.counts.Failed[kind]++
	if strings.HasSuffix(kind, "reset") {
		l.counts.Resets++
	}
	failed := failure{Failure: kind, At: seconds(now), AfterMs: milliseconds(now.Sub(began))}
	if connection != nil {
		failed.Kept, failed.Age = connection.served, now.Sub(connection.opened).Seconds()
		failed.Local, failed.Remote = connection.LocalAddr().String(), connection.RemoteAddr().String()
	}
	if response != nil {
		failed.Reason = response.Header.Get("Remora-Error")
	}
	if err != nil {
		failed.Error = err.Error()
	}
	l.out.Encode(failed)
}
