package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// terminal is a drainboard in a terminal of its own.
type terminal struct {
	home    string // an empty home: nobody's settings are in the picture
	control *os.File
	cmd     *exec.Cmd
	drawn   chan struct{} // of one: something changed
	ended   chan struct{}

	mu     sync.Mutex
	screen *vt.Emulator
}

// open starts the program of a picture.
func open(program string, p picture) (*terminal, error) {
	home, err := os.MkdirTemp("", "picture")
	if err != nil {
		return nil, err
	}
	t := &terminal{
		home: home, cmd: exec.Command(program, p.args...), drawn: make(chan struct{}, 1), ended: make(chan struct{}),
		screen: vt.NewEmulator(p.columns, p.rows),
	}
	// The program asks the terminal for these, and chooses its theme by them.
	t.screen.SetDefaultForegroundColor(p.ground.text)
	t.screen.SetDefaultBackgroundColor(p.ground.back)
	t.cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "TZ=UTC"}
	t.control, err = pty.StartWithSize(t.cmd, &pty.Winsize{Rows: uint16(p.rows), Cols: uint16(p.columns)})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(home))
	}
	go io.Copy(t.control, t.screen) // a terminal answers questions about itself
	go t.draw()
	return t, nil
}

// draw puts what the program writes on the screen until it ends.
func (t *terminal) draw() {
	defer close(t.ended)
	buf := make([]byte, 1<<16)
	for {
		n, err := t.control.Read(buf)
		t.mu.Lock()
		_, _ = t.screen.Write(buf[:n])
		t.mu.Unlock()
		select {
		case t.drawn <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// close ends the program.
func (t *terminal) close() {
	_ = t.cmd.Process.Kill()
	<-t.ended
	_ = t.cmd.Wait()
	_ = t.control.Close()
	_ = t.screen.InputPipe().(io.Closer).Close()
	_ = os.RemoveAll(t.home)
}

// Times of a person at the keyboard.
const (
	// patience is how long a step may take.
	patience = time.Minute
	// again is after how long a key is pressed once more that had no effect: a
	// dashboard that has just changed by itself ignores keys for a moment.
	again = time.Second
	// quiet is how long nothing is written between two frames.
	quiet = 40 * time.Millisecond
)

// play presses a step's keys until the screen shows what it waits for, and a whole
// frame of it.
func (t *terminal) play(ctx context.Context, s step) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	press := time.NewTimer(0)
	defer press.Stop()
	pressed := s.press == ""
	if pressed {
		press.Stop()
	}
	still := time.NewTimer(quiet)
	defer still.Stop()
	for {
		select {
		case <-t.drawn:
			still.Reset(quiet)
		case <-still.C:
			if pressed && t.lacks(s) == "" {
				return nil
			}
		case <-press.C:
			if !pressed || t.lacks(s) != "" {
				if _, err := io.WriteString(t.control, key(s.press)); err != nil {
					return err
				}
			}
			pressed = true
			press.Reset(again)
			still.Reset(quiet)
		case <-t.ended:
			return fmt.Errorf("it ended; %s:\n%s", t.lacks(s), t.text())
		case <-ctx.Done():
			return fmt.Errorf("%s: %w\n%s", t.lacks(s), ctx.Err(), t.text())
		}
	}
}

// lacks says what the screen does not show as a step wants it, "" if it does.
func (t *terminal) lacks(s step) string {
	shown := t.text()
	for _, text := range s.until {
		if !strings.Contains(shown, text) {
			return fmt.Sprintf("the screen does not show %q", text)
		}
	}
	if s.gone != "" && strings.Contains(shown, s.gone) {
		return fmt.Sprintf("the screen still shows %q", s.gone)
	}
	return ""
}

func (t *terminal) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.String()
}

// grid is a copy of the screen.
func (t *terminal) grid() grid {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := make(grid, t.screen.Height())
	for y := range g {
		g[y] = make([]cell, t.screen.Width())
		for x := range g[y] {
			if c := t.screen.CellAt(x, y); c != nil {
				g[y][x] = *c
			}
		}
	}
	return g
}

// key is what a terminal sends for a key.
func key(name string) string {
	if named, ok := map[string]string{"enter": "\r", "esc": "\x1b", "tab": "\t", "down": "\x1b[B", "up": "\x1b[A"}[name]; ok {
		return named
	}
	return name
}
