package assess

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/validation"
)

// Invalid says what keeps the cluster from being valid now, as far as the world and what
// the API has answered tell. It is worked out once a decision.
func (s *Reader) Invalid() []record.Invalid {
	if s.judged == nil {
		gone, lower := s.goneAhead()
		s.judged = &verdict{validation.Check(s.W, gone, lower)}
	}
	return s.judged.found
}

// verdict is what a look at the cluster found.
type verdict struct{ found []record.Invalid }

// goneAhead are the machines whose end, or whose leave from their group, was granted: the
// cloud may not show it yet, and their nodes may still be there for a while. The node of one
// that another user has taken out of the group stays, with the pods on it. lower is by how
// much their ends have taken the group's size down meanwhile.
func (s *Reader) goneAhead() (gone map[string]bool, lower int) {
	gone = map[string]bool{}
	for id, n := range s.Run.Nodes.All() {
		m := s.W.Machine(id)
		ended := n.Ends && (n.Stage == record.Terminating || n.Stage == record.Replaced)
		if ended || n.Detached && m != nil && !m.Detached {
			gone[id] = true
		}
		if ended && n.Decrement && m != nil && !m.Leaving() {
			lower++
		}
	}
	return gone, lower
}

// PendingValidation lists the machines after which the cluster has yet to prove valid.
func (s *Reader) PendingValidation() []string {
	return slices.Sorted(maps.Keys(s.facts().with[unproven]))
}

// HasPendingValidation reports whether the cluster has yet to prove valid after a machine.
func (s *Reader) HasPendingValidation() bool { return len(s.facts().with[unproven]) > 0 }

// awaitingValidation says why no drain may start while the cluster is not valid, "" if it is.
func (s gate) awaitingValidation() string {
	bad := record.Counting(s.Invalid())
	if len(bad) == 0 {
		return ""
	}
	return text.NotValid("", record.Messages(bad))
}

// ValidationTime is how long the proof after a machine takes: the longest so far or, before
// the first one, the waits that it has and a guess.
func (s *Reader) ValidationTime() time.Duration {
	if !s.Capabilities().RequiresValidation {
		return 0
	}
	k := s.Run.Settings
	return cmp.Or(s.Run.ValidationTime, k.Interval+time.Duration(max(0, k.ValidateCount-1))*k.ValidatePause+JoinGuess)
}
