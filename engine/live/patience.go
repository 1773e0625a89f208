package live

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// firstPause is the pause after the first try of Retry that failed; each one after is half as
	// long again, up to lastPause, and up to a fifth shorter by chance.
	firstPause = 200 * time.Millisecond
	lastPause  = 2 * time.Second
	// tellEvery is how often a patience tells why something is tried again.
	tellEvery = 5 * time.Second
)

// Patience is how long what a command reads at its start is tried again, while the other side
// is not reachable or throttles.
type Patience struct {
	// Limit is how long after a first try a last one may begin. The client's own retries within
	// a try count.
	Limit time.Duration
	// Tell is told why something is tried again, at most once in five seconds, and until when.
	Tell func(why error, until time.Time)

	mu   sync.Mutex
	told time.Time
}

type patienceKey struct{}

// WithPatience returns a context whose reads Retry tries again.
func WithPatience(ctx context.Context, p *Patience) context.Context {
	return context.WithValue(ctx, patienceKey{}, p)
}

// Patient returns ctx with the patience of another context: a goroutine that outlives what
// began it may have a part that is waited for.
func Patient(ctx, as context.Context) context.Context {
	p, _ := as.Value(patienceKey{}).(*Patience)
	return WithPatience(ctx, p)
}

// Retry does what only reads, or may be done twice, again and again until its error is not
// ErrUnreachable any more: as long as the patience of ctx lasts; without one it does it once.
// It is the only loop of retries at a start: what do does with its own context is not retried
// within.
func Retry(ctx context.Context, do func(context.Context) error) error {
	p, _ := ctx.Value(patienceKey{}).(*Patience)
	if p == nil {
		return do(ctx)
	}
	until := time.Now().Add(p.Limit)
	once := WithPatience(ctx, nil)
	for pause := firstPause; ; pause = min(pause*3/2, lastPause) {
		err := do(once)
		if !errors.Is(err, ErrUnreachable) || ctx.Err() != nil || time.Now().Add(pause).After(until) {
			return err
		}
		p.tell(err, until)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause - rand.N(pause/5)):
		}
	}
}

// Retried is Retry for what has a result.
func Retried[T any](ctx context.Context, do func(context.Context) (T, error)) (value T, err error) {
	err = Retry(ctx, func(ctx context.Context) error {
		value, err = do(ctx)
		return err
	})
	return value, err
}

// tell tells why something is tried again; nobody, without a patience.
func (p *Patience) tell(why error, until time.Time) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); p.Tell != nil && now.Sub(p.told) >= tellEvery {
		p.told = now
		p.Tell(why, until)
	}
}
