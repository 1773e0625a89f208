package sim

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/learn"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Pace is how fast a world continues that was found as it is. What cannot be read from it
// is guessed.
type Pace struct {
	Config
	// PodReady is how long a pod takes to be Ready once it has a node, PodStop how long to
	// stop; 0: StopShare of its grace period. ReadyOf and StopOf are those of the pods of an
	// owner, by its UID, where that is known.
	PodReady, PodStop time.Duration
	StopShare         float64
	ReadyOf, StopOf   map[string]time.Duration
	// Hook is how long a user takes to complete a lifecycle hook, Leave how long a machine
	// takes to leave its load balancers.
	Hook, Leave time.Duration
	// Update is how long a node takes to be updated in place once it is drained.
	Update time.Duration
	// StartHasHooks and EndHasHooks: Launch, or Terminate, has the time of lifecycle hooks in it.
	StartHasHooks, EndHasHooks bool
}

// Guesses is a pace for what nothing is known of. Nodes are what EC2 and a kubelet take as a
// rule. Pods mostly stop well before their grace period ends, and are Ready soon. Any number
// finds room on a node: what they ask for is not known.
func Guesses() Pace {
	p := Pace{Config: Defaults(), PodReady: learn.PodReady, StopShare: learn.StopShare, Hook: 30 * time.Second, Leave: 30 * time.Second, Update: 5 * time.Minute}
	p.SetJoin(learn.Join)
	p.NodeReady, p.Terminate = learn.Ready, learn.End
	p.Slots = 1 << 20
	return p
}

// SetJoin sets how long an instance takes from its launch until its node joins.
func (p *Pace) SetJoin(join time.Duration) {
	p.Launch = min(10*time.Second, join/5)
	p.Boot = join - p.Launch
}

const (
	// young is for how long it is believed that what is not Ready is still to get so, and
	// what terminates to end.
	young = 10 * time.Minute
	// served is how long a user takes to serve the finalizers of a pod that has ended.
	served = 5 * time.Second
)

// from turns a world into that of a Sim.
type from struct {
	*Sim
	w      *world.World
	run    record.Run
	pace   Pace
	first  int                  // the number before that of the first pod of a name: far from those that are there
	sets   map[string]*Workload // by the UID of their pods' owner
	dealt  map[string][]string  // keys of taints that the pods of a node tolerate, by node
	marked map[string]bool      // keys of taints that a roll or a tool has put
}

// From makes a Sim that continues from a world as it is: the group with its machines, all
// nodes, pods and budgets, and workloads that recreate what is evicted. Its first View is
// that world, its clock begins at now. Volumes keep pods in the zone where they are. Nobody
// else acts on it, and launches succeed, but where the last ones failed.
func From(w *world.World, now time.Time, run record.Run, pace Pace) *Sim {
	f := &from{Sim: empty(pace.Config, now), w: w, run: run, pace: pace, first: int(now.Unix()), sets: map[string]*Workload{}, dealt: map[string][]string{}, marked: map[string]bool{}}
	f.named, f.fits = "new-", &fits{known: map[*world.Needs]map[string]*fit{}, nears: map[string]*near{}, about: map[string][]*near{}}
	f.pods.moved, f.pods.changes = f.counts, map[string]*int{}
	for _, marks := range f.run.Marks {
		for _, m := range marks {
			if m.Put.Taint != nil {
				f.marked[m.Put.Taint.Key] = true
			}
		}
	}
	f.setGroup()
	for _, n := range w.Nodes() {
		if n.Labels == nil { // the run may put one
			labelled := *n
			labelled.Labels, n = map[string]string{}, &labelled
		}
		f.Truth.SetNode(n)
		f.View.SetNode(n)
	}
	for _, b := range w.Budgets() {
		f.budgets[b.Ref()] = &Budget{Budget: *b, list: underBudget(b), changes: f.pods.changesOf(underBudget(b)), fixed: true, disrupted: map[string]time.Time{}}
		f.Truth.SetBudget(b)
		f.View.SetBudget(b)
	}
	f.setPods()
	f.setMachines()
	f.View.SetGroup(*f.group)
	f.shownGroup = f.group
	for _, src := range []world.Source{world.Nodes, world.Cluster, world.Cloud} {
		f.View.SetHealth(src, world.Health{Fresh: now})
	}
	f.fresh = true
	f.After(f.Config.CloudEvery, f.poll)
	f.Touch()
	return f.Sim
}

// setGroup takes the group over.
func (f *from) setGroup() {
	g := f.w.Group.Clean()
	g.Suspended, g.Warm, g.Activities = slices.Clone(g.Suspended), slices.Clone(g.Warm), slices.Clone(g.Activities)
	s := &f.Group
	s.init(g.Zones)
	own := func(p world.Peer) bool { return p.Name == g.Name }
	for _, p := range slices.DeleteFunc(slices.Clone(g.Peers), own) {
		f.peers = append(f.peers, &Peer{Peer: p})
	}
	for _, h := range g.Hooks {
		after := min(f.pace.Hook, h.Timeout/2)
		if f.pace.EndHasHooks && !h.Launching || f.pace.StartHasHooks && h.Launching {
			after = min(after, time.Millisecond)
		}
		s.LifecycleHooks = append(s.LifecycleHooks, LifecycleHook{Hook: h, After: after})
	}
	g.Hooks, g.Peers, g.Lately = nil, nil, nil
	s.Group, s.WarmSize = g, len(g.Warm)
	f.Balancer = Balancer{There: len(g.Balancers) > 0, Takes: f.pace.Leave}

	s.versions = map[int64]string{g.Template.Version: g.Image}
	for _, t := range slices.Concat(f.run.Target.Templates, g.Overrides, []world.Template{f.run.BaseTemplate}) {
		s.versions[t.Version] = cmp.Or(s.versions[t.Version], "ami of version "+t.String())
	}
	for _, lack := range f.w.Group.Lacks(f.now) {
		if lack.Zone == "" {
			s.Quota = max(1, len(f.w.Machines())+len(g.Warm))
		} else {
			s.ZoneRoom[lack.Zone] = 0
		}
	}
	s.Spot, s.Protects = true, true
	inZones := map[string]bool{}
	for _, m := range f.w.Machines() {
		s.versions[m.Template.Version] = cmp.Or(s.versions[m.Template.Version], "ami of version "+m.Template.String())
		s.Spot, s.Protects = s.Spot && m.Spot, s.Protects && m.Protected
		inZones[m.Zone] = true
	}
	if len(s.Zones) == 0 {
		s.Zones = slices.Sorted(maps.Keys(inZones))
	}
	for _, zone := range s.Zones {
		f.numbers["node/"+zone] = f.run.Nodes.Len() + 2*len(f.w.Machines())
	}
	f.model = f.modelOf()
	if s.NodeLabels = f.model.labels; s.NodeLabels == nil {
		s.NodeLabels = map[string]string{}
	}
	for key, value := range f.run.Settings.NewLabels {
		s.NodeLabels[key] = cmp.Or(value, s.NodeLabels[key], "any")
	}
}

// setMachines takes the group's machines over; what is under way with them continues.
func (f *from) setMachines() {
	for _, known := range f.w.Machines() {
		n := f.w.NodeOf(known.ID)
		m := &Machine{Machine: *known, Name: cmp.Or(known.Node, known.ID), Began: f.now}
		if n != nil {
			m.Name, m.silent = n.Name, !n.Unreachable.IsZero()
		}
		f.addMachine(m)
		r, spent := f.run.Nodes.Get(m.ID), time.Duration(0)
		if r.Stage == record.Launching || r.Stage == record.Terminating {
			spent = f.now.Sub(r.Since)
		}
		switch {
		case m.Leaving():
			f.After(f.Config.Terminate-spent, func() { f.drop(m) })
		case m.State == world.MachinePending:
			f.After(f.Config.Launch-spent, func() { f.hold(m, true) })
			fallthrough
		case n == nil:
			m.neverJoins = n == nil && (spent > young || r.Stage != record.Launching && r.Stage != "")
			f.After(f.Config.Launch+f.Config.Boot-spent, func() {
				if f.Truth.Node(m.Name) == nil {
					f.boots(m)
				}
			})
		}
	}
	f.Faults.Machines["never-join"], f.Faults.Machines["not-ready"] = f.fails()
	f.ListMachines()
	f.View.KeepMachines(f.w.Machines())
	for _, n := range f.w.Nodes() {
		f.recovers(n)
	}
}

// fails reports whether the machines that the run has launched so far do not join, or do not get
// Ready, none of them and one for long: others will not either.
func (f *from) fails() (joins, ready bool) {
	joined, got := 0, 0
	lasts := func(since time.Time) bool { return !since.IsZero() && f.now.Sub(since) > young }
	for id, r := range f.run.Nodes.All() {
		n := f.w.NodeOf(id)
		switch {
		case !r.New:
			joins = joins || r.Stage == record.Replaced && lasts(r.Since) // and another one was launched
		case n == nil:
			joins = joins || r.Stage == record.Launching && lasts(r.Since)
		case n.Ready:
			joined, got = joined+1, got+1
		default:
			joined, ready = joined+1, ready || lasts(n.Created)
		}
	}
	launching := slices.ContainsFunc(f.w.Machines(), func(m *world.Machine) bool { return f.run.Nodes.Peek(m.ID).Stage == record.Launching })
	return joins && joined == 0 && launching, ready && got == 0
}

// recovers lets a node be Ready again that has not been so for a short while only.
func (f *from) recovers(n *world.Node) {
	since := cmp.Or(n.Unreachable, n.Sick, n.Created)
	lasts := f.now.Sub(since)
	if n.Ready || lasts >= young {
		return
	}
	rest := young - lasts
	if since.Equal(n.Created) && lasts < f.Config.NodeReady {
		rest = f.Config.NodeReady - lasts
	}
	f.After(rest, func() {
		if m := f.machines[n.Machine]; m != nil && m.silent {
			f.HearAgain(m)
			return
		}
		f.EditNode(n.Name, func(n *world.Node) {
			n.Ready, n.Sick, n.Unreachable, n.Trouble = true, time.Time{}, time.Time{}, ""
			n.Taints = slices.DeleteFunc(n.Taints, func(t world.Taint) bool { return t.Key == unreachableTaint })
		})
	})
}

// setPods takes the pods over, and makes up the workloads that they are of.
func (f *from) setPods() {
	all := slices.Clone(f.w.Unplaced())
	for _, n := range f.w.Nodes() {
		all = append(all, f.w.PodsOn(n.Name)...)
	}
	for _, p := range all { // all rules are known before the first pod is counted
		f.fits.of(p.Needs, p.Namespace)
	}
	slices.SortFunc(all, func(a, b *world.Pod) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.UID, b.UID)) })
	for _, known := range all {
		p := &Pod{Pod: *known, Shape: f.shapeOf(known), up: known.Phase == world.PodRunning && len(known.Unready) == 0}
		p.lists = []string{ownedBy(known)}
		for _, b := range f.w.BudgetsOf(known) {
			p.lists = append(p.lists, underBudget(b))
		}
		f.numbers["uid/"+p.Name] = f.first
		f.count(p)
		f.pods.set(p)
		f.Truth.SetPod(known)
		f.View.SetPod(known)
		f.goesOn(p)
	}
	for _, uid := range sortedKeys(f.sets) {
		f.workloads = append(f.workloads, f.sets[uid])
	}
	for owner, x := range f.run.Singles { // what the run has scaled is its own to scale back
		if w := f.sets[owner]; w != nil && x.Open() {
			w.scale, w.Ours = x.UID, w.Replicas > 1
		}
	}
	daemons := f.DaemonSets()
	f.Truth.SetDaemonSets(daemons)
	f.View.SetDaemonSets(daemons)
}

// ownedBy and underBudget are the lists of the pods of an owner, and of a budget.
func ownedBy(p *world.Pod) string        { return "of " + p.Owner.UID }
func underBudget(b *world.Budget) string { return "under " + b.Ref() }

// count makes a pod one of its workload's, if it has one that puts it back.
func (f *from) count(p *Pod) {
	if p.Owner.UID == "" || p.Mirror || p.Finished() || p.Owner.Kind == DaemonSet && !f.w.HasDaemonSet(p.Owner.UID) {
		return
	}
	w := f.sets[p.Owner.UID]
	if w == nil {
		w = &Workload{Kind: Deployment, Namespace: p.Namespace, Name: p.Owner.Name, UID: p.Owner.UID, list: ownedBy(&p.Pod), changes: f.pods.changesOf(ownedBy(&p.Pod)), like: p, since: f.now, Shape: p.Shape}
		if p.Owner.Kind == StatefulSet || p.Owner.Kind == DaemonSet {
			w.Kind = p.Owner.Kind
		}
		if w.Kind == Deployment && p.Volume {
			w.Shape.Zone = f.zoneOf(p.Node)
		}
		f.sets[w.UID] = w
		f.numbers["pod/"+w.Name] = f.first
	}
	p.owner = w
	if w.Shape.NeverReady = w.Shape.NeverReady && p.Shape.NeverReady; w.Kind == DaemonSet {
		return
	}
	if !p.Terminating() || w.Kind == StatefulSet { // a StatefulSet replaces a pod when it is gone
		w.Replicas++
	}
}

// shapeOf guesses what a pod is like.
func (f *from) shapeOf(p *world.Pod) Shape {
	shape := Shape{
		Ready: cmp.Or(f.pace.ReadyOf[p.Owner.UID], f.pace.PodReady), Stop: f.pace.stopOf(p), Grace: p.Grace, ToleratesAll: p.ToleratesAll, Tolerates: f.tolerated(p.Node),
		NeverReady: p.Phase == world.PodRunning && !p.Ready && f.now.Sub(p.Created) > young && f.unwell(p),
		Gated:      p.Phase == world.PodRunning && !p.Ready && p.Critical != "" && len(p.Unready) == 0 && f.now.Sub(p.Created) > young,
		Volume:     p.Volume && p.Owner.Kind == StatefulSet, Finalizers: p.Finalizers, fit: f.fits.of(p.Needs, p.Namespace),
	}
	if p.Needs != nil {
		shape.CPU, shape.Memory = p.Needs.CPU, p.Needs.Memory
	}
	known := f.pace.PodStop > 0 || f.pace.StopOf[p.Owner.UID] > 0
	if limit := f.run.Settings.DrainTimeout / 3; limit > 0 && !known { // a guess is no reason to fail
		shape.Stop = min(shape.Stop, limit)
	}
	if !p.Terminating() || f.now.Sub(p.Ends) < time.Minute {
		shape.Finalized = served
	}
	return shape
}

// stopOf is how long a pod takes to stop.
func (p *Pace) stopOf(pod *world.Pod) time.Duration {
	if known := cmp.Or(p.StopOf[pod.Owner.UID], p.PodStop); known > 0 {
		return min(known, pod.Grace)
	}
	return time.Duration(p.StopShare * float64(pod.Grace))
}

// unwell reports whether a pod that is not Ready has not been so for long: it crashes, or a
// budget of its has been closed as long.
func (f *from) unwell(p *world.Pod) bool {
	return p.Crashing || slices.ContainsFunc(f.w.BudgetsOf(p), func(b *world.Budget) bool {
		return b.Healthy < b.Desired && !b.Since.IsZero() && f.now.Sub(b.Since) > young
	})
}

// tolerated lists the taints that the pods of a node have to tolerate to be there: not those
// that were put to move them.
func (f *from) tolerated(node string) []string {
	n := f.w.Node(node)
	if n == nil || len(n.Taints) == 0 {
		return nil
	}
	keys, known := f.dealt[node]
	if known {
		return keys
	}
	for _, t := range n.Taints {
		if f.stays(t) {
			keys = append(keys, t.Key)
		}
	}
	f.dealt[node] = keys
	return keys
}

// stays reports whether a taint keeps pods off a node for good: it was not put to move them.
func (f *from) stays(t world.Taint) bool {
	moves := (&world.Node{Taints: []world.Taint{t}}).Moves()
	return hard(t) && len(moves) == 0 && !f.marked[t.Key] && t.Key != world.EKSGroupKey && !strings.HasPrefix(t.Key, "node.kubernetes.io/")
}

func (f *from) zoneOf(node string) string {
	if n := f.w.Node(node); n != nil {
		return n.Zone
	}
	return ""
}

// goesOn lets happen what is under way with a pod.
func (f *from) goesOn(p *Pod) {
	n := f.Truth.Node(p.Node)
	if n == nil || p.Finished() {
		return
	}
	if name := volumeOf(p); name != "" {
		f.volumes[name] = &volume{zone: n.Zone, node: n.Name}
	}
	switch asked := p.Ends.Add(-p.Grace); {
	case p.Terminating() && f.now.Sub(p.Ends) < time.Minute:
		f.After(max(time.Second, asked.Add(p.Shape.Stop).Sub(f.now)), func() { f.stops(p, false) })
		if len(p.Finalizers) > 0 {
			f.After(max(time.Second, asked.Add(p.Shape.Stop).Sub(f.now))+served, func() { f.Finalize(p) })
		}
	case p.Terminating():
	case p.Phase == world.PodPending:
		f.attach(p, n)
	case !p.Ready && !p.Shape.NeverReady:
		f.After(max(time.Second, p.Created.Add(p.Shape.Ready).Sub(f.now)), func() { f.becomesReady(p) })
	}
}
