package ui

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine"
)

// looker is a dialog that shows more than every snapshot has.
type looker interface{ looksAt() engine.Look }

// tellLook tells what the dialogs that are open look at, if that has changed. What
// those below look at stays, so that it is there when one goes back.
func (m *Model) tellLook() {
	var at engine.Look
	add := func(d dialog) {
		if l, ok := d.(looker); ok {
			look := l.looksAt()
			at.Machine, at.Budget = cmp.Or(at.Machine, look.Machine), cmp.Or(at.Budget, look.Budget)
		}
	}
	add(m.dialog)
	for i := len(m.under) - 1; i >= 0; i-- {
		add(m.under[i])
	}
	if at == m.looked {
		return
	}
	m.looked = at
	if m.opts.Look != nil {
		m.opts.Look(at)
	}
}

// tellUnread tells whose pods are to be read first: those that the frame has no number
// for.
func (m *Model) tellUnread() {
	if m.sc != nil && m.sc.Partial && m.opts.Unread != nil {
		m.opts.Unread(m.nodes.unread)
	}
}

// unread is a line that says why a panel has nothing to tell.
func (m *Model) unread(w int) string {
	return newLine(m.st, w).space(1).add(m.st.dim, "not known yet: the pods of the cluster are being read").String()
}

// stillReading says that details are still to come.
const stillReading = "reading ..."

// reading says that details are still to come, and for good if they are not; "" where
// none are to be had.
func (m *Model) reading() string {
	switch {
	case m.opts.Look == nil:
		return ""
	case m.over():
		return "the run is over: no more is read"
	case m.ended:
		return "the run sends no more news: no more is read"
	}
	return stillReading
}

// podInSight is a pod of the node that is looked at, nil if it is none of those.
func (m *Model) podInSight(uid string) *engine.PodDetail {
	if m.sc.Node == nil || uid == "" {
		return nil
	}
	for _, p := range m.sc.Node.Pods {
		if p.UID == uid {
			return p
		}
	}
	return nil
}

// forcePod asks to force one pod, or says why that cannot be.
func (m *Model) forcePod(t forceTarget) tea.Cmd {
	if why := m.whyNotForce(t); why != "" {
		m.refuse("cannot force now: " + why)
		return m.tick()
	}
	return m.deeper(newForceDialog(t))
}

// whyNotForce says why a pod cannot be forced now, by the rules of the board's key,
// "" if it can.
func (m *Model) whyNotForce(t forceTarget) string {
	off := (&forceDialog{forceTarget: t}).off(m)
	switch row, p := m.sc.row(t.machine), m.podInSight(t.uid); {
	case m.opts.ReadOnly:
		return "this dashboard only watches"
	case off != "":
		return off
	case row == nil:
		return m.sc.node(t.node) + " is gone"
	case p != nil && p.Stage == engine.StageIgnored:
		return p.Ref + " goes with its node"
	case p == nil && !m.leaves(t.uid):
		return t.pod + " is no longer in the way"
	}
	return ""
}

// leaves reports whether a pod is still to leave its node, or on its way.
func (m *Model) leaves(uid string) bool {
	return slices.ContainsFunc(m.sc.Blockers, func(b *engine.Blocker) bool { return b.UID == uid }) ||
		slices.ContainsFunc(m.sc.Evictions, func(e *engine.Eviction) bool { return e.UID == uid })
}
