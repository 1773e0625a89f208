package lines

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui"
	"github.com/drainboard/drainboard/ui/uitest"
)

// listener is a person at the plain mode: types lines, waits for what is told, and
// sees which commands went out.
type listener struct {
	*uitest.Desk
	keys   *io.PipeWriter
	ticks  chan time.Time
	cancel context.CancelCauseFunc

	text  string
	heard int // how much of the text was expected already
}

// attend starts the plain mode on a snapshot.
func attend(t *testing.T, s *snapshot.Snapshot, with ...func(*ui.Options)) *listener {
	t.Helper()
	in, keys := io.Pipe()
	p := &listener{Desk: uitest.NewDesk(t, 0), keys: keys, ticks: make(chan time.Time)}
	o := ui.Options{Snapshots: p.Snapshots, Send: func(c record.Command) { p.Commands <- c }, Now: p.Now}
	o.Input, o.Output, o.Environ = in, p, []string{"TERM=dumb", "NO_COLOR=1"}
	for _, f := range with {
		f(&o)
	}
	n := newNarrator(o)
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan struct{})
	p.cancel = cancel
	go func() {
		exit, _ := n.run(ctx, readLines(in, p.Now, done), p.ticks)
		p.LeftAs <- string(exit)
	}()
	t.Cleanup(func() {
		cancel(nil)
		<-p.LeftAs
		close(done)
		keys.Close()
	})
	return p.Show(s)
}

// Write takes what is told: whole lines, of signs that are shown.
func (p *listener) Write(b []byte) (int, error) {
	p.Mu.Lock()
	p.text += string(b)
	p.Mu.Unlock()
	if !strings.HasSuffix(string(b), "\n") {
		p.T.Errorf("told half a line: %q", b)
	}
	if strings.ContainsFunc(string(b), func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }) {
		p.T.Errorf("told a control character: %q", b)
	}
	p.TellChanged()
	return len(b), nil
}

// Later lets time pass on the local clock once all that has come was told, and wakes
// the plain mode.
func (p *listener) Later(d time.Duration) *listener {
	p.ticks <- time.Time{}
	p.Pass(d)
	p.ticks <- time.Time{}
	return p
}

// Show has a new snapshot arrive.
func (p *listener) Show(s *snapshot.Snapshot) *listener {
	p.Snapshots <- uitest.Judge(s)
	return p
}

// Type types a line, after the time it takes to hear what was told.
func (p *listener) Type(text string) *listener {
	p.T.Helper()
	p.Later(2 * time.Second)
	return p.Blurt(text)
}

// Blurt types a line at once.
func (p *listener) Blurt(text string) *listener {
	p.T.Helper()
	if _, err := io.WriteString(p.keys, text+"\n"); err != nil {
		p.T.Fatal(err)
	}
	return p
}

// HangUp ends the input.
func (p *listener) HangUp() *listener {
	p.keys.Close()
	return p
}

// Hears waits until all texts were told, in this order, after what was heard before.
func (p *listener) Hears(texts ...string) *listener {
	p.T.Helper()
	late := time.After(uitest.Patience)
	for _, text := range texts {
		for !p.hears(text) {
			select {
			case <-p.Changed:
			case <-late:
				p.T.Fatalf("%q was not told:\n%s", text, p.rest())
			}
		}
	}
	return p
}

func (p *listener) hears(text string) bool {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	i := strings.Index(p.text[p.heard:], text)
	if i >= 0 {
		p.heard += i + len(text)
	}
	return i >= 0
}

// rest is what was told and not heard yet.
func (p *listener) rest() string {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	return p.text[p.heard:]
}

// Never checks that a text has not been told at all.
func (p *listener) Never(text string) *listener {
	p.T.Helper()
	p.Mu.Lock()
	defer p.Mu.Unlock()
	if strings.Contains(p.text, text) {
		p.T.Errorf("%q was told:\n%s", text, p.text)
	}
	return p
}

// Sent waits for a command.
func (p *listener) Sent(want record.Command) *listener {
	p.T.Helper()
	p.Gets(want, p.rest)
	return p
}

// SentNothing checks that no command went out so far.
func (p *listener) SentNothing() *listener {
	p.T.Helper()
	p.GetsNothing()
	return p
}

// Leaves waits until the plain mode has ended.
func (p *listener) Leaves(want ui.Exit) {
	p.T.Helper()
	p.IsLeft(string(want), p.rest)
}
