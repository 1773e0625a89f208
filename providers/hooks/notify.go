package hooks

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// waiting is how many calls may wait for one hook; more are dropped, and that is told.
const waiting = 64

// Notifier tells hooks what happens in a run. Its methods never block.
type Notifier struct {
	hooks     []Hook
	cluster   string
	warn      func(reason, message string)
	queues    []chan Message
	snapshots chan *snapshot.Snapshot
	stop      context.CancelFunc
	workers   sync.WaitGroup

	mu     sync.Mutex
	closed bool
	full   []live.Throttle // by hook: a call was dropped
	// unwritten: hooks were told that the run record cannot be written.
	unwritten bool
}

// NewNotifier starts to tell hooks of a run on a cluster. warn is told, on goroutines of
// its own, of what does not work: of each hook now and then.
func NewNotifier(hooks []Hook, cluster string, warn func(reason, message string)) *Notifier {
	ctx, stop := context.WithCancel(context.Background())
	n := &Notifier{hooks: hooks, cluster: cluster, warn: warn, stop: stop, snapshots: make(chan *snapshot.Snapshot, 1), full: make([]live.Throttle, len(hooks))}
	for i := range hooks {
		queue := make(chan Message, waiting)
		n.queues = append(n.queues, queue)
		n.caught(func() { n.serve(ctx, &n.hooks[i], queue) })
	}
	n.caught(n.watch)
	return n
}

// caught starts a worker. A fault of ours in one leaves the run and the screen alone.
func (n *Notifier) caught(work func()) {
	n.workers.Go(live.Guarded(work, func(err error) { n.warn("hook", "hooks are told no more: "+err.Error()) }))
}

// momentsOf says which hooks an event is for, the one that says most first.
func momentsOf(e record.Event) []On {
	switch e.Type {
	case record.RunStarted:
		return []On{RunStarted}
	case record.RunFinished:
		if e.ExitCode != nil && failure(*e.ExitCode) {
			return []On{Failed, RunFinished}
		}
		return []On{RunFinished}
	case record.RunPaused:
		return []On{RunPaused}
	case record.BatchWaiting:
		return []On{ApprovalWanted}
	case record.NodeFailed:
		return []On{Failed}
	case record.Warning:
		switch e.Reason {
		case record.ReasonUnwritten: // it holds the whole run
			return []On{Unwritten, Blocked}
		case record.ReasonWritten:
			return []On{Unwritten}
		}
	}
	return nil
}

// failure reports whether a run that ends with this exit code has failed: neither done
// (0, 8) nor aborted by its operator (3).
func failure(code int) bool { return code != 0 && code != 3 && code != 8 }

// Events tells what happened. A hook that waits for several things hears of one event once.
func (n *Notifier) Events(list []record.Event) {
	for _, e := range list {
		if n.again(e) {
			continue
		}
		moments := momentsOf(e)
		for i := range n.hooks {
			for _, on := range moments {
				if n.hooks[i].Wants(on) {
					n.send(i, Message{Hook: on, Cluster: n.cluster, Event: e})
					break
				}
			}
		}
	}
}

// again reports whether an event repeats what hooks were told: that the run record cannot be
// written is an event every minute while it lasts.
func (n *Notifier) again(e record.Event) bool {
	if e.Type != record.Warning || e.Reason != record.ReasonUnwritten && e.Reason != record.ReasonWritten {
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	was := n.unwritten
	n.unwritten = e.Reason == record.ReasonUnwritten
	return was && n.unwritten
}

// See finds blocked nodes. Of snapshots that come too fast the newest counts.
func (n *Notifier) See(s *snapshot.Snapshot) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	select {
	case <-n.snapshots:
	default:
	}
	n.snapshots <- s
}

// watch finds nodes that have been blocked for long.
func (n *Notifier) watch() {
	known := blockages{}
	for s := range n.snapshots {
		for i, events := range known.see(s, n.hooks) {
			for _, e := range events {
				n.send(i, Message{Hook: Blocked, Cluster: n.cluster, Event: e})
			}
		}
	}
}

func (n *Notifier) send(i int, m Message) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	select {
	case n.queues[i] <- m:
	default:
		if n.full[i].Tell(time.Now()) {
			go live.Guarded(func() {
				n.warn("hook", fmt.Sprintf("hook %s is too slow: notification dropped (%s)", n.hooks[i].Name(), m.Hook))
			}, nil)()
		}
	}
}

// serve calls one hook for one message after the other.
func (n *Notifier) serve(ctx context.Context, h *Hook, queue <-chan Message) {
	var broken live.Throttle
	for m := range queue {
		if ctx.Err() != nil {
			continue // nobody waits any more
		}
		if err := h.call(ctx, m); err != nil && broken.Tell(time.Now()) {
			n.warn("hook", fmt.Sprintf("hook %s failed for %s: %s", h.Name(), m.Hook, err))
		}
	}
}

// Close waits for what is still to be told, as long as ctx lasts; what is not told by then
// is ended.
func (n *Notifier) Close(ctx context.Context) {
	n.mu.Lock()
	if !n.closed {
		n.closed = true
		close(n.snapshots)
		for _, q := range n.queues {
			close(q)
		}
	}
	n.mu.Unlock()
	defer context.AfterFunc(ctx, n.stop)()
	n.workers.Wait()
	n.stop()
}
