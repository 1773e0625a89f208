package engine

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/movers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/diff"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// A group that its own controller rolls (following): the run follows what the controller
// does, by the marks that it leaves, and helps where the controller offers something: it is
// paused and resumed, a machine goes earlier, later or by force, pods that budgets keep are
// deleted by a recorded order. Nothing else is changed.

// observeController brings the run's nodes up to date with what the controller does.
func observeController(s *Step) {
	if !s.Fresh(world.Cloud) || starting(s) {
		return
	}
	s.First = s.Run.Nodes.Len() == 0
	if now := append([]world.Template{s.W.Group.Template}, s.W.Group.Overrides...); !slices.Equal(now, s.Run.Target.Templates) {
		s.Run.Target.Templates, s.changed = now, true // the group was changed once more
	}
	s.nodes = shards.Editor[record.Node]{} // what this decision has changed so far stays as it is: it is compared with
	before := s.Run
	s.Run.Seen = s.Now
	s.Run.External = movers.NewActivity(s.Now, s.W, before.External, nil)
	for _, m := range s.W.Machines() {
		was, known := before.Nodes.Find(m.ID)
		n := reportStuck(s, m.ID, followed(s, m, was, known))
		if !known || !reflect.DeepEqual(n, was) {
			s.SetNode(m.ID, n)
			s.changed = s.changed || !known || n.Stage != was.Stage || n.Reason != was.Reason || n.Pods != was.Pods
		}
	}
	for id, n := range before.Nodes.All() {
		if s.W.Machine(id) == nil && n.Stage != record.Replaced {
			departs(s, id, n)
		}
	}
	for _, e := range diff.Nodes(before, s.Run) {
		e.Phase = s.Phase()
		s.events = append(s.events, e)
	}
}

// followed is how a machine stands, given how it stood before.
func followed(s *Step, m *world.Machine, was record.Node, known bool) record.Node {
	n := movers.Seen(&s.Reader, m, was, known)
	n.Order, n.Began, n.Stuck, n.Turn = was.Order, was.Began, was.Stuck, was.Turn
	if !was.New && was.Old != "" {
		n.Old = was.Old // an update in place changes the node's own before it is over
	}
	if n.Name == "" {
		n.Name, n.Old = was.Name, was.Old
	}
	switch {
	case known && n.New && !was.New && (n.Stage == record.Ready || n.Stage == record.Launching || was.Stage == record.Replaced):
		return updatedInPlace(s, n, was)
	case known && was.New && !n.New && n.Stage == record.NodeFail && s.UpToDate(m): // it fails as what it is
		n.New = true
	case (n.Stage == record.Draining || n.Stage == record.Updating) && n.Began.IsZero():
		n.Began = n.Since
	case n.Stage == record.Outdated:
		if o, known := s.Rules.Follows().Object(m); known {
			n.Reason = cmp.Or(turnOf(&s.Reader, o.Priority), n.Reason)
		}
	}
	return n
}

// updatedInPlace is how a machine stands that was an old one and is a new one now: it is the same, with
// its node updated in place. Until that is Ready nothing was launched.
func updatedInPlace(s *Step, n, was record.Node) record.Node {
	if n.Stage == record.Launching && was.Stage != record.Replaced {
		n.New, n.Stage, n.Since, n.Reason = false, was.Stage, was.Since, was.Reason
		return n
	}
	n.New, n.Stage, n.Old, n.Since, n.Reason = false, record.Replaced, was.Old, was.Since, text.InPlaceDone
	if was.Stage != record.Replaced {
		n.Since = s.Now
		timed(s, was)
	}
	return n
}

// turnOf says when a machine with a priority goes, "" where it is the usual one.
func turnOf(s *assess.Reader, priority int) string {
	t := s.Rules.Follows().Turns()
	if priority == t.Usual {
		return ""
	}
	return systems.Turn(priority < t.Usual, t.Among, t.Mark, priority)
}

// timed notes how long a node took.
func timed(s *Step, n record.Node) {
	if !n.Began.IsZero() {
		s.Run.NodeTime = max(s.Run.NodeTime, s.Now.Sub(n.Began))
	}
}

// departs settles a machine that is no longer listed. One read that lags is not its end.
func departs(s *Step, id string, n record.Node) {
	ending := slices.Contains([]record.Stage{record.Terminating, record.Settling, record.Draining, record.NodeFail}, n.Stage)
	switch {
	case !ending && n.Missing.IsZero():
		n.Missing = s.Now
		s.SetNode(id, n)
		s.WakeAt(s.Now.Add(assess.MissingFor))
		return
	case !ending && s.Now.Sub(n.Missing) < assess.MissingFor:
		s.WakeAt(n.Missing.Add(assess.MissingFor))
		return
	}
	s.changed = true
	endOrders(s, id)
	if n.New {
		s.dropNode(id)
		return
	}
	timed(s, n)
	n.Stage, n.Since, n.Wait, n.Reason, n.Pods, n.Began = record.Replaced, s.Now, nil, "", 0, time.Time{}
	s.SetNode(id, n)
	forgetForced(s, id)
}

// followController does what the run's state asks for.
func followController(s *Step, f helping) {
	forgetControl(s)
	switch s.Run.State {
	case record.Running:
		resumeDeployments(s)
		keepPace(s)
		s.strategy.Step(s)
		if s.Run.State == record.Running {
			carryOutOrders(s)
			forceMachines(s, f)
			moveSingles(s)
			helpAlong(s)
		}
	case record.Paused:
		if s.Run.FailedUpdate != nil {
			waitsForUser(s)
		} else if !externalPause(s) && !gaveUp(&s.Reader) {
			pauseDeployments(s)
		}
	case record.Ending:
		endFollowing(s, f)
	}
	checkPending(s)
}

// starting reports whether the run is to have its controller start an update that is not seen yet: what the nodes show
// till then is from before, or is not to be told from what others do.
func starting(s *Step) bool {
	m := s.W.Group.Managed
	return s.Run.Target.Update != nil && s.Run.Nodes.Len() == 0 && (m == nil || m.Named(s.Run.Update) == nil)
}

// tookUpdate takes in the id of the update that was started.
func tookUpdate(s *Step, a record.Action, id string) record.Action {
	a.Value = id
	p := s.Run.Pending[a.Key]
	p.Action = a
	s.Run.Pending[a.Key] = p
	if a.Kind == record.StartUpdate {
		s.Run.Update = id
	} else if s.Run.UpdateConfig != nil {
		h := *s.Run.UpdateConfig
		h.Update = id
		s.HoldConfig(&h)
	}
	return a
}

// HoldConfig records the update configuration that the run has set, nil for none: before it is asked for, and once it is
// restored.
func (s *Step) HoldConfig(h *record.HeldConfig) { s.Run.UpdateConfig, s.changed = h, true }

// FollowUpdate has the run follow an update that its controller carries out already.
func (s *Step) FollowUpdate(id, message string) {
	s.Run.Update, s.changed = id, true
	delete(s.Run.Pending, record.StartUpdateKey)
	delete(s.Run.Retries, record.StartUpdateKey)
	s.EndAwait()
	s.Report(record.Event{Type: record.Warning, Reason: record.ReasonEKS, Message: message})
	s.Soon()
}

// AskAgain pauses the run after an update that has failed, until a user has the controller start it again or ends the run. stands
// says which nodes are new, and which are old.
func (s *Step) AskAgain(f record.FailedUpdate, stands string) {
	s.Run.FailedUpdate = &f
	s.Report(record.Event{Type: record.Warning, Reason: string(f.Result), Message: f.Why})
	s.Pause(systems.EKSAsks(string(f.Result), stands, f.Why))
}

// waitsForUser restores meanwhile what only a drain needs, and ends a run that nobody is there for any more.
func waitsForUser(s *Step) {
	if f := s.Run.FailedUpdate; !s.Run.Target.Update.Asks {
		s.FailReported(f.Result, f.Why)
		return
	}
	restoreSingles(s)
}

// startAgain lets a failed update be started once more, where the run waits for that.
func startAgain(s *Step) {
	if s.Run.FailedUpdate != nil {
		again := *s.Run.Target.Update
		again.Retry = len(s.Run.FailedUpdates) + 1
		s.Run.Target.Update = &again
	}
}

// forgetControl drops what was asked of a cluster that is not given (any more):
// nobody can look up what became of it.
func forgetControl(s *Step) {
	if !s.Fresh(world.Cloud) {
		return
	}
	lost := map[record.Place]bool{record.InControlCluster: !s.Controls(), record.InGardenCluster: !paceGiven(&s.Reader)}
	for key, p := range s.Run.Pending {
		if lost[p.Action.Place()] {
			delete(s.Run.Pending, key)
			s.changed = true
		}
	}
}

// externalPause reports whether the run is paused because another user has paused the roll. When that user
// resumes it, the run resumes as well.
func externalPause(s *Step) bool {
	if !s.Run.PausedExternally || !s.Fresh(world.Cloud) || !s.Controls() || s.LeftToOthers() {
		return s.Run.PausedExternally
	}
	s.Run.State, s.Run.Why, s.Run.PausedExternally, s.changed = record.Running, "", false, true
	why := systems.PartsResumed(s.Rules.Follows().Words().Part)
	if by := s.HeldByOthers(); len(by) > 0 {
		why = systems.MoreLeftThanPaused(by)
	}
	s.Report(record.Event{Type: record.RunResumed, Reason: record.ReasonContinued, Message: text.ResumedBecause(why)})
	s.Soon()
	return true
}

// namespace is where the controller's objects are, as the run has found them.
func namespace(s *assess.Reader) string {
	return cmp.Or(s.Run.PausedIn, s.Rules.Follows().Namespace(&s.W.Group))
}

func holdAction(s *assess.Reader, kind record.ActionKind, deployment string) record.Action {
	key := assess.PauseKey(deployment)
	if kind == record.LetRoll {
		key = "un" + key
	}
	return record.Action{Kind: kind, Key: key, Controller: s.Rules.Follows().ID(), Namespace: namespace(s), Object: deployment}
}

// tookPause writes down that a part of the group is the run's to resume.
func tookPause(s *Step, deployment string) {
	if !slices.Contains(s.Run.PausedDeployments, deployment) {
		s.Run.PausedDeployments, s.Run.PausedIn, s.changed = append(s.Run.PausedDeployments, deployment), s.Rules.Follows().Namespace(&s.W.Group), true
	}
}

// stands reports whether an action was accepted and is still to be seen, or its fate is open.
func stands(s *assess.Reader, key string) bool {
	p, busy := s.Run.Pending[key]
	return busy && (p.Accepted.IsZero() || !p.Action.IsSeen(s.W))
}

// pauseDeployments has the controller begin no further batch. What it has begun continues. It reports
// whether that is so everywhere.
func pauseDeployments(s *Step) bool {
	if !s.Controls() {
		return true
	}
	if !s.Fresh(world.Cloud) {
		return false // whether another user has paused it meanwhile is not known
	}
	held := true
	for _, d := range s.Parts() {
		if stands(&s.Reader, "un"+assess.PauseKey(d.Name)) {
			held = false // it is about to continue: what is seen of it is older than that
			continue
		}
		if !slices.Contains(s.Run.PausedDeployments, d.Name) {
			if d.Paused {
				continue // another user has, and resumes it
			}
			tookPause(s, d.Name)
		}
		held = s.Ensure(holdAction(&s.Reader, record.HoldRoll, d.Name)) && held
	}
	return held
}

// resumeDeployments lets the controller continue where the run has held it.
func resumeDeployments(s *Step) {
	if !s.Controls() || !s.Fresh(world.Cloud) {
		return
	}
	for _, name := range slices.Clone(s.Run.PausedDeployments) {
		if stands(&s.Reader, assess.PauseKey(name)) {
			continue // that it is paused is still to be seen
		}
		delete(s.Run.Pending, assess.PauseKey(name))
		let := holdAction(&s.Reader, record.LetRoll, name)
		if _, there := part(&s.Reader, name); !there || s.Ensure(let) && s.Settled(let.Key) {
			s.Run.PausedDeployments, s.changed = slices.DeleteFunc(slices.Clone(s.Run.PausedDeployments), func(other string) bool { return other == name }), true
		}
	}
}

// part is the part of the group of that name, as it stands.
func part(s *assess.Reader, name string) (p selfdriven.Part, there bool) {
	all := s.Parts()
	if i := slices.IndexFunc(all, func(p selfdriven.Part) bool { return p.Name == name }); i >= 0 {
		return all[i], true
	}
	return selfdriven.Part{}, false
}

// forceMachines asks the controller to end the machines by force whose nodes are to go so. It
// may read that only when it next begins a drain; the pods are deleted meanwhile.
func forceMachines(s *Step, f helping) {
	for _, o := range s.Run.Orders {
		m := s.W.Machine(o.Machine)
		if o.Over || o.UID != "" || m == nil {
			continue
		}
		if is, known := f.by.Object(m); known && is.Ends && !is.Forced {
			s.Ensure(record.Action{Kind: record.ForceMachine, Key: "force/" + o.Machine, Machine: o.Machine, Node: o.Node, Controller: f.by.ID(), Namespace: f.by.Namespace(&s.W.Group), Object: is.Name, Order: o.ID})
		}
	}
}

// prioritize has a machine go earlier or later than others.
func (f helping) prioritize(s *Step, c record.Command, priority int) {
	id, _ := machineNamed(&s.Reader, c.Node)
	m, n := s.W.Machine(id), s.Run.Nodes.Get(id)
	var is selfdriven.Object
	known := false
	if m != nil {
		is, known = f.by.Object(m)
	}
	switch {
	case !known || n.Stage != record.Outdated:
		s.refuse(c, systems.TurnRefused(c.Node))
		return
	case is.Priority == priority:
		s.refuse(c, systems.TurnAlready(c.Node, turnOf(&s.Reader, priority)))
		return
	}
	key := "priority/" + id
	if p, busy := s.Run.Pending[key]; busy && !p.Action.IsSeen(s.W) {
		s.refuse(c, systems.TurnJustGiven(c.Node))
		return
	}
	delete(s.Run.Pending, key)
	if n.Turn == 0 {
		n.Turn = is.Priority
		s.SetNode(id, n)
	}
	s.Run.PausedIn, s.changed = f.by.Namespace(&s.W.Group), true
	s.ask(record.Action{Kind: record.Prioritize, Key: key, Machine: id, Node: n.Name, Controller: f.by.ID(), Namespace: s.Run.PausedIn, Object: is.Name, Priority: priority})
}

// lateOrSooner obeys a skip or a return: nobody can leave a node out, but it can go last,
// or first.
func (f helping) lateOrSooner(s *Step, c record.Command) {
	turns := f.by.Turns()
	priority := turns.First
	id, _ := machineNamed(&s.Reader, c.Node)
	if m := s.W.Machine(id); c.Kind == record.CmdSkip {
		priority = turns.Last
	} else if m != nil {
		if is, known := f.by.Object(m); known && is.Priority > turns.Usual {
			priority = turns.Usual
		}
	}
	f.prioritize(s, c, priority)
}

// endFollowing takes an aborted or failed run to its end: an aborted one leaves the
// controller held, since continuing is what nobody wants; a failed one leaves it as it is.
func endFollowing(s *Step, f helping) {
	late := !s.Now.Before(s.Run.PhaseWait.End)
	s.WakeAt(s.Run.PhaseWait.End)
	if s.Run.Result == record.Aborted && !pauseDeployments(s) && !late {
		s.WakeAt(s.Now.Add(time.Second))
		return
	}
	if (!s.strategy.End(s) || !s.RestorePace() || !restoreSingles(s) || undecided(&s.Reader)) && !late {
		s.WakeAt(s.Now.Add(time.Second))
		return
	}
	listUnrestoredController(s, f)
	s.finish(s.Run.Result)
}

// listUnrestoredController says how the controller is left.
func listUnrestoredController(s *Step, f helping) {
	w := f.by.Words()
	listPausedParts(s, w)
	listTurns(s, f, w)
	listPace(s)
	listUnrestoredSingles(s)
	if h := s.Run.UpdateConfig; h != nil {
		s.AddUnrestored(h.Left())
	}
	if out := s.In(record.Draining, record.Settling, record.Terminating, record.Updating); len(out) > 0 {
		s.Note(systems.BegunBy(nodeNames(&s.Reader, out), f.name()))
	}
	switch {
	case s.Run.Result == record.Aborted && s.Run.Target.Update != nil:
		s.Note(systems.EKSAborted(s.Run.Update))
	case s.Run.Result == record.Aborted && s.Count(record.Outdated) > 0:
		if !s.Controls() {
			s.Note(systems.Continues(f.name(), w.Where))
		} else {
			s.Note(systems.ToGoBack(w.Back))
		}
	}
}

// listPausedParts names the parts of the group that are paused, or that continue, with the command
// that changes it.
func listPausedParts(s *Step, w selfdriven.Words) {
	names := slices.Clone(s.Run.PausedDeployments)
	if s.Run.Result == record.Aborted && s.Controls() {
		for _, d := range s.Parts() {
			if !d.Paused && !slices.Contains(names, d.Name) {
				names = append(names, d.Name)
			}
		}
	}
	for _, name := range names {
		let, hold := holdAction(&s.Reader, record.LetRoll, name), holdAction(&s.Reader, record.HoldRoll, name)
		p, asked := s.Run.Pending[hold.Key]
		switch d, there := part(&s.Reader, name); {
		case !s.Controls():
			s.AddUnrestored(systems.PartCannotResume(w.Part, name, w.Where), let.Command())
		case !there: // it has gone
		case d.Paused || asked && !p.Accepted.IsZero():
			s.AddUnrestored(systems.PartStaysPaused(w.Part, name, w.Where), let.Command())
		case s.Run.Result == record.Aborted:
			s.AddUnrestored(systems.PartMayContinue(w.Part, name, w.Where), hold.Command())
		}
	}
}

// listTurns names the machines whose turn stays as the run has set it.
func listTurns(s *Step, f helping, w selfdriven.Words) {
	for _, id := range slices.Sorted(s.Run.Nodes.Keys()) {
		n, m := s.Run.Nodes.Get(id), s.W.Machine(id)
		if n.Turn == 0 || m == nil || m.Leaving() {
			continue
		}
		if is, known := f.by.Object(m); known && is.Priority == n.Turn {
			continue
		}
		back := record.Action{Kind: record.Prioritize, Controller: f.by.ID(), Namespace: namespace(&s.Reader), Object: id, Priority: n.Turn}
		s.AddUnrestored(systems.TurnStays(id, f.by.Turns().Name, w.Where), back.Command())
	}
}

// nodeNames lists machines by their nodes' names.
func nodeNames(s *assess.Reader, ids []string) string {
	var out []string
	for _, id := range ids {
		out = append(out, s.Label(id, s.Run.Nodes.Get(id)))
	}
	return strings.Join(out, ", ")
}

// PauseWith pauses the run because another user has paused these parts of the group: resume
// continues them, and so may that user.
func (s *Step) PauseWith(deployments []string) {
	s.Run.PausedExternally = true
	s.Pause(systems.PausedByAnother(deployments))
}

// takeExternalPause makes what another user has paused the run's to resume, if that is why the
// run is paused.
func takeExternalPause(s *Step) {
	if !s.Run.PausedExternally {
		return
	}
	s.Run.PausedExternally = false
	for _, name := range s.HeldByOthers() {
		tookPause(s, name)
	}
}

// StoodStill reports whether no node has come further for some time, of which that in which
// the run was paused or could not see does not count. The time begins with the first call that
// waits for the same. That new machines come and go without ever getting Ready is no progress.
func (s *Step) StoodStill(what string, d time.Duration) bool {
	w := s.Run.PhaseWait
	if w != nil && w.For != what {
		w = nil
	}
	for _, n := range s.Run.Nodes.All() {
		if w != nil && n.Since.After(w.Start) && (!n.New || n.Stage == record.Ready) {
			w = nil
		}
	}
	if w == nil {
		s.StartPhaseWait(what, d)
		return false
	}
	return s.Over(w)
}

// Moves says that the roll does not stand still.
func (s *Step) Moves() { s.Run.PhaseWait = nil }
