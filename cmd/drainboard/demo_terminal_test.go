//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
)

// terminal is a drainboard in a terminal of its own.
type terminal struct {
	t       *testing.T
	control *os.File
	cmd     *exec.Cmd
	ended   chan error
	changed chan struct{}

	mu     sync.Mutex
	screen *vt.Emulator
}

// open starts drainboard in a terminal of w by h cells.
func open(t *testing.T, w, h int, args ...string) *terminal {
	t.Helper()
	return openAs(t, "xterm-256color", w, h, args...)
}

// openAs starts it in a terminal that calls itself something.
func openAs(t *testing.T, name string, w, h int, args ...string) *terminal {
	t.Helper()
	control, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here: ", err)
	}
	defer tty.Close()
	if err := pty.Setsize(control, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}); err != nil {
		t.Fatal(err)
	}
	term := &terminal{t: t, control: control, screen: vt.NewEmulator(w, h), ended: make(chan error, 1), changed: make(chan struct{}, 1)}
	term.cmd = exec.Command(os.Args[0], args...)
	term.cmd.Env = append(os.Environ(), clitest.HelperEnv+"=1", "TERM="+name)
	term.cmd.Stdin, term.cmd.Stdout, term.cmd.Stderr = tty, tty, tty
	term.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := term.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = term.cmd.Process.Kill()
		control.Close()
	})
	go func() { // what the terminal answers: its colours and the like
		buf := make([]byte, 4096)
		for {
			n, err := term.screen.Read(buf)
			if err != nil {
				return
			}
			_, _ = control.Write(buf[:n])
		}
	}()
	go term.follow()
	return term
}

// follow draws what the process writes, until it has ended.
func (term *terminal) follow() {
	buf := make([]byte, 64<<10)
	for {
		n, err := term.control.Read(buf)
		term.mu.Lock()
		_, _ = term.screen.Write(buf[:n])
		term.mu.Unlock()
		select {
		case term.changed <- struct{}{}:
		default:
		}
		if err != nil {
			term.ended <- term.cmd.Wait()
			return
		}
	}
}

// text is what the terminal shows.
func (term *terminal) text() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	var b bytes.Buffer
	for y := range term.screen.Height() {
		for x := 0; x < term.screen.Width(); {
			c := term.screen.CellAt(x, y)
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

// reaction is what a person does when the screen shows something.
type reaction struct {
	sees  []string
	keys  string
	times int // 0: as often as it is seen
	done  int
	last  time.Time
}

// play reacts to the screen until the process ends. A person looks again after a
// moment before pressing the same keys once more.
func (term *terminal) play(limit time.Duration, reactions ...*reaction) {
	term.t.Helper()
	const moment = 700 * time.Millisecond
	late := time.After(limit)
	look := time.NewTicker(moment)
	defer look.Stop()
	for {
		screen := term.text()
		for _, r := range reactions {
			seen := r.times == 0 || r.done < r.times
			for _, text := range r.sees {
				seen = seen && strings.Contains(screen, text)
			}
			if seen && time.Since(r.last) >= moment {
				r.done++
				r.last = time.Now()
				if _, err := term.control.WriteString(r.keys); err != nil {
					term.t.Fatal(err)
				}
				break
			}
		}
		select {
		case <-term.changed:
		case <-look.C:
		case err := <-term.ended:
			if err != nil {
				term.t.Errorf("it ended with %v\n%s", err, term.text())
			}
			return
		case <-late:
			term.t.Fatalf("not over after %s:\n%s", limit, term.text())
		}
	}
}

// A person goes through the whole demo at 80x24: approves the canary and the others after a
// look at them, has a blocked workload scaled, and reads how it ended.
func TestTheWholeDemoAtTheKeyboard(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	t.Parallel()
	term := open(t, 80, 24, "demo", "--speed", "60")
	look := &reaction{sees: []string{"waits for approval", "Press a"}, keys: "a"}
	approve := &reaction{sees: []string{"approve]", "pods will be evicted"}, keys: "y"}
	scale := &reaction{sees: []string{"scale checkout to 4"}, keys: "w", times: 1}
	scaled := &reaction{sees: []string{"another user scales checkout to 4"}, times: 1}
	joins := &reaction{sees: []string{"launching"}, times: 1}
	quit := &reaction{sees: []string{"exit code   0: done", "36 of 36 nodes replaced"}, keys: "q"}
	began := time.Now()
	term.play(2*time.Minute, quit, approve, scale, scaled, look, joins)
	t.Logf("the whole demo took %s at 60 times the speed", time.Since(began).Round(time.Second))
	for name, r := range map[string]*reaction{"a batch that waits": look, "what approving does": approve, "a budget that never opens": scale, "that another user scaled": scaled, "machines that come": joins, "the end": quit} {
		if r.done == 0 {
			t.Errorf("the person never saw %s", name)
		}
	}
	if approve.done < 2 {
		t.Errorf("%d approvals, want one for the canary and one for the others", approve.done)
	}
}
