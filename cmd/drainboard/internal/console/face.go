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

// Face is how an interactive command meets its user.
type Face struct {
	// auto: not at all; nothing is asked.
	Auto bool
	// plain: in lines, without a screen. Otherwise there is a dashboard.
	Plain bool
}

const PlainHelp = "lines instead of a screen, questions answered by number: for screen readers, dumb terminals, and tee"

const PlainLong = "With --plain everything is told in lines: type the number or letter of an answer and Enter. An empty line tells what\n" +
	"can be done now. The end of the input pauses the run; ctrl-c aborts it, twice stops at once. Lines are also what you get\n" +
	"with TERM=dumb, or when the output is no terminal."

// Fit settles how a command is shown, and refuses what cannot be: JSON without
// --auto, questions where nobody can answer. A terminal that cannot move its cursor,
// or an output that is none, gets lines.
func (f Face) Fit(json bool) (Face, error) {
	switch {
	case f.Auto && f.Plain:
		return f, exitcode.Usage(errors.New("--auto asks nothing, --plain asks in lines: leave one of them out"))
	case f.Auto:
		return f, nil
	case json:
		return f, exitcode.Usage(errors.New("-o json is for --auto: what asks has no JSON"))
	case f.Plain:
		return f, nil
	case !IsTerminal(os.Stdin):
		return f, exitcode.Usage(errors.New("this is not a terminal: use --auto to run without questions, or --plain to answer them in lines"))
	}
	f.Plain = noScreen()
	return f, nil
}

// Looking settles how a command is shown that only looks: it asks nothing, so an input that
// is no terminal stands in nobody's way, and gets lines as well.
func (f Face) Looking() Face {
	f.Plain = f.Plain || noScreen() || !IsTerminal(os.Stdin)
	return f
}

// noScreen reports whether the output is none that a screen could be drawn on.
func noScreen() bool { return !IsTerminal(os.Stdout) || os.Getenv("TERM") == "dumb" }

// Show shows what is given, until it is left.
func (f Face) Show(ctx context.Context, o ui.Options) (ui.Exit, error) {
	if f.Plain {
		return lines.Run(ctx, o)
	}
	return ui.Run(ctx, o)
}

// IsTerminal reports whether a stream is a terminal's.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Plainly are the options of a plain mode on the streams of this process.
func (c *Console) Plainly(o ui.Options) ui.Options {
	o.Input, o.Output, o.Scripted = c.In, &lasting{to: c.Out, then: c.Err}, c.Scripted
	if !c.Scripted {
		o.Forget = func() { forgetTyped(os.Stdin) }
	}
	return o
}

// lasting writes to a second place when the first is gone: ctrl-c ends the tee behind
// a pipe as well, and what an abort puts back must still be told.
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
		fmt.Fprintln(l.then, "drainboard: the output is closed; it goes on here")
	}
	return l.then.Write(b)
}

// untilGone is an output that is left when nobody reads it any more.
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

// UntilGone is an output that is left when nobody reads it any more.
func UntilGone(to io.Writer, leave func()) io.Writer { return untilGone{to, leave} }
