package engine

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// cleanupLimit (and the wait before a termination) bounds the time in which an
// aborted or failed run finishes or restores what is in flight, and cleanupRest what it then has for the group's own
// bounds and processes; what is not done by then is named, with the command that
// would do it.
const (
	cleanupLimit = 10 * time.Minute
	cleanupRest  = time.Minute
)

// Fail ends the run with a failure: nothing new starts, what is in flight is
// finished or restored.
func (s *Step) Fail(result record.Result, why string) {
	if s.Run.State != record.Running && s.Run.State != record.Paused {
		return
	}
	if !keepsResult(&s.Run) {
		s.Report(record.Event{Type: record.Warning, Reason: string(result), Message: why})
		s.Run.Retire = s.Run.Settings.RetireSurge
	}
	s.FailReported(result, why)
}

// keepsResult reports whether the run has ended but for its surplus nodes, which it retires.
func keepsResult(r *record.Run) bool {
	return r.Retires() && r.Result != record.NotStartedYet
}

// FailReported ends the run with a failure that was reported already. One that keeps its result ends
// with that, and notes why it retires no more.
func (s *Step) FailReported(result record.Result, why string) {
	if keepsResult(&s.Run) {
		s.Note(text.RetiringStopped(why))
		result, why = s.Run.Result, s.Run.Why
	}
	s.stop(result, why)
	s.withdraw()
}

// withdraw takes back the changes that this decision was to ask for: none starts
// once the run ends, and what it takes to put things back is the next one's to ask.
func (s *Step) withdraw() {
	s.failed = true
	s.actions = slices.DeleteFunc(s.actions, func(a record.Action) bool {
		if a.ReadOnly() {
			return false
		}
		delete(s.Run.Pending, a.Key)
		return true
	})
}

// stop begins to end the run.
func (s *Step) stop(result record.Result, why string) {
	s.Run.State, s.Run.Result, s.Run.Why, s.Run.PausedExternally = record.Ending, result, why, false
	s.Run.PhaseWait = s.NewWait(record.WaitRestoring, cleanupLimit+s.Run.Settings.Settle, world.Cluster)
	for _, id := range s.In(record.Draining) {
		n := s.Run.Nodes.Get(id)
		offBalancers(s, id, &n)
		s.SetNode(id, n)
	}
	s.Run.Retries = map[string]record.Retry{}
	gate{s}.open()
	if !s.Run.Retire { // else these nodes may start once more, and the answers count
		dropHooks(s)
	}
	if n := len(s.Run.Batches); n > 0 && s.Run.Batches[n-1].Approved.IsZero() {
		s.Run.Batches = s.Run.Batches[:n-1]
	}
	for id, n := range s.Run.Nodes.All() {
		if n.Stage == record.Queued {
			n.Stage, n.Since = record.Outdated, s.Now
			s.SetNode(id, n)
		}
	}
	s.Soon()
}

// end takes an aborted or failed run to its end, stage by stage as
// docs/guide/abort.md lists:
//
//	draining     evictions stop; pods that already terminate finish; restored
//	settling     restored
//	terminating  finishes, if it was asked for; else restored
//	launching    stays, or goes if it is surplus and holds nothing (strategy)
func (s *Step) end() {
	last := s.Run.PhaseWait.End.Add(cleanupRest)
	late := !s.Now.Before(last)
	s.WakeAt(last)
	done := true
	for _, id := range slices.Sorted(s.Run.Nodes.Keys()) {
		done = s.endNode(id) && done
	}
	for _, machine := range slices.Sorted(maps.Keys(s.Run.Marks)) {
		if !s.Run.Nodes.Has(machine) {
			done = s.unmarkNode(machine) && done
		}
	}
	done = s.strategy.End(s) && done
	done = restoreSingles(s) && done
	done = runGoneHooks(s) && done && !undecided(&s.Reader)
	if !done && !late {
		s.WakeAt(s.Now.Add(time.Second))
		return
	}
	if retires(&s.Reader) {
		retirement{s}.begin()
		return
	}
	s.finishEarly()
}

// finishEarly closes a run that has ended early, and names what it leaves.
func (s *Step) finishEarly() {
	listUnrestoredUpdates(s)
	s.listUnrestored()
	if s.Conduct().RollsBack() {
		s.offerRollback()
	}
	s.finish(s.Run.Result)
}

// undecided reports whether the fate of some change is still open.
func undecided(s *assess.Reader) bool {
	for _, p := range s.Run.Pending {
		if p.Accepted.IsZero() && !p.Action.ReadOnly() {
			return true
		}
	}
	return false
}

// endNode finishes a node or puts it back. It reports whether it is done.
func (s *Step) endNode(id string) bool {
	n := s.Run.Nodes.Get(id)
	if vanishes(s, n) {
		return false
	}
	switch n.Stage {
	case record.Terminating:
		if hopeless := givenUp(&s.Reader, "terminate/"+id); hopeless || !terminationAsked(&s.Reader, id) && (!n.New || holdsPods(&s.Reader, n)) {
			s.putBack(id, n)
			return false
		}
		if s.drainsAgain(id, n) {
			return false
		}
		s.terminate(id, n)
		return false
	case record.Updating:
		if unselected(&s.Reader, id) {
			s.putBack(id, n)
		}
	case record.Draining, record.Settling:
		if n.New {
			return true // being retired: the strategy's End sees to it
		}
		s.putBack(id, n)
	}
	return givenUpMarks(&s.Reader, id) || s.unmarkNode(id)
}

// vanishes reports whether the machine of a node in work is off the group's list, so that it will
// soon be known to have left, or be back.
func vanishes(s *Step, n record.Node) bool {
	inWork := n.Stage == record.Draining || n.Stage == record.Settling || n.Stage == record.Updating
	return inWork && !n.Missing.IsZero() && s.Fresh(world.Cloud)
}

// holdsPods reports whether a node that was to end with its pods has any, by a force order or because it
// is unreachable: once the run ends, none goes with its node.
func holdsPods(s *assess.Reader, n record.Node) bool {
	pods, _ := s.PodsToMove(n.Name)
	return pods > 0
}

// givenUpMarks reports whether taking the marks off a node was refused for good.
func givenUpMarks(s *assess.Reader, id string) bool {
	for _, m := range s.Run.Marks[id] {
		if r, ok := s.Run.Retries[m.Undo().Key]; ok && r.Hopeless() {
			return true
		}
	}
	return false
}

// putBack returns a node that was in work to the stage it came from; its marks
// come off as well.
func (s *Step) putBack(id string, n record.Node) {
	was := n.Stage
	if n.Decrement && was == record.Terminating {
		s.Run.Lowered--
	}
	n.Decrement, n.Wait, n.Blocked, n.Order, n.Isolated = false, nil, false, "", false
	n.Stage, n.Since = record.Outdated, s.Now
	if n.New {
		n.Stage = record.Ready
	}
	s.SetNode(id, n)
	s.Report(record.Event{Type: record.NodeOutdated, Node: s.Label(id, n), Zone: n.Zone, Reason: record.ReasonRestored, Message: text.BackInService(string(was))})
}

// listUnrestored names what could not be restored, each with the command that would.
func (s *Step) listUnrestored() {
	for _, m := range s.Run.AllMarks() {
		node := s.W.Node(m.Put.Node)
		if m.Foreign || node == nil || node.Machine != "" && node.Machine != m.Put.Machine {
			continue
		}
		if machine := s.W.Machine(m.Put.Machine); machine != nil && machine.Leaving() {
			continue // it goes with its node
		} else if machine == nil && s.Run.Nodes.Peek(m.Put.Machine).Ends {
			continue // it has gone, and its node is only still known
		}
		undo := m.Undo()
		s.AddUnrestored(undo.Sentence(), undo.Command())
	}
	for _, id := range s.In(record.Terminating) {
		s.listTerminating(id, s.Run.Nodes.Get(id))
	}
	for _, g := range s.Run.PendingHooks {
		s.Note(text.HooksNotRun(g.Node))
	}
	listUnrestoredSingles(s)
	s.listUnrestoredDetached()
	s.listUnrestoredGroup()
}

// listTerminating names a machine whose end the run does not see: it is under way, or nobody knows whether it was asked for, or
// it was refused, and takes nothing of the group's size down.
func (s *Step) listTerminating(id string, n record.Node) {
	what := text.StillTerminating
	if !terminationAsked(&s.Reader, id) {
		s.tookNothing(id)
		what = text.NotTerminated
	} else if p, asked := s.Run.Pending["terminate/"+id]; asked && p.Accepted.IsZero() {
		what = text.MayTerminate
	}
	s.AddUnrestored(what(s.Label(id, n)), text.ActivitiesCommand(s.Run.Group))
}

// AddUnrestored notes something that is not restored, with the command that would.
func (s *Step) AddUnrestored(what, command string) {
	line := text.Unrestored(what, command)
	if !slices.Contains(s.Run.Unrestored, line) {
		s.Run.Unrestored = append(s.Run.Unrestored, line)
		s.Report(record.Event{Type: record.Warning, Reason: record.ReasonLeftBehind, Message: what, Command: command})
	}
}

// Note adds something the operator should know at the end, once.
func (s *Step) Note(note string) {
	if !slices.Contains(s.Run.Notes, note) {
		s.Run.Notes = append(s.Run.Notes, note)
		s.Report(record.Event{Type: record.Warning, Reason: "note", Message: note})
	}
}

// Succeed ends the run well; nodes left out by choice make it NodesLeft.
func (s *Step) Succeed() {
	if len(s.Run.PendingHooks) > 0 {
		return // the hooks after the last nodes still run
	}
	if !restoreSingles(s) {
		s.WakeAt(s.Now.Add(time.Second))
		return
	}
	listUnrestoredSingles(s)
	for _, id := range s.In(record.Outdated, record.Queued) {
		s.skip(id, text.CameTooLate)
	}
	result := record.Succeeded
	left := 0
	for _, n := range s.Run.Nodes.All() {
		if n.Stage == record.Skipped && !n.New {
			left++
		}
	}
	if left > 0 {
		result = record.NodesLeft
		s.Run.Why = whySkipped(&s.Reader)
	}
	kept := s.KeptFailed()
	if failed := len(slices.DeleteFunc(s.In(record.NodeFail), func(id string) bool { return slices.Contains(kept, id) })); failed > 0 {
		result = worst(&s.Reader)
		s.Run.Why = text.SomeFailed(failed)
	}
	if why := raiseStays(&s.Reader); why != "" {
		if result == record.Succeeded {
			result, s.Run.Why = record.NodesLeft, why
		}
		s.nameRaise()
	}
	s.listUnrestoredDetached()
	s.finish(result)
}

// nameRaise names what a run that was to take its raise back leaves of it. What is in doubt the
// operator decides on, and no later run asks again.
func (s *Step) nameRaise() {
	s.listUnrestoredSizes()
	s.Run.Doubtful = 0
	if s.Run.Inherited != nil {
		left := *s.Run.Inherited
		left.Doubtful = 0
		s.Run.Inherited = &left
	}
}

// raiseStays says why a run that ends well does not leave the group the size it had, "" if it
// does.
func raiseStays(s *assess.Reader) string {
	n := s.Excess()
	ours, left := doubtful(s)
	switch {
	case s.Run.Foreign != "" && n > 0:
		return s.Run.Foreign
	case n > 0: // surplus that was skipped
		return text.SurplusSkipped(n)
	case ours > 0:
		return text.RaiseDoubtful(ours, s.Run.ID)
	case left > 0:
		return text.RaiseDoubtful(left, s.Run.Inherited.Run)
	}
	return ""
}

// EndKept ends the run well with the nodes that are left as they are, tainted or not, for a
// reason: what is not taken off them is named.
func (s *Step) EndKept(why string) {
	clean := true
	for _, id := range slices.Sorted(maps.Keys(s.Run.Marks)) {
		if n, member := s.Run.Nodes.Find(id); !member || n.New {
			clean = s.unmarkNode(id) && clean
		}
	}
	if !clean {
		return
	}
	left := s.In(record.Outdated, record.Queued)
	if slices.ContainsFunc(left, func(id string) bool { return s.W.Machine(id) == nil }) {
		return // it has left the group: that is about to be told
	}
	for _, id := range left {
		s.skip(id, why)
	}
	s.listUnrestored()
	s.Succeed()
}

// whySkipped sums up why nodes were left: how many for each reason.
func whySkipped(s *assess.Reader) string {
	count := map[string]int{}
	for _, n := range s.Run.Nodes.All() {
		if n.Stage == record.Skipped && !n.New {
			count[n.Reason]++
		}
	}
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, text.NodesSkipped(count[reason], reason))
	}
	return strings.Join(parts, "; ")
}

// finish closes the run.
func (s *Step) finish(result record.Result) {
	s.Enter("")
	s.Run.RaiseLeft = s.Run.RemainingRaise(s.W.Group.Sizes)
	s.Run.State, s.Run.Result, s.Run.Finished, s.Run.PhaseWait, s.Run.Awaits = record.Finished, result, s.Now, nil, nil
	s.Run.Kept, s.Run.Leaving = nil, nil
	s.actions = nil // nobody would hear what comes of them
	s.Run.Pending, s.Run.Pods, s.Run.Retries, s.Run.Evicted, s.Run.ExternalMovers, s.Run.Deferrals = nil, shards.Map[record.Pod]{}, nil, nil, nil, nil
	reportFound(s) // the run's end is the last event about it
	code := s.Run.ExitCode()
	replaced, total := s.Run.Outdated()
	message := text.RunFinished(string(result), s.Run.Why, replaced, total, s.Conduct().Did(&s.Reader), s.Now.Sub(s.Run.Started))
	if p := s.Run.Passed; p.Seen+p.Inferred > 0 {
		message += "; " + systems.PassedInAll(p.By, p.Seen+p.Inferred, p.Inferred, len(p.Nodes))
	}
	if moves, pods := s.Run.PodMoves(); pods > 0 && s.Capabilities().TellsMoves {
		message += "; " + text.MovesPerPod(moves, pods)
	}
	if s.Run.OnlyRetires() {
		empty := s.Run.Emptied()
		surplus := s.Run.Inherited.Desired - empty
		message = text.RetireFinished(string(result), s.Run.Why, surplus-s.Excess(), surplus, empty, s.Now.Sub(s.Run.Started))
	}
	s.Report(record.Event{Type: record.RunFinished, Result: string(result), ExitCode: &code, Message: message})
}

const (
	// awaitTold is how often the reason of such a wait is reported.
	awaitTold = 30 * time.Second
	// WaitForStart is how long such a wait lasts by default.
	WaitForStart = 30 * time.Minute
)

// Await waits for what the group's own controller has not done, for Settings.WaitForStart of
// usable time; then the run pauses itself. what says in a clause why the run cannot continue
// without it.
func (s *Step) Await(what string, left []world.Unfinished) {
	by := s.DrivenBy()
	if s.Run.PhaseWait == nil || s.Run.PhaseWait.For != by || s.Run.Awaits == nil {
		s.StartPhaseWait(by, s.Run.Settings.WaitForStart)
		s.Run.Awaits, s.changed = nil, true
	}
	next := record.Awaits{Why: unfinishedText(left)}
	for _, u := range left {
		next.Kinds = append(next.Kinds, u.Kind)
	}
	next.Kinds = slices.Compact(next.Kinds)
	was := s.Run.Awaits
	if was != nil {
		next.Told = was.Told
		s.Run.Begun = s.Run.Begun || was.Unseen() && next.Begins()
	}
	if s.Over(s.Run.PhaseWait) {
		next.Expired = true
		s.Run.Awaits, s.Run.PhaseWait, s.changed = &next, nil, true
		known := []string{next.Why}
		if p := s.W.Group.Pool; p != nil {
			known = append(known, p.Notes...)
		}
		s.Pause(text.AwaitedTooLong(what, by, strings.Join(known, "; "), s.Run.Settings.WaitForStart))
		return
	}
	if done, _ := s.Run.Outdated(); was == nil && done > 0 {
		next.Told = s.Now // at the end of an update it is usual for a moment: only what lasts is told
	} else if was == nil || s.Now.Sub(was.Told) >= awaitTold || done == 0 && !slices.Equal(was.Kinds, next.Kinds) {
		next.Told = s.Now
		s.Report(record.Event{Type: record.Warning, Reason: record.ReasonNotComplete, Until: until(s, s.Run.PhaseWait), Message: text.Awaiting(what, by, next.Why)})
	}
	s.WakeAt(next.Told.Add(awaitTold))
	if was == nil || was.Why != next.Why || !was.Told.Equal(next.Told) {
		s.Run.Awaits, s.changed = &next, true
	}
}

// GiveUp pauses the run because nothing that it could wait for moves it. The controller is not held.
func (s *Step) GiveUp(why string) {
	s.Run.Awaits, s.Run.PhaseWait, s.changed = &record.Awaits{Why: why, Told: s.Now, Expired: true}, nil, true
	s.Pause(why)
}

// EndAwait notes that there is nothing to wait for any more.
func (s *Step) EndAwait() {
	if s.Run.Awaits == nil {
		return
	}
	s.Run.Awaits, s.changed = nil, true
	if s.Run.PhaseWait != nil && s.Run.PhaseWait.For == s.DrivenBy() {
		s.Run.PhaseWait = nil
	}
}

// gaveUp reports whether the run has paused itself because its time to wait was up.
func gaveUp(s *assess.Reader) bool { return s.Run.Awaits != nil && s.Run.Awaits.Expired }

// unfinishedText is what is not done as one sentence, the first three signs of it.
func unfinishedText(left []world.Unfinished) string {
	const most = 3
	var out []string
	for i, u := range left {
		if i == most {
			out = append(out, text.More(len(left)-most))
			break
		}
		out = append(out, u.Text)
	}
	return strings.Join(out, "; ")
}
