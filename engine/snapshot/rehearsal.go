package snapshot

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/plans"
)

// Rehearsal is what came of playing a run to its end in a copy of the world.
type Rehearsal struct {
	// Took is how long it is until the run is over, or until it stopped there: it would not
	// end by itself.
	Took time.Duration
	// Extrapolated: the rehearsal was cut off, and Took is its pace for the nodes that were
	// left.
	Extrapolated bool
	// Result is how the run would end and Why in its own words; "" where it would not end by
	// itself, and Why says what it would wait for.
	Result record.Result
	Why    string
	// Replaced, Failed and Left are how many outdated nodes would then be replaced, would have
	// failed, and would be neither, of those that are not left out on purpose.
	Replaced, Failed, Left int
	// Fails is after what time the run would begin to fail; 0 where it would not.
	Fails time.Duration
	// Causes are what would keep it from ending well, the first one first, and Held the nodes
	// of these, a sentence each.
	Causes []Cause
	Held   []string
	// Holds are the PDBs that keep pods waiting meanwhile, those with the most pods first.
	Holds []Hold
	// Load is what the run would do to the workloads and to the bill.
	Load Load
	// NoRoom are pods that would find no room at last, the first ones, of Homeless in all.
	NoRoom   []NoRoom
	Homeless int
}

// Hold is a PDB ("namespace/name"; two that keep the same pod are joined by a comma) and how many pods wait for it.
type Hold struct {
	Budget string
	Pods   int
}

// NoRoom is a pod that finds no room, and why in the scheduler's words.
type NoRoom struct{ Pod, Why string }

// String is the pod and why.
func (n NoRoom) String() string { return plans.FindsNoRoom(n.Pod, n.Why) }

// Load is what a run does to the workloads and to the bill, as far as it was rehearsed.
type Load struct {
	// Moved is how many pods are evicted or deleted, Moves how often: pods that land on a node that has to
	// go too move again.
	Moved, Moves int
	// Spare is the fewest healthy pods that a PDB has above the number that it requires while the run
	// disrupts pods, negative below it, and Budget which one ("namespace/name"); "" where there is no PDB.
	Spare  int
	Budget string
	// Waiting is how many pods at most find no room at once meanwhile, for more than a moment, and
	// WaitingFor for how long one of them does.
	Waiting    int
	WaitingFor time.Duration
	// Extra is the time of all machines above the number there was before, terminating ones included.
	Extra time.Duration
}

// MovesPerPod is how often a pod moves on average, 0 where none does.
func (l Load) MovesPerPod() float64 { return float64(l.Moves) / float64(max(1, l.Moved)) }

// Endless reports whether the run would not end by itself.
func (r Rehearsal) Endless() bool { return r.Result == record.NotStartedYet && !r.Extrapolated }

// Room says what finds no room while the run lasts or after it, "" for nothing.
func (r Rehearsal) Room() string {
	switch {
	case r.Homeless > 0:
		return plans.StayWithoutRoom(r.Homeless)
	case r.Load.Waiting > 0:
		return plans.WaitForRoom(r.Load.Waiting, r.Load.WaitingFor)
	}
	return ""
}

// Smooth reports whether the run would end well, as far as was rehearsed.
func (r Rehearsal) Smooth() bool {
	return r.Extrapolated || r.Failed == 0 && (r.Result == record.Succeeded || r.Result == record.NodesLeft && r.Left == 0)
}

// Sentence says how the run would end, "" where there is nothing to say but when.
func (r Rehearsal) Sentence() string {
	if r.Smooth() {
		return ""
	}
	return plans.Rehearsal{Result: string(r.Result), Why: r.Why, Took: r.Took, Replaced: r.Replaced, Failed: r.Failed, Left: r.Left, Endless: r.Endless()}.String()
}

// Rehearsed is what Estimate rests on, nil where nothing was rehearsed.
func (p *Plan) Rehearsed() *Rehearsal {
	if p.Forecast == nil || p.Forecast.Outlook == record.NotEvaluated {
		return nil
	}
	return &p.Forecast.Rehearsal
}

// Foresee lets a plan tell how its run would end.
func (p *Plan) Foresee(f Forecast) {
	p.Forecast = &f
	if f.Outlook == record.NotEvaluated {
		return
	}
	r := f.Rehearsal
	p.NotEvaluated = slices.DeleteFunc(slices.Clone(p.NotEvaluated), func(what string) bool { return what == plans.RoomUnknown }) // it places the pods
	late := p.late()                                                                                                              // the rehearsal knows better
	p.Warnings = slices.DeleteFunc(slices.Clone(p.Warnings), func(w string) bool { return late != "" && w == late })
	p.Estimate = r.Took
	if late = p.late(); r.Extrapolated && late != "" { // which was cut off before that
		p.Warnings = append(p.Warnings, late)
	}
}
