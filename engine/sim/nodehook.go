package sim

import (
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// nodeHooks are the user's own commands before and after nodes.
type nodeHooks struct {
	takes time.Duration
	// fails and hangs count what is yet to go wrong, by phase and node: "before-node/a1",
	// "before-node/" for any.
	fails, hangs map[string]int
	// chance is how likely hooks fail, and half as likely hang.
	chance float64
}

// nodeHook runs the hooks of an action, and says how long they take. A hook that hangs is
// ended when its time is up.
func (s *Sim) nodeHook(a record.Action) (o record.Outcome, takes time.Duration) {
	h := &s.nodeHooks
	o, takes = done, h.takes
	luck := 1.0
	if h.chance > 0 {
		luck = s.rand.Float64()
	}
	strikes := func(count map[string]int) bool {
		for _, key := range []string{string(a.Phase) + "/" + a.Node, string(a.Phase) + "/"} {
			if count[key] > 0 {
				count[key]--
				return true
			}
		}
		return false
	}
	switch {
	case strikes(h.fails) || luck < h.chance:
		o = refuse(record.RefusedHook, "check.sh: exit code 3: not this one")
	case strikes(h.hangs) || luck < 1.5*h.chance:
		o, takes = refuse(record.RefusedHook, "check.sh: did not end within %s", a.Limit), a.Limit
	}
	o.Key = a.Key
	return o, takes
}

// hookFault lets hooks before and after nodes go wrong:
//
//	fault node-hook fails [node=a1] [phase=after-node] [count=2]
//	fault node-hook hangs [node=a1] [phase=after-node] [count=2]
//	fault node-hook takes=1m
//	fault node-hook chance=0.1
func (c *Script) hookFault(a *args) {
	h := &c.Sim.nodeHooks
	if h.fails == nil {
		h.fails, h.hangs = map[string]int{}, map[string]int{}
	}
	phase := a.word("phase")
	if phase == "" {
		phase = string(record.BeforeNode)
	}
	key, count := phase+"/"+a.word("node"), a.int("count", 1)
	if a.flag("fails") {
		h.fails[key] = count
	}
	if a.flag("hangs") {
		h.hangs[key] = count
	}
	h.takes = a.span("takes", h.takes)
	h.chance = a.float("chance", h.chance)
}
