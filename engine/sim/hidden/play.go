package hidden

import (
	"context"
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
)

const (
	// longest is when a run that has not ended counts as one that does not end, and still for how
	// long none of its nodes can be at the same stage before.
	longest = 12 * time.Hour
	still   = 75 * time.Minute
	// step is how often it is looked whether a run has got anywhere.
	step = 2 * time.Minute
)

// Outcome is what was foreseen of a cluster's roll and what came.
type Outcome struct {
	Cluster
	// First is the rehearsal at the start; Came how the run ended, record.NotStartedYet if it did
	// not, and Took when.
	First snapshot.Rehearsal
	Came  record.Result
	Took  time.Duration
	// Warned is how long before the run began to fail it was foreseen to, 0 where it was not.
	Warned time.Duration
	// Alarmed: a rehearsal of a run that ended well foresaw that it would not.
	Alarmed bool
	// Refused is why the run did not start, "" if it did.
	Refused string
}

// Well reports whether the run ended well.
func (o *Outcome) Well() bool { return o.Came == record.Succeeded }

// Right reports whether the result was foreseen at the start.
func (o *Outcome) Right() bool { return o.First.Result == o.Came }

// Missed reports whether the run ended badly and was foreseen to end well, FalseAlarm the contrary.
func (o *Outcome) Missed() bool     { return !o.Well() && o.First.Smooth() }
func (o *Outcome) FalseAlarm() bool { return o.Well() && !o.First.Smooth() }

// standing is how the nodes of a run stand.
func standing(r *record.Run) string {
	stages := map[record.Stage]int{}
	for _, n := range r.Nodes {
		stages[n.Stage]++
	}
	return fmt.Sprint(r.State, r.Phases, stages)
}

// Play rehearses the roll of a cluster and rolls it. With again it is rehearsed again every other
// minute while it lasts.
func Play(ctx context.Context, c Cluster, again bool) (Outcome, error) {
	o := Outcome{Cluster: c}
	rules, err := strategy.Named(c.Strategy)
	if err != nil {
		return o, err
	}
	s := sim.NewScript()
	out, err := s.Do(c.Script + "start")
	if err != nil {
		return o, fmt.Errorf("%w: %s", err, out)
	}
	if s.Driver == nil {
		o.Refused = out
		return o, nil
	}
	s.Driver.Audit = 1000
	began, told := s.Sim.Now(), false
	if o.First, told = sim.Rehearse(ctx, rules, s.Sim.View, began, s.Driver.Run); !told {
		return o, fmt.Errorf("seed %d: not rehearsed", c.Seed)
	}
	if c.Fault != "" {
		if out, err := s.Do(c.Fault); err != nil {
			return o, fmt.Errorf("%w: %s", err, out)
		}
	}
	over := func() bool { return s.Driver.Run.State == record.Finished }
	var alarm time.Time // since when each rehearsal has foreseen a bad end
	if !o.First.Smooth() {
		alarm = began
	}
	stand, since := "", began
	for at := began.Add(step); !over() && at.Before(began.Add(longest)); at = at.Add(step) {
		s.Driver.Advance(at, over)
		if now := standing(&s.Driver.Run); now != stand {
			stand, since = now, at
		}
		if s.Driver.Run.State == record.Paused || at.Sub(since) > still {
			break
		}
		if over() || !again || at.Sub(since) > 10*step {
			continue
		}
		r, told := sim.Rehearse(ctx, rules, s.Sim.View, s.Sim.Now(), s.Driver.Run)
		switch {
		case !told:
		case r.Smooth():
			alarm = time.Time{}
		default:
			if alarm.IsZero() {
				alarm = s.Sim.Now()
			}
			o.Alarmed = true
		}
	}
	if len(s.Driver.Broken) > 0 {
		return o, fmt.Errorf("seed %d: %s", c.Seed, s.Driver.Broken[0])
	}
	o.Came, o.Took = s.Driver.Run.Result, s.Sim.Now().Sub(began)
	if over() {
		o.Took = s.Driver.Run.Finished.Sub(began)
	} else {
		o.Came = record.NotStartedYet
	}
	if !o.Well() && !alarm.IsZero() {
		o.Warned = max(time.Second, began.Add(o.Took).Sub(alarm))
	}
	return o, nil
}
