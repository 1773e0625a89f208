// Package trace tells a run as an OpenTelemetry trace: a span for the run, below it one for each
// node from its drain to its end, and below that one for each pod from the first eviction until
// it is gone. Everything else that happens to one of them is an event of its span.
//
// A Recorder hears of events (Events) and makes spans of them. An exporter (export.go) posts
// those that have ended as OTLP over HTTP with JSON (otlp.go), on a goroutine of its own, so that
// no collector ever holds up a run. The usual environment variables say where to. The SDK of
// OpenTelemetry is not used: it would make the program larger by more than this is worth.
package trace

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
)

const (
	maxEvents = 128 // of a span, as the SDKs have it
	batchSize = 256 // spans that are posted together
)

// Recorder makes spans of a run's events, or of a roll's runs one after the other.
type Recorder struct {
	to     *exporter
	parent parent
	nonce  [8]byte // tells spans of this process from those of another that drove the run

	mu      sync.Mutex
	cluster string
	runs    map[string]*runSpans // by the run's ID
	made    uint64               // spans so far
	waiting []span               // ended, and not posted yet
}

// runSpans are the open spans of a run.
type runSpans struct {
	run         *span
	nodes, pods map[string]*span // by the node's name; by node and pod
}

// SetCluster names the cluster of the runs to come.
func (r *Recorder) SetCluster(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cluster = name
}

// Events takes in what happened.
func (r *Recorder) Events(list []record.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range list {
		if e.Run != "" && e.Type != record.RunPlanned {
			r.event(e)
		}
	}
	if len(r.waiting) >= batchSize {
		r.post()
	}
}

// post hands the ended spans to the exporter.
func (r *Recorder) post() {
	if len(r.waiting) > 0 {
		r.to.send(r.waiting)
		r.waiting = nil
	}
}

func (r *Recorder) event(e record.Event) {
	open := r.runs[e.Run]
	if open == nil {
		if e.Type == record.RunFinished || e.Type == record.Warning {
			return // of a run that was never driven, or has ended
		}
		open = &runSpans{nodes: map[string]*span{}, pods: map[string]*span{}}
		open.run = r.open("upgrade "+e.Group, e, r.parent.span, r.traceOf(e.Run))
		open.run.set("drainboard.run", e.Run)
		open.run.set("drainboard.roll", e.Roll)
		r.runs[e.Run] = open
	}
	switch kind, _, _ := strings.Cut(string(e.Type), "."); {
	case e.Type == record.RunFinished:
		r.finish(e, open)
	case kind == "pod" && e.Node != "" && e.Pod != "":
		r.pod(e, open)
	case kind == "node" && e.Node != "":
		r.node(e, open)
	default:
		open.run.add(e)
	}
}

// node opens a node's span with its drain or its update, and ends it when it is gone, returned
// or given up. What happens to nodes before and to new ones belongs to the run.
func (r *Recorder) node(e record.Event, open *runSpans) {
	s := open.nodes[e.Node]
	switch e.Type {
	case record.NodeDraining, record.NodeUpdating:
		if s == nil {
			s = r.ofNode(e, open)
		}
		s.add(e)
	case record.NodeReplaced, record.NodeFailed, record.NodeSkipped, record.NodeOutdated:
		if s == nil {
			open.run.add(e)
			return
		}
		s.add(e)
		if e.Type == record.NodeFailed {
			s.fail(e.Message)
		}
		for key, pod := range open.pods { // those that were not seen to be gone
			if pod.Parent == s.ID {
				r.end(pod, e.Time)
				delete(open.pods, key)
			}
		}
		r.end(s, e.Time)
		delete(open.nodes, e.Node)
	default:
		if s == nil {
			s = open.run
		}
		s.add(e)
	}
}

// ofNode opens the span of a node.
func (r *Recorder) ofNode(e record.Event, open *runSpans) *span {
	s := r.open("node "+e.Node, e, open.run.ID, open.run.Trace)
	s.set("k8s.node.name", e.Node)
	s.set("cloud.availability_zone", e.Zone)
	open.nodes[e.Node] = s
	return s
}

// pod opens a pod's span with the first eviction or refusal, and ends it when it is gone.
func (r *Recorder) pod(e record.Event, open *runSpans) {
	key := e.Node + " " + e.Pod
	s := open.pods[key]
	if s == nil {
		node := open.nodes[e.Node]
		if node == nil { // a process that resumes a run
			node = r.ofNode(e, open)
		}
		s = r.open("pod "+e.Pod, e, node.ID, node.Trace)
		namespace, name, _ := strings.Cut(e.Pod, "/")
		s.set("k8s.namespace.name", namespace)
		s.set("k8s.pod.name", name)
		open.pods[key] = s
	}
	s.add(e)
	if e.Type == record.PodGone {
		r.end(s, e.Time)
		delete(open.pods, key)
	}
}

// finish ends all spans of a run.
func (r *Recorder) finish(e record.Event, open *runSpans) {
	open.run.add(e)
	open.run.set("drainboard.result", api.Word(e.Result))
	if e.ExitCode != nil {
		open.run.number("process.exit.code", *e.ExitCode)
		if *e.ExitCode != 0 && *e.ExitCode != 3 && *e.ExitCode != 8 { // neither done nor aborted
			open.run.fail(e.Message)
		}
	}
	r.endAll(open, e.Time)
	delete(r.runs, e.Run)
}

func (r *Recorder) endAll(open *runSpans, at time.Time) {
	for _, pod := range open.pods {
		r.end(pod, at)
	}
	for _, node := range open.nodes {
		r.end(node, at)
	}
	r.end(open.run, at)
}

// Close ends what is open, because the process ends and its runs may not, and waits until all is
// posted, as long as the exporter's timeout at most. It says what could not be posted.
func (r *Recorder) Close() error {
	r.mu.Lock()
	for id, open := range r.runs {
		r.endAll(open, open.latest())
		delete(r.runs, id)
	}
	r.post()
	r.mu.Unlock()
	return r.to.close()
}

// latest is when the last thing of a run was told.
func (o *runSpans) latest() time.Time {
	at := o.run.last
	for _, spans := range []map[string]*span{o.nodes, o.pods} {
		for _, s := range spans {
			if s.last.After(at) {
				at = s.last
			}
		}
	}
	return at
}

// open begins a span.
func (r *Recorder) open(name string, e record.Event, parent spanID, trace traceID) *span {
	r.made++
	var id spanID
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(r.nonce[:], r.made))
	copy(id[:], sum[:])
	s := &span{Trace: trace, ID: id, Parent: parent, Name: name, Start: e.Time, last: e.Time}
	s.set("drainboard.group", e.Group)
	s.set("drainboard.cluster", r.cluster)
	return s
}

func (r *Recorder) end(s *span, at time.Time) {
	if at.Before(s.last) {
		at = s.last
	}
	s.End = at
	r.waiting = append(r.waiting, *s)
}

// traceOf is the trace of a run: that of TRACEPARENT, else made of the run's ID, so that processes
// that drive a run one after the other tell of one trace.
func (r *Recorder) traceOf(run string) (id traceID) {
	if r.parent.trace != (traceID{}) {
		return r.parent.trace
	}
	sum := sha256.Sum256([]byte("drainboard " + run))
	copy(id[:], sum[:])
	return id
}
