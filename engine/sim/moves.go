package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// handlerTaint is what the Node Termination Handler puts on a node before it drains it.
var handlerTaint = world.Taint{Key: "aws-node-termination-handler/scheduled-maintenance", Effect: "NoSchedule"}

// movers put marks on nodes, as tools do that move them.
var movers = map[string]func(*world.Node){
	"autoscaler": func(n *world.Node) { n.Taints = append(n.Taints, autoscalerTaint) },
	"kops": func(n *world.Node) {
		n.Taints = append(n.Taints, world.Taint{Key: kopsTaint, Effect: "PreferNoSchedule"})
	},
	"karpenter": func(n *world.Node) {
		n.Taints = append(n.Taints, world.Taint{Key: "karpenter.sh/disrupted", Effect: "NoSchedule"})
	},
	"handler": func(n *world.Node) {
		n.Taints = append(n.Taints, handlerTaint)
		n.Unschedulable = true
	},
	"kured": func(n *world.Node) {
		annotate(n, "weave.works/kured-reboot-in-progress", "yes")
		n.Unschedulable = true
	},
	"keeper":    func(n *world.Node) { annotate(n, keepAnnotation, "true") }, // of the autoscaler
	"asks-kops": func(n *world.Node) { annotate(n, "kops.k8s.io/needs-update", "") },
	"repair": func(n *world.Node) {
		n.Labels["eks.amazonaws.com/nodegroup"] = "ng"
		n.Conditions = append(n.Conditions, world.Condition{Type: "KernelReady", Off: true, Reason: "SoftLockup"})
	},
}

// moves lets a tool mark a node, and take the mark off again if it is to.
func (c *Script) moves(a *args) error {
	s := c.Sim
	node, by, span := a.next(), a.word("by"), a.span("for", 0)
	put := movers[by]
	before := s.Truth.Node(node)
	if put == nil || before == nil {
		return fmt.Errorf("%q moves no node %q", by, node)
	}
	cordoned := before.Unschedulable
	s.editByOthers(node, put)
	if span == 0 {
		return nil
	}
	then := *before
	then.Labels, then.Annotations, then.Taints = maps.Clone(before.Labels), maps.Clone(before.Annotations), slices.Clone(before.Taints)
	put(&then)
	s.after(span, func() {
		s.editByOthers(node, func(n *world.Node) {
			n.Taints = slices.DeleteFunc(n.Taints, func(t world.Taint) bool { return then.HasTaint(t) && !before.HasTaint(t) })
			n.Conditions = before.Conditions
			for key := range then.Annotations {
				if _, was := before.Annotations[key]; !was {
					delete(n.Annotations, key)
				}
			}
			if then.Unschedulable && !cordoned {
				n.Unschedulable = false
			}
		})
	})
	return nil
}

// schedules gives the group a scheduled action, which sets the desired size in a while.
func (c *Script) schedules(a *args) {
	s := c.Sim
	name, desired, in := a.next(), a.int("desired", 0), a.span("in", 5*time.Minute)
	s.group.Scaling.Schedule = append(s.group.Scaling.Schedule, world.Scheduled{Name: name, At: s.now.Add(in), Desired: &desired})
	s.after(in, func() {
		s.group.Scaling.Schedule = slices.DeleteFunc(slices.Clone(s.group.Scaling.Schedule), func(x world.Scheduled) bool { return x.Name == name })
		if !s.group.HasSuspended("ScheduledActions") {
			s.resize(desired - s.group.Sizes.Desired)
		}
		s.listMachines()
		s.touch()
	})
}
