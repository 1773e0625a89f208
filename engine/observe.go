package engine

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/workloads"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// observer is the part of a step that brings the run up to date with the world, before it
// decides what to do.
type observer struct{ *Step }

// observe brings the run's nodes up to date with the machines of the group:
// new ones are taken in, launching ones become ready, those that left are
// replaced.
func (s observer) observe() {
	if !s.Fresh(world.Cloud) || len(s.Run.Target.Templates) == 0 {
		return // what is not there may only be unknown
	}
	s.First = s.Run.Nodes.Len() == 0
	for list := s.With(assess.Changing); len(list) > 0; {
		id, touched := list[0], len(s.touched)
		list = list[1:]
		s.observeMachine(s.W.Machine(id))
		if slices.ContainsFunc(s.touched[touched:], func(other string) bool { return other != id }) { // its name was taken off another node
			list = slices.DeleteFunc(s.With(assess.Changing), func(other string) bool { return s.ByPlace(other, id) <= 0 })
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.Among(assess.Unlisted))) {
		n := s.Run.Nodes.Get(id)
		switch {
		case detaching(&s.Reader, id):
		case n.Missing.IsZero() && n.Stage != record.Terminating:
			n.Missing = s.Now
			s.SetNode(id, n)
			s.WakeAt(s.Now.Add(assess.MissingFor))
		case n.Stage == record.Terminating || s.Now.Sub(n.Missing) >= assess.MissingFor:
			s.gone(id)
		}
	}
	s.reportLaunchFailure()
	s.observePods()
}

// observeMachine brings the run's node up to date with its machine.
func (s observer) observeMachine(m *world.Machine) {
	n, known := s.Run.Nodes.Find(m.ID)
	switch {
	case known:
		n.Missing = time.Time{}
	case m.Leaving():
		return
	default:
		n = s.takeIn(m)
	}
	n = s.follow(m, n)
	if was, known := s.Run.Nodes.Find(m.ID); !known || !n.Same(&was) {
		s.SetNode(m.ID, n)
	}
}

// takeIn makes the run's entry of a machine it has not seen before.
func (s observer) takeIn(m *world.Machine) record.Node {
	n := record.Node{Zone: m.Zone, Since: s.Now, New: s.UpToDate(m), Stage: record.Outdated, Detached: m.Detached}
	switch {
	case m.State == world.MachineStandby:
		n.Stage, n.Reason = record.Skipped, text.InStandby
	case !n.New && !selected(&s.Reader, m):
		n.Stage, n.Reason = record.Skipped, record.NotSelected
	case n.New && s.ReadyForPods(m, s.W.NodeOf(m.ID)) && (s.Run.State == record.Planned || s.LaunchedBefore(m)):
		n.Stage = record.Ready
	case n.New:
		n.Stage = record.Launching
		n.Wait = s.NewWait(record.WaitJoining, s.JoinTime(), world.Cluster, world.Cloud)
	}
	if !n.New {
		n.Was, n.Late = m.Template, s.Run.State != record.Planned && !s.LaunchedBefore(m)
	}
	s.changed = true
	if n.Stage == record.Outdated { // its launch may have been under way when the order was made
		s.inOrder(m.ID)
	}
	if node := s.W.NodeOf(m.ID); node != nil {
		n.Name, n.Old = node.Name, node.Version
		freeName(s.Step, m.ID, n.Name)
	}
	if n.New && n.Stage == record.Launching {
		noticed(s.Step)
		s.Report(record.Event{Type: record.NodeLaunching, Node: s.Label(m.ID, n), Zone: m.Zone, Message: text.Launching(m.ID)})
	} else if !n.New {
		s.Report(record.Event{Type: record.NodeOutdated, Node: s.Label(m.ID, n), Zone: m.Zone, Message: whyOutdated(&s.Reader, m)})
	}
	return n
}

// noticed takes note of how long the group took to launch a machine in place of one that was ended past it: the
// only one that terminates.
func noticed(s *Step) {
	ends := s.In(record.Terminating)
	if !s.Capabilities().Direct || len(ends) != 1 {
		return
	}
	if n := s.Run.Nodes.Get(ends[0]); !n.Detached && !n.Decrement {
		measure(s, record.TimeNotice, n.Since, s.Now)
	}
}

// inOrder puts a machine at the end of the order, if that was made already.
func (s observer) inOrder(id string) {
	if len(s.Run.Order) > 0 {
		s.Run.Order = append(slices.DeleteFunc(slices.Clone(s.Run.Order), func(other string) bool { return other == id }), id)
	}
}

// follow moves a launching machine on as it joins and gets ready.
func (s observer) follow(m *world.Machine, n record.Node) record.Node {
	if m.Leaving() && !n.Ends && n.Stage == record.Terminating && n.Decrement && s.Settled("terminate/"+m.ID) {
		n.Decrement, s.changed = false, true // others end it: that takes nothing down
		s.Run.Lowered--
	}
	n.Ends = n.Ends || m.Leaving()
	switch {
	case m.Detached && !n.Detached:
		s.SetNode(m.ID, n)
		s.left(m.ID)
		n = s.Run.Nodes.Get(m.ID)
	case n.Detached != m.Detached && s.Settled(record.DetachKey(m.ID)): // else our own answer is newer
		n.Detached, s.changed = m.Detached, true // the estimate of the time left counts it
	}
	if m.State == world.MachineStandby && s.standsBy(m.ID, n) {
		return s.Run.Nodes.Get(m.ID)
	}
	node := s.W.NodeOf(m.ID)
	if node != nil && n.Name == "" {
		n = s.joined(m, node, n)
	}
	if n.Stage == record.Launching && s.ReadyForPods(m, node) {
		n = s.serves(m, node, n)
	}
	return n
}

// standsBy leaves a node out whose machine others have set to Standby: an outdated one is skipped, and a surplus
// one is none of those that are too many any more. It reports whether the node was to go.
func (s observer) standsBy(id string, n record.Node) bool {
	drains := n.Stage == record.Draining || n.Stage == record.Settling
	switch {
	case n.New && drains:
		s.SetNode(id, n)
		s.putBack(id, n)
		return true
	case !n.New && (drains || n.Stage == record.Outdated || n.Stage == record.Queued):
		s.skip(id, text.InStandby)
		return true
	}
	return false
}

// serves makes a launching machine one that takes pods.
func (s observer) serves(m *world.Machine, node *world.Node, n record.Node) record.Node {
	what := text.InService
	if node != nil {
		what = text.Joined(node.Version)
		if node.Created.After(n.Since) { // its launch was seen
			measure(s.Step, record.TimeServe, n.Since, s.Now)
		}
	}
	n.Stage, n.Since, n.Wait = record.Ready, s.Now, nil
	s.Report(record.Event{Type: record.NodeReady, Node: s.Label(m.ID, n), Zone: n.Zone, Message: what})
	return n
}

// joined gives a machine the name of its node. One that --only names is selected by it.
func (s observer) joined(m *world.Machine, node *world.Node, n record.Node) record.Node {
	n.Name, n.Old = node.Name, node.Version
	s.changed = true
	if n.Stage == record.Launching && node.Created.After(n.Since) {
		measure(s.Step, record.TimeJoin, n.Since, node.Created)
	}
	freeName(s.Step, m.ID, n.Name)
	if n.Stage == record.Skipped && n.Reason == record.NotSelected && selected(&s.Reader, m) { // its name is known only now
		n.Stage, n.Since, n.Reason = record.Outdated, s.Now, ""
		s.inOrder(m.ID)
		s.Report(record.Event{Type: record.NodeOutdated, Node: n.Name, Zone: n.Zone, Message: text.OnlyNamed})
	}
	return n
}

// gone settles a machine that is no longer in the group.
func (s observer) gone(id string) {
	n := s.Run.Nodes.Get(id)
	if asked, open := s.Run.Pending["terminate/"+id]; open && asked.Accepted.IsZero() {
		if !n.Ends {
			return // its answer tells whether it was us
		}
		if asked.Action.Decrement {
			doubt(s.Step) // others may have ended it first
		}
	}
	if n.Stage == record.Terminating && !n.Ends { // nobody has granted its end
		s.tookNothing(id)
		n = s.Run.Nodes.Get(id)
	}
	ours := n.Stage == record.Terminating && n.Ends
	if node := s.W.NodeOf(id); node == nil || ours {
		s.dropMarks(id)
	} else {
		s.Report(record.Event{Type: record.Warning, Node: node.Name, Zone: n.Zone, Message: text.NodeOutlives(id)})
	}
	s.changed = true
	if ours {
		measure(s.Step, record.TimeEnd, n.Since, s.Now)
	}
	addPendingHook(s.Step, id, n)
	if assess.InWork(&s.Run, id) {
		requireValidation(s.Step, id)
		n = s.Run.Nodes.Get(id)
	}
	if n.New {
		s.dropNode(id)
		if ours && n.Unfit != "" {
			s.Report(record.Event{Type: record.NodeReplaced, Node: s.Label(id, n), Zone: n.Zone, Reason: record.ReasonGivenUp, Message: text.ReplacedAgain})
		} else if ours {
			s.Report(record.Event{Type: record.NodeReplaced, Node: s.Label(id, n), Zone: n.Zone, Reason: "surplus", Message: text.Retired})
		} else {
			s.Report(record.Event{Type: record.Warning, Node: s.Label(id, n), Zone: n.Zone, Message: text.NewMachineLeft(id)})
		}
		return
	}
	e := record.Event{Type: record.NodeReplaced, Node: s.Label(id, n), Zone: n.Zone, Message: text.Gone}
	if !ours {
		n.Reason = text.LeftNotByUs
		e.Message = n.Reason
	}
	if ours && !n.Began.IsZero() {
		s.Run.NodeTime = max(s.Run.NodeTime, s.Now.Sub(n.Began))
	}
	n.Stage, n.Since, n.Wait, n.Blocked = record.Replaced, s.Now, nil, false
	n.Began, n.Empty, n.Tried, n.Pods = time.Time{}, time.Time{}, time.Time{}, 0 // nobody asks any more, and the record has a limit
	s.SetNode(id, n)
	forgetForced(s.Step, id)
	s.Report(e)
}

// observePods notices evicted pods that have left, and those of the same owner
// that came back.
func (s observer) observePods() {
	if !s.Fresh(world.Cluster) {
		return
	}
	settled := func(uid string) bool { return s.Settled(record.EvictKey(uid)) && s.Settled(record.DeleteKey(uid)) }
	for node, pods := range assess.GonePods(&s.Reader) {
		for uid := range pods {
			if s.W.Node(node) == nil && settled(uid) { // none of its owner can come back to the node
				dropPod(s.Step, uid)
				s.changed = true
			}
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(assess.LeftPods(&s.Reader))) {
		if !settled(uid) {
			continue
		}
		p := s.Run.Pods.Get(uid)
		if p.Evicted.IsZero() && !p.Forced {
			dropPod(s.Step, uid) // left by itself
			s.changed = true
			continue
		}
		p.Gone = s.Now
		setPod(s.Step, uid, p)
		stopped(s.Step, p)
		s.Report(record.Event{Type: record.PodGone, Node: p.Node, Pod: p.Ref, Message: text.PodLeft(p.Gone.Sub(p.Went()))})
	}
}

// stopped takes note of how long a pod took to stop.
func stopped(s *Step, p record.Pod) {
	if !measure(s, record.TimeStop, p.Went(), p.Gone) {
		return
	}
	if w, known := s.Run.Workloads[p.Owner]; known {
		w.Stops, w.StopTime = w.Stops+1, w.StopTime+p.Gone.Sub(p.Went())
		setWorkload(s, p.Owner, w)
	}
}

// measure takes note of a duration, and reports whether it was seen from beginning to end.
func measure(s *Step, kind record.Timed, from, to time.Time) bool {
	if s.Run.Gap.After(from) {
		return false
	}
	s.Run.Measured, s.changed = s.Run.Measured.With(kind, to.Sub(from)), true
	return true
}

// workload is the run's account of the workload that an owner's pods belong to, begun at a time if
// there is none; false where it keeps account of too many already, or the pod has no owner.
func workload(s *Step, at time.Time, owner, uid, ref string) (record.Workload, bool) {
	w, known := s.Run.Workloads[owner]
	if owner == "" || !known && len(s.Run.Workloads) >= record.MostWorkloads {
		return w, false
	}
	if known {
		return w, true
	}
	w.Namespace, w.Name, _ = strings.Cut(ref, "/")
	for _, p := range append([]*world.Pod{s.W.Pod(uid), s.W.Stopping(uid)}, s.W.PodsOf(owner)...) {
		if p != nil {
			w = workloads.Named(p)
			break
		}
	}
	w.Since = at
	return w, true
}

// setWorkload changes the account of a workload.
func setWorkload(s *Step, owner string, w record.Workload) {
	observer{s}.ownWorkloads()
	s.Run.Workloads[owner], s.changed = w, true
}

// ownWorkloads makes the accounts this step's own.
func (s observer) ownWorkloads() {
	if !s.copiedWorkloads {
		s.Run.Workloads, s.Run.Leaving, s.copiedWorkloads = cloneMap(s.Run.Workloads), cloneMap(s.Run.Leaving), true
	}
}

// countMoved counts a pod that leaves its node because of the run, since a time: its replacement
// may be there before the answer to its eviction is.
func countMoved(s *Step, since time.Time, uid, owner, ref string) {
	if w, ok := workload(s, since, owner, uid, ref); ok && !s.Run.Leaving[uid] {
		if p := cmp.Or(s.W.Pod(uid), s.W.Stopping(uid)); p != nil && workloads.Replaces(p, &w) {
			w.Again++
		}
		w.Moved++
		setWorkload(s, owner, w)
	}
}

const (
	// workloadsEvery is how often a run looks how the workloads stand whose pods it has moved.
	workloadsEvery = 2 * time.Second
	// wellAgain is for how long all replacements must be Ready until a trouble that was told is
	// over: a pod that crash-loops runs in between.
	wellAgain = time.Minute
)

// observeWorkloads counts the pods that another controller moves for the run, notes how the
// workloads stand whose pods were moved, and tells of trouble.
func observeWorkloads(s *Step) {
	if !s.Fresh(world.Cluster) || s.W.Partial() || s.Run.State == record.Finished || s.Now.Sub(s.Run.WorkloadsSeen) < workloadsEvery {
		return
	}
	observeLeaving(s)
	var news []string // owners whose workloads have changed, or are in trouble
	for owner, was := range s.Run.Workloads {
		if is := workloads.Now(s.W, owner, was); is != was || is.Trouble() != record.NoTrouble || is.Reported != record.NoTrouble {
			news = append(news, owner)
		}
	}
	slices.Sort(news)
	for _, owner := range news {
		was := s.Run.Workloads[owner]
		is := workloads.Now(s.W, owner, was)
		reportWorkload(s, owner, &is)
		if is != was {
			setWorkload(s, owner, is)
		}
	}
	s.Run.WorkloadsSeen = s.Now
}

// observeLeaving counts the pods that stop on nodes which another controller drains for the run.
func observeLeaving(s *Step) {
	for uid := range s.Run.Leaving {
		if s.W.Pod(uid) == nil && s.Settled(record.DeleteKey(uid)) { // else an answer to ours may come, and count it again
			observer{s}.ownWorkloads()
			delete(s.Run.Leaving, uid)
			s.changed = true
		}
	}
	for _, id := range s.In(record.Draining, record.Updating) {
		n := s.Run.Nodes.Get(id)
		if n.Name == "" || !assess.IsDraining(n) || !s.DrainedByOthers(n.Name) {
			continue
		}
		for _, p := range s.W.PodsOn(n.Name) {
			if !p.Terminating() || s.Run.Leaving[p.UID] || s.Judge(p).Fate != drain.Leaves || !s.Run.Pods.Peek(p.UID).Evicted.IsZero() {
				continue
			}
			countMoved(s, p.Ends.Add(-p.Grace), p.UID, p.Owner.UID, p.Ref())
			if s.Run.Workloads[p.Owner.UID].Moved > 0 {
				observer{s}.ownWorkloads()
				s.Run.Leaving[p.UID] = true
			}
		}
	}
}

// reportWorkload tells that the replacements of moved pods crash-loop, or stay Pending, and when
// all are Ready again.
func reportWorkload(s *Step, owner string, w *record.Workload) {
	switch trouble := w.Trouble(); {
	case trouble == record.InCrashLoop && w.Reported != trouble:
		tellWorkload(s, record.WorkloadCrashing, w)
	case trouble == record.IsPending && w.Reported == record.NoTrouble && s.Now.Sub(w.TroubleSince) >= s.Run.Settings.PendingLimit: // a node that boots takes pods soon
		tellWorkload(s, record.WorkloadPending, w)
	case w.Reported != record.NoTrouble:
		recover := *w
		recover.Reported = record.NoTrouble // else a pod that has crash-looped counts as one that does
		recover = workloads.Now(s.W, owner, recover)
		switch {
		case recover.CrashLooping+recover.Pending+recover.Starting > 0:
			w.Well = time.Time{}
		case w.Well.IsZero():
			w.Well = s.Now
			s.WakeAt(s.Now.Add(wellAgain))
		case s.Now.Sub(w.Well) >= wellAgain:
			recover.Well = time.Time{}
			*w = recover
			s.Report(record.Event{Type: record.WorkloadReady, Message: text.Workload(w.Kind, w.Ref(), w.Sentence())})
		default:
			s.WakeAt(w.Well.Add(wellAgain))
		}
	}
}

// tellWorkload tells of the trouble of a workload.
func tellWorkload(s *Step, as record.EventType, w *record.Workload) {
	w.Reported, w.Well = w.Trouble(), time.Time{}
	s.Report(record.Event{Type: as, Pod: w.Pod, Node: w.Node, Message: w.Sentence()})
}

// selected reports whether the run is to roll a machine at all.
func selected(s *assess.Reader, m *world.Machine) bool {
	only := s.Run.Target.Only
	if len(only) == 0 || slices.Contains(only, m.ID) {
		return true
	}
	node := s.W.NodeOf(m.ID)
	return node != nil && slices.Contains(only, node.Name)
}

// TakeIn is the first step of a planned run, with the group's machines taken in: those to be
// replaced are returned. limit is MaxUnavailable resolved. It is for plans, which only read it.
func TakeIn(rules Strategy, now time.Time, w *world.World, r record.Run, limit int) (s *Step, outdated []string) {
	s = newStep(rules, now, w, r)
	s.Run.Limit, s.First = limit, true
	if len(s.Run.Target.Templates) == 0 {
		s.Run.Target.Templates = append([]world.Template{w.Group.Template}, w.Group.Overrides...)
		if image := s.Run.Target.Image; image != "" && image != w.Group.Image { // a version that is still to be made: nobody has it
			s.Run.Target.Templates[0].Version = 1 << 40
		}
	}
	return s, driveOf(s.Rules).plan(s)
}
