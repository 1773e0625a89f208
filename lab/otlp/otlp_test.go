// Package otlp holds what drainboard posts to a collector to OpenTelemetry's published messages.
// It is here because the program itself goes without their code.
package otlp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/trace"
)

// TestMessages holds names and kinds of all fields: a field that the messages do not have, or
// a value of another kind, is an error. Only IDs are different there, in base64.
func TestMessages(t *testing.T) {
	var bodies [][]byte
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, body)
	}))
	defer collector.Close()
	r, err := trace.New(func(name string) string {
		return map[string]string{
			"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL, "OTEL_RESOURCE_ATTRIBUTES": "team=ops", "TRACEPARENT": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		}[name]
	}, "v1")
	if err != nil {
		t.Fatal(err)
	}
	code := 4
	event := func(kind record.EventType, node, pod string) record.Event {
		return record.Event{Time: time.Unix(1_795_000_000, 5), Run: "r-1", Group: "web", Type: kind, Node: node, Pod: pod, Message: "words"}
	}
	list := []record.Event{event(record.RunStarted, "", ""), event(record.NodeDraining, "n1", ""), event(record.PodBlocked, "n1", "shop/cart"), event(record.NodeFailed, "n1", "")}
	for range 200 { // more than a span takes
		list = append(list, event(record.CapacityChanged, "", ""))
	}
	end := event(record.RunFinished, "", "")
	end.ExitCode = &code
	r.Events(append(list, end))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if len(bodies) != 1 {
		t.Fatalf("%d requests", len(bodies))
	}
	var data tracepb.TracesData
	if err := protojson.Unmarshal(bodies[0], &data); err != nil {
		t.Fatalf("%v\n%s", err, bodies[0])
	}
	spans := data.ResourceSpans[0].ScopeSpans[0].Spans
	if len(spans) != 3 {
		t.Fatalf("%d spans", len(spans))
	}
	run := spans[2]
	if run.Name != "upgrade web" || run.Kind != tracepb.Span_SPAN_KIND_INTERNAL || run.StartTimeUnixNano != 1_795_000_000_000_000_005 || run.Status.GetCode() != tracepb.Status_STATUS_CODE_ERROR || run.DroppedEventsCount == 0 || len(run.ParentSpanId) == 0 {
		t.Errorf("%+v", run)
	}
}
