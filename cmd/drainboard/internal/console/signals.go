package console

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// UntilSignalled returns a context that ends with every signal that ends a process, so that
// a dashboard restores the terminal first. Ctrl-c is a key on a screen; SIGINT comes from
// elsewhere, or before there is a screen.
func UntilSignalled(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// Left returns the error that a dashboard ended with, nil if a signal ended it.
func Left(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return err
}
