package sim

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// staleRetry is what the eviction API asks for while a budget's status is
// behind its rule.
const staleRetry = 10 * time.Second

// Refuse is the outcome of a request that is refused, with a message as fmt.Sprintf makes it.
func Refuse(r record.Refusal, format string, args ...any) record.Outcome {
	return record.Outcome{Verdict: record.Refused, Refusal: r, Message: fmt.Sprintf(format, args...)}
}

var done = record.Outcome{Verdict: record.Done}

// Do carries an action out on the Truth, as the APIs would.
func (s *Sim) Do(a record.Action) record.Outcome {
	o := s.do(a)
	o.Key, o.At = a.Key, s.now
	s.Touch()
	return o
}

func (s *Sim) do(a record.Action) record.Outcome {
	switch a.Kind {
	case record.Evict:
		return s.evict(a)
	case record.Delete:
		return s.remove(a)
	case record.LookAtPods:
		return s.lookAt(a)
	case record.LookAtOwner:
		return s.lookAtOwner(a)
	case record.Scale:
		return s.scaleTo(a)
	case record.LookAtRoutes:
		return s.lookAtRoutes(a)
	case record.LookAtBalancers:
		return s.lookAtBalancers(a)
	case record.Inspect:
		return s.inspect(a)
	case record.CheckEffect:
		return s.check(*a.Of)
	case record.HoldRoll, record.LetRoll, record.ForceMachine, record.Prioritize, record.SetPace, record.StartUpdate, record.SetUpdateConfig:
		if s.controller == nil {
			return Refuse(record.RefusedGone, "no controller drives the group")
		}
		return s.controller(a)
	}
	if a.Place() == record.InCloud {
		o := s.doCloud(a)
		s.ListMachines()
		return o
	}
	if !s.EditNode(a.Node, func(n *world.Node) { mark(a, n) }) {
		return Refuse(record.RefusedGone, "nodes %q not found", a.Node)
	}
	if n := s.Truth.Node(a.Node); s.Balancer.Follows && a.Kind == record.AddLabel && a.Label == ExcludeLabel && n != nil {
		s.Balancer.leave(n.Machine, s.now)
	}
	return done
}

// mark puts a mark on a node, or takes it off.
func mark(a record.Action, n *world.Node) {
	switch a.Kind {
	case record.AddTaint:
		n.Taints = append(slices.DeleteFunc(n.Taints, func(t world.Taint) bool { return t.Key == a.Taint.Key && t.Effect == a.Taint.Effect }), *a.Taint)
	case record.RemoveTaint:
		n.Taints = slices.DeleteFunc(n.Taints, func(t world.Taint) bool { return t == *a.Taint })
	case record.Cordon:
		n.Unschedulable = true
	case record.Uncordon:
		n.Unschedulable = false
	case record.AddLabel:
		n.Labels[a.Label] = a.Value
	case record.RemoveLabel:
		delete(n.Labels, a.Label)
	case record.Annotate:
		Annotate(n, a.Annotation, a.Value)
	case record.Unannotate:
		delete(n.Annotations, a.Annotation)
	}
}

// Annotate puts an annotation on a node that may have none.
func Annotate(n *world.Node, key, value string) {
	if n.Annotations == nil {
		n.Annotations = map[string]string{}
	}
	n.Annotations[key] = value
}

// remove answers a DELETE of a pod with a UID precondition.
func (s *Sim) remove(a record.Action) record.Outcome {
	p := s.PodOfApp(a.Namespace, a.Pod)
	if p == nil {
		return Refuse(record.RefusedGone, "pods %q not found", a.Pod)
	}
	if p.UID != a.UID {
		return Refuse(record.RefusedConflict, "the UID in the precondition (%s) does not match the UID in record (%s)", a.UID, p.UID)
	}
	s.Kill(p.UID, a.Grace)
	return done
}

// lookAt answers a consistent read of a node and its pods.
func (s *Sim) lookAt(a record.Action) record.Outcome {
	o := record.Outcome{Verdict: record.Done, Unschedulable: true}
	n := s.Truth.Node(a.Node)
	if n == nil {
		n = s.Truth.NodeOf(a.Machine) // it may have joined since
	}
	if n != nil {
		o.Unschedulable, o.Pods = n.Unschedulable, s.Truth.PodsOn(n.Name)
	}
	return o
}

// inspect answers what the cloud says of a machine: its state, and the last lines
// of its console.
func (s *Sim) inspect(a record.Action) record.Outcome {
	m := s.machines[a.Machine]
	if m == nil {
		return Refuse(record.RefusedGone, "The instance ID %q does not exist", a.Machine)
	}
	lines := []string{"instance running"}
	switch {
	case m.Leaving():
		lines = []string{"instance shutting-down", "state reason: Client.UserInitiatedShutdown: User initiated shutdown"}
	case m.silent:
		lines = append(lines, "status checks: instance reachability failed")
	case m.neverJoins:
		lines = append(lines, "console: cloud-init: bootstrap.sh: exit status 1")
	case m.neverReady:
		lines = append(lines, "console: kubelet: network plugin is not ready: cni config uninitialized")
	}
	for i := range lines {
		lines[i] = s.hostile(lines[i])
	}
	return record.Outcome{Verdict: record.Done, Lines: lines}
}

// doCloud answers the calls to the Auto Scaling and EC2 APIs.
func (s *Sim) doCloud(a record.Action) record.Outcome {
	g := &s.Group
	switch a.Kind {
	case record.CreateTemplate:
		return record.Outcome{Verdict: record.Done, Template: s.makeTemplate(a)}
	case record.SetTemplate:
		if g.versions[a.Template.Version] == "" {
			return Refuse(record.RefusedInvalid, "You must use a valid fully-formed launch template: version %d does not exist.", a.Template.Version)
		}
		g.Template, g.TemplateSpec, g.Image = *a.Template, a.TemplateSpec, g.versions[a.Template.Version]
	case record.SetSizes:
		return s.setSizes(a)
	case record.Suspend:
		if !g.HasSuspended(a.Process) {
			g.Suspended = append(g.Suspended, a.Process)
		}
	case record.Resume:
		g.Suspended = slices.DeleteFunc(g.Suspended, func(p string) bool { return p == a.Process })
	case record.LaunchIn:
		return s.launchByName(a)
	case record.Terminate:
		if a.Direct {
			return s.endDirectly(a)
		}
		return s.terminateOne(a)
	case record.EndWarm:
		return s.endWarm(a)
	case record.Detach:
		return s.detach(a)
	case record.Deregister:
		return s.deregister(a)
	}
	return done
}

// setSizes reads the group and answers UpdateAutoScalingGroup, which changes the sizes that it
// has, and no other: but a bound that is moved past the desired size takes that along, unless
// the request has that too.
func (s *Sim) setSizes(a record.Action) record.Outcome {
	g, change := &s.Group, a.SizeChange()
	switch {
	case change.IsIn(g.Sizes):
		if a.Sizes.Desired != a.From.Desired { // others have just set it: nobody can tell whose it is
			s.Doubts += max(a.From.Desired-a.Sizes.Desired, 0)
		}
		return done
	case g.Sizes != *a.From:
		return Refuse(record.RefusedConflict, "the group has %s, not %s", g.Sizes, *a.From)
	}
	s.changeBetween(change)
	s.Written = g.Sizes
	to := change.In(g.Sizes)
	if change.Desired == nil {
		to.Desired = min(max(to.Desired, to.Min), to.Max)
		s.Foreign.Desired += to.Desired - g.Sizes.Desired // a raise by others beyond the group's own maximum
	}
	if to.Min > to.Desired || to.Desired > to.Max {
		return Refuse(record.RefusedInvalid, "Desired capacity:%d must be between the specified min size:%d and max size:%d", to.Desired, to.Min, to.Max)
	}
	g.Sizes = to
	return done
}

// changeBetween lets another user change the sizes that a change of ours leaves alone, after
// its read. Of the others nobody can tell: the last one to write sets them.
func (s *Sim) changeBetween(ours record.SizeChange) {
	by, g := &s.Faults.Between, &s.Group
	if ours.Min == nil && by.Min != 0 {
		s.SetBounds(g.Sizes.Min+by.Min, g.Sizes.Max)
		by.Min = 0
	}
	if ours.Desired == nil && by.Desired != 0 {
		s.Resize(min(by.Desired, g.Sizes.Max-g.Sizes.Desired))
		by.Desired = 0
	}
}

// endWarm answers TerminateInstances on a machine of the warm pool. One that has
// come into service meanwhile is left alone, as a look at it first would show.
func (s *Sim) endWarm(a record.Action) record.Outcome {
	i := s.warm(a.Machine)
	if i < 0 {
		return Refuse(record.RefusedGone, "%s is not in the warm pool (any more)", a.Machine)
	}
	s.Group.Warm = slices.Clone(s.Group.Warm)
	s.Group.Warm[i].State, s.Group.Warm[i].Detail = world.MachineTerminating, "Warmed:Terminating"
	s.After(s.Config.Terminate, func() {
		s.Group.Warm = slices.DeleteFunc(slices.Clone(s.Group.Warm), func(m world.Machine) bool { return m.ID == a.Machine })
		s.ListMachines()
		s.Touch()
	})
	return done
}

// warm finds a machine in the warm pool, -1 if it is not there.
func (s *Sim) warm(id string) int {
	return slices.IndexFunc(s.Group.Warm, func(m world.Machine) bool { return m.ID == id })
}

func (s *Sim) makeTemplate(a record.Action) *world.Template {
	g := &s.Group
	version, made := g.tokens[a.Token]
	if !made {
		for v, image := range g.versions { // an equal one is reused
			if image == a.Image && v > version {
				version = v
			}
		}
		if version == 0 {
			version = 1 + slices.Max(slices.Collect(maps.Keys(g.versions)))
		}
		g.versions[version], g.tokens[a.Token] = a.Image, version
	}
	return &world.Template{ID: g.Template.ID, Version: version}
}

// launchByName answers LaunchInstances, which says at once whether a zone has a machine.
func (s *Sim) launchByName(a record.Action) record.Outcome {
	g := &s.Group
	if g.launched[a.Token] {
		return done
	}
	if g.NoLaunchInZone != "" {
		return Refuse(record.RefusedInvalid, "LaunchInstances is not supported: %s", g.NoLaunchInZone)
	}
	if g.Sizes.Desired+1 > g.Sizes.Max {
		return Refuse(record.RefusedInvalid, "RequestedCapacity: the group's maximum size is %d", g.Sizes.Max)
	}
	if code, why := s.launchIn(a.Zone); why != "" {
		return Refuse(record.RefusedCapacity, "no instance in %s: %s (%s)", a.Zone, why, code)
	}
	g.launched[a.Token] = true
	if g.Sizes.Desired == 0 && !s.KnewNone { // no driver may have read that others have left it none
		s.Doubts++
	}
	g.Sizes.Desired++
	return done
}

// terminateOne answers TerminateInstanceInAutoScalingGroup.
func (s *Sim) terminateOne(a record.Action) record.Outcome {
	m, g := s.machines[a.Machine], &s.Group
	switch {
	case s.warm(a.Machine) >= 0:
		return Refuse(record.RefusedInvalid, "This operation cannot be performed on instances in a warm pool: %s.", a.Machine)
	case m == nil || m.Detached:
		return Refuse(record.RefusedGone, "Instance Id not found - No managed instance found for instance ID %s", a.Machine)
	case m.Leaving():
		return record.Outcome{Verdict: record.Done, Already: true}
	case a.Decrement && g.Sizes.Desired-1 < g.Sizes.Min:
		return Refuse(record.RefusedConflict, "Currently, desiredSize equals minSize (%d). Terminating instance without replacement will violate group's min size constraint.", g.Sizes.Min)
	}
	if a.Decrement {
		g.Sizes.Desired--
		g.shrunk[a.Machine] = true
	}
	s.EndByOthers(m)
	return done
}

// check answers a direct read: did an action happen?
func (s *Sim) check(a record.Action) record.Outcome {
	o := record.Outcome{Verdict: record.Done}
	switch p := s.pods.byUID[a.UID]; a.Kind {
	case record.CreateTemplate:
		if v, made := s.Group.tokens[a.Token]; made {
			o.Happened, o.Template = true, &world.Template{ID: s.Group.Template.ID, Version: v}
		}
	case record.SetTemplate, record.SetSizes, record.Suspend, record.Resume, record.LaunchIn:
		o.Happened = s.Group.has(a)
	case record.Evict:
		o.Happened = p == nil || p.Terminating()
	case record.Delete:
		o.Happened = p == nil || p.Terminating() && a.Grace == nil
	case record.Scale:
		w := s.Deployment(a.UID)
		o.Happened = w != nil && w.Replicas == a.Replicas && (w.Ours || a.Replicas < a.FromReplicas)
	case record.Terminate, record.Detach, record.Deregister, record.EndWarm:
		o.Happened = s.left(a)
		o.Shrunk = a.Kind == record.Terminate && o.Happened && a.Decrement && s.Group.shrunk[a.Machine]
	default:
		n := s.Truth.Node(a.Node)
		o.Happened = n == nil || carries(n, a)
	}
	return o
}

// left reports whether the machine has left what an action takes it out of.
func (s *Sim) left(a record.Action) bool {
	m := s.machines[a.Machine]
	switch a.Kind {
	case record.Terminate:
		return m == nil && !s.TakenOut[a.Machine] || m != nil && m.Leaving()
	case record.Detach:
		return m == nil || m.Detached || m.Leaving()
	case record.Deregister:
		return m == nil || s.Balancer.Over(a.Machine, s.now)
	}
	i := s.warm(a.Machine)
	return i < 0 || s.Group.Warm[i].Leaving()
}

// has reports whether what an action sets of the group is so. No cloud promises to tell which request
// a machine came of.
func (g *Group) has(a record.Action) bool {
	switch a.Kind {
	case record.SetTemplate:
		return g.Template == *a.Template && g.TemplateSpec == a.TemplateSpec
	case record.SetSizes:
		return a.SizeChange().IsIn(g.Sizes)
	case record.Suspend:
		return g.HasSuspended(a.Process)
	case record.Resume:
		return !g.HasSuspended(a.Process)
	}
	return false
}

// carries reports whether what an action sets on a node is so.
func carries(n *world.Node, a record.Action) bool {
	switch a.Kind {
	case record.AddTaint:
		return n.HasTaint(*a.Taint)
	case record.RemoveTaint:
		return !n.HasTaint(*a.Taint)
	case record.Cordon:
		return n.Unschedulable
	case record.Uncordon:
		return !n.Unschedulable
	case record.AddLabel:
		return n.Labels[a.Label] == a.Value
	case record.RemoveLabel:
		return n.Labels[a.Label] != a.Value
	case record.Annotate:
		return n.Annotations[a.Annotation] == a.Value
	case record.Unannotate:
		return n.Annotations[a.Annotation] != a.Value
	}
	return false
}

// SetTemplate makes the group launch from a version, as a user with the
// console would.
func (s *Sim) SetTemplate(version int64, spec string) {
	g := &s.Group
	g.Template.Version = version
	if g.versions[version] == "" {
		g.versions[version] = "ami-" + strconv.FormatInt(version, 10)
	}
	g.TemplateSpec, g.Image = spec, g.versions[version]
	s.ListMachines()
}

// Latency is how long a request takes, there and back.
func (s *Sim) Latency(a record.Action) time.Duration {
	span := s.Config.ClusterLatency
	if source(a) == world.Cloud {
		span = s.Config.CloudLatency
	}
	if j := s.Config.Jitter; j > 0 {
		span = time.Duration(float64(span) * (1 - j + j*s.rand.ExpFloat64()))
	}
	return span
}

// Send lets an action arrive after half its latency, and its answer after the other half.
func (s *Sim) Send(a record.Action, answer func(record.Outcome)) {
	half := s.Latency(a) / 2
	s.After(half+s.Faults.Slow[a.Kind], func() {
		o := s.Request(a)
		s.After(half+s.AnswerTakes(a, o), func() { answer(o) })
	})
}
