package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// longest is the longest line that is read, in bytes: the plan of a large group is
// some megabytes.
const longest = 64 << 20

// Unread counts what of a journal could not be read.
type Unread struct {
	// Broken lines are cut off, or no lines of a journal at all.
	Broken int
	// Newer lines were of a newer Drainboard.
	Newer int
}

// Read reads a journal line by line, with clean strings. It continues after a line that it
// cannot read: a crash cuts off the last one, and the next process writes on below. It
// ends early when visit wants no more.
func Read(r io.Reader, visit func(Line) (more bool)) (Unread, error) {
	var unread Unread
	in := bufio.NewReaderSize(r, 1<<16)
	for {
		text, err := readLine(in)
		switch {
		case text == nil:
			unread.Broken++ // too long
		case len(bytes.TrimSpace(text)) > 0:
			l, newer, ok := parse(text)
			switch {
			case newer:
				unread.Newer++
			case !ok:
				unread.Broken++
			case !visit(l):
				return unread, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return unread, nil
		}
		if err != nil {
			return unread, err
		}
	}
}

// readLine reads up to the end of a line; nil stands for one that is too long.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, long := []byte{}, false
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > longest {
			line, long = nil, true
		}
		if !long {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// parse reads a line. It is none unless it says something of the kind that it names.
func parse(text []byte) (l Line, newer, ok bool) {
	var form struct {
		Version int `json:"v"`
	}
	if json.Unmarshal(text, &form) != nil || form.Version < 1 {
		return l, false, false
	}
	if form.Version > Version {
		return l, true, false
	}
	if json.Unmarshal(text, &l) != nil || !l.whole() {
		return l, false, false
	}
	world.CleanAll(&l)
	return l, false, true
}

// whole reports whether a line holds what its kind says.
func (l Line) whole() bool {
	switch l.Kind {
	case KindOpened:
		return l.Opened != nil
	case KindCommand:
		return l.Command != nil
	case KindDecision:
		return l.Decision != nil
	case KindAction:
		return l.Action != nil && l.Action.complete()
	case KindOutcome:
		return l.Outcome != nil
	case KindEvent:
		return l.Event != nil
	case KindGap:
		return l.Gap != nil
	case KindClosed:
		return l.Closed != nil
	}
	return false
}

// end is what the end of a journal is like.
type end struct {
	lines int
	seq   int // the highest number
	torn  bool
}

// tail is how much of a file's end is read first, in bytes.
const tail = 1 << 20

// lookAtEnd finds out how a journal ends, without reading all of it if that is long.
func lookAtEnd(path string) (end, error) {
	f, err := os.Open(path)
	if err != nil {
		return end{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return end{}, err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil {
		return end{}, err
	}
	out := end{torn: last[0] != '\n'}
	for _, from := range []int64{max(0, info.Size()-tail), 0} {
		_, err = Read(io.NewSectionReader(f, from, info.Size()-from), func(l Line) bool {
			out.lines++
			out.seq = max(out.seq, l.Seq)
			return true
		})
		if err != nil || out.lines > 0 {
			break
		}
	}
	return out, err
}

// complete reports whether an action has what a report says of it.
func (a *Action) complete() bool {
	for of := &a.Action; of != nil; of = of.Of {
		switch {
		case of.Taint == nil && (of.Kind == record.AddTaint || of.Kind == record.RemoveTaint),
			of.Template == nil && (of.Kind == record.CreateTemplate || of.Kind == record.SetTemplate),
			of.Sizes == nil && of.Kind == record.SetSizes,
			of.Of == nil && of.Kind == record.CheckEffect:
			return false
		}
	}
	return true
}
