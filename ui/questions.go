package ui

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine"
)

// newAbortDialog says what stops, what finishes and what is put back.
func newAbortDialog() *choiceDialog {
	return &choiceDialog{
		head: called("Abort the upgrade?"),
		text: func(m *Model, w int) []string {
			plan := m.sc.AbortPlan
			switch {
			case m.between():
				plan = []string{"no run is under way"}
			case len(plan) == 0:
				plan = []string{"nothing new starts; what is in flight is finished or put back"}
			}
			var out []string
			for _, p := range plan {
				out = append(out, para(m.st, m.st.text, m.st.g.Dot, m.sc.brief(p), w)...)
			}
			if text := m.sc.endsWithIt(); text != "" {
				out = append(out, para(m.st, m.st.warn, m.st.g.Dot, text, w)...)
			}
			return out
		},
		choices: []choice{{"n", "go on", nothing}, {"y", "abort the upgrade", sendAbort}},
		check:   closeWhenOver,
	}
}

func sendAbort(m *Model) tea.Cmd {
	if why := m.why(m.actionFor("x")); why != "" { // it may have changed while the dialog was read
		m.refuse("nothing was aborted: " + why)
		return m.tick()
	}
	m.send(engine.Command{Kind: engine.CmdAbort}, "abort asked for")
	return nil
}

func closeWhenOver(m *Model) {
	if m.over() || m.ended {
		m.close()
	}
}

// commandName is what commands call a node: a machine that has not joined has its id
// only.
func commandName(r *engine.NodeRow) string { return cmp.Or(r.Name, r.ID) }

// newSkipDialog asks before nodes are left as they are, or what comes to that here.
func newSkipDialog(m *Model, rows []*engine.NodeRow) *choiceDialog {
	if instead := m.sc.Instead(engine.CmdSkip); instead != "" {
		return newNodesDialog(rows, "s", m.skippable, "Skip", "skip of", "skip it", instead)
	}
	return newNodesDialog(rows, "s", m.skippable, "Skip", "skip of", "skip it",
		"stays as it is: outdated, and not drained any further. The run ends with nodes left by choice (exit code 8).")
}

// newReturnDialog asks before nodes that were skipped or have failed are taken up
// again, or what comes to that here.
func newReturnDialog(m *Model, rows []*engine.NodeRow) *choiceDialog {
	if instead := m.sc.Instead(engine.CmdReturn); instead != "" {
		return newNodesDialog(rows, "r", m.returnable, "Return to", "return to", "return to it", instead)
	}
	return newNodesDialog(rows, "r", m.returnable, "Return to", "return to", "return to it",
		"goes to the end of the order, and is drained and replaced like any other when its turn comes.")
}

// newNodesDialog asks before the command of a key is given for each of some nodes, all
// of which are good for it. It goes away when one of them is no longer.
func newNodesDialog(rows []*engine.NodeRow, key string, good func(*engine.NodeRow) bool, verb, said, yes, what string) *choiceDialog {
	whom := func(m *Model) string {
		if len(rows) == 1 {
			return m.sc.node(commandName(rows[0]))
		}
		return count(len(rows), "node")
	}
	who := "It "
	if len(rows) > 1 {
		who, yes = "Each ", strings.Replace(yes, " it", " them", 1)
	}
	return &choiceDialog{
		head: func(m *Model) string { return verb + " " + whom(m) + "?" },
		text: func(m *Model, w int) []string {
			out := para(m.st, m.st.text, "", who+what, w)
			for _, r := range rows {
				switch {
				case r.Note != "":
					out = append(out, para(m.st, m.st.warn, m.st.stages[r.Stage].glyph, m.sc.node(commandName(r))+" "+string(r.Stage)+": "+r.Note, w)...)
				case len(rows) > 1:
					out = append(out, para(m.st, m.st.text, m.st.stages[r.Stage].glyph, m.sc.node(commandName(r))+" "+string(r.Stage), w)...)
				}
			}
			return out
		},
		choices: []choice{{"n", "cancel", nothing}, {"y", yes, func(m *Model) tea.Cmd {
			a := m.actionFor(key)
			if why := m.unable(a); why != "" { // it may have changed while the dialog was read
				m.refuse("cannot " + a.name + " now: " + why)
				return m.tick()
			}
			for _, r := range rows {
				m.opts.Send(engine.Command{Kind: a.command(m), Node: commandName(r)})
			}
			m.nodes.marks = nil
			m.say(said + " " + whom(m) + " asked for")
			return nil
		}}},
		check: func(m *Model) {
			closeWhenOver(m)
			for i, r := range rows {
				now := m.sc.row(r.ID)
				switch {
				case m.dialog == nil:
					return
				case now == nil || !good(now):
					m.close()
					m.grace.begin(m.opts.Now())
					m.say(m.sc.node(commandName(r)) + " has moved on; nothing was asked for")
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
	case m.allOver():
		m.exit = Finished
		return tea.Quit
	case m.opts.ReadOnly || m.opts.KeepsNothing || m.ended || m.sc == nil:
		return tea.Quit
	}
	return m.open(newQuitDialog(m))
}

func leave(*Model) tea.Cmd { return tea.Quit }

// newQuitDialog is for the process that drives the run.
func newQuitDialog(m *Model) *choiceDialog {
	again := m.again() + " goes on from where it stands, here or on another machine."
	d := &choiceDialog{head: called("Leave?"), choices: []choice{{"n", "stay", nothing}}}
	state, why := m.sc.State, m.unable(m.actionFor("p"))
	d.check = func(m *Model) {
		if m.allOver() || m.ended {
			m.close()
		}
		if m.dialog != nil && (m.sc.State != state || m.unable(m.actionFor("p")) != why) {
			m.close() // what leaving means is another thing now
			m.grace.begin(m.opts.Now())
			m.say("the run is " + string(m.sc.State) + " now: ask again to leave")
		}
	}
	text := ""
	switch m.sc.State {
	case engine.Finished: // of a roll that goes on
		text = "No run is under way now; " + again
		d.choices = append(d.choices, choice{"y", "leave", leave})
	case engine.Paused, engine.Planned:
		text = "The run stays " + string(m.sc.State) + ". " + again
		d.choices = append(d.choices, choice{"y", "leave", leave})
	case engine.Ending:
		text = "The run is putting back what it changed, and this process does it. Leaving now leaves the rest as it is; " + again
		d.choices = append(d.choices, choice{"y", "leave now", leave})
	default:
		text = "This process drives the run; nobody else would go on with it. "
		if why, ok := m.sc.Able(engine.CmdPause); ok {
			text += "Paused, it starts nothing new; pods that are terminating finish. " + again
			d.choices = append(d.choices, choice{"p", "pause and leave", func(m *Model) tea.Cmd {
				m.opts.Send(engine.Command{Kind: engine.CmdPause, Reason: "left the dashboard"})
				return tea.Quit
			}})
		} else {
			text += "It cannot be paused: " + lower(why) + "."
		}
		d.choices = append(d.choices, choice{"x", "abort ...", func(m *Model) tea.Cmd { return m.do(m.actionFor("x")) }})
	}
	if held := m.sc.heldWithIt(); held != "" {
		text += " " + held
	}
	d.text = func(m *Model, w int) []string { return para(m.st, m.st.text, "", text, w) }
	return d
}
