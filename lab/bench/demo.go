package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

const (
	demoStarts    = 7
	columns, rows = 140, 40
)

// demo measures from the start of `drainboard demo` in a pseudo-terminal to its
// first full frame: the nodes of every zone, and the line of keys at the bottom.
func (b *bench) demo(ctx context.Context) error {
	var times []time.Duration
	for range demoStarts {
		took, err := b.startDemo(ctx)
		if err != nil {
			return err
		}
		times = append(times, took)
	}
	slices.Sort(times)
	b.add(fmt.Sprintf("start of the demo to its first full frame, median of %d", demoStarts), seconds(at(times, 50)), "shortest "+seconds(times[0])+", longest "+seconds(at(times, 100)), "")
	return nil
}

// frame is what the first full frame shows.
var frame = []string{"demo", "NAME", "STAGE", "outdated", "ip-10-0-", "─ log ", "x abort", "q quit"}

func (b *bench) startDemo(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(b.bin, "drainboard"), "demo")
	cmd.Env = append(cmd.Environ(), "TERM=xterm-256color")
	screen := vt.NewEmulator(columns, rows)
	from := time.Now()
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: rows, Cols: columns})
	if err != nil {
		return 0, err
	}
	go io.Copy(terminal, screen) // a terminal answers questions about itself
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = terminal.Close()
		_ = screen.InputPipe().(io.Closer).Close()
	}()
	buf := make([]byte, 1<<16)
	for {
		n, err := terminal.Read(buf)
		_, _ = screen.Write(buf[:n])
		took := time.Since(from)
		shown := screen.String()
		missing := slices.IndexFunc(frame, func(text string) bool { return !strings.Contains(shown, text) })
		if missing < 0 {
			return took, nil
		}
		if err != nil {
			return 0, fmt.Errorf("the screen never showed %q: %w\n%s", frame[missing], err, shown)
		}
	}
}
