package check

import (
	"bytes"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	recordcheck "github.com/drainboard/drainboard/engine/record/check"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/sim/drive"
	"github.com/drainboard/drainboard/engine/world"
)

// saysChanged checks that a decision that counts as a change of the run changes something in it
// but what time alone does, and that one which does not changes nothing else: a run that counts as
// changed is written every second, another one every ten.
func (c *Checker) saysChanged(before record.Run, in engine.Inputs, dec engine.Decision) {
	d := c.d
	if d.Decisions%min(againEvery, max(1, d.Audit)) == 0 && !dec.Changed {
		if was, is := d.Encode(drive.Compared(timeless(before))), d.Encode(drive.Compared(timeless(dec.Run))); !bytes.Equal(was, is) {
			d.Breaks("changed: the run has changed, and does not count as changed:\n%s", difference(was, is))
		}
	}
	if why := recordcheck.Sizes(&dec.Run); why != "" && d.Sim.View.Group.Pool == nil {
		d.Breaks("record: a process that resumes the run would forget the sizes to restore, %s: %s", dec.Run.Base, why)
	}
	if d.Decisions%againEvery != 1 || !dec.Changed || len(dec.Events)+len(dec.Actions)+len(in.Outcomes)+len(in.Commands) > 0 || !slices.Equal(before.Blind, dec.Run.Blind) {
		return
	}
	if bytes.Equal(d.Encode(before.Pending), d.Encode(dec.Run.Pending)) && bytes.Equal(d.Encode(drive.Compared(timeless(before))), d.Encode(drive.Compared(timeless(dec.Run)))) {
		d.Breaks("changed: the run counts as changed, and is not")
	}
}

// timeless is a run without what changes with time alone, and what the world shows again.
func timeless(r record.Run) record.Run {
	r.Seen, r.Watched, r.WorkloadsSeen, r.Gap, r.GateSince, r.Blind, r.Blindness = time.Time{}, time.Time{}, time.Time{}, time.Time{}, time.Time{}, []world.Source(nil), nil
	r.Pending, r.Evicted, r.Deferrals, r.HandledCommands = nil, nil, nil, nil
	r.PhaseWait = still(r.PhaseWait)
	nodes := map[string]record.Node{}
	for id, n := range r.Nodes.All() {
		n.Wait, n.Began, n.Missing, n.Stuck.Since, n.PendingValidation, n.Ends = still(n.Wait), time.Time{}, time.Time{}, time.Time{}, time.Time{}, false
		nodes[id] = n
	}
	r.Nodes = shards.Of(nodes)
	r.ExternalMovers = slices.Clone(r.ExternalMovers)
	for i := range r.ExternalMovers {
		r.ExternalMovers[i].Seen = time.Time{}
	}
	r.Batches = slices.Clone(r.Batches)
	for i := range r.Batches {
		r.Batches[i].Preview.AsOf = time.Time{}
	}
	if r.Canary != nil {
		watch := *r.Canary
		watch.Wait = nil
		r.Canary = &watch
	}
	if r.Validation != nil {
		v := *r.Validation
		v.Wait = still(v.Wait)
		r.Validation = &v
	}
	return r
}

// still is a wait without its end, which moves while it stands still, as does that of the wait it interrupts.
func still(w *record.Wait) *record.Wait {
	if w == nil {
		return nil
	}
	out := *w
	out.End, out.Interrupts = time.Time{}, still(w.Interrupts)
	return &out
}
