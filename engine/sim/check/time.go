package check

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// What rule 10 grants: the rounding of a step (Slack), and the longest stretch between
// two decisions that is not a gap.
const (
	Slack   = 6 * time.Second
	longGap = 30 * time.Second
)

// overduePause is how the reason of a pause begins that waits for replacements.
var overduePause, _, _ = strings.Cut(text.LaunchOverdue("|", 0, ""), "|")

// wait names one countdown: whose ("" for the phase's and the gate's), what for,
// and when it began.
type wait struct {
	machine, what string
	start         time.Time
}

// usableTime counts, for every countdown, the time in which the driver ran and
// saw what it needs.
type usableTime struct {
	used  map[wait]time.Duration
	left  map[taker]time.Duration // for how long each was left a node
	was   record.Run              // the run before the decision that is being looked at
	seen  time.Time               // the last decision
	sight map[world.Source]bool   // what could be seen then; nil: the run did not run
	// ending is the same of a run that ended then; nil: it did not.
	ending map[world.Source]bool
	gap    time.Time            // the end of the last stretch without sight of the cluster
	tried  map[string]time.Time // last eviction or delete that was tried, by machine
	// began are the waits for new nodes to join or to be healthy again as they began, by machine, in this life of the driver.
	began map[string]wait
	life  int
}

// lasts is for how long something has been so of what a key names, since the last gap; it is noted in since.
func (c *Checker) lasts(since map[string]time.Time, key string, so bool) time.Duration {
	if !so {
		delete(since, key)
		return 0
	}
	if began, known := since[key]; !known || began.Before(c.clock.gap) {
		since[key] = c.d.Sim.Now()
	}
	return c.d.Sim.Now().Sub(since[key])
}

// count adds the time since the last decision to the countdowns that run.
func (c *Checker) count() {
	d, now, k := c.d, c.d.Sim.Now(), &c.clock
	k.was = d.Run
	passed := now.Sub(k.seen)
	missed := passed > 0 // else a pause was over in the same moment
	awake := !k.seen.IsZero() && passed <= longGap
	watched := awake && k.sight != nil
	add := func(w wait, needs ...world.Source) {
		if watched && !slices.ContainsFunc(needs, func(s world.Source) bool { return !k.sight[s] }) {
			k.used[w] += passed
		}
	}
	for id, n := range d.Run.Nodes.All() {
		if n.Wait != nil {
			add(wait{id, n.Wait.For, n.Wait.Start}, n.Wait.Needs...)
		}
		if n.Stage == record.Draining {
			add(wait{id, "draining", n.Since}, world.Cluster)
		}
	}
	if w := d.Run.PhaseWait; w != nil {
		add(wait{"", w.For, w.Start}, world.Cluster, world.Cloud)
	}
	if v := d.Run.Validation; v != nil && v.Wait != nil {
		add(wait{"", "valid", v.Wait.Start}, v.Wait.Needs...)
	}
	usable := func(sight map[world.Source]bool) time.Duration {
		if awake && sight[world.Cluster] && sight[world.Cloud] {
			return passed
		}
		return 0
	}
	c.leave(usable(k.ending) + usable(k.sight)) // a run that ends still looks on
	onTheirWay := max(0, usable(k.sight))
	if !c.sees(world.Cluster) || !c.sees(world.Cloud) { // what could not be seen at its end counts for no wait
		onTheirWay = 0
	}
	c.onTheirWay(onTheirWay)
	if missed && (!watched || !k.sight[world.Cluster]) {
		k.gap = now
	}
	k.seen, k.sight, k.ending = now, nil, nil
}

// sights notes what can be seen until the next decision.
func (c *Checker) sights(dec engine.Decision) {
	k, sees := &c.clock, map[world.Source]bool{world.Cluster: c.sees(world.Cluster), world.Cloud: c.sees(world.Cloud)}
	switch {
	case dec.Run.State == record.Running && c.d.Failing:
		k.sight = map[world.Source]bool{} // nothing could be done
	case dec.Run.State == record.Running:
		k.sight = sees
	case dec.Run.State == record.Ending && !c.d.Failing:
		k.ending = sees
	}
}

// deadlines checks rule 10 where a decision gives something up, by what counted
// down until then.
func (c *Checker) deadlines(dec engine.Decision) {
	set := c.d.Run.Settings
	for _, e := range dec.Events {
		switch {
		case e.Type == record.NodeFailed && e.Reason == string(record.EvictionFail),
			e.Type == record.NodeSkipped && strings.HasPrefix(e.Reason, text.DrainOverdue),
			e.Type == record.Warning && strings.HasPrefix(e.Reason, "force-") && (strings.Contains(e.Message, text.ForcedByFlag) || strings.Contains(e.Message, text.ForcedByStrategy)):
			c.drained(e)
		case e.Type == record.Warning && e.Reason == string(record.CreationFail), e.Type == record.RunPaused && strings.HasPrefix(e.Reason, overduePause):
			c.gaveUp("the wait for nodes", c.launchWait(), set.NodeReadyTimeout)
		case e.Type == record.Warning && e.Reason == string(record.Failed):
			c.neverEnded(e.Message)
		}
	}
}

// beginsAgain checks that the time of a new node which has not joined, or is unhealthy, does not begin again, as by
// hooks between: it would never be given up.
func (c *Checker) beginsAgain(dec engine.Decision) {
	d, k := c.d, &c.clock
	if d.Deaths != k.life || slices.ContainsFunc(dec.Events, func(e record.Event) bool {
		return e.Type == record.RunPaused && strings.HasPrefix(e.Reason, overduePause)
	}) {
		k.began, k.life = nil, d.Deaths // a record may be older than a wait; who resumes an overdue run gives launches their time again
	}
	began := map[string]wait{}
	for id, n := range dec.Run.Nodes.All() {
		if !n.New || n.Wait == nil {
			continue
		}
		was, known := k.began[id]
		node := d.Sim.View.NodeOf(id)
		known = known && (n.Stage == record.Launching || node == nil || !node.Ready)
		switch n.Wait.For {
		case record.WaitJoining, record.WaitUnhealthy:
			w := wait{id, n.Wait.For, n.Wait.Start}
			if known && was.what == w.what && !was.start.Equal(w.start) {
				d.Breaks("rule 10: the %s of %s, which had run for %s, begins again", w.what, id, w.start.Sub(was.start).Round(time.Second))
			}
			began[id] = w
		case string(record.BeforeNode), record.WaitPostponed:
			if known {
				began[id] = was
			}
		}
	}
	k.began = began
}

// launchWait is the wait for new nodes that has used up the most of its time: the phase's, or a machine's own.
func (c *Checker) launchWait() wait {
	was, w := &c.clock.was, wait{what: "nothing"}
	if was.PhaseWait != nil {
		w = wait{"", was.PhaseWait.For, was.PhaseWait.Start}
	}
	for id, n := range was.Nodes.All() {
		if n.Stage == record.Launching && n.Wait != nil && c.clock.used[wait{id, n.Wait.For, n.Wait.Start}] > c.clock.used[w] {
			w = wait{id, n.Wait.For, n.Wait.Start}
		}
	}
	return w
}

// neverEnded checks a failure because a machine that is named does not end.
func (c *Checker) neverEnded(message string) {
	for id, n := range c.clock.was.Nodes.All() {
		if n.Stage != record.Terminating || !strings.HasPrefix(message, id+" ") {
			continue
		}
		w := wait{what: "nothing"}
		if n.Wait != nil {
			w = wait{id, n.Wait.For, n.Wait.Start}
		}
		c.gaveUp("the end of "+id, w, c.d.Run.Settings.TerminateTimeout)
	}
}

// drained checks the end of a drain's time: all of it was usable, and after the
// last gap of the drain every pod that can be asked has had its chance.
func (c *Checker) drained(e record.Event) {
	d, k, node := c.d, &c.clock, e.Node
	for id, n := range k.was.Nodes.All() {
		if n.Name != node || n.Stage != record.Draining {
			continue
		}
		if n.Order == "" && k.gap.After(n.Since) && k.tried[id].Before(k.gap) && c.couldTry(n) {
			d.Breaks("rule 10: the drain of %s was given up without an attempt after a gap", node)
		}
		has := d.Run.Settings.DrainTime(n)
		if e.Type == record.NodeSkipped && e.Reason != text.DrainTookTooLong(has) {
			d.Breaks("rule 10: the drain of %s had %s, and %q is said", node, has, e.Reason)
		}
		c.gaveUp("the drain of "+node, wait{id, "draining", n.Since}, has)
	}
}

func (c *Checker) gaveUp(what string, w wait, has time.Duration) {
	if used := c.clock.used[w]; used < has-Slack {
		c.d.Breaks("rule 10: %s was given up after %s of usable time, it has %s", what, used.Round(time.Millisecond), has)
	}
}

// couldTry reports whether a node holds a pod that can be asked to leave.
func (c *Checker) couldTry(n record.Node) bool {
	view := c.d.Sim.View
	return slices.ContainsFunc(view.PodsOn(n.Name), func(p *world.Pod) bool {
		return !p.Terminating() && drain.Judge(view, p, c.consents()).Fate == drain.Leaves
	})
}

// pauses checks that what was refused is asked for again after a pause, and in time.
func (c *Checker) pauses(in engine.Inputs, dec engine.Decision) {
	longest := 30 * time.Second
	if dec.Run.State == record.Ending {
		longest = 8 * time.Second
	}
	for _, o := range in.Outcomes {
		r, known := dec.Run.Retries[o.Key]
		most := min(time.Second<<min(max(0, r.Tries-1), 8), longest)
		if pause := r.Next.Sub(c.d.Sim.Now()); known && o.Verdict == record.Refused && pause > max(most, o.After) {
			c.d.Breaks("rule 10: %s was refused %d times, and is asked for again in %s", o.Key, r.Tries, pause)
		}
	}
}
