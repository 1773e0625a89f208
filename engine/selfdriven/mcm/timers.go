package mcm

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

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
	if m != nil && m.Managed != nil {
		return m.Managed.Limits, true
	}
	if pool == nil {
		return world.MachineLimits{}, false
	}
	return pool.Limits, false
}

// timers are the times by which machine-controller-manager acts on a machine.
type timers struct {
	g      *world.ManagedMachine // nil where the control cluster is not read
	node   *world.Node           // nil before it joins
	limits world.MachineLimits
	read   bool // limits are the machine's own
}

// timer is a countdown and what it rests on, nil where its start or limit is not known.
// sure: the start is what the controller goes by.
func (t timers) timer(what string, start time.Time, limit time.Duration, since, whose string, sure bool) *selfdriven.Deadline {
	if start.IsZero() || limit <= 0 {
		return nil
	}
	return &selfdriven.Deadline{For: what, Start: start, End: start.Add(limit), Guess: !sure || t.limits.Guessed || !t.read,
		Basis: systems.TimerBasis(since, start, limit, systems.Setting(whose, !t.read, t.limits.Guessed))}
}

// forced is when a drain is given up and the machine's end, or its update, continues past all
// budgets.
func (t timers) forced() *selfdriven.Deadline {
	switch selected := t.inPlace(world.GardenerSelected); {
	case t.g != nil && !t.g.Deleted.IsZero():
		return t.timer(untilForced, t.g.Deleted, t.limits.Drain, systems.SinceDeletion, "machineDrainTimeout", true)
	case !selected.IsZero():
		return t.timer(untilForced, selected, t.limits.Drain, systems.SinceSelected, "machineDrainTimeout", true)
	case t.node != nil && t.node.Terminating().On:
		w := t.timer(untilForced, t.node.Terminating().Since, t.limits.Drain, systems.SinceTerminating, systems.BegunBefore("machineDrainTimeout", drainAfter), false)
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
func (t timers) sick() *selfdriven.Deadline {
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
	return &selfdriven.Deadline{For: untilSick, Start: start, End: start.Add(world.SickFor), Guess: true,
		Basis: systems.SickBasis(start, world.SickFor)}
}

// update is when an update in place counts as failed.
func (t timers) update() *selfdriven.Deadline {
	if t.g != nil && t.g.Phase == world.PhaseInPlaceUpdating {
		return t.timer(untilUpdated, t.g.Since, t.limits.InPlace, systems.SinceInPlaceUpdating, "inPlaceUpdateTimeout", true)
	}
	return t.timer(untilUpdated, t.inPlace(world.GardenerReady), t.limits.InPlace, systems.SinceReadyForUpdate, "inPlaceUpdateTimeout", false)
}

// health is when a machine that is not healthy is given up.
func (t timers) health() *selfdriven.Deadline {
	switch {
	case t.g != nil:
		return t.timer(untilGivenUp, t.g.Since, t.limits.Health, systems.SinceUnknown, "machineHealthTimeout", true)
	case t.node != nil:
		since, why := t.unwell()
		return t.timer(untilGivenUp, since, t.limits.Health, why, "machineHealthTimeout", false)
	}
	return nil
}

// unwell is since when the Nodes tell that a node's machine is not healthy, zero while it is,
// and by what.
func (t timers) unwell() (since time.Time, why string) {
	since, why = t.node.Sick, systems.SinceNotReady
	for _, c := range t.node.Conditions {
		if slices.Contains(t.limits.Conditions, c.Type) && !c.Off && (since.IsZero() || c.Since.Before(since)) {
			since, why = c.Since, systems.SinceCondition(c.Type)
		}
	}
	return since, why
}

func (t timers) creation() *selfdriven.Deadline {
	return t.timer(untilCreated, t.g.Created, t.limits.Creation, systems.SinceMade, "machineCreationTimeout", true)
}

// joining is when a node that was not well from its first moment on is given up, by the
// Nodes; nil for another.
func (t timers) joining() *selfdriven.Deadline {
	const atOnce = 10 * time.Second
	if t.node.Sick.IsZero() || t.node.Sick.Sub(t.node.Created) > atOnce {
		return nil
	}
	return t.timer(untilCreated, t.node.Created, t.limits.Creation, systems.SinceJoined, "machineCreationTimeout", false)
}

// preserved is until when a machine is kept that failed, or that a user wants kept.
func (t timers) preserved() *selfdriven.Deadline {
	switch {
	case t.g != nil && !t.g.Preserved.IsZero():
		return &selfdriven.Deadline{For: untilKept, Start: t.g.Since, End: t.g.Preserved, Basis: systems.PreserveExpiry}
	case t.g == nil && t.node != nil && !t.node.Preserved.IsZero():
		return &selfdriven.Deadline{For: untilKept, Start: t.node.Condition(world.GardenerPreserved).Since, End: t.node.Preserved, Basis: systems.PreserveCondition(world.GardenerPreserved)}
	}
	return nil
}

// inPlace is since when the update in place is at a step, zero if it is at another.
func (t timers) inPlace(reason string) time.Time {
	if t.node == nil {
		return time.Time{}
	}
	if c := t.node.Condition(world.GardenerInPlace); c.On && c.Reason == reason {
		return c.Since
	}
	return time.Time{}
}

// nearest is the wait that ends first of those that have not ended, nil without one.
func nearest(now time.Time, waits ...*selfdriven.Deadline) (first *selfdriven.Deadline) {
	for _, w := range waits {
		if w != nil && now.Before(w.End) && (first == nil || w.End.Before(first.End)) {
			first = w
		}
	}
	return first
}

// overdue says of a drain that one of its times is up, "" if none is.
func overdue(now time.Time, waits ...*selfdriven.Deadline) string {
	for _, w := range waits {
		switch {
		case w == nil:
		case w.Guess:
			return late(now, w)
		default:
			return systems.ForcesNow(now.Sub(w.End))
		}
	}
	return ""
}

// late says of a time that is up that Gardener has yet to see it, "" while it is not: what is
// not a drain it looks at once a minute (machine-controller-manager
// pkg/util/provider/machinecontroller, reconcileMachineHealth).
func late(now time.Time, w *selfdriven.Deadline) string {
	switch {
	case w == nil || now.Before(w.End):
		return ""
	case w.Guess:
		return systems.LongerThanGiven(w.End.Sub(w.Start))
	}
	return systems.LooksOnceAMinute(now.Sub(w.End))
}
