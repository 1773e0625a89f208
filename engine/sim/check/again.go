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
