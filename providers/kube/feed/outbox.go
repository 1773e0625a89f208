package feed

import (
	"context"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
)

// pause is the least time between two posts. The first change after a quiet
// moment goes out at once, so that an opened budget is not kept waiting; what
// follows closely goes out together.
const pause = 5 * time.Millisecond

// outbox gathers changes and posts them together, in order.
type outbox struct {
	mu      sync.Mutex
	waiting []live.Change
	wake    chan struct{} // of one
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

func (o *outbox) put(c live.Change) {
	o.mu.Lock()
	o.waiting = append(o.waiting, c)
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// run posts until ctx ends.
func (o *outbox) run(ctx context.Context, post func(live.Change)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.wake:
		}
		o.mu.Lock()
		changes := o.waiting
		o.waiting = nil
		o.mu.Unlock()
		switch len(changes) {
		case 0:
			continue
		case 1:
			post(changes[0])
		default:
			post(func(w *world.World) {
				for _, c := range changes {
					c(w)
				}
			})
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}
