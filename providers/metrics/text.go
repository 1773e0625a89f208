package metrics

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// Words that labels take.
var states = []record.State{record.Planned, record.Running, record.Paused, record.Ending, record.Finished}

// page writes the text format.
type page struct{ bytes.Buffer }

// family begins the samples of one name.
func (p *page) family(name, kind, help string) {
	fmt.Fprintf(p, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// sample writes one; labels are names and values in turn.
func (p *page) sample(name string, value float64, labels ...string) {
	p.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		p.WriteString(map[bool]string{true: "{", false: ","}[i == 0] + labels[i] + `="` + escape.Replace(strings.ToValidUTF8(labels[i+1], "?")) + `"`)
	}
	if len(labels) > 0 {
		p.WriteByte('}')
	}
	p.WriteString(" " + strconv.FormatFloat(value, 'g', -1, 64) + "\n")
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// one writes a family of one sample without labels.
func (p *page) one(name, kind, help string, value float64) {
	p.family(name, kind, help)
	p.sample(name, value)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// seconds since the epoch, 0 for no time.
func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

// text is the page for a scrape, or, without what is seen at the moment, for after the end.
func (r *Recorder) text(now bool) []byte {
	p := &page{}
	p.family("drainboard_build_info", "gauge", "The version of the program.")
	p.sample("drainboard_build_info", 1, "version", r.version)
	if r.seen != nil {
		p.run(r.seen)
		p.nodes(r.seen)
		if now {
			p.sight(r.seen, r.now())
		}
		p.one("drainboard_run_exit_code", "gauge", "Exit code of the run; -1 while it has not ended.", float64(r.exit))
	}
	r.counted(p)
	return p.Bytes()
}

// run tells how the run stands.
func (p *page) run(s *snapshot.Snapshot) {
	p.family("drainboard_run_info", "gauge", "The run that this process drives.")
	p.sample("drainboard_run_info", 1, "run", s.RunID, "cluster", s.Cluster, "group", s.Group, "provider", s.Provider, "strategy", s.Strategy, "from", s.From, "to", s.To)
	p.family("drainboard_run_state", "gauge", "1 for the state that the run is in.")
	for _, state := range states {
		p.sample("drainboard_run_state", truth(s.State == state), "state", string(state))
	}
	p.family("drainboard_run_phase", "gauge", "1 for the phase that has begun and not ended.")
	for _, phase := range s.Phases {
		p.sample("drainboard_run_phase", truth(!phase.Start.IsZero() && phase.End.IsZero()), "phase", phase.Name)
	}
	p.one("drainboard_run_start_time_seconds", "gauge", "When the run started, since the epoch.", seconds(s.Started))
	p.one("drainboard_run_end_time_seconds", "gauge", "When the run ended, since the epoch; 0 while it has not.", seconds(s.Ended))
	p.one("drainboard_run_remaining_seconds", "gauge", "Estimated time to the end; 0 when unknown.", s.TimeLeft.Seconds())
	p.one("drainboard_gate_shut", "gauge", "1 while no new drain may start although the limit would allow one.", truth(s.Gate != ""))
	waits := 0.0
	if s.Batch != nil {
		waits = s.At.Sub(s.Batch.Since).Seconds()
	}
	p.one("drainboard_batch_waiting_seconds", "gauge", "How long a batch or a phase has waited for approval; 0 when none does.", waits)
	if s.Validation != nil {
		p.validation(s)
	}
}

// validation tells how the wait for a valid cluster stands.
func (p *page) validation(s *snapshot.Snapshot) {
	v := s.Validation
	under := v.Passed.IsZero() && v.Failed.IsZero()
	counts := map[bool]int{}
	for _, f := range v.Failures {
		counts[f.Ignored]++
	}
	left := 0.0
	if under && v.Wait != nil {
		left = max(0, v.Wait.End.Sub(s.At).Seconds())
	}
	p.one("drainboard_validation_active", "gauge", "1 while the run waits for the cluster to be valid.", truth(under))
	p.family("drainboard_validation_failures", "gauge", "Failures of the last validation of the cluster, by whether they are ignored.")
	p.sample("drainboard_validation_failures", float64(counts[false]), "ignored", "false")
	p.sample("drainboard_validation_failures", float64(counts[true]), "ignored", "true")
	p.one("drainboard_validation_passes", "gauge", "Validations passed in a row.", float64(v.Passes))
	p.one("drainboard_validation_passes_needed", "gauge", "Validations in a row that the cluster must pass.", float64(v.Need))
	p.one("drainboard_validation_remaining_seconds", "gauge", "Time that the cluster has left to get valid; 0 when none is counted.", left)
}

// nodes tells how the nodes stand.
func (p *page) nodes(s *snapshot.Snapshot) {
	count, blocked, detached := map[record.Stage]int{}, 0, 0
	for _, zone := range s.Zones {
		for _, row := range zone.Rows {
			count[row.Stage]++
			if row.Detached && row.Stage != record.Replaced {
				detached++
			}
			if row.Blocked {
				blocked++
			}
		}
	}
	p.family("drainboard_nodes", "gauge", "Nodes by stage.")
	for _, stage := range record.Stages {
		p.sample("drainboard_nodes", float64(count[stage]), "stage", string(stage))
	}
	p.one("drainboard_nodes_to_replace", "gauge", "Nodes that were outdated, replaced ones included.", float64(s.Total))
	p.one("drainboard_nodes_replaced", "gauge", "Outdated nodes whose machine is gone.", float64(s.Done))
	p.one("drainboard_nodes_detached", "gauge", "Nodes whose machine was taken out of the group and is still there.", float64(detached))
	p.one("drainboard_nodes_blocked", "gauge", "Draining nodes with a pod that is held.", float64(blocked))
	held := map[blockers.BlockerKind]int{}
	for _, b := range s.Blockers {
		if !b.Guess {
			held[b.Kind]++
		}
	}
	p.family("drainboard_pods_held", "gauge", "Pods that something keeps on their node now, by what does.")
	for _, kind := range blockers.Kinds {
		p.sample("drainboard_pods_held", float64(held[kind]), "kind", string(kind))
	}
}

// sight tells what is known, and whether it may be acted on.
func (p *page) sight(s *snapshot.Snapshot, now time.Time) {
	p.family("drainboard_source_age_seconds", "gauge", "How old what is known of cluster and cloud is.")
	for _, source := range s.Sources {
		if !source.Fresh.IsZero() {
			p.sample("drainboard_source_age_seconds", max(0, now.Sub(source.Fresh).Seconds()), "source", string(source.Name))
		}
	}
	p.family("drainboard_source_stale", "gauge", "1 while a source is too old to act on.")
	for _, source := range s.Sources {
		p.sample("drainboard_source_stale", truth(source.Stale), "source", string(source.Name))
	}
	unwritten := 0.0
	if !s.UnwrittenSince.IsZero() {
		unwritten = max(0, now.Sub(s.UnwrittenSince).Seconds())
	}
	p.one("drainboard_record_unwritten_seconds", "gauge", "How long the run record could not be written; 0 while it can.", unwritten)
	p.one("drainboard_lock_held", "gauge", "1 while this process holds the lock of the run.", truth(s.LockLost == ""))
}

// counted tells what is counted.
func (r *Recorder) counted(p *page) {
	for _, c := range []struct {
		name, help string
		event      record.EventType
	}{
		{"drainboard_pods_evicted_total", "Evictions that the API accepted.", record.PodEvicted},
		{"drainboard_pods_blocked_total", "Pods that were held for the first time.", record.PodBlocked},
		{"drainboard_pods_forced_total", "Pods deleted past their budgets.", record.PodForced},
		{"drainboard_nodes_failed_total", "Nodes that were given up.", record.NodeFailed},
		{"drainboard_validations_passed_total", "Times that what was validated got well.", record.ValidationPassed},
		{"drainboard_validations_failed_total", "Times that what was validated was not well.", record.ValidationFailed},
		{"drainboard_warnings_total", "Warnings.", record.Warning},
	} {
		p.one(c.name, "counter", c.help, float64(r.events[c.event]))
	}
	p.family("drainboard_evictions_refused_total", "counter", "Evictions that were refused, by what refused them.")
	for _, why := range slices.Sorted(maps.Keys(r.refused)) {
		p.sample("drainboard_evictions_refused_total", float64(r.refused[why]), "reason", string(why))
	}
	p.family("drainboard_actions_total", "counter", "Actions that were carried out, by kind and what came of them.")
	for _, a := range slices.SortedFunc(maps.Keys(r.actions), func(a, b action) int {
		return strings.Compare(string(a.kind)+" "+string(a.verdict), string(b.kind)+" "+string(b.verdict))
	}) {
		p.sample("drainboard_actions_total", float64(r.actions[a]), "kind", string(a.kind), "verdict", string(a.verdict))
	}
	const name = "drainboard_decision_duration_seconds"
	p.family(name, "histogram", "What decisions took.")
	sum := 0
	for i, limit := range buckets {
		sum += r.took[i]
		p.sample(name+"_bucket", float64(sum), "le", strconv.FormatFloat(limit, 'g', -1, 64))
	}
	p.sample(name+"_bucket", float64(r.tookMany), "le", "+Inf")
	p.sample(name+"_sum", r.tookSum.Seconds())
	p.sample(name+"_count", float64(r.tookMany))
}
