package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// This file is the one place that watches the launches a run depends on, in every phase. A
// machine has JoinTime to be Ready from when it was first seen; machines that the group does
// not launch have JoinTime from when they were first missing, or from when the last one
// joined, because any machine stands in for any other. While one is overdue no drain
// starts. A run that has drained nothing fails; one that has pauses, because its nodes are
// gone, and a repair and a resume complete it.

// AwaitLaunches gives the new machines of a phase JoinTime from its start. missing says what
// is not there yet, "" for nothing; it reports whether that is so.
func (s *Step) AwaitLaunches(what, missing string) bool {
	switch {
	case missing == "":
		return true
	case s.Run.PhaseWait == nil:
		s.StartPhaseWait(what, s.JoinTime())
	case s.Over(s.Run.PhaseWait):
		launchWatch{s}.launchOverdue(missing)
	}
	return false
}

// WatchLaunches watches the machines that are to stand in for those that the run ends.
// missing says what is not there yet, "" for nothing; it reports whether that is so.
func (s *Step) WatchLaunches(missing string) bool {
	if late := s.LateLaunch(); late != "" && s.Fresh(world.Cloud) {
		launchWatch{s}.launchOverdue(late)
		return false
	}
	return s.AwaitReplacements(missing, s.JoinTime())
}

// AwaitReplacements does the same where each machine that does not join is seen to by itself:
// limit is how long something may be missing while no machine joins.
func (s *Step) AwaitReplacements(missing string, limit time.Duration) bool {
	if !s.Fresh(world.Cloud) || s.failed { // an end has a wait of its own
		return false
	}
	launchWatch{s}.forgetForgone()
	switch {
	case missing == "":
		s.changed = s.changed || s.Run.PhaseWait != nil
		s.Run.PhaseWait = nil
		return true
	case s.Run.PhaseWait == nil || s.JoinedSince(s.Run.PhaseWait.Start):
		s.StartPhaseWait(record.WaitReplacements, limit)
	case s.Over(s.Run.PhaseWait):
		launchWatch{s}.launchOverdue(missing)
	}
	return false
}

// ForgoMissing notes how many machines of the surge the run begins without: the group could
// not launch them, and no drain depends on them.
func (s *Step) ForgoMissing() { s.Run.Forgone = s.NotLaunched(s.Run.Expected()) }

// launchWatch is the part of a step that deals with machines which the group does not launch, or
// which do not join.
type launchWatch struct{ *Step }

// forgetForgone takes machines that were launched after all off those the run does without.
func (s launchWatch) forgetForgone() {
	if left := max(0, s.NotLaunched(s.Run.Expected())); left < s.Run.Forgone {
		s.Run.Forgone, s.changed = left, true
	}
}

// inspectAtMost is how many machines the cloud is asked about when new nodes do
// not come, and findingsKept how many lines of each answer the run keeps.
const (
	inspectAtMost = 3
	findingsKept  = 12
)

// launchOverdue fails or pauses the run, once the cloud was asked what is wrong with the new
// machines that are not Ready; until it has answered no drain starts. Each is named with what
// is known: its state, its node's conditions, the last lines of its console. A launch that
// failed since the run began is named in the cloud's own words.
func (s launchWatch) launchOverdue(why string) {
	s.overdue = why
	sick := s.notJoined()
	asked := sick[:min(len(sick), inspectAtMost)]
	if !s.inspected(asked) {
		return
	}
	if !assess.HasDrained(&s.Run) {
		for _, m := range asked {
			cause := findings(&s.Reader, m)
			s.Run.BlockingPods = append(s.Run.BlockingPods, cause)
			s.Report(record.Event{Type: record.NodeFailed, Node: s.Label(m.ID, s.Run.Nodes[m.ID]), Zone: m.Zone, Reason: string(record.CreationFail), Message: cause})
		}
		s.Fail(record.CreationFail, text.LaunchTimedOut(why, s.LaunchTrouble()))
		return
	}
	others := len(sick)
	for _, m := range asked {
		cause := findings(&s.Reader, m)
		s.Report(record.Event{Type: record.Warning, Node: s.Label(m.ID, s.Run.Nodes[m.ID]), Zone: m.Zone, Reason: record.ReasonLaunchOverdue, Message: cause})
		if s.WhyNotReady(m) == why {
			why, others = cause, len(sick)-1
		}
	}
	s.restartLaunches()
	s.Pause(text.LaunchOverdue(why, others, s.LaunchTrouble()))
}

// notJoined are the new machines that are not Ready, those whose time was up first before the
// others.
func (s launchWatch) notJoined() (sick []*world.Machine) {
	for _, m := range s.W.Machines() {
		if s.Run.Nodes[m.ID].New && !m.Leaving() && s.WhyNotReady(m) != "" {
			sick = append(sick, m)
		}
	}
	end := func(m *world.Machine) time.Time {
		if w := s.Run.Nodes[m.ID].Wait; w != nil {
			return w.End
		}
		return s.Now
	}
	slices.SortStableFunc(sick, func(a, b *world.Machine) int { return end(a).Compare(end(b)) })
	return sick
}

// inspected reports whether the cloud has told what is wrong with machines; it is asked of
// those of which it has not.
func (s launchWatch) inspected(machines []*world.Machine) bool {
	all := true
	for _, m := range machines {
		if s.Run.Nodes[m.ID].Findings == nil {
			s.ask(record.Action{Kind: record.Inspect, Key: "inspect/" + m.ID, Machine: m.ID, Group: s.Run.Group})
			all = false
		}
	}
	return all
}

// findings is what is known of a new machine that is not Ready.
func findings(s *assess.Reader, m *world.Machine) string {
	return strings.Join(append([]string{s.WhyNotReady(m)}, s.Run.Nodes[m.ID].Findings...), "; ")
}

// restartLaunches gives the machines that have not joined their time again: who resumes the
// run has repaired what kept them, or waits for longer.
func (s launchWatch) restartLaunches() {
	s.Run.PhaseWait = nil
	for id, n := range s.Run.Nodes {
		switch {
		case n.Stage == record.Launching:
			n.Wait = s.NewWait(record.WaitJoining, s.JoinTime(), world.Cluster, world.Cloud)
		case n.Findings == nil:
			continue
		}
		n.Findings = nil
		s.SetNode(id, n)
	}
}

// takeInspection keeps what the cloud said of a machine. No answer is an answer
// too: the run does not wait for another.
func takeInspection(s *Step, machine string, o record.Outcome) {
	n, known := s.Run.Nodes[machine]
	if !known {
		return
	}
	n.Findings = append([]string{}, o.Lines[:min(len(o.Lines), findingsKept)]...)
	if o.Verdict != record.Done {
		n.Findings = []string{text.NoFindings(machine, o.Message)}
	}
	s.SetNode(machine, n)
}
