package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// volume is a disk of one zone that goes with a StatefulSet's pod by its name.
type volume struct {
	zone string
	// node is where it is attached, free when it can be attached elsewhere: zero
	// while a pod uses it.
	node string
	free time.Time
}

// schedule places the pods that have no node, oldest first.
func (s *Sim) schedule() {
	for _, p := range s.pods.sorted(s.Truth.Unplaced()) {
		if p.Terminating() {
			continue
		}
		node, why := s.place(p)
		if node == nil {
			if why = s.hostile(why); p.Unplaced != why {
				p.Unplaced = why
				s.setPod(p)
			}
			continue
		}
		s.bind(p, node)
	}
}

// place finds a node for a pod: of those that nothing speaks against the one with
// the fewest soft taints, the fewest pods of the same owner, the fewest pods. Else
// it says why in the scheduler's words. It looks until it has found enough nodes,
// and begins where it stopped the last time.
func (s *Sim) place(p *Pod) (best *world.Node, why string) {
	nodes := s.Truth.Nodes()
	against := map[string]int{}
	apart, own := s.others(p), s.pods.spread[p.Owner.UID]
	var least [3]int
	var of domains
	left := enough(len(nodes))
	closed, often := "", 0 // most nodes of a large group that is rolled are so for the same reason
	for i := range nodes {
		n := nodes[(s.scan+i)%len(nodes)]
		if why := s.untolerated(p, n); why != "" {
			if why != closed {
				against[closed] += often
				closed, often = why, 0
			}
			often++
			continue
		}
		l := s.pods.loads[n.Name]
		if why, more := s.unschedulable(p, n, l, apart, &of); why != "" {
			against[why]++
			for _, r := range more {
				against[r]++
			}
			continue
		}
		at := [3]int{2: l.pods}
		if len(own) > 0 {
			at[1] = own[n.Name]
		}
		for _, t := range n.Taints {
			if t.Effect == "PreferNoSchedule" && !p.ToleratesAll {
				at[0]++
			}
		}
		if best == nil || cmp.Or(cmp.Compare(at[0], least[0]), cmp.Compare(at[1], least[1]), cmp.Compare(at[2], least[2])) < 0 {
			best, least = n, at
		}
		if left--; left == 0 {
			s.scan = (s.scan + i + 1) % len(nodes)
			break
		}
	}
	if best != nil {
		return best, ""
	}
	against[closed] += often
	delete(against, "")
	var list []string
	for r, n := range against {
		list = append(list, fmt.Sprintf("%d %s", n, r))
	}
	slices.Sort(list)
	if len(list) == 0 {
		return nil, "no nodes available to schedule pods"
	}
	return nil, fmt.Sprintf("0/%d nodes are available: %s.", len(nodes), strings.Join(list, ", "))
}

// enough is how many feasible nodes the scheduler chooses among, of so many: all in
// a cluster of up to 100, less than half in a larger one (numFeasibleNodesToFind in
// pkg/scheduler/schedule_one.go).
func enough(nodes int) int {
	return min(nodes, max(100, nodes*max(5, 50-nodes/125)/100))
}

// others are the hosts or zones that a pod's required anti-affinity keeps it from.
func (s *Sim) others(p *Pod) map[string]bool {
	if p.Shape.Apart == "" {
		return nil
	}
	taken := map[string]bool{}
	for _, q := range s.pods.of(appList(p.Namespace, p.Labels["app"])) {
		if q.owner != p.owner || q.Node == "" || q.Finished() {
			continue
		}
		if n := s.Truth.Node(q.Node); n != nil {
			taken[domain(n, p.Shape.Apart)] = true
		}
	}
	return taken
}

func domain(n *world.Node, of string) string {
	if of == "zone" {
		return n.Zone
	}
	return n.Name
}

// unschedulable says why a node whose taints a pod tolerates does not take it, with the reasons of the first of the
// scheduler's filters that objects (pkg/scheduler/framework/plugins, in the order
// of the default profile); "" where it does.
func (s *Sim) unschedulable(p *Pod, n *world.Node, l load, apart map[string]bool, of *domains) (why string, more []string) {
	if p.Shape.Zone != "" && n.Zone != p.Shape.Zone || p.Shape.Node != "" && n.Name != p.Shape.Node {
		return "node(s) didn't match Pod's node affinity/selector", nil
	}
	if p.Shape.fit != nil && !p.Shape.fit.selects(n) {
		return "node(s) didn't match Pod's node affinity/selector", nil
	}
	if short := s.insufficient(p, n, l); len(short) > 0 {
		return short[0], short[1:]
	}
	if v := s.volumes[volumeOf(p)]; v != nil && v.zone != "" && v.zone != n.Zone {
		return "node(s) had volume node affinity conflict", nil
	}
	if apart[domain(n, p.Shape.Apart)] {
		return "node(s) didn't match pod anti-affinity rules", nil
	}
	return s.misplaced(p, n, of), nil
}

// untolerated says which cordon or taint of a node a pod does not tolerate, "" if none.
func (s *Sim) untolerated(p *Pod, n *world.Node) string {
	if p.ToleratesAll {
		return ""
	}
	if n.Unschedulable {
		return "node(s) were unschedulable"
	}
	for _, t := range n.Taints {
		if hard(t) && !slices.Contains(p.Shape.Tolerates, t.Key) && !p.Shape.fit.tolerates(t) {
			if t == s.taint {
				return s.taintedBy
			}
			why := s.tainted[t]
			if why == "" {
				why = "node(s) had untolerated taint {" + t.Key + ": " + t.Value + "}"
				s.tainted[t] = why
			}
			s.taint, s.taintedBy = t, why
			return why
		}
	}
	if !n.Ready {
		return "node(s) had untolerated taint {node.kubernetes.io/not-ready: }"
	}
	return ""
}

// insufficient names what a node has not enough of for a pod.
func (s *Sim) insufficient(p *Pod, n *world.Node, l load) (out []string) {
	if s.fits != nil {
		return short(p, n, l)
	}
	if l.pods >= s.Config.Slots {
		out = append(out, "Too many pods")
	}
	if s.Config.CPU > 0 && p.Shape.CPU > 0 && l.cpu+p.Shape.CPU > s.Config.CPU {
		out = append(out, "Insufficient cpu")
	}
	if s.Config.Memory > 0 && p.Shape.Memory > 0 && l.memory+p.Shape.Memory > s.Config.Memory {
		out = append(out, "Insufficient memory")
	}
	return out
}

// hard reports whether a taint keeps pods off.
func hard(t world.Taint) bool { return t.Effect == "NoSchedule" || t.Effect == "NoExecute" }

// volumeOf is the name of a pod's volume, "" if it has none.
func volumeOf(p *Pod) string {
	if !p.Shape.Volume {
		return ""
	}
	return p.Ref()
}

// bind starts a pod on a node, as soon as its volume is there.
func (s *Sim) bind(p *Pod, n *world.Node) {
	p.Node, p.Unplaced, p.Placed = n.Name, "", s.now
	s.setPod(p)
	s.attach(p, n)
}

// attach waits until a pod's volume is off the node where it was before, and then
// starts the pod.
func (s *Sim) attach(p *Pod, n *world.Node) {
	if s.pods.byUID[p.UID] != p {
		return
	}
	if name := volumeOf(p); name != "" {
		v := s.volumes[name]
		if v == nil {
			v = &volume{zone: n.Zone, node: n.Name}
			s.volumes[name] = v
		}
		if v.node != n.Name && s.now.Before(v.free) {
			s.After(v.free.Sub(s.now), func() { s.attach(p, n) })
			return
		}
		v.node, v.free = n.Name, time.Time{}
	}
	s.After(min(time.Second, p.Shape.Ready), func() { s.starts(p) })
	s.After(p.Shape.Ready, func() { s.becomesReady(p) })
}

// forceDetach is how long the attach-detach controller waits for a node that does
// not answer (pkg/controller/volume/attachdetach, maxWaitForUnmountDuration).
const forceDetach = 6 * time.Minute

// letGo detaches the volume of a pod that is gone.
func (s *Sim) letGo(p *Pod) {
	v := s.volumes[volumeOf(p)]
	if v == nil || v.node != p.Node {
		return
	}
	v.free = s.now.Add(s.Config.Detach)
	if s.silent(p.Node) {
		v.free = s.now.Add(forceDetach)
	}
}
