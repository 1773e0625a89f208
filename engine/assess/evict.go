package assess

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// CameBack reports whether a pod took the place of one that we made leave the
// same node.
func (s *Reader) CameBack(p *world.Pod) bool {
	if p.Owner.UID == "" {
		return false
	}
	for _, uid := range evictedFrom(s, p.Node)[p.Owner.UID] {
		if uid != p.UID && !p.Created.Before(s.Run.Pods.Peek(uid).Evicted.Truncate(time.Second)) {
			return true
		}
	}
	return false
}

// evictedFrom lists for a node the pods (UIDs) that we made leave it, by owner.
func evictedFrom(s *Reader, node string) map[string][]string {
	if s.evicted == nil {
		s.evicted = map[string]map[string][]string{}
		for uid, was := range s.Run.Pods.All() {
			if was.Evicted.IsZero() {
				continue
			}
			if s.evicted[was.Node] == nil {
				s.evicted[was.Node] = map[string][]string{}
			}
			s.evicted[was.Node][was.Owner] = append(s.evicted[was.Node][was.Owner], uid)
		}
	}
	return s.evicted[node]
}

// DrainBy and the controller's name are what the wait for its drain of a selected node is for.
const DrainBy = "drain by "

// DrainedByController reports whether a controller drains a node, for a run of ours.
func DrainedByController(n record.Node) bool {
	return n.Stage == record.Updating && n.Wait != nil && strings.HasPrefix(n.Wait.For, DrainBy)
}

// IsDraining reports whether pods are being moved off a node, by us or by others.
func IsDraining(n record.Node) bool { return n.Stage == record.Draining || DrainedByController(n) }

// someTheirs reports whether a controller drains any node for a run of ours.
func (s *Reader) someTheirs() bool {
	return slices.ContainsFunc(s.In(record.Updating), func(id string) bool { return DrainedByController(s.Run.Nodes.Get(id)) })
}

// DrainedByOthers reports whether what asks the eviction API about the pods of a node is
// not this run.
func (s *Reader) DrainedByOthers(node string) bool {
	if s.Run.External != nil {
		return true
	}
	n := s.W.Node(node)
	return n != nil && DrainedByController(s.Run.Nodes.Get(n.Machine))
}
