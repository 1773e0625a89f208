package engine

import (
	"slices"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/movers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Guard keeps the Cluster Autoscaler, where it looks at the group, from removing new
// nodes: they are empty because of us until the pods move, and each that it took down
// would be missing when they do. The mark comes off like all others, and the autoscaler
// has its own way again.
func (s *Step) Guard() {
	if s.Nodeless() {
		return
	}
	if movers.Autoscaled(&s.W.Group) == "" && !slices.ContainsFunc(s.Run.ExternalMovers, func(r record.ExternalMover) bool { return r.Who == string(world.MoverAutoscaler) }) {
		return
	}
	for _, id := range s.In(record.Launching, record.Ready, record.Surplus) {
		if n := s.Run.Nodes[id]; n.New && !guarded(&s.Reader, id, n.Name) {
			s.Mark(record.AnnotationOf(id, n.Name, world.KeepFromScaleDown, "true"))
		}
	}
}

// guarded reports whether there is nothing to do to guard a node: it is, or is not there.
func guarded(s *assess.Reader, machine, name string) bool {
	node := s.W.Node(name)
	if node == nil {
		return true
	}
	return node.Annotations[world.KeepFromScaleDown] == "true" && slices.ContainsFunc(s.Run.Marks[machine], func(m record.Mark) bool {
		return m.Put.Kind == record.Annotate && m.Put.Node == name && s.Settled(m.Put.Key)
	})
}

// watchExternalMovers keeps the run's list of external movers, and tells who has come and who has gone.
func (s *Step) watchExternalMovers() {
	was := s.Run.ExternalMovers
	now, deferrals := movers.Of(&s.Reader)
	over, come := record.MoverNews(was, now)
	for _, r := range over {
		s.Report(r.GoneEvent())
	}
	for _, r := range come {
		s.Report(r.AppearedEvent())
	}
	if !slices.EqualFunc(was, now, record.ExternalMover.Same) {
		s.changed = true
	}
	s.Run.ExternalMovers = now
	s.ForgetMovers()
	if deferrals != nil {
		s.Run.Deferrals = deferrals
	}
}
