package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/accuracy"
	"github.com/drainboard/drainboard/engine/sim/rehearse"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
)

// worlds are clusters whose durations a forecast does not know but by what it sees: the script
// of the simulator that makes each, and the strategy.
var worlds = []struct{ name, strategy, script string }{
	{"plain", "eks", "timing boot=40s ready=15s terminate=50s\ncluster zones=a,b nodes=8\nworkload web replicas=24 ready=12s stop=6s\nbudget web max=2"},
	{"slow boots", "eks", "timing launch=20s boot=4m ready=50s terminate=90s\ncluster zones=a,b,c nodes=9\nworkload web replicas=18 ready=20s stop=5s\nbudget web max=2"},
	{"slow ends", "eks", "timing boot=30s ready=10s terminate=6m\ncluster zones=a,b nodes=6\nworkload web replicas=12 ready=10s stop=5s"},
	{"slow pods", "eks", "timing boot=50s ready=20s terminate=60s\ncluster zones=a,b nodes=6\nworkload web replicas=12 ready=90s stop=25s\nbudget web max=1"},
	{"quick in all", "eks", "timing launch=2s boot=8s ready=4s terminate=10s\ncluster zones=a,b nodes=12\nworkload web replicas=36 ready=2s stop=1s\nbudget web max=3"},
	{"zonal volumes", "eks", "timing boot=70s ready=15s terminate=40s detach=20s\ncluster zones=a,b,c nodes=6\nworkload db kind=statefulset replicas=6 volume ready=40s stop=15s\nbudget db max=1"},
	{"singles", "eks", "timing boot=45s ready=15s terminate=45s\ncluster zones=a nodes=4\nworkload one replicas=1 ready=30s\nworkload two replicas=1 ready=30s\nworkload three replicas=1"},
	{"tight, no surge", "eks-minimal", "timing boot=60s ready=20s terminate=30s\ncluster zones=a,b nodes=6 slots=5\nworkload web replicas=30 ready=10s\nbudget web max=8"},
	{"apart, no surge", "eks-minimal", "timing boot=80s ready=10s terminate=30s\ncluster zones=a nodes=4 slots=20\nworkload web replicas=4 apart=host ready=15s\nbudget web max=1"},
	{"never opens", "eks", "timing boot=40s ready=15s terminate=50s\ncluster zones=a,b nodes=4\nworkload web replicas=8\nbudget web min=8\nsettings drain-timeout=5m"},
	{"kops's rules", "kops", "timing boot=65s ready=5s terminate=30s\ncluster provider=kops role=node name=ig zones=a,b nodes=6\npeer masters role=control-plane nodes=1\nworkload web replicas=18 ready=10s\nbudget web max=2"},
	{"gardener's rules", "gardener", "timing boot=90s ready=30s terminate=80s\ncluster zones=a,b nodes=6\nworkload web replicas=18 ready=25s stop=10s\nbudget web max=2\nsettings max-surge=1"},
}

// foresee rehearses rolls of simulated clusters and then rolls them, for the first time and for a
// second one, which knows what the first has measured.
func (b *bench) foresee(ctx context.Context) error {
	for _, again := range []bool{false, true} {
		title := "first roll"
		if again {
			title = "second roll"
		}
		var all tally
		for _, w := range worlds {
			var earlier record.Measured
			if again {
				_, first, _, err := foreseenRoll(ctx, w.strategy, w.script, nil)
				if err != nil {
					return fmt.Errorf("%s: %w", w.name, err)
				}
				earlier = first.Measured
			}
			f, run, took, err := foreseenRoll(ctx, w.strategy, w.script, earlier)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			verdict := "as foreseen"
			if f.Result != run.Result {
				verdict = fmt.Sprintf("%s, foreseen: %s", run.Result, f.Result)
			}
			said, off := all.count(&f.Foreseen, took, f.Result == run.Result)
			b.add(title+", "+w.name+": "+verdict, minutes(took), said, off)
		}
		b.addTally(title, &all)
	}
	return b.hidden(ctx)
}

// tally is what forecasts come to beside what came.
type tally struct {
	misses             []float64
	rolls, right, held int
}

// count counts a roll in that took so long, and says what was foreseen of its end, and how far off that was.
func (t *tally) count(f *record.Foreseen, took time.Duration, right bool) (said, off string) {
	if t.rolls++; right {
		t.right++
	}
	if f.End.IsZero() {
		return "no end foreseen", ""
	}
	end := f.End.Sub(f.At)
	miss := end.Seconds()/took.Seconds() - 1
	t.misses = append(t.misses, math.Abs(miss))
	said = "foreseen: " + minutes(end)
	if !f.Latest.IsZero() {
		earliest, latest := f.Earliest.Sub(f.At), f.Latest.Sub(f.At)
		said += " (" + minutes(earliest) + " to " + minutes(latest) + ")"
		if earliest <= took && took <= latest {
			t.held++
		}
	}
	return said, fmt.Sprintf("%+.0f %%", 100*miss)
}

// addTally adds what forecasts come to.
func (b *bench) addTally(title string, t *tally) {
	slices.Sort(t.misses)
	if n := len(t.misses); n > 0 {
		b.add(title+": median error", fmt.Sprintf("%.0f %%", 50*(t.misses[(n-1)/2]+t.misses[n/2])), "at most 15 %", "")
	}
	b.add(title+": result right", fmt.Sprint(t.right), fmt.Sprintf("all: %d", t.rolls), "")
	b.add(title+": range holds the end", fmt.Sprint(t.held), "at least two thirds: "+fmt.Sprint((2*t.rolls+2)/3), "")
}

// hidden counts misses and false alarms of forecasts over random clusters, by kind of fault.
func (b *bench) hidden(ctx context.Context) error {
	list := make([]accuracy.Outcome, b.clusters)
	failed := make([]error, len(list))
	var next atomic.Int64
	var running sync.WaitGroup
	for range runtime.NumCPU() {
		running.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(list) && ctx.Err() == nil; i = next.Add(1) - 1 {
				list[i], failed[i] = accuracy.Play(ctx, accuracy.Draw(uint64(i+1)), true)
			}
		})
	}
	running.Wait()
	if err := errors.Join(append(failed, context.Cause(ctx))...); err != nil {
		return err
	}
	rows := accuracy.Table(list)
	for _, r := range rows {
		beside := ""
		if r.Bad > 0 {
			beside = fmt.Sprintf("%d of %d bad ends foreseen, %s before (median)", r.Warned, r.Bad, minutes(r.Before))
		}
		b.add(fmt.Sprintf("hidden, %s: %d clusters, %d end badly", r.Kind, r.Clusters, r.Bad),
			fmt.Sprintf("%d misses, %d false alarms, %d other results", r.Misses, r.FalseAlarms, r.Other), beside, "")
	}
	known := accuracy.Known(rows)
	b.add("hidden: result right where it can be known", fmt.Sprintf("%d of %d, %.1f %%", known.Right, known.Clusters, 100*float64(known.Right)/float64(max(1, known.Clusters))), "at least 95 %", "")
	return nil
}

// foreseenRoll is what is foreseen of a roll at its start, and what came of it.
func foreseenRoll(ctx context.Context, by, lines string, earlier record.Measured) (f snapshot.Forecast, run record.Run, took time.Duration, err error) {
	rules, err := strategy.Named(by)
	if err != nil {
		return f, run, 0, err
	}
	s := script.New()
	if out, err := s.Do(lines + "\nsettings strategy=" + by + " post-drain-wait=10s\nwait for=5m\nstart"); err != nil || s.Driver == nil {
		return f, run, 0, fmt.Errorf("%w: %s", err, out)
	}
	s.Driver.Run.Earlier, s.Driver.Audit = earlier, 50
	began := s.Sim.Now()
	f = rehearse.Foresee(ctx, rules, s.Sim.View, began, s.Driver.Run)
	s.Driver.Advance(began.Add(24*time.Hour), func() bool { return s.Driver.Run.State == record.Finished })
	run = s.Driver.Run
	if run.State != record.Finished {
		return f, run, 0, fmt.Errorf("it does not end: %s", run.State)
	}
	return f, run, run.Finished.Sub(began), nil
}
