package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Roll is several runs in an order that the provider knows. It is a plain value, complete
// in JSON. It need not be kept: what is still to be done is read from the groups, whose
// nodes are outdated or whose runs are unfinished.
type Roll struct {
	ID      string    `json:"id"`
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	// Groups are in the order in which they go.
	Groups []RollGroup `json:"groups"`
	// Stop says why no further group starts, "" while one may.
	Stop string `json:"stop,omitempty"`
	// Reported is the exit code of what the operator said of the roll as a whole: 3 for its
	// end, 9 for holding it; 0 for nothing.
	Reported int `json:"told,omitempty"`
	// Again is the command that goes on with it.
	Again string `json:"again,omitempty"`
}

// RollState is where a group of a roll stands.
type RollState string

// States of a group.
const (
	RollWaiting    RollState = "waiting"
	RollRunning    RollState = "running"
	RollFinished   RollState = "finished"    // this roll does no more with it: Result, Code and Why say how it ended
	RollLeftOut    RollState = "left out"    // from the start: Why says why
	RollNotStarted RollState = "not started" // because of what Why says
)

// RollGroup is a group of a roll and its run.
type RollGroup struct {
	Name string `json:"name"`
	// Group is what its runs and their events call it, where that is another name.
	Group string     `json:"group,omitempty"`
	Role  world.Role `json:"role,omitempty"`
	// Resumes: it has an unfinished run, which is gone on with before all others.
	Resumes bool      `json:"resumes,omitempty"`
	State   RollState `json:"state"`
	// Run is the id of its run, "" as long as there is none.
	Run     string    `json:"run,omitempty"`
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	// Done of Total outdated nodes are replaced.
	Done  int `json:"done,omitempty"`
	Total int `json:"total,omitempty"`
	// Result is that of its run, "" if that has not come to its end here; Code is the exit
	// code, also of what kept it from having a run.
	Result Result `json:"result,omitempty"`
	Code   int    `json:"code,omitempty"`
	Why    string `json:"why,omitempty"`
	// Left lists what its run did not put back, each with the command that would.
	Left []string `json:"left,omitempty"`
}

// RollRules are the order of the groups of a roll, and which errors stop it.
type RollRules struct {
	// Steps follow each other: all groups of a step have ended before one of the next
	// starts. A group whose role none of them names belongs to the last.
	Steps []RollStep
	// About says in a sentence what the rules are.
	About string
	// Fixed says why errors that stop the roll cannot be made to pass, "" if they can.
	Fixed string
}

// RollStep is the groups of one role.
type RollStep struct {
	Role world.Role
	// AtOnce is how many of them go side by side; 0 is one.
	AtOnce int
	// Any: every error of theirs stops the roll; else only those that Stop lists.
	Any  bool
	Stop []Result
}

// KeepGoing are the rules by which no error stops other groups.
func (r RollRules) KeepGoing() RollRules {
	r.Steps = slices.Clone(r.Steps)
	for i := range r.Steps {
		r.Steps[i].Any, r.Steps[i].Stop = false, nil
	}
	return r
}

// step is the number of the step that groups of a role belong to.
func (r RollRules) step(role world.Role) int {
	if i := slices.IndexFunc(r.Steps, func(s RollStep) bool { return s.Role == role }); i >= 0 {
		return i
	}
	return len(r.Steps) - 1
}

// NewRoll puts groups in their order: those with an unfinished run first, then by the
// rules' steps, then by name.
func NewRoll(rules RollRules, id string, groups []RollGroup) Roll {
	r := Roll{ID: id, Groups: slices.Clone(groups)}
	slices.SortFunc(r.Groups, func(a, b RollGroup) int {
		return cmp.Or(cmp.Compare(rules.turn(a), rules.turn(b)), cmp.Compare(a.Name, b.Name))
	})
	for i := range r.Groups {
		if r.Groups[i].State == "" {
			r.Groups[i].State = RollWaiting
		}
	}
	return r
}

// turn is when it is a group's turn: only groups with the same one go side by side.
func (r RollRules) turn(g RollGroup) int {
	if g.Resumes {
		return r.step(g.Role) - len(r.Steps)
	}
	return r.step(g.Role)
}

// RollNews is what happened since a roll was last decided on.
type RollNews struct {
	Ends []RollEnd
	// Stop, if not "", says that the operator wants no further group to start, and Told is
	// the exit code that this stands for.
	Stop string
	Told int
}

// RollEnd is what came of a group that was to be started.
type RollEnd struct {
	Group string
	// Unbegun: no run of it was begun or gone on with, because the roll was stopped.
	Unbegun bool
	Run     string
	Result  Result
	Code    int
	Why     string
	Done    int
	Total   int
	Left    []string
}

// RollDecision is what comes of a decision on a roll.
type RollDecision struct {
	Roll Roll
	// Start are the groups to start now.
	Start  []string
	Events []Event
}

// DecideRoll decides which groups of a roll start now. It is over when Roll.Over says so.
func DecideRoll(rules RollRules, now time.Time, roll Roll, news RollNews) RollDecision {
	d := &rolling{RollDecision: RollDecision{Roll: roll}, rules: rules, now: now}
	r := &d.Roll
	r.Groups = slices.Clone(r.Groups)
	if r.Over() {
		return d.RollDecision
	}
	if r.Started.IsZero() {
		d.begin()
	}
	if news.Stop != "" && r.Reported == 0 {
		r.Reported, r.Stop = news.Told, cmp.Or(r.Stop, news.Stop)
	}
	for _, e := range news.Ends {
		d.end(e)
	}
	d.start()
	if !slices.ContainsFunc(r.Groups, func(g RollGroup) bool { return g.State == RollRunning }) {
		d.finish()
	}
	return d.RollDecision
}

// rolling is a decision in the making.
type rolling struct {
	RollDecision
	rules RollRules
	now   time.Time
}

func (d *rolling) tell(e Event) {
	e.Time, e.Roll = d.now, d.Roll.ID
	d.Events = append(d.Events, e)
}

func (d *rolling) begin() {
	r := &d.Roll
	r.Started = d.now
	var names []string
	for _, g := range r.Groups {
		if g.State == RollWaiting {
			names = append(names, g.title())
		}
	}
	d.tell(Event{Type: RollStarted, Message: fmt.Sprintf("%s, in this order: %s", plural(len(names), "group"), strings.Join(names, ", "))})
	for _, g := range r.Groups {
		if g.State == RollLeftOut {
			d.tell(Event{Type: RollGroupChanged, Group: cmp.Or(g.Group, g.Name), Reason: string(RollLeftOut), Message: g.Sentence()})
		}
	}
}

// end takes in what came of a group.
func (d *rolling) end(e RollEnd) {
	r := &d.Roll
	i := slices.IndexFunc(r.Groups, func(g RollGroup) bool { return g.Name == e.Group && g.State == RollRunning })
	if i < 0 {
		return
	}
	g := &r.Groups[i]
	if e.Unbegun {
		g.State, g.Started = RollWaiting, time.Time{}
		return
	}
	g.State, g.Ended = RollFinished, d.now
	g.Run, g.Result, g.Code, g.Why, g.Done, g.Total, g.Left = cmp.Or(e.Run, g.Run), e.Result, e.Code, e.Why, e.Done, e.Total, e.Left
	d.tell(Event{Type: RollGroupChanged, Group: cmp.Or(g.Group, g.Name), Run: g.Run, Reason: string(RollFinished), Result: string(g.Result), ExitCode: &e.Code, Message: g.Sentence()})
	if why := d.rules.stops(*g); why != "" && r.Stop == "" {
		r.Stop = why
	}
}

// start starts what may start: groups of the first turn that is not over, as many at once
// as its step lets.
func (d *rolling) start() {
	r := &d.Roll
	if r.Stop != "" {
		return
	}
	running, turn, atOnce := 0, 0, 0
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.State != RollRunning && g.State != RollWaiting {
			continue
		}
		if atOnce == 0 {
			turn, atOnce = d.rules.turn(*g), max(1, d.rules.Steps[d.rules.step(g.Role)].AtOnce)
		}
		if d.rules.turn(*g) != turn {
			return
		}
		if g.State == RollWaiting && running < atOnce {
			g.State, g.Started = RollRunning, d.now
			d.Start = append(d.Start, g.Name)
			n, of := r.Place(g.Name)
			how := "starts"
			if g.Resumes {
				how = "goes on where it was"
			}
			d.tell(Event{Type: RollGroupChanged, Group: cmp.Or(g.Group, g.Name), Run: g.Run, Reason: string(RollRunning), Message: fmt.Sprintf("%s %s, group %d of %d", g.Name, how, n, of)})
		}
		if g.State == RollRunning {
			running++
		}
	}
}

func (d *rolling) finish() {
	r := &d.Roll
	for i := range r.Groups {
		if g := &r.Groups[i]; g.State == RollWaiting {
			g.State, g.Why = RollNotStarted, r.Stop
			d.tell(Event{Type: RollGroupChanged, Group: cmp.Or(g.Group, g.Name), Reason: string(RollNotStarted), Message: g.Sentence()})
		}
	}
	r.Ended = d.now
	code := r.ExitCode()
	d.tell(Event{Type: RollEnded, ExitCode: &code, Message: r.Sentence()})
}

// stops says why the end of a group's run keeps others from starting, "" if it does not.
func (r RollRules) stops(g RollGroup) string {
	step := r.Steps[r.step(g.Role)]
	what := "group"
	if g.Role != "" {
		what = string(g.Role) + " group"
	}
	switch {
	case !g.Bad():
		return ""
	case g.Code == Aborted.ExitCode():
		return g.Name + " was aborted"
	case g.Code == exitPaused:
		return g.Name + " is paused"
	case step.Any:
		return fmt.Sprintf("%s ended in an error, and any error of a %s stops the roll", g.Name, what)
	case slices.Contains(step.Stop, g.Result):
		return fmt.Sprintf("%s ended in %s, which stops the roll", g.Name, g.Result)
	}
	return ""
}

// Exit codes that are no results of runs.
const (
	exitWrongUse = 2
	exitHeld     = 6
	exitPaused   = 9
)

// exitOrder are the exit codes from the worst on.
var exitOrder = []int{exitWrongUse, exitHeld, 3, exitPaused, 5, 4, 7, 1, 8, 0}

// WorstExit is the exit code that counts where several apply; 0 without any. One that is
// not known is as bad as they come.
func WorstExit(codes ...int) int {
	worst := 0
	for _, c := range codes {
		if slices.Index(exitOrder, c) < slices.Index(exitOrder, worst) {
			worst = c
		}
	}
	return worst
}

// ExitCode is the exit code of the roll as it stands: that of its worst run, and what the
// operator said of it if that kept a group from starting.
func (r *Roll) ExitCode() int {
	var codes []int
	for _, g := range r.Groups {
		codes = append(codes, g.Code)
		if g.State == RollNotStarted {
			codes = append(codes, r.Reported)
		}
	}
	return WorstExit(codes...)
}

// Over reports whether nothing more will happen.
func (r *Roll) Over() bool { return !r.Ended.IsZero() }

// Place is the number of a group among those that were not left out, and how many those
// are.
func (r *Roll) Place(name string) (n, of int) {
	for _, g := range r.Groups {
		if g.State == RollLeftOut {
			continue
		}
		of++
		if g.Name == name {
			n = of
		}
	}
	return n, of
}

// Names are the groups in a state, in their order.
func (r *Roll) Names(state RollState) (names []string) {
	for _, g := range r.Groups {
		if g.State == state {
			names = append(names, g.Name)
		}
	}
	return names
}

// Sentence says how the roll ended, or stands.
func (r *Roll) Sentence() string {
	well, of := 0, 0
	for _, g := range r.Groups {
		if g.State != RollLeftOut {
			of++
		}
		if g.State == RollFinished && !g.Bad() {
			well++
		}
	}
	text := fmt.Sprintf("%d of %s done", well, plural(of, "group"))
	if r.Over() {
		text += " in " + r.Ended.Sub(r.Started).Round(time.Second).String()
	}
	if left := r.Names(RollNotStarted); len(left) > 0 {
		text += fmt.Sprintf("; not started: %s (%s)", strings.Join(left, ", "), r.Stop)
	}
	return text
}

// Bad reports whether a group's run ended in anything but what it was for: nodes that were
// left by choice are no error.
func (g RollGroup) Bad() bool {
	return g.State == RollFinished && g.Code != 0 && g.Code != NodesLeft.ExitCode()
}

// Word is how a group stands or ended, in a word or two.
func (g RollGroup) Word() string {
	if g.State != RollFinished {
		return string(g.State)
	}
	switch {
	case g.Code == 0:
		return "done"
	case g.Code == NodesLeft.ExitCode():
		return "done, nodes left"
	case g.Code == exitPaused:
		return "paused"
	case g.Code == exitHeld:
		return "held by another"
	case g.Code == exitWrongUse:
		return "refused"
	case g.Result == "" || g.Result == Succeeded:
		return "failed"
	}
	return string(g.Result)
}

// Sentence says how a group stands or ended.
func (g RollGroup) Sentence() string {
	text := g.Name + ": " + g.Word()
	if g.Total > 0 && (g.State == RollRunning || g.State == RollFinished) {
		text += fmt.Sprintf(", %d of %s replaced", g.Done, plural(g.Total, "node"))
	}
	if !g.Ended.IsZero() {
		text += " in " + g.Ended.Sub(g.Started).Round(time.Second).String()
	}
	if g.Why != "" && g.Code != 0 || g.State == RollLeftOut || g.State == RollNotStarted {
		text += ": " + strings.TrimPrefix(g.Why, string(g.Result)+": ")
	}
	return text
}

// title is a group's name and role.
func (g RollGroup) title() string {
	if g.Role == "" {
		return g.Name
	}
	return fmt.Sprintf("%s (%s)", g.Name, g.Role)
}
