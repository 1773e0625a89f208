package script

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/world"
)

// another user acts on the cluster or the cloud:
//
//	user scale group=+2 | scale web=13
//	user bounds min=2 max=9
//	user cordon a1 [since=1h] | uncordon a1 | drains a1 [ends]
//	user taint a1 key=k value=v effect=NoSchedule | untaint a1 key=k
//	user deletes pod=web-1 | budget=web | node=a1
//	user changes budget=web min=3
//	user clears finalizers=web-1
//	user sets template=3 [spec=$Latest]
//	user suspends AZRebalance | resumes AZRebalance
//	user refreshes [percent=40] [over]   an instance refresh begins, continues, or is over
//	user moves a1 by=autoscaler|kops|karpenter|handler|handler-label|event|kured|cyclops|keeper|asks-kops|repair [for=40s]   (moves.go)
//	user schedules night desired=3 in=5m | has policy=cpu [unread]
//	user retries a1   a node's agent tries a failed update in place again
//	user selects a1   for its update in place
//	user repairs web   its pods crash-loop no more
//	user rejects pod=dns-1   the kubelet of a critical pod's node does not admit it
//	user breaks | mends masters-1 [network | static] [for=1m]   a node is not Ready, has no network or no static pods, or is again
//	user breaks | mends pod=dns-1   the container of a critical pod is not ready, or is again
//	user kills | detaches | protects | stands-by | brings-back a1
func (c *Script) user(a *args) error {
	verb := a.next()
	for _, part := range []func(verb string, a *args) (known bool, err error){c.toGroup, c.toPods} {
		if known, err := part(verb, a); known {
			if err == nil {
				c.Sim.ListMachines()
				c.Sim.Touch()
			}
			return err
		}
	}
	return c.toNode(verb, a)
}

// toGroup is what users do to the group.
func (c *Script) toGroup(verb string, a *args) (known bool, err error) {
	s := c.Sim
	switch verb {
	case "bounds":
		c.bounds(a)
	case "sets":
		s.SetTemplate(int64(a.int("template", 2)), a.word("spec"))
		s.Retargeted = c.Driver != nil
	case "suspends":
		process := a.next()
		s.Group.Suspended = append(s.Group.Suspended, process)
		if s.Group.SuspensionReasons == nil {
			s.Group.SuspensionReasons = map[string]string{}
		}
		s.Group.SuspensionReasons[process] = "User suspended at " + s.Now().Format(time.RFC3339)
		s.TheirSuspended[process] = true
	case "resumes":
		process := a.next()
		s.TheirSuspended[process] = false
		s.ResumeProcess(process)
	case "schedules":
		c.schedules(a)
	case "has":
		if s.Group.Scaling.Unread = ""; a.flag("unread") {
			s.Group.Scaling.Unread = "AWS does not allow the IAM action autoscaling:DescribePolicies (AccessDenied)"
		} else {
			s.Group.Scaling.Policies = append(s.Group.Scaling.Policies, world.Policy{Name: a.word("policy"), Kind: "TargetTrackingScaling"})
		}
	case "refreshes":
		s.Group.Refresh = world.Refresh{ID: "r-1", Status: "InProgress", Percent: a.int("percent", 0), Since: s.Now()}
		if a.flag("over") {
			s.Group.Refresh = world.Refresh{}
		}
	default:
		return false, nil
	}
	return true, nil
}

// toPods is what users do to pods and workloads and leave the controllers to see.
func (c *Script) toPods(verb string, a *args) (known bool, err error) {
	s := c.Sim
	switch verb {
	case "repairs":
		name := a.next()
		i := slices.IndexFunc(s.Workloads(), func(w *sim.Workload) bool { return w.Name == name })
		if i < 0 {
			return true, fmt.Errorf("there is no workload %q", name)
		}
		s.RepairWorkload(s.Workloads()[i])
	case "clears":
		p := s.PodOfApp("app", a.word("finalizers"))
		if p == nil {
			return true, fmt.Errorf("there is no such pod")
		}
		s.Finalize(p)
	default:
		return false, nil
	}
	return true, nil
}

// toNode is what users do to a node or a machine, and to objects by functions of their own.
func (c *Script) toNode(verb string, a *args) error {
	switch verb {
	case "scale":
		return c.scale(a)
	case "cordon":
		since := c.Sim.Now().Add(-a.span("since", 0))
		return c.onNode(a.next(), func(n *world.Node) { sim.Cordon(n, since) })
	case "uncordon":
		return c.onNode(a.next(), sim.Uncordon)
	case "taint":
		t := world.Taint{Key: a.word("key"), Value: a.word("value"), Effect: a.word("effect")}
		return c.onNode(a.next(), func(n *world.Node) { n.Taints = append(n.Taints, t) })
	case "untaint":
		key := a.word("key")
		return c.onNode(a.next(), func(n *world.Node) {
			n.Taints = slices.DeleteFunc(n.Taints, func(t world.Taint) bool { return t.Key == key })
		})
	case "breaks", "mends":
		return c.breaks(verb, a)
	case "deletes":
		return c.deletes(a)
	case "changes":
		return c.changes(a)
	case "rejects":
		return c.rejects(a)
	case "moves":
		return c.moves(a)
	case "selects":
		return c.onNode(a.next(), func(n *world.Node) { n.Labels[sim.SelectedLabel] = "true" })
	case "retries":
		return c.Sim.RetryUpdate(c.Sim.Names.NodeName(a.next()))
	}
	return c.toMachine(verb, a)
}

// toMachine is what a user does to one machine of the group.
func (c *Script) toMachine(verb string, a *args) error {
	s := c.Sim
	m, err := c.machine(a.next())
	if err != nil {
		return err
	}
	switch verb {
	case "kills":
		s.EndByOthers(m)
		s.Tilted = true
	case "drains":
		s.Drain(m, a.flag("ends"))
	case "protects":
		m.Protected = true
	case "stands-by":
		m.State, m.Detail = world.MachineStandby, "Standby"
		s.Resize(-1)
	case "brings-back":
		m.State, m.Detail = world.MachineInService, "InService"
		s.Resize(1)
	case "detaches":
		if m.Leaving() { // the cloud refuses
			break
		}
		s.TakeOut(m)
	default:
		return fmt.Errorf("a user cannot %q", verb)
	}
	s.ListMachines()
	s.Touch()
	return nil
}

// bounds changes the group's bounds, and its size with them.
func (c *Script) bounds(a *args) {
	sizes := &c.Sim.Group.Sizes
	c.Sim.SetBounds(a.int("min", sizes.Min), a.int("max", sizes.Max))
}

func (c *Script) deletes(a *args) error {
	s := c.Sim
	if name := a.word("pod"); name != "" {
		p := s.PodOfApp("app", name)
		if p == nil {
			return fmt.Errorf("there is no pod %s", name)
		}
		s.Kill(p.UID, nil)
	}
	if name := a.word("budget"); name != "" {
		s.DropBudget("app/" + name)
	}
	if name := a.word("node"); name != "" {
		s.DropNode(name)
	}
	return nil
}

// rejects has a pod Failed as one is that its kubelet does not admit; its controller makes
// another one.
func (c *Script) rejects(a *args) error {
	name := a.word("pod")
	p := c.Sim.PodOfApp("kube-system", name)
	if p == nil {
		return fmt.Errorf("there is no critical pod %s", name)
	}
	c.Sim.Reject(p)
	return nil
}

// changes gives a budget another rule, which its controller has yet to see.
func (c *Script) changes(a *args) error {
	s := c.Sim
	b := s.Budgets()["app/"+a.word("budget")]
	if b == nil {
		return fmt.Errorf("there is no such budget")
	}
	low, high, err := rule(a)
	if err != nil {
		return err
	}
	b.SetRule(low, high)
	b.Current = false
	s.SetBudget(b)
	s.Touch()
	return nil
}

// onNode changes a node as another user.
func (c *Script) onNode(name string, edit func(*world.Node)) error {
	if !c.Sim.EditByOthers(name, edit) {
		return fmt.Errorf("there is no node %s", name)
	}
	return nil
}

func (c *Script) scale(a *args) error {
	s := c.Sim
	if by := a.word("group"); by != "" {
		n, err := strconv.Atoi(by)
		if err != nil {
			return err
		}
		s.Resize(n)
		s.ListMachines()
		s.Touch()
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(a.pair)) {
		if name == "group" {
			continue
		}
		if err := s.Scale(name, a.int(name, 0)); err != nil {
			return err
		}
	}
	return nil
}

// autoscaler lets the Cluster Autoscaler look at the group from now on:
//
//	autoscaler [scale-up=20s] [scale-down=10m] [below=50] [gives-up=2m] [untagged]
func (c *Script) autoscaler(a *args) {
	c.Sim.Autoscale(sim.Autoscaler{
		ScaleUp: a.span("scale-up", 20*time.Second), ScaleDown: a.span("scale-down", 10*time.Minute),
		Every: 10 * time.Second, Below: a.int("below", 50), GiveUp: a.span("gives-up", 2*time.Minute), Untagged: a.flag("untagged"),
	})
}

// hook gives the group a lifecycle hook:
//
//	hook warm-up launching timeout=5m after=1m [refuses] [abandon]
func (c *Script) hook(a *args) {
	h := sim.LifecycleHook{After: a.span("after", 0), Refuses: a.flag("refuses")}
	h.Launching, h.Abandon, h.Timeout = a.flag("launching"), a.flag("abandon"), a.span("timeout", time.Hour)
	h.Name = a.next()
	c.Sim.Group.LifecycleHooks = append(c.Sim.Group.LifecycleHooks, h)
	c.Sim.ListMachines()
}
