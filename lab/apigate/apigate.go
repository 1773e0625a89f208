// Package apigate is a gate (package gate) before the API server, with the answers that a busy
// one gives, so that single requests of a user go wrong.
package apigate

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab/gate"
)

// Gate is a user's gate before the API server, and the server that it is.
type Gate struct {
	*gate.Gate
	Address string // where it listens, as host and port

	server *http.Server
}

// Open serves a gate on the loopback interface before the API server at a URL, with the
// API server's own certificate; ca is its authority, in PEM.
func Open(server string, ca []byte, cert tls.Certificate) (*Gate, error) {
	to, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	known := x509.NewCertPool()
	known.AppendCertsFromPEM(ca)
	quiet := log.New(io.Discard, "", 0)
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: known}, ForceAttemptHTTP2: true},
		FlushInterval: -1, // watches
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {
			panic(http.ErrAbortHandler) // the API server is away, and says nothing
		},
		ErrorLog: quiet,
	}
	g := gate.New(proxy)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		return nil, err
	}
	opened := &Gate{g, listener.Addr().String(), &http.Server{Handler: g, ErrorLog: quiet}}
	go opened.server.Serve(listener)
	return opened, nil
}

// Close ends the gate and the connections that pass it.
func (g *Gate) Close() { _ = g.server.Close() }

// Troubles are the failures of a busy API server: 429 with a second to wait, 500, no
// answer to a request that was carried out, and none to one that never arrived.
var Troubles = []gate.Failure{
	refusal(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "too many requests, please try again later"),
	refusal(http.StatusInternalServerError, metav1.StatusReasonInternalError, "Internal error occurred: etcdserver: leader changed"),
	gate.Deafness,
	gate.Silence,
}

// Forbidden is the answer to who has lost a right.
var Forbidden = refusal(http.StatusForbidden, metav1.StatusReasonForbidden, "nodes is forbidden: the lab has taken the right away")

// TooLarge is the answer to an object that is over a limit of size.
var TooLarge = refusal(http.StatusRequestEntityTooLarge, metav1.StatusReasonRequestEntityTooLarge, "Request entity too large: limit is 3145728")

// refusal answers as the API server words an error.
func refusal(code int32, reason metav1.StatusReason, message string) gate.Failure {
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: code, Reason: reason, Message: message,
	}
	if code == http.StatusTooManyRequests {
		status.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
	}
	body, err := json.Marshal(status)
	if err != nil {
		panic(err)
	}
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "application/json")
		if status.Details != nil {
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(int(code))
		_, _ = w.Write(body)
	}
}

// Asks is the requests of a method whose path ends so, and whose body contains each
// of the texts.
func Asks(method, end string, body ...string) func(gate.Request) bool {
	return func(r gate.Request) bool {
		if r.Method != method || !strings.HasSuffix(r.URL.Path, end) {
			return false
		}
		for _, text := range body {
			if !strings.Contains(string(r.Body), text) {
				return false
			}
		}
		return true
	}
}
