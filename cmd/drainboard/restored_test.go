//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
)

// raw is a drainboard on a pseudo-terminal whose every byte is kept.
type raw struct {
	t            *testing.T
	control, tty *os.File
	before       *term.State
	cmd          *exec.Cmd
	ended        chan struct{}

	mu  sync.Mutex
	out bytes.Buffer
}

func openRaw(t *testing.T, mode string, args ...string) *raw {
	t.Helper()
	control, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here: ", err)
	}
	r := &raw{t: t, control: control, tty: tty, ended: make(chan struct{})}
	t.Cleanup(func() { control.Close(); tty.Close() })
	if err := pty.Setsize(control, &pty.Winsize{Rows: 36, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	if r.before, err = term.GetState(tty.Fd()); err != nil {
		t.Fatal(err)
	}
	r.cmd = exec.Command(os.Args[0], args...)
	r.cmd.Env = append(os.Environ(), helperEnv+"="+mode, "TERM=xterm-256color", "SSH_TTY=/dev/pts/9", "VTE_VERSION=7900")
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = tty, tty, tty
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.cmd.Process.Kill() })
	go func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := control.Read(buf)
			r.mu.Lock()
			r.out.Write(buf[:n])
			r.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() { _ = r.cmd.Wait(); close(r.ended) }()
	return r
}

func (r *raw) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.String()
}

// until polls, because a pseudo-terminal has no event to wait for.
func (r *raw) until(what string, is func(out string) bool) {
	r.t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(r.text()); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("%s: never came: %q", what, r.text())
		}
	}
}

func (r *raw) shows(text string) {
	r.t.Helper()
	r.until(text, func(out string) bool { return strings.Contains(out, text) })
}

func (r *raw) exits(code int) {
	r.t.Helper()
	select {
	case <-r.ended:
	case <-time.After(30 * time.Second):
		r.t.Fatalf("it does not end: %q", r.text())
	}
	if got := r.cmd.ProcessState.ExitCode(); got != code {
		r.t.Errorf("exit code %d, want %d: %q", got, code, tail(r.text()))
	}
}

func tail(s string) string { return s[max(len(s)-3000, 0):] }

// cooked checks that the terminal driver's modes are as they were.
func (r *raw) cooked() {
	r.t.Helper()
	after, err := term.GetState(r.tty.Fd())
	if err != nil {
		r.t.Fatal(err)
	}
	if *r.before != *after {
		r.t.Error("the terminal's modes were not restored")
	}
}

// asItWas checks that every mode is as it was, and the title and the progress are
// taken back.
func (r *raw) asItWas() {
	r.t.Helper()
	r.cooked()
	r.shows("\x1b[23;2t")
	out := r.text()
	state := map[string]string{}
	for _, m := range regexp.MustCompile(`\x1b\[\?(\d+)([hl])`).FindAllStringSubmatch(out, -1) {
		state[m[1]] = m[2]
	}
	for _, mode := range []string{"25", "1004", "1049", "2004", "2026"} {
		if state[mode] == "" {
			r.t.Errorf("mode %s was never changed: this test sees nothing", mode)
		}
	}
	for mode, is := range state {
		want := "l"
		if mode == "7" || mode == "25" { // wrapping and the cursor are on by default
			want = "h"
		}
		if is != want {
			r.t.Errorf("mode %s is left as %q", mode, is)
		}
	}
	for what, pair := range map[string][2]string{
		"the title": {"\x1b[22;2t", "\x1b[23;2t"}, "the progress": {"\x1b]9;4;1;", "\x1b]9;4;0"}, "the kitty keyboard": {"\x1b[>1u", "\x1b[<1u"}, "other keys": {"\x1b[>4;2m", "\x1b[>4m"},
	} {
		if on, off := strings.LastIndex(out, pair[0]), strings.LastIndex(out, pair[1]); on >= 0 && off <= on {
			r.t.Errorf("%s is not taken back (%d, %d)", what, on, off)
		}
	}
}

// Signals end the real program as the README says, and the terminal is as it was.
func TestSignalsRestoreTheTerminal(t *testing.T) {
	for _, c := range []struct {
		signals []syscall.Signal
		code    int
	}{
		{[]syscall.Signal{syscall.SIGTERM}, exitcode.Aborted},
		{[]syscall.Signal{syscall.SIGINT}, exitcode.Aborted},
		{[]syscall.Signal{syscall.SIGHUP}, 0}, // of a demo nothing is left to resume
	} {
		t.Run(c.signals[0].String(), func(t *testing.T) {
			t.Parallel()
			r := openRaw(t, "1", "demo", "--speed", "300")
			r.shows("\x1b]9;4;1;")
			r.shows("scale up")
			for _, s := range c.signals {
				if err := r.cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			r.exits(c.code)
			r.asItWas()
		})
	}
}

// A panic in a goroutine that is not Bubble Tea's does not leave the terminal in the
// dashboard's modes, and can be read.
func TestAPanicAnywhereRestoresTheTerminal(t *testing.T) {
	for _, mode := range []string{"crash in the loop", "crash in a feed"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := openRaw(t, mode)
			r.shows("\x1b]9;4;1;")
			r.shows("scale up")
			if err := r.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
				t.Fatal(err)
			}
			r.shows("internal error: as ordered") // in the log
			if _, err := r.control.WriteString("q"); err != nil {
				t.Fatal(err)
			}
			r.exits(exitcode.Failed)
			r.asItWas()
			r.until("the trace", func(out string) bool {
				_, after, _ := strings.Cut(out, "\x1b[?1049l")
				return strings.Contains(after, "drainboard: internal error: as ordered") && strings.Contains(after, "crash_test.go")
			})
		})
	}
}

// When the terminal itself goes away, the process does too.
func TestTheProgramEndsWithItsTerminal(t *testing.T) {
	t.Parallel()
	r := openRaw(t, "1", "demo", "--speed", "300")
	r.shows("scale up")
	r.tty.Close()
	r.control.Close()
	r.exits(0)
}
