package drive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/check"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/world"
)

// Rates of engine/live's loop: SaveEvery is how old a record may get.
const (
	saveSoon  = time.Second
	SaveEvery = 10 * time.Second
	saveRetry = time.Second
)

// mostAtOnce is how many decisions may follow each other without time passing.
const mostAtOnce = 30

// Driver drives a run against a Sim: it decides, saves the run and acts, as
// engine/live does. Every step goes through its Checks.
type Driver struct {
	// Sim is the world, Rules are the strategy that the run follows.
	Sim   *sim.Sim
	Rules engine.Strategy
	// Run is the run in the driver's memory.
	Run record.Run
	// Saved is the run as it was saved last, at SavedAt; Dirty: Run has changed since. Failing: the
	// record cannot be written.
	Saved          record.Run
	SavedAt        time.Time
	Dirty, Failing bool
	// Inputs are what the next decision is given: commands and outcomes that have arrived.
	Inputs engine.Inputs
	// Remote are the commands from elsewhere, also those that were answered.
	Remote []*RemoteCommand
	// Events are what happened, oldest first.
	Events []record.Event
	// Broken are the rules that were found broken, a sentence each.
	Broken []string
	// Decisions counts the decisions, Requests the requests that were sent.
	Decisions, Requests int
	// Sent counts the actions that were to be sent, in the order of CrashAt.
	Sent int
	// Deaths counts the crashes. Answers to an earlier life are lost.
	Deaths int
	// Doom is the crash that waits for its point, nil for none.
	Doom *Crash
	// Crashes counts the deaths by point and kind of action ("mid-act evict"), Struck the requests
	// that failed by how ("refused busy").
	Crashes, Struck map[string]int

	// Witness is told what happens, in order; may be nil.
	Witness Witness

	// Audit is how often the run goes through JSON besides being saved, and it is
	// seen that Decide does not change what it is given: at every Audit-th decision.
	Audit int

	// Reduces: the record has room for a reduced run only, from which the next process continues.
	Reduces bool

	heard      int // events that checkRemote has seen
	wake       time.Time
	asleep     time.Time // sleeps until then
	cut        int       // requests of lives before this one do not arrive any more
	boundary   Boundary
	atBoundary *Crash // waits for boundary
	checks     Checks
	lastNow    time.Time
	atOnce     int
}

// Checks hold a driver to the rules, step by step, and have it note what is broken (Driver.Breaks). They are asked
// in the order of these methods, but that what was asked arrives and is answered while other decisions are taken.
type Checks interface {
	// Begin is called once, before the run has begun.
	Begin(*Driver)
	// Moved is called whenever the world has moved.
	Moved()
	// Deciding is called with what a decision is given, before it is taken.
	Deciding(engine.Inputs)
	// Decided is called with a decision, and the run and the inputs that it was made of.
	Decided(before record.Run, in engine.Inputs, d engine.Decision)
	// Unwritten is called instead of Decided where the record cannot be written.
	Unwritten(before record.Run, in engine.Inputs, d engine.Decision)
	// Took is called once the run is the decision's and saved where it has to be, before its actions are sent.
	Took(engine.Decision)
	// Asked is called before an action is sent, Arrives when it reaches the API, Answered with what the API has
	// done, and Delivered when the driver knows of that.
	Asked(record.Action)
	Arrives(record.Action)
	Answered(record.Action, record.Outcome)
	Delivered(record.Action, record.Outcome)
	// Resumed is called when another process continues with the run.
	Resumed()
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

// New makes a driver for a run, which checks hold to the rules. The run is saved first.
func New(s *sim.Sim, rules engine.Strategy, run record.Run, checks Checks) *Driver {
	d := &Driver{Sim: s, Rules: rules, Run: run, checks: checks, Audit: 1, wake: s.Now(), Crashes: map[string]int{}, Struck: map[string]int{}}
	checks.Begin(d)
	d.Save()
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
		if wake := sim.Later(d.wake, d.asleep); wake.Before(next) {
			next = wake
		}
		s.Advance(next)
		d.checks.Moved()
		due := !s.Now().Before(d.wake) || s.Changed() || len(d.Inputs.Outcomes) > 0 || len(d.Inputs.Commands) > 0 && !d.Failing
		if due && !s.Now().Before(d.asleep) {
			d.decide()
		}
		if stop != nil && stop() {
			return
		}
		if !next.Before(t) && sim.Later(d.wake, d.asleep).After(t) {
			return
		}
	}
}

// Say hands an operator's command to the run.
func (d *Driver) Say(c record.Command) {
	c.At = d.Sim.Now()
	d.Inputs.Commands = append(d.Inputs.Commands, c)
	d.witness().Heard([]record.Command{c})
	d.wake = d.Sim.Now()
}

// Sleep stops the driver, as closing a laptop does; the world continues.
func (d *Driver) Sleep(span time.Duration) { d.asleep = d.Sim.Now().Add(span) }

// decide takes one decision, saves it and starts its actions.
func (d *Driver) decide() {
	s := d.Sim
	if !d.timePasses() {
		return
	}
	s.Look()
	d.Decisions++
	in := d.Inputs
	d.Inputs = engine.Inputs{}
	d.checks.Deciding(in)
	var given []byte
	audit := d.Decisions%max(1, d.Audit) == 0
	if audit {
		given = d.Encode(Compared(d.Run))
		d.auditFacts(d.Run)
	}
	dec := engine.Decide(d.Rules, s.Now(), s.View, d.Run, in)
	d.checks.Decided(d.Run, in, dec)
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
	d.Dirty = d.Dirty || dec.Changed
	if d.mustSave(dec) {
		if s.Now().Before(s.Faults.UnwrittenUntil) {
			d.Run = before
			d.hold(in)
			return
		}
		d.Save()
	}
	d.Events = append(d.Events, dec.Events...)
	d.witness().Decided(before, dec)
	d.witness().Events(dec.Events)
	d.wake = dec.Wake
	d.checks.Took(dec)
	if dec.ReadCloud {
		s.ReadNow()
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
	if !d.Sim.Now().Equal(d.lastNow) {
		d.lastNow, d.atOnce = d.Sim.Now(), 0
		return true
	}
	if d.atOnce++; d.atOnce > mostAtOnce {
		d.Breaks("the engine decides again and again without time passing (%d actions, phase %v)", len(d.Run.Pending), d.Run.Phases)
		return false
	}
	return true
}

// mustSave reports whether the run is saved with this decision, as the loop does it.
func (d *Driver) mustSave(dec engine.Decision) bool {
	since := d.Sim.Now().Sub(d.SavedAt)
	return len(dec.Actions) > 0 || obeys(dec.Acks) || dec.SavesFirst() || d.Dirty && since >= saveSoon || since >= SaveEvery || d.Failing
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
	if !bytes.Equal(d.Encode(Compared(d.Run)), given) {
		d.Breaks("Decide changed the run it was given")
	}
	written := d.Encode(next)
	read := d.Decode(written)
	if again := d.Encode(read); !bytes.Equal(again, written) {
		d.Breaks("the run does not survive JSON:\n%s\n%s", written, again)
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
		d.Breaks("facts: %s", stale)
	}
}

// auditTouched sees that a decision tells of every node that it changed.
func (d *Driver) auditTouched(dec engine.Decision) {
	for _, nodes := range []shards.Map[record.Node]{d.Run.Nodes, dec.Run.Nodes} {
		for id := range nodes.Keys() {
			if !slices.Contains(dec.Touched, id) && !reflect.DeepEqual(d.Run.Nodes.Get(id), dec.Run.Nodes.Get(id)) {
				d.Breaks("Decide changed the node of %s and does not tell", id)
			}
		}
	}
}

// send carries one action out: it arrives half a latency from now, its answer
// after the other half.
func (d *Driver) send(a record.Action) {
	s, life := d.Sim, d.Deaths
	d.Requests++
	d.checks.Asked(a)
	d.witness().Asked(a)
	if a.Kind == record.RunHook {
		d.runHook(a)
		return
	}
	half := s.Latency(a) / 2
	var arrive func()
	arrive = func() {
		if life < d.cut {
			return
		}
		if pause := s.Contended(a); pause > 0 {
			s.After(pause, arrive)
			return
		}
		d.checks.Arrives(a)
		o := s.Request(a)
		if o.Verdict == record.Unknown || o.Refusal == record.RefusedBusy || o.Refusal == record.RefusedForbidden {
			d.Struck[strings.TrimSpace(string(o.Verdict)+" "+string(o.Refusal))]++
		}
		d.checks.Answered(a, o)
		s.After(half+s.AnswerTakes(a, o), func() {
			if life == d.Deaths {
				d.Inputs.Outcomes = append(d.Inputs.Outcomes, o)
				d.checks.Delivered(a, o)
				d.witness().Answered(a, o)
			}
		})
	}
	s.After(half+s.Faults.Slow[a.Kind], arrive)
}

// runHook lets the hooks of an action run; whatever becomes of their process, they run to
// their end.
func (d *Driver) runHook(a record.Action) {
	s, life := d.Sim, d.Deaths
	o, takes := s.RunHook(a)
	s.After(takes, func() {
		if life == d.Deaths {
			o.At = s.Now()
			d.Inputs.Outcomes = append(d.Inputs.Outcomes, o)
			d.checks.Delivered(a, o)
		}
	})
}

// Save writes the record, as it is in memory.
func (d *Driver) Save() {
	d.Saved, d.SavedAt, d.Dirty, d.Failing = d.Run, d.Sim.Now(), false, false
	if d.knowsSizes() {
		d.Sim.NoteSizes(d.Run.Base.Desired)
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
	return len(d.Run.Pending) == 0 && s.View.Group.Sizes == s.Group.Sizes && d.Run.Expected() == s.Group.Sizes.Desired && d.Run.Expected()-d.Run.Surge() >= s.Group.Sizes.Min &&
		!s.View.Stale(world.Cloud, s.Now(), d.Run.Settings.CloudMaxAge)
}

// hold takes what happened while the run record cannot be written, as engine/live does. What
// needs the record waits for it.
func (d *Driver) hold(in engine.Inputs) {
	s := d.Sim
	d.Failing = true
	later := func(c record.Command) bool { return c.ID != "" || c.Kind.NeedsRecord() }
	held := engine.Inputs{Unwritten: true, Outcomes: in.Outcomes}
	for _, c := range in.Commands {
		if later(c) {
			d.Inputs.Commands = append(d.Inputs.Commands, c)
		} else {
			held.Commands = append(held.Commands, c)
		}
	}
	d.checks.Deciding(held)
	before := d.Run
	dec := engine.Decide(d.Rules, s.Now(), s.View, d.Run, held)
	d.Run = dec.Run
	d.Dirty = d.Dirty || dec.Changed
	d.Events = append(d.Events, dec.Events...)
	d.witness().Decided(before, dec)
	d.witness().Events(dec.Events)
	d.wake = s.Now().Add(saveRetry)
	d.checks.Unwritten(before, held, dec)
	d.checks.Took(dec)
}

// Encode is a value as JSON. One that is none breaks the rules.
func (d *Driver) Encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		d.Breaks("%T is not JSON: %v", v, err)
	}
	return b
}

// Decode reads a run from JSON. One that cannot be read, or is not whole, breaks the rules.
func (d *Driver) Decode(b []byte) record.Run {
	var r record.Run
	if err := json.Unmarshal(b, &r); err != nil {
		d.Breaks("the record cannot be read: %v", err)
	} else if err := check.Run(&r); err != nil {
		d.Breaks("the record is not whole: %v", err)
	}
	return r
}

// Breaks notes a broken rule; the driver stops at the first.
func (d *Driver) Breaks(format string, args ...any) {
	at := d.Sim.Now().Sub(sim.Epoch).Round(time.Millisecond)
	what := fmt.Sprintf("%s: ", at) + fmt.Sprintf(format, args...)
	if d.Deaths > 0 {
		what += fmt.Sprintf(" (rule 6: its process had died %d times)", d.Deaths)
	}
	d.Broken = append(d.Broken, what)
}

// Compared is a run for a text that is compared with another one and not read: its nodes and pods are Go's own
// maps, which are written sooner. What a record says is audit's to check.
func Compared(r record.Run) any {
	return struct {
		*record.Run
		Nodes map[string]record.Node `json:"nodes"`
		Pods  map[string]record.Pod  `json:"pods"`
	}{&r, maps.Collect(r.Nodes.All()), maps.Collect(r.Pods.All())}
}
