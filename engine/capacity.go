package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// StartPhaseWait starts a deadline of the current phase, which counts while
// cluster and cloud can be seen.
func (s *Step) StartPhaseWait(what string, d time.Duration) {
	s.Run.PhaseWait, s.changed = s.NewWait(what, d, world.Cluster, world.Cloud), true
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
	ours := slices.Contains(s.Run.Suspended, process)
	if !ours && s.W.Group.HasSuspended(process) {
		return true
	}
	key := "suspend/" + process
	suspended := s.Ensure(record.Action{Kind: record.Suspend, Key: key, Group: s.Run.Group, Process: process})
	if _, asked := s.Run.Pending[key]; asked && !ours { // before that it would be a user's
		s.Run.Suspended = append(s.Run.Suspended, process)
	}
	return suspended
}

// ResumeProcesses lets the processes that we suspended act again, those last that launch
// machines.
func (s *Step) ResumeProcesses() bool {
	for _, process := range slices.Clone(s.Run.Suspended) {
		if process != ending && process != launching && !s.resumeProcess(process) {
			return givenUp(&s.Reader, "resume/"+process)
		}
	}
	return s.resumeScaling()
}

// resumeProcess lets one of them act again.
func (s *Step) resumeProcess(process string) bool {
	if !s.Settled("suspend/"+process) || !s.mayResume(process) {
		return false
	}
	if counts := uneven(&s.Reader); process == rebalance && counts != "" {
		s.Note(text.RebalanceResumes(counts))
	}
	if !s.Ensure(record.Action{Kind: record.Resume, Key: "resume/" + process, Group: s.Run.Group, Process: process}) {
		return false
	}
	s.Run.Suspended = slices.DeleteFunc(s.Run.Suspended, func(p string) bool { return p == process })
	s.changed = true
	return true
}

// givenUp reports whether an action was refused for good.
func givenUp(s *assess.Reader, key string) bool { return s.Run.Retries[key].Hopeless() }

// maxKey begins the key of a higher maximum for a machine by name.
const maxKey = "max/"

// LaunchInZone asks for one machine in a zone by name, once: a request that may have been carried out
// is looked up, and one with the same token brings no other machine. It raises the desired size by one
// more, which is recorded first, and the bound with it.
func (s *Step) LaunchInZone(zone string) {
	if slices.Contains(s.Run.AskedZones, zone) {
		return
	}
	key := "launch/" + zone
	g := &s.W.Group
	retry, refused := s.Run.Retries[key]
	if refused && s.Now.Before(retry.Next) {
		s.WakeAt(retry.Next)
		return
	}
	if retry.Hopeless() || !s.Fresh(world.Cloud) {
		return // the phase's deadline decides; the refusal is in its reason
	}
	if need := s.Run.Expected() + 1; g.Sizes.Max < need {
		higher := fmt.Sprintf("%s%d", maxKey, need)
		if r := s.Run.Retries[higher]; s.Now.Before(r.Next) && !r.Hopeless() { // refused: it is not set
			s.WakeAt(r.Next)
			return
		}
		if s.Run.MaxSet != need {
			s.Run.MaxBefore, s.Run.MaxSet = s.Run.MaxSet, need
		}
		from, to := g.Sizes, g.Sizes
		to.Max = need
		if !s.Ensure(record.Action{Kind: record.SetSizes, Key: higher, Group: g.Name, From: &from, Sizes: &to}) {
			return
		}
	}
	if s.ask(record.Action{Kind: record.LaunchIn, Key: key, Group: g.Name, Zone: zone, Token: s.Run.ID + "/" + zone}) {
		s.Run.AskedZones = append(s.Run.AskedZones, zone)
		slices.Sort(s.Run.AskedZones)
	}
}

// WatchSizes notices that another user or tool changed the group's size meanwhile: that
// becomes a part of what the group returns to. A size that a lower maximum has taken down is
// the exception: as much of our raise as did not fit is gone. It returns by how much the desired
// size was changed.
func (s *Step) WatchSizes() (by int) {
	if !s.Fresh(world.Cloud) || !s.Run.Holds() || s.Run.RaiseUnsure && !s.Run.Raised || changingSizes(&s.Reader) {
		return 0
	}
	if s.Run.Doubted > 0 && !s.W.Health[world.Cloud].Fresh.After(s.Run.DoubtedAt) {
		return 0
	}
	desired, ours := s.W.Group.Sizes.Desired, s.Run.Expected()
	if not := min(desired-ours, s.Run.Doubted); not > 0 {
		s.Run.Lowered -= not
		ours += not
	}
	if s.Run.Doubted > 0 {
		s.Run.Doubted, s.changed = 0, true
	}
	by = desired - ours
	s.takeChange(by)
	s.keepMinimum()
	return by
}

// takeChange takes a change of the desired size by others into what the group returns to.
func (s *Step) takeChange(by int) {
	sizes, ours := s.W.Group.Sizes, s.Run.Expected()
	switch {
	case by == 0:
		return
	case by > 0:
		s.Run.Others += by
		tellChange(s, text.DesiredRaised(ours, ours+by))
		return
	case sizes.Desired <= sizes.Max && sizes.Max < s.Run.MaxSet:
		unfit := min(-by, max(0, ours-sizes.Max), max(0, s.Run.Surge()))
		s.Run.Lowered += unfit
		by += unfit
		boundBase(&s.Run, sizes.Max)
		s.Note(text.MaxLeftAsSet(sizes.Max))
	}
	s.Run.Others += by
	keep(&s.Run, min(1, s.Run.Base.Desired)) // a group that had machines has one, unless others leave none of our raise
	tellChange(s, text.DesiredLowered(ours, sizes.Desired))
}

// tellChange tells of a change of the desired size by others, unless a raise of ours, whose answer was lost, may be in it.
func tellChange(s *Step, message string) {
	if s.Run.Raised || !s.Run.RaiseUnsure {
		s.Report(record.Event{Type: record.CapacityChanged, Reason: record.ReasonNotByUs, Message: message})
	}
}

// boundBase makes a maximum that others have set the one that the group returns to. What does not
// fit of the size and the minimum that it had is gone with it.
func boundBase(run *record.Run, most int) {
	run.MaxSet = most
	base := &run.Base
	run.Others += base.Desired - min(base.Desired, most)
	base.Min, base.Max, base.Desired = min(base.Min, most), most, min(base.Desired, most)
}

// TakesBack reports whether the run takes its raise back. It does not continue with that once
// others raise the group while it does: they want the machines. Once none of the raise is left,
// because others have lowered the group again, the run ends as any other.
func (s *Step) TakesBack() bool {
	if by := s.WatchSizes(); by > 0 && s.Excess() > 0 {
		now := s.Run.Expected()
		s.Run.Foreign = text.DesiredRaised(now-by, now)
	}
	return s.Run.Foreign == "" || s.Excess() == 0
}

// keepMinimum makes the group's minimum the size that it returns to, where that would be less.
func (s *Step) keepMinimum() {
	base, least := s.Run.Base.Desired+s.Run.Others, s.W.Group.Sizes.Min
	if keep(&s.Run, least) && least > max(0, base) {
		s.Note(text.KeepsMinimum(least, max(0, base)))
	}
}

// keep makes a size the least that the group returns to: as much of our raise as this takes is
// not taken back. It reports whether that is any.
func keep(run *record.Run, least int) bool {
	kept := min(least-run.Base.Desired-run.Others, run.Surge())
	if kept <= 0 {
		return false
	}
	run.Others += kept
	run.Lowered += kept
	return true
}

// changingSizes reports whether a change of ours to the sizes may not show yet.
func changingSizes(s *assess.Reader) bool {
	for _, p := range s.Run.Pending {
		a := p.Action
		if a.Kind == record.CheckEffect {
			a = *a.Of
		}
		if a.Kind == record.SetSizes || a.Kind == record.LaunchIn || a.Kind == record.Terminate {
			return true
		}
	}
	l := s.Run.Lowering
	return l != nil && l.Unsure > 0 && !l.Over || s.Count(record.Terminating) > 0
}

// reportLaunchFailure reports a launch that failed, once for what it says.
func (s observer) reportLaunchFailure() {
	if failure := s.LaunchFailure(); failure != "" && failure != s.Run.LaunchFailed {
		s.Run.LaunchFailed = failure
		s.Report(record.Event{Type: record.Warning, Reason: record.ReasonLaunchFailed, Message: text.LaunchFailed(failure)})
	}
}

// RestoreMax gives the group its upper bound back; the desired size is not set with it.
func (s *Step) RestoreMax() bool {
	if !s.Run.Raised && !s.settleRaise() {
		return false
	}
	if !s.Run.Holds() {
		return true
	}
	g := &s.W.Group
	if !s.Settled(record.RaiseKey) {
		return false
	}
	if g.Sizes.Max == s.Run.Base.Max {
		return s.Settled(record.RestoreMaxKey)
	}
	if s.Settled(record.RestoreMaxKey) && g.Sizes.Max != s.Run.MaxSet {
		s.Note(text.MaxLeftAsSet(g.Sizes.Max))
		return true
	}
	from, to := g.Sizes, g.Sizes
	to.Max = max(s.Run.Base.Max, g.Sizes.Desired)
	if from == to { // once it is known what became of a lower one that was asked for before
		return s.Settled(record.RestoreMaxKey)
	}
	if p, busy := s.Run.Pending[record.RestoreMaxKey]; busy && p.Action.Sizes.Max != to.Max { // the size has changed since that was asked for
		s.WakeAt(p.Expires)
		return false
	}
	return s.Ensure(record.Action{Kind: record.SetSizes, Key: record.RestoreMaxKey, Group: g.Name, From: &from, Sizes: &to}) || givenUp(&s.Reader, record.RestoreMaxKey)
}

// EnsureRaise raises max and desired until they are run.Raise above the base, what is
// inherited included; both are in the record before it is asked for. It reports whether the
// group is raised.
func (s *Step) EnsureRaise() bool {
	if s.Run.Raised {
		return true
	}
	if s.Run.RaisedAt.IsZero() { // it was never asked for: what the group has now is not ours
		s.rebase()
	}
	if left := s.Run.Inherited; left != nil {
		s.Run.Raise = max(s.Run.Raise, left.Desired)
	}
	g := &s.W.Group
	to := raised(&s.Run)
	_, busy := s.Run.Pending[record.RaiseKey]
	if r, refused := s.Refused(record.RaiseKey); !busy && refused && r.Refusal == record.RefusedConflict && g.Sizes != to && g.Sizes != s.Run.RaisedFrom { // or it is seen as it was before the refusal
		if s.RaiseShows() { // its answer was lost, and another user or tool has scaled the group since
			s.Run.Raised = true
			return true
		}
		s.refusedRaise(to)
		to = raised(&s.Run)
	}
	from := s.Run.RaisedFrom
	if from == to { // an earlier run has raised it as far
		s.Run.Raised, s.changed = true, true
		return true
	}
	s.Run.Raised = s.Ensure(record.Action{Kind: record.SetSizes, Key: record.RaiseKey, Group: g.Name, From: &from, Sizes: &to})
	if _, asked := s.Run.Pending[record.RaiseKey]; s.Run.Raised {
		s.Run.MaxSet = to.Max
	} else if asked && !busy && !s.Run.RaiseUnsure {
		s.Run.MaxBefore, s.Run.MaxSet = s.Run.MaxSet, to.Max
	}
	return s.Run.Raised
}

// refusedRaise takes in that the group was scaled between our look and our request to raise it to these sizes.
func (s *Step) refusedRaise(to world.Sizes) {
	g := &s.W.Group
	// A group with the desired size of before has nothing to give back, unless its maximum is as
	// the raise would have it.
	if before := s.Run.RaisedFrom; s.Run.RaiseUnsure && (g.Sizes.Desired != before.Desired || g.Sizes.Max == to.Max && to.Max != before.Max) {
		s.Note(unsureRaise(&s.Reader))
		s.Run.Doubtful += min(to.Desired-before.Desired, g.Sizes.Desired)
	}
	if s.Run.RaiseUnsure && (s.Run.Inherited == nil || g.Sizes.Max == s.Run.RaisedFrom.Max) { // the raise did not set it, or it is the base now
		s.Run.MaxSet = s.Run.MaxBefore
	}
	s.rebase()
	s.Run.RaiseUnsure = false
}

// rebase takes the group's sizes as they are for what the raise is asked for from.
func (s *Step) rebase() {
	sizes := s.W.Group.Sizes
	if s.Run.Inherited == nil {
		s.Run.Base, s.Run.Others = sizes, 0
	} else {
		s.takeChange(sizes.Desired - s.Run.Expected())
		s.keepMinimum()
		left := *s.Run.Inherited
		left.Desired, s.Run.Lowered = left.Desired-s.Run.Lowered, 0
		s.Run.Inherited = &left
	}
	if s.Run.RaisedAt.IsZero() || s.Run.RaisedFrom != sizes { // else it waits to ask for that again
		s.Run.RaisedFrom, s.Run.RaisedAt, s.changed = sizes, s.Now, true
	}
}

// raised are the sizes that the group gets by the raise: what is missing of it, and not more
// on top of what an earlier run has left.
func raised(run *record.Run) world.Sizes {
	to := run.RaisedFrom
	to.Desired += max(0, run.Raise-run.Surge())
	to.Max = max(to.Max, run.Base.Max+run.Raise, to.Desired)
	return to
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
	if !s.Settled("set-template/" + s.Run.Target.Templates[0].String()) {
		return false
	}
	back := s.Run.TemplateBack()
	if g.Template == *back.Template && g.TemplateSpec == back.TemplateSpec {
		return true
	}
	if who, does := s.TemplateMoved(); who != "" && s.Settled(record.RestoreTemplate) {
		s.Note(text.LeftAsItIs(who, does))
		return true
	}
	for _, m := range s.W.Machines() {
		if m.Template == s.Run.Target.Templates[0] && m.Template != s.Run.BaseTemplate {
			return true // named by listUnrestored
		}
	}
	return s.Ensure(back) || givenUp(&s.Reader, record.RestoreTemplate)
}

// UnmarkAll takes every mark of ours off. A node that is in work, and whose machine is not listed any more, keeps its own
// until it is known to have left.
func (s *Step) UnmarkAll() bool {
	clean := true
	for _, machine := range slices.Sorted(maps.Keys(s.Run.Marks)) {
		if n := s.Run.Nodes.Get(machine); (n.Stage == record.Draining || n.Stage == record.Settling) && !n.Missing.IsZero() {
			s.WakeAt(n.Missing.Add(assess.MissingFor))
			clean = false
			continue
		}
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
			counts = uneven(&s.Reader)
		}
		command := a.Command()
		if there := len(standing(&s.Reader)); process == ending && there > g.Sizes.Desired {
			command = text.SetDesired(g.Name, there) + " && " + command
		}
		s.AddUnrestored(text.ProcessStaysSuspended(process, counts), command)
	}
	s.listUnrestoredSizes()
	listUnrestoredTemplate(s)
}

// listUnrestoredTemplate names the launch template if the group has the target's, or may have it.
func listUnrestoredTemplate(s *Step) {
	if len(s.Run.Target.Templates) == 0 || s.Run.Target.Templates[0] == s.Run.BaseTemplate || !s.Settled(record.RestoreTemplate) {
		return
	}
	target := s.Run.Target.Templates[0]
	what := text.TemplateStays(target.String())
	switch r, refused := s.Refused(record.RestoreTemplate); {
	case !s.Settled("set-template/" + target.String()):
		what = text.TemplateUnseen(target.String())
	case s.W.Group.Template != target:
		return
	case refused:
		what = text.TemplateNotRestored(target.String(), r.Message)
	}
	s.AddUnrestored(what, s.Run.TemplateBack().Command())
}

// offerRollback names the way back after an abort or a failure.
func (s *Step) offerRollback() {
	if back := s.Rollback(); back != "" {
		s.Note(text.RollbackOffer(back))
	}
}

// unsureRaise says that nobody can know any more whether our raise happened.
func unsureRaise(s *assess.Reader) string {
	return text.RaiseUnsure(s.Run.RaisedFrom.String(), s.W.Group.Sizes.String())
}

// doubtful is how many machines of the desired size may be of the run or of an earlier one, and nobody can know: no more
// than may go.
func doubtful(s *assess.Reader) (ours, left int) {
	most := s.W.Group.Sizes.Desired - s.W.Group.Sizes.Min
	if s.Run.Inherited != nil {
		left = min(s.Run.Inherited.Doubtful, most)
	}
	return min(s.Run.Doubtful+s.Run.OpenEnds(), most-left), left
}

// listUnrestoredSizes names what the run leaves changed on the group's sizes.
func (s *Step) listUnrestoredSizes() {
	g := &s.W.Group
	if n := s.Excess(); n > 0 {
		s.AddUnrestored(text.DesiredStays(n), text.TakesBack(g.Name))
	}
	ours, left := doubtful(&s.Reader)
	if left > 0 {
		s.AddUnrestored(text.RaiseDoubtful(left, s.Run.Inherited.Run), s.Run.Shrink(left, text.DescribeGroup(g.Name)))
	}
	if ours > 0 {
		s.AddUnrestored(text.RaiseDoubtful(ours, s.Run.ID), s.Run.Shrink(ours, text.DescribeGroup(g.Name)))
	}
	if s.Run.RaiseUnsure && !s.Run.Raised && g.Sizes != s.Run.Base {
		s.AddUnrestored(unsureRaise(&s.Reader), text.ActivitiesCommand(g.Name))
	}
	desired := g.Sizes.Desired
	if !s.Fresh(world.Cloud) { // ends that were granted may not show
		desired = min(desired, s.Run.Expected())
	}
	if g.Sizes.Max == s.Run.MaxSet && g.Sizes.Max > max(s.Run.Base.Max, desired) && s.Settled(record.RestoreMaxKey) {
		s.AddUnrestored(text.MaxStays(g.Sizes.Max), text.TakesBack(g.Name))
	}
}

// whyOutdated says why a machine is to be replaced.
func whyOutdated(s *assess.Reader, m *world.Machine) string {
	if why := s.Selects(m); why != "" {
		return why
	}
	return text.Runs(m.Template.String())
}

// A run leaves the zones of its group as even as they were: AZRebalance, which acts
// again after it, would end machines undrained to even them out.

// takesDown reports whether the termination of a machine takes the group's size down.
func takesDown(s *assess.Reader, id string, n record.Node) bool {
	if n.New {
		return n.Unfit == ""
	}
	return decrements(s, id)
}

// decrements reports whether the termination of one more outdated node takes the
// group's size down: the last ones do, as many as the size was raised by, so that the
// new nodes stand before the old ones go. One whose zone would have too few machines in
// the end is replaced instead, and a new node of the fullest zone is retired for it.
func decrements(s *assess.Reader, id string) bool {
	return s.Rules.Decrements(s, id)
}

// uneven names how many machines each zone has, if these differ by more than one, and by
// more than they did when the run began; else "".
func uneven(s *assess.Reader) string {
	now := s.ZonesLeft()
	if assess.Spread(s.W, now) <= max(1, assess.Spread(s.W, s.ZonesBefore())) {
		return ""
	}
	var out []string
	for _, z := range s.W.Group.Zones {
		out = append(out, text.InZone(now[z], z))
	}
	return strings.Join(out, ", ")
}

// ResumeEven lets the processes that we suspended act again, unless the zones are left so
// uneven that AZRebalance would end machines undrained: then it stays suspended, and
// listUnrestoredGroup names it.
func (s *Step) ResumeEven() bool {
	if uneven(&s.Reader) == "" || !s.Settled("resume/"+rebalance) {
		return s.ResumeProcesses()
	}
	return s.Settled("suspend/" + rebalance)
}

// rebalance is the process that moves machines between zones, undrained.
const rebalance = "AZRebalance"
