package accuracy

import (
	"context"
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/rehearse"
	"github.com/drainboard/drainboard/engine/sim/script"
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
	for _, n := range r.Nodes.All() {
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
	s := script.New()
	out, err := s.Do(c.Script + "start")
	if err != nil {
		return o, fmt.Errorf("seed %d: %w: %s", c.Seed, err, out)
	}
	if s.Driver == nil {
		o.Refused = out
		return o, nil
	}
	s.Driver.Audit = 1000
	p := play{Outcome: &o, script: s, rules: rules, began: s.Sim.Now()}
	told := false
	if o.First, told = rehearse.Once(ctx, rules, s.Sim.View, p.began, s.Driver.Run); !told {
		return o, fmt.Errorf("seed %d: not rehearsed", c.Seed)
	}
	if !o.First.Smooth() {
		p.alarm = p.began
	}
	if out, err := s.Do(c.Fault); err != nil {
		return o, fmt.Errorf("seed %d: %w: %s", c.Seed, err, out)
	}
	p.roll(ctx, again)
	if len(s.Driver.Broken) > 0 {
		return o, fmt.Errorf("seed %d: %s", c.Seed, s.Driver.Broken[0])
	}
	p.end()
	return o, nil
}

// play is a roll that is played.
type play struct {
	*Outcome
	script *script.Script
	rules  engine.Strategy
	began  time.Time
	alarm  time.Time // since when each rehearsal has foreseen a bad end
}

func (p *play) over() bool { return p.script.Driver.Run.State == record.Finished }

// roll rolls the cluster until the run is over or gets nowhere any more.
func (p *play) roll(ctx context.Context, again bool) {
	d := p.script.Driver
	stand, since := "", p.began
	for at := p.began.Add(step); !p.over() && at.Before(p.began.Add(longest)); at = at.Add(step) {
		d.Advance(at, p.over)
		if now := standing(&d.Run); now != stand {
			stand, since = now, at
		}
		if d.Run.State == record.Paused || at.Sub(since) > still {
			return
		}
		if again && !p.over() && at.Sub(since) <= 10*step {
			p.look(ctx)
		}
	}
}

// look rehearses the run as it is now.
func (p *play) look(ctx context.Context) {
	s := p.script
	r, told := rehearse.Once(ctx, p.rules, s.Sim.View, s.Sim.Now(), s.Driver.Run)
	switch {
	case !told:
	case r.Smooth():
		p.alarm = time.Time{}
	case p.alarm.IsZero():
		p.alarm = s.Sim.Now()
	}
}

// end says what came.
func (p *play) end() {
	run := &p.script.Driver.Run
	p.Came, p.Took = record.NotStartedYet, p.script.Sim.Now().Sub(p.began)
	if p.over() {
		p.Came, p.Took = run.Result, run.Finished.Sub(p.began)
	}
	if !p.Well() && !p.alarm.IsZero() {
		p.Warned = max(time.Second, p.began.Add(p.Took).Sub(p.alarm))
	}
}
