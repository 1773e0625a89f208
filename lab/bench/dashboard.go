package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"time"

	"github.com/charmbracelet/x/vt"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/lab/terminal"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui"
)

// What is looked at of a dashboard, one after the other.
const (
	dashCalm   = 15 * time.Second // from the first drains until it is measured
	dashSpan   = 30 * time.Second // over which its bytes are counted
	dashKeys   = 200              // presses, at odd moments
	dashStride = 8                // presses in one direction, then in the other
)

// What a dashboard is to keep.
const (
	mostBytes = 3000                  // a second, to the terminal
	mostFrame = 15 * time.Millisecond // 99th percentile
	mostPaint = 50 * time.Millisecond // the same
)

// rolling is a roll that a dashboard shows.
type rolling struct {
	what string
	simulated
	// name is what this program is started with to show it.
	name string
	// frames is the name of the benchmark in ./ui that draws frames of that size.
	frames string
}

// rollings are the rolls with many drains at once.
func rollings() []rolling {
	return []rolling{
		{fmt.Sprintf("dashboard at %dx%d of a roll of %d nodes, %d at once, at the pace of reality", watchWide, watchHigh, busyRoll.nodes, busyRoll.limit), busyRoll, "busy", "Snapshot/60"},
		{fmt.Sprintf("the same of %d nodes and %d pods, %d at once", largeRoll.nodes, largeRoll.apps*largeRoll.pods, largeRoll.limit), largeRoll, "large", "Snapshot/5000"},
	}
}

// dashboards measures the dashboard of rolls with many drains at once, in a pseudo-terminal.
// As in production the terminal is not in the process of the program; the cluster is, because
// it is simulated there. Beside it the time from a key to the screen with all in one process.
func (b *bench) dashboards(ctx context.Context) error {
	busy := 0.0 // bytes a second of the first
	for i, r := range rollings() {
		got, err := r.measure(ctx, dashSpan, r.apart)
		if err != nil {
			return fmt.Errorf("%s: %w", r.what, err)
		}
		within, err := r.measure(ctx, 0, r.inside)
		if err != nil {
			return fmt.Errorf("%s, in one process: %w", r.what, err)
		}
		figures, err := b.goBench(ctx, b.root, "./ui", r.frames, "1000x", 3)
		if err != nil {
			return err
		}
		frame := figures["p99-ms"]
		if i == 0 {
			busy = got.bytes
			b.add(r.what+": to the terminal", fmt.Sprintf("%.0f B/s", got.bytes), fmt.Sprintf("at most %d B/s", mostBytes), fmt.Sprintf("%.2f", got.bytes/mostBytes))
		} else {
			b.add(r.what+": to the terminal", fmt.Sprintf("%.0f B/s", got.bytes), fmt.Sprintf("that of %d nodes: %.0f B/s", busyRoll.nodes, busy), fmt.Sprintf("%.2f", got.bytes/busy))
		}
		b.add("  a snapshot and its frame, 99th percentile of 1000", fmt.Sprintf("%.1f ms", frame), "at most "+millis(mostFrame), fmt.Sprintf("%.2f", frame/(mostFrame.Seconds()*1000)))
		b.addPaints("  from a key to its effect on the screen", got)
		b.addPaints("  the same with the terminal in the process of the program", within)
	}
	return nil
}

func (b *bench) addPaints(what string, got seen) {
	p99 := at(got.paints, 99)
	b.add(fmt.Sprintf("%s, 99th percentile of %d (median %s; a timer is late by %s)", what, dashKeys, millis(at(got.paints, 50)), millis(at(got.late, 99))), millis(p99), "at most "+millis(mostPaint), fmt.Sprintf("%.2f", float64(p99)/float64(mostPaint)))
}

// seen is what was measured of a dashboard.
type seen struct {
	bytes  float64         // a second, to the terminal, while nobody presses a key
	paints []time.Duration // from a key to its effect on the screen, sorted
	late   []time.Duration // of a timer between keys, which is the machine's, sorted
}

// board is a dashboard in a terminal.
type board struct {
	*terminal.Screen
	busy  <-chan struct{} // closed when as many nodes drain as ever will
	ended <-chan error    // the roll has ended
	close func()
}

// environ is that of the terminal.
var environ = []string{"TERM=xterm-256color", "COLORTERM=truecolor"}

// inside shows a roll in this process.
func (r rolling) inside(ctx context.Context) (*board, error) {
	ctx, stop := context.WithCancel(ctx)
	s, side, err := terminal.Inside(vt.NewEmulator(watchWide, watchHigh))
	if err != nil {
		stop()
		return nil, err
	}
	busy, ended, left := make(chan struct{}), make(chan error, 1), make(chan error, 1)
	go func() {
		err := r.show(ctx, ui.Options{Input: side, Output: side, Environ: environ}, func() { close(busy) })
		ended <- err
		left <- errors.Join(err, side.Close())
	}()
	return &board{s, busy, ended, func() {
		stop()
		<-left
		s.Close()
	}}, nil
}

// apart shows a roll in a process of its own, which is this program.
func (r rolling) apart(ctx context.Context) (*board, error) {
	this, err := os.Executable()
	if err != nil {
		return nil, err
	}
	told, tells, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, this, "-show", r.name)
	cmd.Env, cmd.ExtraFiles = append(os.Environ(), environ...), []*os.File{tells}
	s, err := terminal.Start(cmd, vt.NewEmulator(watchWide, watchHigh))
	if err = errors.Join(err, tells.Close()); err != nil {
		return nil, errors.Join(err, told.Close())
	}
	busy, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		defer told.Close()
		if _, err := told.Read(make([]byte, 1)); err != nil {
			ended <- errors.New(s.Text())
			return
		}
		close(busy)
	}()
	return &board{s, busy, ended, s.Close}, nil
}

// tells is the file on which a process that shows a roll tells that it is busy.
const tells = 3

// gcPercent is that of drainboard.
const gcPercent = 50

// showRoll shows a roll in the terminal of this process, with drainboard's settings.
func showRoll(ctx context.Context, name string) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	for _, r := range rollings() {
		if r.name == name {
			return r.show(ctx, ui.Options{}, func() { _, _ = os.NewFile(tells, "busy").WriteString(".") })
		}
	}
	return fmt.Errorf("no roll is named %q", name)
}

// show rolls and shows it until ctx ends or the user leaves. It calls busy once when as many nodes
// drain as ever will.
func (r rolling) show(ctx context.Context, o ui.Options, busy func()) error {
	ctx, stop := context.WithCancel(ctx)
	shots, rolled := make(chan *snapshot.Snapshot, 64), make(chan error, 1)
	go func() {
		defer close(shots)
		err := r.run(ctx, func(s *snapshot.Snapshot) {
			select {
			case shots <- s:
			case <-ctx.Done():
			}
		}, busy)
		rolled <- err
		stop()
	}()
	o.Snapshots, o.KeepsNothing = shots, true
	_, err := ui.Run(ctx, o)
	stop()
	if ended := <-rolled; ended != nil && !errors.Is(ended, context.Canceled) {
		return fmt.Errorf("the roll ended: %w", ended)
	}
	return err
}

// measure measures a dashboard that start starts, its bytes over a span.
func (r rolling) measure(ctx context.Context, span time.Duration, start func(context.Context) (*board, error)) (got seen, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, 5*time.Minute, errors.New("not within 5 minutes"))
	defer stop()
	s, err := start(ctx)
	if err != nil {
		return got, err
	}
	defer s.close()
	select {
	case <-s.busy:
	case err := <-s.ended:
		return got, fmt.Errorf("it ended: %w", err)
	case <-ctx.Done():
		return got, context.Cause(ctx)
	}
	if err := sleep(ctx, dashCalm); err != nil {
		return got, err
	}
	before, from := s.Written(), time.Now()
	if err := sleep(ctx, span); err != nil {
		return got, err
	}
	got.bytes = float64(s.Written()-before) / time.Since(from).Seconds()
	return got, got.pressKeys(ctx, s.Screen)
}

// pressKeys moves the cursor up and down at odd moments, and measures from each key
// until the emulator shows the cursor at another node: at the edge of a long table
// it stays where it is, and the nodes move.
func (got *seen) pressKeys(ctx context.Context, s *terminal.Screen) error {
	const up, down = "\x1b[A", "\x1b[B"
	if err := s.Press(down); err != nil { // brings the cursor
		return err
	}
	if err := sleep(ctx, time.Second); err != nil {
		return err
	}
	odd := rand.New(rand.NewPCG(1, 2))
	for i := range dashKeys {
		pause, from := time.Duration(80+odd.IntN(120))*time.Millisecond, time.Now()
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		got.late = append(got.late, time.Since(from)-pause)
		key := down
		if i/dashStride%2 == 1 {
			key = up
		}
		was := cursorNode(s)
		if was == "" {
			return fmt.Errorf("there is no cursor:\n%s", s.Text())
		}
		from = time.Now()
		if err := s.Press(key); err != nil {
			return err
		}
		when, err := s.Until(ctx, "the cursor at another node", func() bool { node := cursorNode(s); return node != "" && node != was })
		if err != nil {
			return err
		}
		got.paints = append(got.paints, when.Sub(from))
	}
	slices.Sort(got.paints)
	slices.Sort(got.late)
	return nil
}

// cursorNode is the node at the dashboard's cursor, "" for none: the word behind its
// glyph, which has a background of its own.
func cursorNode(s *terminal.Screen) string {
	node := ""
	s.Look(func(shown *vt.Emulator) {
		for y := range shown.Height() {
			for x := range shown.Width() {
				if c := shown.CellAt(x, y); c == nil || c.Content != themes.Unicode.Cursor || c.Style.Bg == nil {
					continue
				}
				for x++; ; x++ {
					c := shown.CellAt(x, y)
					if c == nil || c.Content == " " || c.Content == "" {
						return
					}
					node += c.Content
				}
			}
		}
	})
	return node
}

func millis(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }
