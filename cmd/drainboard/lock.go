package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/providers/kube"
)

// regainPause is the pause between tries to get a lost lock back.
const regainPause = 2 * time.Second

// heldLock is the lock of a group while this process drives its run. It
// implements live.Lock.
type heldLock struct {
	lock   *kube.Lock
	record *kube.Record
	held   *kube.Held
}

var _ live.Lock = (*heldLock)(nil)

func (h *heldLock) acquire(ctx context.Context) error {
	held, err := h.lock.Acquire(ctx)
	if err == nil {
		h.held = held
	}
	return err
}

func (h *heldLock) release() { h.held.Release() }

// Lost is closed when the lock is lost.
func (h *heldLock) Lost() <-chan struct{} { return h.held.Lost() }

// Regain takes the lock again and reads the record: if nobody else drove the run
// meanwhile, it goes on from there.
func (h *heldLock) Regain(ctx context.Context) (engine.Run, error) {
	h.held.Release()
	for {
		run, err := h.tryRegain(ctx)
		var other *kube.HeldError
		switch {
		case err == nil, errors.Is(err, live.ErrLost):
			return run, err
		case errors.As(err, &other):
			return run, fmt.Errorf("%w: %s", live.ErrLost, err)
		}
		select {
		case <-time.After(regainPause):
		case <-ctx.Done():
			return run, ctx.Err()
		}
	}
}

func (h *heldLock) tryRegain(ctx context.Context) (engine.Run, error) {
	if err := h.acquire(ctx); err != nil {
		return engine.Run{}, err
	}
	run, found, err := h.record.Load(ctx)
	if err == nil && !found {
		err = fmt.Errorf("%w: its record is gone", live.ErrLost)
	}
	if err != nil {
		h.held.Release()
	}
	return run, err
}
