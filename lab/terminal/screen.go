// Package terminal runs programs in terminals of their own, and shows what is on
// their screens.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// Screen is a program in a pseudo-terminal, with an emulator that shows what it
// writes. It is closed by Close.
type Screen struct {
	// Started is when the program was started.
	Started time.Time
	// Drawn, of one, tells that something was written; Ended is closed when the program
	// has ended.
	Drawn, Ended chan struct{}

	cmd     *exec.Cmd // nil: the program is a part of this process
	control *os.File  // the person's side

	mu    sync.Mutex
	shown *vt.Emulator
	bytes int
}

// Start starts a program in a terminal of the emulator's size.
func Start(cmd *exec.Cmd, shown *vt.Emulator) (*Screen, error) {
	s := newScreen(shown)
	s.cmd = cmd
	var err error
	if s.control, err = pty.StartWithSize(cmd, sizeOf(shown)); err != nil {
		return nil, err
	}
	s.show()
	return s, nil
}

// Inside makes a terminal for a part of this process, which reads and writes its side
// and closes it in the end, before Close.
func Inside(shown *vt.Emulator) (s *Screen, side *os.File, err error) {
	s = newScreen(shown)
	if s.control, side, err = pty.Open(); err != nil {
		return nil, nil, err
	}
	if err := pty.Setsize(s.control, sizeOf(shown)); err != nil {
		return nil, nil, errors.Join(err, side.Close(), s.control.Close())
	}
	s.show()
	return s, side, nil
}

func newScreen(shown *vt.Emulator) *Screen {
	return &Screen{Started: time.Now(), shown: shown, Drawn: make(chan struct{}, 1), Ended: make(chan struct{})}
}

func sizeOf(shown *vt.Emulator) *pty.Winsize {
	return &pty.Winsize{Rows: uint16(shown.Height()), Cols: uint16(shown.Width())}
}

// show lets the emulator read what is written, and answer questions about itself.
func (s *Screen) show() {
	go io.Copy(s.control, s.shown)
	go s.read()
}

func (s *Screen) read() {
	defer close(s.Ended)
	buf := make([]byte, 1<<16)
	for {
		n, err := s.control.Read(buf)
		s.mu.Lock()
		_, _ = s.shown.Write(buf[:n])
		s.bytes += n
		s.mu.Unlock()
		select {
		case s.Drawn <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// Look lets do read the emulator.
func (s *Screen) Look(do func(shown *vt.Emulator)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do(s.shown)
}

// Text is what the screen shows.
func (s *Screen) Text() (text string) {
	s.Look(func(shown *vt.Emulator) { text = shown.String() })
	return text
}

// Written is how many bytes the program has written so far.
func (s *Screen) Written() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// Until waits until the screen is as asked for, and returns when that was; what names
// it for the error.
func (s *Screen) Until(ctx context.Context, what string, done func() bool) (time.Time, error) {
	for {
		now := time.Now()
		if done() {
			return now, nil
		}
		select {
		case <-s.Drawn:
		case <-s.Ended:
			return now, fmt.Errorf("%s ended before its screen showed %s:\n%s", s.program(), what, s.Text())
		case <-ctx.Done():
			return now, fmt.Errorf("the screen of %s never showed %s: %w\n%s", s.program(), what, context.Cause(ctx), s.Text())
		}
	}
}

// program names what runs in the terminal.
func (s *Screen) program() string {
	if s.cmd == nil {
		return "the dashboard"
	}
	return s.cmd.Path
}

// Press presses a key, given as what a terminal sends for it.
func (s *Screen) Press(key string) error {
	_, err := io.WriteString(s.control, key)
	return err
}

// Close ends the program; a part of this process has ended before.
func (s *Screen) Close() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
	}
	<-s.Ended
	if s.cmd != nil {
		_ = s.cmd.Wait()
	}
	_ = s.control.Close()
	_ = s.shown.InputPipe().(io.Closer).Close()
}
