package live

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// FeedQueue runs feeds and queues their changes for the one goroutine that owns
// the world.
type FeedQueue struct {
	changes chan Change
	failed  chan error
	stop    context.CancelFunc
	running sync.WaitGroup
}

// Open starts the feeds. They run until Close or the end of ctx.
func Open(ctx context.Context, feeds ...Feed) *FeedQueue {
	ctx, stop := context.WithCancel(ctx)
	in := &FeedQueue{changes: make(chan Change, 1024), failed: make(chan error, len(feeds)), stop: stop}
	for _, f := range feeds {
		in.running.Go(func() {
			err := Caught(func() error {
				return f.Run(ctx, func(c Change) {
					select {
					case in.changes <- c:
					case <-ctx.Done():
					}
				})
			})
			if err != nil && ctx.Err() == nil {
				in.failed <- err
			}
		})
	}
	return in
}

// Close stops the feeds and waits for them.
func (in *FeedQueue) Close() {
	in.stop()
	in.running.Wait()
}

// apply applies the changes that wait.
func (in *FeedQueue) apply(w *world.World) {
	for {
		select {
		case c := <-in.changes:
			c(w)
		default:
			return
		}
	}
}

// Fill applies changes to the world until each source has been fresh once. The feeds try again
// by themselves; why is told to the patience of ctx. The error says which source is not fresh, and
// its own words for why; it is ErrUnreachable where the time is over.
func (in *FeedQueue) Fill(ctx context.Context, w *world.World, limit time.Duration, sources ...world.Source) error {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	patience, _ := ctx.Value(patienceKey{}).(*Patience)
	until := time.Now().Add(limit)
	for {
		missing := world.Source("")
		for _, s := range sources {
			if w.Health[s].Fresh.IsZero() {
				missing = s
			}
		}
		if missing == "" {
			return nil
		}
		select {
		case c := <-in.changes:
			c(w)
			if why := w.Health[missing].Problem; why != "" {
				patience.tell(errors.New(why), until)
			}
		case err := <-in.failed:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timeout.C:
			return &Trouble{text.NotReadWithin(string(missing), limit, w.Health[missing].Problem), ErrUnreachable}
		}
	}
}
