package snapshot

import (
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/movers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
)

// Idle is a group without a run of ours, as a run that does nothing: every machine with
// the stage that it is in by itself (outdated, ready, launching, terminating, skipped
// when a user keeps it in Standby), or to which others have taken it, as far as the
// marks on the nodes tell. last is what it returned before: from that it knows since
// when things are as they are, and what was replaced; the zero value at first. left are
// the marks that the group's last run has left behind, by machine, nil for none.
func Idle(rules assess.Rules, now time.Time, w *world.World, last record.Run, left map[string][]record.Mark) record.Run {
	if last.State != record.NoRun { // a run's own stages are no news of others
		last = record.Run{}
	}
	target := record.Target{Templates: append([]world.Template{w.Group.Template}, w.Group.Overrides...)}
	if m := w.Group.Managed; m != nil {
		if behind, _ := m.Behind(w.Group.Image); behind { // EKS's next update goes to the recommended release
			target = record.Target{Image: m.RecommendedImage}
		}
	}
	r := assess.NewRun(rules, "", 0, w, rules.Defaults(), target)
	r.State, r.Phases, r.Strategy, r.Seen = record.NoRun, nil, "", now
	s := &assess.Reader{Now: now, W: w, Run: r, Rules: rules}
	s.Run.External = movers.NewActivity(now, w, last.External, left)
	var edit shards.Editor[record.Node]
	for _, m := range w.Machines() {
		was, known := last.Nodes.Find(m.ID)
		s.Run.Nodes = edit.With(s.Run.Nodes, m.ID, movers.Seen(s, m, was, known))
	}
	movers.KeepReplaced(s.Run.External, &s.Run.Nodes, last, now)
	return s.Run
}
