package picker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/drainboard/drainboard/ui/style"
)

// PickFromLines is PickGroup without a screen: a numbered list, answered by a number
// or a name. Of the options only input, output, the cluster and ReadOnly are used.
func PickFromLines(ctx context.Context, rows []Group, o Options) (name string, ok bool, err error) {
	input, output := o.Input, o.Output
	if input == nil {
		input = os.Stdin
	}
	if output == nil {
		output = os.Stdout
	}
	write := func(text string) { _, _ = io.WriteString(output, style.PlainText(text)) }
	if len(rows) == 0 {
		write("No groups found.")
		return "", false, nil
	}
	if o.Cluster == "" {
		write("Which group?")
	} else {
		write("Which group of " + style.Clean(o.Cluster) + "?")
	}
	for i, r := range rows {
		write(fmt.Sprintf("%d: %s", i+1, r.sentence()))
	}
	in := bufio.NewReader(input)
	for {
		write(fmt.Sprintf("Type a number from 1 to %d or a name. An empty line leaves.", len(rows)))
		text, err := readLine(ctx, in)
		if err != nil || text == "" {
			return "", false, err
		}
		r := pickRow(rows, text)
		switch {
		case r == nil:
			write(style.Quoted(text) + " matches no group.")
		case r.Refused != "" && !o.ReadOnly:
			write("Cannot upgrade " + r.Name + ": " + r.Refused + ".")
		default:
			return r.Name, true, nil
		}
	}
}

// sentence is a group as a line that is read.
func (r Group) sentence() string {
	text := r.Name + ", " + r.kind()
	if r.Version != "" {
		text += ", " + style.ShortVersion(style.Clean(r.Version))
	}
	text += fmt.Sprintf(", %d of %s outdated", r.Outdated, style.Count(r.Nodes, "node"))
	if r.Running != "" {
		text += ", its run is " + r.Running
	}
	if r.Others != "" {
		text += ", " + r.Others + " busy"
	}
	if r.Refused != "" {
		text += ", cannot be upgraded: " + r.Refused
	}
	return text
}

// pickRow is the group with a name or a number in the list, nil if there is none.
func pickRow(rows []Group, text string) *Group {
	for i := range rows {
		if rows[i].Name == text {
			return &rows[i]
		}
	}
	if i, err := strconv.Atoi(text); err == nil && i >= 1 && i <= len(rows) {
		return &rows[i-1]
	}
	return nil
}

// readLine reads a line; it is empty at the end of the input.
func readLine(ctx context.Context, in *bufio.Reader) (string, error) {
	type answer struct {
		text string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		text, err := in.ReadString('\n')
		answered <- answer{text, err}
	}()
	select {
	case a := <-answered:
		if a.err != nil && !errors.Is(a.err, io.EOF) {
			return "", fmt.Errorf("choosing a group: %w", a.err)
		}
		return strings.TrimSpace(a.text), nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
