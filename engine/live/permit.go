package live

import (
	"context"
	"errors"
	"sync/atomic"
)

// ErrNotSure means that a change was not sent, because it is not sure any more that
// the run is ours: the process may have slept.
var ErrNotSure = errors.New("not sent: it is not sure that the lock is still held")

type permitKey struct{}

// permit goes with an action to where its requests are sent.
type permit struct {
	sure    func() bool
	sent    atomic.Int32 // changes that were let out
	refused atomic.Bool
}

// withPermit returns a context for one action, and its permit.
func withPermit(ctx context.Context, sure func() bool) (context.Context, *permit) {
	p := &permit{sure: sure}
	return context.WithValue(ctx, permitKey{}, p), p
}

// WithPermit is a context for an action that may go out as long as sure says so, as a
// Loop gives it to its Executor.
func WithPermit(ctx context.Context, sure func() bool) context.Context {
	ctx, _ = withPermit(ctx, sure)
	return ctx
}

// MayAct is asked by an Executor's connection right before each request that changes
// something: an action may take several requests, and the machine may have been
// asleep between two of them. The error is ErrNotSure. Contexts that are not of an
// action pass.
func MayAct(ctx context.Context) error {
	p, _ := ctx.Value(permitKey{}).(*permit)
	switch {
	case p == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !p.sure():
		p.refused.Store(true)
		return ErrNotSure
	}
	p.sent.Add(1)
	return nil
}

// nothingSent reports whether an action was refused by its permit before any of it
// got out.
func (p *permit) nothingSent() bool { return p.refused.Load() && p.sent.Load() == 0 }
