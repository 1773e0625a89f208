package trace

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// collector keeps what is posted to it, and answers as it is told.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	last   *http.Request
}

func newCollector(t *testing.T, answer func(n int) int) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bodies, c.last = append(c.bodies, string(body)), r
		if answer != nil {
			w.WriteHeader(answer(len(c.bodies)))
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// got is what was posted, as JSON.
func (c *collector) got(t *testing.T) (all []tracesData) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, body := range c.bodies {
		var d tracesData
		if err := json.Unmarshal([]byte(body), &d); err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

// recorder is one that posts to a collector, with further variables.
func recorder(t *testing.T, c *collector, more map[string]string) *Recorder {
	t.Helper()
	r, err := New(func(name string) string {
		if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
			return c.URL + "/"
		}
		return more[name]
	}, "v1")
	if err != nil || r == nil {
		t.Fatalf("%v, %v", r, err)
	}
	r.SetCluster("prod")
	return r
}

// upgrade are the events of a run that ends with an exit code, a second apart.
func upgrade(code int) []record.Event {
	list := []record.Event{
		{Type: record.RunPlanned}, {Type: record.RunStarted, Message: "started"}, {Type: record.PhaseStarted, Phase: "upgrade"}, {Type: record.NodeTainted, Node: "n1"},
		{Type: record.NodeDraining, Node: "n1", Zone: "a"}, {Type: record.PodEvicted, Node: "n1", Pod: "shop/cart"}, {Type: record.PodBlocked, Node: "n1", Pod: "shop/checkout", Budget: "shop/checkout", Reason: "budget"},
		{Type: record.PodGone, Node: "n1", Pod: "shop/cart"}, {Type: record.NodeDraining, Node: "n2"}, {Type: record.NodeFailed, Node: "n2", Message: "drain not finished"}, {Type: record.NodeReplaced, Node: "n1"},
		{Type: record.RunFinished, Result: "failed", ExitCode: &code, Message: "the end"}, {Type: record.Warning, Message: "too late"},
	}
	for i := range list {
		list[i].Run, list[i].Group, list[i].Time = "r-1", "ng-web", time.Unix(1_795_000_000+int64(i), 5)
	}
	return list
}

// A run is a span, each node one below it, and each pod one below its node.
func TestSpansOfARun(t *testing.T) {
	c := newCollector(t, nil)
	r := recorder(t, c, map[string]string{
		"OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b, x-team = ops", "OTEL_RESOURCE_ATTRIBUTES": "service.name=nodes,deployment.environment=prod",
	})
	r.Events(upgrade(4))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	got := c.got(t)
	if len(got) != 1 || c.last.URL.Path != "/v1/traces" || c.last.Header.Get("Content-Type") != "application/json" || c.last.Header.Get("Api-Key") != "a b" || c.last.Header.Get("X-Team") != "ops" {
		t.Fatalf("%d requests, the last: %+v", len(got), c.last)
	}
	from := got[0].ResourceSpans[0]
	if a := from.Resource.Attributes; len(a) != 3 || *a[0].Value.String != "nodes" || a[2].Key != "deployment.environment" {
		t.Errorf("%+v", a)
	}
	spans := map[string]spanJSON{}
	ids := regexp.MustCompile(`^[0-9a-f]{16}$`)
	for _, s := range from.ScopeSpans[0].Spans {
		spans[s.Name] = s
		if !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(s.TraceID) || !ids.MatchString(s.SpanID) || s.Kind != 1 || s.Start > s.End {
			t.Errorf("%+v", s)
		}
	}
	run, n1, n2, cart, checkout := spans["upgrade ng-web"], spans["node n1"], spans["node n2"], spans["pod shop/cart"], spans["pod shop/checkout"]
	if len(spans) != 5 || run.ParentSpanID != "" || n1.ParentSpanID != run.SpanID || n2.ParentSpanID != run.SpanID || cart.ParentSpanID != n1.SpanID || checkout.ParentSpanID != n1.SpanID || n1.TraceID != run.TraceID {
		t.Errorf("%+v", spans)
	}
	if run.Start != "1795000001000000005" || run.End != "1795000011000000005" || n1.Start != "1795000004000000005" || n1.End != "1795000010000000005" || cart.End != "1795000007000000005" || checkout.End != n1.End {
		t.Errorf("times: %+v", spans)
	}
	if run.Status == nil || run.Status.Code != 2 || run.Status.Message != "the end" || n2.Status == nil || n1.Status != nil {
		t.Errorf("status of the run %+v, of n2 %+v, of n1 %+v", run.Status, n2.Status, n1.Status)
	}
	named := func(s spanJSON) (names []string) {
		for _, e := range s.Events {
			names = append(names, e.Name)
		}
		return names
	}
	if got := named(run); !slices.Equal(got, []string{"run.started", "phase.started", "node.tainted", "run.finished"}) {
		t.Errorf("events of the run: %q", got)
	}
	if got := named(checkout); !slices.Equal(got, []string{"pod.blocked"}) {
		t.Errorf("events of a pod: %q", got)
	}
	if !slices.ContainsFunc(run.Attributes, func(a keyValue) bool { return a.Key == "process.exit.code" && *a.Value.Int == "4" }) {
		t.Errorf("%+v", run.Attributes)
	}
}

// A process that resumes a run tells of the same trace, with spans of its own; one that leaves a
// run ends its spans. TRACEPARENT is above both.
func TestTracesMeet(t *testing.T) {
	c := newCollector(t, nil)
	first := recorder(t, c, nil)
	first.Events(upgrade(0)[:7])
	_ = first.Close()
	second := recorder(t, c, nil)
	second.Events(upgrade(0)[7:])
	_ = second.Close()
	below := recorder(t, c, map[string]string{"TRACEPARENT": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
	below.Events(upgrade(0))
	_ = below.Close()
	var spans [3][]spanJSON
	for i, d := range c.got(t) {
		spans[i] = d.ResourceSpans[0].ScopeSpans[0].Spans
	}
	if len(spans[0]) != 4 || len(spans[1]) != 4 || spans[0][0].TraceID != spans[1][0].TraceID || spans[0][0].SpanID == spans[1][0].SpanID {
		t.Errorf("%+v\n%+v", spans[0], spans[1])
	}
	at := slices.IndexFunc(spans[2], func(s spanJSON) bool { return strings.HasPrefix(s.Name, "upgrade") })
	if run := spans[2][at]; run.TraceID != "0af7651916cd43dd8448eb211c80319c" || run.ParentSpanID != "b7ad6b7169203331" || run.Status != nil {
		t.Errorf("%+v", run)
	}
}

// A collector that does not take it is said once, at the end; one that is busy is asked again.
func TestCollectorsThatRefuse(t *testing.T) {
	busy := newCollector(t, func(n int) int { return map[bool]int{true: 503, false: 200}[n == 1] })
	r := recorder(t, busy, nil)
	r.Events(upgrade(0))
	if err := r.Close(); err != nil || len(busy.bodies) != 2 {
		t.Errorf("%v after %d requests", err, len(busy.bodies))
	}
	wrong := newCollector(t, func(int) int { return 400 })
	r = recorder(t, wrong, nil)
	r.Events(upgrade(0))
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "5 spans of the trace were not sent: the collector answered 400") || len(wrong.bodies) != 1 {
		t.Errorf("%v after %d requests", err, len(wrong.bodies))
	}
	gone := newCollector(t, nil)
	r = recorder(t, gone, map[string]string{"OTEL_EXPORTER_OTLP_TIMEOUT": "300"})
	gone.Server.Close()
	began := time.Now()
	r.Events(upgrade(0))
	if err := r.Close(); err == nil || time.Since(began) > 5*time.Second || strings.Contains(err.Error(), "/v1/traces") {
		t.Errorf("%v after %s", err, time.Since(began))
	}
}

// Large runs are posted while they last, and a span has so many events and no more.
func TestManySpans(t *testing.T) {
	c := newCollector(t, nil)
	r := recorder(t, c, nil)
	at := time.Unix(1_795_000_000, 0)
	for i := range 400 {
		node := "n" + strings.Repeat("x", i)
		r.Events([]record.Event{{Time: at, Run: "r", Group: "g", Type: record.NodeDraining, Node: node}, {Time: at, Run: "r", Group: "g", Type: record.NodeReplaced, Node: node}, {Time: at, Run: "r", Group: "g", Type: record.CapacityChanged}})
	}
	for start := time.Now(); len(c.got(t)) == 0 && time.Since(start) < 10*time.Second; time.Sleep(10 * time.Millisecond) {
	}
	if len(c.got(t)) != 1 {
		t.Errorf("%d requests before the end", len(c.got(t)))
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	all := c.got(t)
	last := all[len(all)-1].ResourceSpans[0].ScopeSpans[0].Spans
	if run := last[len(last)-1]; len(run.Events) != 128 || run.DroppedEvents != 400-128 {
		t.Errorf("%d events, %d dropped", len(run.Events), run.DroppedEvents)
	}
}

// Without a collector, or where the environment says so, nothing is sent.
func TestNoTrace(t *testing.T) {
	for _, c := range []struct {
		env   map[string]string
		wrong bool
	}{
		{nil, false}, {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_SDK_DISABLED": "true"}, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_TRACES_EXPORTER": "none"}, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4317"}, true},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, true},
	} {
		r, err := New(func(name string) string { return c.env[name] }, "v1")
		if r != nil || (err != nil) != c.wrong {
			t.Errorf("%v: %v, %v", c.env, r, err)
		}
	}
}
