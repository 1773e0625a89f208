package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// forceTarget is a node whose pods are to be deleted, or one pod on it.
type forceTarget struct{ machine, node, pod, uid string }

// ForceDialog says which promise is broken and wants the name typed. Why it is forced
// may be said, and is kept for the audit.
type ForceDialog struct {
	typing
	forceTarget
}

func newForceDialog(t forceTarget) *ForceDialog {
	return &ForceDialog{typing: newTyping(), forceTarget: t}
}

// Names are those that may be typed; the first is the one asked for.
func (d *ForceDialog) Names(m *Model) []string {
	if d.pod != "" {
		_, name, _ := strings.Cut(d.pod, "/")
		return []string{name, d.pod}
	}
	return []string{m.Scene.NodeName(d.node), d.node}
}

// looksAt: of a node that is forced all pods are wanted, with the budgets that they break.
func (d *ForceDialog) looksAt() snapshot.Look { return snapshot.Look{Machine: d.machine} }

func (d *ForceDialog) Title(m *Model) string { return "Force " + d.Names(m)[0] }

// Warning says what a force does and which promises it breaks.
func (d *ForceDialog) Warning(m *Model, w int) []string {
	st := m.Styles
	var out []string
	if d.pod != "" {
		out = style.Paragraph(st, st.Text, "", "Deletes "+d.pod+" on "+m.Scene.NodeName(d.node)+" instead of evicting it.", w)
	} else {
		out = style.Paragraph(st, st.Text, "", "Deletes the remaining pods of "+m.Scene.NodeName(d.node)+" instead of evicting them, bypassing every PDB.", w)
	}
	for _, p := range d.promises(m) {
		out = append(out, style.Paragraph(st, st.Bad, st.Glyphs.Warning, p, w)...)
	}
	return append(out, style.Paragraph(st, st.Dim, "", "Who forced it, when and why is recorded. It cannot be undone.", w)...)
}

func (d *ForceDialog) Body(m *Model, w int) []string { return d.body(d, m, w) }

func (d *ForceDialog) keys(m *Model, w int) string { return d.typing.keys(d, m, w) }

func (d *ForceDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd { return d.typing.key(d, m, key) }

// Words are what the dialog is for.
func (d *ForceDialog) Words() TypedWords { return TypedWords{"force", "forced"} }

// promises says in words what each budget in the way stands for and what will be
// left of it.
func (d *ForceDialog) promises(m *Model) []string {
	type broken struct {
		view blockers.BudgetView
		pods int
	}
	var order []string
	budgets := map[string]*broken{}
	var out []string
	for _, b := range m.Scene.Blockers {
		if b.Node != d.node || d.uid != "" && b.UID != d.uid {
			continue
		}
		for _, v := range b.Budgets {
			if budgets[v.Ref] == nil {
				budgets[v.Ref] = &broken{view: v}
				order = append(order, v.Ref)
			}
			budgets[v.Ref].pods++
		}
		if len(b.Budgets) == 0 && b.Detail != "" {
			out = append(out, b.Pod+": "+m.Scene.Brief(b.Detail))
		}
	}
	if p := podInSight(m.Scene, d.uid); p != nil {
		out = append(out, podPromises(p, len(order) > 0)...)
	}
	if n := m.Scene.Node; d.pod == "" && n != nil && n.ID == d.machine {
		// Those that are not blocked yet are deleted as well. A pod that is not Ready, or
		// is leaving, is not among the healthy.
		budgets, order = map[string]*broken{}, nil
		for _, p := range n.Pods {
			for _, v := range p.Budgets {
				if p.Stage == snapshot.StageIgnored || !p.Ready || p.Grace != nil {
					continue
				}
				if budgets[v.Ref] == nil {
					budgets[v.Ref] = &broken{view: v}
					order = append(order, v.Ref)
				}
				budgets[v.Ref].pods++
			}
		}
		order = slices.DeleteFunc(order, func(ref string) bool { return budgets[ref].view.Healthy-budgets[ref].pods >= budgets[ref].view.Desired })
	}
	for _, ref := range order {
		b := budgets[ref]
		out = append(out, fmt.Sprintf("violates PDB %s: it requires %d healthy pods, has %d, will have %d",
			ref, b.view.Desired, b.view.Healthy, max(b.view.Healthy-b.pods, 0)))
	}
	return out
}

// Off says why it became impossible while the dialog was open.
func (d *ForceDialog) Off(m *Model) string {
	if m.Scene.Over() && !m.Opts.ReadOnly {
		return "the run is over"
	}
	return cmp.Or(m.Unable(m.ActionFor("f")), notDraining(m.Scene, d.machine))
}

// Try forces, for a reason ("" for none said), if the right name was typed and it is
// still possible.
func (d *ForceDialog) Try(m *Model, typed, why string) bool {
	if !named(d, m, typed) {
		return false
	}
	m.Close()
	m.send(record.Command{Kind: record.CmdForce, Node: d.node, UID: d.uid, Reason: strings.TrimSpace(why)}, "force of "+d.Names(m)[0]+" requested")
	return true
}

// refresh closes the dialog when its node or pod is gone.
func (d *ForceDialog) refresh(m *Model) {
	gone := m.Scene.Row(d.machine) == nil
	if d.pod != "" {
		gone = true
		for _, b := range m.Scene.Blockers {
			if b.Pod == d.pod && b.UID == d.uid {
				gone = false
			}
		}
		if p := podInSight(m.Scene, d.uid); p != nil && p.Stage != snapshot.StageIgnored {
			gone = false
		}
	}
	if gone {
		name := d.Names(m)[0]
		m.Close()
		m.grace.begin(m.Opts.Now())
		m.say(name + " no longer blocks; nothing was forced")
	}
}

// podInSight is a pod of the node that is looked at, nil if it is none of those.
func podInSight(sc *scene.Scene, uid string) *snapshot.PodDetail {
	if sc.Node == nil || uid == "" {
		return nil
	}
	for _, p := range sc.Node.Pods {
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
	off := (&ForceDialog{forceTarget: t}).Off(m)
	switch row, p := m.Scene.Row(t.machine), podInSight(m.Scene, t.uid); {
	case off != "":
		return off
	case row == nil:
		return m.Scene.NodeName(t.node) + " is gone"
	case p != nil && p.Stage == snapshot.StageIgnored:
		return p.Ref + " is deleted with its node"
	case p == nil && !leaves(m.Scene, t.uid):
		return t.pod + " no longer blocks"
	}
	return ""
}

// leaves reports whether a pod is still to leave its node, or on its way.
func leaves(sc *scene.Scene, uid string) bool {
	return slices.ContainsFunc(sc.Blockers, func(b *blockers.Blocker) bool { return b.UID == uid }) ||
		slices.ContainsFunc(sc.Evictions, func(e *snapshot.Eviction) bool { return e.UID == uid })
}

// AcceptDialog names the canary's trouble that holds the run, and wants the group's name typed to
// continue in spite of it.
type AcceptDialog struct {
	typing
	trouble string
}

func newAcceptDialog(trouble string) *AcceptDialog {
	return &AcceptDialog{typing: newTyping(), trouble: trouble}
}

// Title heads it.
func (d *AcceptDialog) Title(*Model) string { return "Accept an unhealthy canary" }

// Names is the group's.
func (d *AcceptDialog) Names(m *Model) []string { return []string{m.Scene.Group} }

// Warning says what is wrong, and what follows from accepting it.
func (d *AcceptDialog) Warning(m *Model, w int) []string {
	st := m.Styles
	out := style.Paragraph(st, st.Bad, st.Glyphs.Warning, m.Scene.Brief(d.trouble), w)
	out = append(out, style.Paragraph(st, st.Text, "", "If it is accepted, the other nodes follow all the same: "+style.Count(m.Scene.Total-m.Scene.Done, "node")+" to go.", w)...)
	return append(out, style.Paragraph(st, st.Dim, "", "Who accepted it, when and why is recorded. It stays on the screen until the new nodes are well.", w)...)
}

// Off says why it became impossible.
func (d *AcceptDialog) Off(m *Model) string {
	if m.Scene.Over() {
		return "the run is over"
	}
	return m.Unable(m.ActionFor("p"))
}

// Try accepts the trouble that is shown.
func (d *AcceptDialog) Try(m *Model, typed, why string) bool {
	if !named(d, m, typed) {
		return false
	}
	m.Close()
	m.send(record.Command{Kind: record.CmdAccept, Trouble: d.trouble, Reason: strings.TrimSpace(why)}, "acceptance requested")
	return true
}

// Words are what the dialog is for.
func (d *AcceptDialog) Words() TypedWords { return TypedWords{"accept", "accepted"} }

// Body is its lines.
func (d *AcceptDialog) Body(m *Model, w int) []string { return d.body(d, m, w) }

func (d *AcceptDialog) keys(m *Model, w int) string { return d.typing.keys(d, m, w) }

func (d *AcceptDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd { return d.typing.key(d, m, key) }

// refresh closes the dialog when the trouble is over, and shows one that is another.
func (d *AcceptDialog) refresh(m *Model) {
	if !m.Scene.CanaryHolds() {
		m.Close()
		m.grace.begin(m.Opts.Now())
		m.say("the canary's trouble no longer holds the run; nothing was accepted")
		return
	}
	if d.trouble != m.Scene.CanaryTrouble {
		d.trouble = m.Scene.CanaryTrouble
		m.grace.begin(m.Opts.Now())
	}
}
