package ui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/podlog"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/glance"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/term"
)

// reader is what dialogs share that are only read.
type reader struct{ scroll }

func (d *reader) keys(m *Model, w int) string {
	return style.KeyLine(m.Styles, w, "esc", m.backLabel(), d.moreKey(), "more")
}

// moreKey is the key that shows more of a body that does not fit, "" for one that does.
func (d *reader) moreKey() string {
	if d.hint() == "" {
		return ""
	}
	return "up/down"
}

func (d *reader) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	switch k := key.String(); k {
	case "esc", "enter", "q":
		m.Close()
	default:
		d.move(k)
	}
	return nil
}

func (d *reader) refresh(*Model) {}

// history is the last events that concern something.
func history(m *Model, w int, about func(*record.Event) bool) []string {
	const most = 12
	var found []*record.Event
	for i := len(m.Scene.Events) - 1; i >= 0 && len(found) < most; i-- {
		if e := &m.Scene.Events[i]; about(e) {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return nil
	}
	out := []string{style.NewLine(m.Styles, w).String(), style.NewLine(m.Styles, w).Add(m.Styles.Title, "what happened").String()}
	for i := len(found) - 1; i >= 0; i-- {
		e := found[i]
		lk := m.Scene.EventLook(m.Styles, e)
		out = append(out, style.Paragraph(m.Styles, lk.Pen, e.Time.In(m.Opts.Now().Location()).Format("15:04:05")+" "+lk.Glyph, m.Scene.EventText(e), w)...)
	}
	return out
}

// BlockerDialog shows all that is known of what keeps a pod on its node.
type BlockerDialog struct {
	reader
	Blocker *blockers.Blocker
	gone    bool // it does not block any more
}

func (d *BlockerDialog) Title(*Model) string { return d.Blocker.Pod }

func (d *BlockerDialog) refresh(m *Model) {
	d.gone = true
	for _, b := range m.Scene.Blockers {
		if scene.BlockerKey(b) == scene.BlockerKey(d.Blocker) {
			d.Blocker, d.gone = b, false
		}
	}
	if p := podInSight(m.Scene, d.Blocker.UID); d.gone && p != nil && p.Blocker != nil {
		d.Blocker, d.gone = p.Blocker, false
	}
}

func (d *BlockerDialog) Body(m *Model, w int) []string {
	var out []string
	if d.gone {
		out = style.Paragraph(m.Styles, m.Styles.Warn, m.Styles.Glyphs.Warning, "no longer blocked; this is its last known state", w)
	}
	out = append(out, blockerText(m, d.Blocker, w)...)
	return append(out, history(m, w, func(e *record.Event) bool { return e.Pod == d.Blocker.Pod })...)
}

func (d *BlockerDialog) keys(m *Model, w int) string {
	budget, force, word := "", "f", "force"
	if len(d.Blocker.Budgets) > 0 {
		budget = "b"
	}
	if m.whyNotForce(d.target()) != "" {
		force, word = "(f", "force)"
	}
	row := m.Scene.Row(d.Blocker.Machine)
	possible := func(key, word string) (string, string) {
		if m.notAtNode(key, row) != "" {
			return "(" + key, word + ")"
		}
		return key, word
	}
	extend, more := possible("e", "extend")
	skip, leave := possible("s", "skip")
	log := ""
	if m.Opts.Log != nil {
		log = "L"
	}
	return style.KeyLine(m.Styles, w, "esc", m.backLabel(), budget, "PDB", force, word, log, "log", "y", "copy", extend, more, skip, leave, d.moreKey(), "more")
}

func (d *BlockerDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "b":
		return m.openBudgets(d.Blocker.Pod, d.Blocker.Budgets)
	case "f":
		return m.forcePod(d.target())
	case "e", "s":
		return m.atNode(key.String(), d.Blocker.Machine)
	case "L":
		return showLog(m, podlog.PodOf(d.Blocker.Pod, d.Blocker.UID, false))
	}
	return d.reader.key(m, key)
}

func (d *BlockerDialog) target() forceTarget {
	b := d.Blocker
	return forceTarget{machine: b.Machine, node: b.Node, pod: b.Pod, uid: b.UID}
}

// blockerText is a blocker as a list of facts.
func blockerText(m *Model, b *blockers.Blocker, w int) []string {
	st, sc := m.Styles, m.Scene
	now := sc.Now(m.Opts.Now())
	out := style.Fact(st, "pod", b.Pod, st.Title, w)
	if b.Owner != "" {
		out = append(out, style.Fact(st, "owner", b.Owner, st.Text, w)...)
	}
	out = append(out, style.Fact(st, "on", sc.NodeName(b.Node), st.Text, w)...)
	out = append(out, style.Fact(st, "blocked by", st.Glyphs.Blocked+" "+string(b.Kind), st.Warn, w)...)
	for _, v := range b.Budgets {
		text := fmt.Sprintf("%s: allows %d, %d healthy of %d, %d required", v.Ref, v.Allowed, v.Healthy, v.Expected, v.Desired)
		if v.Expression != "" {
			text += " (" + v.Expression + ")"
		}
		out = append(out, style.Fact(st, "PDB", text, st.Text, w)...)
	}
	if b.Detail != "" {
		out = append(out, style.Fact(st, "why", sc.Brief(b.Detail), st.Text, w)...)
	}
	var tries []string
	if b.Tries > 0 {
		tries = append(tries, fmt.Sprintf("%d refused", b.Tries))
	}
	if !b.Since.IsZero() {
		tries = append(tries, "for "+style.Countdown(now.Sub(b.Since)))
	}
	if b.Next.After(now) && sc.Evicts() {
		tries = append(tries, "again in "+style.Countdown(b.Next.Sub(now)))
	}
	if len(tries) > 0 {
		out = append(out, style.Fact(st, "tries", strings.Join(tries, ", "), st.Text, w)...)
	}
	if b.Deadline != nil {
		left, still := sc.Remaining(b.Deadline, m.Opts.Now())
		text := scene.DeadlineWord(b) + style.Countdown(left)
		if still {
			text += ", stopped"
		}
		out = append(out, style.Fact(st, "deadline", text, st.Text, w)...)
		if b.Deadline.Basis != "" {
			out = append(out, style.Fact(st, "because", b.Deadline.Basis, st.Dim, w)...)
		}
	}
	if b.WayOut != "" {
		out = append(out, style.Fact(st, "way out", m.Scene.WayOut(b.WayOut), st.Good, w)...)
	}
	if b.Command != "" {
		out = append(out, style.Fact(st, "command", b.Command, st.Text, w)...)
	}
	return out
}

// eventDialog shows one line of the log whole, with the command that does the same.
type eventDialog struct {
	reader
	event record.Event
	told  []record.Event // all that its line tells
}

func (d *eventDialog) Title(m *Model) string {
	return d.event.Time.In(m.Opts.Now().Location()).Format("2006-01-02 15:04:05")
}

func (d *eventDialog) Body(m *Model, w int) []string {
	st, e := m.Styles, &d.event
	lk := m.Scene.EventLook(m.Styles, e)
	out := style.Paragraph(st, lk.Pen, lk.Glyph, m.Scene.EventText(e), w)
	if len(d.told) > 1 {
		var nodes []string
		for _, t := range d.told {
			nodes = append(nodes, m.Scene.NodeName(t.Node))
		}
		out = style.Paragraph(st, lk.Pen, lk.Glyph, m.Scene.FoldedText(d.told)+": "+strings.Join(nodes, ", "), w)
	}
	out = append(out, style.NewLine(st, w).String())
	for _, f := range [][2]string{{"node", e.Node}, {"zone", e.Zone}, {"pod", e.Pod}, {"PDB", e.Budget}, {"phase", e.Phase}, {"reason", e.Reason}} {
		if f[1] != "" && (len(d.told) <= 1 || f[0] != "node" && f[0] != "zone") {
			out = append(out, style.Fact(st, f[0], f[1], st.Text, w)...)
		}
	}
	which := "equivalent command"
	if len(d.told) > 1 {
		which += " for " + m.Scene.NodeName(e.Node)
	}
	if e.Command != "" {
		out = append(out, style.NewLine(st, w).String(), style.NewLine(st, w).Add(st.Title, which).String())
		out = append(out, style.Paragraph(st, st.Text, "$", e.Command, w)...)
	}
	return out
}

// LogDialog shows the last lines of a pod's log, as they were read. Nothing of it is kept.
type LogDialog struct {
	reader
	of      podlog.Pod
	log     podlog.Log
	err     error
	Reading bool
	read    time.Time // zero before the first time
}

// LogMsg is the log that a dialog has asked for.
type LogMsg struct {
	of  *LogDialog
	log podlog.Log
	err error
}

// showLog shows the log of a pod, over what is open.
func showLog(m *Model, of podlog.Pod) tea.Cmd {
	if m.Opts.Log == nil {
		m.refuse("cannot show the pod's log now: " + noLogs)
		return m.tick()
	}
	d := &LogDialog{of: of}
	if m.Dialog == nil {
		m.Open(d)
	} else {
		m.deeper(d)
	}
	return d.ask(m)
}

const noLogs = "no pod's log can be read here"

// ask reads the log.
func (d *LogDialog) ask(m *Model) tea.Cmd {
	if d.Reading {
		return nil
	}
	d.Reading = true
	read, of := m.Opts.Log, d.of
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), podlog.Limit)
		defer cancel()
		log, err := read(ctx, of)
		return LogMsg{d, log, err}
	}
}

// Deliver gives the dialog what was read, and shows its end. Of a pod that is gone the last log
// stays.
func (msg LogMsg) Deliver(now time.Time) {
	d := msg.of
	d.Reading, d.err = false, msg.err
	if d.err != nil && len(d.log.Lines) > 0 {
		d.top = 0 // where the error is
		return
	}
	d.log, d.read, d.top = msg.log, now, 1<<20
}

func (d *LogDialog) wide() {}

func (d *LogDialog) Title(*Model) string { return "log of " + d.of.Ref() }

func (d *LogDialog) Body(m *Model, w int) []string {
	st := m.Styles
	var out []string
	if d.err != nil {
		out = style.Paragraph(st, st.Bad, st.Glyphs.Warning, style.Upper(d.err.Error()), w)
	}
	if d.err != nil && d.log.Container == "" || d.read.IsZero() {
		if d.Reading {
			out = append(out, style.NewLine(st, w).Add(st.Dim, StillReading).String())
		}
		return out
	}
	out = append(out, style.Fact(st, "container", d.log.Container+", "+logState(m, &d.log), st.Text, w)...)
	out = append(out, style.Fact(st, "command", d.log.Command(d.of), st.Dim, w)...)
	if d.err != nil && len(d.log.Lines) == 0 {
		return out
	}
	out = append(out, style.NewLine(st, w).String())
	if len(d.log.Lines) == 0 {
		return append(out, style.NewLine(st, w).Add(st.Dim, "the log is empty").String())
	}
	for i, line := range d.log.Lines {
		if line = style.Clean(line); d.log.Cut && i == len(d.log.Lines)-1 {
			line += st.Glyphs.Ellipsis
		}
		for part := range strings.SplitSeq(ansi.Wrap(line, max(w, 2), ""), "\n") {
			out = append(out, style.NewLine(st, w).Add(st.Text, part).String())
		}
	}
	return out
}

// logState says whose log it is.
func logState(m *Model, l *podlog.Log) string {
	state := "running"
	if l.Ended != "" {
		state = "ended"
		if l.Previous {
			state = "the previous one: ended"
		}
		if !l.At.IsZero() {
			state += " at " + l.At.In(m.Opts.Now().Location()).Format("15:04:05")
		}
		state += ", " + l.Ended
	}
	if l.Restarts > 0 {
		state += ", " + style.Count(l.Restarts, "restart")
	}
	return state
}

func (d *LogDialog) keys(m *Model, w int) string {
	again := "r"
	if d.Reading {
		again = "(r"
	}
	words := "read again"
	if d.Reading {
		words += ")"
	}
	return style.KeyLine(m.Styles, w, "esc", m.backLabel(), again, words, "y", "copy command", d.moreKey(), "more")
}

func (d *LogDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	if key.String() == "r" {
		return d.ask(m)
	}
	return d.reader.key(m, key)
}

func (d *LogDialog) copied(*Model) (text, what string) {
	command := style.Clean(d.log.Command(d.of))
	return command, "the command: " + command
}

// logTarget is the pod whose log the board's key shows: the one under the cursor, or without a
// cursor the crash-looping replacement that is in trouble longest.
func logTarget(m *Model) (of podlog.Pod, why string) {
	if m.Opts.Log == nil {
		return of, noLogs
	}
	if b := m.Blockers.at(m.Scene); m.Focus == BlockedPane && b != nil {
		return podlog.PodOf(b.Pod, b.UID, false), ""
	}
	if e := m.log.at(m.Scene); m.Focus == logPane && e != nil && e.Pod != "" {
		return podlog.PodOf(e.Pod, "", e.Type == record.WorkloadCrashing), ""
	}
	if r := m.Scene.Row(m.Nodes.Cursor); m.Focus != logPane && r != nil {
		if r.CrashLooping == "" {
			return of, "no pod crash-loops on " + m.Scene.Names[r.ID] + "; enter shows its pods"
		}
		return podlog.PodOf(r.CrashLooping, "", true), ""
	}
	for _, w := range m.Scene.Workloads {
		if hasLog(w) && w.CrashLooping > 0 {
			return podlog.PodOf(w.Pod, "", true), ""
		}
	}
	return of, "select a blocked pod, or a node with a crash-looping one, first (up, down)"
}

// hasLog reports whether the replacement in most trouble of a workload has a container with a log.
func hasLog(w *record.Workload) bool { return w.Pod != "" && w.Node != "" }

func notLog(m *Model) string {
	_, why := logTarget(m)
	return why
}

func openLog(m *Model) tea.Cmd {
	of, _ := logTarget(m)
	return showLog(m, of)
}

// glanceDialog is the group at a glance where the board has no room for all of it.
type glanceDialog struct{ reader }

func (d *glanceDialog) Title(m *Model) string { return "the group at a glance" }

func (d *glanceDialog) Body(m *Model, w int) []string {
	return glance.Panel(m.Scene, m.Styles, m.Scene.Now(m.Opts.Now()), w, 24)
}

func openGlance(m *Model) tea.Cmd { return m.Open(&glanceDialog{}) }

func notGlance(m *Model) string {
	if m.Scene.Total == 0 || m.Width < term.LeastWidth {
		return "no node is to be replaced"
	}
	return ""
}
