package sim

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// CrashPoint says where a driver's process dies.
type CrashPoint string

// Crash points. All but CrashNow wait for a decision that has actions.
const (
	CrashNow        CrashPoint = ""
	CrashBeforeSave CrashPoint = "before-save" // the decision is lost
	CrashBeforeAct  CrashPoint = "before-act"  // it is saved, and no action is sent
	CrashMidAct     CrashPoint = "mid-act"     // it is saved, and half of its actions are sent
	CrashAfterAct   CrashPoint = "after-act"   // it is saved, and all are sent
)

// Boundary is a place between two actions of a run: before its Nth action is sent, or
// right after.
type Boundary struct {
	Nth   int
	After bool
}

// Crash is how a driver's process dies, and another one continues with its run.
type Crash struct {
	Point CrashPoint
	// Kind narrows it to decisions with an action of this kind; "" for any.
	Kind record.ActionKind
	// Pause is how long nobody drives the run.
	Pause time.Duration
	// Lost: requests on their way never arrive. Otherwise they do, and only their
	// answers are lost.
	Lost bool
}

// Crash ends the driver's process at a point and resumes the run from its record
// after a pause, as another process would: with a world in which nothing is known
// yet.
func (d *Driver) Crash(c Crash) {
	if c.Point != CrashNow {
		d.doom = &c
		return
	}
	d.die(c)
}

// CrashAt lets the process die at a boundary, counted from the run's first action.
func (d *Driver) CrashAt(at Boundary, c Crash) { d.boundary, d.atBoundary = at, &c }

// diesAt reports whether the process has just died before or after the action that
// is sent now.
func (d *Driver) diesAt(after bool, a record.Action) bool {
	if d.atBoundary == nil || d.boundary != (Boundary{d.Sent, after}) {
		return false
	}
	c := *d.atBoundary
	d.atBoundary = nil
	d.crashes[string(a.Kind)]++
	d.die(c)
	return true
}

// dies reports whether the process has just died, at a point of a decision with
// these actions of which so many were sent.
func (d *Driver) dies(at CrashPoint, sent int, actions []record.Action) bool {
	c := d.doom
	wanted := func(a record.Action) bool { return c.Kind == "" || a.Kind == c.Kind }
	if c == nil || c.Point != at || !slices.ContainsFunc(actions, wanted) || at == CrashMidAct && sent != (len(actions)+1)/2 {
		return false
	}
	d.doom = nil
	for _, a := range actions {
		d.crashes[string(at)+" "+string(a.Kind)]++
	}
	d.die(*c)
	return true
}

func (d *Driver) die(c Crash) {
	if c.Lost {
		d.cut = d.life + 1
	}
	d.life++
	d.in = engine.Inputs{}
	d.Sleep(c.Pause)
	d.Sim.forget()
	life := d.life
	d.Sim.after(c.Pause, func() {
		if life != d.life {
			return // who was to continue has died, too
		}
		d.Run, d.dirty = engine.TakeOver(d.decode(d.encode(d.saved)), d.Sim.now), true
		d.wake = d.Sim.now
		d.witness().Resumed(d.Run)
		d.findRemote()
		d.Sim.connect()
		d.check.resumed()
	})
}

// forget empties the View: nobody watches any more.
func (s *Sim) forget() {
	s.View, s.synced, s.faults.held = world.New(), false, nil
	s.process++
}

// connect begins to fill an empty View: the cloud's side with the answer to a
// first poll, the cluster's nodes soon, and the rest of the cluster when all lists
// have arrived. Until then the cluster counts as never seen.
func (s *Sim) connect() {
	s.View.SetHealth(world.Cluster, world.Health{Problem: "reading the cluster's nodes, pods and budgets"})
	s.look()
	process := s.process
	s.after(s.Config.Sync/2, func() {
		if process == s.process && !s.faults.away(world.Cluster, s.now) {
			s.show(func(w *world.World) {
				for _, n := range s.Truth.Nodes() {
					w.SetNode(n)
				}
			})
			s.fresh = true
		}
	})
	s.after(s.Config.Sync, func() { s.list(process) })
}

// list fills the cluster's side of the View as the lists of a watch do: as things
// are now, so that what the watch was about to tell before is old.
func (s *Sim) list(process int) {
	if process != s.process {
		return
	}
	if back := later(s.faults.gone[world.Cluster], s.faults.etcd); s.now.Before(back) {
		s.after(back.Sub(s.now), func() { s.list(process) })
		return
	}
	s.lists++
	s.faults.held = nil
	s.show(s.clusterOf(s.Truth))
	s.synced, s.fresh = true, true
}

// clusterOf is the cluster's side of a World as a change that makes an empty one
// like it.
func (s *Sim) clusterOf(v *world.World) func(*world.World) {
	nodes, budgets, daemons := v.Nodes(), v.Budgets(), s.daemonSets()
	var pods []*world.Pod
	for _, p := range s.allPods() {
		if seen := v.Pod(p.UID); seen != nil {
			pods = append(pods, seen)
		}
	}
	return func(to *world.World) {
		to.SetDaemonSets(daemons)
		for _, old := range to.Nodes() {
			if v.Node(old.Name) == nil {
				to.DeleteNode(old.Name)
			}
		}
		for _, n := range nodes {
			to.SetNode(n)
		}
		for _, p := range pods {
			to.SetPod(p)
		}
		for _, b := range budgets {
			to.SetBudget(b)
		}
	}
}
