package engine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/blockers"
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
func (s *Step) ForgoMissing() { s.Run.Forgone = max(0, s.NotLaunched(s.Run.Expected())) }

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
			s.Report(record.Event{Type: record.NodeFailed, Node: s.Label(m.ID, s.Run.Nodes.Get(m.ID)), Zone: m.Zone, Reason: string(record.CreationFail), Message: cause})
		}
		s.Fail(record.CreationFail, text.LaunchTimedOut(why, s.LaunchTrouble()))
		return
	}
	others := len(sick)
	for _, m := range asked {
		cause := findings(&s.Reader, m)
		s.Report(record.Event{Type: record.Warning, Node: s.Label(m.ID, s.Run.Nodes.Get(m.ID)), Zone: m.Zone, Reason: record.ReasonLaunchOverdue, Message: cause})
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
		if s.Run.Nodes.Peek(m.ID).New && !m.Leaving() && s.WhyNotReady(m) != "" {
			sick = append(sick, m)
		}
	}
	end := func(m *world.Machine) time.Time {
		if w := s.Run.Nodes.Peek(m.ID).Wait; w != nil {
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
		if s.Run.Nodes.Peek(m.ID).Findings == nil {
			s.ask(record.Action{Kind: record.Inspect, Key: "inspect/" + m.ID, Machine: m.ID, Group: s.Run.Group})
			all = false
		}
	}
	return all
}

// findings is what is known of a new machine that is not Ready.
func findings(s *assess.Reader, m *world.Machine) string {
	return strings.Join(append([]string{s.WhyNotReady(m)}, s.Run.Nodes.Peek(m.ID).Findings...), "; ")
}

// restartLaunches gives the machines that have not joined their time again: who resumes the
// run has repaired what kept them, or waits for longer.
func (s launchWatch) restartLaunches() {
	s.Run.PhaseWait = nil
	for id, n := range s.Run.Nodes.All() {
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
	n, known := s.Run.Nodes.Find(machine)
	if !known {
		return
	}
	n.Findings = append([]string{}, o.Lines[:min(len(o.Lines), findingsKept)]...)
	if o.Verdict != record.Done {
		n.Findings = []string{text.NoFindings(machine, o.Message)}
	}
	s.SetNode(machine, n)
}

// WatchHealth gives up new machines that did not get Ready in time, or were not healthy
// for as long as they may: they are drained and ended, and their group launches others.
// Each takes a slot, as a node that is replaced does.
func (s *Step) WatchHealth() {
	if !s.Fresh(world.Cluster) || !s.Fresh(world.Cloud) {
		return
	}
	for _, id := range s.In(record.Launching, record.Ready, record.Surplus) {
		n, m := s.Run.Nodes.Get(id), s.W.Machine(id)
		if !n.New || m == nil || m.Leaving() || m.State == world.MachineStandby || s.TakenBy(n.Name) != "" {
			continue
		}
		if n.Stage == record.Launching {
			if n.Wait != nil && s.Over(n.Wait) {
				s.giveUpMachine(id, text.TooLate(s.WhyNotReady(m), s.JoinTime()))
			}
			continue
		}
		if s.Run.Settings.HealthTimeout > 0 {
			s.watchHealthOf(id, n, s.Sick(m))
		}
	}
}

// watchHealthOf begins, ends or acts on the wait for a new node to become healthy again. sick is
// what is wrong with it, "" for nothing.
func (s *Step) watchHealthOf(id string, n record.Node, sick string) {
	switch {
	case sick == "" && n.Wait != nil && n.Wait.OfHealth():
		n.Wait, n.Reason = nil, ""
		s.SetNode(id, n)
		s.changed = true
	case sick == "" && n.Wait != nil && n.Wait.Interrupts != nil:
		wait := *n.Wait
		wait.Interrupts = nil
		n.Wait = &wait
		s.SetNode(id, n)
		s.changed = true
	case sick != "" && n.Wait == nil:
		n.Wait = s.NewWait(record.WaitUnhealthy, s.Run.Settings.HealthTimeout, world.Cluster)
		s.SetNode(id, n)
		s.Report(record.Event{Type: record.Warning, Node: s.Label(id, n), Zone: n.Zone, Reason: "unhealthy", Until: until(s, n.Wait), Message: text.NewAndSick(sick)})
	case sick != "" && s.Over(n.Wait):
		if while := unsettled(&s.Reader, id); while != "" {
			s.postpone(id, text.SickPostponed(s.Run.Settings.HealthTimeout, sick, while))
			return
		}
		s.giveUpMachine(id, text.SickFor(s.Run.Settings.HealthTimeout, sick))
	}
}

// postpone notes why a machine whose time is up is not given up yet.
func (s *Step) postpone(id, why string) {
	n := s.Run.Nodes.Get(id)
	if n.Reason == why && n.Wait.For == record.WaitPostponed {
		return
	}
	wait := *n.Wait
	wait.For = record.WaitPostponed
	n.Wait, n.Reason = &wait, why
	s.SetNode(id, n)
	s.changed = true
}

// unsettled says which other machine of the zone is not in service, where one is given up
// only while all others run; "" if all do.
func unsettled(s *assess.Reader, id string) string {
	if !s.Run.Settings.HealthInTurn {
		return ""
	}
	zone := s.Run.Nodes.Peek(id).Zone
	for _, m := range s.W.Machines() {
		n := s.Run.Nodes.Get(m.ID)
		if m.ID == id || m.Zone != zone {
			continue
		}
		switch who := s.Label(m.ID, n); {
		case m.Leaving(), n.Stage == record.Settling, n.Stage == record.Terminating:
			return text.IsEnded(who)
		case n.Stage == record.Draining:
			return text.IsDrained(who)
		case n.Stage == record.Updating && n.Blocked:
			return text.UpdateHasFailed(who)
		case n.Stage == record.Updating:
			return text.IsUpdated(who)
		case n.Stage == record.Launching:
			return text.Launching(who)
		}
	}
	return ""
}

// giveUpMachine begins to end a new machine, if a slot is free.
func (s *Step) giveUpMachine(id, why string) {
	if s.Slots() <= len(assess.HooksUnderWay(&s.Run, record.BeforeNode)) || !letGo(s, id) {
		return
	}
	n := s.Run.Nodes.Get(id)
	n.Unfit, n.Wait, n.Reason = why, nil, ""
	s.SetNode(id, n)
	s.Report(record.Event{Type: record.Warning, Node: s.Label(id, n), Zone: n.Zone, Reason: record.ReasonGivenUp, Message: text.GivenUp(why)})
	s.startDrain(id)
}

// UnhealthyFirst puts the outdated nodes that are not healthy at the front of the order: they
// take nothing out of service.
func (s *Step) UnhealthyFirst() {
	if !s.Fresh(world.Cluster) {
		return
	}
	rank := map[string]int{}
	for _, id := range s.In(record.Outdated, record.Queued) {
		if m := s.W.Machine(id); m != nil && s.Run.Nodes.Peek(id).Name != "" && s.Sick(m) != "" {
			rank[id] = -1
		}
	}
	if len(rank) == 0 {
		return
	}
	compare := func(a, b string) int { return cmp.Compare(rank[a], rank[b]) }
	if !slices.IsSortedFunc(s.Run.Order, compare) {
		s.Run.Order = slices.Clone(s.Run.Order)
		slices.SortStableFunc(s.Run.Order, compare)
		s.changed = true
		var names []string
		for id := range rank {
			names = append(names, s.Label(id, s.Run.Nodes.Get(id)))
		}
		slices.Sort(names)
		s.Report(record.Event{Type: record.Warning, Reason: "order", Message: text.UnhealthyFirst(names)})
	}
}

// addFailureCauses names what keeps the other nodes that drain when the drain of one ends the
// run: theirs are ended with it, and a user who looks for the cause has to know of all.
func addFailureCauses(s *Step, failed string) {
	for _, id := range s.In(record.Draining) {
		n := s.Run.Nodes.Get(id)
		if id == failed || n.New {
			continue
		}
		left, asks := assess.LeavingPods(s.W, s.W.PodsOn(n.Name), s.Consents())
		for _, p := range left {
			if !blockers.Stuck(&s.Reader, p) && !slices.Contains(asks, p) {
				continue
			}
			b := blockers.Of(&s.Reader, p, n, id)
			s.Run.BlockingPods = append(s.Run.BlockingPods, b.Sentence())
			s.Report(record.Event{Type: record.PodBlocked, Node: n.Name, Pod: p.Ref(), Budget: b.BudgetRefs(), Reason: string(b.Kind), Message: b.Sentence()})
		}
	}
}

// lost deals with a draining node that has not been heard from for
// UnreachableAfter, by the policy for unreachable nodes: it waits as for any
// other, lets its machine be ended with the pods on it, or gives the node up. It
// reports whether there is nothing more to do for the node now.
func lost(s *Step, id string, n record.Node) (gone bool) {
	if n.New && n.Unfit == "" || !unreachableLong(&s.Reader, n.Name) {
		return false
	}
	node := s.W.Node(n.Name)
	silent := s.Now.Sub(node.Unreachable)
	switch s.Run.Settings.Unreachable {
	case record.UnreachableFail:
		if s.Run.State == record.Running {
			s.failNode(id, record.Failed, text.Silent(silent), text.SilentFails(n.Name, silent))
		}
		return true
	case record.UnreachableTerminate:
		if !n.Lost {
			n.Lost = true
			s.SetNode(id, n)
			s.Report(record.Event{Type: record.Warning, Node: n.Name, Zone: n.Zone, Reason: "unreachable", Message: text.SilentEnds(silent)})
		}
	}
	return false
}

// unreachableLong reports whether a node has not been heard from for UnreachableAfter, as
// far as the cluster can be seen now.
func unreachableLong(s *assess.Reader, node string) bool {
	if !assess.Silent(s.W, node) || !s.Fresh(world.Cluster) {
		return false
	}
	since := s.W.Node(node).Unreachable.Add(s.Run.Settings.UnreachableAfter)
	s.WakeAt(since)
	return !s.Now.Before(since)
}
