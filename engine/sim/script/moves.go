package script

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/world"
)

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
	s.EditByOthers(node, put)
	if span == 0 {
		return nil
	}
	then := *before
	then.Labels, then.Annotations, then.Taints = maps.Clone(before.Labels), maps.Clone(before.Annotations), slices.Clone(before.Taints)
	put(&then)
	s.After(span, func() {
		s.EditByOthers(node, func(n *world.Node) {
			n.Taints = slices.DeleteFunc(n.Taints, func(t world.Taint) bool { return then.HasTaint(t) && !before.HasTaint(t) })
			n.Conditions = before.Conditions
			for key := range then.Labels {
				if _, was := before.Labels[key]; !was {
					delete(n.Labels, key)
				}
			}
			for key := range then.Annotations {
				if _, was := before.Annotations[key]; !was {
					delete(n.Annotations, key)
				}
			}
			sim.Unhandle(n)
			if then.Unschedulable && !cordoned {
				n.Unschedulable = false
			}
		})
	})
	return nil
}

// schedules gives the group a scheduled action, which sets the desired size in a while; it takes the place of
// another one of that name.
func (c *Script) schedules(a *args) {
	s := c.Sim
	name, desired, in := a.next(), a.int("desired", 0), a.span("in", 5*time.Minute)
	at := s.Now().Add(in)
	named := func(x world.Scheduled) bool { return x.Name == name }
	s.Group.Scaling.Schedule = append(slices.DeleteFunc(slices.Clone(s.Group.Scaling.Schedule), named), world.Scheduled{Name: name, At: at, Desired: &desired})
	s.After(in, func() {
		if i := slices.IndexFunc(s.Group.Scaling.Schedule, named); i < 0 || !s.Group.Scaling.Schedule[i].At.Equal(at) {
			return
		}
		s.Group.Scaling.Schedule = slices.DeleteFunc(slices.Clone(s.Group.Scaling.Schedule), named)
		if !s.Group.HasSuspended("ScheduledActions") {
			s.Resize(desired - s.Group.Sizes.Desired)
		}
		s.ListMachines()
		s.Touch()
	})
}

// movers put marks on nodes, as tools do that move them.
var movers = map[string]func(*world.Node){
	"autoscaler": func(n *world.Node) { n.Taints = append(n.Taints, sim.AutoscalerTaint) },
	"kops": func(n *world.Node) {
		n.Taints = append(n.Taints, world.Taint{Key: sim.KopsTaint, Effect: "PreferNoSchedule"})
	},
	"karpenter": func(n *world.Node) {
		n.Taints = append(n.Taints, world.Taint{Key: "karpenter.sh/disrupted", Effect: "NoSchedule"})
	},
	"handler": func(n *world.Node) {
		n.Taints = append(n.Taints, sim.HandlerTaint)
		n.Unschedulable = true
	},
	"handler-label": sim.Handle,
	"kured": func(n *world.Node) {
		sim.Annotate(n, "weave.works/kured-reboot-in-progress", "yes")
		n.Unschedulable = true
	},
	"cyclops": func(n *world.Node) { n.Labels["cyclops.atlassian.com/terminate"] = "request-1" },
	"event": func(n *world.Node) { // of the Node Termination Handler, one that outlives it
		n.Labels["aws-node-termination-handler/action"] = "CordonAndDrain"
		n.Unschedulable = true
	},
	"keeper":    func(n *world.Node) { sim.Annotate(n, sim.KeepAnnotation, "true") }, // of the autoscaler
	"asks-kops": func(n *world.Node) { sim.Annotate(n, "kops.k8s.io/needs-update", "") },
	"repair": func(n *world.Node) {
		n.Labels["eks.amazonaws.com/nodegroup"] = "ng"
		n.Conditions = append(n.Conditions, world.Condition{Type: "KernelReady", Off: true, Reason: "SoftLockup"})
	},
}
