package check

import (
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
)

// service knows, from the Truth, which machines are out of service because of us
// (rule 1): from the first eviction or the start of a drain that has none, until
// the machine has left the group or was restored, which means that no cordon of
// ours is on it and the run no longer works on it.
type service struct {
	touched  map[string]bool // something was asked for that takes it out
	cordoned map[string]bool // our cordon is on its node
	atOnce   int             // how many may be out: the limit, or as many as were when it was lowered
	spare    map[string]bool // new, and taken out while the run ended: it held nothing that had to be evicted
}

// asked notes what takes a machine out of service. A cordon alone does not: the
// pods stay, and some strategies cordon all outdated nodes at once.
func (s *service) asked(a record.Action) {
	switch a.Kind {
	case record.Evict, record.Delete, record.Terminate:
		s.touched[a.Machine] = true
	}
}

// answered notes what has become of our cordons.
func (s *service) answered(w *sim.Sim, a record.Action, _ record.Outcome) {
	if a.Kind != record.Cordon && a.Kind != record.Uncordon {
		return
	}
	n := w.Truth.Node(a.Node)
	_, foreign := w.OtherMarks[a.Node+"/cordon"]
	s.cordoned[a.Machine] = n != nil && n.Unschedulable && !foreign && (s.cordoned[a.Machine] || a.Kind == record.Cordon)
}

// truth forgets the machines that have left, and cordons that a user lifted.
func (s *service) truth(w *sim.Sim) {
	for id := range s.touched {
		if w.Machines()[id] == nil {
			delete(s.touched, id)
			delete(s.cordoned, id)
			delete(s.spare, id)
		} else if n := w.Truth.NodeOf(id); n == nil || !n.Unschedulable {
			delete(s.cordoned, id)
		}
	}
}

// limit checks rule 1.
func (c *Checker) limit() {
	d := c.d
	out := 0
	for id := range c.service.touched {
		if c.outOfService(id) {
			out++
		}
	}
	c.service.atOnce = max(d.Run.Limit, min(c.service.atOnce, out)) // those that were out when it was lowered come back
	if d.Run.Limit > 0 && out > c.service.atOnce {
		d.Breaks("rule 1: %d nodes are out of service, the limit is %d", out, d.Run.Limit)
	}
}

// inWorkAgain takes in that the record which a process resumes has nodes in work with which the one before had finished: they
// were out when the limit was lowered.
func (c *Checker) inWorkAgain() {
	out := 0
	for id := range c.service.touched {
		switch c.d.Saved.Nodes.Peek(id).Stage {
		case record.Draining, record.Settling, record.Terminating, record.Updating:
			out++
		}
	}
	c.service.atOnce = max(c.service.atOnce, out)
}

// outOfService reports whether a machine that we have touched is still out of service.
func (c *Checker) outOfService(id string) bool {
	d := c.d
	n, m := d.Run.Nodes.Get(id), d.Sim.Machines()[id]
	working := n.Stage == record.Draining || n.Stage == record.Settling || n.Stage == record.Terminating || n.Stage == record.Updating
	cordoned := c.service.cordoned[id] && n.Stage != record.Outdated && n.Stage != record.Queued && !n.Began.IsZero() // who was left out, taken up again and left out again has not begun
	switch {
	case m == nil, c.kops.freed[id]:
	case n.New && (d.Run.State == record.Ending || d.Run.State == record.Finished): // holds nothing that had to be evicted
		c.service.spare[id] = working
	case c.service.spare[id] && m.Leaving() && (c.vigils[id] == nil || !c.vigils[id].ended): // others end it before the run could
	case working, cordoned, m.Leaving() && c.vigils[id] != nil && c.vigils[id].ended:
		return true
	}
	return false
}

// asPlanned: as many nodes may be out of service at once as the plan has announced, if all is still as it was planned for when
// their order is settled, and no command has left any out.
func (c *Checker) asPlanned(dec engine.Decision) {
	d, is := c.d, &dec.Run
	if len(c.clock.was.Order) > 0 || len(is.Order) == 0 || d.Sim.PlannedLimit == 0 || len(is.Order) != len(d.Sim.Planned) || d.Sim.Stands(is.Settings) != d.Sim.PlannedFor {
		return
	}
	if is.Limit != d.Sim.PlannedLimit {
		d.Breaks("plan: %d nodes may be out of service at once, and it has announced %d", is.Limit, d.Sim.PlannedLimit)
	}
}
