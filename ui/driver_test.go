package ui

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/uitest"
)

// person sits at a dashboard in an emulated terminal: presses keys, waits for
// what the screen shows, and sees which commands went out.
type person struct {
	*uitest.Desk
	prog *tea.Program
	keys io.Writer

	term *vt.Emulator
	wire strings.Builder // all that was sent to the terminal
}

// sit starts a dashboard of w by h cells that shows a snapshot.
func sit(t *testing.T, w, h int, s *snapshot.Snapshot, with ...func(*Options)) *person {
	t.Helper()
	in, keys := io.Pipe()
	p := &person{Desk: uitest.NewDesk(t, 1), keys: keys, term: vt.NewEmulator(w, h)}
	o := Options{Snapshots: p.Snapshots, Send: func(c record.Command) { p.Commands <- c }, Now: p.Now}
	o.Input, o.Output, o.Environ = in, p, []string{"TERM=xterm-256color"}
	for _, f := range with {
		f(&o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	prog, run := wire(ctx, o, tea.WithWindowSize(w, h), tea.WithColorProfile(colorprofile.TrueColor))
	p.prog = prog
	go io.Copy(io.Discard, p.term) // the terminal's answers, which nobody reads
	go func() {
		exit, err := run()
		if err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		p.LeftAs <- string(exit)
	}()
	t.Cleanup(func() {
		cancel()
		keys.Close()
		prog.Wait()
		p.term.InputPipe().(io.Closer).Close()
	})
	p.Snapshots <- uitest.Judge(s)
	return p
}

// Later lets time pass on the local clock.
func (p *person) Later(d time.Duration) *person {
	p.Pass(d)
	return p
}

// Write is the terminal's side of the output. Without a TTY Bubble Tea assumes
// that the terminal maps newlines.
func (p *person) Write(b []byte) (int, error) {
	p.Mu.Lock()
	p.wire.Write(b)
	_, err := p.term.Write(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")))
	p.Mu.Unlock()
	p.TellChanged()
	return len(b), err
}

// Screen is what the terminal shows.
func (p *person) Screen() string {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	var b strings.Builder
	for y := range p.term.Height() {
		for x := 0; x < p.term.Width(); {
			c := p.term.CellAt(x, y)
			if c == nil || c.Content == "" {
				b.WriteByte(' ')
				x++
				continue
			}
			b.WriteString(c.Content)
			x += max(c.Width, 1)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

var named2bytes = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "ctrl+c": "\x03", "ctrl+u": "\x15", "space": " ", "pgup": "\x1b[5~", "pgdown": "\x1b[6~",
}

// Press presses keys, by name.
func (p *person) Press(keys ...string) *person {
	p.T.Helper()
	for _, k := range keys {
		if b, ok := named2bytes[k]; ok {
			k = b
		}
		if _, err := io.WriteString(p.keys, k); err != nil {
			p.T.Fatal(err)
		}
	}
	return p
}

// Type types a text.
func (p *person) Type(text string) *person { return p.Press(strings.Split(text, "")...) }

// Show has a new snapshot arrive.
func (p *person) Show(s *snapshot.Snapshot) *person {
	p.Snapshots <- uitest.Judge(s)
	return p
}

// Resize changes the terminal's size.
func (p *person) Resize(w, h int) *person {
	p.Mu.Lock()
	p.term.Resize(w, h)
	p.Mu.Unlock()
	p.prog.Send(tea.WindowSizeMsg{Width: w, Height: h})
	return p
}

// Expect waits until all texts are on the screen.
func (p *person) Expect(texts ...string) *person {
	p.T.Helper()
	return p.until(func(s string) string {
		for _, text := range texts {
			if !strings.Contains(s, text) {
				return "does not show " + text
			}
		}
		return ""
	})
}

// Gone waits until none of the texts is on the screen.
func (p *person) Gone(texts ...string) *person {
	p.T.Helper()
	return p.until(func(s string) string {
		for _, text := range texts {
			if strings.Contains(s, text) {
				return "still shows " + text
			}
		}
		return ""
	})
}

func (p *person) until(missing func(string) string) *person {
	p.T.Helper()
	late := time.After(uitest.Patience)
	for {
		s := p.Screen()
		what := missing(s)
		if what == "" {
			return p
		}
		select {
		case <-p.Changed:
		case <-late:
			p.T.Fatalf("the screen %s:\n%s", what, s)
		}
	}
}

// Sent waits for a command.
func (p *person) Sent(want record.Command) *person {
	p.T.Helper()
	p.Gets(want, p.Screen)
	return p
}

// SentNothing checks that no command went out so far.
func (p *person) SentNothing() *person {
	p.T.Helper()
	p.GetsNothing()
	return p
}

// Leaves waits until the dashboard is closed.
func (p *person) Leaves(want Exit) {
	p.T.Helper()
	p.IsLeft(string(want), p.Screen)
}
