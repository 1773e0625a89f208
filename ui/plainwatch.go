package ui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
)

// detailPatience is how long details may take to come before what is known is told
// without them.
const detailPatience = 5 * time.Second

// greet tells, before anything is known, that nothing can happen here, and how to leave.
func (n *narrator) greet() {
	text := "READ-ONLY: this watches and changes nothing. "
	if !n.m.opts.Scripted {
		text += "An empty line, or ?, tells what can be looked at; q or "
	}
	n.say(text + "ctrl-c leaves. Reading the cluster and the group ...")
}

// watch tells a snapshot to who only watches: the group as it is, a run when it begins and
// when it ends, and the next one. It goes on until it is left.
func (n *narrator) watch(first bool) {
	m, sc := n.m, n.m.sc
	switch {
	case first:
		n.silently(n.tellEvents) // what stands now says more than how it came to that
		n.stand()
	case sc.RunID != n.about:
		n.told.blockers, n.told.notes = map[string]string{}, map[string]note{}
		n.stand()
	case sc.Driver == "" || sc.Driver == n.driver: // nobody may be between two who drive it
	case n.driver == "":
		n.say("driven by " + sc.Driver)
	default:
		n.say("driven by " + sc.Driver + " now")
	}
	n.driver = cmp.Or(sc.Driver, n.driver)
	n.tell()
	n.tellComing()
	if m.over() && n.endOf != sc.RunID {
		n.endOfGroup()
		n.say("The watch of the group goes on.")
	}
	n.notice()
}

// stand tells how a group stands, and what is under way in it.
func (n *narrator) stand() {
	m, sc := n.m, n.m.sc
	n.about, n.driver = sc.RunID, sc.Driver
	n.say(n.intro())
	n.tellWatched()
	if why := sc.brief(sc.Why); why != "" && (sc.State == engine.Paused || sc.State == engine.Ending) {
		word, _ := m.state()
		n.say(word + because(why))
	}
	for _, b := range m.rivalBanners(m.over()) {
		n.say(b.text)
	}
	if m.over() {
		return
	}
	var busy []string
	for _, z := range sc.Zones {
		for _, r := range z.Rows {
			if active(r) || r.Stage == engine.NodeFail {
				busy = append(busy, m.rowSentence(r))
			}
		}
	}
	n.write(busy[:min(len(busy), most)]...)
	if more := len(busy) - most; more > 0 {
		n.write(fmt.Sprintf("and %d more nodes at work", more))
	}
}

// rowSentence is a node's row in a line.
func (m *Model) rowSentence(r *engine.NodeRow) string {
	sc := m.sc
	parts := []string{sc.names[r.ID] + " " + stageWord(r)}
	if r.Pods > 0 && leaving(r) {
		parts = append(parts, fmt.Sprintf("%d of %s left", r.PodsLeft, count(r.Pods, "pod")))
	}
	if r.Blocked {
		parts = append(parts, "blocked")
	}
	if r.Wait != nil {
		left, still := sc.remaining(r.Wait, m.opts.Now())
		text := r.Wait.For + ": " + countdown(left) + " left"
		if still {
			text += ", stands still"
		}
		if r.Wait.Guess {
			text += ", an estimate"
		}
		parts = append(parts, text)
	}
	if r.Note != "" {
		parts = append(parts, sc.brief(r.Note))
	}
	return strings.Join(parts, ", ")
}

// tellWatched tells what only who watches has to be told: others' rolls, and how the
// run's driver and its record are.
func (n *narrator) tellWatched() {
	m, sc := n.m, n.m.sc
	warning := func(text string) string {
		if text == "" {
			return ""
		}
		return plainWords.Warning + " " + text
	}
	n.note("record", warning(sc.unreadableText()), "the record of this group's run can be read again")
	group, _ := sc.groupText()
	n.note("group", group, "")
	others := m.othersTexts()
	n.note("others", others[0], "")
	n.note("since", others[1], "")
	n.tellPool()
	pods := ""
	if sc.Partial {
		pods = "the pods of the cluster are being read; what is blocked is not known before"
	}
	n.note("pods", pods, "all pods are read")
	n.note("blind", warning(m.blindText()), "who drives this run sees all again")
	n.note("driver", warning(m.unattendedText()), "this run is driven again")
	n.note("unfit", warning(sc.unfitText()), "")
}

// tellPool tells all of a worker pool once, and then what becomes of it.
func (n *narrator) tellPool() {
	m, sc := n.m, n.m.sc
	p := sc.Pool
	if p == nil {
		return
	}
	if _, known := n.told.notes["pool"]; !known {
		d := &poolDialog{}
		n.note("pool", d.title(m), "")
		n.write(d.body(m, plainWidth)...)
		n.silently(n.tellPoolNews)
	}
	n.tellPoolNews()
}

// tellPoolNews tells what changes of a worker pool beside its nodes.
func (n *narrator) tellPoolNews() {
	sc, p := n.m.sc, n.m.sc.Pool
	for _, z := range p.Zones {
		var words []string
		if z.Paused {
			words = append(words, "paused: no further batch begins")
		}
		if z.Frozen {
			words = append(words, "frozen: no machine is made")
		}
		text := ""
		if len(words) > 0 {
			text = "zone " + dashed(z.Name) + " is " + strings.Join(words, "; ")
		}
		n.note("zone "+z.Name, text, "zone "+dashed(z.Name)+" goes on")
	}
	n.note("pool trouble", n.m.poolTrouble(), "")
	failed := ""
	if len(p.Failed) > 0 {
		failed = "failed: " + sc.brief(strings.Join(p.Failed, "; "))
	}
	n.note("pool failed", failed, "nothing fails any more")
	n.note("pool notes", sc.brief(strings.Join(p.Notes, "; ")), "")
}

// poolProgress is how far a worker pool has come, "" if this is none, or it is not known.
func (sc *scene) poolProgress() string {
	if sc.Pool == nil || !sc.Pool.Control {
		return ""
	}
	desired, updated, _, _ := sc.Pool.Summary()
	return fmt.Sprintf("%d of %d updated", updated, desired)
}

// silently has all that something tells count as told.
func (n *narrator) silently(tell func()) {
	n.mute = true
	tell()
	n.mute = false
}

// awaits reports whether a dialog that is only to be read gets more with the next
// snapshots.
func (m *Model) awaits(d dialog) bool {
	if m.reading() != stillReading {
		return false
	}
	switch d := d.(type) {
	case *nodeDialog:
		return d.detail == nil
	case *budgetDialog:
		return d.detail == nil && !d.gone
	}
	return false
}

// tellDialog tells a dialog that is only to be read, as soon as all of it is known, and
// after a blocked pod its budgets.
func (n *narrator) tellDialog() {
	m := n.m
	d := m.dialog
	if m.awaits(d) && (n.coming != d || m.opts.Now().Sub(n.awaited) < detailPatience) {
		if n.coming != d {
			n.coming, n.awaited = d, m.opts.Now()
		}
		return
	}
	n.coming = nil
	n.say(d.title(m))
	n.write(d.body(m, plainWidth)...)
	if b, ok := d.(*blockerDialog); ok && m.opts.Look != nil {
		for _, v := range b.blocker.Budgets {
			n.budgets = append(n.budgets, &budgetDialog{known: []engine.BudgetView{v}})
		}
	}
	m.dismiss()
	if len(n.budgets) > 0 {
		next := n.budgets[0]
		n.budgets = n.budgets[1:]
		m.open(next)
		n.tellDialog()
	}
}

// tellComing tells the dialog whose details were waited for, once they have come.
func (n *narrator) tellComing() {
	switch {
	case n.coming == nil:
	case n.m.dialog != n.coming: // something else came up
		n.coming, n.budgets = nil, nil
	default:
		n.tellDialog()
	}
}
