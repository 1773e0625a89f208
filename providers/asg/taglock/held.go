package taglock

import (
	"context"
	"errors"
	"sync"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// Held is a lock that was acquired.
type Held struct {
	l        *Lock
	cancel   context.CancelFunc
	finished chan struct{} // nothing renews it any more
	lost     chan struct{}
	once     sync.Once
	release  sync.Once
	asked    chan chan error // for a renewal at once
	left     Tag

	mu      sync.Mutex
	mark    Tag    // as it is to be when it is written next, but for Until
	renewed stamp  // when it was sent as it was last known to be written
	written string // the run that it spoke of then
}

// errTaken means that the tag is another process's, or gone.
var errTaken = errors.New("the lock was taken by another process")

// Left is what the tag said before it was taken: a run that has not ended, and where its
// record is.
func (h *Held) Left() Tag { return h.left }

// Lost is closed when the lock has been lost: the process must stop acting. It is not
// closed by Release.
func (h *Held) Lost() <-chan struct{} { return h.lost }

// Sure reports whether nobody else can hold the lock at this moment: it was renewed less
// than deadline ago, by both clocks.
func (h *Held) Sure() bool {
	select {
	case <-h.lost:
		return false
	default:
		return h.fresh()
	}
}

func (h *Held) fresh() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.l.time.now().since(h.renewed) < deadline
}

func (h *Held) lose() { h.once.Do(func() { close(h.lost) }) }

// Carry has the tag say which run has not ended and that its record is here, also when the
// lock is released; "" for none. It returns when a tag that speaks of a run is written,
// which is once a run.
func (h *Held) Carry(ctx context.Context, run string) error {
	h.mu.Lock()
	h.mark.Run, h.mark.At = run, ""
	if run != "" {
		h.mark.At = h.l.place
	}
	there := h.written == runText(run)
	h.mu.Unlock()
	if there || run == "" { // Release removes it
		return nil
	}
	answer := make(chan error, 1)
	select {
	case h.asked <- answer:
	case <-h.finished:
		return errTaken
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// keep renews the tag until ctx ends or the lock is lost.
func (h *Held) keep(ctx context.Context) {
	pause := renewal
	for {
		var answer chan error
		over, stop := h.l.time.timer(pause)
		select {
		case <-ctx.Done():
		case answer = <-h.asked:
		case <-over:
		}
		stop()
		if ctx.Err() != nil {
			return
		}
		err := h.renew(ctx)
		pause = renewal
		if err != nil {
			pause = retry
		}
		if answer != nil {
			answer <- h.l.words(err)
		}
		if errors.Is(err, errTaken) || !h.fresh() {
			if ctx.Err() == nil {
				h.lose()
			}
			return
		}
	}
}

// renew writes the tag again if it is still ours.
func (h *Held) renew(ctx context.Context) error {
	asked, err := h.ours(ctx)
	if err != nil {
		return err
	}
	h.mu.Lock()
	next := h.mark
	h.mu.Unlock()
	next.Until = h.l.time.cloud().Add(lease)
	sent := h.l.time.now()
	if err := h.l.write(ctx, next, h.allowed(asked)); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.renewed, h.written = sent, runText(next.Run)
	return nil
}

// ours reads the tag, and returns when it began to; errTaken if it is not ours any more or
// may not be, as that of a machine that slept.
func (h *Held) ours(ctx context.Context) (asked stamp, err error) {
	if !h.fresh() {
		return stamp{}, errTaken
	}
	asked = h.l.time.now()
	there, err := h.l.read(ctx)
	if err == nil && there.id != h.l.id {
		err = errTaken
	}
	return asked, err
}

// allowed says whether a change may be sent that a read at asked has shown to be ours.
func (h *Held) allowed(asked stamp) func() bool {
	return func() bool { return h.l.time.now().since(asked) < gap && h.fresh() }
}

// Release gives the lock up, so that the next process need not wait until its time is
// over; more than once does no harm. A tag that speaks of an unfinished run stays, without
// a holder. It takes at most some seconds; all acting must have ended before.
func (h *Held) Release() {
	h.release.Do(func() {
		h.cancel()
		<-h.finished
		select {
		case <-h.lost: // another process's, or out of reach
			return
		default:
		}
		ctx, cancel := context.WithTimeout(context.Background(), releaseTimeout)
		defer cancel()
		for h.letGo(ctx) != nil {
			if h.l.pause(ctx, retry) != nil {
				return
			}
		}
	})
}

// letGo is one try to release the tag; nil if there is nothing more to do. Who may not
// take tags off leaves one that nobody holds.
func (h *Held) letGo(ctx context.Context) error {
	asked, err := h.ours(ctx)
	switch {
	case errors.Is(err, errTaken):
		return nil
	case err != nil:
		return err
	}
	h.mu.Lock()
	free := Tag{Run: h.mark.Run, At: h.mark.At, id: h.l.id}
	h.mu.Unlock()
	if free.Run == "" {
		err = h.l.remove(ctx, h.allowed(asked))
		if err == nil || !errors.Is(transport.Explain(err), transport.ErrForbidden) {
			return err
		}
	}
	return h.l.write(ctx, free, h.allowed(asked))
}

// words is an error of a call in words, nil for none.
func (l *Lock) words(err error) error {
	switch {
	case err == nil, errors.Is(err, errTaken), errors.Is(err, live.ErrNotSure):
		return err
	}
	return l.c.Explain(err)
}
