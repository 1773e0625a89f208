// Package try has what talks to a cluster that may be away for a moment: waits that ask again,
// and which of their errors count.
package try

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Until calls ok every interval until it says yes, fails, or the context ends.
func Until(ctx context.Context, interval time.Duration, ok func() (bool, error)) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		if yes, err := ok(); yes || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
}

// Sleep waits and reports whether the context let it.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// IgnoreUnlessDone drops an error of a single try: the API server may be away
// for a moment, and the wait has its own end.
func IgnoreUnlessDone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return nil
}

// IgnoreGone drops the error of a request about an object that is not there any more.
func IgnoreGone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// Insist repeats a request until it is done, since the API server may be away, or the context ends.
// What is gone or there already counts as done. Failures go to the log.
func Insist(ctx context.Context, log func(format string, args ...any), what string, do func() error) {
	for {
		err := do()
		if err == nil || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) {
			return
		}
		if ctx.Err() == nil {
			log("%s: %v", what, err)
		}
		if !Sleep(ctx, 500*time.Millisecond) {
			return
		}
	}
}
