package sim

import (
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// setNode changes a node of the Truth and tells the watch.
func (s *Sim) setNode(n world.Node) {
	s.Truth.SetNode(&n)
	s.watch(func(w *world.World) { w.SetNode(&n) })
	s.Touch()
}

// EditNode changes a copy of a node, if it exists.
func (s *Sim) EditNode(name string, edit func(*world.Node)) bool {
	old := s.Truth.Node(name)
	if old == nil {
		return false
	}
	n := *old
	n.Labels, n.Annotations, n.Taints = maps.Clone(old.Labels), maps.Clone(old.Annotations), slices.Clone(old.Taints)
	edit(&n)
	s.setNode(n)
	return true
}

// DropNode removes a node and, as the pod garbage collector does, its pods.
func (s *Sim) DropNode(name string) {
	for _, p := range s.Truth.PodsOn(name) {
		s.dropPod(p.UID)
	}
	s.Truth.DeleteNode(name)
	s.watch(func(w *world.World) { w.DeleteNode(name) })
	s.Touch()
}

// setPod changes a pod of the Truth and tells the watch.
func (s *Sim) setPod(p *Pod) {
	p.Unready = nil
	if p.Critical != "" && !p.up && p.Phase == world.PodRunning {
		p.Unready = []string{"main"}
	}
	seen := p.Pod
	s.pods.set(p)
	s.Truth.SetPod(&seen)
	s.watch(func(w *world.World) { w.SetPod(&seen) })
	s.Touch()
}

func (s *Sim) dropPod(uid string) {
	p := s.pods.byUID[uid]
	if p == nil {
		return
	}
	s.pods.drop(p)
	s.letGo(p)
	if p.Shape.Service && p.Node != "" && p.Owner.Kind != DaemonSet && !p.ToleratesAll { // those end with the node, or come back
		s.routes[uid] = gone{p.Node, p.route(), s.now.Add(s.Config.Routes)}
	}
	s.Truth.DeletePod(uid)
	s.watch(func(w *world.World) { w.DeletePod(uid) })
	s.Touch()
}

// AllPods lists the pods as they were made, those of one moment by their UIDs.
func (s *Sim) AllPods() []*Pod { return slices.SortedFunc(maps.Values(s.pods.byUID), byAge) }

func (s *Sim) starts(p *Pod) {
	if s.pods.byUID[p.UID] == p && p.Phase == world.PodPending && !s.silent(p.Node) {
		p.Phase = world.PodRunning
		p.Crashing = p.Shape.CrashesOn != "" && s.versionOf(p.Node) >= p.Shape.CrashesOn
		s.setPod(p)
	}
}

// RepairWorkload lets a workload's pods crash-loop no more, those that do and those to come.
func (s *Sim) RepairWorkload(w *Workload) {
	w.Shape.CrashesOn = ""
	for _, p := range s.AllPods() {
		if p.owner != w {
			continue
		}
		p.Shape.CrashesOn = ""
		if p.Crashing {
			p.Crashing = false
			s.becomesReady(p)
		}
	}
}

func (s *Sim) becomesReady(p *Pod) {
	if s.pods.byUID[p.UID] == p && p.Phase == world.PodRunning && !p.Shape.NeverReady && !p.Crashing && !s.silent(p.Node) && (p.owner == nil || !p.owner.down) {
		if p.Ready, p.up = !p.Shape.Gated, true; p.Ready && !p.Placed.IsZero() {
			p.Starting = s.now.Sub(p.Placed)
		}
		s.setPod(p)
	}
}

// Kill asks a pod to go, as a DELETE does: with its own grace period, or with
// another one. A grace of zero removes it at once.
func (s *Sim) Kill(uid string, grace *int64) {
	p := s.pods.byUID[uid]
	if p == nil {
		return
	}
	give, stop := p.Grace, p.Shape.Stop
	if grace != nil {
		give = time.Duration(*grace) * time.Second
	}
	if p.Node == "" || give == 0 {
		stop = 0
	}
	if p.Terminating() && !s.now.Add(give).Before(p.Ends) {
		return
	}
	p.Ends = s.now.Add(give)
	s.setPod(p)
	s.After(min(stop, give), func() { s.stops(p, give == 0 || p.Node == "") })
	if after := p.Shape.Finalized; after > 0 && len(p.Finalizers) > 0 {
		s.After(stop+after, func() { s.Finalize(p) })
	}
}

// stops ends a pod that was asked to go. Its kubelet has to live for that, unless
// the pod is only struck off.
func (s *Sim) stops(p *Pod, struck bool) {
	if s.pods.byUID[p.UID] != p || !struck && s.silent(p.Node) {
		return
	}
	p.stopped = true
	if len(p.Finalizers) == 0 {
		s.dropPod(p.UID)
	}
}

// Finalize serves a pod's finalizers.
func (s *Sim) Finalize(p *Pod) {
	if s.pods.byUID[p.UID] != p {
		return
	}
	p.Finalizers = nil
	s.setPod(p)
	if p.stopped {
		s.dropPod(p.UID)
	}
}

// versionOf is the version of a node's kubelet, "" if there is no such node.
func (s *Sim) versionOf(node string) string {
	if n := s.Truth.Node(node); n != nil {
		return n.Version
	}
	return ""
}

// Forget empties the View: nobody watches any more.
func (s *Sim) Forget() {
	s.View, s.shownGroup, s.synced, s.Faults.held = world.New(), nil, false, nil
	s.process++
}

// Connect begins to fill an empty View: the cloud's side with the answer to a
// first poll, the cluster's nodes soon, and the rest of the cluster when all lists
// have arrived. Until then the cluster counts as never seen.
func (s *Sim) Connect() {
	s.View.SetHealth(world.Cluster, world.Health{Problem: "reading the cluster's nodes, pods and budgets"})
	s.look()
	process := s.process
	s.After(s.Config.Sync/2, func() {
		if process == s.process && !s.Faults.away(world.Cluster, s.now) {
			s.show(func(w *world.World) {
				for _, n := range s.Truth.Nodes() {
					w.SetNode(n)
				}
			})
			s.fresh = true
		}
	})
	s.After(s.Config.Sync, func() { s.list(process) })
}

// list fills the cluster's side of the View as the lists of a watch do: as things
// are now, so that what the watch was about to tell before is old.
func (s *Sim) list(process int) {
	if process != s.process {
		return
	}
	if back := Later(s.Faults.gone[world.Cluster], s.Faults.EtcdUntil); s.now.Before(back) {
		s.After(back.Sub(s.now), func() { s.list(process) })
		return
	}
	s.lists++
	s.Faults.held = nil
	s.show(s.ClusterOf(s.Truth))
	s.synced, s.fresh = true, true
}

// ClusterOf is the cluster's side of a World as a change that makes an empty one
// like it.
func (s *Sim) ClusterOf(v *world.World) func(*world.World) {
	nodes, budgets, daemons := v.Nodes(), v.Budgets(), s.DaemonSets()
	var pods []*world.Pod
	for _, p := range s.AllPods() {
		if seen := v.Pod(p.UID); seen != nil {
			pods = append(pods, seen)
		}
	}
	return func(to *world.World) {
		to.SetDaemonSets(daemons)
		for _, old := range to.Nodes() {
			if v.Node(old.Name) == nil {
				to.DeleteNode(old.Name)
			}
		}
		for _, n := range nodes {
			to.SetNode(n)
		}
		for _, p := range pods {
			to.SetPod(p)
		}
		for _, b := range budgets {
			to.SetBudget(b)
		}
	}
}
