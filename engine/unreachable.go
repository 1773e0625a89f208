package engine

import (
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// lost deals with a draining node that has not been heard from for
// UnreachableAfter, by the policy for unreachable nodes: it waits as for any
// other, lets its machine be ended with the pods on it, or gives the node up. It
// reports whether there is nothing more to do for the node now.
func (s *Step) lost(id string, n record.Node) (gone bool) {
	if n.New && n.Unfit == "" || !s.unreachableLong(n.Name) {
		return false
	}
	node := s.W.Node(n.Name)
	silent := s.Now.Sub(node.Unreachable)
	switch s.Run.Settings.Unreachable {
	case record.UnreachableFail:
		if s.Run.State == record.Running {
			s.failNode(id, record.Failed, text.Silent(silent), text.SilentFails(n.Name, silent))
		}
		return true
	case record.UnreachableTerminate:
		if !n.Lost {
			n.Lost = true
			s.SetNode(id, n)
			s.Report(record.Event{Type: record.Warning, Node: n.Name, Zone: n.Zone, Reason: "unreachable", Message: text.SilentEnds(silent)})
		}
	}
	return false
}

// unreachableLong reports whether a node has not been heard from for UnreachableAfter, as
// far as the cluster can be seen now.
func (s *Reader) unreachableLong(node string) bool {
	if !s.silent(node) || !s.Fresh(world.Cluster) {
		return false
	}
	since := s.W.Node(node).Unreachable.Add(s.Run.Settings.UnreachableAfter)
	s.WakeAt(since)
	return !s.Now.Before(since)
}

// silent reports whether a node is (still) not heard from.
func (s *Reader) silent(node string) bool {
	n := s.W.Node(node)
	return n != nil && !n.Unreachable.IsZero()
}
