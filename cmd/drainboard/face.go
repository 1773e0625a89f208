package main

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

// face is how an interactive command meets its user.
type face struct {
	// auto: not at all; nothing is asked.
	auto bool
	// plain: in lines, without a screen. Otherwise there is a dashboard.
	plain bool
}

const plainHelp = "lines instead of a screen, questions answered by number: for screen readers, dumb terminals, and tee"

const plainLong = "With --plain everything is told in lines: type the number or letter of an answer and Enter. An empty line tells what\n" +
	"can be done now. The end of the input pauses the run; ctrl-c aborts it, twice stops at once. Lines are also what you get\n" +
	"with TERM=dumb, or when the output is no terminal."

// fit settles how a command is shown, and refuses what cannot be: JSON without
// --auto, questions where nobody can answer. A terminal that cannot move its cursor,
// or an output that is none, gets lines.
func (f face) fit(json bool) (face, error) {
	switch {
	case f.auto && f.plain:
		return f, exitcode.Usage(errors.New("--auto asks nothing, --plain asks in lines: leave one of them out"))
	case f.auto:
		return f, nil
	case json:
		return f, exitcode.Usage(errors.New("-o json is for --auto: what asks has no JSON"))
	case f.plain:
		return f, nil
	case !isTerminal(os.Stdin):
		return f, exitcode.Usage(errors.New("this is not a terminal: use --auto to run without questions, or --plain to answer them in lines"))
	}
	f.plain = noScreen()
	return f, nil
}

// looking settles how a command is shown that only looks: it asks nothing, so an input that
// is no terminal stands in nobody's way, and gets lines as well.
func (f face) looking() face {
	f.plain = f.plain || noScreen() || !isTerminal(os.Stdin)
	return f
}

// noScreen reports whether the output is none that a screen could be drawn on.
func noScreen() bool { return !isTerminal(os.Stdout) || os.Getenv("TERM") == "dumb" }

// show shows what is given, until it is left.
func (f face) show(ctx context.Context, o ui.Options) (ui.Exit, error) {
	if f.plain {
		return lines.Run(ctx, o)
	}
	return ui.Run(ctx, o)
}

// isTerminal reports whether a stream is a terminal's.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// plainly are the options of a plain mode on the streams of this process.
func (a *app) plainly(o ui.Options) ui.Options {
	o.Input, o.Output, o.Scripted = a.in, &lasting{to: a.out, then: a.err}, a.scripted
	if !a.scripted {
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
