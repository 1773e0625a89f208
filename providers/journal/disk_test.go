package journal

import (
	"bytes"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// disk is a file in memory that can be full, silent, or lose what was not synced.
type disk struct {
	mu      sync.Mutex
	text    []byte
	durable int // so much of it survives the power
	syncs   int
	full    bool
	room    int           // how many bytes of the next write still fit when it is full
	hold    chan struct{} // nothing is answered until it is closed; nil: at once
}

func (d *disk) open() (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.text); n > 0 && d.text[n-1] != '\n' { // as openFile does
		if d.full {
			return nil, &os.PathError{Op: "write", Path: "journal", Err: syscall.ENOSPC}
		}
		d.text = append(d.text, '\n')
	}
	return d, nil
}

func (d *disk) wait() {
	d.mu.Lock()
	hold := d.hold
	d.mu.Unlock()
	if hold != nil {
		<-hold
	}
}

func (d *disk) Write(b []byte) (int, error) {
	d.wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full {
		n := min(d.room, len(b))
		d.text, d.room = append(d.text, b[:n]...), 0
		return n, &os.PathError{Op: "write", Path: "journal", Err: syscall.ENOSPC}
	}
	d.text = append(d.text, b...)
	return len(b), nil
}

func (d *disk) Sync() error {
	d.wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full {
		return syscall.ENOSPC
	}
	d.durable, d.syncs = len(d.text), d.syncs+1
	return nil
}

func (d *disk) Close() error { return nil }

func (d *disk) set(change func(*disk)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(d)
}

// lines are what can be read: of all that was written, or of what is durable.
func (d *disk) lines(t *testing.T, durable bool) []Line {
	t.Helper()
	d.mu.Lock()
	text := bytes.Clone(d.text)
	if durable {
		text = text[:d.durable]
	}
	d.mu.Unlock()
	return linesOf(t, text)
}

func linesOf(t *testing.T, text []byte) (lines []Line) {
	t.Helper()
	if _, err := Read(bytes.NewReader(text), func(l Line) bool {
		lines = append(lines, l)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return lines
}

// scribeOn is a Scribe that writes on a disk; what it warns of comes out of a channel.
func scribeOn(t *testing.T, d *disk, run record.Run) (*RunWriter, <-chan string) {
	t.Helper()
	warned := make(chan string, 16)
	s := &RunWriter{path: "journal", now: time.Now, run: run}
	s.w = newWriter(d.open, run.ID, time.Now, func(err error) {
		warned <- words(err)
	})
	s.w.start()
	t.Cleanup(s.w.Close)
	return s, warned
}
