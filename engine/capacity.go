package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// StartLaunchWait starts the time that new nodes have to be Ready, lifecycle hooks
// of launching machines included.
func (s *Step) StartLaunchWait(what string) { s.StartPhaseWait(what, s.JoinTime()) }

// JoinTime is the time that a new machine has to be Ready.
func (s *Reader) JoinTime() time.Duration { return s.Run.Settings.NodeReadyTimeout + s.holdTime(true) }

// StartPhaseWait starts a deadline of the current phase, which counts while
// cluster and cloud can be seen.
func (s *Step) StartPhaseWait(what string, d time.Duration) {
	s.Run.PhaseWait = s.newWait(what, d, world.Cluster, world.Cloud)
}

// EnsureTemplate makes (or finds) a version of the group's launch template with
// another image. The token makes it one version however often it is asked for.
func (s *Step) EnsureTemplate(image string) (world.Template, bool) {
	source := s.Run.BaseTemplate
	if s.made == nil {
		s.Ensure(record.Action{Kind: record.CreateTemplate, Key: "template", Group: s.Run.Group, Template: &source, Image: image, Token: s.Run.ID})
		return world.Template{}, false
	}
	return *s.made, true
}

// SuspendProcess keeps a process of the group from acting, and remembers that it
// was us, unless it was suspended before.
func (s *Step) SuspendProcess(process string) bool {
	if !slices.Contains(s.Run.Suspended, process) {
		if s.W.Group.HasSuspended(process) {
			return true
		}
		s.Run.Suspended = append(s.Run.Suspended, process)
	}
	return s.Ensure(record.Action{Kind: record.Suspend, Key: "suspend/" + process, Group: s.Run.Group, Process: process})
}

// ResumeProcesses lets the processes that we suspended act again.
func (s *Step) ResumeProcesses() bool {
	for _, process := range slices.Clone(s.Run.Suspended) {
		if !s.settled("suspend/" + process) {
			return false
		}
		if counts := s.uneven(); process == rebalance && counts != "" {
			s.Note(text.RebalanceResumes(counts))
		}
		if !s.Ensure(record.Action{Kind: record.Resume, Key: "resume/" + process, Group: s.Run.Group, Process: process}) {
			return s.givenUp("resume/" + process)
		}
		s.Run.Suspended = slices.DeleteFunc(s.Run.Suspended, func(p string) bool { return p == process })
		s.changed = true
	}
	return true
}

// settled reports whether no action with this key is under way or yet to be seen.
func (s *Reader) settled(key string) bool {
	_, busy := s.Run.Pending[key]
	return !busy
}

// givenUp reports whether an action was refused for good.
func (s *Reader) givenUp(key string) bool { return s.Run.Retries[key].Hopeless() }

// LaunchInZone asks for one machine in a zone by name. It raises the desired
// size by one more, which is recorded first, and the bound with it.
func (s *Step) LaunchInZone(zone string) {
	key := "launch/" + zone
	g := &s.W.Group
	if !slices.Contains(s.Run.AskedZones, zone) {
		retry, refused := s.Run.Retries[key]
		if refused && s.Now.Before(retry.Next) {
			s.WakeAt(retry.Next)
			return
		}
		if retry.Hopeless() || !s.Fresh(world.Cloud) {
			return // the phase's deadline decides; the refusal is in its reason
		}
		if need := s.Run.Expected() + 1; g.Sizes.Max < need {
			s.Run.MaxSet = max(s.Run.MaxSet, need)
			from, to := g.Sizes, g.Sizes
			to.Max = need
			if !s.Ensure(record.Action{Kind: record.SetSizes, Key: fmt.Sprintf("max/%d", need), Group: g.Name, From: &from, Sizes: &to}) {
				return
			}
		}
		s.Run.AskedZones = append(s.Run.AskedZones, zone)
		slices.Sort(s.Run.AskedZones)
	}
	s.Ensure(record.Action{Kind: record.LaunchIn, Key: key, Group: g.Name, Zone: zone, Token: s.Run.ID + "/" + zone})
}

// LaunchRefusal is why a machine that was asked for in a zone by name did not
// come, "" if it was not refused.
func (s *Reader) LaunchRefusal(zone string) string { return s.Run.Retries["launch/"+zone].Message }

// WatchSizes notices that another user or tool changed the group's size meanwhile. A
// raise is left alone from then on; a lowering counts as part of ours.
func (s *Step) WatchSizes() {
	if !s.Fresh(world.Cloud) || !s.Run.Raised || s.Run.Foreign != "" || s.changingSizes() {
		return
	}
	desired, ours := s.W.Group.Sizes.Desired, s.Run.Expected()
	if not := min(desired-ours, s.Run.Doubted); not > 0 {
		s.Run.Lowered -= not
		ours += not
	}
	if s.Run.Doubted > 0 {
		s.Run.Doubted, s.changed = 0, true
	}
	switch {
	case desired > ours:
		s.Run.Foreign = text.DesiredRaised(ours, desired)
		s.Report(record.Event{Type: record.CapacityChanged, Reason: record.ReasonNotByUs, Message: s.Run.Foreign})
	case desired < ours:
		s.Run.Lowered += ours - desired
		s.Report(record.Event{Type: record.CapacityChanged, Reason: record.ReasonNotByUs, Message: text.DesiredLowered(ours, desired)})
	}
}

// changingSizes reports whether a change of ours to the sizes may not show yet.
func (s *Reader) changingSizes() bool {
	for _, p := range s.Run.Pending {
		a := p.Action
		if a.Kind == record.CheckEffect {
			a = *a.Of
		}
		if a.Kind == record.SetSizes || a.Kind == record.LaunchIn || a.Kind == record.Terminate {
			return true
		}
	}
	return s.Count(record.Terminating) > 0
}

// WhyNotReady says why a new machine does not count yet, "" if it does.
func (s *Reader) WhyNotReady(m *world.Machine) string {
	node := s.W.NodeOf(m.ID)
	switch {
	case m.State == world.MachineInService && s.nodeless():
		return ""
	case m.State != world.MachineInService:
		return text.MachineIs(m.ID, m.Zone, cmp.Or(m.Detail, string(m.State)), s.heldBy(m))
	case node == nil:
		return text.MachineNotJoined(m.ID, m.Zone)
	case !node.Ready:
		return text.NodeNotReady(node.Name, node.Trouble)
	case !s.readyForPods(m, node):
		var missing []string
		for _, k := range slices.Sorted(maps.Keys(s.Run.Settings.NewLabels)) {
			if got, ok := node.Labels[k]; !ok || s.Run.Settings.NewLabels[k] != "" && got != s.Run.Settings.NewLabels[k] {
				missing = append(missing, k+"="+s.Run.Settings.NewLabels[k])
			}
		}
		return text.NodeLacksLabels(node.Name, missing)
	}
	return ""
}

// LaunchFailure is the cloud's own reason of the newest launch that failed since
// the run began, "" if none did.
func (s *Reader) LaunchFailure() string {
	for _, a := range s.W.Group.Activities {
		if a.Failed && !a.At.Before(s.Run.Started) {
			return a.Message
		}
	}
	return ""
}

// reportLaunchFailure reports a launch that failed, once for what it says.
func (s *Step) reportLaunchFailure() {
	if failure := s.LaunchFailure(); failure != "" && failure != s.Run.LaunchFailed {
		s.Run.LaunchFailed = failure
		s.Report(record.Event{Type: record.Warning, Reason: record.ReasonLaunchFailed, Message: text.LaunchFailed(failure)})
	}
}

// ByPods sorts machines by how many pods would have to leave them, then by the
// run's chance.
func (s *Reader) ByPods(machines []string) []string {
	pods := map[string]int{}
	for _, id := range machines {
		pods[id], _ = s.podsToMove(s.Run.Nodes[id].Name)
	}
	slices.SortFunc(machines, func(a, b string) int {
		return cmp.Or(cmp.Compare(pods[a], pods[b]), cmp.Compare(Chance(s.Run.Seed, a), Chance(s.Run.Seed, b)))
	})
	return machines
}

// RestoreMax gives the group its upper bound back; the desired size is never set.
func (s *Step) RestoreMax() bool {
	if !s.Run.Raised {
		return s.settleRaise()
	}
	g := &s.W.Group
	if !s.settled(record.RaiseKey) {
		return false
	}
	if g.Sizes.Max == s.Run.Base.Max {
		return s.settled("restore-max")
	}
	if s.settled("restore-max") && g.Sizes.Max != s.Run.MaxSet && g.Sizes.Max != s.Run.Base.Max+s.Run.Raise {
		s.Note(text.MaxLeftAsSet(g.Sizes.Max))
		return true
	}
	from, to := g.Sizes, g.Sizes
	to.Max = max(s.Run.Base.Max, g.Sizes.Desired)
	if from == to { // once it is known what became of a lower one that was asked for before
		return s.settled("restore-max")
	}
	if p, busy := s.Run.Pending["restore-max"]; busy && p.Action.Sizes.Max != to.Max { // the size has changed since that was asked for
		s.WakeAt(p.Expires)
		return false
	}
	return s.Ensure(record.Action{Kind: record.SetSizes, Key: "restore-max", Group: g.Name, From: &from, Sizes: &to}) || s.givenUp("restore-max")
}

// EnsureRaise raises max and desired by run.Raise from the base, which are in the
// record before it is asked for. It reports whether the group is raised.
func (s *Step) EnsureRaise() bool {
	if s.Run.Raised {
		return true
	}
	g := &s.W.Group
	if s.Run.MaxSet == 0 { // it was never asked for: what the group has now is not ours
		s.Run.Base = g.Sizes
	}
	to := raised(s.Run.Base, s.Run.Raise)
	if r, refused := s.Refused(record.RaiseKey); refused && r.Refusal == record.RefusedConflict && g.Sizes != to {
		if s.RaiseShows() { // its answer was lost, and another user or tool has scaled the group since
			s.Run.Raised = true
			return true
		}
		if s.Run.RaiseUnsure {
			s.Note(s.unsureRaise())
		}
		s.Run.Base = g.Sizes // the group was scaled between our look and our request
		to = raised(s.Run.Base, s.Run.Raise)
	}
	base := s.Run.Base
	s.Run.MaxSet = to.Max
	s.Run.Raised = s.Ensure(record.Action{Kind: record.SetSizes, Key: record.RaiseKey, Group: g.Name, From: &base, Sizes: &to})
	return s.Run.Raised
}

func raised(base world.Sizes, by int) world.Sizes {
	return world.Sizes{Min: base.Min, Max: base.Max + by, Desired: base.Desired + by}
}

// RaiseShows reports whether the group shows our raise, even if its answer was
// lost and another user or tool has changed the desired size since.
func (s *Reader) RaiseShows() bool {
	r, sizes := &s.Run, s.W.Group.Sizes
	if r.Raise == 0 {
		return false
	}
	return r.MaxSet > r.Base.Max && sizes.Max == r.MaxSet ||
		r.RaiseUnsure && sizes.Max >= r.Base.Max+r.Raise && sizes.Desired >= r.Base.Desired+r.Raise
}

// settleRaise waits until it is known whether a raise that was asked for happened.
func (s *Step) settleRaise() bool {
	p, busy := s.Run.Pending[record.RaiseKey]
	switch {
	case !busy && s.RaiseShows(),
		busy && !p.Accepted.IsZero():
		s.Run.Raised, s.changed = true, true
		return false
	}
	return !busy
}

// RestoreTemplate points the group back to the template it had, if no machine
// runs another one.
func (s *Step) RestoreTemplate() bool {
	g := &s.W.Group
	if len(s.Run.Target.Templates) == 0 {
		return true
	}
	if !s.settled("set-template/" + s.Run.Target.Templates[0].String()) {
		return false
	}
	back := s.Run.TemplateBack()
	if g.Template == *back.Template && g.TemplateSpec == back.TemplateSpec {
		return true
	}
	if who, does := s.TemplateMoved(); who != "" && s.settled(record.RestoreTemplate) {
		s.Note(text.LeftAsItIs(who, does))
		return true
	}
	for _, m := range s.W.Machines() {
		if m.Template == s.Run.Target.Templates[0] && m.Template != s.Run.BaseTemplate {
			return true // named by listUnrestored
		}
	}
	return s.Ensure(back) || s.givenUp(record.RestoreTemplate)
}

// TemplateMoved says who has set the group to another template than the run's target, and
// what to, the two parts of a sentence; "" if nobody has.
func (s *Reader) TemplateMoved() (who, does string) {
	want := s.Run.Target.Templates
	if len(want) == 0 || !s.Fresh(world.Cloud) || !s.settled("set-template/"+want[0].String()) || s.W.Group.Template == want[0] {
		return "", ""
	}
	return text.AnotherUser, text.TemplateSet(s.W.Group.Template.String(), want[0].String())
}

// UnmarkAll takes every mark of ours off.
func (s *Step) UnmarkAll() bool {
	clean := true
	for _, machine := range slices.Sorted(maps.Keys(s.Run.Marks)) {
		clean = s.unmarkNode(machine) && clean
	}
	return clean
}

// listUnrestoredGroup names what the run leaves changed on the group.
func (s *Step) listUnrestoredGroup() {
	g := &s.W.Group
	for _, process := range s.Run.Suspended {
		a := record.Action{Kind: record.Resume, Group: g.Name, Process: process}
		counts := ""
		if process == rebalance {
			counts = s.uneven()
		}
		s.AddUnrestored(text.ProcessStaysSuspended(process, counts), a.Command())
	}
	s.listUnrestoredSizes()
	if len(s.Run.Target.Templates) > 0 && g.Template == s.Run.Target.Templates[0] && g.Template != s.Run.BaseTemplate && s.settled(record.RestoreTemplate) {
		what := text.TemplateStays(g.Template.String())
		if r, refused := s.Refused(record.RestoreTemplate); refused {
			what = text.TemplateNotRestored(g.Template.String(), r.Message)
		}
		s.AddUnrestored(what, s.Run.TemplateBack().Command())
	}
}

// rollback is the command that rolls the nodes that run the new template back to
// the one that most outdated nodes were launched from; "" if there is nothing to
// roll back, or nowhere to go.
func (s *Reader) rollback() string {
	count := map[int64]int{}
	fresh := 0
	for _, n := range s.Run.Nodes {
		if n.New {
			fresh++
		} else if n.Was.ID == s.W.Group.Template.ID && !slices.Contains(s.Run.Target.Templates, n.Was) {
			count[n.Was.Version]++
		}
	}
	if fresh == 0 || len(count) == 0 {
		return ""
	}
	if by := s.capabilities().TemplateSetBy; by != "" {
		return text.RollbackBySpec(by, s.Run.Group)
	}
	versions := slices.Collect(maps.Keys(count))
	to := slices.MaxFunc(versions, func(a, b int64) int { return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b)) })
	return text.RollbackCommand(s.Run.Group, to)
}

// offerRollback names the way back after an abort or a failure.
func (s *Step) offerRollback() {
	if back := s.rollback(); back != "" {
		s.Note(text.RollbackOffer(back))
	}
}

// unsureRaise says that nobody can know any more whether our raise happened.
func (s *Reader) unsureRaise() string {
	return text.RaiseUnsure(s.Run.Base.String(), s.W.Group.Sizes.String())
}

// listUnrestoredSizes names what the run leaves changed on the group's sizes.
func (s *Step) listUnrestoredSizes() {
	g := &s.W.Group
	if n := s.Run.Surge(); n <= 0 && g.Sizes.Desired > s.Run.Base.Desired && s.Run.Raised {
		s.Note(text.DesiredLeftAsRaised(g.Sizes.Desired))
	} else if n = min(n, g.Sizes.Desired-s.Run.Base.Desired); n > 0 {
		s.AddUnrestored(text.DesiredStays(n), s.Run.Shrink(n, g.Sizes.Desired))
	}
	if s.Run.RaiseUnsure && !s.Run.Raised && g.Sizes != s.Run.Base {
		s.AddUnrestored(s.unsureRaise(), text.ActivitiesCommand(g.Name))
	}
	if g.Sizes.Max == s.Run.MaxSet && g.Sizes.Max > max(s.Run.Base.Max, g.Sizes.Desired) && s.settled("restore-max") {
		from, to := g.Sizes, g.Sizes
		to.Max = max(s.Run.Base.Max, g.Sizes.Desired)
		a := record.Action{Kind: record.SetSizes, Group: g.Name, From: &from, Sizes: &to}
		s.AddUnrestored(text.MaxStays(g.Sizes.Max), a.Command())
	}
}
