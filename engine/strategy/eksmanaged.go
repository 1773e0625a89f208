package strategy

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/selfdriven/mng"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// EKSManaged is EKS's own update of a managed node group: started where the run is to (eksmanagedstart.go), and
// followed. Once it is under way EKS takes no request, and its Auto Scaling group is not ours to change. Its phases are EKS's, inferred from
// what can be seen (mng.Infer); the update's own status says when it is over, and how.
type EKSManaged struct{ Follow }

// Name is "eks-managed".
func (EKSManaged) Name() string { return "eks-managed" }

// Follows EKS.
func (EKSManaged) Follows() selfdriven.Controller { return mng.Controller{} }

// Phases are EKS's. MINIMAL passes scale up and scale down over.
func (EKSManaged) Phases() []string { return slices.Clone(mng.Phases) }

// Defaults are EKS's.
func (EKSManaged) Defaults() record.Settings {
	d := record.Common()
	d.MaxUnavailable = record.Amount{N: 1}
	d.DrainTimeout, d.OnDrainTimeout = 45*time.Minute, record.TimeoutFail
	d.NodeReadyTimeout, d.WaitForStart = 15*time.Minute, engine.WaitForStart
	d.Unmanaged, d.EmptyDir = true, true
	d.Approve = record.ApproveNone
	d.Origin = managedOrigin()
	return d
}

// Limit is maxUnavailable. A percentage is one of the size before the update raised it.
func (e EKSManaged) Limit(w *world.World, r *record.Run) int {
	if !mng.Under(&w.Group) || w.Group.Managed.Minimal {
		return e.Follow.Limit(w, r)
	}
	before := w.Group
	before.Sizes.Desired = min(w.Group.Sizes.Desired, sizeBefore(w, w.Group.Managed.Update.Since))
	return max(1, e.Follows().AtOnce(&before))
}

// sizeBefore is how many machines there were when an update began, by the group's activities since.
func sizeBefore(w *world.World, since time.Time) (n int) {
	launched := launchedSince(w, since)
	for _, m := range w.Machines() {
		if node := w.NodeOf(m.ID); !launched[m.ID] && (node == nil || !mng.Young(&w.Group, node)) {
			n++
		}
	}
	for _, e := range endsSince(w, since) {
		if !e.young && w.Machine(e.Ends) == nil {
			n++
		}
	}
	return n
}

// Abilities are none, with the nearest substitutes.
func (EKSManaged) Abilities() []record.Ability { return managedAbilities() }

// lagging is for how long nodes that an update leaves may still be listed after it has succeeded.
const lagging = 30 * time.Second

// Progress counts replaced nodes while EKS replaces them.
func (EKSManaged) Progress(phase string, _ *world.World, r *record.Run) (done, total int) {
	if phase == upgrade {
		return r.Outdated()
	}
	return 0, 0
}

// Step takes in what EKS tells of the update, and infers the rest.
func (e EKSManaged) Step(s *engine.Step) {
	m := s.W.Group.Managed
	if s.Run.Target.Update != nil && s.Run.Update == "" {
		e.start(s)
		return
	}
	if !s.Fresh(world.Cloud) || !s.Fresh(world.Cluster) || m == nil || m.Update == nil {
		seesNothing(s)
		return
	}
	u := m.Named(s.Run.Update)
	switch {
	case u == nil && asked(&s.Reader):
		return // EKS has answered, and is to be read next
	case u == nil:
		s.Fail(record.Failed, systems.EKSEnded(s.Run.Update, m.Update.ID))
		return
	case u != m.Update && !u.Over():
		return // one at a time: its end is read next
	case u != m.Update:
		keepNewer(s, u)
	}
	learnEnds(s, u)
	switch {
	case u.Status == world.UpdateFailed || u.Status == world.UpdateCancelled:
		if u == m.Update {
			s.Enter(mng.Infer(Picture(&s.Reader)).Phase) // it may have come further since the last look
		}
		failedUpdate(s, u)
		return
	case u.Status == world.UpdateSucceeded:
		succeededUpdate(s, m, u)
		return
	case u.Status != world.UpdateRuns:
		s.Note(systems.EKSStatus(u.ID, u.Status))
	}
	s.Run.Limit = e.Limit(s.W, &s.Run)
	infer(s, m)
}

// seesNothing notes that nothing new could be read of the update and its nodes.
func seesNothing(s *engine.Step) {
	if e := s.Run.External; e != nil {
		blind := *e
		blind.Blind = s.Now
		s.Run.External = &blind
	}
}

// succeededUpdate ends the run of an update that has succeeded, once its last nodes are seen to be gone.
func succeededUpdate(s *engine.Step, m *world.ManagedGroup, u *world.ManagedUpdate) {
	enterLast(s, m)
	s.Run.Candidates, s.Run.MoreDrains = nil, 0 // it is at none any more
	if left := s.In(record.Outdated, record.Draining, record.Settling, record.Terminating); len(left) > 0 && u == m.Update && !s.StoodStill(progress, lagging) {
		return
	}
	if old := s.In(record.Outdated, record.Draining, record.Settling); len(old) > 0 {
		s.Note(systems.EKSNotReplaced(namesOf(&s.Reader, old)))
	}
	if s.WakeAt(s.Now.Add(time.Second)); !restoredConfig(s) {
		return
	}
	s.EndAwait()
	s.Succeed()
}

// enterLast enters the last phase of an update that has succeeded: it may be through with that since the last
// look, and scale down takes only a moment in small groups. Once the run restores the update configuration, that
// says nothing of the update any more.
func enterLast(s *engine.Step, m *world.ManagedGroup) {
	h := s.Run.UpdateConfig
	ended := slices.ContainsFunc(s.Run.Phases, func(p record.Phase) bool { return p.Name == scaleDown && !p.Start.IsZero() })
	switch {
	case ended || h != nil && h.Restoring:
	case m.Minimal:
		s.Enter(upgrade)
	default:
		s.Enter(scaleDown)
	}
}

// learnEnds takes in what the group's activities tell of machines: those to replace that were terminated
// before the watch began, and those that others end.
func learnEnds(s *engine.Step, u *world.ManagedUpdate) {
	for _, a := range endsSince(s.W, u.Since) {
		n, known := s.Run.Nodes.Find(a.Ends)
		if !known && !a.young && s.W.Machine(a.Ends) == nil {
			s.SetNode(a.Ends, record.Node{Zone: a.Zone, Stage: record.Replaced, Since: a.At, Reason: systems.EKSEndedBefore})
		}
		if mng.Foreign(a.Why) && !(a.young && a.Why == world.EndScaledIn && !beforeScaleDown(s, a.At)) {
			s.Note(s.Label(a.Ends, n) + ": " + systems.EKSEnds(string(a.Why), a.Cause))
		}
	}
}

// beforeScaleDown reports whether something happened before the update's own scale down, in which it lowers
// the desired size: that phase is seen a little later than it begins.
func beforeScaleDown(s *engine.Step, at time.Time) bool {
	phase := s.Phase()
	return phase != "" && phase != scaleDown && s.Now.Sub(at) > lagging
}

// end is the activity that ends a machine; young: one that was launched after the update began.
type end struct {
	world.Activity
	young bool
}

// launchedSince are the machines that were launched since an update began.
func launchedSince(w *world.World, since time.Time) map[string]bool {
	launched := map[string]bool{}
	for _, a := range w.Group.Activities {
		if a.Launches != "" && !a.At.Before(since) {
			launched[a.Launches] = true
		}
	}
	return launched
}

// endsSince are the ends of machines since an update began.
func endsSince(w *world.World, since time.Time) (ends []end) {
	launched := launchedSince(w, since)
	for _, a := range w.Group.Activities {
		if a.Ends != "" && !a.At.Before(since) {
			ends = append(ends, end{a, launched[a.Ends]})
		}
	}
	return ends
}

// keepNewer lets the nodes that came after an update's beginning be new, whatever the update after
// it makes of them. Machines that are not listed any more have left.
func keepNewer(s *engine.Step, u *world.ManagedUpdate) {
	for _, id := range s.In(record.Outdated, record.Draining, record.Settling) {
		n, node := s.Run.Nodes.Get(id), s.W.NodeOf(id)
		switch {
		case s.W.Machine(id) == nil:
			n.Stage = record.Replaced
		case !n.New && node != nil && node.Created.After(u.Since):
			n.New, n.Stage = true, record.Ready
		default:
			continue
		}
		n.Since, n.Reason, n.Wait = s.Now, "", nil
		s.SetNode(id, n)
	}
}

// infer enters the phase that shows, and names the nodes that EKS may be at.
func infer(s *engine.Step, m *world.ManagedGroup) {
	p := Picture(&s.Reader)
	found := mng.Infer(p)
	if was := s.Phase(); found.Phase != was { // what is quiet is so since the phase begins
		s.Enter(found.Phase)
		p = Picture(&s.Reader)
		found = mng.Infer(p)
	}
	if found.Kept && (!slices.Equal(found.Candidates, s.Run.Candidates) || (found.More > 0) != (s.Run.MoreDrains > 0)) {
		window, still := s.Rules.Follows().Limits(&s.W.Group, nil).Drain, p.Quiet
		if marksLeft(&s.Reader) {
			still += marking
		}
		message := systems.EKSCandidates(held(&s.Reader, found.Candidates), still) + systems.EKSDeadlines(window-still, 3*window-still)
		if found.More > 0 {
			message = systems.EKSMoreCandidates(held(&s.Reader, found.Candidates), found.More)
		}
		s.Report(record.Event{Type: record.Warning, Reason: record.ReasonCandidates, Message: message})
		s.Soon()
	}
	s.Run.Candidates, s.Run.MoreDrains = found.Candidates, found.More
	s.WakeAt(s.Now.Add(time.Second))
}

// Picture is what can be seen of a group that EKS updates.
func Picture(s *assess.Reader) mng.Picture {
	m := s.W.Group.Managed
	p := mng.Picture{Minimal: m.Minimal, SetsUp: setsUp(s), Unread: m.UpdatesUnread != "", Phase: s.Phase(), Desired: s.W.Group.Sizes.Desired, AtOnce: s.Run.Limit}
	last := markedSince(s)
	if e := s.Run.External; e != nil && e.Blind.After(last) { // nodes may have come further meanwhile
		last = e.Blind
	}
	for id, n := range s.Run.Nodes.All() {
		if !n.New && n.Since.After(last) && (!slices.Contains(s.Run.Candidates, n.Name) || waitsEmpty(s, n)) {
			last = n.Since
		}
		if !n.New && s.W.Machine(id) == nil && n.Stage != record.Replaced { // it is about to be
			last = s.Now
		}
	}
	if p.Quiet = s.Now.Sub(last); marksLeft(s) {
		p.Quiet -= marking
	}
	for _, e := range endsSince(s.W, m.Update.Since) {
		if e.Why == world.EndRequested && !e.young {
			p.Ended++
		}
	}
	first, full := firstOf(s)
	p.Full = full
	for _, machine := range s.W.Machines() {
		p.Nodes = append(p.Nodes, nodePicture(s, machine, first))
	}
	return p
}

// waitsEmpty reports whether a node that nothing is known to have begun with has no pods: it is quiet for as long whether it is named
// as one that EKS may be at or not.
func waitsEmpty(s *assess.Reader, n record.Node) bool {
	return n.Stage == record.Outdated && n.Name != "" && len(mng.Leaving(s.W, n.Name)) == 0
}

// marking is for how long EKS may mark old nodes before it picks the first.
const marking = 30 * time.Second

// marksLeft reports whether the nodes of an update that the run has started may have the marks of a failed one before it: that
// all are marked does not tell that EKS is at one of them.
func marksLeft(s *assess.Reader) bool {
	before := s.W.Group.Managed.Earlier
	return s.Run.Target.Update != nil && len(before) > 0 && before[0].Status != world.UpdateSucceeded
}

// setUp is for how long EKS may take to give a group the launch template of an update.
const setUp = 2 * time.Minute

// setsUp reports whether EKS still sets the update up, as the group launches what it did before. Marks and new nodes are those
// of an update before it.
func setsUp(s *assess.Reader) bool {
	g, before := &s.W.Group, s.Run.BaseTemplate
	if n := len(s.Run.FailedUpdates); n > 0 {
		before = s.Run.FailedUpdates[n-1].Template
	}
	since := g.Managed.Update.Since
	ours := s.Run.Target.Update != nil && !since.Before(s.Run.Started)
	return g.SetsUp() || ours && g.Template == before && s.Now.Sub(since) < setUp
}

// firstOf is when EKS began with the first of the nodes that are known to be under way. Since then it has picked as many
// as it takes at once where none was through since, and the watch saw it begin.
func firstOf(s *assess.Reader) (first time.Time, full bool) {
	for _, n := range s.Run.Nodes.All() {
		if !n.New && underway(n) && !n.Began.IsZero() && (first.IsZero() || n.Began.Before(first)) {
			first = n.Began
		}
	}
	for _, ph := range s.Run.Phases { // else the watch began amid the upgrade
		full = full || !ph.Start.IsZero() && (ph.Name != upgrade || first.After(ph.Start))
	}
	for _, n := range s.Run.Nodes.All() {
		full = full && !(n.Stage == record.Replaced && n.Since.After(first))
	}
	e := s.Run.External
	return first, full && !first.IsZero() && (e == nil || first.After(e.Blind))
}

// underway reports whether a node is known to be picked by EKS.
func underway(n record.Node) bool {
	return (n.Stage == record.Draining || n.Stage == record.Settling) && !assess.Guessed(world.MoverEKS, n) || n.Stage == record.Terminating
}

// markedSince is since when all marks are there: as they say it, or since the phase began where one
// does not.
func markedSince(s *assess.Reader) (last time.Time) {
	known := s.Phase() == upgrade
	for id, n := range s.Run.Nodes.All() {
		for _, move := range s.Run.External.MovesOf(id) {
			if move.By != world.MoverEKS || n.New {
				continue
			}
			if known = known && !move.Since.IsZero(); move.Since.After(last) {
				last = move.Since
			}
		}
	}
	if known && !last.Before(s.W.Group.Managed.Update.Since) { // else a failed update has left them
		return last
	}
	for _, ph := range s.Run.Phases {
		if ph.Start.After(last) {
			last = ph.Start
		}
	}
	return last
}

func nodePicture(s *assess.Reader, m *world.Machine, first time.Time) mng.Node {
	n := s.Run.Nodes.Get(m.ID)
	out := mng.Node{Name: n.Name, Zone: m.Zone, Old: !s.UpToDate(m), Leaving: m.Leaving(),
		Candidate: slices.Contains(s.Run.Candidates, n.Name)}
	out.Picked = underway(n)
	if end, known := s.W.Group.EndOf(m.ID); known {
		out.Taken, out.Foreign = !mng.Foreign(end.Why), mng.Foreign(end.Why)
	} else {
		out.Taken = !n.Began.IsZero()
	}
	node := s.W.NodeOf(m.ID)
	if node == nil {
		return out
	}
	out.Joined, out.Ready, out.Marked = true, node.Ready, mng.Marked(s.Run.External.MovesOf(m.ID))
	out.Young = mng.Young(&s.W.Group, node)
	for _, p := range mng.Leaving(s.W, node.Name) {
		out.Left++
		gate := drain.GateOf(s.W, p, func(string) int { return 0 })
		if !gate.Open || opened(s, gate) || p.Terminating() && !p.Evicted {
			out.Kept++
		}
		if !gate.Open && (gate.Double() || len(gate.Budgets) == 1 && gate.Budgets[0].Since.Before(first)) {
			out.Long++
		}
	}
	return out
}

// retries is for how long EKS may not have tried an eviction again.
const retries = 10 * time.Second

// opened reports whether the budget of a pod allows evictions only since a moment before the update was last read, so
// that EKS may not have noticed, or was at no node any more.
func opened(s *assess.Reader, g drain.Gate) bool {
	return len(g.Budgets) == 1 && s.W.Health[world.Cloud].Fresh.Sub(g.Budgets[0].Since) < retries
}

// held names nodes with the pods that are kept on them, their owners and PDBs.
func held(s *assess.Reader, nodes []string) (out []string) {
	for _, name := range nodes {
		out = append(out, systems.EKSNodeWith(name, heldOn(s, name)))
	}
	return out
}

// heldOn says of the pods that have to leave a node what keeps them.
func heldOn(s *assess.Reader, node string) (out []string) {
	n := s.W.Node(node)
	if n == nil {
		return nil
	}
	for _, p := range mng.Leaving(s.W, node) {
		if p.Terminating() || !drain.GateOf(s.W, p, func(string) int { return 0 }).Open {
			b := blockers.Of(s, p, s.Run.Nodes.Get(n.Machine), n.Machine)
			out = append(out, text.HeldPod(b.Pod, b.Owner, b.Detail))
		}
	}
	return out
}

// results are what EKS's errors make of the run.
var results = map[string]record.Result{"PodEvictionFailure": record.EvictionFail, "NodeCreationFailure": record.CreationFail}

// failedUpdate ends the run as EKS ended the update, and joins EKS's errors with what was seen:
// the pods that were held on the nodes that it names, and why new nodes did not come.
func failedUpdate(s *engine.Step, u *world.ManagedUpdate) {
	defer func() { s.Run.Candidates, s.Run.MoreDrains = nil, 0 }() // it is at none any more
	result := record.Failed
	var why []string
	for _, e := range u.Errors {
		known, is := results[e.Code]
		if is {
			result = known
		}
		var with []string
		for _, name := range resources(s, e, known) {
			with = append(with, heldOn(&s.Reader, name)...)
		}
		s.Run.BlockingPods = append(s.Run.BlockingPods, with...)
		why = append(why, text.EKSError(e.Code, e.Message, e.Resources, with))
		if known == record.CreationFail {
			why = append(why, systems.EKSLaunches(s.LaunchFailure(), notReady(&s.Reader))...)
		}
	}
	switch request := s.Run.Target.Update; {
	case u.Status == world.UpdateCancelled:
		s.Fail(result, text.EKSUpdateCancelled(u.ID, why))
	case request == nil:
		s.Fail(result, text.EKSUpdateFailed(u.ID, why))
	case len(s.Run.FailedUpdates) < request.Retry:
		updateAgain(s, u, result, text.EKSUpdateFailed(u.ID, why))
	case request.Asks:
		s.AskAgain(record.FailedUpdate{ID: u.ID, Result: result, Why: text.EKSUpdateFailed(u.ID, why), Template: s.W.Group.Template}, stands(s))
	default:
		stands(s)
		s.Fail(result, text.EKSUpdateFailed(u.ID, why))
	}
}

// resources are the nodes that an error is about, by name: EKS has their names or the ids of their
// instances. Where an eviction failed and EKS names none they are the nodes that were seen to drain and
// those that EKS may have been at.
func resources(s *engine.Step, e world.ManagedIssue, result record.Result) (nodes []string) {
	for _, name := range e.Resources {
		if n := s.W.NodeOf(name); n != nil {
			name = n.Name
		}
		nodes = append(nodes, name)
	}
	if len(nodes) > 0 || result != record.EvictionFail {
		return nodes
	}
	nodes = slices.Clone(s.Run.Candidates)
	for _, id := range slices.Sorted(s.Run.Nodes.Keys()) { // EKS's marks tell nothing once it is over
		n := s.Run.Nodes.Get(id)
		if name := s.Label(id, n); !n.Began.IsZero() && n.Stage == record.Outdated && !slices.Contains(nodes, name) {
			nodes = append(nodes, name)
		}
	}
	return nodes
}

// notReady says of the new machines that are not Ready why.
func notReady(s *assess.Reader) (out []string) {
	for _, m := range s.W.Machines() {
		if n := s.Run.Nodes.Get(m.ID); n.New && !m.Leaving() && s.WhyNotReady(m) != "" {
			out = append(out, s.WhyNotReady(m))
		}
	}
	return out
}

func namesOf(s *assess.Reader, ids []string) (out []string) {
	for _, id := range ids {
		out = append(out, s.Label(id, s.Run.Nodes.Get(id)))
	}
	return out
}

// Update is the one that is under way, or that was begun after a time: EKS does not tell when one
// ended.
func (EKSManaged) Update(w *world.World, after time.Time) string {
	if c := (mng.Controller{}); !c.Drives(&w.Group) {
		return ""
	}
	if u := w.Group.Managed.Update; !u.Over() || u.Since.After(after) {
		return u.ID
	}
	return ""
}

// Tells says what the update does.
func (EKSManaged) Tells(w *world.World) string {
	u := w.Group.Managed.Update
	return systems.EKSStarted(u.ID, text.EKSUpdateDoes(u.Version, u.Release, u.Status))
}

// Followed is a run that follows the update of a group's nodes which is under way.
func (e EKSManaged) Followed(w *world.World, id string, now time.Time) record.Run {
	m := w.Group.Managed
	settings := e.Defaults()
	if a, err := record.ParseAmount(m.MaxUnavailable); err == nil {
		settings.MaxUnavailable = a
	}
	r := assess.NewRun(e, id, 0, w, settings, record.Target{Templates: append([]world.Template{w.Group.Template}, w.Group.Overrides...)})
	r.Update, r.Limit = m.Update.ID, e.Limit(w, &r)
	r = engine.Start(r, m.Update.Since, text.EKSUpdate(m.Update.ID))
	r.Seen = now
	return r
}
