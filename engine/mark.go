package engine

import (
	"cmp"
	"slices"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Mark puts a mark on a node and remembers that it is ours, unless it was there
// before us. It reports whether the mark is there.
func (s *Step) Mark(put record.Action) bool {
	m, known := s.Run.MarkOf(put)
	node := s.W.Node(put.Node)
	if node != nil && node.OfAnother(put.Machine) {
		return false
	}
	if !known {
		if !s.Fresh(world.Cluster) || node == nil || !s.Settled(record.Mark{Put: put}.Undo().Key) { // what shows of it may still be ours
			return false
		}
		m = record.Mark{Put: put, Foreign: put.IsSeen(s.W) || named(&s.Reader, put)}
		s.remember(m)
	}
	if m.Foreign && s.Fresh(world.Cluster) && !put.IsSeen(s.W) && !named(&s.Reader, put) { // its owner has taken it off
		m.Foreign = false
		s.remember(m)
	}
	return m.Foreign || s.Ensure(put)
}

// Taint puts a taint on the node of a machine, as Mark does. One that is there and
// needs nothing costs next to nothing.
func (s *Step) Taint(machine, node string, t world.Taint) bool {
	for _, m := range s.Run.Marks[machine] {
		if m.Put.Kind == record.AddTaint && m.Put.AsTaint() == t && m.Put.Node == node && s.Settled(m.Put.Key) {
			if n := s.W.Node(node); n != nil && n.HasTaint(t) {
				return true
			}
		}
	}
	return s.Mark(record.TaintOf(machine, node, t))
}

// TaintAll puts a taint on the nodes of the order that are to go, but for those that skip
// names. One that has not joined, or that was deleted, takes no pods. It reports whether
// all have it.
func (s *Step) TaintAll(t world.Taint, skip func(n record.Node, node *world.Node) bool) bool {
	all := true
	for _, id := range s.Untainted(t) {
		n := s.Run.Nodes.Get(id)
		if node := s.W.Node(n.Name); node == nil || skip(n, node) {
			continue
		}
		all = s.Taint(id, n.Name, t) && all
	}
	return all
}

// marked reports whether a mark was put before, by us or by others.
func marked(s *assess.Reader, put record.Action) bool {
	_, known := s.Run.MarkOf(put)
	return known
}

// remember writes a mark into the run.
func (s *Step) remember(m record.Mark) {
	list := append(record.Without(s.Run.Marks[m.Put.Machine], m.Put.Key), m)
	slices.SortFunc(list, func(a, b record.Mark) int { return cmp.Compare(a.Put.Key, b.Put.Key) })
	s.copyMarks()
	s.Run.Marks[m.Put.Machine] = list
	s.Invalidate(m.Put.Machine)
	s.changed = true
}

// forget drops a mark from the run.
func (s *Step) forget(m record.Mark) {
	s.copyMarks()
	s.Invalidate(m.Put.Machine)
	if list := record.Without(s.Run.Marks[m.Put.Machine], m.Put.Key); len(list) > 0 {
		s.Run.Marks[m.Put.Machine] = list
	} else {
		delete(s.Run.Marks, m.Put.Machine)
	}
	delete(s.Run.Retries, m.Put.Key)
	s.changed = true
}

// named reports whether a label or an annotation that is to be put is there already,
// with whatever value: it is another user's, and would be lost when ours is taken off.
func named(s *assess.Reader, put record.Action) (there bool) {
	node := s.W.Node(put.Node)
	if node == nil {
		return false
	}
	switch put.Kind {
	case record.AddLabel:
		_, there = node.Labels[put.Label]
	case record.Annotate:
		_, there = node.Annotations[put.Annotation]
	}
	return there
}

// Unmark takes a mark of ours off again. It reports whether nothing of it is left.
func (s *Step) Unmark(m record.Mark) bool {
	key := m.Put.Key
	node := s.W.Node(m.Put.Node)
	if m.Foreign || node == nil && s.Fresh(world.Cluster) || node != nil && node.OfAnother(m.Put.Machine) {
		s.forget(m) // there is nothing, or the node that has this name now is another machine's
		return true
	}
	// A mark whose fate is open must be known before it can be taken off.
	if p, busy := s.Run.Pending[key]; busy {
		if p.Accepted.IsZero() || !p.Action.IsSeen(s.W) {
			return false
		}
		delete(s.Run.Pending, key)
	}
	if !s.Ensure(m.Undo()) {
		return false
	}
	s.forget(m)
	return true
}

// dropMarks forgets the marks of a machine that is gone, and what was pending on it.
func (s *Step) dropMarks(machine string) {
	for _, m := range s.Run.Marks[machine] {
		s.forget(m)
	}
	for key, p := range s.Run.Pending {
		if p.Action.Machine == machine && p.Action.Kind != record.CheckEffect {
			delete(s.Run.Pending, key)
		}
	}
}

// unmarkNode takes all marks off a machine's node. It reports whether all are off.
func (s *Step) unmarkNode(machine string) bool {
	clean := true
	for _, m := range s.Run.Marks[machine] {
		clean = s.Unmark(m) && clean
	}
	return clean
}

// reportChange reports an accepted change, with the command that does the same.
func (s *Step) reportChange(a record.Action) {
	e := record.Event{Node: cmp.Or(a.Node, a.Machine), Command: a.Command()}
	if m := s.W.Machine(a.Machine); m != nil {
		e.Zone = m.Zone
	} else { // its end may be known only after it
		e.Zone = s.Run.Nodes.Peek(a.Machine).Zone
	}
	k := record.KindOf(a.Kind)
	switch {
	case k.Event == "":
		e.Type, e.Reason, e.Message = record.NodeOutdated, record.ReasonRestored, a.Sentence()
		if s.Run.Nodes.Peek(a.Machine).New {
			e.Type = record.NodeReady
		}
	case k.Message == nil:
		e.Type, e.Message = k.Event, a.Sentence()
	default:
		e.Type, e.Message = k.Event, k.Message(a)
	}
	e.Reason = cmp.Or(e.Reason, k.Reason)
	if a.Direct && s.Run.Nodes.Peek(a.Machine).Detached {
		e.Message = text.DetachedToo(e.Message)
	}
	s.Report(e)
}
