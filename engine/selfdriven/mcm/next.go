package mcm

import (
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Next adds what Gardener does next, and when.
func (Controller) Next(s selfdriven.Sight) selfdriven.Sight {
	n, m, node := &s, s.Machine, s.Node
	limits, read := limitsOf(s.World.Group.Pool, m)
	t := timers{m.Managed, node, limits, read}
	switch {
	case n.Stage == selfdriven.Skipped, n.Stage == selfdriven.Replaced:
		return s
	case n.Stage == selfdriven.Draining:
		drained(n, t)
	case n.Stage == selfdriven.Updating:
		n.Deadline = nearest(n.Now, t.update())
		n.Reason += late(n.Now, t.update())
	case m.Managed != nil:
		tended(n, t)
	case n.Stage == selfdriven.Launching:
		n.Reason = systems.JoinedNotReady
		if node != nil {
			n.Deadline = nearest(n.Now, t.joining())
		}
	case node != nil && !m.Leaving() && n.Stage != selfdriven.Failed && n.Stage != selfdriven.Terminating:
		untended(n, t)
	}
	if n.Stage == selfdriven.Draining {
		n.Reason += volumesLeft(n.World, n.Name)
	}
	if g := m.Managed; g != nil && (n.Stage == selfdriven.Settling || n.Stage == selfdriven.Terminating) {
		if len(n.Moves) > 0 {
			n.Reason = n.Moves[0].Means
		}
	}
	return s
}

// drained adds when the drain of a node is forced.
func drained(n *selfdriven.Sight, t timers) {
	n.Deadline = nearest(n.Now, t.forced(), t.sick())
	switch g, sick := n.Machine.Managed, t.sick(); {
	case g != nil && g.Forced:
		n.Deadline = nil
		if g.Deleted.IsZero() { // else its end is told with it
			n.Reason += systems.ForceWasOrdered
		}
	case n.Deadline == nil:
		n.Reason += overdue(n.Now, t.forced(), sick)
	case sick != nil && !n.Now.Before(sick.End): // a try that is under way does not look again
		n.Reason += systems.NextTryForced(n.Now.Sub(sick.Start))
	}
}

// untended adds what becomes of a node that is not well, or kept, as far as the Nodes tell.
func untended(n *selfdriven.Sight, t timers) {
	kept, joins, sick := t.preserved(), t.joining(), t.health()
	switch {
	case kept != nil:
		n.Deadline, n.Reason = nearest(n.Now, kept), systems.MachineKept
	case sick == nil:
	case joins != nil:
		n.Deadline, n.Reason = nearest(n.Now, joins), systems.UnwellSinceJoined+late(n.Now, joins)
	case t.limits.NoHealth:
		n.Reason = systems.NotGivenUp(t.trouble())
	default:
		n.Deadline, n.Reason = nearest(n.Now, sick), systems.GivesUpInTurn(t.trouble(), "")+late(n.Now, sick)
	}
}

// trouble is what the node says of its health, "" for nothing.
func (t timers) trouble() string {
	if t.node == nil {
		return ""
	}
	return t.node.Trouble
}

// tended adds what the control cluster tells of a machine that is neither drained nor
// updated.
func tended(n *selfdriven.Sight, t timers) {
	g := n.Machine.Managed
	switch {
	case !g.Deleted.IsZero() || g.Phase == world.PhaseTerminating:
	case g.Phase == world.PhaseFailed:
		n.Deadline = nearest(n.Now, t.preserved())
		if n.Name == "" {
			n.Stage, n.Reason = selfdriven.Failed, systems.DidNotCome(Trouble(g))
		}
	case g.Phase == world.PhaseUnknown:
		if t.limits.NoHealth {
			n.Reason = systems.NotGivenUp(t.trouble())
			return
		}
		if waitsForOthers(n.World, n.Machine) {
			n.Reason = systems.GivesUpInTurn(t.trouble(), g.Deployment)
		} else {
			n.Reason = systems.GivesUp(t.trouble()) + late(n.Now, t.health())
		}
		n.Deadline = nearest(n.Now, t.health())
	case g.Phase == world.PhaseCreating, g.Phase == world.PhasePending, g.Phase == world.PhaseCrashLoop:
		n.Deadline = nearest(n.Now, t.creation())
		switch why := Trouble(g); {
		case g.Phase == world.PhaseCrashLoop:
			n.Reason = systems.CreationRetried(why)
		case n.Name != "":
			n.Reason = systems.NotRunningYet
		case g.Phase == world.PhaseCreating:
			n.Reason = systems.MachineAskedFor
		default:
			n.Reason = systems.MachineNotJoinedYet(why)
		}
		n.Reason += late(n.Now, t.creation())
	case !g.Preserved.IsZero():
		n.Deadline, n.Reason = nearest(n.Now, t.preserved()), systems.MachineKept
	}
}

// waitsForOthers reports whether another machine of the same machine deployment is neither
// Running nor Unknown: as long as one is, none is given up. One that is preserved does not count
// (machine-controller-manager pkg/util/provider/machinecontroller, canMarkMachineFailed).
func waitsForOthers(w *world.World, m *world.Machine) bool {
	for _, o := range w.Machines() {
		if g := o.Managed; g != nil && o.ID != m.ID && g.Deployment == m.Managed.Deployment && g.Phase != world.PhaseRunning && g.Phase != world.PhaseUnknown && (g.Preserved.IsZero() || g.Phase == world.PhaseTerminating) {
			return true
		}
	}
	return false
}

// Kept is what becomes of a pod that budgets keep. A budget that machine-controller-manager takes
// for misconfigured, and two budgets over one pod, fail the whole drain, which then begins again:
// only its end passes them.
func (Controller) Kept(k selfdriven.Kept) selfdriven.Outlook {
	out := selfdriven.Outlook{Forces: true}
	switch limits, read := limitsOf(k.World.Group.Pool, k.Machine); {
	case k.Several, k.Budget != nil && k.Budget.Misconfigured():
		out.Adds = systems.DrainBeginsAnew
	case k.Closed && limits.Past() > 0 && !k.Since.IsZero():
		start := k.Since
		switch m := k.Machine; {
		case k.Node != nil && k.Node.Terminating().On:
			start = k.Node.Terminating().Since
		case m != nil && m.Managed != nil && !m.Managed.Deleted.IsZero():
			start = m.Managed.Deleted.Add(drainAfter)
		}
		out.Deadline = &selfdriven.Deadline{Start: start, End: start.Add(limits.Past()), Guess: true,
			Basis: systems.RefusalsFromStart(limits.EvictRetries, !read)}
	}
	return out
}
