//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
)

// The whole demo in lines, its questions answered by a script.
func TestDemoInLines(t *testing.T) {
	t.Parallel()
	var out, errOut bytes.Buffer
	root := newRoot(strings.NewReader(strings.Repeat("a\n", 9)), &out, &errOut)
	if code := execute(context.Background(), root, []string{"demo", "--scenario", "tour", "--plain", "--speed", "1000"}); code != 0 {
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
	out, code := call("demo", "--scenario", "tour", "--plain", "--speed", "1000")
	if code != 0 || !strings.Contains(out, "Approve batch 1: 3 nodes?") || strings.Contains(out, "approved") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

func TestFaceRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"demo", "--plain", "--auto"}, "give one"},
		{[]string{"upgrade", "g", "--plain", "--auto"}, "give one"},
		{[]string{"demo", "--plain", "-o", "json"}, "-o json and -o yaml require --auto"},
	} {
		var errOut bytes.Buffer
		root := newRoot(strings.NewReader(""), io.Discard, &errOut)
		if code := execute(context.Background(), root, c.args); code != exitcode.WrongUse || !strings.Contains(errOut.String(), c.says) {
			t.Errorf("%v: exit code %d, %s", c.args, code, errOut.String())
		}
	}
}

// With its output in a pipe, what a person types at is told in lines. ctrl-c aborts,
// and is told how to stop at once.
func TestInterruptInLines(t *testing.T) {
	t.Parallel()
	p := clitest.TypeAt(t, "TERM=xterm-256color", "demo", "--scenario", "tour", "--speed", "100")
	p.Hears("An empty line, or \\?, lists the possible actions")
	p.Hears("is launching")
	p.Signal()
	p.Hears("drainboard: interrupt: aborting; once more stops at once")
	p.Hears("ng-web: aborted")
	p.Hears("exit code: 3: aborted by the operator")
	if code := p.Exit(); code != exitcode.Aborted {
		t.Errorf("exit code %d", code)
	}
}

// A second ctrl-c stops at once.
func TestInterruptTwiceInLines(t *testing.T) {
	t.Parallel()
	p := clitest.TypeAt(t, "TERM=xterm-256color", "demo", "--speed", "1")
	p.Hears("An empty line")
	p.Signal()
	p.Hears("aborting; once more stops at once")
	p.Signal()
	p.Hears("drainboard: stopping at once")
	p.Exit()
	if strings.Contains(p.Text, "ng-web: ") {
		t.Errorf("it did not stop at once:\n%s", p.Text)
	}
}

// ctrl-d is the end of the input.
func TestEndOfInputInLines(t *testing.T) {
	t.Parallel()
	p := clitest.TypeAt(t, "TERM=dumb", "demo", "--scenario", "tour", "--speed", "100")
	p.Hears("Approve batch 1: 3 nodes\\?")
	if _, err := p.Control.WriteString("\x04"); err != nil {
		t.Fatal(err)
	}
	if code := p.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if strings.ContainsAny(p.Text, "\x1b\ufffd") {
		t.Errorf("a colour or a weight was told:\n%q", p.Text)
	}
}

// Half a line that was typed before a question is no part of the answer.
func TestForgetHalfALine(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("typed lines cannot be dropped here")
	}
	p := clitest.TypeAt(t, "TERM=xterm-256color", "demo", "--scenario", "tour", "--speed", "100")
	p.Hears("is launching")
	if _, err := p.Control.WriteString("1"); err != nil {
		t.Fatal(err)
	}
	p.Hears("Approve batch 1: 3 nodes\\?")
	if _, err := p.Control.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	p.Hears("Possible actions:")
	if strings.Contains(p.Text, "Ignored") {
		t.Errorf("half a line was still there:\n%s", p.Text)
	}
}
