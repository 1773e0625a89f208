package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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
	what  string
	speed float64
	// frames is the name of the benchmark in ./ui that draws frames of that size.
	frames string
	// run rolls until ctx ends, and hands each snapshot to publish. It calls busy once
	// when as many nodes drain as ever will.
	run func(ctx context.Context, publish func(*snapshot.Snapshot), busy func()) error
}

// dashboards measures the dashboard of rolls with many drains at once: in a
// pseudo-terminal, as a part of this process, which also simulates the cluster and
// emulates the terminal.
func (b *bench) dashboards(ctx context.Context) error {
	busy := 0.0 // bytes a second of the first
	for i, r := range []rolling{
		{fmt.Sprintf("dashboard at %dx%d of a roll of %d nodes, %d at once, at the pace of reality", watchWide, watchHigh, busyRoll.nodes, busyRoll.limit), 1, "Snapshot/60", busyRoll.run},
		{fmt.Sprintf("the same of %d nodes and %d pods, %d at once", largeRoll.nodes, largeRoll.apps*largeRoll.pods, largeRoll.limit), 1, "Snapshot/5000", largeRoll.run},
	} {
		got, err := r.measure(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", r.what, err)
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
		p99 := at(got.paints, 99)
		b.add(fmt.Sprintf("  from a key to its effect on the screen, 99th percentile of %d (median %s; a timer is late by %s)", dashKeys, millis(at(got.paints, 50)), millis(at(got.late, 99))), millis(p99), "at most "+millis(mostPaint), fmt.Sprintf("%.2f", float64(p99)/float64(mostPaint)))
	}
	return nil
}

// seen is what was measured of a dashboard.
type seen struct {
	bytes  float64         // a second, to the terminal, while nobody presses a key
	paints []time.Duration // from a key to its effect on the screen, sorted
	late   []time.Duration // of a timer between keys, which is the machine's, sorted
}

func (r rolling) measure(ctx context.Context) (got seen, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, 5*time.Minute, errors.New("not within 5 minutes"))
	defer stop()
	s, side, err := terminal.Inside(vt.NewEmulator(watchWide, watchHigh))
	if err != nil {
		return got, err
	}
	shots, busy := make(chan *snapshot.Snapshot, 64), make(chan struct{})
	rolled, left := make(chan error, 1), make(chan error, 1)
	go func() {
		defer close(shots)
		rolled <- r.run(ctx, func(s *snapshot.Snapshot) {
			select {
			case shots <- s:
			case <-ctx.Done():
			}
		}, func() { close(busy) })
	}()
	go func() {
		_, err := ui.Run(ctx, ui.Options{
			Snapshots: shots, Speed: r.speed, KeepsNothing: true, Input: side, Output: side,
			Environ: []string{"TERM=xterm-256color", "COLORTERM=truecolor"},
		})
		left <- errors.Join(err, side.Close())
	}()
	defer func() {
		stop()
		<-left
		<-rolled
		s.Close()
	}()
	select {
	case <-busy:
	case err := <-rolled:
		rolled <- err
		return got, fmt.Errorf("the roll ended: %w", err)
	case <-ctx.Done():
		return got, context.Cause(ctx)
	}
	if err := sleep(ctx, dashCalm); err != nil {
		return got, err
	}
	before, from := s.Written(), time.Now()
	if err := sleep(ctx, dashSpan); err != nil {
		return got, err
	}
	got.bytes = float64(s.Written()-before) / time.Since(from).Seconds()
	return got, got.pressKeys(ctx, s)
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
