//go:build unix

package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	xterm "github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/term"
	"github.com/drainboard/drainboard/ui/uitest"
)

// helperEnv makes this test binary a dashboard in a terminal of its own.
const helperEnv = "DRAINBOARD_UI_HELPER"

func TestMain(m *testing.M) {
	mode := os.Getenv(helperEnv)
	if mode == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	show := make(chan *snapshot.Snapshot, 1)
	show <- uitest.Busy()
	var once sync.Once
	exit, err := Run(ctx, Options{Snapshots: show, Mouse: true, Send: func(c record.Command) {
		switch mode {
		case "panic":
			panic("as ordered")
		case "panic while drawing":
			s := uitest.Busy()
			s.Zones[1].Rows[1] = nil
			show <- s
		case "dying":
			go panic("as ordered")
		case "shouting":
			once.Do(shout)
		}
	}})
	switch {
	case errors.Is(err, context.Canceled):
		os.Exit(4)
	case err != nil:
		os.Exit(5)
	case exit == Left:
		os.Exit(6)
	}
}

// shout writes to stderr in all the ways that libraries and children do.
func shout() {
	child := exec.Command("sh", "-c", "echo SHOUT of a child \x1b[2J >&2; (sleep 0.3; echo SHOUT of a grandchild >&2; sleep 3) &")
	child.Stderr = os.Stderr
	_ = child.Run()
	fmt.Fprintln(os.Stderr, "SHOUT of this process")
	log.Print("SHOUT of the log")
	_, _ = syscall.Write(2, []byte("SHOUT without an end"))
}

// dashboard is this test binary on a pseudo-terminal.
type dashboard struct {
	control, tty *os.File
	before       *xterm.State
	cmd          *exec.Cmd
	seen         output
}

// onPTY starts a dashboard that does what a mode says, and waits until it is up.
func onPTY(t *testing.T, mode string, environ ...string) *dashboard {
	t.Helper()
	control, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here: ", err)
	}
	d := &dashboard{control: control, tty: tty}
	t.Cleanup(func() { control.Close(); tty.Close() })
	if err := pty.Setsize(control, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	if d.before, err = xterm.GetState(tty.Fd()); err != nil {
		t.Fatal(err)
	}
	d.cmd = exec.Command(os.Args[0])
	d.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), helperEnv + "=" + mode, "TERM=xterm-256color"}, environ...)
	d.cmd.Stdin, d.cmd.Stdout, d.cmd.Stderr = tty, tty, tty
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	go d.seen.read(control)
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.cmd.Process.Kill() })
	if !d.seen.wait("checkout-7d9f-x2") {
		t.Fatalf("the dashboard never came up: %q", d.seen.String())
	}
	return d
}

// ended waits for the end and checks the exit code, and that the terminal is as it
// was before.
func (d *dashboard) ended(t *testing.T, code int) {
	t.Helper()
	_ = d.cmd.Wait()
	if got := d.cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("exit code %d, want %d: %q", got, code, d.seen.String())
	}
	after, err := xterm.GetState(d.tty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	if *d.before != *after {
		t.Error("the terminal's modes were not restored")
	}
	if !d.seen.wait(term.PopTitle) {
		t.Errorf("the output does not end with the window's title given back: %q", d.seen.String())
	}
	for _, problem := range unrestored(d.seen.String()) {
		t.Error(problem)
	}
}

// unrestored lists what a program has changed in a terminal and not restored.
func unrestored(out string) (problems []string) {
	for _, c := range []struct{ what, on, off string }{
		{"the alternate screen", "\x1b[?1049h", "\x1b[?1049l"},
		{"the hidden cursor", "\x1b[?25l", "\x1b[?25h"},
		{"bracketed paste", "\x1b[?2004h", "\x1b[?2004l"},
		{"focus reports", "\x1b[?1004h", "\x1b[?1004l"},
		{"the mouse", "\x1b[?1002h", "\x1b[?1002l"},
		{"the mouse's coordinates", "\x1b[?1006h", "\x1b[?1006l"},
		{"the kitty keyboard", "\x1b[>", "\x1b[<"},
		{"other keys", "\x1b[>4;2m", "\x1b[>4m"},
		{"synchronized output", "\x1b[?2026h", "\x1b[?2026l"},
		{"the title", term.PushTitle, term.PopTitle},
		{"the progress", "\x1b]9;4;4;33\a", "\x1b]9;4;0\a"},
	} {
		on, off := strings.LastIndex(out, c.on), strings.LastIndex(out, c.off)
		if on >= 0 && off < on {
			problems = append(problems, c.what+" is left on")
		}
	}
	return problems
}

// The terminal must be as it was before, however the dashboard ends.
func TestTheTerminalIsRestored(t *testing.T) {
	signal := func(s syscall.Signal) func(*dashboard) error {
		return func(d *dashboard) error { return d.cmd.Process.Signal(s) }
	}
	keys := func(keys string) func(*dashboard) error {
		return func(d *dashboard) error { _, err := d.control.WriteString(keys); return err }
	}
	for _, c := range []struct {
		name string
		end  func(*dashboard) error
		code int
	}{
		{"quit", keys("qp"), 6},
		{"SIGTERM", signal(syscall.SIGTERM), 4},
		{"SIGINT", signal(syscall.SIGINT), 4},
		{"SIGHUP", signal(syscall.SIGHUP), 4},
		{"panic", keys("p"), 5},
		{"panic while drawing", keys("p"), 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := onPTY(t, c.name, "SSH_TTY=/dev/pts/9", "VTE_VERSION=7900")
			for _, on := range []string{"\x1b[?1049h", "\x1b[?25l", "\x1b[?2004h", "\x1b[?1004h", "\x1b[?1002h", "\x1b[>", "\x1b[?2026h", term.PushTitle, "\x1b]9;4;4;33\a"} {
				if !d.seen.wait(on) {
					t.Errorf("%q was never sent", on)
				}
			}
			if err := c.end(d); err != nil {
				t.Fatal(err)
			}
			d.ended(t, c.code)
			if strings.HasPrefix(c.name, "panic") {
				// The trace is on the screen that is left, where it can be read.
				if !d.seen.waitFor(func(out string) bool {
					_, after, _ := strings.Cut(out, "\x1b[?1049l")
					return strings.Contains(after, "Caught panic:") && strings.Contains(after, "goroutine")
				}) {
					t.Errorf("the panic cannot be read: %q", d.seen.String())
				}
			}
		})
	}
}

// A terminal that is gone cannot be restored, and nobody waits for it.
func TestTheTerminalIsGone(t *testing.T) {
	d := onPTY(t, "gone")
	d.tty.Close()
	d.control.Close() // the kernel sends SIGHUP
	ended := make(chan struct{})
	go func() { _ = d.cmd.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(uitest.Patience):
		t.Fatal("the dashboard hangs")
	}
	if code := d.cmd.ProcessState.ExitCode(); code != 4 && code != 5 {
		t.Errorf("exit code %d", code)
	}
}

// What is written to stderr is in the log, and can be read when the screen is closed;
// it is never painted over the screen.
func TestStderrStaysOffTheScreen(t *testing.T) {
	d := onPTY(t, "shouting")
	if _, err := d.control.WriteString("p"); err != nil {
		t.Fatal(err)
	}
	want := []string{"SHOUT of a child [2J", "SHOUT of this process", "SHOUT of the log", "SHOUT of a grandchild", "SHOUT without an end"}
	for _, w := range want {
		if !d.seen.waitFor(func(out string) bool {
			return strings.Contains(shownOf(out), "written to stderr: "+w) || strings.Contains(shownOf(out), w+" ")
		}) {
			t.Fatalf("the log does not show %q:\n%s", w, shownOf(d.seen.String()))
		}
	}
	for i, l := range strings.Split(shownOf(d.seen.String()), "\n") {
		if strings.Contains(l, "SHOUT") && !strings.Contains(l, "written to stderr: ") {
			t.Errorf("line %d is painted over: %s", i, l)
		}
	}
	if _, err := d.control.WriteString("qp"); err != nil {
		t.Fatal(err)
	}
	d.ended(t, 6)
	after := func(out string) string { _, after, _ := strings.Cut(out, "\x1b[?1049l"); return after }
	for _, w := range want {
		if !d.seen.waitFor(func(out string) bool { return strings.Count(after(out), w) == 1 }) {
			t.Errorf("%q is not told once afterwards: %q", w, after(d.seen.String()))
		}
	}
	if strings.Contains(after(d.seen.String()), "\x1b[2J") {
		t.Error("a sequence was let through")
	}
}

// What kills the process at once cannot be caught, but its last words are not lost in
// the pipe that stderr is then.
func TestTheLastWordsReachTheTerminal(t *testing.T) {
	d := onPTY(t, "dying")
	if _, err := d.control.WriteString("p"); err != nil {
		t.Fatal(err)
	}
	_ = d.cmd.Wait()
	if code := d.cmd.ProcessState.ExitCode(); code != 2 {
		t.Errorf("exit code %d, want the runtime's 2", code)
	}
	if !d.seen.wait("panic: as ordered") || !d.seen.wait("terminal_test.go") {
		t.Errorf("the trace is lost: %q", d.seen.String())
	}
}

// Over SSH a frame is shown at once where the terminal can; Bubble Tea does not ask
// there. A dumb terminal is told nothing of it.
func TestFramesAreSynchronizedOverSSH(t *testing.T) {
	d := onPTY(t, "quit", "SSH_TTY=/dev/pts/9")
	const begin, end = "\x1b[?2026h", "\x1b[?2026l"
	if !d.seen.wait(begin) {
		t.Fatalf("no frame is synchronized: %q", d.seen.String())
	}
	if _, err := d.control.WriteString("?"); err != nil {
		t.Fatal(err)
	}
	if !d.seen.waitFor(func(out string) bool {
		frame := out[strings.LastIndex(out, begin):]
		return strings.Contains(shownOf(out), "Actions") && !strings.Contains(shownOf(strings.TrimSuffix(out, frame)), "Actions") && strings.HasSuffix(frame, end)
	}) {
		t.Errorf("the frame is not between its marks: %q", d.seen.String())
	}
	if out := d.seen.String(); strings.Count(out, begin) != strings.Count(out, end) {
		t.Error("marks are not in pairs")
	}
	dumb := onPTY(t, "quit", "SSH_TTY=/dev/pts/9", "TERM=dumb")
	if _, err := dumb.control.WriteString("qp"); err != nil {
		t.Fatal(err)
	}
	_ = dumb.cmd.Wait()
	if strings.Contains(dumb.seen.String(), begin) {
		t.Error("a dumb terminal is told to synchronize")
	}
}

// shownOf is what a terminal shows after an output.
func shownOf(out string) string {
	p := &person{Desk: uitest.NewDesk(nil, 0), term: vt.NewEmulator(100, 30)}
	go func() {
		buf := make([]byte, 1024)
		for {
			if _, err := p.term.Read(buf); err != nil {
				return
			}
		}
	}()
	_, _ = p.term.Write([]byte(out))
	return p.Screen()
}

// output collects what a terminal shows.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) read(f *os.File) {
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		o.mu.Lock()
		o.b.Write(buf[:n])
		o.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

func (o *output) wait(text string) bool {
	return o.waitFor(func(out string) bool { return strings.Contains(out, text) })
}

// waitFor polls, because a pseudo-terminal has no event to wait for.
func (o *output) waitFor(is func(out string) bool) bool {
	for end := time.Now().Add(uitest.Patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if is(o.String()) {
			return true
		}
	}
	return false
}
