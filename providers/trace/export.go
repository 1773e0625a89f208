package trace

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
)

// defaultTimeout bounds a request, and the end of the process (OTEL_EXPORTER_OTLP_TIMEOUT).
const defaultTimeout = 10 * time.Second

// pending is how many batches may wait for a slow collector; what comes then is lost.
const pending = 64

// exporter posts spans to a collector.
type exporter struct {
	to       string
	header   http.Header
	resource []keyValue
	version  string
	timeout  time.Duration

	queue  chan []span
	done   chan struct{}
	ctx    context.Context
	cancel context.CancelFunc
	err    error // the last one; read once done is closed
	failed int   // spans that were not posted
	lost   int   // those that did not fit in the queue
}

// parent is the span of another program below which a run is told.
type parent struct {
	trace traceID
	span  spanID
}

// New makes a Recorder of the environment's variables (OpenTelemetry, "Environment Variable
// Specification" and "OTLP Exporter"), nil if they name no collector. TRACEPARENT is the span of
// the program that has called, as in a pipeline.
func New(env func(string) string, version string) (*Recorder, error) {
	if strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") || env("OTEL_TRACES_EXPORTER") == "none" {
		return nil, nil
	}
	to := env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if base := env("OTEL_EXPORTER_OTLP_ENDPOINT"); to == "" && base != "" {
		to = strings.TrimSuffix(base, "/") + "/v1/traces"
	}
	if to == "" {
		return nil, nil
	}
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT: not an http:// or https:// URL; no trace is sent")
	}
	if protocol := first(env("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), env("OTEL_EXPORTER_OTLP_PROTOCOL")); protocol == "grpc" {
		return nil, errors.New("OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not supported, http/json is; no trace is sent")
	}
	x := &exporter{
		to: to, header: http.Header{"Content-Type": {"application/json"}, "User-Agent": {"drainboard/" + version}}, version: version, timeout: defaultTimeout,
		queue: make(chan []span, pending), done: make(chan struct{}),
	}
	for _, pair := range pairs(first(env("OTEL_EXPORTER_OTLP_TRACES_HEADERS"), env("OTEL_EXPORTER_OTLP_HEADERS"))) {
		x.header.Set(pair[0], pair[1])
	}
	if ms, err := strconv.Atoi(first(env("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"), env("OTEL_EXPORTER_OTLP_TIMEOUT"))); err == nil && ms > 0 {
		x.timeout = time.Duration(ms) * time.Millisecond
	}
	service := first(env("OTEL_SERVICE_NAME"), "drainboard")
	for _, pair := range append([][2]string{{"service.name", service}, {"service.version", version}}, pairs(env("OTEL_RESOURCE_ATTRIBUTES"))...) {
		if pair[0] == "service.name" && len(x.resource) > 0 {
			if env("OTEL_SERVICE_NAME") == "" {
				x.resource[0].Value.String = &pair[1]
			}
			continue
		}
		x.resource = append(x.resource, keyValue{pair[0], anyValue{String: &pair[1]}})
	}
	r := &Recorder{to: x, parent: readParent(env("TRACEPARENT")), runs: map[string]*runSpans{}}
	_, _ = rand.Read(r.nonce[:])
	x.ctx, x.cancel = context.WithCancel(context.Background())
	go live.Guarded(x.serve, nil)()
	return r, nil
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// pairs reads a list of key=value, whose values are encoded as in URLs (W3C Baggage).
func pairs(text string) (list [][2]string) {
	for part := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(part, "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			continue
		}
		if plain, err := url.PathUnescape(strings.TrimSpace(value)); err == nil {
			value = plain
		}
		list = append(list, [2]string{key, value})
	}
	return list
}

// readParent reads a traceparent (W3C Trace Context); one that is none is no parent.
func readParent(text string) (p parent) {
	parts := strings.Split(text, "-")
	if len(parts) < 4 || len(parts[1]) != 32 || len(parts[2]) != 16 {
		return p
	}
	trace, err := hex.DecodeString(parts[1])
	below, err2 := hex.DecodeString(parts[2])
	if err != nil || err2 != nil {
		return p
	}
	copy(p.trace[:], trace)
	copy(p.span[:], below)
	return p
}

// send queues spans; what a slow collector has no room for is lost.
func (x *exporter) send(spans []span) {
	select {
	case x.queue <- spans:
	default:
		x.lost += len(spans)
	}
}

// serve posts what is queued, until the queue is closed.
func (x *exporter) serve() {
	defer close(x.done)
	for spans := range x.queue {
		for len(spans) > 0 {
			n := min(len(spans), batchSize)
			if err := x.post(spans[:n]); err != nil {
				x.err = err
				x.failed += n
			}
			spans = spans[n:]
		}
	}
}

// close waits for what is queued, as long as one request may take.
func (x *exporter) close() error {
	defer time.AfterFunc(x.timeout, x.cancel).Stop()
	close(x.queue)
	<-x.done
	x.cancel()
	if x.failed+x.lost == 0 {
		return nil
	}
	if x.err == nil {
		x.err = errors.New("the collector is too slow")
	}
	return fmt.Errorf("%d spans of the trace were not sent: %w", x.failed+x.lost, x.err)
}

// post posts spans, again as long as the time lasts where that may help (OTLP, "Retryable
// Response Codes").
func (x *exporter) post(spans []span) error {
	body, err := encode(spans, x.resource, x.version)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(x.ctx, x.timeout)
	defer cancel()
	for pause := time.Second; ; pause *= 2 {
		again, err := x.try(ctx, body)
		if err == nil || !again {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

func (x *exporter) try(ctx context.Context, body []byte) (again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, x.to, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	req.Header = x.header.Clone()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) { // its address may hold a key
			err = u.Err
		}
		return true, err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 == 2 {
		return false, nil
	}
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	}
	return again, fmt.Errorf("the collector answered %s: %s", resp.Status, strings.Join(strings.Fields(world.Clean(string(answer))), " "))
}
