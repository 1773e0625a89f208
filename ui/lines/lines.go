package lines

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// Run is the dashboard without a screen, for a screen reader, a terminal that
// cannot move its cursor, or a pipe: it tells the run in lines that are only ever
// added to, and asks in numbered questions that are answered by lines of the input.
// It ends by itself when the run is over or sends no more news. With ReadOnly it tells
// the group, its run and the next one until ctx ends, the user leaves, or a terminal's
// input ends.
//
// The end of the input is like a terminal that goes away: the run is paused, and
// Plain returns Left; a run that is restoring what it changed continues with that
// first. Signals are the caller's, ctrl-c included; when ctx ends, Plain returns Left
// and the context's cause, unless the run is over by then.
func Run(ctx context.Context, o ui.Options) (ui.Exit, error) {
	n := newNarrator(o)
	done := make(chan struct{})
	defer close(done)
	clock := time.NewTicker(time.Second)
	defer clock.Stop()
	return n.run(ctx, readLines(n.m.Opts.Input, n.m.Opts.Now, done), clock.C)
}

// narrator tells a run and asks about it, line by line. It has the dashboard's own
// model, whose actions and dialogs are what it asks with; only nothing is drawn.
type narrator struct {
	m   *ui.Model
	out io.Writer
	// left is how the run was left, "" as long as it is shown.
	left ui.Exit
	// spoke is when the last line was told, by the local clock.
	spoke time.Time

	// q is the question that is open, nil for none.
	q *question
	// asked is what was last asked about without being told to, so that it is asked once.
	asked string
	// orders counts the commands that were sent; ordered is when the last one was.
	orders  int
	ordered time.Time
	// deaf: the input has ended.
	deaf bool

	// coming is a dialog that is printed when its details have come, nil for none; awaited is
	// since when; budgets are to be told after it.
	coming  ui.Dialog
	awaited time.Time
	budgets []*ui.BudgetDialog

	// read are logs that were asked for; one that is late finds room.
	read chan ui.LogMsg

	told teller
	// mute: what would be printed counts as printed, and is not written.
	mute bool
	// about and driver are the run of a watched group, and who drives it, as told last.
	about, driver string
	// endOf is the run whose end was told last, of those of a roll.
	endOf string
}

// plainWidth is how wide a line may be before it is broken in two: as good as any
// width, because the terminal breaks lines where it must.
const plainWidth = 1 << 13

// plainWords are the glyphs of those who hear them.
var plainWords = themes.Glyphs{Warning: "warning:", Arrow: "to", Times: " times", Ellipsis: "...", Dot: "-"}

func newNarrator(o ui.Options) *narrator {
	m := ui.NewModel(o)
	m.Styles = style.New(themes.Theme{Glyphs: plainWords}) // no colour and no bold, whatever the terminal could
	m.Styles.Plain = true
	m.Ticking = true // no frame waits for a tick
	if m.Opts.Input == nil {
		m.Opts.Input = os.Stdin
	}
	n := &narrator{m: m, out: m.Opts.Output, spoke: m.Opts.Now(), told: newTeller(), read: make(chan ui.LogMsg, 64)}
	send := m.Opts.Send
	m.Opts.Send = func(c record.Command) {
		n.orders++
		n.ordered = m.Opts.Now()
		send(c)
	}
	if n.out == nil {
		n.out = os.Stdout
	}
	return n
}

// run tells and asks until the run is left. Lines are what is typed, clock wakes it
// about once a second.
func (n *narrator) run(ctx context.Context, lines <-chan inputLine, clock <-chan time.Time) (ui.Exit, error) {
	o := n.m.Opts
	if o.ReadOnly {
		n.greet()
	}
	for n.left == "" {
		heard := lines
		switch {
		case n.deaf, o.Scripted && !o.ReadOnly && n.q == nil: // answers wait for their question
			heard = nil
		case o.Scripted && n.m.Scene == nil: // and all else for what it is about
			heard = nil
		}
		select {
		case s, ok := <-o.Snapshots:
			if !ok && o.ReadOnly && ctx.Err() != nil {
				return ui.Left, context.Cause(ctx)
			}
			n.see(s, ok)
		case l := <-heard:
			n.hear(l)
		case <-clock:
			n.pass()
		case log := <-n.read:
			log.Deliver(o.Now())
			n.tellComing()
		case <-ctx.Done():
			select { // the last picture may have come, and tells how the run ended
			case s, ok := <-o.Snapshots:
				if ok || !o.ReadOnly {
					n.see(s, ok)
				}
			default:
			}
			if n.left == ui.Finished {
				return ui.Finished, nil
			}
			return ui.Left, context.Cause(ctx)
		}
	}
	return n.left, nil
}

// see takes a new snapshot: it tells what is new, and asks what is to be decided.
func (n *narrator) see(s *snapshot.Snapshot, more bool) {
	m := n.m
	if !more {
		m.Ended = true
		if m.Opts.ReadOnly {
			n.say("The watch has ended: no more updates.")
		} else {
			n.say("The run sends no more updates.")
		}
		n.left = ui.Left
		return
	}
	first, turns := m.Scene == nil, s != nil && m.Another(s)
	m.Show(s)
	if m.Scene == nil {
		return
	}
	if m.Opts.ReadOnly {
		n.watch(first)
		return
	}
	if turns {
		n.turn()
	}
	if first {
		n.open()
	}
	n.tell()
	switch {
	case m.Scene.AllOver():
		n.end()
		return
	case m.Scene.Over():
		n.endOfGroup()
		return
	}
	if n.q != nil && n.q.dialog != nil && m.Dialog != n.q.dialog {
		n.q = nil // it closed itself, and said why
	}
	n.tellComing()
	n.notice()
	n.ask()
}

// pass lets time pass: what has waited for long enough is printed.
func (n *narrator) pass() {
	m := n.m
	if m.Scene == nil {
		return
	}
	n.tellBlockers()
	n.tellComing()
	now := m.Opts.Now()
	if need := n.need(); need != "" && need == n.asked && n.q == nil && now.Sub(n.ordered) >= lost {
		n.askNeed(false) // what was decided has had no effect
	}
	if now.Sub(n.spoke) >= n.patience() && !(m.Opts.ReadOnly && m.Scene.Over()) {
		n.say(n.progress())
	}
}

// did carries out what a dialog or an action wants done, and asks what it opened.
func (n *narrator) did(cmd tea.Cmd) {
	d, log := n.m.Dialog.(*ui.LogDialog)
	switch {
	case cmd == nil:
	case log && d.Reading:
		go func() {
			if log, ok := cmd().(ui.LogMsg); ok {
				n.read <- log
			}
		}()
	default:
		if _, quits := cmd().(tea.QuitMsg); quits {
			n.left = n.m.Exit
		}
	}
	n.notice()
	if n.left == "" && n.m.Dialog != nil {
		n.askDialog()
	}
}

// notice tells what the model has to say.
func (n *narrator) notice() {
	if n.m.Notice != "" {
		n.say(n.m.Notice)
		n.m.Notice = ""
	}
}

// turn continues with another run of a roll.
func (n *narrator) turn() {
	n.m.Notice, n.asked, n.q = "", "", nil
	n.told.blockers, n.told.notes = nil, map[string]note{}
	n.say(n.intro())
}

// endOfGroup tells once how the run of a group has ended whose roll continues.
func (n *narrator) endOfGroup() {
	m := n.m
	if n.endOf == m.Scene.RunID {
		return
	}
	n.endOf, n.q, m.Dialog, m.Notice = m.Scene.RunID, nil, nil, ""
	d := ui.NewEndDialog()
	n.say(d.Title(m))
	n.write(d.Body(m, plainWidth)...)
}

// open tells what this is about, once.
func (n *narrator) open() {
	m := n.m
	n.say(n.intro())
	switch {
	case m.Opts.Scripted:
		n.say("Each input line answers one question, in order; at the end of the input the run pauses.")
	default:
		n.say("An empty line, or ?, lists the possible actions. ctrl-c aborts; a second ctrl-c stops at once.")
	}
}

// intro is what a run is about.
func (n *narrator) intro() string {
	m, sc := n.m, n.m.Scene
	word, _ := m.Scene.StandingLook(m.Styles)
	name := sc.Group
	if sc.Cluster != "" {
		name = sc.Cluster + " / " + name
	}
	parts := []string{"drainboard: " + name}
	driver := ""
	if sc.Driver != "" {
		driver = "driven by " + sc.Driver
	}
	end, _ := sc.EndText(sc.Now(m.Opts.Now()))
	for _, part := range []string{scene.Versions(sc.From, sc.To, plainWords.Arrow), sc.Strategy, word, sc.NodesText(), driver, end, sc.ForecastText()} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if !sc.Until.IsZero() {
		parts = append(parts, scene.UntilText(sc.Until.In(m.Opts.Now().Location()), m.Opts.Now()))
	}
	if sc.Roll != nil {
		at, of := sc.Roll.Place(sc.Group)
		parts = append(parts, fmt.Sprintf("group %d of %d", at, of))
	}
	return strings.Join(parts, ", ") + "."
}

// end tells how the run ended, as the dashboard's last dialog does, and its roll.
func (n *narrator) end() {
	if n.m.Scene.Roll != nil {
		n.endOfGroup()
	}
	n.m.Dialog = nil
	n.notice()
	d := n.m.LastDialog()
	n.say(d.Title(n.m))
	n.write(d.Body(n.m, plainWidth)...)
	n.left = ui.Finished
}

// hangup is the end of the input: nobody is there to decide anything more.
func (n *narrator) hangup() {
	m := n.m
	n.deaf = true
	switch {
	case m.Scene.Between():
		n.say("The input has ended: the roll is held. " + m.Again() + " resumes it.")
		n.left = ui.Left
	case m.Opts.ReadOnly && m.Opts.Scripted: // nobody was to type anything
	case m.Scene == nil, m.Opts.ReadOnly, m.Opts.KeepsNothing, m.Scene.State == record.Planned, m.Scene.State == record.Paused:
		n.left = ui.Left
	case m.Scene.State == record.Ending:
		n.q, m.Dialog = nil, nil
		n.say("The input has ended. Changes are still being restored.")
	default:
		if why, ok := m.Scene.Able(record.CmdPause); !ok {
			n.say("The input has ended. The run cannot be paused: " + style.Lower(why) + ".")
		} else {
			m.Opts.Send(record.Command{Kind: record.CmdPause, Reason: "the input ended"})
			n.say("The input has ended: the run is paused. " + m.Again() + " resumes it.")
		}
		n.left = ui.Left
	}
}

// say tells a sentence, with the cluster's time.
func (n *narrator) say(text string) {
	now := n.m.Opts.Now()
	at := now
	if n.m.Scene != nil {
		at = n.m.Scene.Now(now)
	}
	n.sayAt(at, text)
}

func (n *narrator) sayAt(at time.Time, text string) {
	n.write(at.In(n.m.Opts.Now().Location()).Format("15:04:05") + " " + text)
}

// write adds lines as they are: no sign moves or colours anything, and the terminal
// breaks them where it likes. All text goes through it.
func (n *narrator) write(lines ...string) {
	if n.mute {
		return
	}
	text := style.PlainText(lines...)
	if text == "" {
		return
	}
	n.spoke = n.m.Opts.Now()
	_, _ = io.WriteString(n.out, text) // a run is driven on when nobody reads
}
