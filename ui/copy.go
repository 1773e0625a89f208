package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/term"
)

// copier is a dialog that has something to copy.
type copier interface {
	// copied is the text, and in a few words what it is; "" if there is nothing.
	copied(m *Model) (text, what string)
}

const noClipboard = "this terminal has no clipboard"

// copy puts a text on the clipboard of the operator's terminal (OSC 52), which may be
// far away from this process, and says what it was.
func (m *Model) copy(text, what string) tea.Cmd {
	switch {
	case text == "":
		m.refuse("nothing to copy here")
		return m.tick()
	case m.TTY.Dumb():
		m.refuse(noClipboard)
		return m.tick()
	}
	m.say("copied " + what)
	cmds := []tea.Cmd{m.tick(), tea.SetClipboard(text)}
	if m.TTY.Mux != term.NoMux { // by default it does not hand on what a program copies
		cmds = append(cmds, tea.Raw(m.TTY.Through(ansi.SetSystemClipboard(text))))
	}
	return tea.Batch(cmds...)
}

// copied is what is under the cursor.
func (m *Model) copied() (text, what string) {
	switch m.Focus {
	case BlockedPane:
		if b := m.Blockers.at(m.Scene); b != nil {
			return blockerCopied(b)
		}
	case logPane:
		if e := m.log.at(m.Scene); e != nil {
			return m.eventCopied(e)
		}
	default:
		if r := m.Scene.Row(m.Nodes.Cursor); r != nil {
			return nodeName(r)
		}
	}
	return "", ""
}

func notCopy(m *Model) string {
	if m.TTY.Dumb() {
		return noClipboard
	}
	if text, _ := m.copied(); text != "" {
		return ""
	}
	if m.Focus == logPane {
		return "the log shows no line"
	}
	return "select a node or a blocked pod first (up, down)"
}

func aName(name string) (text, what string) { return style.Clean(name), name }

// nodeName is the node's full name, as kubectl wants it, or the machine of one that
// has not joined.
func nodeName(r *snapshot.NodeRow) (text, what string) {
	if r.Name == "" {
		return aName(r.ID)
	}
	return aName(r.Name)
}

// eventCopied is the command of a line of the log, or what it says if it has none.
func (m *Model) eventCopied(e *record.Event) (text, what string) {
	if e.Command != "" {
		return style.Clean(e.Command), "the command: " + e.Command
	}
	text = style.Clean(m.Scene.EventText(e))
	return text, "the line: " + text
}

func (d *NodeDialog) copied(*Model) (text, what string) {
	if p := d.pod(); p != nil && p.Blocker != nil {
		return blockerCopied(p.Blocker)
	}
	return nodeName(d.row)
}

func (d *eventDialog) copied(m *Model) (text, what string) { return m.eventCopied(&d.event) }

// blockerCopied is the command that opens what blocks a pod, or shows it; the pod's name where
// there is none.
func blockerCopied(b *blockers.Blocker) (text, what string) {
	if b.Command == "" {
		return aName(b.Pod)
	}
	return style.Clean(b.Command), "the command: " + b.Command
}

func (d *BlockerDialog) copied(*Model) (text, what string) { return blockerCopied(d.Blocker) }

// copied is what restores what was left behind: the commands, each below a comment
// that says what for.
func (d *endDialog) copied(m *Model) (text, what string) {
	var lines []string
	for _, n := range m.Scene.Unrestored {
		why, command := splitCommand(style.Clean(n))
		lines = append(lines, "# "+why)
		if command != "" {
			lines = append(lines, command)
		}
	}
	return strings.Join(lines, "\n"), "the commands that restore what is left"
}

// splitCommand parts what the engine joins by ": ".
func splitCommand(line string) (why, command string) {
	for _, tool := range []string{"kubectl ", "aws ", "drainboard "} {
		if i := strings.Index(line, ": "+tool); i >= 0 {
			return line[:i], line[i+2:]
		}
	}
	return line, ""
}
