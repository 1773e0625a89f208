package assess

import (
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Returnable reports whether a node was left out and can be taken up again.
func Returnable(n record.Node) bool {
	return !n.New && (n.Stage == record.Skipped || n.Stage == record.NodeFail)
}

// Skippable reports whether a node is still to be replaced and can be left out.
func Skippable(n record.Node) bool {
	return !n.New && (n.Stage == record.Outdated || n.Stage == record.Queued || n.Stage == record.Draining || n.Stage == record.Settling || n.Stage == record.Updating && n.Blocked)
}

// Extendable reports whether a node drains towards a deadline that a command can move.
func Extendable(n record.Node) bool {
	return n.Stage == record.Draining && n.Wait != nil && n.Wait.For == record.WaitDrain
}

// noExtend says why no drain deadline can be moved now, "" if one can.
func noExtend(s *Reader) string {
	if s.Run.Settings.OnDrainTimeout == record.TimeoutWait {
		return text.DrainsWithoutDeadline
	}
	for _, n := range s.Run.Nodes.All() {
		if Extendable(n) {
			return ""
		}
	}
	return text.NoDeadlineRuns
}

// noReturn says why no node can be returned to now, "" if one can.
func noReturn(s *Reader) string {
	if last := s.Run.Phases[len(s.Run.Phases)-1]; !last.Start.IsZero() && !Rolls(last.Name) {
		return text.LastPhaseBegun
	}
	for _, n := range s.Run.Nodes.All() {
		if Returnable(n) {
			return ""
		}
	}
	return text.NothingToReturn
}

// noForce says why nothing can be forced now, "" if something can.
func noForce(s *Reader) string {
	switch {
	case s.Run.State == record.Paused:
		return text.RunIsPaused
	case !s.Fresh(world.Cluster):
		return text.TooOldToForce
	case s.Count(record.Draining) == 0 && !s.someTheirs():
		return text.NothingDrains
	}
	return ""
}

// noSkip says why no node can be skipped now, "" if one can.
func noSkip(s *Reader) string {
	if s.Count(record.Draining, record.Queued, record.Outdated, record.Settling) == 0 && s.FailureIn("") == "" {
		return text.NothingToSkip
	}
	return ""
}

// noApproval says why nothing can be approved now, "" if something can.
func noApproval(r *record.Run) string {
	if _, waiting := r.Waiting(); !waiting {
		return text.NothingToApprove
	}
	if r.State == record.Paused {
		return text.RunIsPaused
	}
	return ""
}

// noResume says why the run cannot be resumed now, "" if it can.
func noResume(r *record.Run) string {
	if r.State != record.Paused {
		return text.NotPaused
	}
	if r.Canary.Holds() {
		return text.CanaryHolds(r.Canary.Trouble)
	}
	return ""
}

// never says why a command is never possible by the run's rules, "" if it is.
func (s *Reader) never(kind record.CommandKind) string {
	if (kind == record.CmdAbort || kind == record.CmdResume) && s.Run.Target.Update != nil { // of the run, if not of the update
		return ""
	}
	for _, a := range s.Rules.Abilities() {
		if a.Kind == kind && a.Answer == record.No {
			return a.How
		}
	}
	return ""
}

// Unable says why a command is not possible now, "" if it is.
func (s *Reader) Unable(kind record.CommandKind) string {
	r := &s.Run
	if why := s.never(kind); why != "" {
		return why
	}
	if r.State == record.Finished {
		return text.RunHasEnded
	}
	if r.State == record.Ending && !(r.Retire && kind == record.CmdAbort) {
		return text.RunIsEnding
	}
	if why, settled := s.Conduct().unable(s, kind); settled {
		return why
	}
	switch kind {
	case record.CmdApprove:
		return noApproval(r)
	case record.CmdPause:
		if r.State == record.Paused {
			return text.AlreadyPaused
		}
	case record.CmdResume:
		return noResume(r)
	case record.CmdAccept:
		if r.State != record.Paused || !r.Canary.Holds() {
			return text.NothingToAccept
		}
	case record.CmdForce:
		return noForce(s)
	case record.CmdSkip:
		return noSkip(s)
	case record.CmdReturn:
		return noReturn(s)
	case record.CmdExtend:
		return noExtend(s)
	case record.CmdMaxUnavailable:
		if s.Count(record.Outdated, record.Queued) == 0 {
			return text.NothingLeftToGo
		}
	}
	return ""
}

// Bounds are what max-unavailable can be changed to while a run lasts; Why it cannot be more.
type Bounds struct {
	Least, Most int
	Why         string
}

// Bounds are those of the run's rules.
func (s *Reader) Bounds() Bounds { return s.Rules.Bounds(s.W, &s.Run) }

// AbortPlan says what an abort would do, as far as the record and the rules of its strategy tell.
func AbortPlan(r record.Run, rules Rules) []string {
	s := &Reader{Run: r, W: world.New(), Rules: rules}
	return s.Conduct().AbortPlan(s)
}

// NodeCommands are the commands for one node: whether it is at a stage at which each of
// them has an effect. Able says of the run whether it takes the command now.
type NodeCommands struct{ Force, Skip, Return, Extend bool }

// abortPlan says what an abort would do now, in a run that rolls its group.
func abortRolling(s *Reader) []string {
	var out []string
	add := func(n int, what func(int) string) {
		if n > 0 {
			out = append(out, what(n))
		}
	}
	old := map[record.Stage]int{}
	fresh := 0
	for _, n := range s.Run.Nodes.All() {
		if n.New {
			fresh++
		} else {
			old[n.Stage]++
		}
	}
	add(old[record.Draining], text.AbortDraining)
	add(old[record.Settling], text.AbortSettling)
	add(old[record.Terminating], text.AbortTerminating)
	if !s.Conduct().RollsBack() {
		add(old[record.Updating], func(n int) string { return text.AbortSelected(n, s.DrivenBy()) })
		add(old[record.Outdated]+old[record.Queued], text.AbortOutdated)
		return out
	}
	add(old[record.Outdated]+old[record.Queued], text.AbortTainted)
	if n := s.Run.Detached(); n > 0 {
		out = append(out, text.AbortDetached(n))
	}
	if n := s.Excess(); n > 0 {
		out = append(out, text.AbortSurge(n))
	}
	if fresh > 0 {
		out = append(out, text.AbortKeepsTemplate)
		if back := s.Rollback(); back != "" {
			out = append(out, text.AbortRollback(back))
		}
	} else if len(s.Run.Target.Templates) > 0 && s.Run.Target.Templates[0] != s.Run.BaseTemplate {
		out = append(out, text.AbortTemplate(s.Run.BaseTemplateSpec))
	}
	if len(s.Run.Suspended) > 0 {
		out = append(out, text.AbortResumes(s.Run.Suspended))
	}
	return out
}
