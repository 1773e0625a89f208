package console

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// Console has the streams of the process, and the appearance of what a command shows.
type Console struct {
	// In is read line by line, by one prompt after the other; scripted: not by a
	// person at a keyboard.
	In       *bufio.Reader
	Scripted bool
	// Out and Err remove control characters, see plain.
	Out, Err io.Writer
	Theme    string // --theme
}

// NewConsole returns the console on the streams of a process.
func NewConsole(in io.Reader, out, errOut io.Writer) Console {
	return Console{In: bufio.NewReader(in), Scripted: !IsTerminal(in), Out: &plain{w: out}, Err: &plain{w: errOut}}
}

// Lost returns why a part of what was written to the output of a Console got lost, nil if none did.
func Lost(out io.Writer) error {
	if p, ok := out.(*plain); ok {
		if err := p.lost.Load(); err != nil {
			return *err
		}
	}
	return nil
}

// Wrote reports whether anything was written to the output of a Console.
func Wrote(out io.Writer) bool {
	p, ok := out.(*plain)
	return ok && p.wrote.Load()
}

// Stderr returns the standard error of this process, without control characters.
func Stderr() io.Writer { return &plain{w: os.Stderr} }

// Ask reads a yes or no; anything but y or yes is no, and so is the end of ctx.
func (c *Console) Ask(ctx context.Context, question string) bool {
	said := strings.ToLower(c.Answer(ctx, question))
	return said == "y" || said == "yes"
}

// Answer reads a line; the end of ctx is an empty one.
func (c *Console) Answer(ctx context.Context, question string) string {
	fmt.Fprint(c.Out, question)
	answered := make(chan string, 1)
	go func() {
		line, _ := c.In.ReadString('\n')
		answered <- line
	}()
	select {
	case line := <-answered:
		return strings.TrimSpace(line)
	case <-ctx.Done():
		fmt.Fprintln(c.Out)
		return ""
	}
}
