package lines

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// detailPatience is how long details may take to come before what is known is printed
// without them.
const detailPatience = 5 * time.Second

// greet tells, before anything is known, that nothing can happen here, and how to leave.
func (n *narrator) greet() {
	text := "READ-ONLY: this watches and changes nothing. "
	if !n.m.Opts.Scripted {
		text += "An empty line, or ?, lists what can be shown; q or "
	}
	n.say(text + "ctrl-c leaves. Reading the cluster and the group ...")
}

// watch tells a snapshot to who only watches: the group as it is, a run when it begins and
// when it ends, and the next one. It ends when the user leaves.
func (n *narrator) watch(first bool) {
	m, sc := n.m, n.m.Scene
	switch {
	case first:
		n.stand(true)
	case sc.RunID != n.about:
		n.told.blockers, n.told.notes = nil, map[string]note{}
		n.stand(false)
	case sc.Driver == "" || sc.Driver == n.driver: // nobody may be between two who drive it
	case n.driver == "":
		n.say("driven by " + sc.Driver)
	default:
		n.say("driven by " + sc.Driver + " now")
	}
	n.driver = cmp.Or(sc.Driver, n.driver)
	n.tell()
	n.tellComing()
	if m.Scene.Over() && n.endOf != sc.RunID {
		n.endOfGroup()
		n.say("Still watching the group.")
	}
	n.notice()
}

// stand tells how a group stands, and what is under way in it. With first it is the beginning of the
// watch: of the events until now only those are told that still hold.
func (n *narrator) stand(first bool) {
	m, sc := n.m, n.m.Scene
	n.about, n.driver = sc.RunID, sc.Driver
	n.say(n.intro())
	if first {
		n.tellEvents(holds)
	}
	n.tellWatched()
	if why := sc.Brief(sc.Why); why != "" && (sc.State == record.Paused || sc.State == record.Ending) {
		word, _ := m.Scene.StateLook(m.Styles)
		n.say(word + style.Because(why))
	}
	for _, r := range sc.ShownMovers() {
		n.say(plainWords.Warning + " " + sc.MoverText(r))
	}
	if m.Scene.Over() {
		return
	}
	var busy []string
	for _, z := range sc.Zones {
		for _, r := range z.Rows {
			if scene.IsActive(r) || r.Stage == record.NodeFail {
				busy = append(busy, rowSentence(sc, r))
			}
		}
	}
	n.write(busy[:min(len(busy), most)]...)
	if more := len(busy) - most; more > 0 {
		n.write(fmt.Sprintf("and %d more busy nodes", more))
	}
}

// holds reports whether an event of the time before the watch began still tells something: what is
// followed, and what EKS does or keeps to itself. How it came to the rest is seen from how it stands.
func holds(e *record.Event) bool {
	return e.Type == record.RunStarted || e.Type == record.Warning && (e.Reason == record.ReasonEKS || e.Reason == record.ReasonCandidates)
}

// rowSentence is a node's row in a line.
func rowSentence(sc *scene.Scene, r *snapshot.NodeRow) string {
	parts := []string{sc.Names[r.ID] + " " + scene.StageWord(r)}
	if r.Pods > 0 && scene.IsLeaving(r) {
		parts = append(parts, fmt.Sprintf("%d of %s left", r.PodsLeft, style.Count(r.Pods, "pod")))
	}
	if r.Blocked {
		parts = append(parts, "blocked")
	}
	if r.Wait != nil {
		left, still := sc.Remaining(r.Wait, sc.Clock())
		text := r.Wait.For + ": " + style.Countdown(left) + " left"
		if still {
			text += ", stopped"
		}
		if r.Wait.Guess {
			text += ", an estimate"
		}
		parts = append(parts, text)
	}
	if r.Note != "" {
		parts = append(parts, sc.Brief(r.Note))
	}
	return strings.Join(parts, ", ")
}

// tellWatched tells what only who watches has to be told: others' rolls, and how the
// run's driver and its record are.
func (n *narrator) tellWatched() {
	m, sc := n.m, n.m.Scene
	warning := func(text string) string {
		if text == "" {
			return ""
		}
		return plainWords.Warning + " " + text
	}
	n.note("record", warning(sc.UnreadableText()), "the record of this group's run can be read again")
	group, _ := sc.GroupText()
	n.note("group", group, "")
	others := m.Scene.OthersTexts()
	n.note("others", others[0], "")
	n.note("since", others[1], "")
	n.tellPool()
	pods := ""
	if sc.Partial {
		pods = "reading the cluster's pods; blockers are not known yet"
	}
	n.note("pods", pods, "all pods have been read")
	n.note("blind", warning(m.Scene.DriverBlindText()), "the driver of this run sees all sources again")
	n.note("driver", warning(m.Scene.UnattendedText()), "this run is driven again")
	n.note("unfit", warning(sc.MismatchText()), "")
}

// tellPool tells all of a worker pool once, and then what becomes of it.
func (n *narrator) tellPool() {
	m, sc := n.m, n.m.Scene
	p := sc.Pool
	if p == nil {
		return
	}
	if _, known := n.told.notes["pool"]; !known {
		d := &ui.PoolDialog{}
		n.note("pool", d.Title(m), "")
		n.write(d.Body(m, plainWidth)...)
		n.silently(n.tellPoolNews)
	}
	n.tellPoolNews()
}

// tellPoolNews tells what changes of a worker pool beside its nodes.
func (n *narrator) tellPoolNews() {
	sc, p := n.m.Scene, n.m.Scene.Pool
	for _, z := range p.Zones {
		var words []string
		if z.Paused {
			words = append(words, "paused: no further batch starts")
		}
		if z.Frozen {
			words = append(words, "frozen: no machine is created")
		}
		text := ""
		if len(words) > 0 {
			text = "zone " + scene.OrDash(z.Name) + " is " + strings.Join(words, "; ")
		}
		n.note("zone "+z.Name, text, "zone "+scene.OrDash(z.Name)+" continues")
	}
	n.note("pool trouble", n.m.Scene.PoolTrouble(), "")
	failed := ""
	if len(p.Failed) > 0 {
		failed = "failed: " + sc.Brief(strings.Join(p.Failed, "; "))
	}
	n.note("pool failed", failed, "no more failures")
	n.note("pool notes", sc.Brief(strings.Join(p.Notes, "; ")), "")
}

// silently has all that something tells count as told.
func (n *narrator) silently(tell func()) {
	n.mute = true
	tell()
	n.mute = false
}

// awaits reports whether a dialog that is only to be read gets more with the next
// snapshots.
func awaits(m *ui.Model, d ui.Dialog) bool {
	if d, ok := d.(*ui.LogDialog); ok {
		return d.Reading
	}
	if m.Reading() != ui.StillReading {
		return false
	}
	switch d := d.(type) {
	case *ui.NodeDialog:
		return d.Detail == nil
	case *ui.BudgetDialog:
		return d.Detail == nil && !d.Gone
	}
	return false
}

// tellDialog tells a dialog that is only to be read, as soon as all of it is known, and
// after a blocked pod its budgets.
func (n *narrator) tellDialog() {
	m := n.m
	d := m.Dialog
	_, log := d.(*ui.LogDialog) // which comes, or an error does
	if awaits(m, d) && (log || n.coming != d || m.Opts.Now().Sub(n.awaited) < detailPatience) {
		if n.coming != d {
			n.coming, n.awaited = d, m.Opts.Now()
		}
		return
	}
	n.coming = nil
	n.say(d.Title(m))
	n.write(d.Body(m, plainWidth)...)
	if b, ok := d.(*ui.BlockerDialog); ok && m.Opts.Look != nil {
		for _, v := range b.Blocker.Budgets {
			n.budgets = append(n.budgets, &ui.BudgetDialog{Known: []blockers.BudgetView{v}})
		}
	}
	m.Dismiss()
	if len(n.budgets) > 0 {
		next := n.budgets[0]
		n.budgets = n.budgets[1:]
		m.Open(next)
		n.tellDialog()
	}
}

// tellComing tells the dialog whose details were waited for, once they have come.
func (n *narrator) tellComing() {
	switch {
	case n.coming == nil:
	case n.m.Dialog != n.coming: // something else came up
		n.coming, n.budgets = nil, nil
	default:
		n.tellDialog()
	}
}
