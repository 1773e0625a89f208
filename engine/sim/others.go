package sim

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

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
//	user moves a1 by=autoscaler|kops|karpenter|handler|kured|keeper|asks-kops|repair [for=40s]   (moves.go)
//	user schedules night desired=3 in=5m | has policy=cpu [unread]
//	user retries a1   a node's agent tries a failed update in place again
//	user repairs web   its pods crash-loop no more
//	user rejects pod=dns-1   the kubelet of a critical pod's node does not admit it
//	user breaks | mends masters-1 [network] [for=1m]   a node is not Ready, or has no network, or is again
//	user breaks | mends pod=dns-1   the container of a critical pod is not ready, or is again
//	user kills | detaches | protects | stands-by | brings-back a1
func (c *Script) user(a *args) error {
	verb := a.next()
	for _, part := range []func(verb string, a *args) (known bool, err error){c.toGroup, c.toPods} {
		if known, err := part(verb, a); known {
			if err == nil {
				c.Sim.listMachines()
				c.Sim.touch()
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
		s.retargeted = c.Driver != nil
	case "suspends":
		process := a.next()
		s.group.Suspended = append(s.group.Suspended, process)
		if s.group.SuspensionReasons == nil {
			s.group.SuspensionReasons = map[string]string{}
		}
		s.group.SuspensionReasons[process] = "User suspended at " + s.now.Format(time.RFC3339)
		s.theirs[process] = true
	case "resumes":
		process := a.next()
		s.theirs[process] = false
		s.resumeByOthers(process)
	case "schedules":
		c.schedules(a)
	case "has":
		if s.group.Scaling.Unread = ""; a.flag("unread") {
			s.group.Scaling.Unread = "AWS does not allow the IAM action autoscaling:DescribePolicies (AccessDenied)"
		} else {
			s.group.Scaling.Policies = append(s.group.Scaling.Policies, world.Policy{Name: a.word("policy"), Kind: "TargetTrackingScaling"})
		}
	case "refreshes":
		s.group.Refresh = world.Refresh{ID: "r-1", Status: "InProgress", Percent: a.int("percent", 0), Since: s.now}
		if a.flag("over") {
			s.group.Refresh = world.Refresh{}
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
		i := slices.IndexFunc(s.workloads, func(w *workload) bool { return w.Name == name })
		if i < 0 {
			return true, fmt.Errorf("there is no workload %q", name)
		}
		s.repairs(s.workloads[i])
	case "clears":
		p := s.byName("app", a.word("finalizers"))
		if p == nil {
			return true, fmt.Errorf("there is no such pod")
		}
		s.finalize(p)
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
		since := c.Sim.now.Add(-a.span("since", 0))
		return c.onNode(a.next(), func(n *world.Node) { cordon(n, since) })
	case "uncordon":
		return c.onNode(a.next(), uncordon)
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
	case "retries":
		return c.Sim.retryUpdate(c.Sim.names.node(a.next()))
	}
	return c.toMachine(verb, a)
}

// resumeByOthers lets a process of the group act again, as another user.
func (s *Sim) resumeByOthers(process string) {
	if s.group.HasSuspended(process) {
		s.resumed[process] = s.now
		s.group.Suspended = slices.DeleteFunc(slices.Clone(s.group.Suspended), func(p string) bool { return p == process })
	}
}

// cordon cordons a node. The control plane notes since when in the time of a taint, which
// it leaves as it is when the node is cordoned once more.
func cordon(n *world.Node, since time.Time) {
	if !n.Unschedulable {
		n.Tainted = maps.Clone(n.Tainted)
		if n.Tainted == nil {
			n.Tainted = map[string]time.Time{}
		}
		n.Tainted[cordonTaint] = since
	}
	n.Unschedulable = true
}

func uncordon(n *world.Node) {
	n.Tainted = maps.Clone(n.Tainted)
	delete(n.Tainted, cordonTaint)
	n.Unschedulable = false
}

const cordonTaint = "node.kubernetes.io/unschedulable"

// toMachine is what a user does to one machine of the group.
func (c *Script) toMachine(verb string, a *args) error {
	s := c.Sim
	m, err := c.machine(a.next())
	if err != nil {
		return err
	}
	switch verb {
	case "kills":
		s.end(m)
		s.tilted = true
	case "drains":
		s.Drain(m, a.flag("ends"))
	case "protects":
		m.Protected = true
	case "stands-by":
		m.State, m.Detail = world.MachineStandby, "Standby"
		s.resize(-1)
	case "brings-back":
		m.State, m.Detail = world.MachineInService, "InService"
		s.resize(1)
	case "detaches":
		if m.Leaving() { // the cloud refuses
			break
		}
		delete(s.machines, m.ID)
		s.ids = nil
		s.taken[m.ID] = true
		s.resize(-1)
	default:
		return fmt.Errorf("a user cannot %q", verb)
	}
	s.listMachines()
	s.touch()
	return nil
}

// resize changes the desired size as another user, as far as the minimum allows; the
// group has yet to follow.
func (s *Sim) resize(by int) {
	by = max(by, s.group.Sizes.Min-s.group.Sizes.Desired)
	s.shrunk, s.tilted = s.now, true
	s.group.Sizes.Desired += by
	s.resizedByOthers(by)
	if over := s.group.Sizes.Desired - s.group.Sizes.Max; over > 0 {
		s.group.Sizes.Max += over
		s.foreign.Max += over
		s.maxima[s.group.Sizes.Max] = true
	}
}

// resizedByOthers notes that another user changed the desired size.
func (s *Sim) resizedByOthers(by int) {
	s.foreign.Desired += by
	s.keepMinimum()
	if by > 0 {
		s.raised += by
		s.raises[s.now] += by
	} else if by < 0 {
		s.lowered++
		s.lowerings[s.now] -= by
	}
}

// bounds changes the group's bounds, and its size with them.
func (c *Script) bounds(a *args) {
	sizes := &c.Sim.group.Sizes
	c.Sim.rebound(a.int("min", sizes.Min), a.int("max", sizes.Max))
}

// rebound changes the group's bounds as another user. The minimum is what the group is to have
// at least from then on, the maximum what it is to have at most.
func (s *Sim) rebound(low, high int) {
	sizes := &s.group.Sizes
	s.foreign.Min += low - sizes.Min
	s.foreign.Max += high - sizes.Max
	if high != sizes.Max {
		s.maxima[high] = true
	}
	sizes.Min, sizes.Max = low, high
	if by := min(high, max(low, sizes.Desired)) - sizes.Desired; by != 0 {
		s.resize(by)
		s.foreign.Desired -= min(0, by) // what the new maximum takes down is not what others want less of
	}
	s.foreign.Desired -= max(0, s.before.Desired+s.foreign.Desired-high)
	s.keepMinimum()
}

// keepMinimum makes the group's minimum what it is to have at least, and one machine if it had
// any and others leave it one. Where others change its size before and after that, and no driver
// reads it between, nobody can tell which came first: it may as well be to have only what all of
// it comes to.
func (s *Sim) keepMinimum() {
	least := max(s.group.Sizes.Min, min(1, s.before.Desired, s.group.Sizes.Desired))
	kept := max(0, least-s.before.Desired-s.foreign.Desired)
	s.foreign.Desired += kept
	s.slack += kept
}

// seen is called when the record of a run is saved that was decided with the sizes as they are. A group
// that had machines when the run raised it, and has one now, keeps one.
func (s *Sim) seen(had int) {
	least := max(s.group.Sizes.Min, min(1, had, s.group.Sizes.Desired))
	s.slack = min(s.slack, max(0, s.before.Desired+s.foreign.Desired-least))
}

func (c *Script) deletes(a *args) error {
	s := c.Sim
	if name := a.word("pod"); name != "" {
		p := s.byName("app", name)
		if p == nil {
			return fmt.Errorf("there is no pod %s", name)
		}
		s.kill(p.UID, nil)
	}
	if name := a.word("budget"); name != "" {
		s.DropBudget("app/" + name)
	}
	if name := a.word("node"); name != "" {
		s.dropNode(name)
	}
	return nil
}

// rejects has a pod Failed as one is that its kubelet does not admit; its controller makes
// another one.
func (c *Script) rejects(a *args) error {
	name := a.word("pod")
	p := c.Sim.byName("kube-system", name)
	if p == nil {
		return fmt.Errorf("there is no critical pod %s", name)
	}
	p.Phase, p.Ready, p.up = world.PodFailed, false, false
	c.Sim.setPod(p)
	return nil
}

// changes gives a budget another rule, which its controller has yet to see.
func (c *Script) changes(a *args) error {
	s := c.Sim
	b := s.budgets["app/"+a.word("budget")]
	if b == nil {
		return fmt.Errorf("there is no such budget")
	}
	low, high, err := rule(a)
	if err != nil {
		return err
	}
	b.rule(low, high)
	b.Current = false
	s.setBudget(b)
	s.touch()
	return nil
}

// onNode changes a node as another user.
func (c *Script) onNode(name string, edit func(*world.Node)) error {
	if !c.Sim.editByOthers(name, edit) {
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
		s.resize(n)
		s.listMachines()
		s.touch()
		return nil
	}
	for _, name := range sortedKeys(a.pair) {
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
	c.Sim.Autoscale(Autoscaler{
		ScaleUp: a.span("scale-up", 20*time.Second), ScaleDown: a.span("scale-down", 10*time.Minute),
		Every: 10 * time.Second, Below: a.int("below", 50), GiveUp: a.span("gives-up", 2*time.Minute), Untagged: a.flag("untagged"),
	})
}

// hook gives the group a lifecycle hook:
//
//	hook warm-up launching timeout=5m after=1m [refuses] [abandon]
func (c *Script) hook(a *args) {
	h := hook{After: a.span("after", 0), Refuses: a.flag("refuses")}
	h.Launching, h.Abandon, h.Timeout = a.flag("launching"), a.flag("abandon"), a.span("timeout", time.Hour)
	h.Name = a.next()
	c.Sim.group.hooks = append(c.Sim.group.hooks, h)
	c.Sim.listMachines()
}
