package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/check"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
)

// Rates of engine/live's loop.
const (
	saveSoon  = time.Second
	saveEvery = 10 * time.Second
	saveRetry = time.Second
)

// mostAtOnce is how many decisions may follow each other without time passing.
const mostAtOnce = 30

// Driver drives a run against a Sim: it decides, saves the run and acts, as
// engine/live does. Every step goes through the checker.
type Driver struct {
	Sim   *Sim
	Rules engine.Strategy
	// Run is the run in the driver's memory.
	Run record.Run
	// Events are what happened, oldest first.
	Events []record.Event
	// Broken are the rules that were found broken, a sentence each.
	Broken []string
	// Decisions counts the decisions, Requests the requests that were sent.
	Decisions, Requests int
	// Sent counts the actions that were to be sent, in the order of CrashAt.
	Sent int

	// Witness is told what happens, in order; may be nil.
	Witness Witness

	// Audit is how often the run goes through JSON besides being saved, and it is
	// seen that Decide does not change what it is given: at every Audit-th decision.
	Audit int

	saved   record.Run // the run as it was saved last
	savedAt time.Time
	dirty   bool
	in      engine.Inputs
	remote  []*remoteCommand // the commands from elsewhere
	heard   int              // events that checkRemote has seen
	wake    time.Time
	asleep  time.Time      // sleeps until then
	failing bool           // the run record could not be written
	life    int            // counts the crashes: answers to an earlier life are lost
	cut     int            // requests of lives before this one do not arrive any more
	doom    *Crash         // waits for its point
	crashes map[string]int // how often a process died, by point and action

	boundary   Boundary
	atBoundary *Crash         // waits for boundary
	struck     map[string]int // how often a request failed, by how
	check      checker
	lastNow    time.Time
	atOnce     int
}

// Witness is told what a driver hears, decides, tells, asks for and is answered.
type Witness interface {
	Heard([]record.Command)
	Decided(before record.Run, d engine.Decision)
	Events([]record.Event)
	// Asked is called before an action is sent, and Answered once its outcome is known.
	Asked(record.Action)
	Answered(record.Action, record.Outcome)
	// Resumed is called when another process continues with the run.
	Resumed(record.Run)
}

// nobody is a Witness that takes in nothing.
type nobody struct{}

func (nobody) Heard([]record.Command)                 {}
func (nobody) Decided(record.Run, engine.Decision)    {}
func (nobody) Events([]record.Event)                  {}
func (nobody) Asked(record.Action)                    {}
func (nobody) Answered(record.Action, record.Outcome) {}
func (nobody) Resumed(record.Run)                     {}

// witness is who is told what happens.
func (d *Driver) witness() Witness {
	if d.Witness == nil {
		return nobody{}
	}
	return d.Witness
}

// Drive makes a driver for a run. The run is saved first.
func Drive(s *Sim, rules engine.Strategy, run record.Run) *Driver {
	d := &Driver{Sim: s, Rules: rules, Run: run, Audit: 1, wake: s.now, crashes: map[string]int{}, struck: map[string]int{}}
	d.check.init(d)
	d.save()
	return d
}

// Advance lets the world and the driver continue until t, until the run ends, or until
// stop (if there is one), which is asked at every move, says so.
func (d *Driver) Advance(t time.Time, stop func() bool) {
	for d.Run.State != record.Finished && len(d.Broken) == 0 {
		s := d.Sim
		next := t
		if e, ok := s.Next(); ok && e.Before(next) {
			next = e
		}
		if wake := later(d.wake, d.asleep); wake.Before(next) {
			next = wake
		}
		s.Advance(next)
		d.check.truth()
		due := !s.now.Before(d.wake) || s.fresh || len(d.in.Outcomes) > 0 || len(d.in.Commands) > 0 && !d.failing
		if due && !s.now.Before(d.asleep) {
			d.decide()
		}
		if stop != nil && stop() {
			return
		}
		if !next.Before(t) && later(d.wake, d.asleep).After(t) {
			return
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Say hands an operator's command to the run.
func (d *Driver) Say(c record.Command) {
	c.At = d.Sim.now
	d.in.Commands = append(d.in.Commands, c)
	d.witness().Heard([]record.Command{c})
	d.wake = d.Sim.now
}

// Sleep stops the driver, as closing a laptop does; the world continues.
func (d *Driver) Sleep(span time.Duration) { d.asleep = d.Sim.now.Add(span) }

// decide takes one decision, saves it and starts its actions.
func (d *Driver) decide() {
	s := d.Sim
	if !d.timePasses() {
		return
	}
	s.health()
	s.fresh = false
	d.Decisions++
	in := d.in
	d.in = engine.Inputs{}
	d.check.before(in)
	var given []byte
	audit := d.Decisions%max(1, d.Audit) == 0
	if audit {
		given = d.encode(compared(d.Run))
		d.auditFacts(d.Run)
	}
	dec := engine.Decide(d.Rules, s.now, s.View, d.Run, in)
	d.check.sameAgain(d.Run, in, dec)
	d.check.saysChanged(d.Run, in, dec)
	if audit {
		d.auditTouched(dec)
		d.auditFacts(dec.Run)
		dec.Run = d.audit(given, dec.Run)
	}
	if d.dies(CrashBeforeSave, 0, dec.Actions) {
		return
	}
	before := d.Run
	d.Run = dec.Run
	d.dirty = d.dirty || dec.Changed
	if d.mustSave(dec) {
		if s.now.Before(s.faults.unwritten) {
			d.Run = before
			d.hold(in)
			return
		}
		d.save()
	}
	d.Events = append(d.Events, dec.Events...)
	d.witness().Decided(before, dec)
	d.witness().Events(dec.Events)
	d.wake = dec.Wake
	d.check.after(dec)
	if dec.ReadCloud {
		s.readNow()
	}
	if d.dies(CrashBeforeAct, 0, dec.Actions) {
		return
	}
	d.answer(dec.Acks)
	d.checkRemote()
	d.act(dec.Actions)
}

// timePasses reports whether time passes between decisions, as it must after some of them.
func (d *Driver) timePasses() bool {
	if !d.Sim.now.Equal(d.lastNow) {
		d.lastNow, d.atOnce = d.Sim.now, 0
		return true
	}
	if d.atOnce++; d.atOnce > mostAtOnce {
		d.breaks("the engine decides again and again without time passing (%d actions, phase %v)", len(d.Run.Pending), d.Run.Phases)
		return false
	}
	return true
}

// mustSave reports whether the run is saved with this decision, as the loop does it.
func (d *Driver) mustSave(dec engine.Decision) bool {
	since := d.Sim.now.Sub(d.savedAt)
	return len(dec.Actions) > 0 || obeys(dec.Acks) || dec.SavesFirst() || d.dirty && since >= saveSoon || since >= saveEvery || d.failing
}

// act sends a decision's actions, until the process dies.
func (d *Driver) act(actions []record.Action) {
	for i, a := range actions {
		d.Sent++
		if d.diesAt(false, a) {
			return
		}
		d.send(a)
		if d.diesAt(true, a) || d.dies(CrashMidAct, i+1, actions) {
			return
		}
	}
	d.dies(CrashAfterAct, len(actions), actions)
}

// audit sees that a decision has not changed the run that it was given, and takes
// the next one through JSON. Every other decision is made with what was read, which has no
// facts that are kept, and the others with the run itself.
func (d *Driver) audit(given []byte, next record.Run) record.Run {
	if !bytes.Equal(d.encode(compared(d.Run)), given) {
		d.breaks("Decide changed the run it was given")
	}
	written := d.encode(next)
	read := d.decode(written)
	if again := d.encode(read); !bytes.Equal(again, written) {
		d.breaks("the run does not survive JSON:\n%s\n%s", written, again)
	}
	read.External = next.External // what is seen of others is in no record
	if d.Decisions%2 == 0 {
		return next
	}
	return read
}

// auditFacts sees that what is kept of the machines is what one would work out now.
func (d *Driver) auditFacts(r record.Run) {
	if stale := assess.StaleFact(d.Rules, d.Sim.View, r); stale != nil {
		d.breaks("facts: %s", stale)
	}
}

// auditTouched sees that a decision tells of every node that it changed.
func (d *Driver) auditTouched(dec engine.Decision) {
	for _, nodes := range []shards.Map[record.Node]{d.Run.Nodes, dec.Run.Nodes} {
		for id := range nodes.Keys() {
			if !slices.Contains(dec.Touched, id) && !reflect.DeepEqual(d.Run.Nodes.Get(id), dec.Run.Nodes.Get(id)) {
				d.breaks("Decide changed the node of %s and does not tell", id)
			}
		}
	}
}

// send carries one action out: it arrives half a latency from now, its answer
// after the other half.
func (d *Driver) send(a record.Action) {
	s, life := d.Sim, d.life
	d.Requests++
	d.check.asked(a)
	d.witness().Asked(a)
	if a.Kind == record.RunHook {
		d.runHook(a)
		return
	}
	half := s.latency(a) / 2
	var arrive func()
	arrive = func() {
		if life < d.cut {
			return
		}
		if pause := s.contended(a); pause > 0 {
			s.after(pause, arrive)
			return
		}
		d.check.arrives(a)
		o := s.request(a)
		if o.Verdict == record.Unknown || o.Refusal == record.RefusedBusy || o.Refusal == record.RefusedForbidden {
			d.struck[strings.TrimSpace(string(o.Verdict)+" "+string(o.Refusal))]++
		}
		d.check.answered(a, o)
		s.after(half+s.lasts(a, o), func() {
			if life == d.life {
				d.in.Outcomes = append(d.in.Outcomes, o)
				d.check.delivered(a, o)
				d.witness().Answered(a, o)
			}
		})
	}
	s.after(half, arrive)
}

// runHook lets the hooks of an action run; whatever becomes of their process, they run to
// their end.
func (d *Driver) runHook(a record.Action) {
	s, life := d.Sim, d.life
	o, takes := s.nodeHook(a)
	s.after(takes, func() {
		if life == d.life {
			o.At = s.now
			d.in.Outcomes = append(d.in.Outcomes, o)
			d.check.delivered(a, o)
		}
	})
}

// latency is how long a request takes, there and back.
func (s *Sim) latency(a record.Action) time.Duration {
	span := s.Config.ClusterLatency
	if source(a) == world.Cloud {
		span = s.Config.CloudLatency
	}
	if j := s.Config.Jitter; j > 0 {
		span = time.Duration(float64(span) * (1 - j + j*s.rand.ExpFloat64()))
	}
	return span
}

func (d *Driver) save() {
	d.saved, d.savedAt, d.dirty, d.failing = d.Run, d.Sim.now, false, false
	if d.knowsSizes() {
		d.Sim.seen(d.Run.Base.Desired)
	}
}

// knowsSizes reports whether the run was decided with the group's sizes as they are, counts with
// them, and has asked for nothing that changes them yet.
func (d *Driver) knowsSizes() bool {
	s := d.Sim
	for _, n := range d.Run.Nodes.All() {
		if n.Stage == record.Terminating {
			return false
		}
	}
	return len(d.Run.Pending) == 0 && s.View.Group.Sizes == s.group.Sizes && d.Run.Expected() == s.group.Sizes.Desired && d.Run.Expected()-d.Run.Surge() >= s.group.Sizes.Min &&
		!s.View.Stale(world.Cloud, s.now, d.Run.Settings.CloudMaxAge)
}

// hold takes what happened while the run record cannot be written, as engine/live does. What
// needs the record waits for it.
func (d *Driver) hold(in engine.Inputs) {
	s := d.Sim
	d.failing = true
	later := func(c record.Command) bool { return c.ID != "" || c.Kind.NeedsRecord() }
	held := engine.Inputs{Unwritten: true, Outcomes: in.Outcomes}
	for _, c := range in.Commands {
		if later(c) {
			d.in.Commands = append(d.in.Commands, c)
		} else {
			held.Commands = append(held.Commands, c)
		}
	}
	d.check.before(held)
	before := d.Run
	dec := engine.Decide(d.Rules, s.now, s.View, d.Run, held)
	d.Run = dec.Run
	d.dirty = d.dirty || dec.Changed
	d.Events = append(d.Events, dec.Events...)
	d.witness().Decided(before, dec)
	d.witness().Events(dec.Events)
	d.wake = s.now.Add(saveRetry)
	d.check.unwritten(before, held, dec)
	d.check.after(dec)
}

func (d *Driver) encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		d.breaks("%T is not JSON: %v", v, err)
	}
	return b
}

func (d *Driver) decode(b []byte) record.Run {
	var r record.Run
	if err := json.Unmarshal(b, &r); err != nil {
		d.breaks("the record cannot be read: %v", err)
	} else if err := check.Run(&r); err != nil {
		d.breaks("the record is not whole: %v", err)
	}
	return r
}

// breaks notes a broken rule; the driver stops at the first.
func (d *Driver) breaks(format string, args ...any) {
	at := d.Sim.now.Sub(epoch).Round(time.Millisecond)
	what := fmt.Sprintf("%s: ", at) + fmt.Sprintf(format, args...)
	if d.life > 0 {
		what += fmt.Sprintf(" (rule 6: its process had died %d times)", d.life)
	}
	d.Broken = append(d.Broken, what)
}
