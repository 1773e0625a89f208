package main

import (
	"context"
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
	cmd      *exec.Cmd
	terminal *os.File // the person's side
	started  time.Time

	mu    sync.Mutex
	shown *vt.Emulator
	bytes int
	drawn chan struct{} // of one: something was written
	ended chan struct{}
}

// open starts a program in a terminal of w by h cells. It is closed by close.
func open(cmd *exec.Cmd, w, h int) (*screen, error) {
	s := &screen{cmd: cmd, shown: vt.NewEmulator(w, h), drawn: make(chan struct{}, 1), ended: make(chan struct{})}
	s.started = time.Now()
	var err error
	if s.terminal, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}); err != nil {
		return nil, err
	}
	go io.Copy(s.terminal, s.shown) // a terminal answers questions about itself
	go s.read()
	return s, nil
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
	for {
		now := time.Now()
		if done(s.text()) {
			return now, nil
		}
		select {
		case <-s.drawn:
		case <-s.ended:
			return now, fmt.Errorf("%s ended before its screen showed %s:\n%s", s.cmd.Path, what, s.text())
		case <-ctx.Done():
			return now, fmt.Errorf("the screen of %s never showed %s: %w\n%s", s.cmd.Path, what, context.Cause(ctx), s.text())
		}
	}
}

// press presses a key.
func (s *screen) press(key string) error {
	_, err := io.WriteString(s.terminal, key)
	return err
}

// close ends the program.
func (s *screen) close() {
	_ = s.cmd.Process.Kill()
	<-s.ended
	_ = s.cmd.Wait()
	_ = s.terminal.Close()
	_ = s.shown.InputPipe().(io.Closer).Close()
}
