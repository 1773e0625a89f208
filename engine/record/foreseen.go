package record

import (
	"cmp"
	"time"

	"github.com/drainboard/drainboard/engine/text/plans"
)

// Outlook is how a run is foreseen to end.
type Outlook string

// Outlooks.
const (
	EndsWell     Outlook = "ends-well"
	WillFail     Outlook = "fails"
	WillNotEnd   Outlook = "does-not-end"
	NotEvaluated Outlook = "not-evaluated"
)

// Foreseen is how a run will end, as far as its driver could know when it looked. Times are the
// cluster's.
type Foreseen struct {
	Outlook Outlook `json:"outlook"`
	// At is when the world was looked at that it rests on.
	At time.Time `json:"at"`
	// End is when the run is over, or when nothing moves any more; zero if it is not known.
	End time.Time `json:"end,omitzero"`
	// Earliest and Latest are the range of End: one end in ten is before, one in ten after it.
	// Both are zero where it was not worked out.
	Earliest time.Time `json:"earliest,omitzero"`
	Latest   time.Time `json:"latest,omitzero"`
	// FailsAt is when the run begins to fail, zero where it does not.
	FailsAt time.Time `json:"failsAt,omitzero"`
	// Result is how it would end, "" where it would not by itself, or that is not known.
	Result Result `json:"result,omitempty"`
	// Cause is what keeps it from ending well, a short sentence, and Node, Pod and Budget
	// ("namespace/name", two joined by a comma) what that is about, as far as it is about any.
	Cause  string `json:"cause,omitempty"`
	Node   string `json:"node,omitempty"`
	Pod    string `json:"pod,omitempty"`
	Budget string `json:"budget,omitempty"`
	// Stay of Nodes outdated nodes will not be replaced.
	Stay  int `json:"stay,omitempty"`
	Nodes int `json:"nodes,omitempty"`
	// Unevaluated is why nothing is foreseen; "" but for NotEvaluated.
	Unevaluated string `json:"unevaluated,omitempty"`
}

// Later is what is foreseen when everything comes later by a time.
func (f Foreseen) Later(by time.Duration) Foreseen {
	for _, t := range []*time.Time{&f.End, &f.Earliest, &f.Latest, &f.FailsAt} {
		if !t.IsZero() {
			*t = t.Add(by)
		}
	}
	return f
}

// Foreseeable is for how long what is foreseen counts: a driver looks again sooner.
const Foreseeable = 3 * time.Minute

// Alarms reports whether the run will not end well.
func (f *Foreseen) Alarms() bool { return f.Outlook == WillFail || f.Outlook == WillNotEnd }

// Headline says at a moment how the run will end, and why if that is not well; "" where that
// is not known.
func (f *Foreseen) Headline(now time.Time) string {
	return plans.ForecastSaid(f.Short(now), f.Why())
}

// Why is what keeps the run from ending well, and how many nodes stay as they are; "" if it
// ends well.
func (f *Foreseen) Why() string {
	if !f.Alarms() {
		return ""
	}
	return plans.Forecast{Cause: f.Cause, Stay: f.Stay, Nodes: f.Nodes}.Why()
}

// Short is the headline without why.
func (f *Foreseen) Short(now time.Time) string {
	switch {
	case f.Outlook == WillFail && f.Result == NodesLeft:
		return plans.Leaves(f.FailsAt.Sub(now))
	case f.Outlook == WillFail:
		return plans.Fails(f.FailsAt.Sub(now))
	case f.Outlook == WillNotEnd:
		return plans.ForecastStops
	case f.Outlook == EndsWell:
		var least, most time.Duration
		if !f.Latest.IsZero() {
			least, most = max(0, f.Earliest.Sub(now)), max(0, f.Latest.Sub(now))
		}
		return plans.Left(f.End.Sub(now), least, most)
	}
	return ""
}

// Brief is what alarms in two or three words, "" where nothing does.
func (f *Foreseen) Brief() string {
	switch f.Outlook {
	case WillFail:
		return plans.ForecastFails
	case WillNotEnd:
		return plans.ForecastStops
	}
	return ""
}

// SameAs reports whether two say the same but for when.
func (f *Foreseen) SameAs(other *Foreseen) bool {
	about := func(f *Foreseen) string { return cmp.Or(f.Budget, f.Pod, f.Cause) } // a cause may count seconds
	return f.Outlook == other.Outlook && f.Result == other.Result && f.Unevaluated == other.Unevaluated && about(f) == about(other)
}

// Event tells of what is foreseen now, and was not before.
func (f *Foreseen) Event(now time.Time, run *Run) Event {
	e := Event{Time: now, Run: run.ID, Group: run.Group, Roll: run.Roll, Type: ForecastChanged, Reason: string(f.Outlook), Result: string(f.Result), Message: f.Headline(now), Node: f.Node, Pod: f.Pod, Budget: f.Budget}
	at := f.End
	if f.Outlook == WillFail {
		at = f.FailsAt
	}
	if f.Outlook != WillNotEnd && !at.IsZero() {
		e.Until = &at
	}
	return e
}
