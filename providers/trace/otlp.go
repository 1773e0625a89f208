package trace

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
)

type (
	traceID [16]byte
	spanID  [8]byte
)

// span is a span that is being made.
type span struct {
	Trace      traceID
	ID, Parent spanID
	Name       string
	Start, End time.Time
	Attributes []keyValue
	Events     []spanEvent
	Dropped    int // events beyond maxEvents
	Failed     string
	last       time.Time // of what was told of it
}

// set sets an attribute, if it has a value.
func (s *span) set(key, value string) {
	if value != "" {
		s.Attributes = append(s.Attributes, keyValue{key, anyValue{String: &value}})
	}
}

func (s *span) number(key string, value int) {
	text := strconv.Itoa(value)
	s.Attributes = append(s.Attributes, keyValue{key, anyValue{Int: &text}})
}

// add makes an event of the span of what happened.
func (s *span) add(e record.Event) {
	if e.Time.After(s.last) {
		s.last = e.Time
	}
	if len(s.Events) >= maxEvents {
		s.Dropped++
		return
	}
	event := spanEvent{Time: nano(e.Time), Name: string(e.Type)}
	for _, a := range [][2]string{
		{"message", e.Message}, {"reason", api.Reason(e.Reason)}, {"drainboard.phase", e.Phase}, {"drainboard.pdb", e.Budget},
		{"k8s.node.name", e.Node}, {"k8s.pod.name", e.Pod}, {"drainboard.by", e.By},
	} {
		if value := a[1]; value != "" {
			event.Attributes = append(event.Attributes, keyValue{a[0], anyValue{String: &value}})
		}
	}
	s.Events = append(s.Events, event)
}

// fail marks the span as failed.
func (s *span) fail(why string) {
	if s.Failed = why; why == "" {
		s.Failed = "failed"
	}
}

// The JSON of OTLP (opentelemetry-proto, trace.proto, common.proto and resource.proto): names in
// lower camel case, IDs in hexadecimal, 64-bit numbers as text, and enumerations as numbers.
type (
	tracesData struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   resource     `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	resource struct {
		Attributes []keyValue `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope      `json:"scope"`
		Spans []spanJSON `json:"spans"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	spanJSON struct {
		TraceID       string      `json:"traceId"`
		SpanID        string      `json:"spanId"`
		ParentSpanID  string      `json:"parentSpanId,omitempty"`
		Name          string      `json:"name"`
		Kind          int         `json:"kind"`
		Start         string      `json:"startTimeUnixNano"`
		End           string      `json:"endTimeUnixNano"`
		Attributes    []keyValue  `json:"attributes,omitempty"`
		Events        []spanEvent `json:"events,omitempty"`
		DroppedEvents int         `json:"droppedEventsCount,omitempty"`
		Status        *status     `json:"status,omitempty"`
	}
	spanEvent struct {
		Time       string     `json:"timeUnixNano"`
		Name       string     `json:"name"`
		Attributes []keyValue `json:"attributes,omitempty"`
	}
	status struct {
		Message string `json:"message,omitempty"`
		Code    int    `json:"code"`
	}
	keyValue struct {
		Key   string   `json:"key"`
		Value anyValue `json:"value"`
	}
	anyValue struct {
		String *string `json:"stringValue,omitempty"`
		Int    *string `json:"intValue,omitempty"`
	}
)

const (
	kindInternal = 1 // SPAN_KIND_INTERNAL
	codeError    = 2 // STATUS_CODE_ERROR
)

// encode is the body of a request.
func encode(spans []span, from []keyValue, version string) ([]byte, error) {
	out := make([]spanJSON, len(spans))
	for i, s := range spans {
		out[i] = spanJSON{
			TraceID: hex.EncodeToString(s.Trace[:]), SpanID: hex.EncodeToString(s.ID[:]), Name: s.Name, Kind: kindInternal,
			Start: nano(s.Start), End: nano(s.End), Attributes: s.Attributes, Events: s.Events, DroppedEvents: s.Dropped,
		}
		if s.Parent != (spanID{}) {
			out[i].ParentSpanID = hex.EncodeToString(s.Parent[:])
		}
		if s.Failed != "" {
			out[i].Status = &status{Message: s.Failed, Code: codeError}
		}
	}
	return json.Marshal(tracesData{[]resourceSpans{{
		Resource:   resource{from},
		ScopeSpans: []scopeSpans{{scope{"github.com/drainboard/drainboard", version}, out}},
	}}})
}

func nano(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
