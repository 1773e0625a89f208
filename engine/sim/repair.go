package sim

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// repair ends every fault that does not end by itself and undoes what others have left in the
// way of a run: budgets are deleted, workloads that cannot move are scaled to zero, marks of
// others come off, and machines that will never join are ended. Faults with a span of their
// own are left to run out.
func (s *Sim) repair(r *record.Run) {
	f := &s.faults
	f.half, f.halfDetach, f.chance, f.replaced, f.between = 0, 0, 0, 0, world.Sizes{}
	clear(f.lose)
	clear(f.drop)
	clear(f.refused)
	clear(f.webhook)
	clear(f.machine)
	s.nodeHooks = nodeHooks{}
	s.repairGroup()
	if to := r.Target.Templates; s.retargeted && len(to) > 0 && s.group.Template != to[0] {
		s.SetTemplate(to[0].Version, s.group.TemplateSpec)
	}
	for _, ref := range sortedKeys(s.budgets) {
		s.DropBudget(ref)
	}
	s.repairWorkloads(r.Settings.DrainTimeout)
	for _, id := range sortedKeys(s.machines) { // those on standby and the detached ones too
		if m := s.machines[id]; !m.Leaving() {
			s.repairMachine(m, r)
		}
	}
	for id := range s.taken {
		if n := s.Truth.NodeOf(id); n != nil && !n.Ready { // who took its machine ends it
			s.dropNode(n.Name)
		}
	}
	if s.taintedAll() {
		s.resize(1) // what the pause of such a run says
	}
	s.listMachines()
	s.touch()
}

// repairWorkloads scales to zero what cannot move within a drain's time, and to one what can.
func (s *Sim) repairWorkloads(drain time.Duration) {
	for _, w := range s.workloads {
		switch h := w.Shape; {
		case w.Kind == DaemonSet || w.Namespace != "app":
		case h.NeverReady || h.ToleratesAll || h.CrashesOn != "" || h.Apart != "" || h.Volume || h.CPU > 0 || h.Stop >= drain:
			w.Replicas = 0
		default:
			w.Replicas = min(w.Replicas, 1)
		}
	}
}

// repairGroup lets the group launch, replace and let go of machines again.
func (s *Sim) repairGroup() {
	g := &s.group
	g.quota, g.protects, g.Refresh, g.Scaling = 0, false, world.Refresh{}, world.Scaling{}
	clear(g.room)
	clear(g.keeps)
	s.resumeByOthers(launch)
	s.resumeByOthers(replaceUnhealthy)
	for i := range g.hooks {
		g.hooks[i].Refuses, g.hooks[i].Abandon = false, false
	}
	s.balancer.takes, s.balancer.fails = 0, false
	clear(s.pool.fails)
	clear(s.pool.hangs)
}

// repairMachine heals a machine and takes the marks of others off its node, or ends one that
// will never be Ready, or whose node was deleted.
func (s *Sim) repairMachine(m *machine, r *record.Run) {
	m.Protected = false
	switch {
	case m.neverJoins || m.neverReady || m.noLabels, s.group.Role != world.RoleBastion && s.Truth.Node(m.name) == nil && s.now.Sub(m.began) > repairTime:
		s.end(m)
		s.tilted = true
		return
	case m.silent:
		s.speak(m)
	}
	n := s.Truth.Node(m.name)
	if n == nil {
		return
	}
	if stepOf(n) == world.GardenerFailed {
		_ = s.retryUpdate(m.name) // it has failed: see above
	}
	s.repairMarks(m, n, r)
}

// repairMarks takes the marks of others off a machine's node.
func (s *Sim) repairMarks(m *machine, n *world.Node, r *record.Run) {
	ours := slices.ContainsFunc(r.Marks[m.ID], func(k record.Mark) bool { return k.Put.Kind == record.Cordon && !k.Foreign })
	if stepOf(n) == world.GardenerSelected && !n.Unschedulable { // else its pods return while Gardener drains it
		s.editByOthers(m.name, func(n *world.Node) { cordon(n, s.now) })
	}
	if n.Labels[selectedLabel] != "" && n.Labels[candidateLabel] == "" { // put when its update was just over: nobody else takes it off
		s.editByOthers(m.name, func(n *world.Node) { delete(n.Labels, selectedLabel) })
		n = s.Truth.Node(m.name)
	}
	if n.Unschedulable && (!ours || s.roomless(m, r)) && n.Labels[selectedLabel] == "" {
		s.editByOthers(m.name, uncordon)
	}
	s.editByOthers(m.name, func(n *world.Node) {
		n.Taints = slices.DeleteFunc(slices.Clone(n.Taints), func(t world.Taint) bool {
			return t.Key == "theirs" || t == handlerTaint || t == autoscalerTaint
		})
		for _, key := range []string{"weave.works/kured-reboot-in-progress", keepAnnotation} {
			delete(n.Annotations, key)
		}
	})
}

// taintedAll reports whether pods wait for a group whose nodes all wear the taint of a run.
func (s *Sim) taintedAll() bool {
	alive := s.alive()
	return len(alive) > 0 && len(s.Truth.Unplaced()) > 0 && !slices.ContainsFunc(alive, func(m *machine) bool {
		n := s.Truth.Node(m.name)
		return n == nil || !n.HasTaint(world.Taint{Key: world.EKSGroupKey, Value: "unschedulable", Effect: "NoSchedule"})
	})
}

// roomless reports whether a node that MINIMAL has cordoned, and does not drain yet, is what pods
// wait for: to uncordon it is what the pause of such a run says.
func (s *Sim) roomless(m *machine, r *record.Run) bool {
	stage := r.Nodes.Peek(m.ID).Stage
	return r.Strategy == "eks-minimal" && (stage == record.Outdated || stage == record.Queued) && len(s.Truth.Unplaced()) > 0
}
