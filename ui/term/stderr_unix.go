//go:build unix

package term

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"

	"github.com/drainboard/drainboard/ui/style"
)

const (
	// asideEvery is how long lines are gathered before they are shown.
	asideEvery = 100 * time.Millisecond
	// asideKept is how many lines are printed when the screen is closed: the newest.
	asideKept = 200
)

// stderrCapture takes what is written to stderr while the screen is up, by whomever: a
// library's log, a credentials plugin, a child of a child. It would be painted over
// the dashboard.
type stderrCapture struct {
	tell     func(lines []string)
	terminal *os.File // where stderr went before
	read     *os.File

	mu        sync.Mutex
	kept      []string
	dropped   int
	begun     []byte // a line without its end
	untold    []string
	told      time.Time
	ending    bool
	forward   bool // the screen is closed: what still comes goes to the terminal
	once      sync.Once
	quiescent chan struct{}
}

// captureStderr leads stderr away from the terminal, if that is where it goes, and tells
// of each line. end leads it back and prints what came meanwhile. Nobody is held up
// by it: when more is written than can be read, it is lost. What the Go runtime says
// when it dies goes to the terminal all the same.
func captureStderr(tell func(lines []string)) (end func(), err error) {
	const stderr = 2
	if !term.IsTerminal(stderr) {
		return func() {}, nil
	}
	fd, err := unix.FcntlInt(stderr, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("keep stderr off the screen: %w", err)
	}
	terminal := os.NewFile(uintptr(fd), "stderr")
	read, write, err := os.Pipe() // does not block
	if err == nil {
		err = lead(write, stderr)
		write.Close()
	}
	if err == nil {
		err = debug.SetCrashOutput(terminal, debug.CrashOptions{})
	}
	if err != nil {
		terminal.Close()
		return nil, fmt.Errorf("keep stderr off the screen: %w", err)
	}
	a := &stderrCapture{tell: tell, terminal: terminal, read: read, quiescent: make(chan struct{})}
	go a.follow()
	return func() {
		_ = unix.Dup2(fd, stderr)
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		a.end()
	}, nil
}

// lead makes a file what a descriptor stands for.
func lead(f *os.File, fd int) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := conn.Control(func(from uintptr) { failed = unix.Dup2(int(from), fd) }); err != nil {
		return err
	}
	return failed
}

// follow reads until nobody can write any more: children may outlive the screen.
func (a *stderrCapture) follow() {
	buf := make([]byte, 32<<10)
	for {
		n, err := a.read.Read(buf)
		quiet := errors.Is(err, os.ErrDeadlineExceeded)
		if lines := a.take(buf[:n], quiet); len(lines) > 0 {
			a.tell(lines)
		}
		if err != nil && !quiet {
			a.once.Do(func() { close(a.quiescent) })
			a.read.Close()
			return
		}
	}
}

// take takes what was read and returns the lines to tell now.
func (a *stderrCapture) take(b []byte, quiet bool) (tell []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.forward {
		_, _ = a.terminal.Write(b)
		return nil
	}
	a.begun = append(a.begun, b...)
	for {
		line, rest, ended := bytes.Cut(a.begun, []byte("\n"))
		if !ended && len(line) < 4096 && (!quiet || len(line) == 0) {
			break
		}
		a.begun = rest
		if s := printable(string(line)); s != "" {
			a.kept, a.untold = append(a.kept, s), append(a.untold, s)
		}
		if !ended {
			break
		}
	}
	if more := len(a.kept) - asideKept; more > 0 {
		a.kept, a.dropped = a.kept[more:], a.dropped+more
	}
	a.untold = a.untold[max(len(a.untold)-StderrShown, 0):]
	now := time.Now()
	if len(a.untold) > 0 && (quiet || now.Sub(a.told) >= asideEvery) {
		tell, a.untold, a.told = a.untold, nil, now
	}
	switch {
	case a.ending && quiet:
		a.once.Do(func() { close(a.quiescent) })
		_ = a.read.SetReadDeadline(time.Time{})
	case len(a.untold) > 0 || len(a.begun) > 0:
		_ = a.read.SetReadDeadline(now.Add(asideEvery))
	case !a.ending:
		_ = a.read.SetReadDeadline(time.Time{})
	}
	return tell
}

// end prints what came, and lets through what still comes.
func (a *stderrCapture) end() {
	const quiet, patience = 20 * time.Millisecond, time.Second
	a.mu.Lock()
	a.ending = true
	_ = a.read.SetReadDeadline(time.Now().Add(quiet))
	a.mu.Unlock()
	select {
	case <-a.quiescent:
	case <-time.After(patience):
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forward = true
	if len(a.kept) == 0 {
		return
	}
	fmt.Fprintln(a.terminal, "drainboard: while the screen was up, this was written to stderr:")
	if a.dropped > 0 {
		fmt.Fprintf(a.terminal, "  (%d lines before)\n", a.dropped)
	}
	for _, l := range a.kept {
		fmt.Fprintln(a.terminal, "  "+l)
	}
	a.kept = nil
}

// printable is a line without what a terminal would obey; tabs stay tabs, as in the
// trace of a panic.
func printable(line string) string {
	return strings.TrimRightFunc(strings.Map(func(r rune) rune {
		if r != '\t' && !style.Shown(r) {
			return -1
		}
		return r
	}, line), unicode.IsSpace)
}
