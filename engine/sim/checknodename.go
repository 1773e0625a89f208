package sim

import "github.com/drainboard/drainboard/engine/record"

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
