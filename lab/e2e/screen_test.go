package e2e

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// person sits at a drainboard in a terminal: presses keys and waits for what the
// screen shows.
type person struct {
	*process
	terminal *os.File // the person's side of the pseudo-terminal

	mu     sync.Mutex
	screen *vt.Emulator
	cursor bool
	raw    strings.Builder
	drawn  chan struct{} // of one: something changed
}

// The size of the terminal.
const columns, rows = 140, 40

// sit starts drainboard in a terminal.
func (s *scene) sit(args ...string) *person {
	s.t.Helper()
	return s.sitBefore(columns, rows, args...)
}

// sitBefore is sit in a terminal of another size.
func (s *scene) sitBefore(columns, rows int, args ...string) *person {
	s.t.Helper()
	p := &person{
		process: &process{t: s.t, cmd: exec.Command(program, args...), ended: make(chan struct{}), news: make(chan struct{})},
		screen:  vt.NewEmulator(columns, rows), cursor: true, drawn: make(chan struct{}, 1),
	}
	p.screen.SetCallbacks(vt.Callbacks{CursorVisibility: func(visible bool) { p.cursor = visible }})
	p.cmd.Env = s.env()
	var err error
	p.terminal, err = pty.StartWithSize(p.cmd, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)})
	if err != nil {
		s.t.Skip("no pseudo-terminal here: ", err)
	}
	go io.Copy(p.terminal, p.screen) // a terminal answers questions about itself
	go func() {
		defer close(p.ended)
		p.draw()
		_ = p.cmd.Wait()
	}()
	s.t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
		_ = p.terminal.Close()
		_ = p.screen.InputPipe().(io.Closer).Close()
		if s.t.Failed() {
			s.t.Logf("drainboard %s shows\n%s\nlab: %s", strings.Join(args, " "), p.shows(), shared.Dir())
		}
	})
	return p
}

// draw puts what the program writes on the screen until it ends.
func (p *person) draw() {
	buf := make([]byte, 1<<16)
	for {
		n, err := p.terminal.Read(buf)
		p.mu.Lock()
		_, _ = p.screen.Write(buf[:n])
		p.raw.Write(buf[:n])
		p.mu.Unlock()
		select {
		case p.drawn <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// shows is the screen as text.
func (p *person) shows() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.screen.String()
}

// expect waits until all texts are on the screen.
func (p *person) expect(texts ...string) *person {
	p.t.Helper()
	if missing := p.waitFor(patience, texts...); missing != "" {
		p.t.Fatalf("the screen does not show %q", missing)
	}
	return p
}

// expectLike waits until the screen shows something like each of the patterns, on
// one line.
func (p *person) expectLike(patterns ...string) *person {
	p.t.Helper()
	if missing := p.wait(patience, patterns, like); missing != "" {
		p.t.Fatalf("the screen shows nothing like %q", missing)
	}
	return p
}

// seesEach waits until something like each of the patterns has been on the screen at
// some time.
func (p *person) seesEach(limit time.Duration, patterns ...string) {
	p.t.Helper()
	seen := map[string]bool{}
	missing := p.wait(limit, patterns, func(shown, pattern string) bool {
		seen[pattern] = seen[pattern] || like(shown, pattern)
		return seen[pattern]
	})
	if missing != "" {
		p.t.Fatalf("the screen never showed anything like %q", missing)
	}
}

// expectGone waits until none of the texts is on the screen.
func (p *person) expectGone(texts ...string) *person {
	p.t.Helper()
	if there := p.wait(patience, texts, func(shown, text string) bool { return !strings.Contains(shown, text) }); there != "" {
		p.t.Fatalf("the screen still shows %q", there)
	}
	return p
}

// waitFor waits until all texts are on the screen, and says which is not.
func (p *person) waitFor(limit time.Duration, texts ...string) (missing string) {
	return p.wait(limit, texts, strings.Contains)
}

func like(shown, pattern string) bool { return regexp.MustCompile(pattern).MatchString(shown) }

// wait waits until the screen is right by each of the texts, and says by which it is
// not.
func (p *person) wait(limit time.Duration, texts []string, right func(shown, text string) bool) (wrong string) {
	late := time.After(limit)
	for {
		wrong = ""
		shown := p.shows()
		for _, text := range texts {
			if !right(shown, text) {
				wrong = text
			}
		}
		if wrong == "" {
			return ""
		}
		select {
		case <-p.drawn:
		case <-p.ended:
			return wrong
		case <-late:
			return wrong
		}
	}
}

// keys that have a name.
var keys = map[string]string{"enter": "\r", "esc": "\x1b", "ctrl+c": "\x03"}

// press presses a key, by name.
func (p *person) press(key string) *person {
	p.t.Helper()
	if named, ok := keys[key]; ok {
		key = named
	}
	if _, err := io.WriteString(p.terminal, key); err != nil {
		p.t.Logf("press %q: %v", key, err) // it may have just ended
	}
	return p
}

// pressUntil presses a key until all texts are on the screen: a dashboard that
// has just changed by itself ignores keys for a moment.
func (p *person) pressUntil(key string, texts ...string) *person {
	p.t.Helper()
	for range 20 {
		if p.press(key).waitFor(2*time.Second, texts...) == "" {
			return p
		}
		// A key that was taken, and is shown late, is not pressed twice.
		if p.waitFor(0, "key ignored") != "" && p.waitFor(10*time.Second, texts...) == "" {
			return p
		}
	}
	p.t.Fatalf("after pressing %s the screen does not show %q", key, texts)
	return p
}

// text types a text.
func (p *person) text(text string) *person {
	p.t.Helper()
	for _, key := range strings.Split(text, "") {
		p.press(key)
	}
	return p
}

// quits presses q until the program has ended, and checks how it left.
func (p *person) quits(code int) {
	p.t.Helper()
	for range 20 {
		p.press("q")
		select {
		case <-p.ended:
			p.leaves(code)
			return
		case <-time.After(time.Second):
		}
	}
	p.t.Fatal("it does not end with q")
}

// leaves waits for the end, and checks the exit code and that the terminal is as
// it was before: the normal screen, the cursor shown.
func (p *person) leaves(code int) {
	p.t.Helper()
	p.exits(code)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.screen.IsAltScreen() || !p.cursor {
		p.t.Errorf("the terminal is not restored: alternate screen %v, cursor shown %v", p.screen.IsAltScreen(), p.cursor)
	}
	if !strings.Contains(p.raw.String(), "\x1b[?1049h") {
		p.t.Error("it was never on the alternate screen")
	}
}
