package strategy

import (
	"cmp"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// start has EKS start the update that the run is to have. One that is under way already is followed in its place,
// as EKS carries out one at a time: there are never two. The request has a token of the run's, so that EKS
// answers it with the same update however often it is sent.
func (e EKSManaged) start(s *engine.Step) {
	m := s.W.Group.Managed
	s.WakeAt(s.Now.Add(time.Second))
	switch {
	case !s.Fresh(world.Cloud) || m == nil:
		return
	case asked(&s.Reader) || configAsked(s): // its answer, or the look at what came of it, is still to come
		return
	case m.UpdatesUnread != "" || m.ConfigOld:
		s.Await(systems.EKSNotStarted, []world.Unfinished{{Kind: world.UnfinishedOperation, Text: cmp.Or(m.UpdatesUnread, m.Unread)}})
		return
	case m.Update != nil && !m.Update.Over():
		e.attach(s, m.Update)
		return
	case m.Configuring() != nil:
		u := m.Configured
		s.Await(systems.EKSNotStarted, []world.Unfinished{{Kind: world.UnfinishedOperation, Text: systems.EKSConfigures(u.ID, u.Status)}})
		return
	}
	s.EndAwait()
	switch {
	case !e.configured(s, m):
	case s.Run.Target.Update.OnlyRestores:
		s.Succeed()
	default:
		s.Ensure(startOf(&s.Reader, m))
	}
}

// attach follows an update that is under way, unless it goes elsewhere.
func (EKSManaged) attach(s *engine.Step, u *world.ManagedUpdate) {
	asked, now := s.Run.Target.Update, s.W.Group.Managed.Config()
	if other := asked.Contradicts(u); other != "" {
		s.Fail(record.Failed, systems.EKSOtherTarget(u.ID, other))
		return
	}
	if want := asked.Config.Over(now); want != now {
		s.Fail(record.Failed, systems.EKSOtherConfig(u.ID, now.String(), want.String()))
		return
	}
	s.FollowUpdate(u.ID, systems.EKSAttached(u.ID, text.EKSUpdateDoes(u.Version, u.Release, u.Status)))
}

// startOf is the request that starts the update of a run.
func startOf(s *assess.Reader, m *world.ManagedGroup) record.Action {
	a := record.Action{Kind: record.StartUpdate, Key: record.StartUpdateKey, Group: m.Name, Update: s.Run.Target.Update, Token: s.Run.UpdateToken()}
	if m.Update != nil {
		a.Last = m.Update.ID
	}
	return a
}

// asked reports whether an update was asked for whose beginning is still to be seen.
func asked(s *assess.Reader) bool {
	_, pending := s.Run.Pending[record.StartUpdateKey]
	return pending
}

// Starts is a run that has EKS start an update of a group's nodes.
func (e EKSManaged) Starts(w *world.World, id string, settings record.Settings, request record.UpdateRequest) record.Run {
	r := assess.NewRun(e, id, 0, w, settings, record.Target{Update: &request})
	r.Limit = e.Limit(w, &r)
	return r
}

// updateAgain has EKS start another update after one that has failed: the nodes that it has replaced are new.
func updateAgain(s *engine.Step, u *world.ManagedUpdate, result record.Result, why string) {
	if asked := s.Run.FailedUpdate; asked == nil || asked.ID != u.ID { // else it was told
		s.Report(record.Event{Type: record.Warning, Reason: string(result), Message: why})
		stands(s)
	}
	s.Run.FailedUpdate = nil
	s.Enter("") // the phases begin once more
	for i, ph := range s.Run.Phases {
		s.Run.Phases[i] = record.Phase{Name: ph.Name}
	}
	for id, n := range s.Run.Nodes.All() {
		if n.Stage == record.Outdated && !n.Began.IsZero() {
			n.Began = time.Time{}
			s.SetNode(id, n)
		}
	}
	s.Run.FailedUpdates = append(slices.Clip(s.Run.FailedUpdates), record.FailedUpdate{ID: u.ID, Result: result, Why: why, Template: s.W.Group.Template})
	s.Run.Update, s.Run.BlockingPods = "", nil
	s.Report(record.Event{Type: record.Warning, Reason: record.ReasonEKS, Message: systems.EKSStartsAgain(len(s.Run.FailedUpdates), s.Run.Target.Update.Retry)})
	s.Soon()
}

// stands tells which nodes a failed update has replaced, and which are old.
func stands(s *engine.Step) string {
	var old []string
	for _, id := range slices.Sorted(s.Run.Nodes.Keys()) {
		if n := s.Run.Nodes.Get(id); !n.New && n.Stage != record.Replaced {
			old = append(old, s.Label(id, n))
		}
	}
	replaced, total := s.Run.Outdated()
	what := systems.EKSStands(replaced, total, old)
	s.Report(record.Event{Type: record.Warning, Reason: record.ReasonEKS, Message: what})
	return what
}
