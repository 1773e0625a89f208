package check

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/world"
)

// alone checks that the drain of a node begins while nobody else is known to take it out
// of service, or to replace the machines of the group.
func (c *Checker) alone(id string, n record.Node) {
	switch c.nodes.Peek(id).Stage {
	case record.Draining, record.Settling, record.Terminating:
		return // it continues
	}
	d, view := c.d, c.d.Sim.View
	if d.Run.State == record.Ending {
		return // empty surge nodes go, also while others are at work
	}
	if r := view.Group.Refresh; r.ID != "" {
		d.Breaks("movers: the drain of %s begins beside instance refresh %s", n.Name, r.ID)
	}
	for _, m := range view.Machines() {
		if node := view.NodeOf(m.ID); node != nil && !m.Leaving() && m.State != world.MachineStandby && d.Run.Nodes.Peek(m.ID).Stage != record.Terminating && slices.ContainsFunc(node.Taints, func(t world.Taint) bool { return rolls(t) && !c.inherits(m.ID, node, t) }) {
			d.Breaks("movers: the drain of %s begins while another tool rolls %s: %v", n.Name, node.Name, node.Taints)
		}
	}
	for who, limit := range c.takers(id) {
		if left := c.clock.left[taker{id, who}]; left < limit-Slack {
			d.Breaks("movers: the drain of %s begins while %s drains it, which was waited for only for %s", n.Name, who, left)
		}
	}
}

// inherits reports whether a taint of kops's is no sign of another roll: it is ours, or of
// one that was interrupted before it began with the node.
func (c *Checker) inherits(id string, node *world.Node, t world.Taint) bool {
	return c.isKops() && t.Key == sim.KopsTaint && (c.marked[node.Name+"/"+t.Key] || !node.Unschedulable || c.ourCordon(id, node.Name))
}

// taker is another user who takes a machine's node out of service.
type taker struct{ machine, who string }

// guardedIn are the phases in which new nodes are kept from the Cluster Autoscaler.
var guardedIn = []string{"scale up", "surge", "upgrade", "roll"}

// raiseOpen reports whether a run does not know yet what came of its raise, or may not raise yet, as the process that has to be
// suspended before is not.
func raiseOpen(r *record.Run) bool {
	p := r.Pending[record.RaiseKey]
	_, refused := r.Retries["suspend/"+sim.AZRebalance]
	return refused || !p.Asked.IsZero() && p.Accepted.IsZero()
}

// guards checks that new nodes wear what keeps the Cluster Autoscaler from removing them, if it looks at the group, while
// others are replaced: they are empty until the pods of those come.
func (c *Checker) guards(dec engine.Decision) {
	d, view, r := c.d, c.d.Sim.View, &dec.Run
	scaled := slices.ContainsFunc(slices.Collect(maps.Keys(view.Group.Tags)), func(tag string) bool { return strings.HasPrefix(tag, "k8s.io/cluster-autoscaler/") })
	i := slices.IndexFunc(r.Phases, func(p record.Phase) bool { return !p.Start.IsZero() && p.End.IsZero() })
	if !scaled || i < 0 || !slices.Contains(guardedIn, r.Phases[i].Name) || r.State != record.Running || d.Failing || !c.sees(world.Cluster) || !c.sees(world.Cloud) || !c.readOnce() || raiseOpen(r) {
		clear(c.bare)
		return
	}
	for id, n := range r.Nodes.All() {
		node := view.NodeOf(id)
		key := record.AnnotationOf(id, n.Name, sim.KeepAnnotation, "true").Key
		_, refused := r.Retries[key]
		if !refused { // nobody can tell what came of it
			_, refused = r.Retries["check/"+key]
		}
		joins := n.New && (n.Stage == record.Ready || n.Stage == record.Launching)
		if waited := c.lasts(c.bare, id, joins && !refused && node != nil && node.Annotations[sim.KeepAnnotation] == ""); waited > unguarded {
			d.Breaks("movers: the Cluster Autoscaler looks at the group, and nothing has kept it from removing the new node %s for %s", n.Name, waited)
		}
	}
}

// unguarded is how long a new node may be without what keeps the Cluster Autoscaler from it.
const unguarded = 30 * time.Second

// takers are those of a machine, and for how long each is to be waited for.
func (c *Checker) takers(id string) map[string]time.Duration {
	s := c.d.Sim
	node := s.View.NodeOf(id)
	if node == nil || s.View.Machine(id) == nil { // one that was detached is nobody's of the group
		return nil
	}
	out := map[string]time.Duration{}
	if _, reboots := node.Annotations["weave.works/kured-reboot-in-progress"]; reboots {
		out["kured"] = 30 * time.Minute
	}
	if node.HasTaint(sim.AutoscalerTaint) {
		out["the autoscaler"] = 30 * time.Minute
	}
	if !node.Unschedulable || c.ourCordon(id, node.Name) {
		return out
	}
	if sim.Handled(node) {
		out["the handler"] = 4 * time.Minute
	}
	if len(out) == 0 && (slices.ContainsFunc(s.View.PodsOn(node.Name), c.leavesByHand)) {
		out["user"] = 30 * time.Minute
	}
	return out
}

// leavesByHand reports whether a pod leaves because a user drains its node by hand.
func (c *Checker) leavesByHand(p *world.Pod) bool {
	s, run := c.d.Sim, &c.d.Run
	known := run.Pods.Get(p.UID)
	_, asked := run.Pending["evict/"+p.UID]
	return s.LeftByHand[p.UID] && p.Terminating() && s.Now().Before(p.Ends) && known.Evicted.IsZero() && !known.Forced && !asked &&
		drain.Judge(s.View, p, c.consents()).Fate != drain.Stays
}

// ourCordon reports whether a node's cordon is ours, or ours was until just now.
func (c *Checker) ourCordon(id, node string) bool {
	put := record.CordonOf(id, node)
	_, comesOff := c.d.Run.Pending["un"+put.Key]
	return comesOff || slices.ContainsFunc(c.d.Run.Marks[id], func(m record.Mark) bool { return m.Put.Key == put.Key && !m.Foreign })
}

// leave counts the usable time since the last decision for those who are left a node. A
// drain by hand pauses as often as its pods are held; its time is counted from its first pod.
// A process that has just begun and has not read all sees nobody, and counts nothing.
func (c *Checker) leave(passed time.Duration) {
	if !c.readOnce() {
		return
	}
	k := &c.clock
	now := map[taker]time.Duration{}
	for _, m := range c.d.Sim.View.Machines() {
		for who := range c.takers(m.ID) {
			t := taker{m.ID, who}
			if before, known := k.left[t]; known {
				now[t] = before + passed
			} else {
				now[t] = 0
			}
		}
		if t := (taker{m.ID, "user"}); c.d.Sim.HandDrained[m.ID] {
			if before, known := k.left[t]; known {
				now[t] = before + passed
			}
		}
	}
	k.left = now
}

// rolls reports whether a taint is of a tool that replaces nodes to update them.
func rolls(t world.Taint) bool {
	return strings.HasPrefix(t.Key, "kops.k8s.io/") || strings.HasPrefix(t.Key, "karpenter.sh/")
}
