package sim

import (
	"slices"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
)

// unwritten checks a decision that was taken while the run record cannot be written: it asks
// for nothing, no drain starts, and the run neither fails nor succeeds (rule 10). It ends if
// its operator says so.
func (c *checker) unwritten(before record.Run, in engine.Inputs, dec engine.Decision) {
	d := c.d
	if len(dec.Actions) > 0 {
		d.breaks("write first: %s %s asked for while the record cannot be written", dec.Actions[0].Kind, dec.Actions[0].Key)
	}
	for id, n := range dec.Run.Nodes.All() {
		switch was := before.Nodes.Get(id); {
		case n.Stage == was.Stage:
		case n.Stage == record.Draining, n.Stage == record.Settling, n.Stage == record.Terminating, n.Stage == record.NodeFail, n.Order != was.Order:
			d.breaks("rule 10: %s is %s, was %s, while the record cannot be written", n.Name, n.Stage, was.Stage)
		}
	}
	aborted := slices.ContainsFunc(in.Commands, func(k record.Command) bool { return k.Kind == record.CmdAbort })
	if now := dec.Run.State; now != before.State && (now == record.Finished || now == record.Ending && !aborted) {
		d.breaks("rule 10: the run is %s, was %s, while the record cannot be written: %s", now, before.State, dec.Run.Why)
	}
}

// named checks that what is asked for by a node's name is for the node of the machine that
// it is meant for: names are given out again.
func (c *checker) named(a record.Action) {
	switch a.Kind {
	case record.AddTaint, record.RemoveTaint, record.Cordon, record.Uncordon, record.AddLabel, record.RemoveLabel, record.Annotate, record.Unannotate, record.Evict, record.Delete:
	default:
		return
	}
	if n := c.d.Sim.View.Node(a.Node); n != nil && n.Machine != "" && a.Machine != "" && n.Machine != a.Machine {
		c.d.breaks("names: %s %s is meant for %s, and %s is the node of %s now", a.Kind, a.Key, a.Machine, a.Node, n.Machine)
	}
}
