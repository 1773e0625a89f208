package main

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

// screen is a program in a pseudo-terminal, with an emulator that shows what it
// writes.
type screen struct {
	cmd      *exec.Cmd // nil: the program is a part of this process
	terminal *os.File  // the person's side
	started  time.Time

	mu    sync.Mutex
	shown *vt.Emulator
	bytes int
	drawn chan struct{} // of one: something was written
	ended chan struct{}
}

// open starts a program in a terminal of w by h cells. It is closed by close.
func open(cmd *exec.Cmd, w, h int) (*screen, error) {
	s := newScreen(w, h)
	s.cmd = cmd
	var err error
	if s.terminal, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}); err != nil {
		return nil, err
	}
	s.show()
	return s, nil
}

// openInside makes a terminal of w by h cells for a part of this process, which reads
// and writes its side and closes it in the end. The screen is closed by close.
func openInside(w, h int) (s *screen, side *os.File, err error) {
	s = newScreen(w, h)
	if s.terminal, side, err = pty.Open(); err != nil {
		return nil, nil, err
	}
	if err := pty.Setsize(s.terminal, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}); err != nil {
		return nil, nil, errors.Join(err, side.Close(), s.terminal.Close())
	}
	s.show()
	return s, side, nil
}

func newScreen(w, h int) *screen {
	return &screen{started: time.Now(), shown: vt.NewEmulator(w, h), drawn: make(chan struct{}, 1), ended: make(chan struct{})}
}

// show lets the emulator read what is written, and answer questions about itself.
func (s *screen) show() {
	go io.Copy(s.terminal, s.shown)
	go s.read()
}

func (s *screen) read() {
	defer close(s.ended)
	buf := make([]byte, 1<<16)
	for {
		n, err := s.terminal.Read(buf)
		s.mu.Lock()
		_, _ = s.shown.Write(buf[:n])
		s.bytes += n
		s.mu.Unlock()
		select {
		case s.drawn <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// text is what the screen shows.
func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// written is how many bytes the program has written so far.
func (s *screen) written() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// until waits until the screen shows what is asked for, and returns when that was.
func (s *screen) until(ctx context.Context, what string, done func(text string) bool) (time.Time, error) {
	return s.await(ctx, what, func() bool { return done(s.text()) })
}

// await is until for what is not read off the text.
func (s *screen) await(ctx context.Context, what string, done func() bool) (time.Time, error) {
	for {
		now := time.Now()
		if done() {
			return now, nil
		}
		select {
		case <-s.drawn:
		case <-s.ended:
			return now, fmt.Errorf("%s ended before its screen showed %s:\n%s", s.program(), what, s.text())
		case <-ctx.Done():
			return now, fmt.Errorf("the screen of %s never showed %s: %w\n%s", s.program(), what, context.Cause(ctx), s.text())
		}
	}
}

// program names what runs in the terminal.
func (s *screen) program() string {
	if s.cmd == nil {
		return "the dashboard"
	}
	return s.cmd.Path
}

// press presses a key.
func (s *screen) press(key string) error {
	_, err := io.WriteString(s.terminal, key)
	return err
}

// close ends the program; a part of this process has ended before.
func (s *screen) close() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
	}
	<-s.ended
	if s.cmd != nil {
		_ = s.cmd.Wait()
	}
	_ = s.terminal.Close()
	_ = s.shown.InputPipe().(io.Closer).Close()
}
