package metrics

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

var now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// refusing answers every eviction with a closed budget.
type refusing struct{}

func (refusing) Do(_ context.Context, a record.Action) record.Outcome {
	if a.Kind == record.Evict {
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedBudget}
	}
	return record.Outcome{Verdict: record.Done}
}

func scrape(t *testing.T, r *Recorder) string {
	t.Helper()
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if got := w.Header().Get("Content-Type"); w.Code != http.StatusOK || !strings.HasPrefix(got, "text/plain; version=0.0.4") {
		t.Errorf("status %d, %s", w.Code, got)
	}
	return w.Body.String()
}

func TestScrape(t *testing.T) {
	r := New("v1")
	if got := scrape(t, r); !strings.Contains(got, "drainboard_build_info{version=\"v1\"} 1\n") || strings.Contains(got, "drainboard_run_info") {
		t.Errorf("before the run:\n%s", got)
	}
	r.SetClock(func() time.Time { return now.Add(7 * time.Second) })
	e := r.Executor(refusing{})
	for range 3 {
		e.Do(t.Context(), record.Action{Kind: record.Evict})
	}
	e.Do(t.Context(), record.Action{Kind: record.Cordon})
	r.Events([]record.Event{{Type: record.PodEvicted}, {Type: record.PodEvicted}, {Type: record.PodForced}, {Type: record.Warning}})
	for _, d := range []time.Duration{100 * time.Microsecond, 3 * time.Millisecond, 2 * time.Second} {
		r.Took(d)
	}
	r.See(&snapshot.Snapshot{
		At: now, RunID: "run-1", Cluster: "pr\"od\\\n\xff", Group: "web", Provider: "asg", Strategy: "eks", From: "1.31", To: "1.32",
		State: record.Running, Started: now.Add(-time.Minute), TimeLeft: 90 * time.Second, Done: 1, Total: 3, Gate: "shut",
		Phases:   []snapshot.PhaseView{{Name: "setup", Start: now, End: now}, {Name: "scale up", Start: now}},
		Zones:    []snapshot.ZoneView{{Rows: []*snapshot.NodeRow{{Stage: record.Draining, Blocked: true}, {Stage: record.Draining, Detached: true}, {Stage: record.Replaced, Detached: true}}}},
		Blockers: []*blockers.Blocker{{Kind: blockers.BlockedByBudget}, {Kind: blockers.BlockedByBudget}},
		Batch:    &snapshot.BatchView{Since: now.Add(-30 * time.Second)},
		Validation: &record.Validation{
			Wait: &record.Wait{Start: now, End: now.Add(90 * time.Second)}, Passes: 1, Need: 2,
			Failures: []record.Invalid{{Kind: "node"}, {Kind: "pod"}, {Kind: "machine", Ignored: true}},
		},
		Sources:  []snapshot.SourceView{{Name: world.Cluster, Fresh: now}, {Name: world.Cloud, Stale: true}},
		LockLost: "gone", Unwritten: "forbidden", UnwrittenSince: now.Add(-5 * time.Second),
	})
	got := scrape(t, r)
	for _, want := range []string{
		`drainboard_run_info{run="run-1",cluster="pr\"od\\\n?",group="web",provider="asg",strategy="eks",from="1.31",to="1.32"} 1`,
		`drainboard_run_state{state="running"} 1`, `drainboard_run_state{state="paused"} 0`,
		`drainboard_run_phase{phase="setup"} 0`, `drainboard_run_phase{phase="scale up"} 1`,
		`drainboard_run_start_time_seconds 1.772600707e+09`, `drainboard_run_end_time_seconds 0`, `drainboard_run_remaining_seconds 90`,
		`drainboard_validation_active 1`, `drainboard_validation_failures{ignored="false"} 2`, `drainboard_validation_failures{ignored="true"} 1`,
		`drainboard_validation_passes 1`, `drainboard_validation_passes_needed 2`, `drainboard_validation_remaining_seconds 90`, `drainboard_nodes_detached 1`,
		`drainboard_gate_shut 1`, `drainboard_batch_waiting_seconds 30`,
		`drainboard_nodes{stage="draining"} 2`, `drainboard_nodes{stage="ready"} 0`,
		`drainboard_nodes_to_replace 3`, `drainboard_nodes_replaced 1`, `drainboard_nodes_blocked 1`, `drainboard_pods_held{kind="budget"} 2`,
		`drainboard_source_age_seconds{source="cluster"} 7`, `drainboard_source_stale{source="cloud"} 1`, `drainboard_lock_held 0`, `drainboard_record_unwritten_seconds 12`,
		`drainboard_pods_evicted_total 2`, `drainboard_pods_forced_total 1`, `drainboard_pods_blocked_total 0`, `drainboard_warnings_total 1`,
		`drainboard_evictions_refused_total{reason="budget"} 3`, `drainboard_actions_total{kind="cordon",verdict="done"} 1`, `drainboard_actions_total{kind="evict",verdict="refused"} 3`,
		`drainboard_decision_duration_seconds_bucket{le="0.0005"} 1`, `drainboard_decision_duration_seconds_bucket{le="0.005"} 2`,
		`drainboard_decision_duration_seconds_bucket{le="1"} 2`, `drainboard_decision_duration_seconds_bucket{le="+Inf"} 3`,
		`drainboard_decision_duration_seconds_sum 2.0031`, `drainboard_decision_duration_seconds_count 3`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("it lacks %s", want)
		}
	}
	if strings.Contains(got, `drainboard_source_age_seconds{source="cloud"}`) {
		t.Error("what was never seen has an age")
	}
	if t.Failed() {
		t.Log(got)
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/metrics", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
}
