package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/charmbracelet/x/vt"

	"github.com/drainboard/drainboard/lab/terminal"
)

// stage is a drainboard in a terminal of its own.
type stage struct {
	*terminal.Screen
	home string // an empty home: nobody's settings are in the picture
}

// open starts the program of a picture.
func open(program string, p picture) (*stage, error) {
	home, err := os.MkdirTemp("", "picture")
	if err != nil {
		return nil, err
	}
	shown := vt.NewEmulator(p.columns, p.rows)
	// The program asks the terminal for these, and chooses its theme by them.
	shown.SetDefaultForegroundColor(p.ground.text)
	shown.SetDefaultBackgroundColor(p.ground.back)
	cmd := exec.Command(program, p.args...)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "TZ=UTC"}
	screen, err := terminal.Start(cmd, shown)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(home))
	}
	return &stage{screen, home}, nil
}

// close ends the program.
func (t *stage) close() {
	t.Close()
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
func (t *stage) play(ctx context.Context, s step) error {
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
		case <-t.Drawn:
			still.Reset(quiet)
		case <-still.C:
			if pressed && t.lacks(s) == "" {
				return nil
			}
		case <-press.C:
			if !pressed || t.lacks(s) != "" {
				if err := t.Press(key(s.press)); err != nil {
					return err
				}
			}
			pressed = true
			press.Reset(again)
			still.Reset(quiet)
		case <-t.Ended:
			return fmt.Errorf("it ended; %s:\n%s", t.lacks(s), t.Text())
		case <-ctx.Done():
			return fmt.Errorf("%s: %w\n%s", t.lacks(s), ctx.Err(), t.Text())
		}
	}
}

// lacks says what the screen does not show as a step wants it, "" if it does.
func (t *stage) lacks(s step) string {
	shown := t.Text()
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

// grid is a copy of the screen.
func (t *stage) grid() (g grid) {
	t.Look(func(shown *vt.Emulator) { g = gridOf(shown) })
	return g
}

func gridOf(shown *vt.Emulator) grid {
	g := make(grid, shown.Height())
	for y := range g {
		g[y] = make([]cell, shown.Width())
		for x := range g[y] {
			if c := shown.CellAt(x, y); c != nil {
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
