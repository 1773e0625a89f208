package movers

import (
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
)

// manualDrain is how sure it is that a user drains a node who leaves no mark but a cordon
// (kubectl drain).
type manualDrain int

const (
	noDrain       manualDrain = iota // nothing tells of one
	drainPossible                    // every pod that is left is held: a drain may be waiting, or nobody drains
	drainSeen                        // pods leave
)

// overdue is how long after its time to go a pod passes for one that does not go.
const overdue = 5 * time.Second

// manuallyDrained says how sure it is that a user drains a cordoned node, by the pods on
// it now. Those that we evicted do not count.
func manuallyDrained(s *assess.Reader, node string) manualDrain {
	held, stuck := true, false
	for _, p := range s.W.PodsOn(node) {
		if p.Terminating() && s.Now.Sub(p.Ends) < overdue {
			known := s.Run.Pods.Get(p.UID)
			if known.Evicted.IsZero() && !known.Forced && s.Settled(record.EvictKey(p.UID)) && s.Judge(p).Fate != drain.Stays {
				s.WakeAt(p.Ends.Add(overdue))
				return drainSeen
			}
			held = false
		}
		if !held {
			continue // what leaves may be yet to come
		}
		switch fate := s.Judge(p).Fate; {
		case fate == drain.Stays, fate == drain.Asks && !p.Terminating():
		case p.Terminating(), !drain.GateOf(s.W, p, func(string) int { return 0 }).Open:
			stuck = true
		default:
			held = false
		}
	}
	if held && stuck {
		return drainPossible
	}
	return noDrain
}
