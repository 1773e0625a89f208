package check

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/sim/drive"
	"github.com/drainboard/drainboard/engine/world"
)

// againEvery is how often a decision is taken again, to see that it depends on nothing but
// what it is given.
const againEvery = 3

// moment is how long what could be done at once may wait: a run that ends looks around every second.
const moment = time.Second

// sameAgain checks that a decision depends on nothing but the time, the world, the run and the
// inputs: taken again in a world that is filled in another order, from the run as it is written,
// it comes out the same.
func (c *Checker) sameAgain(before record.Run, in engine.Inputs, dec engine.Decision) {
	d := c.d
	if d.Decisions%againEvery != 0 || d.Sim.View.Partial() {
		return
	}
	read := d.Decode(d.Encode(before))
	read.External = before.External // what is seen of others is in no record
	again := engine.Decide(d.Rules, d.Sim.Now(), refilled(d.Sim, read.Kept, read.Pods), read, in)
	again.Run.External = dec.Run.External
	if first, second := decided(d, dec), decided(d, again); !bytes.Equal(first, second) {
		d.Breaks("again: the same decision comes out otherwise:\n%s", difference(first, second))
	}
}

// waitsForNothing checks that nothing which could be changed now waits for the next decision: were it decided once
// more at once, in the world as it is, no change would be asked for, unless that is to happen within a moment. The
// answers to what is asked for bring the next decision.
func (c *Checker) waitsForNothing(before record.Run, in engine.Inputs, dec engine.Decision) {
	d, now := c.d, c.d.Sim.Now()
	if d.Decisions%againEvery != 1 || d.Sim.View.Partial() || dec.Run.State == record.Finished || dec.Wake.Sub(now) <= moment || len(dec.Actions) > 0 || c.vanishes(&dec.Run) || c.settled(before, in, &dec.Run) || selected(&before, &dec.Run) {
		return
	}
	read := d.Decode(d.Encode(dec.Run))
	read.External = dec.Run.External
	next := engine.Decide(d.Rules, now, refilled(d.Sim, read.Kept, read.Pods), read, engine.Inputs{})
	for _, a := range next.Actions {
		if !a.ReadOnly() && a.Kind != record.RunHook {
			d.Breaks("soon: %s %s could be asked for now, and waits for %s", a.Kind, a.Key, dec.Wake.Sub(now))
		}
	}
	if next.Run.State == record.Finished || next.Run.State == record.Ending && dec.Run.State != record.Ending {
		d.Breaks("soon: the run could be %s now, and waits for %s", next.Run.State, dec.Wake.Sub(now))
	}
	for i, p := range next.Run.Phases {
		if i < len(dec.Run.Phases) && p != dec.Run.Phases[i] {
			d.Breaks("soon: phase %s could begin or end now, and waits for %s", p.Name, dec.Wake.Sub(now))
		}
	}
}

// settled reports whether a decision has heard of a change that it had asked for, which the watch shows next, or has
// seen one: what waits for that comes with the next decision.
func (c *Checker) settled(before record.Run, in engine.Inputs, r *record.Run) bool {
	heard := func(key string) bool {
		return slices.ContainsFunc(in.Outcomes, func(o record.Outcome) bool { return o.Key == key || o.Key == "check/"+key })
	}
	for key, p := range before.Pending {
		_, still := r.Pending[key]
		if !p.Action.ReadOnly() && (!still || heard(key) && !p.Action.IsSeen(c.d.Sim.View)) {
			return true
		}
	}
	return false
}

// selected reports whether others have selected a node for its update that waited for its turn: who comes next is seen at
// the next look.
func selected(before, is *record.Run) bool {
	for id, n := range is.Nodes.All() {
		if was := before.Nodes.Peek(id).Stage; n.Stage == record.Updating && (was == record.Queued || was == record.Outdated) {
			return true
		}
	}
	return false
}

// vanishes reports whether a machine that is being ended is not there any more, which the run notes when it observes
// the next time.
func (c *Checker) vanishes(r *record.Run) bool {
	for id, n := range r.Nodes.All() {
		if n.Stage == record.Terminating && c.d.Sim.View.Machine(id) == nil {
			return true
		}
	}
	return false
}

// decided is all that a decision says, as JSON.
func decided(d *drive.Driver, dec engine.Decision) []byte {
	return d.Encode(struct {
		Run     any
		Actions []record.Action
		Events  []record.Event
		Acks    []record.Ack
		Wake    time.Time
		Read    bool
	}{drive.Compared(dec.Run), dec.Actions, dec.Events, dec.Acks, dec.Wake, dec.ReadCloud})
}

// difference is where two texts begin to differ.
func difference(a, b []byte) string {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	around := func(s []byte) []byte { return s[max(0, at-150):min(len(s), at+150)] }
	return string(around(a)) + "\nand\n" + string(around(b))
}

// refilled is a World with what the driver sees, filled in another order; of the pods that have gone it has
// those that the run keeps account of.
func refilled(s *sim.Sim, kept map[string]record.KeptPod, evicted shards.Map[record.Pod]) *world.World {
	v, w := s.View, world.New()
	backwards := func(n int, do func(int)) {
		for i := range n {
			do(n - 1 - i)
		}
	}
	budgets, nodes := v.Budgets(), v.Nodes()
	backwards(len(budgets), func(i int) { w.SetBudget(budgets[i]) })
	for _, namespace := range namespaces(s) {
		pods := v.PodsIn(namespace)
		backwards(len(pods), func(i int) { w.SetPod(pods[i]) })
	}
	for _, uid := range slices.Concat(slices.Sorted(maps.Keys(kept)), slices.Sorted(evicted.Keys())) {
		if p := v.Stopping(uid); p != nil && v.Pod(uid) == nil {
			w.SetPod(p)
			w.DeletePod(uid)
		}
	}
	machines := v.Machines()
	list := make([]world.Machine, 0, len(machines))
	backwards(len(machines), func(i int) { list = append(list, *machines[i]) })
	backwards(len(nodes), func(i int) { w.SetNode(nodes[i]) })
	w.SetMachines(list)
	w.SetDaemonSets(s.DaemonSets())
	w.SetGroup(v.Group)
	for source, health := range v.Health {
		w.SetHealth(source, health)
	}
	return w
}

// namespaces are those of all pods, sorted.
func namespaces(s *sim.Sim) []string {
	all := map[string]bool{}
	for _, w := range s.Workloads() {
		all[w.Namespace] = true
	}
	return slices.Sorted(maps.Keys(all))
}
