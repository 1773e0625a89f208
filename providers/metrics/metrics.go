// Package metrics tells a run in numbers, as Prometheus reads them (text format 0.0.4,
// https://prometheus.io/docs/instrumenting/exposition_formats). There are few, and no
// label has more values than this program knows words for: none names a node, a pod or a
// budget. docs/reference/metrics.md lists them.
package metrics

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// buckets of the time that decisions take, in seconds.
var buckets = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1}

// Recorder collects the metrics of a run, and serves them. Its methods are quick, and any
// goroutine may call them.
type Recorder struct {
	version string

	mu       sync.Mutex
	now      func() time.Time // the cluster's time
	seen     *snapshot.Snapshot
	exit     int // of the run that ended last, -1 for none
	events   map[record.EventType]int
	refused  map[record.Refusal]int
	actions  map[action]int
	took     []int // decisions, by bucket; the last: those that took longer
	tookSum  time.Duration
	tookMany int
}

// action counts what came of actions of one kind.
type action struct {
	kind    record.ActionKind
	verdict record.Verdict
}

// New makes a Recorder of this version of the program.
func New(version string) *Recorder {
	return &Recorder{
		version: version, now: time.Now, exit: -1, events: map[record.EventType]int{}, refused: map[record.Refusal]int{},
		actions: map[action]int{}, took: make([]int, len(buckets)+1),
	}
}

// SetClock has ages counted in the cluster's time.
func (r *Recorder) SetClock(now func() time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = now
}

// Events counts what happened.
func (r *Recorder) Events(list []record.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range list {
		r.events[e.Type]++
		switch {
		case e.Type == record.RunStarted:
			r.exit = -1
		case e.Type == record.RunFinished && e.ExitCode != nil:
			r.exit = *e.ExitCode
		}
	}
}

// See keeps the newest snapshot.
func (r *Recorder) See(s *snapshot.Snapshot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = s
}

// Took counts a decision.
func (r *Recorder) Took(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := 0
	for at < len(buckets) && d.Seconds() > buckets[at] {
		at++
	}
	r.took[at]++
	r.tookSum += d
	r.tookMany++
}

// Executor counts what comes of the actions that e carries out.
func (r *Recorder) Executor(e live.Executor) live.Executor { return counting{e, r} }

type counting struct {
	live.Executor
	to *Recorder
}

func (c counting) Do(ctx context.Context, a record.Action) record.Outcome {
	o := c.Executor.Do(ctx, a)
	c.to.mu.Lock()
	defer c.to.mu.Unlock()
	c.to.actions[action{a.Kind, o.Verdict}]++
	if a.Kind == record.Evict && o.Verdict == record.Refused {
		c.to.refused[o.Refusal]++
	}
	return o
}

// ServeHTTP answers a scrape.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", ContentType)
	r.mu.Lock()
	text := r.text(true)
	r.mu.Unlock()
	_, _ = w.Write(text) // who scrapes may go
}

// ContentType is that of the text format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Last is what is kept of a run after its process has ended, and which run's it is: all that is
// served but what the process saw of cluster and cloud. It is nil if no run was driven.
func (r *Recorder) Last() (text []byte, cluster, group string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen == nil {
		return nil, "", ""
	}
	return r.text(false), r.seen.Cluster, r.seen.Group
}
