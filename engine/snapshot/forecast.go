package snapshot

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/plans"
)

// Forecast is how a run will end as far as can be known: what came of rehearsals of it.
type Forecast struct {
	record.Foreseen
	// Rehearsal is what came of the rehearsal by the likeliest durations.
	Rehearsal Rehearsal
	// Assumptions are what it rests on.
	Assumptions []Assumption
}

// Cause is what will keep a run from ending well.
type Cause struct {
	// Kind is that of the blocker; "" where it is none.
	Kind blockers.BlockerKind
	// Node, Machine, Pod ("namespace/name") and Budgets are what it is about, as far as it is
	// about any.
	Node, Machine, Pod string
	Budgets            []string
	// NoLaunch: the group launches no machine, in Zone if that is not ""; it is about no node.
	NoLaunch bool
	Zone     string
	// Message is what exactly is in the way.
	Message string
	// NoRoom is a pod that finds no room, which keeps the budget closed; its zero value is none.
	NoRoom NoRoom
}

// CauseOf is a blocker as a cause.
func CauseOf(b *blockers.Blocker) Cause {
	c := Cause{Kind: b.Kind, Node: b.Node, Machine: b.Machine, Pod: b.Pod, Message: b.Detail}
	for _, v := range b.Budgets {
		c.Budgets = append(c.Budgets, v.Ref)
	}
	return c
}

// String is the cause with its node and pod.
func (c Cause) String() string {
	out := c.Message
	if c.NoRoom.Pod != "" {
		out += "; " + c.NoRoom.String()
	}
	if c.Pod != "" {
		out = c.Pod + ": " + out
	}
	if c.Node != "" {
		out = c.Node + ": " + out
	}
	return out
}

// Short is the cause for a headline.
func (c Cause) Short() string {
	switch {
	case c.NoLaunch:
		return c.Message
	case c.NoRoom.Pod != "":
		return c.NoRoom.String()
	case c.Kind == blockers.BlockedByBudget && len(c.Budgets) == 1:
		return plans.NeverOpens(c.Budgets[0])
	case c.Kind == blockers.BlockedByBudgets:
		return plans.TwoPDBs(c.Pod)
	case c.Pod != "":
		return plans.Keeps(c.Pod, c.Message)
	}
	return c.Message
}

// Samples is how many rehearsals by other durations a range takes: with fewer there is none.
const Samples = 12

// ForecastOf is what rehearsals tell that began at a moment: the one by the likeliest
// durations, and samples by others.
func ForecastOf(at time.Time, r Rehearsal, samples []Rehearsal) Forecast {
	f := Forecast{Foreseen: record.Foreseen{Outlook: record.EndsWell, At: at, End: at.Add(r.Took), Result: r.Result}, Rehearsal: r}
	if !r.Smooth() {
		f.Stay, f.Nodes, f.Cause = r.Failed+r.Left, r.Replaced+r.Failed+r.Left, r.Why
		if len(r.Causes) > 0 {
			c := r.Causes[0]
			f.Cause, f.Node, f.Pod, f.Budget = c.Short(), c.Node, c.Pod, strings.Join(c.Budgets, ",")
		}
		f.Outlook, f.FailsAt = record.WillFail, f.End
		if r.Fails > 0 {
			f.FailsAt = at.Add(r.Fails)
		}
	}
	if r.Endless() {
		f.Outlook, f.FailsAt = record.WillNotEnd, time.Time{}
		return f
	}
	ends := []time.Duration{r.Took}
	for _, s := range samples {
		if !s.Endless() {
			ends = append(ends, s.Took)
		}
	}
	if len(ends) > Samples {
		slices.Sort(ends)
		tenth := len(ends) / 10
		f.Earliest, f.Latest = at.Add(ends[tenth]), at.Add(ends[len(ends)-1-tenth])
	}
	return f
}

// Unforeseen is the forecast of a run that cannot be rehearsed, and why.
func Unforeseen(at time.Time, why string) Forecast {
	return Forecast{Foreseen: record.Foreseen{Outlook: record.NotEvaluated, At: at, Unevaluated: why}}
}
