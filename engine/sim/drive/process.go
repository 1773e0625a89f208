package drive

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
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
		d.Doom = &c
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
	d.Crashes[string(a.Kind)]++
	d.die(c)
	return true
}

// dies reports whether the process has just died, at a point of a decision with
// these actions of which so many were sent.
func (d *Driver) dies(at CrashPoint, sent int, actions []record.Action) bool {
	c := d.Doom
	wanted := func(a record.Action) bool { return c.Kind == "" || a.Kind == c.Kind }
	if c == nil || c.Point != at || !slices.ContainsFunc(actions, wanted) || at == CrashMidAct && sent != (len(actions)+1)/2 {
		return false
	}
	d.Doom = nil
	for _, a := range actions {
		d.Crashes[string(at)+" "+string(a.Kind)]++
	}
	d.die(*c)
	return true
}

func (d *Driver) die(c Crash) {
	if c.Lost {
		d.cut = d.Deaths + 1
	}
	d.Deaths++
	d.Inputs = engine.Inputs{}
	if d.Reduces && d.Saved.Reducible() {
		d.Saved = d.Saved.Reduced()
	}
	d.Sleep(c.Pause)
	d.Sim.Forget()
	life := d.Deaths
	d.Sim.After(c.Pause, func() {
		if life != d.Deaths {
			return // who was to continue has died, too
		}
		d.Run, d.Dirty = engine.TakeOver(d.Decode(d.Encode(d.Saved)), d.Sim.Now()), true
		d.wake = d.Sim.Now()
		d.witness().Resumed(d.Run)
		d.findRemote()
		d.Sim.Connect()
		d.checks.Resumed()
	})
}
