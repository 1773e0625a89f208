package term

import (
	"context"
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
)

// StderrShown is how many lines from stderr the log keeps: the newest.
const StderrShown = 50

// Device is a terminal: its input, its output and the environment that describes it; nil
// means the process's own.
type Device struct {
	Input   io.Reader
	Output  io.Writer
	Environ []string
}

// frames is how many there may be a second. Only what differs is written, so more of them are no more bytes: a key is
// seen sooner.
const frames = 120

// NewProgram is a program on a terminal. Signals are the caller's.
func NewProgram(ctx context.Context, d Device, m tea.Model, more ...tea.ProgramOption) *tea.Program {
	with := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithFPS(frames)}
	if d.Input != nil {
		with = append(with, tea.WithInput(d.Input))
	}
	if d.Output != nil {
		with = append(with, tea.WithOutput(d.Output))
	}
	if d.Environ == nil {
		d.Environ = os.Environ()
	}
	with = append(with, tea.WithEnvironment(WithoutColours(d.Environ)))
	return tea.NewProgram(m, append(with, more...)...)
}

// Run runs a program with the terminal to itself, and restores it. New appearances
// are sent to the program until it ends.
func Run(p *tea.Program, d Device, looks <-chan Appearance) error {
	if d.Output == nil {
		end, err := captureStderr(func(lines []string) { p.Send(StderrMsg{lines}) })
		if err != nil {
			return err
		}
		defer end()
	}
	done := make(chan struct{})
	defer close(done)
	go sendAppearances(p, looks, done)
	defer raiseProcs()()
	defer rarerGC()()
	defer d.keepTitle()()
	_, err := p.Run()
	return err
}

// StderrMsg is what this process or a child wrote to stderr while the screen is up.
type StderrMsg struct{ Lines []string }

// The window's title, kept by the terminal on a stack of its own (XTWINOPS).
const (
	PushTitle = "\x1b[22;2t"
	PopTitle  = "\x1b[23;2t"
)

// keepTitle makes the terminal keep the window's title until restore is called. Bubble Tea
// restores all else.
func (d Device) keepTitle() (restore func()) {
	environ := d.Environ
	if environ == nil {
		environ = os.Environ()
	}
	if TTYOf(environ).Dumb() {
		return func() {}
	}
	out := d.Output
	if out == nil {
		out = os.Stdout
	}
	// A terminal that is gone cannot be told.
	_, _ = io.WriteString(out, PushTitle)
	return func() { _, _ = io.WriteString(out, PopTitle) }
}
