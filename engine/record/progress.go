package record

import (
	"maps"
	"slices"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Waiting is the batch that waits for approval, if one does.
func (r *Run) Waiting() (Batch, bool) {
	if n := len(r.Batches); n > 0 && r.Batches[n-1].Approved.IsZero() {
		return r.Batches[n-1], true
	}
	return Batch{}, false
}

// Current reports whether a machine was launched from a target template.
func (r *Run) Current(m *world.Machine) bool { return slices.Contains(r.Target.Templates, m.Template) }

// Consents are what the user allowed for this run.
func (r *Run) Consents() drain.Consents {
	return drain.Consents{Unmanaged: r.Settings.Unmanaged, EmptyDir: r.Settings.EmptyDir}
}

// Sources are those that the run looks at.
func (r *Run) Sources() []world.Source {
	if r.Settings.CloudOnly {
		return []world.Source{world.Cloud}
	}
	return []world.Source{world.Cluster, world.Cloud}
}

// Outdated counts the machines that were outdated and how many of these are replaced.
func (r *Run) Outdated() (replaced, total int) {
	for _, n := range r.Nodes {
		if n.New {
			continue
		}
		total++
		if n.Stage == Replaced {
			replaced++
		}
	}
	return replaced, total
}

// Standing is a run in a line or two for who continues with it: how far it is, and
// what was under way when it was last seen.
func (r *Run) Standing() string {
	count := map[Stage]int{}
	for _, n := range r.Nodes {
		count[n.Stage]++
	}
	replaced, total := r.Outdated()
	var parts []string
	for _, stage := range []Stage{Draining, Settling, Terminating, Queued, Outdated, Launching, NodeFail, Skipped} {
		if n := count[stage]; n > 0 {
			parts = append(parts, text.InStage(n, string(stage)))
		}
	}
	var open []string
	for _, key := range slices.Sorted(maps.Keys(r.Pending)) {
		if p := r.Pending[key]; p.Accepted.IsZero() && !p.Action.ReadOnly() && p.Action.Kind != RunHook {
			open = append(open, p.Action.Sentence())
		}
	}
	return text.Standing(replaced, total, parts, open)
}

// Next says what is done first by who continues with a run.
func (r *Run) Next() string {
	open := false
	for _, p := range r.Pending {
		if p.Accepted.IsZero() && !p.Action.ReadOnly() && p.Action.Kind != RunHook {
			open = true
		}
	}
	switch {
	case r.State == Ending:
		return text.Next(open, text.NextEnds)
	case r.State == Paused:
		return text.Next(open, text.NextStaysPaused)
	}
	if b, waiting := r.Waiting(); waiting {
		return text.Next(open, b.WaitsFor())
	}
	for _, p := range r.Phases {
		if !p.Start.IsZero() && p.End.IsZero() {
			return text.Next(open, text.NextPhase(p.Name))
		}
	}
	return text.Next(open, text.NextBegins)
}
