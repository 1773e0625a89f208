//go:build unix

package ui

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"github.com/drainboard/drainboard/engine"
)

// helperEnv makes this test binary a dashboard in a terminal of its own.
const helperEnv = "DRAINBOARD_UI_HELPER"

func TestMain(m *testing.M) {
	mode := os.Getenv(helperEnv)
	if mode == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	show := make(chan *engine.Snapshot, 1)
	show <- busy()
	exit, err := Run(ctx, Options{Snapshots: show, Send: func(engine.Command) {
		if mode == "panic" {
			panic("as ordered")
		}
	}})
	if errors.Is(err, context.Canceled) {
		os.Exit(4)
	}
	if err != nil {
		os.Exit(5)
	}
	if exit == Left {
		os.Exit(6)
	}
}

// The terminal must be as it was before, however the dashboard ends.
func TestTheTerminalIsRestored(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*os.Process, *os.File) error
		code int
	}{
		{"quit", func(_ *os.Process, tty *os.File) error { _, err := tty.WriteString("qp"); return err }, 6},
		{"SIGTERM", func(p *os.Process, _ *os.File) error { return p.Signal(syscall.SIGTERM) }, 4},
		{"panic", func(_ *os.Process, tty *os.File) error { _, err := tty.WriteString("p"); return err }, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			control, tty, err := pty.Open()
			if err != nil {
				t.Skip("no pseudo-terminal here: ", err)
			}
			defer control.Close()
			defer tty.Close()
			if err := pty.Setsize(control, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
				t.Fatal(err)
			}
			before, err := term.GetState(tty.Fd())
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), helperEnv+"="+c.name, "TERM=xterm-256color")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			var seen output
			go seen.read(control)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if !seen.wait("checkout-7d9f-x2") {
				t.Fatalf("the dashboard never came up: %q", seen.String())
			}
			if err := c.end(cmd.Process, control); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != c.code {
				t.Errorf("exit code %d, want %d: %q", got, c.code, seen.String())
			}
			after, err := term.GetState(tty.Fd())
			if err != nil {
				t.Fatal(err)
			}
			if *before != *after {
				t.Error("the terminal's modes were not restored")
			}
			for _, seq := range []string{"\x1b[?1049l", "\x1b[?25h"} {
				if !seen.wait(seq) {
					t.Errorf("the output does not end with %q", seq)
				}
			}
		})
	}
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

// wait polls, because a pseudo-terminal has no event to wait for.
func (o *output) wait(text string) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(o.String(), text) {
			return true
		}
	}
	return false
}
