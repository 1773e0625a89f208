package hooks

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// call calls a hook once, within its time.
func (h *Hook) call(ctx context.Context, m Message) error {
	limit := h.timeout()
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not finished within %s", limit))
	defer cancel()
	if len(h.Run) > 0 {
		return h.command(ctx, m)
	}
	return h.post(ctx, m)
}

// Runner carries out the engine's RunHook: the hooks before and after nodes.
type Runner struct {
	Hooks   []Hook
	Cluster string
	// Run is the id of the run.
	Run string
	// Now is the cluster's time.
	Now func() time.Time

	mu   sync.Mutex
	busy map[string]chan struct{} // closed when the hooks of an action have ended
}

// Do runs the hooks of one moment for one node, one after the other. The first that fails
// is the answer: the others are not asked. It never runs those of one action twice at the
// same time: what was told to end may take a moment.
func (r *Runner) Do(ctx context.Context, a record.Action) record.Outcome {
	out := record.Outcome{Key: a.Key, Verdict: record.Unknown}
	free, err := r.take(ctx, a.Key)
	if err == nil {
		defer free()
		err = r.all(ctx, a)
	}
	out.At = r.Now()
	switch {
	case err == nil:
		out.Verdict = record.Done
	case ctx.Err() != nil:
		out.Message = context.Cause(ctx).Error()
	default:
		out.Verdict, out.Refusal, out.Message = record.Refused, record.RefusedHook, err.Error()
	}
	return out
}

// take waits until no hooks of this action run.
func (r *Runner) take(ctx context.Context, key string) (free func(), err error) {
	for {
		r.mu.Lock()
		other := r.busy[key]
		if other == nil {
			if r.busy == nil {
				r.busy = map[string]chan struct{}{}
			}
			mine := make(chan struct{})
			r.busy[key] = mine
			r.mu.Unlock()
			return func() {
				r.mu.Lock()
				defer r.mu.Unlock()
				delete(r.busy, key)
				close(mine)
			}, nil
		}
		r.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (r *Runner) all(ctx context.Context, a record.Action) error {
	on, said := BeforeNode, "is about to be drained"
	if a.Phase == record.AfterNode {
		on, said = AfterNode, "is gone"
	}
	m := Message{Hook: on, Cluster: r.Cluster, Machine: a.Machine, Event: record.Event{
		Time: r.Now(), Run: r.Run, Group: a.Group, Type: record.HookStarted, Node: a.Node, Zone: a.Zone, Reason: string(on), Message: a.Node + " " + said,
	}}
	found := false
	for i := range r.Hooks {
		h := &r.Hooks[i]
		if !h.Wants(on) {
			continue
		}
		found = true
		if err := h.call(ctx, m); err != nil {
			return fmt.Errorf("hook %s: %w", h.Name(), err)
		}
	}
	if !found {
		return errors.New("no hook configured for " + string(on))
	}
	return nil
}
