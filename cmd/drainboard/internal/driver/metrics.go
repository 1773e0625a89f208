package driver

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/providers/metrics"
)

// metricsServer serves the metrics of the run that this process drives.
type metricsServer struct {
	*metrics.Recorder
	server *http.Server // nil: they are only written at the end
}

// metricsAddress reads --metrics: a port alone is served on localhost only.
func metricsAddress(text string) (string, error) {
	host, port := "", text
	if _, err := strconv.Atoi(text); err != nil {
		var err error
		if host, port, err = net.SplitHostPort(text); err != nil {
			return "", fmt.Errorf("--metrics: %q is neither a port nor HOST:PORT (examples: 9090, 0.0.0.0:9090)", text)
		}
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return "", fmt.Errorf("--metrics: %q is not a port", port)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// serveMetrics starts to serve metrics; a port in use is an error before anything
// starts.
func serveMetrics(address, version string) (*metricsServer, error) {
	address, err := metricsAddress(address)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	m := &metricsServer{Recorder: metrics.New(version)}
	mux := http.NewServeMux()
	mux.Handle("/metrics", m.Recorder)
	m.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second}
	go func() { _ = live.Caught(func() error { return m.server.Serve(l) }) }() // until it is closed
	return m, nil
}

// close stops at once: a scraper retries.
func (m *metricsServer) close() {
	if m != nil && m.server != nil {
		_ = m.server.Close()
	}
}
