package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/podlog"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/term"
)

// Appearance is what may change of the look while a dashboard is open.
type Appearance = term.Appearance

// Options is what a dashboard needs. Only Snapshots is required.
type Options struct {
	// Snapshots are shown as they come; when the channel is closed the last one
	// stays on the screen, marked as such.
	Snapshots <-chan *snapshot.Snapshot
	// Send takes the operator's commands and must not block. The receiver fills in
	// By and At.
	Send func(record.Command)
	// ReadOnly: this process only watches. No command is ever sent, and leaving is
	// free. Otherwise this process drives the run, and q asks before it leaves.
	ReadOnly bool
	// Turn shows the next of the runs of a roll that go side by side; nil where they follow
	// each other. It must not block.
	Turn func()
	// Look receives what the operator looks at, so that its details come with the next
	// snapshot. It must not block; nil means that no details are to be had.
	Look func(snapshot.Look)
	// Unread receives which nodes are on the screen whose pods are still to be read, and
	// which are therefore to be read first. It must not block; may be nil.
	Unread func(nodes []string)
	// Log reads the end of a pod's log, on another goroutine; nil means that none can be read.
	Log podlog.Reader
	// Again is the command that resumes the run; "" is drainboard upgrade GROUP.
	Again string
	// Theme is the look; the zero value chooses one that fits the terminal.
	Theme themes.Theme
	// Mark is a word for the header that says where one is, as "PRODUCTION"; "" is none.
	Mark string
	// Appearances are looks that replace Theme, Mark and Silent as they come; nil means
	// that they stay.
	Appearances <-chan Appearance
	// Mouse has the dashboard take the mouse, which then no longer selects text in the
	// terminal; a key changes it.
	Mouse bool
	// Silent sends no notification to the terminal when the window is not in focus.
	Silent bool
	// Now is the local clock, and its location that of the times shown; nil means
	// time.Now.
	Now func() time.Time
	// Speed is how many seconds of the cluster's time pass in one of the local
	// clock, for a demo; 0 means 1, a real cluster.
	Speed float64
	// KeepsNothing: the run ends with this process, and leaving is free.
	KeepsNothing bool
	// Tour: a dialog explains the screen, step by step, once there is something to see.
	Tour bool
	// Scale scales up the owner of a blocked pod, so that its PDB opens, and
	// returns what was done. It is for the demo, which plays another user; nil is a
	// real cluster, whose dashboard has no such key.
	Scale func(*blockers.Blocker) string
	// Scripted: the lines of Input were written by a script, not typed by a person who
	// reads the questions. Plain then takes one for each question, in their order.
	Scripted bool
	// Forget drops what was typed and not entered yet. Plain calls it before it asks
	// without being asked to; nil does nothing.
	Forget func()
	// Input, Output and Environ are the terminal; nil means the process's own.
	Input   io.Reader
	Output  io.Writer
	Environ []string
}

// Exit says how the operator left the dashboard.
type Exit string

// The ways to leave.
const (
	// Left: the run is not over. If it was running and this process drives it,
	// CmdPause was sent before; the caller waits until the pause is saved and says
	// how to resume. A watcher says that the run continues without it.
	Left Exit = "left"
	// Finished: the run was over.
	Finished Exit = "finished"
	// Interrupted: ctrl-c was pressed a second time. Stop at once and say what is
	// left; an abort was sent at the first.
	Interrupted Exit = "interrupted"
)

// Run shows the dashboard until the operator leaves or ctx ends, in which case it
// returns Left and the context's error. The terminal is restored in every case, a
// panic included. Signals are the caller's: ctrl-c is read as a key.
func Run(ctx context.Context, o Options) (Exit, error) {
	_, run := wire(ctx, o)
	return run()
}

// wire ties a model to a program and its snapshots, for Run and for tests, which
// need the program to resize it.
func wire(ctx context.Context, o Options, more ...tea.ProgramOption) (p *tea.Program, run func() (Exit, error)) {
	m := NewModel(o)
	p = term.NewProgram(ctx, o.device(), m, more...)
	return p, func() (Exit, error) {
		done := make(chan struct{})
		defer close(done)
		go feed(p.Send, o.Snapshots, done)
		err := term.Run(p, o.device(), o.Appearances)
		switch {
		case err == nil:
			return m.Exit, nil
		case ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic):
			return Left, context.Cause(ctx)
		default:
			return Left, fmt.Errorf("running the dashboard: %w", err)
		}
	}
}

// device is the terminal of the options.
func (o Options) device() term.Device {
	return term.Device{Input: o.Input, Output: o.Output, Environ: o.Environ}
}

// together is for how long after a snapshot was drawn others are gathered: what comes several
// times a second is drawn once, so that lines can be read and a slow connection keeps up. A
// lone snapshot is drawn at once, a key as well.
const together = 250 * time.Millisecond

// feed hands snapshots to the program (send), always the newest: every message costs a View,
// so what came meanwhile is skipped.
func feed(send func(tea.Msg), snapshots <-chan *snapshot.Snapshot, done <-chan struct{}) {
	var newest *snapshot.Snapshot // not drawn yet
	var gathered <-chan time.Time // nil while the next one is drawn at once
	draw := func() {
		if newest == nil {
			gathered = nil
			return
		}
		send(snapshotMsg{newest})
		newest, gathered = nil, time.After(together)
	}
	for {
		select {
		case <-done:
			return
		case <-gathered:
			draw()
		case s, ok := <-snapshots:
			if !ok {
				draw()
				send(endedMsg{})
				return
			}
			if newest = s; gathered == nil {
				draw()
			}
		}
	}
}

func (o Options) withDefaults() Options {
	if o.Send == nil {
		o.Send = func(record.Command) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Speed == 0 {
		o.Speed = 1
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	return o
}
