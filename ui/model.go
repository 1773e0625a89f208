package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/news"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/term"
)

// Messages of our own.
type (
	// snapshotMsg is a new picture of the run.
	snapshotMsg struct{ s *snapshot.Snapshot }
	// endedMsg: there will be no more snapshots.
	endedMsg struct{}
	// tickMsg: countdowns move.
	tickMsg struct{}
	// followMsg: the pane of evictions takes the snapshot that the others show.
	followMsg struct{}
)

// pane is a part of the board that can have the keyboard.
type pane int

const (
	NodesPane pane = iota
	BlockedPane
	logPane
)

// Model is the dashboard's state. It is used by pointer: Bubble Tea hands
// messages to Update one at a time.
type Model struct {
	Opts    Options
	Actions []*Action
	Exit    Exit

	term.Screen
	attention news.Attention
	mouse     mouse
	overheard []record.Event

	// Scene is what is shown, nil until the first snapshot.
	Scene *scene.Scene
	Ended bool

	Focus    pane
	Nodes    nodeTable
	Blockers blockerList
	log      logView
	Commands bool // the log shows the twin commands where it would not by itself, or the other way round

	zoomed bool // the pane that has the keyboard is the only one
	search search
	Dialog Dialog
	under  []Dialog      // those that dialog was opened from, and goes back to
	looked snapshot.Look // what Options.Look was told last
	grace  grace
	// Notice is a sentence in place of the footer until the next key, or for as long
	// as it takes to read it.
	Notice     string
	noticed    time.Time
	refused    bool // the notice says why something was not done
	interrupts int
	// Approved is the hash of the batch that was just approved here, and when, until
	// the snapshot knows.
	Approved   string
	approvedAt time.Time

	// late is what the pane of evictions shows; following: it takes the newest soon.
	late      *scene.Scene
	following bool

	Ticking bool
	// layout is where the panes of the frame lie, dialogBody the visible lines of the open
	// dialog.
	layout     layout
	dialogBody []string
	frame      string
	dirty      bool
}

func NewModel(o Options) *Model {
	o = o.withDefaults()
	m := &Model{Opts: o, Actions: actions(o), Exit: Left, dirty: true}
	m.Screen = term.NewScreen(o.Environ, term.Appearance{Theme: o.Theme, Mark: o.Mark, Silent: o.Silent})
	m.mouse.on = o.Mouse
	return m
}

// Init asks the terminal for its background.
func (m *Model) Init() tea.Cmd { return m.Start() }

// Update takes one message and draws the frame again if something changed.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.update(msg)
	m.draw()
	return m, cmd
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	small := m.TooSmall()
	if m.Learn(msg) {
		m.dirty = true
		if small && !m.TooSmall() {
			m.grace.begin(m.Opts.Now()) // what was pressed meanwhile was for nothing that could be read
		}
		return nil
	}
	switch msg := msg.(type) {
	case snapshotMsg:
		m.Show(msg.s)
		return tea.Batch(m.tick(), m.attend(), m.follow())
	case followMsg:
		m.late, m.following, m.dirty = m.Scene, false, true
	case LogMsg:
		msg.Deliver(m.Opts.Now())
		m.dirty = true
	case term.StderrMsg:
		m.overhear(msg.Lines)
	case endedMsg:
		m.Ended, m.dirty = true, true
		if m.Dialog != nil {
			m.Dialog.refresh(m)
		}
	case tickMsg:
		m.Ticking, m.dirty = false, true
		m.doubtApproval()
		if m.Notice != "" && m.Opts.Now().Sub(m.noticed) >= term.NoticeTime {
			m.Notice = ""
		}
		return tea.Batch(m.tick(), m.attend())
	case tea.FocusMsg:
		m.attention.FocusIn(m.Opts.Now())
		return m.attend()
	case tea.BlurMsg:
		m.attention.FocusOut()
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case tea.KeyPressMsg:
		m.dirty = true
		m.attention.Here(m.Opts.Now())
		return m.press(msg)
	case tea.PasteMsg:
		m.paste(msg)
	}
	return nil
}

// draw lays the panes out and renders the frame, if something changed since the last
// one. All that depends on what is visible is written here, and nothing by View.
func (m *Model) draw() {
	if !m.dirty {
		return
	}
	m.dirty = false
	m.fit()
	m.frame = m.render()
	m.reportUnread()
}

// View is the frame as Update left it. It changes nothing.
func (m *Model) View() tea.View {
	v := tea.NewView(m.frame)
	m.declare(&v)
	return v
}

// Show takes a new snapshot.
func (m *Model) Show(s *snapshot.Snapshot) {
	if s == nil {
		return
	}
	was := m.Scene
	s = m.withOverheard(s)
	if m.Another(s) {
		m.turned(s)
		was = nil
	}
	m.Scene, m.dirty = scene.New(s, scene.Options{Clock: m.Opts.Now, Speed: m.Opts.Speed, ReadOnly: m.Opts.ReadOnly}, was), true
	m.Nodes.moved(m.Scene)
	m.Blockers.moved(m.Scene)
	m.log.moved(was, m.Scene)
	if m.Focus == BlockedPane && len(s.Blockers) == 0 && m.Width >= term.StackedWidth {
		m.Focus = NodesPane // the panel is not on the screen any more
	}
	if s.Batch == nil || s.Batch.Hash != m.Approved {
		m.Approved = ""
	}
	m.doubtApproval()
	if _, end := m.Dialog.(*endDialog); end && s.State != record.Finished {
		m.Close() // another run has begun
	}
	if m.Dialog != nil {
		m.Dialog.refresh(m)
	}
	if m.Scene.AllOver() && !was.AllOver() {
		m.opened(m.LastDialog())
	} else if m.Opts.Tour && was == nil && m.Dialog == nil {
		m.Opts.Tour = false
		m.Open(&tourDialog{})
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
	m.late = m.Scene
	return nil
}

// tick asks for the next move of a hand while something on the screen counts; without a
// run only clocks do.
func (m *Model) tick() tea.Cmd {
	if m.Ticking || m.Notice == "" && (m.Scene == nil || m.Scene.AllOver()) {
		return nil
	}
	m.Ticking = true
	every := time.Second
	if m.Scene != nil && m.Scene.State != record.NoRun {
		every /= scene.Hands
	}
	return tea.Tick(every, func(time.Time) tea.Msg { return tickMsg{} })
}

// press handles a key.
func (m *Model) press(key tea.KeyPressMsg) tea.Cmd {
	if key.String() == "ctrl+c" {
		return m.interrupt()
	}
	if m.TooSmall() {
		return nil
	}
	if m.grace.swallow(m.Opts.Now()) {
		m.refuse("key ignored: the screen had just changed")
		return m.tick()
	}
	m.Notice = ""
	if m.Dialog != nil {
		if c, ok := m.Dialog.(copier); ok && key.String() == "y" {
			return m.copy(c.copied(m))
		}
		return m.Dialog.key(m, key)
	}
	if m.search.open {
		m.typeSearch(key)
		return nil
	}
	if a := m.ActionFor(key.String()); a != nil {
		return m.Do(a)
	}
	if m.Scene != nil {
		m.navigate(key.String())
	}
	return nil
}

// paste hands what was pasted to what takes text.
func (m *Model) paste(msg tea.PasteMsg) {
	if m.TooSmall() || m.grace.swallow(m.Opts.Now()) {
		return
	}
	m.dirty = true
	if d, ok := m.Dialog.(interface{ paste(tea.PasteMsg) }); ok {
		d.paste(msg)
	} else if m.Dialog == nil && m.search.open {
		m.search.input, _ = m.search.input.Update(msg)
		m.setFilter(m.search.input.Value())
	}
}

// Do carries out an action, or says why it cannot be.
func (m *Model) Do(a *Action) tea.Cmd {
	if why := m.Why(a); why != "" {
		m.refuse("cannot " + a.Name + " now: " + why)
		return m.tick()
	}
	return a.do(m)
}

// interrupt is ctrl-c: it closes a dialog, else asks for the abort, and in that dialog aborts
// the run; once the run ends, or where no dialog has room, it does so at once. After that it
// leaves at once.
func (m *Model) interrupt() tea.Cmd {
	asks := false
	if d, ok := m.Dialog.(*ChoiceDialog); ok {
		asks = d.aborts
	}
	m.dirty = true
	switch {
	case m.Scene.AllOver():
		m.Exit = Finished
		return tea.Quit
	case m.Opts.ReadOnly, m.Opts.KeepsNothing, m.Ended:
		return tea.Quit
	case m.interrupts > 0:
		m.Exit = Interrupted
		return tea.Quit
	case m.search.open:
		m.search.open = false
		return nil
	case m.Dialog != nil && !asks && !m.TooSmall():
		m.Close()
		return nil
	case !asks && !m.TooSmall() && m.Scene != nil && m.Why(m.ActionFor("x")) == "":
		return m.Do(m.ActionFor("x"))
	}
	m.interrupts++
	m.Dismiss()
	if m.Scene == nil || m.Scene.State != record.Ending {
		m.Opts.Send(record.Command{Kind: record.CmdAbort, Reason: "ctrl-c in the dashboard"})
	}
	return nil
}

// approvalLost is how long an approval may take to be taken up before it is doubted.
const approvalLost = 10 * time.Second

// attend sends a notification if there are news and nobody looks.
func (m *Model) attend() tea.Cmd {
	if m.Scene == nil || m.Appearance.Silent {
		return nil
	}
	if seq := m.attention.Notification(m.TTY, m.Scene, m.Styles, m.Approved, m.Opts.Now()); seq != "" {
		return tea.Raw(seq)
	}
	return nil
}

// doubtApproval asks again for what was approved and still waits: the run may have
// paused in between, or not have heard.
func (m *Model) doubtApproval() {
	if m.Approved == "" || m.Opts.Now().Sub(m.approvedAt) < approvalLost {
		return
	}
	m.Approved = ""
	m.refuse("the approval was not accepted, see the log. Approval is requested again")
}

// send gives a command to the run and says so; the snapshot shows its effect.
func (m *Model) send(c record.Command, said string) {
	m.Opts.Send(c)
	m.say(said)
}

// say shows a sentence in place of the footer.
func (m *Model) say(text string) { m.Notice, m.noticed, m.refused = text, m.Opts.Now(), false }

// refuse says why something was not done.
func (m *Model) refuse(text string) { m.Notice, m.noticed, m.refused = text, m.Opts.Now(), true }
