package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// resizes checks the changes of the group's sizes that a decision asks for, and what it says
// of those of others.
func (c *Checker) resizes(dec engine.Decision) {
	d, view := c.d, c.d.Sim.View
	if at := dec.Run.RaisedAt; !at.IsZero() && !at.Equal(c.meantAt) {
		c.meantAt, c.meantFrom = at, view.Group.Sizes
	}
	if has := c.rests(view.Group.Sizes.Desired); !c.raised && len(c.service.touched) == 0 && has > 0 {
		c.rested = min(c.rested, has) // others have lowered it before anything rested on it
	}
	c.sizesAsked(dec)
	if unsure := figureless(text.RaiseUnsure("0", "0")); notes(&dec.Run, unsure) && !notes(&c.clock.was, unsure) {
		c.lostRaises += c.mostRaised
		c.unknowable = c.raised && view.Group.Sizes.Desired > 0 // a raise of the maximum brings no machines, and a group without any has none of it
	}
	for _, e := range dec.Events {
		if e.Type != record.CapacityChanged || e.Reason != "not by us" {
			continue
		}
		// Nobody can tell who sets the maximum to just what we raise it to from us.
		if up := strings.HasPrefix(e.Message, figureless(text.DesiredRaised(0, 0))); up && d.Sim.RaisedBy == 0 || !up && d.Sim.Lowered == 0 && d.Sim.Foreign.Max == 0 {
			d.Breaks("sizes: nobody else has changed the size, and the run says: %s", e.Message)
		}
		c.blamed(e)
	}
}

// resized is by how much a process of a run has said that others have changed the desired size, each way: the next one may
// say it again, where that was not written yet.
type resized struct{ up, down int }

// blamed checks that others are not said to have changed the desired size by more than they have, in any way
// that adds up.
func (c *Checker) blamed(e record.Event) {
	var from, to int
	_, by, _ := strings.Cut(e.Message, " from ")
	if n, _ := fmt.Sscanf(by, "%d to %d", &from, &to); n < 2 {
		return
	}
	if a := c.unclear; a != nil && from == a.From.Desired && to < from {
		c.d.Breaks("sizes: nobody can tell whether the run has lowered the desired size itself, and it says: %s", e.Message)
	}
	c.unclear = nil
	c.others.up += max(0, to-from)
	c.others.down += max(0, from-to)
	s, lowered := c.d.Sim, 0
	for _, n := range s.Lowerings {
		lowered += n
	}
	if c.others.down > lowered+s.Doubted() && s.Foreign.Max == 0 {
		c.d.Breaks("sizes: others have lowered the desired size by %d in all, and are said to have by %d: %s", lowered, c.others.down, e.Message)
	}
	if c.others.up > s.RaisedBy+s.Doubted() {
		c.d.Breaks("sizes: others have raised the desired size by %d in all, and are said to have by %d: %s", s.RaisedBy, c.others.up, e.Message)
	}
}

// sizesAsked checks what a decision asks for that changes the group's sizes, and notes what it rests on.
func (c *Checker) sizesAsked(dec engine.Decision) {
	d, view := c.d, c.d.Sim.View
	for _, a := range dec.Actions {
		if a.Kind == record.Terminate && a.Decrement {
			c.unsure[a.Machine] = true
		}
		if a.Kind == record.LaunchIn {
			d.Sim.KnewNone = view.Group.Sizes.Desired == 0 && !sizesOpen(dec.Run, a.Key)
		}
		if a.Kind == record.SetSizes {
			c.setsSizes(a)
		}
		if a.Kind == record.Suspend && a.Process == sim.Terminate {
			if there := c.standing(); view.Group.Sizes.Desired <= there && c.early {
				d.Breaks("sizes: the group is to end no machines, so that its size can be lowered, and has %d of %d", there, view.Group.Sizes.Desired)
			}
			c.sized = view.Group.Sizes.Desired // not when it arrives: another process may have read nothing by then
		}
	}
}

// setsSizes checks a change of the group's sizes.
func (c *Checker) setsSizes(a record.Action) {
	d, view := c.d, c.d.Sim.View
	c.readBack(a)
	c.surges(a)
	c.mostRaised = max(c.mostRaised, a.Sizes.Desired-a.From.Desired)
	if raise := a.Sizes.Desired > a.From.Desired; raise && !c.raised {
		if c.raised, c.rested = true, c.rests(a.From.Desired); *a.From != view.Group.Sizes && *a.From != c.meantFrom {
			d.Breaks("sizes: the raise is from %s, and the group has %s", *a.From, view.Group.Sizes)
		}
	} else if has := c.rests(a.From.Desired); raise && c.unknowable { // the run may have raised it to that, or others
		c.rested = min(c.rested, has)
	} else if raise {
		c.rested = has
	}
	if a.Sizes.Max < a.From.Max && !d.Sim.AskedMaxima[a.From.Max] {
		d.Breaks("sizes: the maximum of %d, which others have set, is lowered to %d", a.From.Max, a.Sizes.Max)
	}
	d.Sim.AskedMaxima[a.Sizes.Max] = true
}

// sizesOpen reports whether an action but this one may change the sizes that a run has read.
func sizesOpen(r record.Run, but string) bool {
	for key, p := range r.Pending {
		a := p.Action
		if a.Kind == record.CheckEffect {
			a = *a.Of
		}
		if key != but && (a.Kind == record.SetSizes || a.Kind == record.Terminate || a.Kind == record.LaunchIn && p.Repeated) {
			return true
		}
	}
	return false
}

// surges checks that a raise by EKS's rules is what was asked for: EKS's own number, or no more
// than the nodes that go at once and their zones need, or the number asked for; and never fewer
// than go at once, so that as many serve as before.
func (c *Checker) surges(a record.Action) {
	d := c.d
	c.raisesOwn(a)
	if a.Key != record.RaiseKey || d.Rules.Name() != "eks" || c.heritage > 0 || d.Run.Inherited != nil {
		return
	}
	fresh, bare, going := map[string]bool{}, map[string]bool{}, 0
	for _, n := range d.Run.Nodes.All() {
		fresh[n.Zone] = fresh[n.Zone] || n.New
	}
	for _, n := range d.Run.Nodes.All() {
		if !n.New && (n.Stage == record.Outdated || n.Stage == record.Queued) {
			going++
			bare[n.Zone] = !fresh[n.Zone]
		}
	}
	bareZones := 0
	for _, none := range bare {
		if none {
			bareZones++
		}
	}
	least, grows := min(d.Run.Limit, going), a.Sizes.Desired-a.From.Desired
	var want []int
	switch set := d.Run.Settings; set.Surge {
	case record.SurgeEKS:
		want = []int{max(2*len(d.Sim.View.Group.Zones), d.Run.Limit)}
	case record.SurgeFit:
		fewest, most := c.fitting(least, max(least, bareZones))
		for n := fewest; n <= most; n++ {
			want = append(want, n)
		}
	default: // of the size at the start, or of what others have made of it since
		want = []int{max(least, set.MaxSurge.Of(a.From.Desired, true)), max(least, set.MaxSurge.Of(c.size, true))}
	}
	again := c.raised && grows == c.grew // what others have made of the group since is not counted in
	if c.grew = grows; !again && !slices.Contains(want, grows) {
		d.Breaks("surge: --max-surge %s raises the group by %d, not by %v", d.Run.Settings.SurgeText(), grows, want)
	}
}

// fitting is how many machines more fit: by numbers of pods alone, where pods ask for nothing else, and
// at least so many in any case. No more come than nodes go, or zones have no new one.
func (c *Checker) fitting(atOnce, bound int) (fewest, most int) {
	slots, daemons, free, plain := c.d.Sim.Config.Slots, 0, 0, true
	fresh, volumes := map[string]bool{}, map[string]bool{}
	for _, w := range c.d.Sim.Workloads() {
		if w.Kind == sim.DaemonSet || w.Kind == sim.Mirror {
			daemons++
		}
	}
	for _, n := range c.d.Run.Nodes.All() {
		if node := c.d.Sim.View.Node(n.Name); n.New {
			fresh[n.Zone] = true
			free += c.freeFor(node)
			plain = plain && (node == nil || len(node.Taints) == 0)
		}
	}
	for _, node := range c.detachedWithRoom() {
		free, plain, fresh[node.Zone] = free+c.freeFor(node), false, true
	}
	var full []int
	for _, n := range c.d.Run.Nodes.All() {
		if n.New || n.Stage != record.Outdated && n.Stage != record.Queued {
			continue
		}
		leave := c.leaving(n.Name)
		full = append(full, len(leave))
		for _, p := range leave {
			plain = plain && !p.Volume && p.Needs == nil
			if p.Volume && !fresh[n.Zone] {
				volumes[n.Zone] = true
			}
		}
	}
	slices.Sort(full)
	pods := 0
	for _, n := range full[max(0, len(full)-atOnce):] {
		pods += n
	}
	over := func(a, b int) int { return (max(0, a) + b - 1) / b }
	fewest = min(bound, max(over(pods-free, slots+daemons), len(volumes)))
	if !plain {
		return fewest, bound
	}
	return fewest, min(bound, max(fewest, over(pods-free, slots)))
}

// detachedWithRoom are the nodes of machines that are the group's no more, as far as they take pods.
func (c *Checker) detachedWithRoom() []*world.Node {
	return slices.DeleteFunc(slices.Clone(c.d.Sim.View.Nodes()), func(n *world.Node) bool {
		return c.d.Sim.View.Machine(n.Machine) != nil || c.freeFor(n) == 0
	})
}

// freeFor is how many pods more a node takes, as the driver sees it.
func (c *Checker) freeFor(n *world.Node) int {
	if n == nil || !n.Ready || n.Unschedulable {
		return 0
	}
	free := n.Room.Pods
	for _, p := range c.d.Sim.View.PodsOn(n.Name) {
		if !p.Finished() {
			free--
		}
	}
	return max(0, free)
}

// leaving are the pods that a drain of a node would move, as the driver sees them.
func (c *Checker) leaving(node string) []*world.Pod {
	return slices.DeleteFunc(slices.Clone(c.d.Sim.View.PodsOn(node)), func(p *world.Pod) bool {
		return p.Finished() || p.Mirror || p.Owner.Kind == sim.DaemonSet || !p.Ends.IsZero()
	})
}

// overwrites checks that a change of the sizes left those alone that it was not meant to
// change, whatever others made of them between its read and its write. A desired size above the
// group's own maximum is cut by the cloud.
func (c *Checker) overwrites(a record.Action) {
	s := c.d.Sim
	was, is := s.Written, s.Group.Sizes
	lost := a.From.Min == a.Sizes.Min && is.Min != was.Min ||
		a.From.Max == a.Sizes.Max && is.Max != was.Max ||
		a.From.Desired == a.Sizes.Desired && is.Desired != was.Desired && was.Desired <= is.Max
	if was != (world.Sizes{}) && lost {
		c.d.Breaks("sizes: %s was to become %s, and overwrote %s, which others had set meanwhile: now %s", *a.From, *a.Sizes, was, is)
	}
	s.Written = world.Sizes{}
}

// lowers checks that the desired size is set lower only while the group neither launches nor ends
// machines, and not below the size that it is to have.
func (c *Checker) lowers(a record.Action) {
	d, s := c.d, c.d.Sim
	if s.Group.Sizes != *a.From || a.Sizes.Desired >= s.Group.Sizes.Desired {
		return
	}
	if c.acts(sim.Launch) || c.acts(sim.Terminate) {
		d.Breaks("sizes: desired lowered from %d to %d by setting it, and the group may end machines for that", s.Group.Sizes.Desired, a.Sizes.Desired)
	}
	c.again(a)
	if a.Key == record.LowerKey && a.Sizes.Desired <= max(c.standing(), s.Owed()) { // machines that others end from now on are not lacked for that
		c.lacking.since = time.Time{}
	}
	if a.Sizes.Desired < s.Owed()-s.Slack && s.Lowered+s.Doubted() == 0 && !c.inDoubt(a.Sizes.Desired-s.Owed()) {
		d.Breaks("sizes: desired lowered from %d to %d, it is to be %d", s.Group.Sizes.Desired, a.Sizes.Desired, s.Owed())
	}
}

// acts reports whether a process of the group acts, as far as the driver can know: others may
// have resumed it since the driver last read the group.
func (c *Checker) acts(process string) bool {
	s := c.d.Sim
	return !s.Group.HasSuspended(process) && !s.ResumedAt[process].After(s.View.Health[world.Cloud].Fresh)
}

// happened notes a lowering that has just taken effect: its driver does not know yet.
func (c *Checker) happened(a record.Action) {
	is := c.d.Sim.Group.Sizes
	if is == c.held {
		return
	}
	if c.unheard = nil; is.Desired < c.held.Desired && c.held == *a.From {
		c.unheard, c.lowered = &a, &a
	}
}

// setBack takes in that others, before the driver knew of its raise, have set the desired size to that
// of before the raise, and another maximum than the raise's: that is then as many as they want. Who
// reads it cannot tell it from a raise that was never made.
func (c *Checker) setBack(a record.Action) {
	s := c.d.Sim
	is := s.Group.Sizes
	if a.Key != record.RaiseKey {
		return
	}
	if is != c.held {
		if m := c.made; m != nil && *m.From == *a.From { // others have set all back to what it was
			c.unmade(c.held.Desired)
		}
		c.made = &a
	} else if m := c.made; m != nil && *m.From == *a.From && is.Desired == a.From.Desired && is.Max != a.Sizes.Max {
		c.unmade(s.Group.Sizes.Desired)
	}
}

// readBack takes in the same where the driver has read the sizes while they stood so, and others have
// changed them again since.
func (c *Checker) readBack(a record.Action) {
	if m := c.made; m != nil && a.Key == record.RaiseKey && a.From.Desired == m.From.Desired && a.From.Max != m.From.Max && a.From.Max != m.Sizes.Max {
		c.unmade(c.d.Sim.Group.Sizes.Desired)
	}
}

// unmade takes the desired size for one that others have set, with no raise in it.
func (c *Checker) unmade(desired int) {
	s := c.d.Sim
	s.Foreign.Desired, s.Slack, c.made = desired-c.heritage-s.Before.Desired, 0, nil
}

// raisedBack notes that a lowering is found not to be made as others have set the desired size back to just what it was:
// nobody can tell.
func (c *Checker) raisedBack(a record.Action, o record.Outcome) {
	was := c.lowered
	if a.Kind == record.CheckEffect && !o.Happened && was != nil && a.Of.Key == record.LowerKey && *was.From == *a.Of.From && *was.Sizes == *a.Of.Sizes {
		c.d.Sim.Doubts += was.From.Desired - was.Sizes.Desired
		c.lowered = nil
	}
}

// heard notes that the driver knows what came of the lowering.
func (c *Checker) heard(a record.Action, o record.Outcome) {
	c.raisedBack(a, o)
	if a.Kind == record.CheckEffect && o.Happened {
		a = *a.Of
		if was := c.lowered; a.Key == record.LowerKey && len(c.d.Sim.TakenOut) == 0 && (was == nil || *was.From != *a.From || *was.Sizes != *a.Sizes) { // others have: nobody can tell whose it is
			c.d.Sim.Doubts += max(0, a.From.Desired-a.Sizes.Desired)
		}
	}
	if c.unheard != nil && a.Key == c.unheard.Key && o.Verdict == record.Done {
		c.unheard = nil
	}
	switch {
	case o.Verdict != record.Done:
	case a.Key == record.LowerKey:
		c.unclear = nil
	case a.Kind == record.CheckEffect && a.Of.Key == record.LowerKey:
		c.unclear = a.Of
	}
}

// doubts checks that nothing more of the desired size counts as in doubt while it is not answered whether the size was set:
// the answer may tell.
func (c *Checker) doubts(before, is *record.Run) {
	for _, key := range []string{record.RaiseKey, record.LowerKey} {
		if more := is.Doubtful - before.Doubtful; more > 0 && c.open[key] {
			c.d.Breaks("sizes: %d more of the desired size count as in doubt, and what came of %s may still be told", more, key)
		}
	}
}

// again takes in a lowering that is asked for once more although it has happened: others have
// raised the group since by just as much, or by more. A reader finds it as if nothing had been done, so
// that as much of the raise is lost.
func (c *Checker) again(a record.Action) {
	if was := c.unheard; was != nil && a.Key == was.Key && a.From.Desired >= was.From.Desired {
		c.d.Sim.Foreign.Desired -= was.From.Desired - was.Sizes.Desired
		c.unheard = nil // also where this one is lost on its way, and asked for once more
	}
}

// standing is how many machines the group is known to have.
func (c *Checker) standing() (n int) {
	for _, m := range c.d.Sim.View.Machines() {
		if !m.Leaving() && !m.Detached && m.State != world.MachineStandby {
			n++
		}
	}
	return n
}

// resumes checks that the group may end machines again only when it has none too many as far as
// the driver can know, unless others have lowered it meanwhile, and launches some only when it may end some.
func (c *Checker) resumes(a record.Action) {
	d, s := c.d, c.d.Sim
	known := c.standing()
	switch {
	case a.Process == sim.Terminate && known > s.View.Group.Sizes.Desired && s.View.Group.Sizes.Desired >= c.sized && s.Group.HasSuspended(sim.Terminate):
		d.Breaks("sizes: the group may end machines again, and has %d, %d desired", known, s.View.Group.Sizes.Desired)
	case a.Process == sim.Launch && s.Group.HasSuspended(sim.Terminate) && !s.TheirSuspended[sim.Terminate] && s.Group.HasSuspended(sim.Launch):
		d.Breaks("sizes: the group may launch machines again before it may end some")
	}
}

// served checks, when the first outdated node of an EKS update is tainted, that every zone with
// outdated nodes has a new one that is Ready, or none of their pods asks for one with a surge that fits, or that the group's machines cannot be asked for
// in a zone by name, and the run says so.
func (c *Checker) served(a record.Action) {
	d, view := c.d, c.d.Sim.View
	if a.Kind != record.AddTaint || a.Taint.Key != world.EKSGroupKey || c.zonesServed {
		return
	}
	c.zonesServed = true
	fresh := c.freshZones()
	for _, m := range view.Machines() {
		n := d.Run.Nodes.Get(m.ID)
		if n.New || n.Stage == record.Replaced || m.Leaving() || fresh[m.Zone] {
			continue
		}
		why := view.Group.NoLaunchInZone
		switch set := d.Run.Settings; {
		case set.Surge != record.SurgeEKS && n.Stage != record.Outdated && n.Stage != record.Queued:
			continue // it is not drained
		case set.Surge == record.SurgeFit && !slices.ContainsFunc(c.leaving(n.Name), keptInZone):
			continue // its pods may go to any zone
		case set.Surge == record.SurgeAmount && why == "":
			why = systems.SurgeAsAsked(set.MaxSurge.String())
		}
		if why == "" || !slices.ContainsFunc(d.Run.Notes, func(note string) bool { return strings.HasSuffix(note, why) }) {
			d.Breaks("zones: the nodes of zone %s are drained without a new one there, and nothing says so", m.Zone)
		}
	}
}

// keptInZone reports whether a pod asks for its zone.
func keptInZone(p *world.Pod) bool {
	return p.Volume || p.Needs != nil && strings.Contains(fmt.Sprint(p.Needs.Nodes), sim.ZoneLabel)
}

// heldUp is how long a group may launch and end none once a run that ends has nothing to lower any more.
const heldUp = 15 * time.Second

// letsGo checks that a group may launch and end machines again once it has as many as it is to have, and a run that ends
// has asked for no other size.
func (c *Checker) letsGo(r *record.Run) {
	d, view, l := c.d, c.d.Sim.View, r.Lowering
	if !slices.Contains(r.Suspended, sim.Launch) || asksAny(r, record.LowerKey, record.KeepKey) || asksAny(r, "resume/"+sim.Launch, "resume/"+sim.Terminate) || l == nil || !l.SetAt.IsZero() || l.Unsure > 0 || r.State != record.Ending || d.Failing || !c.sees(world.Cloud) || !c.readOnce() || view.Group.Sizes.Desired != c.standing() {
		c.atRest = time.Time{}
		return
	}
	if c.atRest.IsZero() || c.atRest.Before(c.clock.gap) {
		c.atRest = d.Sim.Now()
	}
	if waited := d.Sim.Now().Sub(c.atRest); waited > heldUp {
		d.Breaks("sizes: the group has the %d machines that it is to have, and may launch none for %s", c.standing(), waited)
	}
}

// freshZones are the zones with a new node that is Ready.
func (c *Checker) freshZones() map[string]bool {
	fresh := map[string]bool{}
	for _, m := range c.d.Sim.View.Machines() {
		n := c.d.Sim.View.NodeOf(m.ID)
		fresh[m.Zone] = fresh[m.Zone] || c.d.Run.Nodes.Peek(m.ID).New && !m.Leaving() && n != nil && n.Ready
	}
	return fresh
}

// TemplateBack checks that the group gets its template back only while no machine that runs
// the new one is known.
func (c *Checker) templateBack(a record.Action) {
	d, view := c.d, c.d.Sim.View
	r := &d.Run
	if a.Kind != record.SetTemplate || r.State != record.Ending {
		return
	}
	for _, m := range view.Machines() {
		if m.Template != *a.Template && !m.Leaving() && slices.Contains(r.Target.Templates, m.Template) && view.Group.Template == m.Template {
			d.Breaks("template: the group is set back to %s, and %s runs %s", *a.Template, m.ID, m.Template)
		}
	}
}

// madeBy is the action that an outcome tells of: the one that was looked up, if it was made.
func madeBy(a record.Action, o record.Outcome) record.Action {
	if a.Kind == record.CheckEffect && o.Happened {
		return *a.Of
	}
	return a
}

// fits checks that a machine is only asked for by name once the group's maximum is known to leave room for it: the
// cloud refuses it otherwise. One that is asked for once more with the same token may be among those that there are.
func (c *Checker) fits(a record.Action) {
	s := c.d.Sim
	if c.d.Run.Pending[a.Key].Repeated {
		return
	}
	need := min(s.View.Group.Sizes.Desired, s.Group.Sizes.Desired) + 1
	if known := max(s.View.Group.Sizes.Max, c.most); known < need {
		c.d.Breaks("sizes: %s is asked for, and the group may have %d of the %d machines that it will have, as far as is known", a.Key, known, need)
	}
}

// asksAny reports whether something with one of these keys is under way, or was refused and is asked for again.
func asksAny(r *record.Run, keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		_, pending := r.Pending[key]
		_, refused := r.Retries[key]
		return pending || refused
	})
}
