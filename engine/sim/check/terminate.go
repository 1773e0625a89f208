package check

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/world"
)

// leastSettle is the least wait between the two looks.
const leastSettle = time.Second

// forcedStays is how long a pod that was deleted by force may be on its node after its
// grace period before the node goes without it.
const forcedStays = 30 * time.Second

// leastRouted is the least wait of a node to which nothing routes.
const leastRouted = 5 * time.Second

// oldLook is how old the last look may be when the termination arrives.
const oldLook = 35 * time.Second

// vigil is what consistent reads have shown of a machine: those since which its
// node was cordoned throughout and empty each time.
type vigil struct {
	looks []time.Time
	// asked: the looks that the last request to end it rests on.
	asked []time.Time
	// joined: it had a node at the first of them.
	joined bool
	// stops: the pods that were shown to stop when its end was asked for.
	stops map[string]bool
	// lifted: another user has removed the cordon since the end was asked for, or just before.
	lifted bool
	// shown: the node was shown as cordoned when its machine's end was asked for.
	shown bool
	// ended: our request to end it was granted.
	ended bool
}

func (c *Checker) vigil(machine string) *vigil {
	v := c.vigils[machine]
	if v == nil {
		v = &vigil{}
		c.vigils[machine] = v
	}
	return v
}

// look is what a consistent read has shown.
type look struct {
	at            time.Time
	clean, joined bool
	given         bool // clean only because its node is given up as unreachable
}

// looked notes what consistent reads show, and ends that were granted.
func (c *Checker) looked(a record.Action, o record.Outcome) {
	d := c.d
	m := d.Sim.Machines()[a.Machine]
	if a.Kind == record.Terminate && m != nil && m.Leaving() {
		c.vigil(a.Machine).ended = true
	}
	if a.Kind != record.LookAtPods || o.Verdict != record.Done {
		return
	}
	n, saved := d.Sim.Truth.NodeOf(a.Machine), d.Saved.Nodes.Get(a.Machine)
	holds := n != nil && saved.Order == "" && slices.ContainsFunc(d.Sim.Truth.PodsOn(n.Name), func(p *world.Pod) bool {
		return drain.Judge(d.Sim.Truth, p, c.consents()).Fate != drain.Stays
	})
	given := holds && saved.Lost
	c.reads[a.Key] = look{d.Sim.Now(), (!holds || given) && (n == nil || n.Unschedulable), n != nil, given}
}

// learned notes that the driver has got to know what a consistent read has shown.
func (c *Checker) learned(a record.Action) {
	read, known := c.reads[a.Key]
	if !known {
		return
	}
	delete(c.reads, a.Key)
	v := c.vigil(a.Machine)
	node := c.d.Sim.View.NodeOf(a.Machine)
	if read.given && node != nil && (node.Unreachable.IsZero() || c.d.Sim.Now().Sub(node.Unreachable) < c.d.Run.Settings.UnreachableAfter) {
		read.clean = false // it is heard from again, and its pods are not given up
	}
	switch {
	case !read.clean:
		v.looks = nil
	default:
		if len(v.looks) == 0 {
			v.joined = read.joined
		}
		v.looks = append(v.looks, read.at)
	}
}

// watch forgets what was seen of nodes that are not cordoned any more.
func (c *Checker) watch() {
	for id, v := range c.vigils {
		if len(v.looks) == 0 || !v.joined {
			continue
		}
		if n := c.d.Sim.View.NodeOf(id); n != nil && !n.Unschedulable && n.Created.Before(v.looks[0]) && c.sawCordon(id, n) {
			v.looks, v.lifted = nil, true // a request that is on its way was asked for before
		} else if n := c.d.Sim.Truth.NodeOf(id); n != nil && !n.Unschedulable {
			v.lifted = true
		}
	}
}

// sawCordon reports whether what the View shows of a node is younger than the
// cordon that the looks have seen.
func (c *Checker) sawCordon(id string, n *world.Node) bool {
	truth := c.d.Sim.Truth.NodeOf(id)
	return truth != nil && !truth.Unschedulable && truth.Name == n.Name
}

// terminate checks rule 3 when a termination arrives: cordoned, and seen empty
// before and after it settled.
func (c *Checker) terminate(a record.Action) {
	d, s := c.d, c.d.Sim
	m, n := s.Machines()[a.Machine], s.Truth.NodeOf(a.Machine)
	if m == nil || m.Leaving() || n == nil || d.Run.Settings.CloudOnly {
		return
	}
	v := c.vigil(a.Machine)
	if len(v.asked) < 2 {
		d.Breaks("rule 3: %s is terminated after %d consistent reads that showed it cordoned and empty, not two", n.Name, len(v.asked))
		return
	}
	first, last := v.asked[0], v.asked[len(v.asked)-1]
	v.lifted = v.lifted || v.shown && !n.Unschedulable           // since it was asked for
	if !n.Unschedulable && !v.lifted && !n.Created.After(last) { // one that joined since then is empty
		d.Breaks("rule 3: %s is terminated and not cordoned (joined %s, looked at %s)", n.Name, n.Created.Sub(sim.Epoch), last.Sub(sim.Epoch))
	}
	least := max(d.Run.Settings.Settle, leastSettle)
	if d.Rules.Capabilities().AwaitsRoutes && last.Sub(first) < least {
		least = min(least, leastRouted)
		if v.joined { // nothing leads to a node that joined since the look
			c.unrouted(n)
		}
	}
	if v.joined && last.Sub(first) < least {
		d.Breaks("rule 3: %s was seen empty for %s only, it settles for %s", n.Name, last.Sub(first), least)
	}
	if age := s.Now().Sub(last); age > c.LookAge {
		d.Breaks("rule 3: %s is terminated %s after the last look at it", n.Name, age)
	}
	c.bereft(a, n, last)
}

// unrouted checks that nothing leads to a node any more whose machine is ended before its wait is over,
// but to pods that stay.
func (c *Checker) unrouted(n *world.Node) {
	d, s := c.d, c.d.Sim
	if !s.Balancer.Over(n.Machine, s.Now()) {
		d.Breaks("routes: %s is terminated early, and a load balancer of its group has it", n.Name)
	}
	for _, r := range s.RoutesTo(n.Name) {
		if s.PodNamed(r.Pod) == nil { // rule 3 is about those that are there
			d.Breaks("routes: %s is terminated early, and %s led to %s on it", n.Name, r.Service, r.Pod)
		}
	}
}

// bereft checks that no pod goes with a machine but those that may.
func (c *Checker) bereft(a record.Action, n *world.Node, look time.Time) {
	d, s := c.d, c.d.Sim
	for _, p := range s.Truth.PodsOn(n.Name) {
		if drain.Judge(s.Truth, p, c.consents()).Fate == drain.Stays || s.PodOf(p.UID).Placed.After(look) && (p.ToleratesAll || c.vigil(a.Machine).lifted) {
			continue
		}
		ordered := slices.ContainsFunc(d.Saved.Orders, func(o record.ForceOrder) bool {
			return d.Saved.Nodes.Peek(a.Machine).Order != "" && o.Machine == a.Machine && (slices.Contains(o.Pods, p.Ref()) || p.ToleratesAll)
		})
		lost := d.Saved.Nodes.Peek(a.Machine).Lost && d.Run.Settings.Unreachable == record.UnreachableTerminate
		if !ordered && !lost {
			d.Breaks("rule 3: %s is terminated with pod %s on it", n.Name, p.Ref())
		}
		if since := sim.Later(c.forced[p.UID], p.Ends); ordered && !lost && !(p.ToleratesAll && p.Created.After(look)) && !c.stopsLate(a.Machine, p) && s.Now().Before(since.Add(forcedStays)) {
			d.Breaks("grace: %s is terminated %s after its pod %s was to end by force, which has %s", n.Name, s.Now().Sub(since), p.Ref(), forcedStays)
		}
	}
}

// stopsLate reports whether others have told a pod to stop that was not deleted by force, and nothing
// showed it when the end of its machine was asked for.
func (c *Checker) stopsLate(machine string, p *world.Pod) bool {
	return c.forced[p.UID].IsZero() && !c.vigil(machine).stops[p.UID]
}
