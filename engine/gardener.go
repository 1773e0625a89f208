package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// What machine-controller-manager does next with a machine of a Gardener pool, and when. Its
// limits are in the Machine, where the control cluster is read; else they are those of the
// Shoot, or defaults, and so are the countdowns estimates.

// UntilPodForced is the countdown of a single pod, beside those of its node.
const UntilPodForced = "pod forced"

// drainAfter is how long after a Machine's deletion its drain begins, and its node gets the
// condition Terminating: three steps, each after machineutils.ShortRetry of 5 s
// (machine-controller-manager pkg/util/provider/machinecontroller, triggerDeletionFlow).
const drainAfter = 15 * time.Second

// Countdowns of Gardener, as a row names them.
const (
	untilForced  = "drain forced"
	untilSick    = "sick: forced"
	untilUpdated = "update fails"
	untilGivenUp = "is given up"
	untilCreated = "creation fails"
	untilKept    = "is kept"
)

// limitsOf are the limits of a machine, and whether they were read for this very one.
func limitsOf(pool *world.Pool, m *world.Machine) (world.MachineLimits, bool) {
	if m != nil && m.Gardener != nil {
		return m.Gardener.Limits, true
	}
	return pool.Limits, false
}

// told gives moves of Gardener the drain limit that it goes by here.
func told(pool *world.Pool, m *world.Machine, moves []world.Move) []world.Move {
	if pool == nil {
		return moves
	}
	limits, _ := limitsOf(pool, m)
	for i := range moves {
		if moves[i].By == world.MoverGardener && limits.Drain > 0 {
			moves[i].Limit, moves[i].Told = limits.Drain, !limits.Guessed
		}
	}
	return moves
}

// minded adds to what is seen of a machine of a pool what Gardener does next, and when.
func (s *Reader) minded(m *world.Machine, node *world.Node, n *Node) {
	pool := s.W.Group.Pool
	limits, read := limitsOf(pool, m)
	timers := gardenerTimers{m.Gardener, node, limits, read}
	switch {
	case n.Stage == Skipped, n.Stage == Replaced:
		return
	case n.Stage == Draining:
		n.Wait = s.nearest(timers.forced(), timers.sick())
		switch g, sick := m.Gardener, timers.sick(); {
		case g != nil && g.Forced:
			n.Wait = nil
			if g.Deleted.IsZero() { // else its end is told with it
				n.Reason += ", by force: that was ordered"
			}
		case n.Wait == nil:
			n.Reason += s.overdue(timers.forced(), sick)
		case sick != nil && !s.Now.Before(sick.End): // a try that is under way does not look again
			n.Reason += fmt.Sprintf("; its node has not been well for %s: the next try of its drain is by force", Span(steady(s.Now.Sub(sick.Start))))
		}
	case n.Stage == Updating:
		n.Wait = s.nearest(timers.update())
		n.Reason += s.late(timers.update())
	case m.Gardener != nil:
		s.tended(m, n, timers)
	case n.Stage == Launching:
		n.Reason = "its node has joined, and is not Ready yet"
		if node != nil {
			n.Wait = s.nearest(timers.joining())
		}
	case node != nil && !m.Leaving() && n.Stage != NodeFail && n.Stage != Terminating:
		s.untended(n, timers)
	}
	if n.Stage == Draining {
		n.Reason += s.volumesLeft(n.Name)
	}
	if g := m.Gardener; g != nil && (n.Stage == Settling || n.Stage == Terminating) {
		if moves := s.Run.External.of(m.ID); len(moves) > 0 {
			n.Reason = moves[0].Means
		}
	}
}

// untended adds what becomes of a node that is not well, or kept, as far as the Nodes tell.
func (s *Reader) untended(n *Node, t gardenerTimers) {
	kept, joins, sick := t.preserved(), t.joining(), t.health()
	switch {
	case kept != nil:
		n.Wait, n.Reason = s.nearest(kept), keeps
	case sick == nil:
	case joins != nil:
		n.Wait, n.Reason = s.nearest(joins), "has not been well since it joined: Gardener gives its machine up and makes another"+s.late(joins)
	case t.limits.NoHealth:
		n.Reason = t.sickly() + ", and is not given up: its pool has no health timeout"
	default:
		n.Wait, n.Reason = s.nearest(sick), t.sickly()+": Gardener gives it up and replaces it, but not while another machine of its zone comes or goes"+s.late(sick)
	}
}

// sickly says that a machine is not healthy, with what its node says.
func (t gardenerTimers) sickly() string {
	if t.node == nil || t.node.Trouble == "" {
		return "is not healthy"
	}
	return "is not healthy (" + t.node.Trouble + ")"
}

// keeps is said of a machine that is preserved.
const keeps = "Gardener keeps its machine for a while"

// tended adds what the control cluster tells of a machine that is neither drained nor
// updated.
func (s *Reader) tended(m *world.Machine, n *Node, t gardenerTimers) {
	g := m.Gardener
	switch {
	case !g.Deleted.IsZero() || g.Phase == world.PhaseTerminating:
	case g.Phase == world.PhaseFailed:
		n.Wait = s.nearest(t.preserved())
		if n.Name == "" {
			n.Stage, n.Reason = NodeFail, "did not come in time: Gardener has given its machine up, and replaces it"
			if why := g.Trouble(); why != "" {
				n.Reason += "; " + why
			}
		}
	case g.Phase == world.PhaseUnknown:
		if t.limits.NoHealth {
			n.Reason = t.sickly() + ", and is not given up: its pool has no health timeout"
			return
		}
		n.Reason = t.sickly() + ": Gardener gives it up and replaces it"
		if s.waitsForOthers(m) {
			n.Reason += ", but not while another machine of " + g.Deployment + " comes or goes"
		} else {
			n.Reason += s.late(t.health())
		}
		n.Wait = s.nearest(t.health())
	case g.Phase == world.PhaseCreating, g.Phase == world.PhasePending, g.Phase == world.PhaseCrashLoop:
		n.Wait = s.nearest(t.creation())
		switch why := g.Trouble(); {
		case g.Phase == world.PhaseCrashLoop:
			n.Reason = "its machine could not be created, and is tried again" + dueTo(why)
		case n.Name != "":
			n.Reason = "its machine is not Running yet"
		case g.Phase == world.PhaseCreating:
			n.Reason = "its machine is asked for"
		default:
			n.Reason = "its machine has not joined the cluster yet" + dueTo(why)
		}
		n.Reason += s.late(t.creation())
	case !g.Preserved.IsZero():
		n.Wait, n.Reason = s.nearest(t.preserved()), keeps
	}
}

func dueTo(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// waitsForOthers reports whether another machine of the same machine deployment is neither
// Running nor Unknown: as long as one is, none is given up.
func (s *Reader) waitsForOthers(m *world.Machine) bool {
	for _, o := range s.W.Machines() {
		if g := o.Gardener; g != nil && o.ID != m.ID && g.Deployment == m.Gardener.Deployment && g.Phase != world.PhaseRunning && g.Phase != world.PhaseUnknown {
			return true
		}
	}
	return false
}

// nearest is the wait that ends first of those that have not ended, nil without one.
func (s *Reader) nearest(waits ...*Wait) (first *Wait) {
	for _, w := range waits {
		if w != nil && s.Now.Before(w.End) && (first == nil || w.End.Before(first.End)) {
			first = w
		}
	}
	return first
}

// overdue says of a drain that one of its times is up, "" if none is.
func (s *Reader) overdue(waits ...*Wait) string {
	for _, w := range waits {
		switch {
		case w == nil:
		case w.Guess:
			return s.late(w)
		default:
			return "; its time was up " + steady(s.Now.Sub(w.End)).String() + " ago: Gardener forces it, past all budgets"
		}
	}
	return ""
}

// late says of a time that is up that Gardener has yet to see it, "" while it is not: what is
// not a drain it looks at once a minute (machine-controller-manager
// pkg/util/provider/machinecontroller, reconcileMachineHealth).
func (s *Reader) late(w *Wait) string {
	switch {
	case w == nil || s.Now.Before(w.End):
		return ""
	case w.Guess:
		return "; it has had longer than the " + Span(w.End.Sub(w.Start)) + " that it is given, as far as is known"
	}
	return "; its time was up " + steady(s.Now.Sub(w.End)).String() + " ago, and Gardener looks once a minute"
}

// gardenerTimers are the times by which machine-controller-manager acts on a machine.
type gardenerTimers struct {
	g      *world.GardenerMachine // nil where the control cluster is not read
	node   *world.Node            // nil before it joins
	limits world.MachineLimits
	read   bool // limits are the machine's own
}

// timer is a countdown and what it rests on, nil where its start or limit is not known.
// sure: the start is what the controller goes by.
func (t gardenerTimers) timer(what string, start time.Time, limit time.Duration, since, whose string, sure bool) *Wait {
	if start.IsZero() || limit <= 0 {
		return nil
	}
	switch {
	case t.limits.Guessed:
		whose += ", by default"
	case !t.read:
		whose += ", by the Shoot"
	}
	return &Wait{For: what, Start: start, End: start.Add(limit), Guess: !sure || t.limits.Guessed || !t.read,
		Basis: fmt.Sprintf("%s at %s, and %s later: its %s", since, start.UTC().Format("15:04:05 MST"), limit, whose)}
}

// forced is when a drain is given up and the machine's end, or its update, goes on past all
// budgets.
func (t gardenerTimers) forced() *Wait {
	switch selected := t.inPlace(world.GardenerSelected); {
	case t.g != nil && !t.g.Deleted.IsZero():
		return t.timer(untilForced, t.g.Deleted, t.limits.Drain, "the Machine's deletion was asked for", "machineDrainTimeout", true)
	case !selected.IsZero():
		return t.timer(untilForced, selected, t.limits.Drain, "it was selected for the update", "machineDrainTimeout", true)
	case t.node != nil && t.node.Terminating().On:
		w := t.timer(untilForced, t.node.Terminating().Since, t.limits.Drain, "its condition Terminating was set", "machineDrainTimeout, which began some "+drainAfter.String()+" before", false)
		if w != nil {
			w.Start, w.End = w.Start.Add(-drainAfter), w.End.Add(-drainAfter)
		}
		return w
	}
	return nil
}

// sick is when a drain is by force because the node is not well. What the controller goes by
// is what the Machine says of its node, which stays as it was when the machine's end began; and
// a drain that is under way when the time is up is not looked at again before it fails.
func (t gardenerTimers) sick() *Wait {
	var start time.Time
	switch {
	case t.g != nil:
		start = t.g.Sick
	case t.node != nil:
		start = t.node.Sick
		if end := t.node.Terminating(); end.On && start.After(end.Since.Add(-drainAfter)) {
			return nil
		}
	}
	if start.IsZero() {
		return nil
	}
	return &Wait{For: untilSick, Start: start, End: start.Add(world.SickFor), Guess: true,
		Basis: fmt.Sprintf("it has not been Ready, or not writable, since %s, and a drain that begins, or begins anew, %s later is by force", start.UTC().Format("15:04:05 MST"), world.SickFor)}
}

// update is when an update in place counts as failed.
func (t gardenerTimers) update() *Wait {
	if t.g != nil && t.g.Phase == world.PhaseInPlaceUpdating {
		return t.timer(untilUpdated, t.g.Since, t.limits.InPlace, "the Machine became InPlaceUpdating", "machineInPlaceUpdateTimeout", true)
	}
	return t.timer(untilUpdated, t.inPlace(world.GardenerReady), t.limits.InPlace, "it was ready for the update", "machineInPlaceUpdateTimeout", false)
}

// health is when a machine that is not healthy is given up.
func (t gardenerTimers) health() *Wait {
	switch {
	case t.g != nil:
		return t.timer(untilGivenUp, t.g.Since, t.limits.Health, "the Machine became Unknown", "machineHealthTimeout", true)
	case t.node != nil:
		since, why := t.unwell()
		return t.timer(untilGivenUp, since, t.limits.Health, why, "machineHealthTimeout", false)
	}
	return nil
}

// unwell is since when the Nodes tell that a node's machine is not healthy, zero while it is,
// and by what.
func (t gardenerTimers) unwell() (since time.Time, why string) {
	since, why = t.node.Sick, "it stopped being Ready, or writable,"
	for _, c := range t.node.Conditions {
		if slices.Contains(t.limits.Conditions, c.Type) && !c.Off && (since.IsZero() || c.Since.Before(since)) {
			since, why = c.Since, "its condition "+c.Type+" was set"
		}
	}
	return since, why
}

func (t gardenerTimers) creation() *Wait {
	return t.timer(untilCreated, t.g.Created, t.limits.Creation, "the Machine was made", "machineCreationTimeout", true)
}

// joining is when a node that was not well from its first moment on is given up, by the
// Nodes; nil for another.
func (t gardenerTimers) joining() *Wait {
	const atOnce = 10 * time.Second
	if t.node.Sick.IsZero() || t.node.Sick.Sub(t.node.Created) > atOnce {
		return nil
	}
	return t.timer(untilCreated, t.node.Created, t.limits.Creation, "the node joined, some time after its Machine was made,", "machineCreationTimeout", false)
}

// preserved is until when a machine is kept that failed, or that somebody wants kept.
func (t gardenerTimers) preserved() *Wait {
	switch {
	case t.g != nil && !t.g.Preserved.IsZero():
		return &Wait{For: untilKept, Start: t.g.Since, End: t.g.Preserved, Basis: "its preserveExpiryTime"}
	case t.g == nil && t.node != nil && !t.node.Preserved.IsZero():
		return &Wait{For: untilKept, Start: t.node.Condition(world.GardenerPreserved).Since, End: t.node.Preserved, Basis: "its node's condition " + world.GardenerPreserved}
	}
	return nil
}

// inPlace is since when the update in place is at a step, zero if it is at another.
func (t gardenerTimers) inPlace(reason string) time.Time {
	if t.node == nil {
		return time.Time{}
	}
	if c := t.node.Condition(world.GardenerInPlace); c.On && c.Reason == reason {
		return c.Since
	}
	return time.Time{}
}

// pastBudget adds to a pod that a budget holds on a node that Gardener drains what becomes
// of it. A budget that machine-controller-manager takes for misconfigured, and two budgets
// over one pod, fail the whole drain, which then begins anew: only its end passes them.
func (s *Reader) pastBudget(b *Blocker, n Node) {
	pool := s.W.Group.Pool
	if pool == nil || len(b.Budgets) == 0 || !isDraining(n) || !s.drainedByOthers(n.Name) {
		return
	}
	b.AtDeadline = TimeoutForce
	const anew = "; Gardener's drain fails at it and begins anew every 5 s, so its retries never end and only the drain timeout passes it"
	budget := s.W.Budget(b.Budgets[0].Ref)
	switch limits, read := limitsOf(pool, s.W.Machine(b.Machine)); {
	case b.Kind == BlockedByBudgets:
		b.WayOut += anew
	case budget != nil && budget.Misconfigured():
		b.WayOut += anew
	case b.Kind == BlockedByBudget && limits.Past() > 0 && !n.Since.IsZero():
		whose := "maxEvictRetries"
		if !read {
			whose += ", by the Shoot"
		}
		start := n.Since
		switch node, m := s.W.Node(n.Name), s.W.Machine(b.Machine); {
		case node != nil && node.Terminating().On:
			start = node.Terminating().Since
		case m != nil && m.Gardener != nil && !m.Gardener.Deleted.IsZero():
			start = m.Gardener.Deleted.Add(drainAfter)
		}
		b.Deadline = s.nearest(b.Deadline, &Wait{For: UntilPodForced, Start: start, End: start.Add(limits.Past()), Guess: true,
			Basis: fmt.Sprintf("%d refusals 20 s apart (%s) from the start of the drain; the first refusal is not seen from here", limits.EvictRetries, whose)})
	}
}
