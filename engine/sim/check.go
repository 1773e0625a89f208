package sim

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/world"
)

// checker holds a driver to the rules that docs/design.md numbers. It looks at
// what is asked, at what arrives, and at the Truth, never at the engine's word
// where there is another way to know.
type checker struct {
	d *Driver
	// open are the keys of actions that may still happen, or may have happened
	// without our knowing: no second one may be asked for.
	open map[string]bool
	// counted are, for each budget, the evictions under way that it may count.
	counted map[string][]string
	// touched are machines that we took out of service.
	touched map[string]bool
	// looks are the last consistent reads of machines, while cordoned, and when.
	looks map[string]time.Time
	// usable is for each drain (a machine and when it began) the time in which we
	// could see and act.
	usable map[drained]time.Duration
	seen   time.Time
	acting bool // at seen, we could see and act
	gap    time.Time
	tried  map[string]time.Time // last eviction that was tried, by machine
}

// drained names one drain.
type drained struct {
	machine string
	since   time.Time
}

func (c *checker) init(d *Driver) {
	*c = checker{d: d, open: map[string]bool{}, counted: map[string][]string{}, touched: map[string]bool{}, looks: map[string]time.Time{}, usable: map[drained]time.Duration{}, tried: map[string]time.Time{}}
}

// asked checks an action when it is sent.
func (c *checker) asked(a engine.Action) {
	d := c.d
	if c.open[a.Key] {
		d.breaks("nothing twice: %s %s asked for while the last one's fate is open", a.Kind, a.Key)
	}
	c.open[a.Key] = true
	if saved := d.saved; !a.ReadOnly() && saved.Pending[a.Key].Asked.IsZero() {
		d.breaks("write first: %s %s is not in the saved record", a.Kind, a.Key)
	}
	if d.Run.State == engine.Paused && (a.Kind == engine.Evict || a.Kind == engine.Terminate) {
		d.breaks("paused, and %s %s", a.Kind, a.Key)
	}
	switch a.Kind {
	case engine.Evict:
		c.tried[a.Machine] = d.Sim.now
		c.budget(a)
	case engine.Delete:
		c.tried[a.Machine] = d.Sim.now
		c.touched[a.Machine] = true
	case engine.Cordon, engine.Terminate:
		c.touched[a.Machine] = true
	}
	c.limit()
}

// budget checks that no more evictions are under way for a budget than it
// allows, and one probe. Pods that the budget lets pass anyway do not count.
func (c *checker) budget(a engine.Action) {
	c.touched[a.Machine] = true
	view := c.d.Sim.View
	p := view.Pod(a.UID)
	if p == nil || drain.GateOf(view, p, func(string) int { return 0 }).Open && !p.Ready {
		return
	}
	for _, b := range view.BudgetsOf(p) {
		c.counted[b.Ref()] = slices.DeleteFunc(c.counted[b.Ref()], func(key string) bool {
			pod := view.Pod(strings.TrimPrefix(key, "evict/"))
			return !c.open[key] || key == a.Key || pod == nil || pod.Terminating() // what left shows in the budget
		})
		c.counted[b.Ref()] = append(c.counted[b.Ref()], a.Key)
		if flying := len(c.counted[b.Ref()]); flying > max(0, b.Allowed)+1 {
			c.d.breaks("%d evictions under way for budget %s, which allows %d: %v", flying, b.Ref(), b.Allowed, c.counted[b.Ref()])
		}
	}
}

// limit is rule 1: the nodes that are out of service because of us, in Truth.
func (c *checker) limit() {
	d := c.d
	out := 0
	for id := range c.touched {
		n, m := d.Run.Nodes[id], d.Sim.machines[id]
		if m == nil {
			continue
		}
		switch {
		case n.New && (d.Run.State == engine.Ending || d.Run.State == engine.Finished): // holds nothing that had to be evicted
		case n.Stage == engine.Draining, n.Stage == engine.Settling, n.Stage == engine.Terminating:
			out++
		}
	}
	if d.Run.Limit > 0 && out > d.Run.Limit {
		d.breaks("rule 1: %d nodes are out of service, the limit is %d", out, d.Run.Limit)
	}
}

// arrives checks an action when it reaches the API.
func (c *checker) arrives(a engine.Action) {
	d, s := c.d, c.d.Sim
	switch a.Kind {
	case engine.Evict:
		if a.UID == "" {
			d.breaks("rule 2: eviction of %s/%s without a UID", a.Namespace, a.Pod)
		}
	case engine.Delete:
		saved := d.saved
		named := slices.ContainsFunc(saved.Orders, func(o engine.ForceOrder) bool {
			return o.ID == a.Order && slices.Contains(o.Pods, a.Namespace+"/"+a.Pod) && o.By != "" && o.Why != "" && !o.At.IsZero()
		})
		if !named || a.UID == "" {
			d.breaks("rule 2: delete of %s/%s without a recorded order that names it", a.Namespace, a.Pod)
		}
	case engine.SetSizes:
		if s.group.Sizes == *a.From && a.Sizes.Desired < s.group.Sizes.Desired {
			d.breaks("desired lowered from %d to %d by setting it", s.group.Sizes.Desired, a.Sizes.Desired)
		}
	case engine.Terminate:
		c.terminate(a)
	}
}

// terminate is rule 3.
func (c *checker) terminate(a engine.Action) {
	d, s := c.d, c.d.Sim
	m := s.machines[a.Machine]
	if m == nil || m.Leaving() {
		return
	}
	n := s.Truth.NodeOf(a.Machine)
	if n == nil {
		return
	}
	look, looked := c.looks[a.Machine]
	if !n.Unschedulable && !n.Created.After(look) { // one that joined since then is empty
		d.breaks("rule 3: %s is terminated and not cordoned (joined %s, looked at %s)", n.Name, n.Created.Sub(epoch), look.Sub(epoch))
	}
	if !looked {
		d.breaks("rule 3: %s is terminated without a consistent read that showed it empty", n.Name)
	}
	if d.Run.Nodes[a.Machine].Order != "" {
		return
	}
	for _, p := range s.Truth.PodsOn(n.Name) {
		if drain.Judge(s.Truth, p, d.Run.Consents()).Fate == drain.Stays || p.Created.After(look) && p.ToleratesAll {
			continue
		}
		d.breaks("rule 3: %s is terminated with pod %s on it", n.Name, p.Ref())
	}
}

// answered notes what an API did.
func (c *checker) answered(a engine.Action, o engine.Outcome) {
	if a.Kind != engine.LookAtPods || o.Verdict != engine.Done {
		return
	}
	delete(c.looks, a.Machine)
	holds := slices.ContainsFunc(o.Pods, func(p *world.Pod) bool {
		return drain.Judge(c.d.Sim.Truth, p, c.d.Run.Consents()).Fate != drain.Stays
	})
	if o.Unschedulable && (!holds || c.d.Run.Nodes[a.Machine].Order != "") {
		c.looks[a.Machine] = c.d.Sim.now
	}
}

// delivered notes that the driver knows what came of an action.
func (c *checker) delivered(a engine.Action, o engine.Outcome) {
	if a.Kind == engine.CheckEffect && o.Verdict == engine.Done {
		delete(c.open, a.Of.Key)
	}
	if o.Verdict == engine.Done && !a.ReadOnly() {
		delete(c.open, a.Key)
	}
	if o.Verdict == engine.Refused || a.ReadOnly() {
		delete(c.open, a.Key)
	}
}

// resumed: the answers to what was under way are lost, and what was only read
// may be read again.
func (c *checker) resumed() {
	for key := range c.open {
		if strings.HasPrefix(key, "look/") || strings.HasPrefix(key, "check/") {
			delete(c.open, key)
		}
	}
	saved := c.d.Run
	for key := range c.open {
		if _, known := saved.Pending[key]; !known {
			delete(c.open, key) // it was settled before
		}
	}
}

// before looks at what the driver can see and do, for rule 10.
func (c *checker) before(engine.Inputs) {
	d, now := c.d, c.d.Sim.now
	passed := now.Sub(c.seen)
	limit := d.Run.Settings.ClusterMaxAge
	if !c.seen.IsZero() && c.acting && passed < 30*time.Second {
		for id, n := range d.Run.Nodes {
			if n.Stage == engine.Draining {
				c.usable[drained{id, n.Since}] += passed
			}
		}
	} else {
		c.gap = now
	}
	h := d.Sim.View.Health[world.Cluster]
	c.seen, c.acting = now, d.Run.State == engine.Running && now.Sub(h.Fresh) <= limit
}

// slack is what rule 10 grants the rounding of a step.
const slack = 6 * time.Second

// after looks at a decision: deadlines (rule 10), and the end.
func (c *checker) after(dec engine.Decision) {
	d := c.d
	for _, e := range dec.Events {
		switch {
		case e.Type == engine.NodeFailed && e.Reason == string(engine.EvictionFail):
			c.deadline(e.Node)
		case e.Type == engine.Warning && strings.HasPrefix(e.Reason, "force-") && strings.Contains(e.Message, "--force"):
			c.deadline(e.Node)
		}
	}
	if dec.Wake.Before(d.Sim.now) {
		d.breaks("the wake-up %s lies in the past", dec.Wake)
	}
	if dec.Run.State == engine.Finished {
		c.end()
	}
	c.limit()
}

func (c *checker) deadline(node string) {
	d := c.d
	for id, n := range d.Run.Nodes {
		if n.Name != node {
			continue
		}
		if c.tried[id].Before(c.gap) && !c.gap.IsZero() && c.blockedByBudget(n) {
			d.breaks("rule 10: the drain of %s was given up without an attempt after a gap", node)
		}
		if used, has := c.usable[drained{id, n.Since}], d.Run.Settings.DrainTimeout; used < has-slack {
			d.breaks("rule 10: the drain of %s was given up after %s of usable time, it has %s", node, used, has)
		}
	}
}

// blockedByBudget reports whether a node holds a pod that could be tried.
func (c *checker) blockedByBudget(n engine.Node) bool {
	view := c.d.Sim.View
	return slices.ContainsFunc(view.PodsOn(n.Name), func(p *world.Pod) bool {
		return !p.Terminating() && drain.Judge(view, p, c.d.Run.Consents()).Fate == drain.Leaves && len(view.BudgetsOf(p)) > 0
	})
}

// truth watches the Truth between decisions.
func (c *checker) truth() {
	for id := range c.touched {
		if c.d.Sim.machines[id] == nil {
			delete(c.touched, id)
		}
	}
}
