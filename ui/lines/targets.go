package lines

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/ui"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// target is something an action can be done to.
type target struct {
	name, label string
	// point puts the cursor on it.
	point func()
}

// most is how many things are listed; the others have to be named.
const most = 20

// targets are those that an action can be done to now: blocked pods first, then nodes
// in the order of the tables.
func (n *narrator) targets(a *ui.Action) []target {
	m, sc := n.m, n.m.Scene
	if sc == nil {
		return nil
	}
	defer n.unpoint()
	var out []target
	add := func(name, label string, point func()) {
		if point(); m.Why(a) == "" {
			out = append(out, target{name, label, point})
		}
	}
	if a.Points&ui.AtBlocked != 0 {
		for _, b := range sc.Blockers {
			add(b.Pod, "pod "+b.Pod+" on "+sc.NodeName(b.Node)+", blocked: "+string(b.Kind), func() {
				n.unpoint()
				m.Focus, m.Blockers.Cursor = ui.BlockedPane, scene.BlockerKey(b)
			})
		}
	}
	if a.Points&ui.AtNode != 0 {
		for _, z := range sc.Zones {
			for _, r := range z.Rows {
				label := "node " + sc.Names[r.ID] + ", " + string(r.Stage)
				if r.Pods > 0 {
					label += fmt.Sprintf(", %d of %s left", r.PodsLeft, style.Count(r.Pods, "pod"))
				}
				if r.Blocked {
					label += ", blocked"
				}
				add(sc.Names[r.ID], label, func() {
					n.unpoint()
					m.Nodes.Cursor = r.ID
				})
			}
		}
	}
	return out
}

// unpoint takes the cursors away; there is none between two answers.
func (n *narrator) unpoint() {
	n.m.Focus, n.m.Nodes.Cursor, n.m.Blockers.Cursor = ui.NodesPane, "", ""
}

// choose asks what an action is to be done to.
func (n *narrator) choose(a *ui.Action, things []target) {
	q := &question{head: style.Upper(a.Name) + ": which?", modal: true, grace: ui.GraceQuiet}
	for _, t := range things[:min(len(things), most)] {
		q.options = append(q.options, option{"", t.label, func() { n.actOn(a, t) }})
	}
	q.last = fmt.Sprintf("Type a number from 1 to %d, or a name or a part of it. An empty line cancels.", len(q.options))
	if more := len(things) - most; more > 0 {
		q.body = []string{fmt.Sprintf("%d listed; type the name of any of the other %d.", most, more)}
	}
	q.name = func(text string) {
		var fit []target
		for _, t := range things {
			if t.name == text {
				n.q = nil
				n.actOn(a, t)
				return
			}
			if strings.Contains(t.name, text) {
				fit = append(fit, t)
			}
		}
		switch len(fit) {
		case 0:
			n.say("None of them matches " + style.Quoted(text) + ". " + q.last)
		case 1:
			n.q = nil
			n.actOn(a, fit[0])
		default:
			n.choose(a, fit)
		}
	}
	q.empty = func() {
		n.q = nil
		n.say("Nothing was chosen.")
	}
	n.put(q)
}

// actOn carries out an action on a thing.
func (n *narrator) actOn(a *ui.Action, t target) {
	t.point()
	cmd := n.m.Do(a)
	n.unpoint()
	n.did(cmd)
}
