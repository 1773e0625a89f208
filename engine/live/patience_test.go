package live

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

var errAway = fmt.Errorf("the API is away: %w", ErrUnreachable)

// failing fails n times, and each try takes a second.
func failing(n int, tries *int) func(context.Context) error {
	return func(context.Context) error {
		time.Sleep(time.Second)
		if *tries++; *tries <= n {
			return errAway
		}
		return nil
	}
}

func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []time.Duration
		begin := time.Now()
		p := &Patience{Limit: time.Minute, Tell: func(why error, until time.Time) {
			if !errors.Is(why, ErrUnreachable) || until.Sub(begin) != time.Minute {
				t.Errorf("told %v, until %s", why, until.Sub(begin))
			}
			told = append(told, time.Since(begin).Round(time.Second))
		}}
		ctx := WithPatience(t.Context(), p)
		tries := 0
		if err := Retry(ctx, failing(6, &tries)); err != nil || tries != 7 || len(told) != 2 {
			t.Errorf("%v after %d tries, told at %v", err, tries, told)
		}
	})
}

// Patience ends: a minute after the first try no other one begins.
func TestRetryEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, tries := time.Now(), 0
		err := Retry(WithPatience(t.Context(), &Patience{Limit: time.Minute}), failing(1000, &tries))
		if took := time.Since(begin); !errors.Is(err, ErrUnreachable) || took < 55*time.Second || took > 62*time.Second || tries < 15 {
			t.Errorf("%v after %s and %d tries", err, took, tries)
		}
	})
}

// What another try does not mend, and what is tried again already, is tried once.
func TestRetryOnce(t *testing.T) {
	denied := fmt.Errorf("who are you? %w", ErrDenied)
	for name, c := range map[string]struct {
		patience *Patience
		err      error
	}{"denied": {&Patience{Limit: time.Minute}, denied}, "no patience": {nil, errAway}} {
		tries := 0
		err := Retry(WithPatience(t.Context(), c.patience), func(context.Context) error { tries++; return c.err })
		if !errors.Is(err, c.err) || tries != 1 {
			t.Errorf("%s: %v after %d tries", name, err, tries)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		outer, inner := 0, 0
		err := Retry(WithPatience(t.Context(), &Patience{Limit: time.Minute}), func(ctx context.Context) error {
			outer++
			return Retry(ctx, func(context.Context) error {
				if inner++; inner < 3 {
					return errAway
				}
				return nil
			})
		})
		if err != nil || outer != 3 || inner != 3 {
			t.Errorf("%v: %d tries of %d", err, outer, inner)
		}
	})
}

// A process that is told to leave does not wait for the next try.
func TestRetryIsLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(WithPatience(t.Context(), &Patience{Limit: time.Minute}))
	tries := 0
	err := Retry(ctx, func(context.Context) error { tries++; cancel(); return errAway })
	if !errors.Is(err, ErrUnreachable) || tries != 1 {
		t.Errorf("%v after %d tries", err, tries)
	}
}
