package sim

import (
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Faults are what goes wrong.
type Faults struct {
	gone map[world.Source]time.Time // a source is away until then
	why  map[world.Source]string    // ... in these words
	// EtcdUntil: until then the cluster writes nothing and tells nothing new.
	EtcdUntil time.Time
	// UnwrittenUntil: until then the run record cannot be written.
	UnwrittenUntil time.Time
	// HalfEvict: so many evictions charge their budget and do nothing. HalfDetach: so many machines
	// are tagged to be detached, and no more.
	HalfEvict, HalfDetach int
	// Between: a user changes a size by so much between the read and the write of our next
	// change of another size.
	Between world.Sizes
	held    []func(*world.World) // what the watch will tell when it is back
	// Lose: so many answers get lost: done, but unknown. Drop: so many requests do: not done, and unknown.
	Lose, Drop map[record.ActionKind]int
	// Slow: requests of a kind take so much longer to arrive.
	Slow    map[record.ActionKind]time.Duration
	refused map[record.ActionKind]refusal
	// Webhook: evictions of the pods of these workloads (by name) are denied.
	Webhook map[string]bool
	// Machines is what becomes of new machines: never-join, not-ready, no-labels, reuses-name; MachinesLeft
	// of so many only, 0: of all.
	Machines     map[string]bool
	MachinesLeft map[string]int
	// ReplacedAfter is when the cloud gives up a machine that never joins, 0 for never.
	ReplacedAfter time.Duration
	// Hostile: messages carry what must not reach a terminal.
	Hostile bool
	// Chance is how likely an answer or a request gets lost or is refused.
	Chance float64

	throttled map[world.Source]throttle
}

// throttle tells every request to come back later, until it is over.
type throttle struct {
	until time.Time
	after time.Duration
}

// refusal answers the next requests of a kind.
type refusal struct {
	outcome record.Outcome
	left    int
}

func (f *Faults) init() {
	f.gone, f.why, f.throttled = map[world.Source]time.Time{}, map[world.Source]string{}, map[world.Source]throttle{}
	f.Lose, f.Drop = map[record.ActionKind]int{}, map[record.ActionKind]int{}
	f.refused, f.Slow = map[record.ActionKind]refusal{}, map[record.ActionKind]time.Duration{}
	f.Webhook, f.Machines = map[string]bool{}, map[string]bool{}
	f.MachinesLeft = map[string]int{}
}

// RefuseNext has the next requests of a kind answered so, as many as count.
func (f *Faults) RefuseNext(kind record.ActionKind, o record.Outcome, count int) {
	f.refused[kind] = refusal{o, count}
}

// Throttle has every request to a source told to come back later, until a time.
func (f *Faults) Throttle(src world.Source, until time.Time, after time.Duration) {
	f.throttled[src] = throttle{until, after}
}

// away reports whether a source cannot be reached.
func (f *Faults) away(src world.Source, now time.Time) bool { return now.Before(f.gone[src]) }

func (f *Faults) denies(p *Pod) bool { return p.owner != nil && f.Webhook[p.owner.Name] }

// curse decides what becomes of a new machine.
func (f *Faults) curse(m *Machine) {
	m.neverJoins, m.neverReady, m.noLabels = f.strikes("never-join"), f.strikes("not-ready"), f.strikes("no-labels")
}

// strikes reports whether a fault is the lot of one more new machine.
func (f *Faults) strikes(what string) bool {
	struck := f.Machines[what]
	if struck && f.MachinesLeft[what] > 0 {
		f.MachinesLeft[what]--
		f.Machines[what] = f.MachinesLeft[what] > 0
	}
	return struck
}

// Outage keeps a source away for a while, for a reason.
func (s *Sim) Outage(src world.Source, d time.Duration, why string) {
	if src == world.Cluster && s.synced && !s.Faults.away(src, s.now) {
		s.View.SetHealth(src, world.Health{Fresh: s.now})
	}
	h := s.View.Health[src]
	s.Faults.gone[src] = s.now.Add(d)
	s.Faults.why[src] = why
	h.Problem, h.Retry = s.hostile(why), s.now.Add(d)
	s.View.SetHealth(src, h)
	s.After(d, func() {
		if src != world.Cluster || s.Faults.away(src, s.now) {
			return
		}
		s.tellHeld()
	})
}

// tellHeld tells what the watch has held back.
func (s *Sim) tellHeld() {
	if s.now.Before(s.Faults.EtcdUntil) || s.Faults.away(world.Cluster, s.now) {
		return
	}
	for _, change := range s.Faults.held {
		s.show(change)
	}
	s.Faults.held, s.fresh = nil, true
}

// EtcdOutage keeps the cluster's API from its store for a while: it answers lists
// and watches from its caches, which grow old without a word, and nothing can be
// written or read consistently. Controllers stand still. The heartbeat, which asks
// whether the API is ready to serve, notices.
func (s *Sim) EtcdOutage(d time.Duration) {
	s.Health()
	s.Faults.EtcdUntil = s.now.Add(d)
	h := s.View.Health[world.Cluster]
	h.Problem, h.Retry = s.hostile("the API server is not ready to serve: etcd"), s.Faults.EtcdUntil
	s.View.SetHealth(world.Cluster, h)
	s.After(d, s.tellHeld)
	s.After(d, s.Touch)
}

// Health brings the View's freshness of the cluster up to date.
func (s *Sim) Health() {
	if s.synced && !s.Faults.away(world.Cluster, s.now) && !s.now.Before(s.Faults.EtcdUntil) {
		s.View.SetHealth(world.Cluster, world.Health{Fresh: s.now})
	}
}

// source is the API that an action goes to.
func source(a record.Action) world.Source {
	switch a.Place() {
	case record.InCloud, record.InControlCluster:
		return world.Cloud
	}
	return world.Cluster
}

// Request carries an action out as far as the faults let it, and says what its
// sender gets to know.
func (s *Sim) Request(a record.Action) record.Outcome {
	o := s.answer(a)
	o.Key, o.At, o.Message = a.Key, s.now, s.hostile(o.Message)
	return o
}

func (s *Sim) answer(a record.Action) record.Outcome {
	f, src := &s.Faults, source(a)
	lost := record.Outcome{Verdict: record.Unknown, Message: "connection reset by peer"}
	switch t := f.throttled[src]; {
	case f.away(src, s.now) && f.why[src] != Away:
		return Refuse(record.RefusedBusy, "%s", f.why[src])
	case f.away(src, s.now):
		return Refuse(record.RefusedBusy, "connection refused")
	case s.now.Before(t.until):
		o := Refuse(record.RefusedBusy, "%s", tooMany[src])
		o.After = t.after
		return o
	case src == world.Cluster && s.now.Before(f.EtcdUntil) && a.ReadOnly():
		return Refuse(record.RefusedBusy, "etcdserver: request timed out")
	case src == world.Cluster && s.now.Before(f.EtcdUntil):
		return record.Outcome{Verdict: record.Unknown, Message: "etcdserver: request timed out"}
	}
	if r := f.refused[a.Kind]; r.left > 0 {
		r.left--
		f.refused[a.Kind] = r
		return r.outcome
	}
	luck := 1.0
	if f.Chance > 0 {
		luck = s.rand.Float64()
	}
	switch {
	case f.Drop[a.Kind] > 0:
		f.Drop[a.Kind]--
		return lost
	case luck < f.Chance/3:
		return lost
	case luck < 2*f.Chance/3:
		return Refuse(record.RefusedBusy, "Rate exceeded")
	}
	o := s.Do(a)
	if f.Lose[a.Kind] > 0 {
		f.Lose[a.Kind]--
		return lost
	}
	if luck < f.Chance {
		return lost
	}
	return o
}

// Away is why a source is away that just cannot be reached.
const Away = "cannot be reached"

// tooMany is how the sources word their throttling.
var tooMany = map[world.Source]string{
	world.Cluster: "the server has received too many requests and has asked us to try again later",
	world.Cloud:   "Throttling: Rate exceeded",
}

// NodeHooks are the user's own commands before and after nodes.
type NodeHooks struct {
	// Takes is how long they run.
	Takes time.Duration
	// Fails and Hangs count what is yet to go wrong, by phase and node: "before-node/a1",
	// "before-node/" for any.
	Fails, Hangs map[string]int
	// Chance is how likely hooks fail, and half as likely hang.
	Chance float64
}

// RunHook runs the hooks of an action, and says how long they take. A hook that hangs is
// ended when its time is up.
func (s *Sim) RunHook(a record.Action) (o record.Outcome, takes time.Duration) {
	h := &s.NodeHooks
	o, takes = done, h.Takes
	luck := 1.0
	if h.Chance > 0 {
		luck = s.rand.Float64()
	}
	strikes := func(count map[string]int) bool {
		for _, key := range []string{string(a.Phase) + "/" + a.Node, string(a.Phase) + "/"} {
			if count[key] > 0 {
				count[key]--
				return true
			}
		}
		return false
	}
	switch {
	case strikes(h.Fails) || luck < h.Chance:
		o = Refuse(record.RefusedHook, "check.sh: exit code 3: not this one")
	case strikes(h.Hangs) || luck < 1.5*h.Chance:
		o, takes = Refuse(record.RefusedHook, "check.sh: did not end within %s", a.Limit), a.Limit
	}
	o.Key = a.Key
	return o, takes
}

// Repair ends every fault that does not end by itself and undoes what others have left in the
// way of a run: budgets are deleted, workloads that cannot move are scaled to zero, marks of
// others come off, and machines that will never join are ended. Faults with a span of their
// own are left to run out.
func (s *Sim) Repair(r *record.Run) {
	f := &s.Faults
	f.HalfEvict, f.HalfDetach, f.Chance, f.ReplacedAfter, f.Between = 0, 0, 0, 0, world.Sizes{}
	clear(f.Lose)
	clear(f.Drop)
	clear(f.refused)
	clear(f.Slow)
	clear(f.Webhook)
	clear(f.Machines)
	s.NodeHooks = NodeHooks{}
	s.repairGroup()
	if to := r.Target.Templates; s.Retargeted && len(to) > 0 && s.Group.Template != to[0] {
		s.SetTemplate(to[0].Version, s.Group.TemplateSpec)
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
	for id := range s.TakenOut {
		if n := s.Truth.NodeOf(id); n != nil && !n.Ready { // who took its machine ends it
			s.DropNode(n.Name)
		}
	}
	if s.taintedAll() {
		s.Resize(1) // what the pause of such a run says
	}
	s.ListMachines()
	s.Touch()
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
	g := &s.Group
	g.Quota, g.Protects, g.Refresh, g.Scaling = 0, false, world.Refresh{}, world.Scaling{}
	clear(g.ZoneRoom)
	clear(g.Keeps)
	s.ResumeProcess(Launch)
	s.ResumeProcess(replaceUnhealthy)
	for i := range g.LifecycleHooks {
		g.LifecycleHooks[i].Refuses, g.LifecycleHooks[i].Abandon = false, false
	}
	s.Balancer.Takes, s.Balancer.Fails = 0, false
	clear(s.Pool.Fails)
	clear(s.Pool.Hangs)
}

// repairMachine heals a machine and takes the marks of others off its node, or ends one that
// will never be Ready, or whose node was deleted.
func (s *Sim) repairMachine(m *Machine, r *record.Run) {
	m.Protected = false
	switch {
	case m.neverJoins || m.neverReady || m.noLabels, s.Group.Role != world.RoleBastion && s.Truth.Node(m.Name) == nil && s.now.Sub(m.Began) > RepairTime:
		s.EndByOthers(m)
		s.Tilted = true
		return
	case m.silent:
		s.HearAgain(m)
	}
	n := s.Truth.Node(m.Name)
	if n == nil {
		return
	}
	if StepOf(n) == world.GardenerFailed {
		_ = s.RetryUpdate(m.Name) // it has failed: see above
	}
	s.repairMarks(m, n, r)
}

// repairMarks takes the marks of others off a machine's node.
func (s *Sim) repairMarks(m *Machine, n *world.Node, r *record.Run) {
	ours := slices.ContainsFunc(r.Marks[m.ID], func(k record.Mark) bool { return k.Put.Kind == record.Cordon && !k.Foreign })
	if StepOf(n) == world.GardenerSelected && !n.Unschedulable { // else its pods return while Gardener drains it
		s.EditByOthers(m.Name, func(n *world.Node) { Cordon(n, s.now) })
	}
	if n.Labels[SelectedLabel] != "" && n.Labels[CandidateLabel] == "" { // put when its update was just over: nobody else takes it off
		s.EditByOthers(m.Name, func(n *world.Node) { delete(n.Labels, SelectedLabel) })
		n = s.Truth.Node(m.Name)
	}
	if n.Unschedulable && (!ours || s.roomless(m, r)) && n.Labels[SelectedLabel] == "" {
		s.EditByOthers(m.Name, Uncordon)
	}
	s.EditByOthers(m.Name, func(n *world.Node) {
		n.Taints = slices.DeleteFunc(slices.Clone(n.Taints), func(t world.Taint) bool {
			return t.Key == "theirs" || t == HandlerTaint || t == AutoscalerTaint
		})
		Unhandle(n)
		for _, key := range []string{"weave.works/kured-reboot-in-progress", KeepAnnotation} {
			delete(n.Annotations, key)
		}
	})
}

// taintedAll reports whether pods wait for a group whose nodes all wear the taint of a run.
func (s *Sim) taintedAll() bool {
	alive := s.Alive()
	return len(alive) > 0 && len(s.Truth.Unplaced()) > 0 && !slices.ContainsFunc(alive, func(m *Machine) bool {
		n := s.Truth.Node(m.Name)
		return n == nil || !n.HasTaint(world.Taint{Key: world.EKSGroupKey, Value: "unschedulable", Effect: "NoSchedule"})
	})
}

// roomless reports whether a node that MINIMAL has cordoned, and does not drain yet, is what pods
// wait for: to uncordon it is what the pause of such a run says.
func (s *Sim) roomless(m *Machine, r *record.Run) bool {
	stage := r.Nodes.Peek(m.ID).Stage
	return r.Strategy == "eks-minimal" && (stage == record.Outdated || stage == record.Queued) && len(s.Truth.Unplaced()) > 0
}

// RepairTime is how long faults with a span of their own may last once the world is repaired.
const RepairTime = 6 * time.Minute

// wordGroup has a hostile cloud tell of the group in its own words: names that users have given,
// reasons, and what it says of launches from before.
func (s *Sim) wordGroup(g *world.Group) {
	if !s.Faults.Hostile {
		return
	}
	g.SuspensionReasons = maps.Clone(g.SuspensionReasons)
	for process, why := range g.SuspensionReasons {
		g.SuspensionReasons[process] = s.hostile(why)
	}
	for i := range g.Scaling.Schedule { // a copy
		g.Scaling.Schedule[i].Name = s.hostile(g.Scaling.Schedule[i].Name)
	}
	g.Refresh.Status = s.hostile(g.Refresh.Status)
	if g.Lately != nil {
		lately := *g.Lately
		lately.Launches = slices.Clone(lately.Launches)
		for i := range lately.Launches {
			lately.Launches[i].Message = s.hostile(lately.Launches[i].Message)
		}
		g.Lately = &lately
	}
}
