package sim

import (
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// ResumeProcess lets a process of the group act again, as another user.
func (s *Sim) ResumeProcess(process string) {
	if s.Group.HasSuspended(process) {
		s.ResumedAt[process] = s.now
		s.Group.Suspended = slices.DeleteFunc(slices.Clone(s.Group.Suspended), func(p string) bool { return p == process })
	}
}

// Cordon cordons a node. The control plane notes since when in the time of a taint, which
// it leaves as it is when the node is cordoned once more.
func Cordon(n *world.Node, since time.Time) {
	if !n.Unschedulable {
		n.Tainted = maps.Clone(n.Tainted)
		if n.Tainted == nil {
			n.Tainted = map[string]time.Time{}
		}
		n.Tainted[cordonTaint] = since
	}
	n.Unschedulable = true
}

// Uncordon lets a node take pods again.
func Uncordon(n *world.Node) {
	n.Tainted = maps.Clone(n.Tainted)
	delete(n.Tainted, cordonTaint)
	n.Unschedulable = false
}

const cordonTaint = "node.kubernetes.io/unschedulable"

// Resize changes the desired size as another user, as far as the minimum allows; the
// group has yet to follow.
func (s *Sim) Resize(by int) {
	by = max(by, s.Group.Sizes.Min-s.Group.Sizes.Desired)
	s.ShrunkAt, s.Tilted = s.now, true
	s.Group.Sizes.Desired += by
	s.resizedByOthers(by)
	if over := s.Group.Sizes.Desired - s.Group.Sizes.Max; over > 0 {
		s.Group.Sizes.Max += over
		s.Foreign.Max += over
		s.TheirMaxima[s.Group.Sizes.Max] = true
	}
}

// resizedByOthers notes that another user changed the desired size.
func (s *Sim) resizedByOthers(by int) {
	s.Foreign.Desired += by
	s.keepMinimum()
	if by > 0 {
		s.RaisedBy += by
		s.raises[s.now] += by
	} else if by < 0 {
		s.Lowered++
		s.Lowerings[s.now] -= by
	}
}

// SetBounds changes the group's bounds as another user. The minimum is what the group is to have
// at least from then on, the maximum what it is to have at most.
func (s *Sim) SetBounds(low, high int) {
	sizes := &s.Group.Sizes
	s.Foreign.Min += low - sizes.Min
	s.Foreign.Max += high - sizes.Max
	if high != sizes.Max {
		s.TheirMaxima[high] = true
	}
	sizes.Min, sizes.Max = low, high
	if by := min(high, max(low, sizes.Desired)) - sizes.Desired; by != 0 {
		s.Resize(by)
		s.Foreign.Desired -= min(0, by) // what the new maximum takes down is not what others want less of
	}
	s.Foreign.Desired -= max(0, s.Before.Desired+s.Foreign.Desired-high)
	s.keepMinimum()
}

// keepMinimum makes the group's minimum what it is to have at least, and one machine if it had
// any and others leave it one. Where others change its size before and after that, and no driver
// reads it between, nobody can tell which came first: it may as well be to have only what all of
// it comes to.
func (s *Sim) keepMinimum() {
	least := max(s.Group.Sizes.Min, min(1, s.Before.Desired, s.Group.Sizes.Desired))
	kept := max(0, least-s.Before.Desired-s.Foreign.Desired)
	s.Foreign.Desired += kept
	s.Slack += kept
}

// NoteSizes is called when the record of a run is saved that was decided with the sizes as they are. A group
// that had machines when the run raised it, and has one now, keeps one.
func (s *Sim) NoteSizes(had int) {
	least := max(s.Group.Sizes.Min, min(1, had, s.Group.Sizes.Desired))
	s.Slack = min(s.Slack, max(0, s.Before.Desired+s.Foreign.Desired-least))
}

// ours are the keys of the taints that Drainboard puts on nodes; on those of kops's groups
// another one as well.
var ours = []string{"eks.amazonaws.com/nodegroup", "drainboard.dev/surplus", "drainboard.dev/outdated", "drainboard.dev/closed"}

// KopsTaint says that kops is going to replace a node.
const KopsTaint = "kops.k8s.io/scheduled-for-update"

// KeepAnnotation keeps the Cluster Autoscaler from removing a node.
const KeepAnnotation = "cluster-autoscaler.kubernetes.io/scale-down-disabled"

// ExcludeLabel on a node has load balancers leave it out.
const ExcludeLabel = "node.kubernetes.io/exclude-from-external-load-balancers"

// MarksOn lists the marks on a node that look like ours, as node/mark.
func (s *Sim) MarksOn(n *world.Node) []string {
	var out []string
	for _, t := range n.Taints {
		if slices.Contains(ours, t.Key) || s.Group.Provider == "kops" && t.Key == KopsTaint || t.Key == world.GardenerTaint {
			out = append(out, n.Name+"/"+t.Key)
		}
	}
	if n.Unschedulable {
		out = append(out, n.Name+"/cordon")
	}
	if _, ok := n.Labels[ExcludeLabel]; ok {
		out = append(out, n.Name+"/"+ExcludeLabel)
	}
	if _, ok := n.Annotations[KeepAnnotation]; ok {
		out = append(out, n.Name+"/"+KeepAnnotation)
	}
	return out
}

// Owed is the desired size that the group is to have once nothing of ours is in it: what it had
// before the first run of a chain, and what others have changed since.
func (s *Sim) Owed() int { return max(s.Before.Desired+s.Foreign.Desired, s.Group.Sizes.Min) }

// HandlerTaint is what the Node Termination Handler puts on a node before it drains it.
var HandlerTaint = world.Taint{Key: "aws-node-termination-handler/scheduled-maintenance", Effect: "NoSchedule"}

// handlerLabels is the value with which the Node Termination Handler puts ExcludeLabel on a node that it cordons, which is
// all that it puts where it is not told to taint nodes.
const handlerLabels = "aws-node-termination-handler"

// Handle is the Node Termination Handler, told to leave taints alone: it cordons a node and labels it out of load
// balancers, unless it is already.
func Handle(n *world.Node) {
	n.Unschedulable = true
	if _, labelled := n.Labels[ExcludeLabel]; !labelled {
		n.Labels[ExcludeLabel] = handlerLabels
	}
}

// Unhandle takes the handler's label off.
func Unhandle(n *world.Node) {
	if n.Labels[ExcludeLabel] == handlerLabels {
		delete(n.Labels, ExcludeLabel)
	}
}

// Handled reports whether a node carries the handler's label or its taint.
func Handled(n *world.Node) bool {
	return n.HasTaint(HandlerTaint) || n.Labels[ExcludeLabel] == handlerLabels
}

// TakeOut takes a machine out of the group as another user: it runs on.
func (s *Sim) TakeOut(m *Machine) {
	s.removeMachine(m)
	s.TakenOut[m.ID] = true
	s.Resize(-1)
}
