package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/themes"
)

// Messages of our own.
type (
	// snapshotMsg is a new picture of the run.
	snapshotMsg struct{ s *engine.Snapshot }
	// endedMsg: there will be no more snapshots.
	endedMsg struct{}
	// tickMsg: countdowns move.
	tickMsg struct{}
	// followMsg: the pane of evictions takes the snapshot that the others show.
	followMsg struct{}
)

// noticeTime is how long a notice stays when no key is pressed.
const noticeTime = 8 * time.Second

// pane is a part of the board that can have the keyboard.
type pane int

const (
	nodesPane pane = iota
	blockedPane
	logPane
)

// Model is the dashboard's state. It is used by pointer: Bubble Tea hands
// messages to Update one at a time.
type Model struct {
	opts    Options
	actions []*action
	exit    Exit

	width, height int
	st            *styles
	terminal      themes.Terminal
	// mistake is what is wrong with the operator's theme or configuration.
	mistake   string
	tty       tty
	attention attention
	mouse     mouse
	overheard []engine.Event

	// sc is what is shown, nil until the first snapshot.
	sc    *scene
	ended bool

	focus    pane
	nodes    nodeTable
	blockers blockerList
	log      logView
	commands bool // the log shows the twin commands where it would not by itself, or the other way round

	search search
	dialog dialog
	under  []dialog    // those that dialog was opened from, and goes back to
	looked engine.Look // what Options.Look was told last
	grace  grace
	// notice is a sentence in place of the footer until the next key, or for as long
	// as it takes to read it.
	notice     string
	noticed    time.Time
	refused    bool // the notice says why something was not done
	interrupts int
	// approved is the hash of the batch that was just approved here, and when, until
	// the snapshot knows.
	approved   string
	approvedAt time.Time

	// late is what the pane of evictions shows; following: it takes the newest soon.
	late      *scene
	following bool

	ticking bool
	frame   string
	dirty   bool
}

func newModel(o Options) *Model {
	o = o.withDefaults()
	m := &Model{opts: o, actions: actions(o), exit: Left, terminal: terminalOf(o.Environ), tty: ttyOf(o.Environ), dirty: true}
	m.mouse.on = o.Mouse
	m.choose()
	return m
}

// choose makes the styles for the terminal as far as it is known.
func (m *Model) choose() { m.st, m.dirty = newStyles(m.opts.Theme.On(m.terminal)), true }

// Init asks the terminal for its background.
func (m *Model) Init() tea.Cmd {
	var cmds []tea.Cmd
	if m.terminal.Term != "dumb" {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	for _, kv := range m.opts.Environ {
		if strings.HasPrefix(kv, "SSH_TTY=") && m.terminal.Term != "dumb" {
			// Over SSH Bubble Tea does not ask whether the terminal can show a frame at
			// once; those that cannot ignore the mode.
			cmds = append(cmds, func() tea.Msg {
				return tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset}
			})
		}
	}
	return tea.Batch(cmds...)
}

// Update takes one message. Bubble Tea calls View after every one, so what
// changes nothing must leave the frame as it is.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		small := m.blindToKeys()
		m.width, m.height, m.dirty = msg.Width, msg.Height, true
		if small && !m.blindToKeys() {
			m.grace.begin(m.opts.Now()) // what was pressed meanwhile was for nothing that could be read
		}
	case tea.BackgroundColorMsg:
		m.terminal.Dark = msg.IsDark()
		m.choose()
	case tea.ColorProfileMsg:
		if !noColour(m.opts.Environ) {
			m.terminal.Colours = coloursOf(msg.Profile)
			m.choose()
		}
	case appearanceMsg:
		m.wear(msg.Appearance)
	case snapshotMsg:
		m.show(msg.s)
		return m, tea.Batch(m.tick(), m.attend(), m.follow())
	case followMsg:
		m.late, m.following, m.dirty = m.sc, false, true
	case asideMsg:
		m.overhear(msg.lines)
	case endedMsg:
		m.ended, m.dirty = true, true
		if m.dialog != nil {
			m.dialog.refresh(m)
		}
	case tickMsg:
		m.ticking, m.dirty = false, true
		m.doubtApproval()
		if m.notice != "" && m.opts.Now().Sub(m.noticed) >= noticeTime {
			m.notice = ""
		}
		return m, tea.Batch(m.tick(), m.attend())
	case tea.FocusMsg:
		m.attention.reports = true
		m.attention.here(m.opts.Now())
		return m, m.attend()
	case tea.BlurMsg:
		m.attention.reports, m.attention.away = true, true
	case tea.MouseClickMsg:
		return m, m.click(msg)
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case tea.KeyPressMsg:
		m.dirty = true
		m.attention.here(m.opts.Now())
		return m, m.press(msg)
	case tea.PasteMsg:
		m.paste(msg)
	}
	return m, nil
}

// View is the frame, rendered again only when something changed.
func (m *Model) View() tea.View {
	if m.dirty {
		m.nodes.unread = nil
		m.frame, m.dirty = m.render(), false
		m.tellUnread()
	}
	v := tea.NewView(m.frame)
	m.declare(&v)
	return v
}

// show takes a new snapshot.
func (m *Model) show(s *engine.Snapshot) {
	if s == nil {
		return
	}
	was := m.sc
	s = m.withOverheard(s)
	if m.another(s) {
		m.turned(s)
		was = nil
	}
	m.sc, m.dirty = newScene(s, m.opts.Now(), m.opts.Speed, was), true
	m.nodes.moved(m.sc)
	m.blockers.moved(m.sc)
	m.log.moved(was, m.sc)
	if m.focus == blockedPane && len(s.Blockers) == 0 && m.width >= stackedWidth {
		m.focus = nodesPane // the panel is not on the screen any more
	}
	if s.Batch == nil || s.Batch.Hash != m.approved {
		m.approved = ""
	}
	m.doubtApproval()
	if _, end := m.dialog.(*endDialog); end && s.State != engine.Finished {
		m.close() // another run has begun
	}
	if m.dialog != nil {
		m.dialog.refresh(m)
	}
	if m.allOver() && !was.allOver() {
		m.opened(m.lastDialog())
	}
}

// follow lets the pane of evictions take a new snapshot a moment after the blocked
// panel beside it: the terminal is sent all that lies between two changes of a line.
func (m *Model) follow() tea.Cmd {
	if m.following {
		return nil
	}
	if m.late != nil {
		if l := m.plan(); l.evictions.x != l.blocked.x {
			m.following = true
			return tea.Tick(time.Second/20, func(time.Time) tea.Msg { return followMsg{} })
		}
	}
	m.late = m.sc
	return nil
}

// tick asks for the next move of a hand while something on the screen counts; without a
// run only clocks do.
func (m *Model) tick() tea.Cmd {
	if m.ticking || m.notice == "" && (m.sc == nil || m.allOver()) {
		return nil
	}
	m.ticking = true
	every := time.Second
	if m.sc != nil && m.sc.State != engine.NoRun {
		every /= hands
	}
	return tea.Tick(every, func(time.Time) tea.Msg { return tickMsg{} })
}

// press handles a key.
func (m *Model) press(key tea.KeyPressMsg) tea.Cmd {
	if key.String() == "ctrl+c" {
		return m.interrupt()
	}
	if m.blindToKeys() {
		return nil
	}
	if m.grace.swallow(m.opts.Now()) {
		m.refuse("key ignored: the screen had just changed")
		return m.tick()
	}
	m.notice = ""
	if m.dialog != nil {
		if c, ok := m.dialog.(copier); ok && key.String() == "y" {
			return m.copy(c.copied(m))
		}
		return m.dialog.key(m, key)
	}
	if m.search.open {
		m.typeSearch(key)
		return nil
	}
	if a := m.actionFor(key.String()); a != nil {
		return m.do(a)
	}
	if m.sc != nil {
		m.navigate(key.String())
	}
	return nil
}

// blindToKeys reports whether the screen is too small for what keys would do to be
// read on it. Before its size is known nothing is held back.
func (m *Model) blindToKeys() bool {
	return m.width > 0 && (m.width < leastWidth || m.height < leastHeight)
}

// paste hands what was pasted to what takes text.
func (m *Model) paste(msg tea.PasteMsg) {
	if m.blindToKeys() || m.grace.swallow(m.opts.Now()) {
		return
	}
	m.dirty = true
	if d, ok := m.dialog.(interface{ paste(tea.PasteMsg) }); ok {
		d.paste(msg)
	} else if m.dialog == nil && m.search.open {
		m.search.input, _ = m.search.input.Update(msg)
		m.setFilter(m.search.input.Value())
	}
}

// do carries out an action, or says why it cannot be.
func (m *Model) do(a *action) tea.Cmd {
	if why := m.why(a); why != "" {
		m.refuse("cannot " + a.name + " now: " + why)
		return m.tick()
	}
	return a.do(m)
}

// interrupt is ctrl-c: the first aborts the run, the second leaves at once.
func (m *Model) interrupt() tea.Cmd {
	m.search.open = false
	switch {
	case m.allOver():
		m.exit = Finished
		return tea.Quit
	case m.opts.ReadOnly, m.ended:
		return tea.Quit
	case m.interrupts > 0:
		m.exit = Interrupted
		return tea.Quit
	}
	m.interrupts++
	m.dismiss()
	if m.sc == nil || m.sc.State != engine.Ending {
		m.opts.Send(engine.Command{Kind: engine.CmdAbort, Reason: "ctrl-c in the dashboard"})
	}
	m.dirty = true
	return nil
}

// over reports whether the run has come to its end.
func (m *Model) over() bool { return m.sc != nil && m.sc.State == engine.Finished }

// approvalLost is how long an approval may take to be taken up before it is doubted.
const approvalLost = 10 * time.Second

// doubtApproval asks again for what was approved and still waits: the run may have
// paused in between, or not have heard.
func (m *Model) doubtApproval() {
	if m.approved == "" || m.opts.Now().Sub(m.approvedAt) < approvalLost {
		return
	}
	m.approved = ""
	m.refuse("the approval was not taken up: the log may say why. It is asked for again")
}

// send gives a command to the run and says so; the snapshot shows its effect.
func (m *Model) send(c engine.Command, said string) {
	m.opts.Send(c)
	m.say(said)
}

// say shows a sentence in place of the footer.
func (m *Model) say(text string) { m.notice, m.noticed, m.refused = text, m.opts.Now(), false }

// refuse says why something was not done.
func (m *Model) refuse(text string) { m.notice, m.noticed, m.refused = text, m.opts.Now(), true }
