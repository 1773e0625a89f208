package strategy

import (
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// configured has the group updated as the run asks for (maxUnavailable, update strategy), before EKS starts the update. It
// reports whether that is so. To set it is an update of EKS's own, which has to be over before another one starts.
func (EKSManaged) configured(s *engine.Step, m *world.ManagedGroup) bool {
	h, now, asked := s.Run.UpdateConfig, m.Config(), s.Run.Target.Update.Config
	switch {
	case h == nil && asked.Over(now) == now:
		return true
	case h == nil:
		h = &record.HeldConfig{Was: now, From: now, Set: asked.Over(now), Cluster: m.Cluster, Group: m.Name}
	case asked.Over(h.Was) == h.Was: // an earlier run has left it, and this one asks for nothing else
		return restoredConfig(s)
	case configFailed(m, h):
		s.Fail(record.Failed, systems.ConfigFailed(m.Configured.ID, m.Configured.Status, codes(m.Configured)))
		return false
	case asked.Over(h.Was) != h.Set: // an earlier run has left it, and this one asks for another
		other := *h
		if other.Set, other.Update = asked.Over(h.Was), ""; now == h.Set {
			other.From = now
		}
		h = &other
	}
	switch now {
	case h.Set:
		return true
	case h.From:
	default:
		s.HoldConfig(nil)
		s.Fail(record.Failed, systems.ConfigChanged(now.String(), h.Set.String(), h.Was.String()))
		return false
	}
	if h != s.Run.UpdateConfig {
		s.HoldConfig(h)
	}
	s.Ensure(h.Change(s.Run.ID, lastConfig(m)))
	return false
}

// restoredConfig gives the group back the update configuration that it had before the run. It reports whether nothing is
// left to restore, or nothing more can be done now: EKS refuses it while it updates the group.
func restoredConfig(s *engine.Step) bool {
	h, m := s.Run.UpdateConfig, s.W.Group.Managed
	if h == nil {
		return true
	}
	ends := s.Run.State == record.Ending
	switch {
	case !s.Fresh(world.Cloud) || m == nil || configAsked(s):
		return false
	case m.UpdatesUnread != "" || m.ConfigOld:
		awaitConfig(s, m.Unread)
		return false
	case m.Configuring() != nil:
		awaitConfig(s, systems.EKSConfigures(m.Configured.ID, m.Configured.Status))
		return false
	}
	now := m.Config()
	switch {
	case now == h.Was:
		s.HoldConfig(nil)
		return true
	case now != h.Set && now != h.From, setByAnother(m, h):
		s.Note(systems.ConfigChanged(now.String(), h.Set.String(), h.Was.String()))
		s.HoldConfig(nil)
		return true
	case m.Update != nil && !m.Update.Over():
		return ends
	}
	again := *h
	if !h.Restoring || configFailed(m, h) { // a token gets the update that it made before
		again.Restoring, again.Update, again.Last, again.Asked = true, "", lastConfig(m), h.Asked+1
		if again.Asked > mostRestores {
			return ends || failsToRestore(s, m)
		}
		s.HoldConfig(&again)
	}
	s.Ensure(again.Restore(s.Run.ID, lastConfig(m), now))
	retry, refused := s.Run.Retries[record.RestoreConfigKey]
	return ends && refused && retry.Hopeless()
}

// setByAnother reports whether another user has had EKS set the configuration after the run has, also to the same: the latest
// update is neither the run's nor the one that was seen when the run asked for its own. Where the run does not know its own,
// that is one that sets less than the run has asked for. Nothing of the run's is under way.
func setByAnother(m *world.ManagedGroup, h *record.HeldConfig) bool {
	u := m.Configured
	return u != nil && u.ID != h.Update && u.ID != h.Last && u.Status == world.UpdateSucceeded && u.Config != (world.UpdateConfig{}) &&
		(h.Update != "" || h.Restoring || u.Config != h.Set)
}

// awaitConfig says why a run waits before the update configuration can be restored. One that ends early has a deadline of
// its own.
func awaitConfig(s *engine.Step, why string) {
	if s.Run.State == record.Running {
		s.Await(systems.ConfigNotRestored, []world.Unfinished{{Kind: world.UnfinishedOperation, Text: why}})
	}
}

// mostRestores is how many updates of the configuration a run asks for at most.
const mostRestores = 4

// failsToRestore ends a run whose update of the configuration EKS fails again and again.
func failsToRestore(s *engine.Step, m *world.ManagedGroup) bool {
	s.Fail(record.Failed, systems.ConfigFailed(m.Configured.ID, m.Configured.Status, codes(m.Configured)))
	return false
}

// End restores the update configuration.
func (EKSManaged) End(s *engine.Step) bool {
	s.WakeAt(s.Now.Add(time.Second))
	return restoredConfig(s)
}

// configAsked reports whether an update of the configuration was asked for whose end is still to be seen.
func configAsked(s *engine.Step) bool {
	_, set := s.Run.Pending[record.UpdateConfigKey]
	_, restores := s.Run.Pending[record.RestoreConfigKey]
	return set || restores
}

// configFailed reports whether EKS did not carry out the update of the configuration that the run has asked for.
func configFailed(m *world.ManagedGroup, h *record.HeldConfig) bool {
	u := m.Configured
	return h.Update != "" && u != nil && u.ID == h.Update && u.Over() && u.Status != world.UpdateSucceeded
}

// lastConfig is the id of the latest update of the group's configuration, "" where there was none.
func lastConfig(m *world.ManagedGroup) string {
	if m.Configured == nil {
		return ""
	}
	return m.Configured.ID
}

// codes are EKS's errors of an update.
func codes(u *world.ManagedUpdate) (out []string) {
	for _, e := range u.Errors {
		out = append(out, text.EKSError(e.Code, e.Message, e.Resources, nil))
	}
	return out
}
