package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/ui"
	"github.com/drainboard/drainboard/ui/lines"
)

// Face is the user interface of a command.
type Face struct {
	// auto: none, without prompts.
	Auto bool
	// plain: plain lines. Otherwise there is a dashboard.
	Plain bool
}

const PlainHelp = "plain lines instead of a dashboard, prompts answered by number: for screen readers, dumb terminals and tee"

const PlainLong = "With --plain the output is plain lines: type the number or letter of an answer, then Enter. An empty line lists what\n" +
	"can be done now. The end of the input pauses the run; ctrl-c aborts it, twice stops at once. Plain lines are also used\n" +
	"with TERM=dumb, or when the output is not a terminal."

// Fit chooses the user interface, and refuses what is impossible: JSON without
// --auto, prompts without a terminal. A terminal that cannot move its cursor, or an
// output that is not a terminal, gets plain lines.
func (f Face) Fit(json bool) (Face, error) {
	switch {
	case f.Auto && f.Plain:
		return f, exitcode.Usage(errors.New("--auto never prompts and --plain prompts in lines: give one"))
	case f.Auto:
		return f, nil
	case json:
		return f, exitcode.Usage(errors.New("-o json and -o yaml require --auto: prompts have neither"))
	case f.Plain:
		return f, nil
	case !IsTerminal(os.Stdin):
		return f, exitcode.Usage(errors.New("not a terminal: use --auto to run without prompts, or --plain to answer them in lines"))
	}
	f.Plain = noScreen()
	return f, nil
}

// ReadOnly is Fit for a read-only command: it never prompts, so an input that is not a
// terminal is allowed, and selects plain lines.
func (f Face) ReadOnly() Face {
	f.Plain = f.Plain || noScreen() || !IsTerminal(os.Stdin)
	return f
}

// noScreen reports whether no dashboard can be drawn on the output.
func noScreen() bool { return !IsTerminal(os.Stdout) || os.Getenv("TERM") == "dumb" }

// Show shows a program until it is left.
func (f Face) Show(ctx context.Context, o ui.Options) (ui.Exit, error) {
	if f.Plain {
		return lines.Run(ctx, o)
	}
	return ui.Run(ctx, o)
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Plainly returns the options of plain lines on the streams of this process.
func (c *Console) Plainly(o ui.Options) ui.Options {
	o.Input, o.Output, o.Scripted = c.In, &lasting{to: c.Out, then: c.Err}, c.Scripted
	if !c.Scripted {
		o.Forget = func() { forgetTyped(os.Stdin) }
	}
	return o
}

// lasting writes to a second stream once the first is closed: ctrl-c also ends the tee behind
// a pipe, and what an abort restores must still be shown.
type lasting struct {
	to, then io.Writer
	gone     bool
}

func (l *lasting) Write(b []byte) (int, error) {
	if !l.gone {
		n, err := l.to.Write(b)
		if err == nil {
			return n, nil
		}
		l.gone = true
		fmt.Fprintln(l.then, "drainboard: the output is closed; continued here")
	}
	return l.then.Write(b)
}

// untilGone is an output that is given up when its reader is gone.
type untilGone struct {
	to    io.Writer
	leave func()
}

func (u untilGone) Write(b []byte) (int, error) {
	n, err := u.to.Write(b)
	if err != nil {
		u.leave()
	}
	return n, err
}

// UntilGone returns an output that is given up when its reader is gone.
func UntilGone(to io.Writer, leave func()) io.Writer { return untilGone{to, leave} }
