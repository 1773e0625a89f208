package console

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// UntilSignalled is a context that ends with every signal that ends a process, so that
// a screen gives the terminal back first. Ctrl-c is a key on a screen; SIGINT comes from
// elsewhere, or before there is a screen.
func UntilSignalled(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// Left is the error that a screen ended with, but that a signal ended it is none.
func Left(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return err
}
