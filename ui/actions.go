package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/term"
)

// Action is something the operator can do from the board. Keys, footer, menu and
// palette all read the one list below.
type Action struct {
	Name string
	Keys []string
	// Show is the key as the footer and the help write it.
	Show string
	// help says in a few words what it does.
	help string
	// Label is what the footer says; nil keeps it out of the footer.
	Label func(*Model) string
	// worth decides what a narrow footer keeps.
	worth int
	// Command is what it sends, "" for what only concerns the screen; it is
	// possible when the engine says so.
	Command func(*Model) record.CommandKind
	// not says why it is not possible beyond what the engine knows, "" if it is.
	not func(*Model) string
	// do is nil for keys that the menu only tells of.
	do func(*Model) tea.Cmd

	// Plain is how the plain mode calls it: "" by its label if it sends a command,
	// and not at all if it only concerns the screen.
	Plain string
	// Points says what it needs the cursor on; where the plain mode finds nothing of
	// the kind, none is the reason.
	Points points
	None   string
}

func is(k record.CommandKind) func(*Model) record.CommandKind {
	return func(*Model) record.CommandKind { return k }
}

func called(s string) func(*Model) string { return func(*Model) string { return s } }

// actions is everything that can be done, in the footer's order.
func actions(o Options) []*Action {
	all := []*Action{
		{Name: "approve", Keys: []string{"a"}, Show: "a", help: "approve the waiting batch or phase; shows its drains and blockers first", worth: 9,
			Label: approveLabel, Command: is(record.CmdApprove), not: notApprove,
			do: func(m *Model) tea.Cmd { return m.Open(NewApproveDialog(m.Scene.Batch, m.Scene.Alarms())) }},
		{Name: "force", Keys: []string{"f"}, Show: "f", help: "delete the blocked pods of the selected node or pod, bypassing their PDBs", worth: 8,
			Label: called("force"), Command: is(record.CmdForce), not: notForce,
			Plain: "force: delete blocked pods, bypassing their PDBs", Points: AtNode | AtBlocked, None: "no node is draining",
			do: force},
		{Name: "pause", Keys: []string{"p"}, Show: "p", help: "pause: no new evictions, deadlines stop; again: resume, accept, retry", worth: 7,
			Label: pauseLabel, Command: pauseOrResume, do: togglePause},
		{Name: "skip", Keys: []string{"s"}, Show: "s", help: "skip the selected or the marked nodes: they stay outdated", worth: 5,
			Label: called("skip"), Command: is(record.CmdSkip), not: notSkip,
			Plain: "skip a node: it stays outdated", Points: AtNode, None: "no node is left to roll",
			do: func(m *Model) tea.Cmd { return m.Open(newSkipDialog(m, m.Nodes.chosenNodes(m))) }},
		{Name: "return", Keys: []string{"r"}, Show: "r", help: "retry the selected or the marked skipped and failed nodes, at the end of the order", worth: 4,
			Label: called("return"), Command: is(record.CmdReturn), not: notReturn,
			Plain: "retry a skipped or failed node", Points: AtNode, None: "no node is skipped or failed",
			do: func(m *Model) tea.Cmd { return m.Open(newReturnDialog(m, m.Nodes.chosenNodes(m))) }},
		{Name: "extend", Keys: []string{"e"}, Show: "e", help: "extend the drain deadline of the selected or the marked nodes by another drain timeout",
			Command: is(record.CmdExtend), not: notExtend,
			Plain: "extend the drain deadline of a node", Points: AtNode, None: "no node drains towards a deadline",
			do: func(m *Model) tea.Cmd { return m.Open(newExtendDialog(m.Nodes.chosenNodes(m))) }},
		{Name: "abort", Keys: []string{"x"}, Show: "x", help: "abort: shows first what stops, what finishes and what is restored", worth: 6,
			Label: called("abort"), Command: is(record.CmdAbort),
			do: func(m *Model) tea.Cmd { return m.Open(newAbortDialog(m.Scene.AbortSurge)) }},
		{Name: "change max-unavailable", Keys: []string{"u"}, Show: "u", help: "change max-unavailable within the strategy's bounds",
			Command: is(record.CmdMaxUnavailable), Plain: "change max-unavailable",
			do: func(m *Model) tea.Cmd { return m.Open(&PaceDialog{to: m.Scene.MaxUnavailable}) }},
		{Name: "show details", Keys: []string{"enter", "d"}, Show: "enter", help: "details of the selected node, blocked pod or log line; at the end the result", worth: 4,
			Label: detailsLabel, not: notDetails, do: openDetails,
			Plain: "describe a node or a blocked pod", Points: AtNode | AtBlocked, None: "there is no node"},
		{Name: "show the pod's log", Keys: []string{"L"}, Show: "L", help: "last log lines of the selected pod, or of a crash-looping one",
			not: notLog, do: openLog,
			Plain: "print the last log lines of a blocked or crash-looping pod", Points: AtNode | AtBlocked, None: "no pod is blocked or crash-loops, or no log can be read"},
		{Name: "show the validation", Keys: []string{"v"}, Show: "v", help: "all findings of the last cluster validation, ignored ones included; for a worker pool, all that is known",
			not: notValidated, do: openWhole,
			Plain: "list what failed the cluster validation; for a worker pool, all that is known"},
		{Name: "show the workloads", Keys: []string{"W"}, Show: "W", help: "what became of the moved pods, by workload", worth: 2,
			Label: called("workloads"), not: known, do: func(m *Model) tea.Cmd { return m.Open(&workloadsDialog{}) },
			Plain: "list the workloads whose pods were moved"},
		{Name: "show the group at a glance", Keys: []string{"T"}, Show: "T", help: "a sign a node, the pace, and nodes replaced over time against the forecast",
			not: notGlance, do: openGlance},
		{Name: "filter", Keys: []string{"/"}, Show: "/", help: "filter nodes or log lines: text, !text, blocked, zone=a, stage=drain, version=1.31, batch=2", worth: 4,
			Label: called("filter"), not: known, do: startSearch},
		{Name: "show problems only", Keys: []string{"!"}, Show: "!", help: "show only nodes with problems; again: all", worth: 1,
			Label: called("problems"), not: known, do: toggleProblems},
		{Name: "go to the next problem", Keys: []string{"n"}, Show: "n", help: "select the next node with a problem",
			not: known, do: nextProblem},
		{Name: "sort", Keys: []string{"o"}, Show: "o", help: "sort the nodes by the next column: name, stage, time left, pods left, version",
			not: known, do: func(m *Model) tea.Cmd { m.Nodes.sortBy(m.Nodes.order.Next(), m.Scene); return nil }},
		{Name: "reverse the order", Keys: []string{"O"}, Show: "O", help: "sort the nodes the other way round",
			not: known, do: func(m *Model) tea.Cmd { m.Nodes.sortBy(m.Nodes.order.Choose(m.Nodes.order.By), m.Scene); return nil }},
		{Name: "widen", Keys: []string{"ctrl+w"}, Show: "ctrl+w", help: "wide: also instance, time at the stage and batch; again: less",
			not: known, do: func(m *Model) tea.Cmd { m.Nodes.wide = !m.Nodes.wide; return nil }},
		{Name: "zoom", Keys: []string{"z", "+"}, Show: "z", help: "zoom: the pane with the keyboard fills the screen; again: all panes",
			not: notZoom, do: func(m *Model) tea.Cmd { m.zoomed = !m.zoomed; return nil }},
		{Name: "mark", Keys: []string{"space"}, Show: "space", help: "mark the selected node: skip and retry then apply to all marked nodes; esc clears the marks",
			not: notMark, do: func(m *Model) tea.Cmd { m.Nodes.mark(m); return nil }},
		{Name: "change the pane", Keys: []string{"tab"}, Show: "tab", help: "the next pane: nodes, blocked, log; shift+tab the one before", worth: 3,
			Label: called("pane"), not: known, do: func(m *Model) tea.Cmd { m.Focus = m.nextPane(1); return nil }},
		{Name: "show commands", Keys: []string{"c"}, Show: "c", help: "show or hide the kubectl and aws commands in the log", worth: 1,
			Label: called("commands"), do: func(m *Model) tea.Cmd { m.Commands = !m.Commands; return nil },
			Plain: "print the kubectl and aws command of each change, or stop printing it"},
		{Name: "copy", Keys: []string{"y"}, Show: "y", help: "copy the command of a blocked pod or a log line, or the selected name",
			not: notCopy,
			do:  func(m *Model) tea.Cmd { return m.copy(m.copied()) }},
		{Name: "capture the mouse", Keys: []string{"m"}, Show: "m", help: "capture the mouse, which then selects no text; again: release it",
			not: notMouse, do: takeMouse},
		{Name: "show the help", Keys: []string{"?"}, Show: "?", help: "this list of actions", worth: 10,
			Label: called("help"), do: func(m *Model) tea.Cmd { return m.Open(newMenu(true)) }},
		{Name: "open the palette", Keys: []string{":"}, Show: ":", help: "find an action by its name and run it",
			do: func(m *Model) tea.Cmd { return m.Open(newMenu(false)) }},
		{Name: "quit", Keys: []string{"q"}, Show: "q", help: "leave; asks first when the run needs this process", worth: 10,
			Label: called("quit"), do: quit, Plain: "leave"},
		{Name: "move", Show: "arrows hjkl", help: "move the cursor; left and right change the zone; pgup, pgdn, g and G move further"},
		{Name: "go back", Show: "esc", help: "clear the filter, then the marks, then the cursor: the panes follow the activity"},
		{Name: "stop", Show: "ctrl+c", help: "close a dialog, else abort; again: confirm, stop at once"},
	}
	if o.Scale != nil {
		all = slices.Insert(all, 2, &Action{Name: "scale", Keys: []string{"w"}, Show: "w", worth: 8,
			help:  "demo only: scale up the owner of the blocked pod, so that its PDB opens",
			Label: called("scale"), not: notScale, Plain: "scale up the owner of a pod that a PDB blocks",
			do: func(m *Model) tea.Cmd { b, _ := m.scalable(); m.say(o.Scale(b)); return m.tick() }})
	}
	if o.Turn != nil {
		all = slices.Insert(all, 2, &Action{Name: "turn", Keys: []string{"t"}, Show: "t", worth: 7,
			help:  "show the next group of a parallel roll",
			Label: called("next group"), not: notTurn, Plain: "switch to the next group of a parallel roll",
			do: func(*Model) tea.Cmd { o.Turn(); return nil }})
	}
	return all
}

// scalable is the blocked pod that scaling its owner would set free: the one under
// the cursor, or the first.
func (m *Model) scalable() (*blockers.Blocker, string) {
	helps := func(b *blockers.Blocker) bool {
		return b.Owner != "" && (b.Kind == blockers.BlockedByBudget || b.Kind == blockers.BlockedByReturn)
	}
	if b := m.Blockers.at(m.Scene); m.Focus == BlockedPane && b != nil {
		if helps(b) {
			return b, ""
		}
		return nil, "scaling does not help " + b.Pod
	}
	for _, b := range m.Scene.Blockers {
		if helps(b) {
			return b, ""
		}
	}
	return nil, "no PDB blocks a pod"
}

func notScale(m *Model) string {
	switch {
	case m.Scene.Over():
		return "the run is over"
	case m.Ended:
		return "the run sends no more updates"
	}
	_, why := m.scalable()
	return why
}

func (m *Model) ActionFor(key string) *Action {
	for _, a := range m.Actions {
		if a.do != nil && slices.Contains(a.Keys, key) {
			return a
		}
	}
	return nil
}

// Why says why an action is not possible now, "" when it is.
func (m *Model) Why(a *Action) string {
	if why := m.Unable(a); why != "" || a.not == nil {
		return why
	}
	return a.not(m)
}

// Unable says why an action is not possible whatever the cursor is on, "" when it may
// be.
func (m *Model) Unable(a *Action) string {
	if a.Command == nil {
		if a.not != nil && m.Scene == nil {
			return "no data yet"
		}
		return ""
	}
	kind := a.Command(m)
	switch {
	case m.Opts.ReadOnly && m.Scene != nil && m.Scene.Never(kind) != "":
		return style.Lower(m.Scene.Never(kind))
	case m.Opts.ReadOnly:
		return "this dashboard only watches"
	case m.Scene == nil:
		return "no data yet"
	case m.Scene.Between() && kind == record.CmdAbort && !m.Ended:
		return "" // it ends the roll
	case m.Scene.Between():
		return "the run of this group is over, and the next has not begun"
	case m.Scene.State == record.Finished:
		return "the run is over"
	case m.Ended:
		return "the run sends no more updates"
	}
	if kind == record.CmdForce || kind == record.CmdApprove && m.Scene.Batch != nil {
		if stale := m.Scene.ClusterStale(); stale != "" {
			return stale
		}
	}
	why, _ := m.Scene.Able(kind)
	return style.Lower(why)
}

func approveLabel(m *Model) string {
	if m.Scene == nil || m.Scene.Batch == nil {
		return "approve"
	}
	return "approve " + scene.BatchNameAndSize(m.Scene.Batch)
}

func notApprove(m *Model) string {
	switch b := m.Scene.Batch; {
	case b == nil:
		return "nothing waits for approval"
	case m.Approved == b.Hash:
		return scene.BatchName(b) + " is approved already"
	}
	return ""
}

func pauseOrResume(m *Model) record.CommandKind {
	switch {
	case m.Scene == nil || m.Scene.State != record.Paused:
		return record.CmdPause
	case m.Scene.CanaryHolds():
		return record.CmdAccept
	}
	return record.CmdResume
}

// pauseLabel is what the key does now.
func pauseLabel(m *Model) string {
	if kind := pauseOrResume(m); kind != record.CmdResume || !m.Scene.UpdateFailed {
		return string(kind)
	}
	return "retry"
}

func togglePause(m *Model) tea.Cmd {
	kind := pauseOrResume(m)
	if kind == record.CmdAccept {
		return m.Open(newAcceptDialog(m.Scene.CanaryTrouble))
	}
	m.send(record.Command{Kind: kind}, pauseLabel(m)+" requested")
	return nil
}

// known is for what needs a snapshot and no more.
func known(*Model) string { return "" }

func notSkip(m *Model) string {
	return m.notFor("a node", takesSkip)
}

func takesSkip(r *snapshot.NodeRow) bool { return r.Takes.Skip }

func notReturn(m *Model) string {
	if m.Scene.Instead(record.CmdReturn) != "" {
		return m.notFor("an outdated node", takesReturn)
	}
	return m.notFor("a skipped or failed node", takesReturn)
}

func takesReturn(r *snapshot.NodeRow) bool { return r.Takes.Return }

func notExtend(m *Model) string { return m.notFor("a draining node", takesExtend) }

func takesExtend(r *snapshot.NodeRow) bool { return r.Takes.Extend }

// atNode opens the dialog of a key's command for one node, from within another dialog, or says
// why that cannot be.
func (m *Model) atNode(key, machine string) tea.Cmd {
	r, a := m.Scene.Row(machine), m.ActionFor(key)
	if why := m.notAtNode(key, r); why != "" {
		m.refuse("cannot " + a.Name + " now: " + why)
		return m.tick()
	}
	if rows := []*snapshot.NodeRow{r}; key == "s" {
		return m.deeper(newSkipDialog(m, rows))
	} else {
		return m.deeper(newExtendDialog(rows))
	}
}

// notAtNode says why a key's command cannot be given for a node, "" if it can.
func (m *Model) notAtNode(key string, r *snapshot.NodeRow) string {
	good := takesSkip
	if key == "e" {
		good = takesExtend
	}
	switch why := m.Unable(m.ActionFor(key)); {
	case why != "":
		return why
	case r == nil:
		return "the node is gone"
	case !good(r):
		return fmt.Sprintf("%s is %s", m.Scene.Names[r.ID], r.Stage)
	}
	return ""
}

// notFor says why the node under the cursor, or one of those that are marked, is not
// one for an action.
func (m *Model) notFor(what string, good func(*snapshot.NodeRow) bool) string {
	chosen := m.Nodes.chosenNodes(m)
	if len(chosen) == 0 {
		return "select " + what + " first (up, down)"
	}
	for _, r := range chosen {
		if !good(r) {
			return fmt.Sprintf("%s is %s", m.Scene.Names[r.ID], r.Stage)
		}
	}
	return ""
}

func notZoom(m *Model) string {
	if m.Width < term.StackedWidth {
		return "one pane fills the screen already"
	}
	return ""
}

func notMark(m *Model) string {
	if m.Focus != NodesPane || m.Scene.Row(m.Nodes.Cursor) == nil {
		return "select a node first (up, down)"
	}
	return ""
}

func toggleProblems(m *Model) tea.Cmd {
	m.Nodes.problems = !m.Nodes.problems
	m.Nodes.arrange(m.Scene)
	return nil
}

func nextProblem(m *Model) tea.Cmd {
	m.Focus = NodesPane
	if !m.Nodes.nextProblem(m) {
		m.say("no node on screen has a problem")
	}
	return m.tick()
}

func detailsLabel(m *Model) string {
	if m.Scene.Over() && m.Nodes.Cursor == "" {
		return "result"
	}
	return "details"
}

func notDetails(m *Model) string {
	switch {
	case m.Focus == logPane && m.log.at(m.Scene) != nil, m.Focus == BlockedPane && m.Blockers.at(m.Scene) != nil, m.Scene.Row(m.Nodes.Cursor) != nil, m.Scene.Over():
		return ""
	}
	return "select a node or a blocked pod first (up, down)"
}

func openDetails(m *Model) tea.Cmd {
	if b := m.Blockers.at(m.Scene); m.Focus == BlockedPane && b != nil {
		return m.Open(&BlockerDialog{Blocker: b})
	}
	if e := m.log.at(m.Scene); m.Focus == logPane && e != nil {
		return m.Open(&eventDialog{event: *e, told: m.log.toldAt(m.Scene)})
	}
	if r := m.Scene.Row(m.Nodes.Cursor); r != nil {
		return m.Open(&NodeDialog{row: r})
	}
	return m.Open(m.LastDialog())
}

// force asks whether to force the target. Where several nodes are blocked and none is
// chosen, the cursor goes to the first of what is blocked.
func force(m *Model) tea.Cmd {
	t, _ := m.target()
	if t.node != "" {
		return m.Open(newForceDialog(t))
	}
	m.Focus = BlockedPane
	m.Blockers.move(m.Scene, 0)
	m.say("several nodes are blocked: choose a pod (up, down), then f")
	return m.tick()
}

// target is what force would hit: the blocked pod under the cursor, the node
// under it, or the only node that is blocked; none where it is to be chosen first.
func (m *Model) target() (t forceTarget, why string) {
	if b := m.Blockers.at(m.Scene); m.Focus == BlockedPane && b != nil {
		t = forceTarget{machine: b.Machine, node: b.Node, pod: b.Pod, uid: b.UID}
	} else if r := m.Scene.Row(m.Nodes.Cursor); r != nil {
		t = forceTarget{machine: r.ID, node: r.Name}
	} else {
		for _, b := range m.Scene.Blockers {
			if t.node != "" && t.node != b.Node {
				return forceTarget{}, "" // which of them is to be chosen first
			}
			t = forceTarget{machine: b.Machine, node: b.Node}
		}
		if t.node == "" {
			return t, "nothing is blocked"
		}
	}
	return t, notDraining(m.Scene, t.machine)
}

// notDraining says that a node cannot be forced at its stage, "" if it can.
func notDraining(sc *scene.Scene, machine string) string {
	if r := sc.Row(machine); r != nil && !r.Takes.Force {
		return fmt.Sprintf("%s is %s; only a node that is draining can be forced", sc.Names[r.ID], r.Stage)
	}
	return ""
}

func notForce(m *Model) string {
	_, why := m.target()
	return why
}

// points says what an action needs to be pointed at.
type points int

const (
	AtNode points = 1 << iota
	AtBlocked
)
