package ui

import (
	"fmt"
	"strings"
)

// points says what an action needs to be pointed at.
type points int

const (
	atNode points = 1 << iota
	atBlocked
)

// thing is something an action can be done to.
type thing struct {
	name, label string
	// point puts the cursor on it.
	point func()
}

// most is how many things are listed; the others have to be named.
const most = 20

// things are those that an action can be done to now: blocked pods first, then nodes
// in the order of the tables.
func (n *narrator) things(a *action) []thing {
	m, sc := n.m, n.m.sc
	if sc == nil {
		return nil
	}
	defer n.unpoint()
	var out []thing
	add := func(name, label string, point func()) {
		if point(); m.why(a) == "" {
			out = append(out, thing{name, label, point})
		}
	}
	if a.points&atBlocked != 0 {
		for _, b := range sc.Blockers {
			add(b.Pod, "pod "+b.Pod+" on "+sc.node(b.Node)+", blocked: "+string(b.Kind), func() {
				n.unpoint()
				m.focus, m.blockers.cursor = blockedPane, blockerKey(b)
			})
		}
	}
	if a.points&atNode != 0 {
		for _, z := range sc.Zones {
			for _, r := range z.Rows {
				label := "node " + sc.names[r.ID] + ", " + string(r.Stage)
				if r.Pods > 0 {
					label += fmt.Sprintf(", %d of %s left", r.PodsLeft, count(r.Pods, "pod"))
				}
				if r.Blocked {
					label += ", blocked"
				}
				add(sc.names[r.ID], label, func() {
					n.unpoint()
					m.nodes.cursor = r.ID
				})
			}
		}
	}
	return out
}

// unpoint takes the cursors away; there is none between two answers.
func (n *narrator) unpoint() {
	n.m.focus, n.m.nodes.cursor, n.m.blockers.cursor = nodesPane, "", ""
}

// choose asks what an action is to be done to.
func (n *narrator) choose(a *action, things []thing) {
	q := &question{head: upper(a.name) + ": which?", modal: true, grace: graceQuiet}
	for _, t := range things[:min(len(things), most)] {
		q.options = append(q.options, option{"", t.label, func() { n.actOn(a, t) }})
	}
	q.last = fmt.Sprintf("Type a number from 1 to %d, or a name or a part of it. An empty line cancels.", len(q.options))
	if more := len(things) - most; more > 0 {
		q.body = []string{fmt.Sprintf("%d are listed; %d more can be named.", most, more)}
	}
	q.name = func(text string) {
		var fit []thing
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
			n.say("None of them is named " + quoted(text) + ". " + q.last)
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
func (n *narrator) actOn(a *action, t thing) {
	t.point()
	cmd := n.m.do(a)
	n.unpoint()
	n.did(cmd)
}
