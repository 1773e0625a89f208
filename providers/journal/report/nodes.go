package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/journal"
)

// stage moves a node to a stage.
func (b *builder) stage(s journal.Stage, at time.Time) {
	n := b.nodes[s.Machine]
	if n == nil {
		n = &Node{Machine: s.Machine}
		b.nodes[s.Machine] = n
		b.order = append(b.order, n)
	}
	n.Name, n.Zone = cmp.Or(s.Node, n.Name), cmp.Or(s.Zone, n.Zone)
	n.Old, n.New = cmp.Or(s.Old, n.Old), s.New
	n.Pods, n.Reason = max(n.Pods, s.Pods), s.Reason
	if n.Name != "" {
		b.names[n.Name] = n
	}
	if s.To == record.Outdated && !s.New {
		b.outdated[s.Machine] = true
	}
	if n.Last() == s.To {
		return
	}
	end(n, at)
	n.Stages = append(n.Stages, StageSpan{Stage: s.To, From: at})
}

// end ends the stage that a node is in.
func end(n *Node, at time.Time) {
	if i := len(n.Stages) - 1; i >= 0 && n.Stages[i].To.IsZero() {
		n.Stages[i].To = at
	}
}

// idle are the stages in which nothing happens to a node.
var idle = []record.Stage{record.Outdated, record.Queued, record.Ready, record.Surplus, record.Skipped}

// touched reports whether anything happened to a node.
func (n *Node) touched() bool {
	return len(n.Changes) > 0 || slices.ContainsFunc(n.Stages, func(s StageSpan) bool { return !slices.Contains(idle, s.Stage) })
}

// began is when something first happened to a node.
func (n *Node) began() time.Time {
	for _, s := range n.Stages {
		if !slices.Contains(idle, s.Stage) {
			return s.From
		}
	}
	if len(n.Stages) > 0 {
		return n.Stages[0].From
	}
	return time.Time{}
}

// Worked is the stretch in which a node was being replaced: from the start of its drain
// until it was gone; zero if it was not.
func (n *Node) Worked() time.Duration {
	return n.In(record.Draining, record.Settling, record.Terminating, record.Updating)
}
