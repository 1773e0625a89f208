package roll

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/plans"
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
	Groups []Group `json:"groups"`
	// Stop says why no further group starts, "" while one may.
	Stop string `json:"stop,omitempty"`
	// Reported is the exit code of what the operator said of the roll as a whole: 3 for its
	// end, 9 for holding it; 0 for nothing.
	Reported int `json:"told,omitempty"`
	// Again is the command that continues with it.
	Again string `json:"again,omitempty"`
}

// State is where a group of a roll stands.
type State string

// States of a group.
const (
	Waiting    State = "waiting"
	Running    State = "running"
	Finished   State = "finished"    // this roll does no more with it: Result, Code and Why say how it ended
	LeftOut    State = "left out"    // from the start: Why says why
	NotStarted State = "not started" // because of what Why says
)

// Group is a group of a roll and its run.
type Group struct {
	Name string `json:"name"`
	// Group is what its runs and their events call it, where that is another name.
	Group string     `json:"group,omitempty"`
	Role  world.Role `json:"role,omitempty"`
	// Resumes: it has an unfinished run, which is gone on with before all others.
	Resumes bool  `json:"resumes,omitempty"`
	State   State `json:"state"`
	// Run is the id of its run, "" as long as there is none.
	Run     string    `json:"run,omitempty"`
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	// Done of Total outdated nodes are replaced.
	Done  int `json:"done,omitempty"`
	Total int `json:"total,omitempty"`
	// Result is that of its run, "" if that has not come to its end here; Code is the exit
	// code, also of what kept it from having a run.
	Result record.Result `json:"result,omitempty"`
	Code   int           `json:"code,omitempty"`
	Why    string        `json:"why,omitempty"`
	// Left lists what its run did not restore, each with the command that would.
	Left []string `json:"left,omitempty"`
}

// Rules are the order of the groups of a roll, and which errors stop it.
type Rules struct {
	// Steps follow each other: all groups of a step have ended before one of the next
	// starts. A group whose role none of them names belongs to the last.
	Steps []Step
	// About says in a sentence what the rules are.
	About string
	// Fixed says why errors that stop the roll cannot be made to pass, "" if they can.
	Fixed string
}

// Step is the groups of one role.
type Step struct {
	Role world.Role
	// AtOnce is how many of them go side by side; 0 is one.
	AtOnce int
	// Any: every error of theirs stops the roll; else only those that Stop lists.
	Any  bool
	Stop []record.Result
}

// KeepGoing are the rules by which no error stops other groups.
func (r Rules) KeepGoing() Rules {
	r.Steps = slices.Clone(r.Steps)
	for i := range r.Steps {
		r.Steps[i].Any, r.Steps[i].Stop = false, nil
	}
	return r
}

// step is the number of the step that groups of a role belong to.
func (r Rules) step(role world.Role) int {
	if i := slices.IndexFunc(r.Steps, func(s Step) bool { return s.Role == role }); i >= 0 {
		return i
	}
	return len(r.Steps) - 1
}

// New puts groups in their order: those with an unfinished run first, then by the
// rules' steps, then by name.
func New(rules Rules, id string, groups []Group) Roll {
	r := Roll{ID: id, Groups: slices.Clone(groups)}
	slices.SortFunc(r.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(rules.turn(a), rules.turn(b)), cmp.Compare(a.Name, b.Name))
	})
	for i := range r.Groups {
		if r.Groups[i].State == "" {
			r.Groups[i].State = Waiting
		}
	}
	return r
}

// turn is when it is a group's turn: only groups with the same one go side by side.
func (r Rules) turn(g Group) int {
	if g.Resumes {
		return r.step(g.Role) - len(r.Steps)
	}
	return r.step(g.Role)
}

// News is what happened since a roll was last decided on.
type News struct {
	Ends []End
	// Stop, if not "", says that the operator wants no further group to start, and Told is
	// the exit code that this stands for.
	Stop string
	Told int
}

// End is what came of a group that was to be started.
type End struct {
	Group string
	// Unbegun: no run of it was begun or gone on with, because the roll was stopped.
	Unbegun bool
	Run     string
	Result  record.Result
	Code    int
	Why     string
	Done    int
	Total   int
	Left    []string
}

// Decision is what comes of a decision on a roll.
type Decision struct {
	Roll Roll
	// Start are the groups to start now.
	Start  []string
	Events []record.Event
}

// Decide decides which groups of a roll start now. It is over when Roll.Over says so.
func Decide(rules Rules, now time.Time, roll Roll, news News) Decision {
	d := &rolling{Decision: Decision{Roll: roll}, rules: rules, now: now}
	r := &d.Roll
	r.Groups = slices.Clone(r.Groups)
	if r.Over() {
		return d.Decision
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
	if !slices.ContainsFunc(r.Groups, func(g Group) bool { return g.State == Running }) {
		d.finish()
	}
	return d.Decision
}

// rolling is a decision in the making.
type rolling struct {
	Decision
	rules Rules
	now   time.Time
}

func (d *rolling) tell(e record.Event) {
	e.Time, e.Roll = d.now, d.Roll.ID
	d.Events = append(d.Events, e)
}

func (d *rolling) begin() {
	r := &d.Roll
	r.Started = d.now
	var names []string
	for _, g := range r.Groups {
		if g.State == Waiting {
			names = append(names, g.title())
		}
	}
	d.tell(record.Event{Type: record.RollStarted, Message: plans.RollStarted(names)})
	for _, g := range r.Groups {
		if g.State == LeftOut {
			d.tell(record.Event{Type: record.RollGroupChanged, Group: cmp.Or(g.Group, g.Name), Reason: string(LeftOut), Message: g.Sentence()})
		}
	}
}

// end takes in what came of a group.
func (d *rolling) end(e End) {
	r := &d.Roll
	i := slices.IndexFunc(r.Groups, func(g Group) bool { return g.Name == e.Group && g.State == Running })
	if i < 0 {
		return
	}
	g := &r.Groups[i]
	if e.Unbegun {
		g.State, g.Started = Waiting, time.Time{}
		return
	}
	g.State, g.Ended = Finished, d.now
	g.Run, g.Result, g.Code, g.Why, g.Done, g.Total, g.Left = cmp.Or(e.Run, g.Run), e.Result, e.Code, e.Why, e.Done, e.Total, e.Left
	d.tell(record.Event{Type: record.RollGroupChanged, Group: cmp.Or(g.Group, g.Name), Run: g.Run, Reason: string(Finished), Result: string(g.Result), ExitCode: &e.Code, Message: g.Sentence()})
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
		if g.State != Running && g.State != Waiting {
			continue
		}
		if atOnce == 0 {
			turn, atOnce = d.rules.turn(*g), max(1, d.rules.Steps[d.rules.step(g.Role)].AtOnce)
		}
		if d.rules.turn(*g) != turn {
			return
		}
		if g.State == Waiting && running < atOnce {
			g.State, g.Started = Running, d.now
			d.Start = append(d.Start, g.Name)
			n, of := r.Place(g.Name)
			d.tell(record.Event{Type: record.RollGroupChanged, Group: cmp.Or(g.Group, g.Name), Run: g.Run, Reason: string(Running), Message: plans.GroupStarts(g.Name, g.Resumes, n, of)})
		}
		if g.State == Running {
			running++
		}
	}
}

func (d *rolling) finish() {
	r := &d.Roll
	for i := range r.Groups {
		if g := &r.Groups[i]; g.State == Waiting {
			g.State, g.Why = NotStarted, r.Stop
			d.tell(record.Event{Type: record.RollGroupChanged, Group: cmp.Or(g.Group, g.Name), Reason: string(NotStarted), Message: g.Sentence()})
		}
	}
	r.Ended = d.now
	code := r.ExitCode()
	d.tell(record.Event{Type: record.RollEnded, ExitCode: &code, Message: r.Sentence()})
}

// stops says why the end of a group's run keeps others from starting, "" if it does not.
func (r Rules) stops(g Group) string {
	step := r.Steps[r.step(g.Role)]
	switch {
	case !g.Bad():
		return ""
	case g.Code == record.Aborted.ExitCode():
		return plans.GroupAborted(g.Name)
	case g.Code == record.ExitPaused:
		return plans.GroupPaused(g.Name)
	case step.Any:
		return plans.AnyErrorStops(g.Name, string(g.Role))
	case slices.Contains(step.Stop, g.Result):
		return plans.ResultStops(g.Name, string(g.Result))
	}
	return ""
}

// ExitCode is the exit code of the roll as it stands: that of its worst run, and what the
// operator said of it if that kept a group from starting.
func (r *Roll) ExitCode() int {
	var codes []int
	for _, g := range r.Groups {
		codes = append(codes, g.Code)
		if g.State == NotStarted {
			codes = append(codes, r.Reported)
		}
	}
	return record.WorstExit(codes...)
}

// Over reports whether nothing more will happen.
func (r *Roll) Over() bool { return !r.Ended.IsZero() }

// Place is the number of a group among those that were not left out, and how many those
// are.
func (r *Roll) Place(name string) (n, of int) {
	for _, g := range r.Groups {
		if g.State == LeftOut {
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
func (r *Roll) Names(state State) (names []string) {
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
		if g.State != LeftOut {
			of++
		}
		if g.State == Finished && !g.Bad() {
			well++
		}
	}
	return plans.RollStands(well, of, r.Over(), r.Ended.Sub(r.Started), r.Names(NotStarted), r.Stop)
}

// Bad reports whether a group's run ended in anything but what it was for: nodes that were
// left by choice are no error.
func (g Group) Bad() bool {
	return g.State == Finished && g.Code != 0 && g.Code != record.NodesLeft.ExitCode()
}

// Word is how a group stands or ended, in a word or two.
func (g Group) Word() string {
	if g.State != Finished {
		return string(g.State)
	}
	switch {
	case g.Code == 0:
		return "done"
	case g.Code == record.NodesLeft.ExitCode():
		return plans.DoneNodesLeft
	case g.Code == record.ExitPaused:
		return "paused"
	case g.Code == record.ExitHeld:
		return plans.HeldByAnother
	case g.Code == record.ExitWrongUse:
		return "refused"
	case g.Result == "" || g.Result == record.Succeeded:
		return "failed"
	}
	return string(g.Result)
}

// Sentence says how a group stands or ended.
func (g Group) Sentence() string {
	total, why := 0, ""
	if g.State == Running || g.State == Finished {
		total = g.Total
	}
	if g.Code != 0 || g.State == LeftOut || g.State == NotStarted {
		why = strings.TrimPrefix(g.Why, string(g.Result)+": ")
	}
	return plans.GroupStands(g.Name, g.Word(), g.Done, total, !g.Ended.IsZero(), g.Ended.Sub(g.Started), why)
}

// title is a group's name and role.
func (g Group) title() string {
	return plans.GroupTitle(g.Name, string(g.Role))
}
