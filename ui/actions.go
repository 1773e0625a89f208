package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// action is something the operator can do from the board. Keys, footer, menu and
// palette all read the one list below.
type action struct {
	name string
	keys []string
	// show is the key as the footer and the help write it.
	show string
	// help says in a few words what it does.
	help string
	// label is what the footer says; nil keeps it out of the footer.
	label func(*Model) string
	// worth decides what a narrow footer keeps.
	worth int
	// command is what it sends, "" for what only concerns the screen; it is
	// possible when the engine says so.
	command func(*Model) engine.CommandKind
	// not says why it is not possible beyond what the engine knows, "" if it is.
	not func(*Model) string
	// do is nil for keys that the menu only tells of.
	do func(*Model) tea.Cmd

	// plain is how the plain mode calls it: "" by its label if it sends a command,
	// and not at all if it only concerns the screen.
	plain string
	// points says what it needs the cursor on; where the plain mode finds nothing of
	// the kind, none is the reason.
	points points
	none   string
}

func is(k engine.CommandKind) func(*Model) engine.CommandKind {
	return func(*Model) engine.CommandKind { return k }
}

func called(s string) func(*Model) string { return func(*Model) string { return s } }

// actions is everything that can be done, in the footer's order.
func actions(o Options) []*action {
	all := []*action{
		{name: "approve", keys: []string{"a"}, show: "a", help: "approve the batch or phase that waits, after a look at what it will do", worth: 9,
			label: approveLabel, command: is(engine.CmdApprove), not: notApprove,
			do: func(m *Model) tea.Cmd { return m.open(newApproveDialog(m.sc.Batch)) }},
		{name: "force", keys: []string{"f"}, show: "f", help: "delete what blocks the node or pod under the cursor, past its budgets", worth: 8,
			label: called("force"), command: is(engine.CmdForce), not: notForce,
			plain: "force: delete what is blocked, past its budgets", points: atNode | atBlocked, none: "no node is draining",
			do: force},
		{name: "pause", keys: []string{"p"}, show: "p", help: "pause: no new evictions, deadlines stand still; again: resume", worth: 7,
			label: func(m *Model) string { return string(pauseOrResume(m)) }, command: pauseOrResume, do: togglePause},
		{name: "skip", keys: []string{"s"}, show: "s", help: "skip the node under the cursor, or the marked ones: they stay as they are", worth: 5,
			label: called("skip"), command: is(engine.CmdSkip), not: notSkip,
			plain: "skip a node: it stays as it is", points: atNode, none: "no node is still to be rolled",
			do: func(m *Model) tea.Cmd { return m.open(newSkipDialog(m, m.nodes.chosenNodes())) }},
		{name: "return", keys: []string{"r"}, show: "r", help: "take the skipped or failed node under the cursor, or the marked ones, up again, at the end of the order", worth: 4,
			label: called("return"), command: is(engine.CmdReturn), not: notReturn,
			plain: "return to a node that was skipped or has failed", points: atNode, none: "no node was skipped or has failed",
			do: func(m *Model) tea.Cmd { return m.open(newReturnDialog(m, m.nodes.chosenNodes())) }},
		{name: "abort", keys: []string{"x"}, show: "x", help: "abort: shows first what stops, what finishes and what is put back", worth: 6,
			label: called("abort"), command: is(engine.CmdAbort),
			do: func(m *Model) tea.Cmd { return m.open(newAbortDialog()) }},
		{name: "show details", keys: []string{"enter"}, show: "enter", help: "details of what is under the cursor: a node, a blocked pod, a line of the log; at the end the result", worth: 4,
			label: detailsLabel, not: notDetails, do: openDetails,
			plain: "tell all about a node or a blocked pod", points: atNode | atBlocked, none: "there is no node"},
		{name: "show the validation", keys: []string{"v"}, show: "v", help: "all that the last look at the whole cluster has found, what is ignored included; of a worker pool, all that is known",
			not: notValidated, do: openWhole,
			plain: "tell what of the cluster is not valid; of a worker pool, all that is known"},
		{name: "filter", keys: []string{"/"}, show: "/", help: "show only the nodes, or lines of the log, with certain words: text, !text, blocked, zone=a, stage=drain, version=1.31, batch=2", worth: 4,
			label: called("filter"), not: known, do: startSearch},
		{name: "show problems only", keys: []string{"!"}, show: "!", help: "show only the nodes that need a look; again: all", worth: 1,
			label: called("problems"), not: known, do: toggleProblems},
		{name: "go to the next problem", keys: []string{"n"}, show: "n", help: "the cursor goes to the next node that needs a look",
			not: known, do: nextProblem},
		{name: "sort", keys: []string{"o"}, show: "o", help: "sort the nodes by name, stage, time left, pods left, version",
			not: known, do: func(m *Model) tea.Cmd { m.nodes.nextOrder(m.sc); return nil }},
		{name: "mark", keys: []string{"space"}, show: "space", help: "mark the node under the cursor, so that skip and return hit all marked ones; esc drops the marks",
			not: notMark, do: func(m *Model) tea.Cmd { m.nodes.mark(m); return nil }},
		{name: "change the pane", keys: []string{"tab"}, show: "tab", help: "the next pane: nodes, blocked, log; shift+tab the one before", worth: 3,
			label: called("pane"), not: known, do: func(m *Model) tea.Cmd { m.focus = m.nextPane(1); return nil }},
		{name: "show commands", keys: []string{"c"}, show: "c", help: "show or hide the kubectl and aws commands in the log", worth: 1,
			label: called("commands"), do: func(m *Model) tea.Cmd { m.commands = !m.commands; return nil },
			plain: "tell the kubectl and aws commands of each change, or no longer"},
		{name: "copy", keys: []string{"y"}, show: "y", help: "copy what is under the cursor: a name, or the command of a line of the log",
			not: notCopy,
			do:  func(m *Model) tea.Cmd { return m.copy(m.copied()) }},
		{name: "take the mouse", keys: []string{"m"}, show: "m", help: "take the mouse, which then does not select text; again: give it back",
			not: notMouse, do: takeMouse},
		{name: "show the help", keys: []string{"?"}, show: "?", help: "this menu of everything that can be done here", worth: 10,
			label: called("help"), do: func(m *Model) tea.Cmd { return m.open(newMenu(true)) }},
		{name: "open the palette", keys: []string{":"}, show: ":", help: "find what can be done by its name, and do it",
			do: func(m *Model) tea.Cmd { return m.open(newMenu(false)) }},
		{name: "quit", keys: []string{"q"}, show: "q", help: "leave; asks first when the run needs this process", worth: 10,
			label: called("quit"), do: quit, plain: "leave"},
		{name: "move", show: "arrows hjkl", help: "move the cursor; left and right change the zone; pgup, pgdn, g and G move further"},
		{name: "go back", show: "esc", help: "show all nodes again, then drop the marks, then the cursor: the panes follow what happens"},
		{name: "stop", show: "ctrl+c", help: "abort; a second time: stop at once"},
	}
	if o.Scale != nil {
		all = slices.Insert(all, 2, &action{name: "scale", keys: []string{"w"}, show: "w", worth: 8,
			help:  "a demo's key: somebody else scales what owns the blocked pod, so that it may leave",
			label: called("scale"), not: notScale, plain: "have somebody scale what a budget blocks",
			do: func(m *Model) tea.Cmd { b, _ := m.scalable(); m.say(o.Scale(b)); return m.tick() }})
	}
	if o.Turn != nil {
		all = slices.Insert(all, 2, &action{name: "turn", keys: []string{"t"}, show: "t", worth: 7,
			help:  "show the next of the groups that are rolled side by side",
			label: called("next group"), not: notTurn, plain: "go to the next of the groups that are rolled side by side",
			do: func(*Model) tea.Cmd { o.Turn(); return nil }})
	}
	return all
}

// scalable is the blocked pod that scaling its owner would set free: the one under
// the cursor, or the first.
func (m *Model) scalable() (*engine.Blocker, string) {
	helps := func(b *engine.Blocker) bool {
		return b.Owner != "" && (b.Kind == engine.BlockedByBudget || b.Kind == engine.BlockedByReturn)
	}
	if b := m.blockers.at(m.sc); m.focus == blockedPane && b != nil {
		if helps(b) {
			return b, ""
		}
		return nil, "scaling does not help " + b.Pod
	}
	for _, b := range m.sc.Blockers {
		if helps(b) {
			return b, ""
		}
	}
	return nil, "no budget blocks a pod"
}

func notScale(m *Model) string {
	switch {
	case m.over():
		return "the run is over"
	case m.ended:
		return "the run has stopped sending news"
	}
	_, why := m.scalable()
	return why
}

func (m *Model) actionFor(key string) *action {
	for _, a := range m.actions {
		if a.do != nil && slices.Contains(a.keys, key) {
			return a
		}
	}
	return nil
}

// why says why an action is not possible now, "" when it is.
func (m *Model) why(a *action) string {
	if why := m.unable(a); why != "" || a.not == nil {
		return why
	}
	return a.not(m)
}

// unable says why an action is not possible whatever the cursor is on, "" when it may
// be.
func (m *Model) unable(a *action) string {
	if a.command == nil {
		if a.not != nil && m.sc == nil {
			return "nothing is known yet"
		}
		return ""
	}
	kind := a.command(m)
	switch {
	case m.opts.ReadOnly:
		return "this dashboard only watches"
	case m.sc == nil:
		return "nothing is known yet"
	case m.between() && kind == engine.CmdAbort && !m.ended:
		return "" // it ends the roll
	case m.between():
		return "the run of this group is over, and the next has not begun"
	case m.sc.State == engine.Finished:
		return "the run is over"
	case m.ended:
		return "the run has stopped sending news"
	}
	switch {
	case kind == engine.CmdApprove && m.sc.Batch == nil:
		return "nothing waits for approval"
	case (kind == engine.CmdForce || kind == engine.CmdApprove) && m.blind() != "":
		return m.blind()
	}
	why, _ := m.sc.Able(kind)
	return lower(why)
}

func approveLabel(m *Model) string {
	if m.sc == nil || m.sc.Batch == nil {
		return "approve"
	}
	return "approve " + batchName(m.sc.Batch)
}

func notApprove(m *Model) string {
	if m.approved == m.sc.Batch.Hash {
		return batchShort(m.sc.Batch) + " is approved already"
	}
	return ""
}

func pauseOrResume(m *Model) engine.CommandKind {
	if m.sc != nil && m.sc.State == engine.Paused {
		return engine.CmdResume
	}
	return engine.CmdPause
}

func togglePause(m *Model) tea.Cmd {
	kind := pauseOrResume(m)
	m.send(engine.Command{Kind: kind}, string(kind)+" asked for")
	return nil
}

// known is for what needs a snapshot and no more.
func known(*Model) string { return "" }

func notSkip(m *Model) string {
	return m.notFor("a node", m.skippable)
}

func (m *Model) skippable(r *engine.NodeRow) bool {
	switch r.Stage {
	case engine.Outdated, engine.Unreachable:
		return true
	case engine.Queued, engine.Draining, engine.Settling:
		return m.sc.Instead(engine.CmdSkip) == "" // else only who has not begun can be put in order
	}
	return false
}

func notReturn(m *Model) string {
	if m.sc.Instead(engine.CmdReturn) != "" {
		return m.notFor("a node that is still to go", m.returnable)
	}
	return m.notFor("a skipped or failed node", m.returnable)
}

func (m *Model) returnable(r *engine.NodeRow) bool {
	if m.sc.Instead(engine.CmdReturn) != "" {
		return r.Stage == engine.Outdated
	}
	return !r.New && (r.Stage == engine.Skipped || r.Stage == engine.NodeFail)
}

// notFor says why the node under the cursor, or one of those that are marked, is not
// one for an action.
func (m *Model) notFor(what string, good func(*engine.NodeRow) bool) string {
	chosen := m.nodes.chosenNodes()
	if len(chosen) == 0 {
		return "move the cursor to " + what + " first (up, down)"
	}
	for _, r := range chosen {
		if !good(r) {
			return fmt.Sprintf("%s is %s", m.sc.names[r.ID], r.Stage)
		}
	}
	return ""
}

func notMark(m *Model) string {
	if m.focus != nodesPane || m.sc.row(m.nodes.cursor) == nil {
		return "move the cursor to a node first (up, down)"
	}
	return ""
}

func toggleProblems(m *Model) tea.Cmd {
	m.nodes.problems = !m.nodes.problems
	m.nodes.arrange(m.sc)
	return nil
}

func nextProblem(m *Model) tea.Cmd {
	m.focus = nodesPane
	if !m.nodes.nextProblem() {
		m.say("no node that is shown needs a look")
	}
	return m.tick()
}

func detailsLabel(m *Model) string {
	if m.over() && m.nodes.cursor == "" {
		return "result"
	}
	return "details"
}

func notDetails(m *Model) string {
	switch {
	case m.focus == logPane && m.log.at(m.sc) != nil, m.focus == blockedPane && m.blockers.at(m.sc) != nil, m.sc.row(m.nodes.cursor) != nil, m.over():
		return ""
	}
	return "move the cursor to a node or a blocked pod first (up, down)"
}

func openDetails(m *Model) tea.Cmd {
	if b := m.blockers.at(m.sc); m.focus == blockedPane && b != nil {
		return m.open(&blockerDialog{blocker: b})
	}
	if e := m.log.at(m.sc); m.focus == logPane && e != nil {
		return m.open(&eventDialog{event: *e})
	}
	if r := m.sc.row(m.nodes.cursor); r != nil {
		return m.open(&nodeDialog{row: r})
	}
	return m.open(m.lastDialog())
}

// force asks whether to force the target. Where several nodes are blocked and none is
// chosen, the cursor goes to the first of what is blocked.
func force(m *Model) tea.Cmd {
	t, _ := m.target()
	if t.node != "" {
		return m.open(newForceDialog(t))
	}
	m.focus = blockedPane
	m.blockers.move(m.sc, 0)
	m.say("several nodes are blocked: choose a pod (up, down), then f")
	return m.tick()
}

// target is what force would hit: the blocked pod under the cursor, the node
// under it, or the only node that is blocked; none where it is to be chosen first.
func (m *Model) target() (t forceTarget, why string) {
	if b := m.blockers.at(m.sc); m.focus == blockedPane && b != nil {
		t = forceTarget{machine: b.Machine, node: b.Node, pod: b.Pod, uid: b.UID}
	} else if r := m.sc.row(m.nodes.cursor); r != nil {
		t = forceTarget{machine: r.ID, node: r.Name}
	} else {
		for _, b := range m.sc.Blockers {
			if t.node != "" && t.node != b.Node {
				return forceTarget{}, "" // which of them is to be chosen first
			}
			t = forceTarget{machine: b.Machine, node: b.Node}
		}
		if t.node == "" {
			return t, "nothing is blocked"
		}
	}
	if r := m.sc.row(t.machine); r != nil && r.Stage != engine.Draining {
		return t, fmt.Sprintf("%s is %s; only a node that is draining can be forced", m.sc.names[r.ID], r.Stage)
	}
	return t, ""
}

func notForce(m *Model) string {
	_, why := m.target()
	return why
}

// blind says that the cluster's data is stale, "" if it is not.
func (m *Model) blind() string {
	if src := m.sc.source(world.Cluster); src != nil && src.Stale {
		if src.Fresh.IsZero() {
			return m.staleText(src)
		}
		return fmt.Sprintf("the data of the cluster is %s old", age(m.sc.now(m.opts.Now()).Sub(src.Fresh)))
	}
	return ""
}
