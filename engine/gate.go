package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/movers"
	"github.com/drainboard/drainboard/engine/assess/preflight"
	"github.com/drainboard/drainboard/engine/assess/waves"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// gate is the part of a step that lets drains start, or holds them and says why.
type gate struct{ *Step }

// startDrains begins to empty nodes, at most slots of them, one after the other as
// far as the gate allows. One that does not serve takes nothing out of service, and
// goes ahead of those that the gate holds. One that another user or tool takes out of service
// is waited for.
func (s gate) startDrains(machines []string, slots int) {
	if len(machines) == 0 || s.overdue != "" {
		return
	}
	if slots <= 0 {
		if why := s.NoRoom(); why != "" {
			s.hold(why)
		}
		return
	}
	asked := assess.HooksUnderWay(&s.Run, record.BeforeNode)
	slots -= len(asked)
	if slots <= 0 {
		return
	}
	r := drainRound{machines: machines, asked: asked, about: slices.Clone(asked), inService: s.InService()}
	for _, id := range asked { // as if they drained
		if m := s.W.Machine(id); m != nil && s.Serves(m) {
			r.inService--
		}
	}
	for len(r.machines) > 0 {
		id := r.machines[0]
		r.machines = r.machines[1:]
		if !r.start(s.Step, id) {
			continue
		}
		if slots--; slots == 0 {
			r.held, r.waits, r.back = "", false, "" // the limit holds the others, not the gate
			break
		}
	}
	if why := r.holds(s.Step); why != "" && !s.awaitsSurge() {
		s.hold(why)
	} else {
		s.open()
	}
}

// awaitsSurge reports whether all that holds the drains is the boot of what stands in for the next node,
// which has a time of its own.
func (s gate) awaitsSurge() bool {
	return s.Capabilities().SurgeServes && s.InService() <= assess.MustServe(&s.Reader)-s.Spare() && s.launchUnderWay() != ""
}

// drainRound is one look at the nodes whose drains may start.
type drainRound struct {
	machines  []string // still to look at
	asked     []string // the hooks before their drains are under way
	about     []string // asked, and those of this round
	inService int      // nodes that serve, less those whose drains start

	held  string // why the gate holds nodes, "" if it does not
	waits bool   // for nodes that an external mover takes out of service
	back  string // why the strategy holds a node back
}

// start begins the drain of a node, or the hooks before it, unless something holds it.
func (r *drainRound) start(s *Step, id string) bool {
	if slices.Contains(r.asked, id) {
		return false
	}
	if s.TakenBy(s.Run.Nodes.Peek(id).Name) != "" {
		r.waits = true
		return false
	}
	m := s.W.Machine(id)
	serves := m != nil && s.Serves(m)
	stay := r.inService
	if serves || s.WaitedFor(id) {
		stay--
	}
	if r.held != "" && stay < r.inService {
		return false
	}
	if s.Conduct().InPlace(&s.Reader, id) && s.W.NodeOf(id) == nil {
		r.back = text.NothingToSelect(s.Label(id, s.Run.Nodes.Get(id)))
		return false
	}
	idles := s.Conduct().HoldsIdle() || s.W.Group.Role == world.RoleControlPlane // a member of etcd counts although its node takes no pods
	if why := s.Held(id, r.about); (serves || idles) && why != "" {
		r.back = why
		return false
	}
	if why := s.GateReason(stay); why != "" {
		if r.held == "" {
			r.machines = s.NotServing(r.machines)
		}
		r.held = why
		return false
	}
	if serves {
		r.inService--
	}
	if !s.Run.GateSince.IsZero() {
		s.Run.GateSince = s.Now // a drain has passed it
	}
	if letGo(s, id) {
		s.startDrain(id)
	} else {
		r.about = append(r.about, id)
	}
	return true
}

// holds returns why no further drain starts now, or the empty string.
func (r *drainRound) holds(s *Step) string {
	switch {
	case r.held != "":
		return r.held
	case r.waits && len(r.asked)+s.Count(record.Draining, record.Settling, record.Terminating, record.Updating) == 0:
		if why := assess.WaitsFor(&s.Run); why != "" {
			return why
		}
	}
	if r.back != "" && s.Idles() {
		return text.HeldBack(r.back, s.OutOfService())
	}
	return ""
}

// Admit starts drains: as many queued nodes as the limit and the gate allow.
func (s *Step) Admit() {
	if s.Run.State != record.Running {
		return
	}
	s.AddUnrestoredLate(0, s.Excess())
	slots := s.Slots()
	approve(s, slots)
	queued := s.Count(record.Queued)
	if why := cmp.Or(s.NoRoom(), s.Stalled()); why != "" && queued+s.Count(record.Outdated) > 0 {
		gate{s}.hold(why)
		return
	}
	if queued == 0 {
		gate{s}.open()
	}
	if slots <= 0 {
		return
	}
	next := s.NextQueued()
	if slices.Contains(s.Run.Settings.Order, record.OrderApart) {
		next = preflight.Apart(&s.Reader, next, slots)
	}
	gate{s}.startDrains(next, slots)
}

// GrowWave begins the next wave of nodes once the last one has proved itself, and notes what keeps
// the waves from growing, or the run from going on.
func (s *Step) GrowWave() {
	next, told := waves.Next(&s.Reader)
	if was := s.Run.Wave; was == nil || !next.Same(*was) {
		s.changed = s.changed || was != nil || len(told) > 0
		s.Run.Wave = &next
	}
	for _, message := range told {
		s.Report(record.Event{Type: record.Warning, Reason: record.ReasonWave, Message: message})
	}
	if len(told) > 0 && next.Trouble != "" && s.Run.Settings.OnTrouble == record.TroublePause {
		s.Pause(text.WaveTrouble(next.Trouble))
	}
}

// hold notes that no drain starts now; a gate that stays shut pauses the run, but not while hooks before a
// node are under way, of which one may have been asked in this very decision.
func (s gate) hold(why string) {
	if s.Run.GateSince.IsZero() {
		s.Run.GateSince = s.Now
		s.Report(record.Event{Type: record.Warning, Reason: "gate", Message: text.NoDrainStarts(why)})
	}
	s.set(text.GateAwaits(why, s.launchUnderWay()))
	limit := s.Run.GateSince.Add(s.Run.Settings.GatePause)
	s.WakeAt(limit)
	if !s.Now.Before(limit) && len(assess.HooksUnderWay(&s.Run, record.BeforeNode)) == 0 {
		s.open()
		if s.Run.Retires() {
			return // it has a time of its own
		}
		s.Pause(text.NoDrainStarted(s.Run.Settings.GatePause, why))
	}
}

// launchUnderWay is what the run waits for of the machines that are to stand in for others,
// "" if nothing is missing.
func (s gate) launchUnderWay() string {
	if w := s.Run.PhaseWait; w == nil || w.For != record.WaitReplacements {
		return ""
	}
	return s.AwaitedLaunch()
}

func (s gate) open() {
	s.Run.GateSince = time.Time{}
	s.set("")
}

// set says why no drain starts; that is written down for who watches.
func (s gate) set(why string) {
	s.changed = s.changed || s.Run.Gate != why
	s.Run.Gate = why
}

// Guard keeps the Cluster Autoscaler, where it looks at the group, from removing new
// nodes: they are empty because of us until the pods move, and each that it took down
// would be missing when they do. The mark comes off like all others, and the autoscaler
// has its own way again.
func (s *Step) Guard() {
	if s.Nodeless() {
		return
	}
	if movers.Autoscaled(&s.W.Group) == "" && !slices.ContainsFunc(s.Run.ExternalMovers, func(r record.ExternalMover) bool { return r.Who == string(world.MoverAutoscaler) }) {
		return
	}
	for _, id := range s.In(record.Launching, record.Ready, record.Surplus) {
		if n := s.Run.Nodes.Get(id); n.New && !guarded(&s.Reader, id, n.Name) {
			s.Mark(record.AnnotationOf(id, n.Name, world.KeepFromScaleDown, "true"))
		}
	}
}

// guarded reports whether there is nothing to do to guard a node: it is, or is not there.
func guarded(s *assess.Reader, machine, name string) bool {
	node := s.W.Node(name)
	if node == nil {
		return true
	}
	return node.Annotations[world.KeepFromScaleDown] == "true" && slices.ContainsFunc(s.Run.Marks[machine], func(m record.Mark) bool {
		return m.Put.Kind == record.Annotate && m.Put.Node == name && s.Settled(m.Put.Key)
	})
}

// watchExternalMovers keeps the run's list of external movers, and tells who has come and who has gone.
func (s *Step) watchExternalMovers() {
	was := s.Run.ExternalMovers
	now, deferrals := movers.Of(&s.Reader)
	over, come := record.MoverNews(was, now)
	for _, r := range over {
		s.Report(r.GoneEvent())
	}
	for _, r := range come {
		s.Report(r.AppearedEvent())
	}
	if !slices.EqualFunc(was, now, record.ExternalMover.Same) {
		s.changed = true
	}
	s.Run.ExternalMovers = now
	s.ForgetMovers()
	if deferrals != nil {
		s.Run.Deferrals = deferrals
	}
}
