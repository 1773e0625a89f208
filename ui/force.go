package ui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine"
)

// forceTarget is a node whose pods are to be deleted, or one pod on it.
type forceTarget struct{ machine, node, pod, uid string }

// forceDialog says which promise is broken and wants the name typed. Why it is forced
// may be said, and is kept for the audit.
type forceDialog struct {
	scroll
	forceTarget
	input, reason textinput.Model
	// asking: what is typed is the reason.
	asking bool
	wrong  bool
}

// mostReason is how long a reason may be, in letters: it goes into the run's record,
// which has a limit.
const mostReason = 200

func newForceDialog(t forceTarget) *forceDialog {
	return &forceDialog{forceTarget: t, input: newInput(253 + 64), reason: newInput(mostReason)} // the longest namespace and name
}

// names are those that may be typed; the first is the one asked for.
func (d *forceDialog) names(m *Model) []string {
	if d.pod != "" {
		_, name, _ := strings.Cut(d.pod, "/")
		return []string{name, d.pod}
	}
	return []string{m.sc.node(d.node), d.node}
}

// looksAt: of a node that is forced all pods are wanted, with the budgets that they break.
func (d *forceDialog) looksAt() engine.Look { return engine.Look{Machine: d.machine} }

func (d *forceDialog) title(m *Model) string { return "Force " + d.names(m)[0] }

// warning says what a force does and which promises it breaks.
func (d *forceDialog) warning(m *Model, w int) []string {
	st := m.st
	var out []string
	if d.pod != "" {
		out = para(st, st.text, "", "Deletes "+d.pod+" on "+m.sc.node(d.node)+" instead of asking to evict it.", w)
	} else {
		out = para(st, st.text, "", "Deletes the pods that are left on "+m.sc.node(d.node)+" instead of asking to evict them, past every budget.", w)
	}
	for _, p := range d.promises(m) {
		out = append(out, para(st, st.bad, st.g.Warning, p, w)...)
	}
	return append(out, para(st, st.dim, "", "It is recorded who forced it, when and why. It cannot be taken back.", w)...)
}

func (d *forceDialog) body(m *Model, w int) []string {
	st := m.st
	out := append(d.warning(m, w), newLine(st, w).String())
	if why := d.off(m); why != "" {
		return append(out, para(st, st.bad, "!", "not possible now: "+why, w)...)
	}
	if d.wrong {
		out = append(para(st, st.warn, "!", wrongName, w), out...)
	}
	l := newLine(st, w).add(st.text, "Why (may be left empty): ")
	switch said := d.reason.Value(); {
	case d.asking:
		typeCells(l, d.reason, l.left())
	case said == "":
		l.add(st.dim, "tab to say it")
	default:
		l.add(st.input, shorten(clean(said), l.left(), st.g.Ellipsis))
	}
	return append(out, l.String())
}

// promises says in words what each budget in the way stands for and what will be
// left of it.
func (d *forceDialog) promises(m *Model) []string {
	type broken struct {
		view engine.BudgetView
		pods int
	}
	var order []string
	budgets := map[string]*broken{}
	var out []string
	for _, b := range m.sc.Blockers {
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
			out = append(out, b.Pod+": "+m.sc.brief(b.Detail))
		}
	}
	if p := m.podInSight(d.uid); p != nil {
		out = append(out, podPromises(p, len(order) > 0)...)
	}
	if n := m.sc.Node; d.pod == "" && n != nil && n.ID == d.machine {
		// Those that are not blocked yet are deleted as well. A pod that is not Ready, or
		// is leaving, is not among the healthy.
		budgets, order = map[string]*broken{}, nil
		for _, p := range n.Pods {
			for _, v := range p.Budgets {
				if p.Stage == engine.StageIgnored || !p.Ready || p.Grace != nil {
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
		out = append(out, fmt.Sprintf("breaks the budget %s: it promises %d healthy pods, has %d, and will have %d",
			ref, b.view.Desired, b.view.Healthy, max(b.view.Healthy-b.pods, 0)))
	}
	return out
}

// off says why it became impossible while the dialog was open.
func (d *forceDialog) off(m *Model) string {
	switch {
	case m.over():
		return "the run is over"
	case m.ended:
		return "the run has stopped sending news"
	case m.blind() != "":
		return m.blind()
	}
	if why, ok := m.sc.Able(engine.CmdForce); !ok {
		return lower(why)
	}
	if row := m.sc.row(d.machine); row != nil && row.Stage != engine.Draining {
		return m.sc.names[row.ID] + " is " + string(row.Stage) + "; only a node that is draining can be forced"
	}
	return ""
}

func (d *forceDialog) keys(m *Model, w int) string {
	st := m.st
	if d.off(m) != "" {
		return keyLine(st, w, "esc", "cancel")
	}
	// What is typed is in sight however long the list of promises is.
	end := "   enter force   esc cancel"
	if d.asking {
		end = "   tab name   esc cancel"
	}
	if h := d.hint(); h != "" {
		end = "   " + h + end
	}
	l := newLine(st, w).add(st.text, "Type ").add(st.title, d.names(m)[0]).add(st.text, " to force: ")
	if l.left() < width(end)+12 {
		end = ""
	}
	if d.asking {
		l.fit(st.input, clean(d.input.Value()), l.left()-width(end))
	} else {
		typeCells(l, d.input, l.left()-width(end))
	}
	return l.to(w-width(end)).add(st.dim, end).String()
}

func (d *forceDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "esc":
		m.close()
		return nil
	case "tab", "shift+tab":
		d.ask(!d.asking)
		return nil
	case "enter":
		if d.asking && d.off(m) == "" { // the name is what forces
			d.ask(false)
			return nil
		}
		d.wrong, d.top = !d.try(m, strings.TrimSpace(d.input.Value()), d.reason.Value()), 0
		return nil
	case "up", "down", "pgup", "pgdown": // no letters of a name
		d.move(key.String())
		return nil
	}
	d.typed(key)
	return nil
}

// ask turns to the reason, which is brought in sight, or back to the name.
func (d *forceDialog) ask(why bool) {
	if d.asking = why; why {
		d.top = d.most
	}
}

// typed takes what was typed or pasted.
func (d *forceDialog) typed(msg tea.Msg) {
	d.wrong = false
	if d.asking {
		d.reason, _ = d.reason.Update(msg)
		return
	}
	d.input, _ = d.input.Update(msg)
}

const wrongName = "that is not the name; nothing was forced"

// try forces, for a reason ("" for none said), if the right name was typed and it is
// still possible.
func (d *forceDialog) try(m *Model, typed, why string) bool {
	if !slices.Contains(d.names(m), typed) || d.off(m) != "" {
		return false
	}
	m.close()
	m.send(engine.Command{Kind: engine.CmdForce, Node: d.node, UID: d.uid, Reason: strings.TrimSpace(why)}, "force of "+d.names(m)[0]+" asked for")
	return true
}

func (d *forceDialog) paste(msg tea.PasteMsg) { d.typed(msg) }

// refresh closes the dialog when its node or pod is gone.
func (d *forceDialog) refresh(m *Model) {
	gone := m.sc.row(d.machine) == nil
	if d.pod != "" {
		gone = true
		for _, b := range m.sc.Blockers {
			if b.Pod == d.pod && b.UID == d.uid {
				gone = false
			}
		}
		if p := m.podInSight(d.uid); p != nil && p.Stage != engine.StageIgnored {
			gone = false
		}
	}
	if gone {
		name := d.names(m)[0]
		m.close()
		m.grace.begin(m.opts.Now())
		m.say(name + " is no longer in the way; nothing was forced")
	}
}
