package sim

import (
	"cmp"
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
	n.Labels, n.Taints = maps.Clone(old.Labels), slices.Clone(old.Taints)
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

// pod is a pod with what only its kubelet and its owner know.
type pod struct {
	world.Pod
	owner *workload // nil: a bare pod
	shape Shape
}

// setPod changes a pod of the Truth and tells the watch.
func (s *Sim) setPod(p *pod) {
	seen := p.Pod
	if s.pods[p.UID] != p {
		s.pods[p.UID] = p
		i, _ := slices.BinarySearchFunc(s.inOrder, p, byAge)
		s.inOrder = slices.Insert(slices.Clone(s.inOrder), i, p)
	}
	s.Truth.SetPod(&seen)
	s.watch(func(w *world.World) { w.SetPod(&seen) })
	s.touch()
}

func (s *Sim) dropPod(uid string) {
	p := s.pods[uid]
	if p == nil {
		return
	}
	delete(s.pods, uid)
	i, _ := slices.BinarySearchFunc(s.inOrder, p, byAge)
	s.inOrder = slices.Delete(slices.Clone(s.inOrder), i, i+1)
	s.Truth.DeletePod(uid)
	s.watch(func(w *world.World) { w.DeletePod(uid) })
	s.touch()
}

// allPods lists the pods as they were made, those of one moment by their UIDs.
// What happens to pods meanwhile does not change the list.
func (s *Sim) allPods() []*pod { return s.inOrder }

func byAge(a, b *pod) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.UID, b.UID))
}

// schedule places the pods that have no node, oldest first.
func (s *Sim) schedule() {
	for _, p := range s.allPods() {
		if p.Node != "" || p.Terminating() {
			continue
		}
		node, why := s.place(p)
		if node == "" {
			if p.Unplaced != why {
				p.Unplaced = why
				s.setPod(p)
			}
			continue
		}
		s.bind(p, node)
	}
}

// place finds a node for a pod: of those with room and no taint against it, the
// one that nothing speaks against, with the fewest pods of the same owner.
func (s *Sim) place(p *pod) (node, why string) {
	why = "no node has room and takes it"
	type place struct {
		name             string
		soft, same, pods int
	}
	var fits []place
	for _, n := range s.Truth.Nodes() {
		if !n.Ready || n.Unschedulable && !p.ToleratesAll || p.shape.Zone != "" && n.Zone != p.shape.Zone || p.shape.Node != "" && n.Name != p.shape.Node {
			continue
		}
		at := place{name: n.Name}
		refused := false
		for _, t := range n.Taints {
			refused = refused || !p.ToleratesAll && (t.Effect == "NoSchedule" || t.Effect == "NoExecute")
			if t.Effect == "PreferNoSchedule" && !p.ToleratesAll {
				at.soft++
			}
		}
		for _, other := range s.Truth.PodsOn(n.Name) {
			if other.Finished() || other.Owner.Kind == "DaemonSet" || other.Mirror {
				continue
			}
			at.pods++
			if other.Owner == p.Owner {
				at.same++
			}
		}
		if !refused && at.pods < s.Config.Slots {
			fits = append(fits, at)
		}
	}
	if len(fits) == 0 {
		return "", why
	}
	best := slices.MinFunc(fits, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.soft, b.soft), cmp.Compare(a.same, b.same), cmp.Compare(a.pods, b.pods), cmp.Compare(a.name, b.name))
	})
	return best.name, ""
}

// bind starts a pod on a node.
func (s *Sim) bind(p *pod, node string) {
	p.Node, p.Unplaced = node, ""
	s.setPod(p)
	s.after(min(time.Second, p.shape.Ready), func() { s.starts(p) })
	s.after(p.shape.Ready, func() { s.becomesReady(p) })
}

func (s *Sim) starts(p *pod) {
	if s.pods[p.UID] == p && p.Phase == world.PodPending {
		p.Phase = world.PodRunning
		s.setPod(p)
	}
}

func (s *Sim) becomesReady(p *pod) {
	if s.pods[p.UID] == p && p.Phase == world.PodRunning && !p.shape.NeverReady {
		p.Ready = true
		s.setPod(p)
	}
}

// kill asks a pod to go, as a DELETE does: with its own grace period, or with
// another one. A grace of zero removes it at once.
func (s *Sim) kill(uid string, grace *int64) {
	p := s.pods[uid]
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
	s.after(min(stop, give), func() {
		if s.pods[uid] == p && len(p.Finalizers) == 0 {
			s.dropPod(uid)
		}
	})
}
