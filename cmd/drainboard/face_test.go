//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
)

// The whole demo in lines, its questions answered by a script.
func TestDemoInLines(t *testing.T) {
	t.Parallel()
	var out, errOut bytes.Buffer
	root := newRoot(strings.NewReader(strings.Repeat("a\n", 9)), &out, &errOut)
	root.SetArgs([]string{"demo", "--plain", "--speed", "1000"})
	if code := report(root.ExecuteContext(context.Background())); code != 0 {
		t.Errorf("exit code %d", code)
	}
	at := 0
	for _, want := range []string{"drainboard: demo", "Approve batch 1: 3 nodes?", "1 or a: approve batch 1 (3 nodes)", "batch 1 approved",
		"Approve batch 5", "the run has finished", "ng-web: done", "nodes: 15 of 15 nodes replaced", "exit code: 0: done"} {
		i := strings.Index(out.String()[at:], want)
		if i < 0 {
			t.Fatalf("%q was not told in its place:\n%s", want, out.String())
		}
		at += i
	}
	if strings.ContainsRune(out.String(), '\x1b') || errOut.Len() > 0 {
		t.Errorf("told with escape sequences, or beside the output: %q", errOut.String())
	}
}

// The end of the answers leaves the demo.
func TestDemoInLinesWithoutAnswers(t *testing.T) {
	out, code := call("demo", "--plain", "--speed", "1000")
	if code != 0 || !strings.Contains(out, "Approve batch 1: 3 nodes?") || strings.Contains(out, "approved") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

func TestFaceRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"demo", "--plain", "--auto"}, "leave one of them out"},
		{[]string{"upgrade", "g", "--plain", "--auto"}, "leave one of them out"},
		{[]string{"demo", "--plain", "-o", "json"}, "-o json is for --auto"},
	} {
		var errOut bytes.Buffer
		root := newRoot(strings.NewReader(""), io.Discard, &errOut)
		root.SetArgs(c.args)
		err := root.ExecuteContext(context.Background())
		if code := report(err); code != exitcode.WrongUse || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: exit code %d, %v", c.args, code, err)
		}
	}
}

// typist is a drainboard that a person types at, its output in a pipe as tee's is.
type typist struct {
	t       *testing.T
	control *os.File
	cmd     *exec.Cmd
	told    io.ReadCloser
	text    string
	heard   int
}

func (p *typist) hears(pattern string) {
	p.t.Helper()
	want := regexp.MustCompile(pattern)
	buf := make([]byte, 64<<10)
	for {
		if loc := want.FindStringIndex(p.text[p.heard:]); loc != nil {
			p.heard += loc[1]
			return
		}
		n, err := p.told.Read(buf)
		p.text += string(buf[:n])
		if err != nil {
			p.t.Fatalf("%s was not told: %v\n%s", pattern, err, p.text)
		}
	}
}

func (p *typist) signal() {
	p.t.Helper()
	if _, err := p.control.WriteString("\x03"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *typist) types(text string) {
	p.t.Helper()
	if _, err := p.control.WriteString(text); err != nil {
		p.t.Fatal(err)
	}
}

// exit waits for the end, and returns the exit code.
func (p *typist) exit() int {
	p.t.Helper()
	var e *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &e) {
		p.t.Fatal(err)
	}
	return p.cmd.ProcessState.ExitCode()
}

func typeAt(t *testing.T, environ string, args ...string) *typist {
	t.Helper()
	control, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here: ", err)
	}
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), helperEnv+"=1", environ)
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
	return &typist{t: t, control: control, cmd: cmd, told: r}
}

// With its output in a pipe, what a person types at is told in lines. ctrl-c aborts,
// and is told how to stop at once.
func TestInterruptInLines(t *testing.T) {
	t.Parallel()
	p := typeAt(t, "TERM=xterm-256color", "demo", "--speed", "100")
	p.hears("An empty line, or \\?, tells what can be done now")
	p.hears("is launching")
	p.signal()
	p.hears("drainboard: interrupt: aborting; once more stops at once")
	p.hears("ng-web: aborted")
	p.hears("exit code: 3: aborted by the operator")
	if code := p.exit(); code != exitcode.Aborted {
		t.Errorf("exit code %d", code)
	}
}

// A second ctrl-c stops at once.
func TestInterruptTwiceInLines(t *testing.T) {
	t.Parallel()
	p := typeAt(t, "TERM=xterm-256color", "demo", "--speed", "1")
	p.hears("An empty line")
	p.signal()
	p.hears("aborting; once more stops at once")
	p.signal()
	p.hears("drainboard: stopping at once")
	p.exit()
	if strings.Contains(p.text, "ng-web: ") {
		t.Errorf("it did not stop at once:\n%s", p.text)
	}
}

// ctrl-d is the end of the input.
func TestEndOfInputInLines(t *testing.T) {
	t.Parallel()
	p := typeAt(t, "TERM=dumb", "demo", "--speed", "100")
	p.hears("Approve batch 1: 3 nodes\\?")
	if _, err := p.control.WriteString("\x04"); err != nil {
		t.Fatal(err)
	}
	if code := p.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if strings.ContainsAny(p.text, "\x1b\ufffd") {
		t.Errorf("a colour or a weight was told:\n%q", p.text)
	}
}

// Half a line that was typed before a question is no part of the answer.
func TestForgetHalfALine(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("typed lines cannot be dropped here")
	}
	p := typeAt(t, "TERM=xterm-256color", "demo", "--speed", "100")
	p.hears("is launching")
	if _, err := p.control.WriteString("1"); err != nil {
		t.Fatal(err)
	}
	p.hears("Approve batch 1: 3 nodes\\?")
	if _, err := p.control.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	p.hears("What can be done now:")
	if strings.Contains(p.text, "Ignored") {
		t.Errorf("half a line was still there:\n%s", p.text)
	}
}
