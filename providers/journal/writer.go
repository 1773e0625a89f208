package journal

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine/live"
)

const (
	// syncEvery is how long a line may be written and not be on the disk.
	syncEvery = time.Second
	// retryEvery is the pause before a journal that could not be written is tried again.
	retryEvery = 2 * time.Second
	// mostWaiting is how many lines wait in memory for a disk that takes none.
	mostWaiting = 20_000
	// closeLimit is how long Close waits for the disk.
	closeLimit = 3 * time.Second
)

// errStuck is what is waited for in vain where the disk gives no answer at all.
var errStuck = errors.New("the disk does not answer")

// file is what a Writer needs of an *os.File.
type file interface {
	Write([]byte) (int, error)
	Sync() error
	Close() error
}

// Writer appends lines to one journal. What it writes is with the system at once, and
// on the disk within a second; Commit waits for the disk. A disk that takes nothing, or
// does not even answer, keeps nobody else waiting: the lines wait in memory, and are
// written when it takes them again.
type Writer struct {
	open func() (file, error)
	id   string // of this writer, in each line
	run  string
	now  func() time.Time // the cluster's time
	// trouble, unless nil, is told once when the journal cannot be written, and once, with nil,
	// when it can again.
	trouble func(error)

	mu      sync.Mutex
	news    chan struct{} // closed and replaced when something below has changed
	wake    chan struct{} // of one
	waiting []pending
	seq     int // of the line that was put last
	written int
	synced  int
	wanted  int // up to here a caller waits for the disk
	failed  int // the last try to write included this line
	err     error
	stuck   bool // the disk has not answered in time, and not since
	told    bool // trouble was told
	lost    Gap  // lines that found no room
	closing bool
	ended   chan struct{}
}

// pending is a line that is to be written.
type pending struct {
	seq  int
	text []byte
}

// startWriter starts to write the journal of a run at path, and makes it if there is
// none. There is always a Writer: a file that cannot be opened is trouble like a full
// disk. found says that the file was there, torn that its last line was cut off; that
// line is ended, and stays.
func startWriter(path string, open func() (file, error), run string, now func() time.Time, trouble func(error)) (w *Writer, found, torn bool) {
	seq := 0
	if tail, err := lookAtEnd(path); err == nil {
		found, torn, seq = tail.lines > 0 || tail.torn, tail.torn, tail.seq
	}
	w = newWriter(open, run, now, trouble)
	w.seq, w.written, w.synced = seq, seq, seq
	w.start()
	return w, found, torn
}

func newWriter(open func() (file, error), run string, now func() time.Time, trouble func(error)) *Writer {
	return &Writer{open: open, id: rand.Text()[:8], run: run, now: now, trouble: trouble, news: make(chan struct{}), wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

func (w *Writer) start() { go live.Guarded(w.work, w.tell)() }

// openFile opens a journal to append to. A last line without an end gets one first.
func openFile(path string) (file, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := endLastLine(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	if d, err := os.Open(dir); err == nil { // so that the file's name is on the disk as well
		_ = d.Sync()
		_ = d.Close()
	}
	return f, nil
}

func endLastLine(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = f.Write([]byte("\n"))
	return err
}

// Put appends a line; it does not wait. It returns the line's number.
func (w *Writer) Put(l Line) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.put(l)
}

func (w *Writer) put(l Line) int {
	if len(w.waiting) >= mostWaiting {
		if w.lost.Lines == 0 {
			w.lost.Since = l.At
		}
		w.lost.Lines++
		return 0
	}
	w.seq++
	l.Version, l.Writer, l.Seq, l.Run = Version, w.id, w.seq, w.run
	text, err := json.Marshal(l)
	if err != nil {
		panic("a line is a plain value: " + err.Error())
	}
	w.waiting = append(w.waiting, pending{w.seq, append(text, '\n')})
	w.poke()
	return w.seq
}

func (w *Writer) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Write appends a line and waits until it is with the system, so that the end of this
// process does not lose it.
func (w *Writer) Write(ctx context.Context, l Line) (seq int, err error) {
	return w.await(ctx, l, false)
}

// Commit appends a line and waits until it is on the disk.
func (w *Writer) Commit(ctx context.Context, l Line) (seq int, err error) {
	return w.await(ctx, l, true)
}

func (w *Writer) await(ctx context.Context, l Line, sync bool) (int, error) {
	reached := func() int {
		if sync {
			return w.synced
		}
		return w.written
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	seq := w.put(l)
	if seq == 0 {
		return 0, w.why()
	}
	if sync {
		w.wanted = seq
	}
	for {
		switch {
		case reached() >= seq:
			return seq, nil
		case w.err != nil && w.failed >= seq:
			return seq, w.err
		case w.stuck && !sync: // another caller has already waited in vain
			return seq, errStuck
		}
		news := w.news
		w.mu.Unlock()
		var over error
		select {
		case <-news:
		case <-ctx.Done():
			over = errStuck
			w.noteStuck()
		case <-w.ended:
			over = fs.ErrClosed
		}
		w.mu.Lock()
		if over != nil && reached() < seq {
			return seq, over
		}
	}
}

// noteStuck remembers that the disk has not answered in time.
func (w *Writer) noteStuck() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stuck = true
	if !w.told {
		w.told = true
		go live.Guarded(func() { w.tell(errStuck) }, nil)()
	}
}

// tell tells of trouble, nil when it is over.
func (w *Writer) tell(err error) {
	if w.trouble != nil {
		w.trouble(err)
	}
}

// why is why there is no room for a line.
func (w *Writer) why() error {
	if w.err != nil {
		return w.err
	}
	return errStuck
}

// work writes what is put until the Writer is closed.
func (w *Writer) work() {
	defer close(w.ended)
	var f file
	var due <-chan time.Time // when to try again, or to sync
	for {
		timeUp := false
		select {
		case <-w.wake:
		case <-due:
			due, timeUp = nil, true
		}
		w.mu.Lock()
		batch, closing := w.waiting, w.closing
		last := w.seq
		sync := timeUp || w.wanted > w.synced || closing
		w.mu.Unlock()
		n, err := 0, error(nil)
		if f == nil {
			f, err = w.open()
		}
		if err == nil {
			n, err = write(f, batch)
		}
		if err == nil && sync {
			err = f.Sync()
		}
		if err != nil && f != nil { // opened again next time: a handle may stay stale
			_ = f.Close()
			f = nil
		}
		due = w.settle(n, last, sync, err, due)
		if closing {
			if f != nil {
				_ = f.Close()
			}
			return
		}
	}
}

// settle takes in what became of a try to write a batch of which n lines were written,
// and returns when to do more.
func (w *Writer) settle(n, last int, sync bool, err error, due <-chan time.Time) <-chan time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n > 0 {
		w.written = w.waiting[n-1].seq
		w.waiting = append([]pending(nil), w.waiting[n:]...)
	}
	w.stuck = false
	before := w.told
	switch {
	case err != nil:
		w.err, w.failed = err, last
		w.told = true
		due = time.After(retryEvery)
	default:
		if w.lost.Lines > 0 {
			w.lost.Why = w.why().Error()
			gap := w.lost
			w.lost = Gap{}
			w.put(Line{At: w.now(), Kind: KindGap, Gap: &gap})
		}
		w.err, w.told = nil, false
		switch {
		case sync:
			w.synced, due = w.written, nil
		case due == nil && w.written > w.synced:
			due = time.After(syncEvery)
		}
	}
	close(w.news)
	w.news = make(chan struct{})
	if w.told != before {
		go live.Guarded(func() { w.tell(err) }, nil)()
	}
	return due
}

// write writes lines together and returns how many are written whole. What of a line
// was written when the disk was full is ended when the file is opened again.
func write(f file, batch []pending) (n int, err error) {
	var text []byte
	for _, p := range batch {
		text = append(text, p.text...)
	}
	if len(text) == 0 {
		return 0, nil
	}
	wrote, err := f.Write(text)
	for n < len(batch) && wrote >= len(batch[n].text) {
		wrote -= len(batch[n].text)
		n++
	}
	if err == nil && n < len(batch) {
		err = fmt.Errorf("%d of %d lines were written", n, len(batch))
	}
	return n, err
}

// Close writes what waits, as far as the disk takes it within a few seconds.
func (w *Writer) Close() {
	w.mu.Lock()
	w.closing = true
	w.poke()
	w.mu.Unlock()
	select {
	case <-w.ended:
	case <-time.After(closeLimit):
	}
}
