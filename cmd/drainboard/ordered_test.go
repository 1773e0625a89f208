//go:build unix

package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/sim"
)

// tour is the demo's cluster at the demo's speed, and a channel that tells of SIGUSR1,
// which orders whatever is to go wrong.
func tour() (*sim.Script, *sim.RealTime, <-chan os.Signal, error) {
	ordered := make(chan os.Signal, 1)
	signal.Notify(ordered, syscall.SIGUSR1)
	s, err := sim.Named("tour")
	if err != nil {
		return nil, nil, nil, err
	}
	script, err := s.Open(1, false)
	if err != nil {
		return nil, nil, nil, err
	}
	return script, sim.NewRealTime(script.Sim, 20), ordered, nil
}

// orderedFeed does something when it is ordered to, and nothing else.
type orderedFeed struct {
	ordered <-chan os.Signal
	do      func(post func(live.Change)) error
}

func (f orderedFeed) Run(ctx context.Context, post func(live.Change)) error {
	select {
	case <-f.ordered:
		if err := f.do(post); err != nil {
			return err
		}
	case <-ctx.Done():
	}
	<-ctx.Done()
	return nil
}
