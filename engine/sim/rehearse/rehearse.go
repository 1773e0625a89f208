package rehearse

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/learn"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/world"
)

const (
	// farthest is how far ahead a rehearsal looks.
	farthest = 24 * time.Hour
	// breath is the least time between two decisions of a rehearsal for each machine, so that what comes
	// together is decided on together; in all it is leastBreath at least and mostBreath at most.
	breath      = 2 * time.Millisecond
	leastBreath = 50 * time.Millisecond
	mostBreath  = 2 * time.Second
	// slowBreath is from which one on the controllers, and news of the world, take longer too.
	slowBreath = 200 * time.Millisecond
	// waits is for how long a pod that has no node yet does not count as without room.
	waits = 20 * time.Second
	// mostHeld is how many nodes a rehearsal names that something keeps from being emptied.
	mostHeld = 20
)

// Foresee says how a run, planned or under way, will end, as far as ctx lets it: it plays the
// run to its end in a copy of the world (From), and again by durations that are drawn around
// the likeliest ones. Approvals are given at once, a pause is over at once, the user's hooks
// pass. It changes neither the world nor the run.
func Foresee(ctx context.Context, rules engine.Strategy, w *world.World, now time.Time, run record.Run) snapshot.Forecast {
	if why := unplayable(rules, w, &run); why != "" {
		return snapshot.Unforeseen(now, why)
	}
	began := time.Now()
	known := learn.Of(w, &run)
	r, told := rehearse(ctx, rules, w, now, run, likeliest(&run, &known))
	if !told {
		return snapshot.Unforeseen(now, plans.NoForecastCutShort)
	}
	var samples []snapshot.Rehearsal
	if limit, any := ctx.Deadline(); !r.Extrapolated && !r.Endless() && (!any || time.Until(limit) >= 2*snapshot.Samples*time.Since(began)) {
		for i := range uint64(snapshot.Samples) {
			other, told := rehearse(ctx, rules, w, now, run, drawn(&run, &known, rand.New(rand.NewPCG(run.Seed, i))))
			if !told || other.Extrapolated {
				break
			}
			samples = append(samples, other)
		}
	}
	out := snapshot.ForecastOf(now, r, samples)
	out.Assumptions = assumptions(rules, w, &run, &known)
	return out
}

// Once plays a run once, by the likeliest durations. What is not played when ctx is over
// is extrapolated. It reports false where nothing can be told.
func Once(ctx context.Context, rules engine.Strategy, w *world.World, now time.Time, run record.Run) (snapshot.Rehearsal, bool) {
	if unplayable(rules, w, &run) != "" {
		return snapshot.Rehearsal{}, false
	}
	known := learn.Of(w, &run)
	return rehearse(ctx, rules, w, now, run, likeliest(&run, &known))
}

// assumptions are what rehearsals of a run rest on: what was learnt, and how long others are
// assumed to take who have a part in it.
func assumptions(rules engine.Strategy, w *world.World, run *record.Run, known *learn.Durations) []snapshot.Assumption {
	out, guesses := known.Assumptions(), sim.Guesses()
	if rules.Capabilities().Direct {
		out = append(out, snapshot.Assumption{What: snapshot.EndNoticed, Takes: known.Notice.Takes, Basis: known.Notice.From, Of: known.Notice.Of})
	}
	holds := func(h world.Hook) bool {
		return h.Launching && known.Serve.Guessed() || !h.Launching && known.End.Guessed()
	}
	if slices.ContainsFunc(w.Group.Hooks, holds) {
		out = append(out, snapshot.Assumption{What: snapshot.HookCompleted, Takes: guesses.Hook, Basis: snapshot.FromGuess})
	}
	if p := w.Group.Pool; p != nil && world.InPlace(p.Update) {
		out = append(out, snapshot.Assumption{What: snapshot.NodeUpdated, Takes: guesses.Update, Basis: snapshot.FromGuess})
	}
	if len(w.Group.Balancers) > 0 && !run.Settings.CloudOnly {
		out = append(out, snapshot.Assumption{What: snapshot.Deregistered, Takes: guesses.Leave, Basis: snapshot.FromGuess})
	}
	if run.HookTime > 0 {
		out = append(out, snapshot.Assumption{What: snapshot.NodeHook, Takes: run.HookTime, Basis: snapshot.FromRun})
	}
	return out
}

// unplayable says why a run cannot be played, "" if it can.
func unplayable(rules engine.Strategy, w *world.World, run *record.Run) string {
	by := sim.ControllerOf(rules)
	switch {
	case run.State == record.Finished || run.State == record.NoRun:
		return plans.NoForecastOver
	case by != nil && !sim.Plays(by, &w.Group), by == nil && selfdriven.Of(&w.Group) != nil && w.Group.Managed == nil: // EKS is played by its own strategies
		return plans.NoForecastMoved
	case w.Partial() || !run.Settings.CloudOnly && w.Health[world.Cluster].Fresh.IsZero() || w.Health[world.Cloud].Fresh.IsZero():
		return plans.NoForecastUnread
	case len(w.Machines()) == 0:
		return plans.NoForecastNoNodes
	}
	return ""
}

// likeliest is the pace of a run by what was learnt: guesses, where nothing is known.
func likeliest(run *record.Run, known *learn.Durations) sim.Pace { return paceOf(run, known, nil) }

// drawn is a pace whose durations are drawn around the likeliest ones, those far of which little
// is known.
func drawn(run *record.Run, known *learn.Durations, r *rand.Rand) sim.Pace {
	return paceOf(run, known, r)
}

// paceOf is the pace of a run, drawn around the likeliest one with r.
func paceOf(run *record.Run, known *learn.Durations, r *rand.Rand) sim.Pace {
	vary := func(d time.Duration, spread float64) time.Duration {
		if r == nil {
			return d
		}
		return time.Duration(float64(d) * math.Exp(spread*r.NormFloat64()))
	}
	p := sim.Guesses()
	join, ready, end := known.Join.Takes, known.Ready.Takes, known.End.Takes
	if longest := run.NodeTime - run.Settings.Settle; run.NodeTime > 0 && known.End.Guessed() {
		end = min(end, max(longest, time.Second))
	}
	if limit := run.Settings.NodeReadyTimeout / 2; limit > 0 { // a guess is no reason to fail
		if known.Join.Guessed() {
			join = min(join, limit/5*4)
		}
		if known.Ready.Guessed() {
			ready = min(ready, limit/5)
		}
	}
	p.SetJoin(vary(join, known.Join.Spread))
	p.Launch += vary(known.Late(), known.Serve.Spread)
	p.StartHasHooks = !known.Serve.Guessed()
	p.NodeReady, p.Terminate = vary(ready, known.Ready.Spread), vary(end, known.End.Spread)
	p.EndHasHooks = !known.End.Guessed()
	if known.End.From == snapshot.FromRun || known.End.From == snapshot.FromEarlier { // until it was read
		p.Terminate = max(p.Terminate/2, p.Terminate-p.CloudLatency-p.CloudLag)
	}
	p.Notice = vary(known.Notice.Takes, known.Notice.Spread)
	if !known.Notice.Guessed() {
		p.Notice = max(0, p.Notice-p.CloudLag)
	}
	p.Hook, p.Leave = vary(p.Hook, learn.AtAGuess), vary(p.Leave, learn.AtAGuess)
	p.PodReady = vary(known.AnyPodReady.Takes, known.AnyPodReady.Spread)
	p.PodStop = vary(known.AnyPodStop.Takes, known.AnyPodStop.Spread)
	p.StopShare = vary(time.Second, learn.AtAGuess).Seconds() * p.StopShare
	p.ReadyOf, p.StopOf = each(known.PodReady, vary), each(known.PodStop, vary)
	p.Update = vary(p.Update, learn.AtAGuess)
	return p
}

// each is how long things take by their owners, all of them varied.
func each(known map[string]learn.Duration, vary func(time.Duration, float64) time.Duration) map[string]time.Duration {
	out := make(map[string]time.Duration, len(known))
	for _, uid := range slices.Sorted(maps.Keys(known)) {
		out[uid] = vary(known[uid].Takes, known[uid].Spread)
	}
	return out
}

// rehearsal is a run that is played.
type rehearsal struct {
	sim   *sim.Sim
	rules engine.Strategy
	grain time.Duration // the least time between two decisions
	run   record.Run
	in    engine.Inputs
	wake  time.Time
	told  string // the batch that was approved last

	state  record.State // how the run and its old nodes stand, and since when
	phases []record.Phase
	stages map[record.Stage]int
	since  time.Time

	rolls time.Time // since when nodes are replaced, and how many were then
	pace  float64

	from  *world.World // as it was before
	began time.Time
	holds map[string]int  // how many pods were told to wait for a PDB
	moved map[string]bool // the UIDs of pods that were evicted or deleted
	load  snapshot.Load

	gaveUp int       // how many drains ended without their nodes
	fails  time.Time // when the run began to fail, zero while it does not
	causes []snapshot.Cause
}

func rehearse(ctx context.Context, rules engine.Strategy, w *world.World, now time.Time, run record.Run, pace sim.Pace) (snapshot.Rehearsal, bool) {
	if run.State == record.Planned {
		run = engine.Start(run, now, "rehearsal")
	}
	run = engine.TakeOver(run, now)
	r := newRehearsal(rules, w, now, run, pace)
	r.sim.NodeHooks.Takes = run.HookTime
	r.sim.DrivesItself(rules, run, pace)
	if run.State == record.Paused {
		if run.Canary.Holds() {
			r.say(record.Command{Kind: record.CmdAccept, Trouble: run.Canary.Trouble})
		} else {
			r.say(record.Command{Kind: record.CmdResume})
		}
	}
	cut := r.play(ctx, now.Add(farthest))
	return r.tell(now, cut)
}

func newRehearsal(rules engine.Strategy, w *world.World, now time.Time, run record.Run, pace sim.Pace) *rehearsal {
	r := &rehearsal{rules: rules, grain: min(max(leastBreath, breath*time.Duration(len(w.Machines()))), mostBreath), run: run, wake: now, since: now, from: w, began: now, moved: map[string]bool{}, holds: map[string]int{}}
	if r.grain > slowBreath {
		pace.Controllers, pace.ClusterLag, pace.CloudEvery = max(pace.Controllers, r.grain/2), max(pace.ClusterLag, r.grain/4), max(pace.CloudEvery, 2*r.grain)
	}
	r.sim = sim.From(w, now, run, pace)
	return r
}

// measures adds to the load what a span of time brought that is over.
func (r *rehearsal) measures(span time.Duration) {
	r.load.Extra += time.Duration(max(0, len(r.sim.Machines())-len(r.from.Machines()))) * span
	if n, longest := r.withoutRoom(); n > 0 {
		r.load.Waiting, r.load.WaitingFor = max(r.load.Waiting, n), max(r.load.WaitingFor, longest)
	}
	if r.load.Moves == 0 {
		return // what is amiss before is not the run's doing
	}
	for ref, b := range r.sim.Budgets() {
		spare := b.Healthy - b.Budget.Desired
		if b.Expected > 0 && (r.load.Budget == "" || spare < r.load.Spare || spare == r.load.Spare && ref < r.load.Budget) {
			r.load.Spare, r.load.Budget = spare, ref
		}
	}
}

// withoutRoom counts the pods that find no room, those aside that did not before, and tells for how
// long the oldest does not.
func (r *rehearsal) withoutRoom() (n int, longest time.Duration) {
	for _, p := range r.sim.Truth.Unplaced() {
		if took := r.sim.Now().Sub(p.Created); took > waits && r.homeless(p) {
			n, longest = n+1, max(longest, took)
		}
	}
	return n, longest
}

// homeless reports whether a pod finds no room that was not there before.
func (r *rehearsal) homeless(p *world.Pod) bool {
	return p.Unplaced != "" && !p.Terminating() && r.from.Pod(p.UID) == nil
}

// leftWithoutRoom are the pods that find no room now, the first ones, and how many there are.
func (r *rehearsal) leftWithoutRoom() (first []snapshot.NoRoom, all int) {
	for _, p := range r.sim.Truth.Unplaced() {
		if !r.homeless(p) {
			continue
		}
		if all++; all <= mostHeld {
			first = append(first, snapshot.NoRoom{Pod: p.Ref(), Why: p.Unplaced})
		}
	}
	return first, all
}

// lacksRoom is a pod under a budget that finds no room, the zero value if there is none.
func (r *rehearsal) lacksRoom(ref string) snapshot.NoRoom {
	for _, p := range r.sim.Truth.Unplaced() {
		if b := r.sim.Truth.Budget(ref); b != nil && b.Covers(p) && r.homeless(p) {
			return snapshot.NoRoom{Pod: p.Ref(), Why: p.Unplaced}
		}
	}
	return snapshot.NoRoom{}
}

// causeOf is a blocker as a cause, with the pod that finds no room where that is why its budget is
// closed.
func (r *rehearsal) causeOf(b *blockers.Blocker) snapshot.Cause {
	c := snapshot.CauseOf(b)
	if len(c.Budgets) == 1 {
		c.NoRoom = r.lacksRoom(c.Budgets[0])
	}
	return c
}

// moves counts a pod that was evicted or deleted, each once.
func (r *rehearsal) moves(a record.Action, o record.Outcome) {
	if o.Verdict != record.Done || a.Kind != record.Evict && a.Kind != record.Delete || r.moved[a.UID] {
		return
	}
	r.moved[a.UID] = true
	r.load.Moves++
	if r.from.Pod(a.UID) != nil {
		r.load.Moved++
	}
}

// say hands the run a command.
func (r *rehearsal) say(c record.Command) {
	c.By, c.At = "rehearsal", r.sim.Now()
	r.in.Commands = append(r.in.Commands, c)
	r.wake = r.sim.Now()
}

// play lets the world and the run continue until the run is over or continues no more. It reports
// whether it was cut off before.
func (r *rehearsal) play(ctx context.Context, end time.Time) (cut bool) {
	s := r.sim
	for r.run.State != record.Finished {
		if ctx.Err() != nil || !s.Now().Before(end) {
			return true
		}
		next := r.wake
		if at, ok := s.Next(); ok && at.Before(next) {
			next = at
		}
		was := s.Now()
		s.Advance(sim.Later(next, s.Now().Add(r.grain)))
		r.measures(s.Now().Sub(was))
		if s.Now().Before(r.wake) && !s.Changed() && len(r.in.Outcomes) == 0 {
			continue
		}
		touched := r.decide()
		if r.run.State == record.Paused && len(r.in.Commands) == 0 || r.standsStill(touched) {
			return false
		}
	}
	return false
}

// decide takes one decision and lets its actions be carried out. It returns the machines whose
// entries it has touched.
func (r *rehearsal) decide() (touched []string) {
	s, in := r.sim, r.in
	s.Look()
	r.in = engine.Inputs{}
	before := r.run
	d := engine.Decide(r.rules, s.Now(), s.View, r.run, in)
	r.run, r.wake = d.Run, d.Wake
	r.blame(before, d.Touched)
	for _, e := range d.Events {
		if e.Type == record.PodBlocked && e.Budget != "" {
			r.holds[e.Budget]++
		}
	}
	if r.rolls.IsZero() && len(d.Touched) > 0 && slices.ContainsFunc(d.Touched, func(id string) bool { return inWork(r.run.Nodes.Get(id)) }) {
		r.rolls, r.pace = s.Now(), r.progress()
	}
	hear := func(o record.Outcome) { r.in.Outcomes = append(r.in.Outcomes, o) }
	for _, a := range d.Actions {
		if a.Kind == record.RunHook {
			s.After(s.NodeHooks.Takes, func() { hear(record.Outcome{Key: a.Key, At: s.Now(), Verdict: record.Done}) })
			continue
		}
		s.Send(a, func(o record.Outcome) {
			r.moves(a, o)
			hear(o)
		})
	}
	if b, waiting := r.run.Waiting(); waiting && fmt.Sprint(b.ID, b.Hash) != r.told {
		r.told = fmt.Sprint(b.ID, b.Hash)
		r.say(record.Command{Kind: record.CmdApprove, Batch: b.ID, Hash: b.Hash})
	}
	return d.Touched
}

// blame notes what kept the nodes that were given up, as it was when they were, and when the
// run began to fail.
func (r *rehearsal) blame(before record.Run, touched []string) {
	var stuck []*blockers.Blocker
	for _, id := range touched {
		n := r.run.Nodes.Get(id)
		was := before.Nodes.Peek(id).Stage
		gaveUp := n.Stage == record.Skipped && was == record.Draining // else it was left out from the start
		if n.New || !gaveUp && (n.Stage != record.NodeFail || was == n.Stage) {
			continue
		}
		if gaveUp {
			r.gaveUp++
		}
		if stuck == nil {
			stuck = r.blockers(before)
		}
		known := len(r.causes)
		for _, b := range stuck {
			if b.Machine == id {
				r.causes = append(r.causes, r.causeOf(b))
			}
		}
		if len(r.causes) == known {
			r.causes = append(r.causes, snapshot.Cause{Node: n.Name, Machine: id, Message: n.Reason})
		}
	}
	bad := r.run.Result != record.NotStartedYet && r.run.Result != record.Succeeded
	if r.fails.IsZero() && bad && (r.run.State == record.Ending || r.run.State == record.Finished) {
		r.fails = r.sim.Now()
	}
}

// blockers are what keeps pods on draining nodes now.
func (r *rehearsal) blockers(run record.Run) []*blockers.Blocker {
	return snapshot.View(r.rules, r.sim.Now(), r.sim.View, run, snapshot.Look{}, nil).Blockers
}

// standsStill reports whether no outdated node has got anywhere for longer than any wait of the
// run can last. New ones that do not join may be replaced without end.
func (r *rehearsal) standsStill(touched []string) bool {
	if len(touched) > 0 || r.run.State != r.state || !slices.Equal(r.run.Phases, r.phases) {
		old := map[record.Stage]int{}
		for _, n := range r.run.Nodes.All() {
			if !n.New {
				old[n.Stage]++
			}
		}
		if r.run.State != r.state || !slices.Equal(r.run.Phases, r.phases) || !maps.Equal(old, r.stages) {
			r.state, r.phases, r.stages, r.since = r.run.State, r.run.Phases, old, r.sim.Now()
		}
	}
	k := &r.run.Settings
	longest := k.BeforeNode + k.DrainTimeout + k.Settle + k.TerminateTimeout + k.AfterNode + k.NodeReadyTimeout + k.Interval + k.GatePause + k.ValidateTimeout + k.CanaryWatch
	return r.sim.Now().Sub(r.since) > time.Hour+2*(longest+r.run.HookTime)
}

// inWork reports whether an outdated node is on its way out.
func inWork(n record.Node) bool {
	return !n.New && (n.Stage == record.Draining || n.Stage == record.Settling || n.Stage == record.Terminating)
}

// progress is how many nodes are replaced; one that is on its way out is half so.
func (r *rehearsal) progress() (nodes float64) {
	for _, n := range r.run.Nodes.All() {
		switch {
		case inWork(n):
			nodes += 0.5
		case !n.New && n.Stage == record.Replaced:
			nodes++
		}
	}
	return nodes
}

// stages counts the nodes in each stage.
func stages(r *record.Run) map[record.Stage]int {
	out := map[record.Stage]int{}
	for _, n := range r.Nodes.All() {
		out[n.Stage]++
	}
	return out
}

// noLaunch is why no machine was launched at last, in the words of what was there before, nil where
// some was.
func (r *rehearsal) noLaunch() *snapshot.Cause {
	still := r.sim.Group.Lacks(r.sim.Now())
	for _, lack := range r.from.Group.Lacks(r.began) {
		if slices.ContainsFunc(still, func(l world.Lack) bool { return l.Zone == lack.Zone }) {
			return &snapshot.Cause{NoLaunch: true, Zone: lack.Zone, Message: plans.LaunchesFail(lack.Message)}
		}
	}
	return nil
}

// lastCauses adds what keeps the run from ending well at last.
func (r *rehearsal) lastCauses(cut bool) {
	if r.run.State != record.Finished {
		for _, b := range r.blockers(r.run) {
			r.causes = append(r.causes, r.causeOf(b))
		}
	}
	well := r.run.State == record.Finished && (r.run.Result == record.Succeeded || r.run.Result == record.NodesLeft)
	if c := r.noLaunch(); c != nil && !cut && !well {
		r.causes = slices.Insert(r.causes, 0, *c)
	}
	r.causes = slices.Clip(r.causes[:min(len(r.causes), mostHeld)])
}

// tell says what came of it since it began.
func (r *rehearsal) tell(began time.Time, cut bool) (snapshot.Rehearsal, bool) {
	r.lastCauses(cut)
	out := snapshot.Rehearsal{Took: r.sim.Now().Sub(began), Result: r.run.Result, Why: r.run.Why, Causes: r.causes, Load: r.load}
	for _, c := range r.causes {
		out.Held = append(out.Held, c.String())
	}
	for _, budget := range slices.Sorted(maps.Keys(r.holds)) {
		out.Holds = append(out.Holds, snapshot.Hold{Budget: budget, Pods: r.holds[budget]})
	}
	slices.SortStableFunc(out.Holds, func(a, b snapshot.Hold) int { return b.Pods - a.Pods })
	if !cut {
		out.NoRoom, out.Homeless = r.leftWithoutRoom()
	}
	if !r.fails.IsZero() {
		out.Fails = r.fails.Sub(began)
	}
	replaced, total := r.run.Outdated()
	out.Replaced = replaced
	for _, n := range r.run.Nodes.All() {
		if !n.New && n.Stage == record.NodeFail {
			out.Failed++
		}
	}
	skipped := stages(&r.run)[record.Skipped] - r.gaveUp
	out.Left = total - replaced - out.Failed - skipped
	switch {
	case !cut && r.run.State == record.Finished:
		out.Took = r.run.Finished.Sub(began)
	case !cut:
		out.Took, out.Result = r.since.Sub(began), record.NotStartedYet
		if r.run.State == record.Paused {
			out.Took = r.sim.Now().Sub(began)
		} else if out.Why = r.run.Gate; out.Why == "" && len(out.Held) > 0 {
			out.Why = out.Held[0]
		}
	default:
		made := r.progress()
		left := float64(total) - made - float64(out.Failed+skipped)
		if r.rolls.IsZero() || made-r.pace < 1 || r.run.State != record.Running {
			return out, false
		}
		out.Extrapolated, out.Result, out.Why, out.Causes, out.Held, out.Fails = true, record.NotStartedYet, "", nil, nil, 0
		out.Took += time.Duration(float64(r.sim.Now().Sub(r.rolls)) / (made - r.pace) * left)
	}
	return out, true
}
