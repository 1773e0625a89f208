package ui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// PlainPickGroup is PickGroup without a screen: a numbered list, answered by a number
// or a name. Of the options only input, output, the cluster and ReadOnly are used.
func PlainPickGroup(ctx context.Context, rows []GroupRow, o Options) (name string, ok bool, err error) {
	n := newNarrator(o)
	if len(rows) == 0 {
		n.write("There is no group.")
		return "", false, nil
	}
	if o.Cluster == "" {
		n.write("Which group?")
	} else {
		n.write("Which group of " + clean(o.Cluster) + "?")
	}
	for i, r := range rows {
		n.write(fmt.Sprintf("%d: %s", i+1, r.sentence()))
	}
	in := bufio.NewReader(n.m.opts.Input)
	for {
		n.write(fmt.Sprintf("Type a number from 1 to %d or a name. An empty line leaves.", len(rows)))
		text, err := readLine(ctx, in)
		if err != nil || text == "" {
			return "", false, err
		}
		r := pickRow(rows, text)
		switch {
		case r == nil:
			n.write(quoted(text) + " is none of them.")
		case r.Refused != "" && !o.ReadOnly:
			n.write("Cannot upgrade " + r.Name + ": " + r.Refused + ".")
		default:
			return r.Name, true, nil
		}
	}
}

// sentence is a group as a line that is read.
func (r GroupRow) sentence() string {
	text := r.Name + ", " + r.kind()
	if r.Version != "" {
		text += ", " + shortVersion(clean(r.Version))
	}
	text += fmt.Sprintf(", %d of %s outdated", r.Outdated, count(r.Nodes, "node"))
	if r.Running != "" {
		text += ", its run is " + r.Running
	}
	if r.Others != "" {
		text += ", " + r.Others + " at work"
	}
	if r.Refused != "" {
		text += ", cannot be upgraded: " + r.Refused
	}
	return text
}

// pickRow is the group with a name or a number in the list, nil if there is none.
func pickRow(rows []GroupRow, text string) *GroupRow {
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
