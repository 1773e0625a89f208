package ui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// NewApproveDialog shows what approving a batch will do. It follows the batch: if
// that changes under the operator's eyes, keys are ignored for a moment; if it is
// gone, so is the dialog. Where the run is foreseen not to end well, enter is "not now".
func NewApproveDialog(b *snapshot.BatchView, alarms bool) *ChoiceDialog {
	d := &ChoiceDialog{
		head: func(*Model) string { return approveTitle(b) },
		text: func(m *Model, w int) []string { return approveText(m, b, w) },
		Choices: []choice{
			{"y", "approve", func(m *Model) tea.Cmd {
				if why := m.Why(m.ActionFor("a")); why != "" { // it may have changed while the dialog was read
					m.refuse("nothing was approved: " + why)
					return m.tick()
				}
				m.Approved, m.approvedAt = b.Hash, m.Opts.Now()
				m.send(record.Command{Kind: record.CmdApprove, Batch: b.ID, Hash: b.Hash}, scene.BatchName(b)+" approved")
				return nil
			}},
			{"n", "not now", nothing},
		},
	}
	if alarms {
		d.at = 1
	}
	d.check = func(m *Model) {
		now := m.Scene.Batch
		switch {
		case now == nil:
			m.Close()
			m.grace.begin(m.Opts.Now())
			m.say(scene.BatchName(b) + " no longer waits for approval")
		case now.Hash != b.Hash || now.ID != b.ID:
			b = now
			m.grace.begin(m.Opts.Now())
		default:
			b = now
		}
	}
	return d
}

func approveTitle(b *snapshot.BatchView) string {
	if b.Phase != "" {
		return "Approve the " + scene.BatchName(b)
	}
	return "Approve " + scene.BatchName(b) + ": " + style.Count(len(b.Nodes), "node")
}

func approveText(m *Model, b *snapshot.BatchView, w int) []string {
	st, sc := m.Styles, m.Scene
	var out []string
	if f := sc.Foreseen(); f != nil {
		pen, line := st.Text, sc.Brief(f.Headline(sc.Now(m.Opts.Now())))
		if f.Alarms() {
			pen = st.Bad
		} else {
			line = "ends well, " + line
		}
		out = append(out, style.Fact(st, "forecast", line, pen, w)...)
	}
	if text := sc.AcceptedText(); text != "" {
		out = append(out, style.Paragraph(st, st.Bad, st.Glyphs.Warning, text, w)...)
	}
	if b.Does != "" {
		out = append(out, style.Fact(st, "phase", b.Does, st.Title, w)...)
	}
	if b.Canary {
		out = append(out, style.Fact(st, "canary", "one node first, then observed for "+b.Watch.String()+" before approval of the others", st.Title, w)...)
	}
	if b.Phase != "" && b.Evict+b.Ignore == 0 {
		return append(out, m.asOf(b, w)...)
	}
	var names []string
	for _, n := range b.Nodes {
		names = append(names, sc.NodeName(n))
	}
	const few = 6 // whose names come first
	switch {
	case len(names) > few:
		out = append(out, style.Fact(st, "nodes", style.Count(len(names), "node")+countByZone(sc, b.Nodes), st.Title, w)...)
	case len(names) > 0:
		out = append(out, style.Fact(st, "nodes", strings.Join(names, ", "), st.Title, w)...)
	}
	pods := style.Count(b.Evict, "pod") + " will be evicted"
	if b.Ignore > 0 {
		pods += ", " + stays(b.Ignore)
	}
	out = append(out, style.Fact(st, "pods", pods, st.Text, w)...)
	if sc.Limit > 0 {
		out = append(out, style.Fact(st, "at once", fmt.Sprintf("at most %s out of service", style.Count(sc.Limit, "node")), st.Text, w)...)
	}
	out = append(out, style.NewLine(st, w).String())
	mark := st.Glyphs.Blocked
	if st.Plain {
		mark = "foreseen:"
	}
	for _, f := range b.Foreseen {
		out = append(out, style.Paragraph(st, st.Warn, mark, sc.Brief(f), w)...)
	}
	switch why := cmp.Or(b.NotEvaluated, m.Scene.ClusterStale()); {
	case why != "":
		out = append(out, style.Paragraph(st, st.Bad, st.Glyphs.Warning, "blockers not evaluated: "+why, w)...)
	case len(b.Foreseen) == 0:
		out = append(out, style.Paragraph(st, st.Text, st.Glyphs.Dot, "no PDB, missing consent or finalizer blocks these pods now", w)...)
	}
	unknown := "not evaluated: admission webhooks, and room for the pods on other nodes"
	if sc.Foreseen() != nil { // which places them
		unknown = "not evaluated: admission webhooks; the forecast includes room on other nodes"
	}
	out = append(out, style.Paragraph(st, st.Dim, st.Glyphs.Dot, unknown, w)...)
	out = append(out, m.asOf(b, w)...)
	if len(names) > few {
		out = append(out, style.NewLine(st, w).String())
		out = append(out, style.Fact(st, "nodes", strings.Join(names, ", "), st.Text, w)...)
	}
	return out
}

// countByZone counts nodes by their zones: ": 2 in eu-west-1a, 3 in eu-west-1b", "" where no zone
// is known.
func countByZone(sc *scene.Scene, nodes []string) string {
	among, zones := make(map[string]bool, len(nodes)), map[string]int{}
	for _, name := range nodes {
		among[name] = true
	}
	for _, r := range sc.Rows {
		if r.Zone != "" && (among[r.Name] || among[r.ID]) {
			zones[r.Zone]++
		}
	}
	if len(zones) == 0 {
		return ""
	}
	var out []string
	for _, zone := range slices.Sorted(maps.Keys(zones)) {
		out = append(out, fmt.Sprintf("%d in %s", zones[zone], style.Clean(zone)))
	}
	return ": " + strings.Join(out, ", ")
}

// stays counts the pods that go with their nodes.
func stays(n int) string {
	verb := " stay"
	if n == 1 {
		verb = " stays"
	}
	return fmt.Sprint(n) + verb + " (DaemonSets and the like)"
}

// asOf says how old what a batch's dialog shows is.
func (m *Model) asOf(b *snapshot.BatchView, w int) []string {
	if b.AsOf.IsZero() {
		return nil
	}
	now := m.Opts.Now()
	text := fmt.Sprintf("As of %s, %s ago. It may change until then.", b.AsOf.In(now.Location()).Format("15:04:05"), style.Age(m.Scene.Now(now).Sub(b.AsOf)))
	return append([]string{style.NewLine(m.Styles, w).String()}, style.Paragraph(m.Styles, m.Styles.Dim, "", text, w)...)
}

// newAbortDialog says what stops, what finishes and what is restored. Where the run may leave
// nodes of its surge behind, so many of them can be retired.
func newAbortDialog(surge int) *ChoiceDialog {
	d := &ChoiceDialog{
		head: called("Abort the upgrade?"),
		text: func(m *Model, w int) []string {
			plan := m.Scene.AbortPlan
			switch {
			case m.Scene.Between():
				plan = []string{"no run is under way"}
			case len(plan) == 0:
				plan = []string{"nothing new starts; work in progress finishes or is restored"}
			}
			var out []string
			for _, p := range plan {
				out = append(out, style.Paragraph(m.Styles, m.Styles.Text, m.Styles.Glyphs.Dot, m.Scene.Brief(p), w)...)
			}
			if text := m.Scene.AbortEndsText(); text != "" {
				out = append(out, style.Paragraph(m.Styles, m.Styles.Warn, m.Styles.Glyphs.Dot, text, w)...)
			}
			return out
		},
		Choices: []choice{{"n", "continue", nothing}, {"y", "abort the upgrade", func(m *Model) tea.Cmd { return sendAbort(m, false) }}},
		check:   closeWhenOver,
		aborts:  true,
	}
	if surge > 0 {
		d.Choices = append(d.Choices, choice{"r", fmt.Sprintf("abort, retire %d new", surge), func(m *Model) tea.Cmd { return sendAbort(m, true) }})
	}
	return d
}

// sendAbort sends the abort; retire has what is left of the surge drained and terminated.
func sendAbort(m *Model, retire bool) tea.Cmd {
	if why := m.Why(m.ActionFor("x")); why != "" { // it may have changed while the dialog was read
		m.refuse("nothing was aborted: " + why)
		return m.tick()
	}
	m.send(record.Command{Kind: record.CmdAbort, Retire: retire}, "abort requested")
	return nil
}

func closeWhenOver(m *Model) {
	if m.Scene.Over() || m.Ended {
		m.Close()
	}
}

// commandName is what commands call a node: a machine that has not joined has its id
// only.
func commandName(r *snapshot.NodeRow) string { return cmp.Or(r.Name, r.ID) }

// newSkipDialog asks before nodes are left as they are, or what comes to that here.
func newSkipDialog(m *Model, rows []*snapshot.NodeRow) *ChoiceDialog {
	if instead := m.Scene.Instead(record.CmdSkip); instead != "" {
		return newNodesDialog(rows, "s", takesSkip, "Skip", "skip of", "skip it", instead)
	}
	return newNodesDialog(rows, "s", takesSkip, "Skip", "skip of", "skip it",
		"stays outdated and is not drained further. The run ends with nodes left by choice (exit code 8).")
}

// newExtendDialog asks before nodes get another drain timeout.
func newExtendDialog(rows []*snapshot.NodeRow) *ChoiceDialog {
	return newNodesDialog(rows, "e", takesExtend, "Extend the drain of", "extension of", "extend it",
		"gets another drain timeout on top of the time it has left. Who extended it and when is recorded.")
}

// PaceDialog changes max-unavailable while the run lasts.
type PaceDialog struct {
	scroll
	to int
}

// Title heads it.
func (d *PaceDialog) Title(*Model) string { return "Change max-unavailable" }

// Body says what holds now, and what it can become.
func (d *PaceDialog) Body(m *Model, w int) []string {
	st, sc := m.Styles, m.Scene
	now := fmt.Sprint(sc.MaxUnavailable)
	if sc.Limit > 0 {
		now += fmt.Sprintf(": at most %s out of service at once", style.Count(sc.Limit, "node"))
	}
	out := style.Fact(st, "now", now, st.Text, w)
	bounds := fmt.Sprintf("from %d to %d: %s", sc.Bounds.Least, sc.Bounds.Most, sc.Bounds.Why)
	out = append(out, style.Fact(st, "possible", bounds, st.Text, w)...)
	if !st.Plain {
		out = append(out, style.Fact(st, "new", fmt.Sprint(d.to), st.Title, w)...)
	}
	return append(out, style.Paragraph(st, st.Dim, "", "Drains that have begun continue. A batch that waits for approval is made again. Who changed it, when and why is recorded.", w)...)
}

// Ask says what to type where nothing is drawn.
func (d *PaceDialog) Ask(m *Model) string {
	return fmt.Sprintf("Type a number of nodes from %d to %d. An empty line cancels.", m.Scene.Bounds.Least, m.Scene.Bounds.Most)
}

func (d *PaceDialog) keys(m *Model, w int) string {
	set := "set to " + fmt.Sprint(d.to)
	if d.to == m.Scene.MaxUnavailable {
		return style.KeyLine(m.Styles, w, "up/down", "more, fewer", "esc", "cancel")
	}
	return style.KeyLine(m.Styles, w, "enter", set, "up/down", "more, fewer", "esc", "cancel")
}

func (d *PaceDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	switch b := m.Scene.Bounds; key.String() {
	case "esc", "q", "n":
		m.Close()
	case "up", "right", "k", "l", "+", "=":
		d.to = min(d.to+1, max(b.Most, d.to))
	case "down", "left", "j", "h", "-":
		d.to = max(d.to-1, min(b.Least, d.to))
	case "pgup":
		d.to = min(d.to+10, max(b.Most, d.to))
	case "pgdown":
		d.to = max(d.to-10, min(b.Least, d.to))
	case "enter", "y":
		d.Try(m, d.to)
	}
	return nil
}

// Try changes it, if that is another number within the bounds and still possible.
func (d *PaceDialog) Try(m *Model, to int) bool {
	b := m.Scene.Bounds
	if to == m.Scene.MaxUnavailable || to < b.Least || to > b.Most {
		return false
	}
	m.Close()
	if why := m.Unable(m.ActionFor("u")); why != "" { // it may have changed while the dialog was read
		m.refuse("nothing was changed: " + why)
		return true
	}
	m.send(record.Command{Kind: record.CmdMaxUnavailable, Nodes: to}, fmt.Sprintf("max-unavailable %d requested", to))
	return true
}

func (d *PaceDialog) refresh(m *Model) {
	closeWhenOver(m)
	if b := m.Scene.Bounds; d.to != m.Scene.MaxUnavailable {
		d.to = max(min(d.to, b.Most), b.Least)
	}
}

// newReturnDialog asks before nodes that were skipped or have failed are taken up
// again, or what comes to that here.
func newReturnDialog(m *Model, rows []*snapshot.NodeRow) *ChoiceDialog {
	if instead := m.Scene.Instead(record.CmdReturn); instead != "" {
		return newNodesDialog(rows, "r", takesReturn, "Return to", "return to", "return to it", instead)
	}
	return newNodesDialog(rows, "r", takesReturn, "Return to", "return to", "return to it",
		"moves to the end of the order, and is drained and replaced like any other node.")
}

// newNodesDialog asks before the command of a key is given for each of some nodes, all
// of which are good for it. It goes away when one of them is no longer.
func newNodesDialog(rows []*snapshot.NodeRow, key string, good func(*snapshot.NodeRow) bool, verb, said, yes, what string) *ChoiceDialog {
	whom := func(m *Model) string {
		if len(rows) == 1 {
			return m.Scene.NodeName(commandName(rows[0]))
		}
		return style.Count(len(rows), "node")
	}
	who := "It "
	if len(rows) > 1 {
		who, yes = "Each ", strings.Replace(yes, " it", " them", 1)
	}
	return &ChoiceDialog{
		head: func(m *Model) string { return verb + " " + whom(m) + "?" },
		text: func(m *Model, w int) []string {
			out := style.Paragraph(m.Styles, m.Styles.Text, "", who+what, w)
			for _, r := range rows {
				switch {
				case r.Note != "":
					out = append(out, style.Paragraph(m.Styles, m.Styles.Warn, m.Styles.Stages[r.Stage].Glyph, m.Scene.NodeName(commandName(r))+" "+string(r.Stage)+": "+r.Note, w)...)
				case len(rows) > 1:
					out = append(out, style.Paragraph(m.Styles, m.Styles.Text, m.Styles.Stages[r.Stage].Glyph, m.Scene.NodeName(commandName(r))+" "+string(r.Stage), w)...)
				}
			}
			return out
		},
		Choices: []choice{{"n", "cancel", nothing}, {"y", yes, func(m *Model) tea.Cmd {
			a := m.ActionFor(key)
			if why := m.Unable(a); why != "" { // it may have changed while the dialog was read
				m.refuse("cannot " + a.Name + " now: " + why)
				return m.tick()
			}
			for _, r := range rows {
				m.Opts.Send(record.Command{Kind: a.Command(m), Node: commandName(r)})
			}
			m.Nodes.marks = nil
			m.say(said + " " + whom(m) + " requested")
			return nil
		}}},
		check: func(m *Model) {
			closeWhenOver(m)
			for i, r := range rows {
				now := m.Scene.Row(r.ID)
				switch {
				case m.Dialog == nil:
					return
				case now == nil || !good(now):
					m.Close()
					m.grace.begin(m.Opts.Now())
					m.say(m.Scene.NodeName(commandName(r)) + " has changed its stage; nothing was requested")
				default:
					rows[i] = now
				}
			}
		},
	}
}

// quit leaves, after a question where leaving costs something.
func quit(m *Model) tea.Cmd {
	switch {
	case m.Scene.AllOver():
		m.Exit = Finished
		return tea.Quit
	case m.Opts.ReadOnly || m.Opts.KeepsNothing || m.Ended || m.Scene == nil:
		return tea.Quit
	}
	return m.Open(newQuitDialog(m))
}

func leave(*Model) tea.Cmd { return tea.Quit }

// newQuitDialog is for the process that drives the run.
func newQuitDialog(m *Model) *ChoiceDialog {
	again := m.Again() + " resumes it, here or on another machine."
	d := &ChoiceDialog{head: called("Leave?"), Choices: []choice{{"n", "stay", nothing}}}
	state, why := m.Scene.State, m.Unable(m.ActionFor("p"))
	d.check = func(m *Model) {
		if m.Scene.AllOver() || m.Ended {
			m.Close()
		}
		if m.Dialog != nil && (m.Scene.State != state || m.Unable(m.ActionFor("p")) != why) {
			m.Close() // what leaving means is another thing now
			m.grace.begin(m.Opts.Now())
			m.say("the run is " + string(m.Scene.State) + " now: ask again to leave")
		}
	}
	text := ""
	switch m.Scene.State {
	case record.Finished: // of a roll that continues
		text = "No run is under way now; " + again
		d.Choices = append(d.Choices, choice{"y", "leave", leave})
	case record.Paused, record.Planned:
		text = "The run stays " + string(m.Scene.State) + ". " + again
		d.Choices = append(d.Choices, choice{"y", "leave", leave})
	case record.Ending:
		text = "This process is restoring what the run changed. Leaving now leaves the rest unrestored; " + again
		d.Choices = append(d.Choices, choice{"y", "leave now", leave})
	default:
		text = "This process drives the run; no other process would continue it. "
		if why, ok := m.Scene.Able(record.CmdPause); ok {
			text += "While paused it starts nothing new; terminating pods finish. " + again
			d.Choices = append(d.Choices, choice{"p", "pause and leave", func(m *Model) tea.Cmd {
				m.Opts.Send(record.Command{Kind: record.CmdPause, Reason: "left the dashboard"})
				return tea.Quit
			}})
		} else {
			text += "It cannot be paused: " + style.Lower(why) + "."
		}
		d.Choices = append(d.Choices, choice{"x", "abort ...", func(m *Model) tea.Cmd { return m.Do(m.ActionFor("x")) }})
	}
	if held := m.Scene.HeldText(); held != "" {
		text += " " + held
	}
	d.text = func(m *Model, w int) []string { return style.Paragraph(m.Styles, m.Styles.Text, "", text, w) }
	return d
}
