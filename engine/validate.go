package engine

import (
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/validation"
)

// invalid says what keeps the cluster from being valid now, as far as the world and what
// the API has answered tell. It is worked out once a decision.
func (s *Reader) invalid() []record.Invalid {
	if s.judged == nil {
		s.judged = &verdict{validation.Check(s.W, s.goneAhead())}
	}
	return s.judged.found
}

// verdict is what a look at the cluster found.
type verdict struct{ found []record.Invalid }

// goneAhead are the machines whose end, or whose leave from their group, was granted: the
// cloud may not show it yet, and their nodes may still be there for a while. The node of one
// that another user has taken out of the group stays, with the pods on it.
func (s *Reader) goneAhead() map[string]bool {
	gone := map[string]bool{}
	for id, n := range s.Run.Nodes {
		m := s.W.Machine(id)
		ended := n.Ends && (n.Stage == record.Terminating || n.Stage == record.Replaced)
		if ended || n.Detached && m != nil && !m.Detached {
			gone[id] = true
		}
	}
	return gone
}
