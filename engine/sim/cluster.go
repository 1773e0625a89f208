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
	s.touch()
}

// editNode changes a copy of a node, if it exists.
func (s *Sim) editNode(name string, edit func(*world.Node)) bool {
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

// dropNode removes a node and, as the pod garbage collector does, its pods.
func (s *Sim) dropNode(name string) {
	for _, p := range s.Truth.PodsOn(name) {
		s.dropPod(p.UID)
	}
	s.Truth.DeleteNode(name)
	s.watch(func(w *world.World) { w.DeleteNode(name) })
	s.touch()
}

// setPod changes a pod of the Truth and tells the watch.
func (s *Sim) setPod(p *pod) {
	p.Unready = nil
	if p.Critical != "" && !p.up && p.Phase == world.PodRunning {
		p.Unready = []string{"main"}
	}
	seen := p.Pod
	s.pods.set(p)
	s.Truth.SetPod(&seen)
	s.watch(func(w *world.World) { w.SetPod(&seen) })
	s.touch()
}

func (s *Sim) dropPod(uid string) {
	p := s.pods.byUID[uid]
	if p == nil {
		return
	}
	s.pods.drop(p)
	s.letGo(p)
	if p.shape.Service && p.Node != "" && p.Owner.Kind != DaemonSet && !p.ToleratesAll { // those end with the node, or come back
		s.routes[uid] = gone{p.Node, p.route(), s.now.Add(s.Config.Routes)}
	}
	s.Truth.DeletePod(uid)
	s.watch(func(w *world.World) { w.DeletePod(uid) })
	s.touch()
}

// allPods lists the pods as they were made, those of one moment by their UIDs.
func (s *Sim) allPods() []*pod { return slices.SortedFunc(maps.Values(s.pods.byUID), byAge) }

func (s *Sim) starts(p *pod) {
	if s.pods.byUID[p.UID] == p && p.Phase == world.PodPending && !s.silent(p.Node) {
		p.Phase = world.PodRunning
		p.Crashing = p.shape.CrashesOn != "" && s.versionOf(p.Node) >= p.shape.CrashesOn
		s.setPod(p)
	}
}

// repairs lets a workload's pods crash-loop no more, those that do and those to come.
func (s *Sim) repairs(w *workload) {
	w.Shape.CrashesOn = ""
	for _, p := range s.allPods() {
		if p.owner != w {
			continue
		}
		p.shape.CrashesOn = ""
		if p.Crashing {
			p.Crashing = false
			s.becomesReady(p)
		}
	}
}

func (s *Sim) becomesReady(p *pod) {
	if s.pods.byUID[p.UID] == p && p.Phase == world.PodRunning && !p.shape.NeverReady && !p.Crashing && !s.silent(p.Node) && (p.owner == nil || !p.owner.down) {
		if p.Ready, p.up = !p.shape.Gated, true; p.Ready && !p.placed.IsZero() {
			p.Starting = s.now.Sub(p.placed)
		}
		s.setPod(p)
	}
}

// kill asks a pod to go, as a DELETE does: with its own grace period, or with
// another one. A grace of zero removes it at once.
func (s *Sim) kill(uid string, grace *int64) {
	p := s.pods.byUID[uid]
	if p == nil {
		return
	}
	give, stop := p.Grace, p.shape.Stop
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
	s.after(min(stop, give), func() { s.stops(p, give == 0 || p.Node == "") })
	if after := p.shape.Finalized; after > 0 && len(p.Finalizers) > 0 {
		s.after(stop+after, func() { s.finalize(p) })
	}
}

// stops ends a pod that was asked to go. Its kubelet has to live for that, unless
// the pod is only struck off.
func (s *Sim) stops(p *pod, struck bool) {
	if s.pods.byUID[p.UID] != p || !struck && s.silent(p.Node) {
		return
	}
	p.stopped = true
	if len(p.Finalizers) == 0 {
		s.dropPod(p.UID)
	}
}

// finalize serves a pod's finalizers.
func (s *Sim) finalize(p *pod) {
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
