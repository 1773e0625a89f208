package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Takeover is what a process that goes on with a run still has to find out: what
// became of the changes that were under way when the one before it stopped.
type Takeover struct {
	// Open are the changes that are still looked up, by key; Done and Not, in words,
	// those that are known to have happened, and not to have.
	Open []string `json:"open,omitempty"`
	Done []string `json:"done,omitempty"`
	Not  []string `json:"not,omitempty"`
}

// TakeOver makes a run that another process left behind ready to be decided on:
// nobody carries out its pending actions any more, so each is looked up
// directly, and the time since it was last seen does not count.
func TakeOver(r Run, now time.Time) Run {
	r.Pending, r.Takeover = cloneMap(r.Pending), nil
	found := Takeover{}
	for _, key := range slices.Sorted(maps.Keys(r.Pending)) {
		p := r.Pending[key]
		if p.Action.ReadOnly() || p.Action.Kind == RunHook { // a hook is asked again
			delete(r.Pending, key)
			continue
		}
		if p.Accepted.IsZero() {
			found.Open = append(found.Open, key)
		}
		p.Expires = now
		r.Pending[key] = p
	}
	if len(found.Open) > 0 {
		r.Takeover = &found
	}
	if !r.Seen.IsZero() && now.Sub(r.Seen) > Heartbeat {
		r.Blind = r.Sources()
	}
	return r
}

// foundOut notes what became of a change that an earlier process had asked for.
func (s *Step) foundOut(a Action, happened bool) {
	if s.Run.Takeover == nil || !slices.Contains(s.Run.Takeover.Open, a.Key) {
		return
	}
	f := *s.Run.Takeover
	f.Open = slices.DeleteFunc(slices.Clone(f.Open), func(key string) bool { return key == a.Key })
	if happened {
		f.Done = append(slices.Clip(f.Done), a.Sentence())
	} else {
		f.Not = append(slices.Clip(f.Not), a.Sentence())
	}
	s.Run.Takeover = &f
}

// reportFound reports what became of all of them, once it is known.
func (s *Step) reportFound() {
	f := s.Run.Takeover
	if f == nil {
		return
	}
	if slices.ContainsFunc(f.Open, func(key string) bool { _, open := s.Run.Pending[key]; return open }) && s.Run.State != Finished {
		return
	}
	var parts []string
	if len(f.Done) > 0 {
		parts = append(parts, "done: "+few(f.Done))
	}
	if len(f.Not) > 0 {
		parts = append(parts, "not seen: "+few(f.Not)+", decided anew")
	}
	if n := len(f.Open); n > 0 {
		parts = append(parts, plural(n, "change")+" cannot be looked up (any more)")
	}
	s.Run.Takeover, s.changed = nil, true
	s.Report(Event{Type: Warning, Reason: "looked up", Message: "what was under way: " + strings.Join(parts, "; ")})
}

// Standing is a run in a line or two for who goes on with it: how far it is, and
// what was under way when it was last seen.
func (r *Run) Standing() string {
	count := map[Stage]int{}
	for _, n := range r.Nodes {
		count[n.Stage]++
	}
	replaced, total := r.Outdated()
	parts := []string{fmt.Sprintf("%d of %s replaced", replaced, plural(total, "node"))}
	for _, stage := range []Stage{Draining, Settling, Terminating, Queued, Outdated, Launching, NodeFail, Skipped} {
		if n := count[stage]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, stage))
		}
	}
	var open []string
	for _, key := range slices.Sorted(maps.Keys(r.Pending)) {
		if p := r.Pending[key]; p.Accepted.IsZero() && !p.Action.ReadOnly() && p.Action.Kind != RunHook {
			open = append(open, p.Action.Sentence())
		}
	}
	standing := strings.Join(parts, ", ")
	if len(open) > 0 {
		standing += "; under way, without an answer: " + few(open)
	}
	return standing
}

// Next says what is done first by who goes on with a run.
func (r *Run) Next() string {
	next := ""
	for _, p := range r.Pending {
		if p.Accepted.IsZero() && !p.Action.ReadOnly() && p.Action.Kind != RunHook {
			next = "what was under way is looked up, then "
		}
	}
	switch {
	case r.State == Ending:
		return next + "what is in flight is finished or put back"
	case r.State == Paused:
		return next + "the run stays paused until it is resumed"
	}
	if b, waiting := r.Waiting(); waiting {
		return next + fmt.Sprintf("batch %d waits for approval", b.ID)
	}
	for _, p := range r.Phases {
		if !p.Start.IsZero() && p.End.IsZero() {
			return next + "the phase " + p.Name + " goes on"
		}
	}
	return next + "the run begins"
}
