//go:build unix

package clitest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/sim/realtime"
	"github.com/drainboard/drainboard/engine/sim/script"
)

// HelperEnv tells the TestMain of a test binary that it is a drainboard of its own, and which.
const HelperEnv = "DRAINBOARD_HELPER"

// Raw is a drainboard on a pseudo-terminal whose every byte is kept.
type Raw struct {
	t            *testing.T
	Control, Tty *os.File
	before       *term.State
	Cmd          *exec.Cmd
	ended        chan struct{}

	mu  sync.Mutex
	out bytes.Buffer
}

// OpenRaw starts this test binary on a pseudo-terminal: its TestMain is told the mode.
func OpenRaw(t *testing.T, mode string, args ...string) *Raw {
	t.Helper()
	control, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here: ", err)
	}
	r := &Raw{t: t, Control: control, Tty: tty, ended: make(chan struct{})}
	t.Cleanup(func() { control.Close(); tty.Close() })
	if err := pty.Setsize(control, &pty.Winsize{Rows: 36, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	if r.before, err = term.GetState(tty.Fd()); err != nil {
		t.Fatal(err)
	}
	r.Cmd = exec.Command(os.Args[0], args...)
	r.Cmd.Env = append(os.Environ(), HelperEnv+"="+mode, "TERM=xterm-256color", "SSH_TTY=/dev/pts/9", "VTE_VERSION=7900")
	r.Cmd.Stdin, r.Cmd.Stdout, r.Cmd.Stderr = tty, tty, tty
	r.Cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := r.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Cmd.Process.Kill() })
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
	go func() { _ = r.Cmd.Wait(); close(r.ended) }()
	return r
}

// Text is what was written so far.
func (r *Raw) Text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.String()
}

// Until polls, because a pseudo-terminal has no event to wait for.
func (r *Raw) Until(what string, is func(out string) bool) {
	r.t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(r.Text()); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("%s: never came: %q", what, r.Text())
		}
	}
}

// Shows waits until a text was written.
func (r *Raw) Shows(text string) {
	r.t.Helper()
	r.Until(text, func(out string) bool { return strings.Contains(out, text) })
}

// Exits waits for the end, and holds the exit code.
func (r *Raw) Exits(code int) {
	r.t.Helper()
	select {
	case <-r.ended:
	case <-time.After(30 * time.Second):
		r.t.Fatalf("it does not end: %q", r.Text())
	}
	if got := r.Cmd.ProcessState.ExitCode(); got != code {
		r.t.Errorf("exit code %d, want %d: %q", got, code, tail(r.Text()))
	}
}

func tail(s string) string { return s[max(len(s)-3000, 0):] }

// Cooked checks that the terminal driver's modes are as they were.
func (r *Raw) Cooked() {
	r.t.Helper()
	after, err := term.GetState(r.Tty.Fd())
	if err != nil {
		r.t.Fatal(err)
	}
	if *r.before != *after {
		r.t.Error("the terminal's modes were not restored")
	}
}

// AsItWas checks that every mode is as it was, and the title and the progress are
// taken back.
func (r *Raw) AsItWas() {
	r.t.Helper()
	r.Cooked()
	r.Shows("\x1b[23;2t")
	out := r.Text()
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

// Typist is a drainboard that a person types at, its output in a pipe as tee's is.
type Typist struct {
	t       *testing.T
	Control *os.File
	Cmd     *exec.Cmd
	told    io.ReadCloser
	Text    string
	heard   int
}

// Hears waits until what is told matches.
func (p *Typist) Hears(pattern string) {
	p.t.Helper()
	want := regexp.MustCompile(pattern)
	buf := make([]byte, 64<<10)
	for {
		if loc := want.FindStringIndex(p.Text[p.heard:]); loc != nil {
			p.heard += loc[1]
			return
		}
		n, err := p.told.Read(buf)
		p.Text += string(buf[:n])
		if err != nil {
			p.t.Fatalf("%s was not told: %v\n%s", pattern, err, p.Text)
		}
	}
}

// Signal presses ctrl-c.
func (p *Typist) Signal() {
	p.t.Helper()
	if _, err := p.Control.WriteString("\x03"); err != nil {
		p.t.Fatal(err)
	}
}

// Types types a text.
func (p *Typist) Types(text string) {
	p.t.Helper()
	if _, err := p.Control.WriteString(text); err != nil {
		p.t.Fatal(err)
	}
}

// Exit waits for the end, and returns the exit code.
func (p *Typist) Exit() int {
	p.t.Helper()
	var e *exec.ExitError
	if err := p.Cmd.Wait(); err != nil && !errors.As(err, &e) {
		p.t.Fatal(err)
	}
	return p.Cmd.ProcessState.ExitCode()
}

// TypeAt starts this test binary at a pseudo-terminal, with its output in a pipe.
func TypeAt(t *testing.T, environ string, args ...string) *Typist {
	t.Helper()
	control, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here: ", err)
	}
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), HelperEnv+"=1", environ)
	cmd.Stdin = tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	w.Close()
	kill := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		kill.Stop()
		_ = cmd.Process.Kill()
		control.Close()
		r.Close()
	})
	return &Typist{t: t, Control: control, Cmd: cmd, told: r}
}

// Tour is the demo's cluster at the demo's speed, and a channel that tells of SIGUSR1,
// which orders whatever is to go wrong.
func Tour() (*script.Script, *realtime.World, <-chan os.Signal, error) {
	ordered := make(chan os.Signal, 1)
	signal.Notify(ordered, syscall.SIGUSR1)
	s, err := script.Named("tour")
	if err != nil {
		return nil, nil, nil, err
	}
	script, err := s.Open(1, false)
	if err != nil {
		return nil, nil, nil, err
	}
	return script, realtime.New(script.Sim, 20), ordered, nil
}

// OrderedFeed does something when it is ordered to, and nothing else.
type OrderedFeed struct {
	Ordered <-chan os.Signal
	Do      func(post func(live.Change)) error
}

func (f OrderedFeed) Run(ctx context.Context, post func(live.Change)) error {
	select {
	case <-f.Ordered:
		if err := f.Do(post); err != nil {
			return err
		}
	case <-ctx.Done():
	}
	<-ctx.Done()
	return nil
}
