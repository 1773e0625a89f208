package assess

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// In lists the machines in any of the given stages, sorted.
func (s *Reader) In(stages ...record.Stage) []string {
	var out []string
	for _, stage := range stages {
		out = append(out, s.facts().stages[stage]...)
	}
	if len(stages) > 1 {
		slices.Sort(out)
	}
	return out
}

// Count counts the machines in any of the given stages.
func (s *Reader) Count(stages ...record.Stage) int {
	count := 0
	for _, stage := range stages {
		count += len(s.facts().stages[stage])
	}
	return count
}

// OwnerName is the name people know a pod's owner by: a Deployment's rather than
// its ReplicaSet's.
func OwnerName(p *world.Pod) string {
	if hash := p.Labels["pod-template-hash"]; p.Owner.Kind == "ReplicaSet" && hash != "" {
		return strings.TrimSuffix(p.Owner.Name, "-"+hash)
	}
	return p.Owner.Name
}

// Known reports whether every source has been read once. Before that, what is not
// in the world may only be unknown.
func (s *Reader) Known() bool {
	return !slices.ContainsFunc(s.Run.Sources(), func(src world.Source) bool { return s.W.Health[src].Fresh.IsZero() })
}

// LeftOut lists the machines that are done with, or left out, and still wear marks.
func (s *Reader) LeftOut() []string {
	return slices.Sorted(maps.Keys(s.Among(leftMarked)))
}

// AtDeadline is what happens to a node when the time of its drain is up.
func AtDeadline(run *record.Run, n record.Node) record.TimeoutPolicy {
	policy := run.Settings.OnDrainTimeout
	if run.Settings.PassDrain && policy == record.TimeoutFail {
		policy = record.TimeoutForce
	}
	if run.Retires() && policy == record.TimeoutFail {
		return record.TimeoutSkip // another one may be retired in its place
	}
	if n.Order != "" && policy == record.TimeoutForce {
		return record.TimeoutFail // force did not help either
	}
	return policy
}

// Judge is drain.Judge with the run's consents, or with those of who else drains the
// node.
func (s *Reader) Judge(p *world.Pod) drain.Verdict { return drain.Judge(s.W, p, s.ConsentsOn(p.Node)) }

// Nodeless reports whether the machines of the group have no nodes, as far as the run
// knows: those of a bastion group never join the cluster, and with CloudOnly it is not
// looked at. They are ended without a cordon, a drain or a look.
func (s *Reader) Nodeless() bool {
	return s.Run.Settings.CloudOnly || s.W.Group.Role == world.RoleBastion
}

// MissingFor is how long a machine that we did not end must be off the group's
// list before it counts as gone.
const MissingFor = 10 * time.Second

// mayChange reports whether there may be news of a machine, or of its node, that the run's
// node has to follow.
func mayChange(m *world.Machine, n record.Node, known bool) bool {
	return !known || n.Stage == record.Launching || n.Name == "" || !n.Missing.IsZero() || m.State != world.MachineInService || m.Detached != n.Detached
}

// ReadyForPods reports whether a new machine counts: in service, its node Ready
// and with the labels that are expected of it.
func (s *Reader) ReadyForPods(m *world.Machine, node *world.Node) bool {
	if s.Nodeless() {
		return m.State == world.MachineInService
	}
	if m.State != world.MachineInService || node == nil || !node.Ready {
		return false
	}
	for k, v := range s.Run.Settings.NewLabels {
		if got, ok := node.Labels[k]; !ok || v != "" && got != v {
			return false
		}
	}
	return true
}

// UpToDate reports whether a machine was launched from a target template, or is as good as one
// that was, and nothing else asks for its replacement.
func (s *Reader) UpToDate(m *world.Machine) bool {
	return s.Selects(m) == "" && (slices.Contains(s.Run.Target.Templates, m.Template) || s.asTarget(m)) && !(s.Run.Target.All && s.LaunchedBefore(m)) && !s.W.Group.Awaits(s.W.NodeOf(m.ID))
}

// asTarget reports whether a machine of a managed node group was launched from a version of
// the template that differs from the target in its number only, or has the AMI that is asked for:
// an update that failed has brought it.
func (s *Reader) asTarget(m *world.Machine) bool {
	g, t := &s.W.Group, &s.Run.Target
	return g.Managed != nil && (slices.Contains(t.Templates, g.Template) && g.HasTarget(s.W.NodeOf(m.ID)) || g.HasImage(s.W.NodeOf(m.ID), t.Image))
}

// LaunchedBefore reports whether a machine is older than the run, as far as its
// node tells.
func (s *Reader) LaunchedBefore(m *world.Machine) bool {
	if s.Nodeless() {
		return s.First
	}
	n, started := s.W.NodeOf(m.ID), s.Run.Started
	switch {
	case n == nil:
		return false
	case started.IsZero():
		return true
	case s.First: // what is there already is older, as the plan had it
		return !n.Created.After(started)
	}
	return n.Created.Before(started.Truncate(time.Second)) // a creation has whole seconds
}

// Label is the name to show for a machine: its node's, or its own id.
func (s *Reader) Label(id string, n record.Node) string { return record.NameOf(id, n) }

// LeavingPods lists the pods that keep a node from being empty, and of these the
// ones that need a consent that was not given.
func LeavingPods(w *world.World, pods []*world.Pod, c drain.Consents) (all, asks []*world.Pod) {
	for _, p := range pods {
		switch drain.Judge(w, p, c).Fate {
		case drain.Leaves:
			all = append(all, p)
		case drain.Asks:
			all = append(all, p)
			if !p.Terminating() {
				asks = append(asks, p)
			}
		}
	}
	return all, asks
}

// Silent reports whether a node is (still) not heard from.
func Silent(w *world.World, node string) bool {
	n := w.Node(node)
	return n != nil && !n.Unreachable.IsZero()
}
