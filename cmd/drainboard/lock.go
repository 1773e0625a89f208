package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
)

const (
	// regainPause is the pause between tries to get a lost lock back.
	regainPause = 2 * time.Second
	// loadLimit is how long the record is tried to be read while it is held again.
	loadLimit = 10 * time.Second
)

// tenure is the lock and the record of a group while this process drives run.
// It implements live.Lock and live.Store.
type tenure struct {
	take   func(context.Context) (heldLock, error)
	record runRecord
	held   atomic.Pointer[heldLock]
	run    engine.Run // as it was when this process began to drive it
	saved  bool       // the record has it
}

var (
	_ live.Lock  = (*tenure)(nil)
	_ live.Store = (*tenure)(nil)
)

func (t *tenure) acquire(ctx context.Context) error {
	held, err := t.take(ctx)
	if err == nil {
		t.held.Store(&held)
	}
	return err
}

// now is the lock as it was taken last.
func (t *tenure) now() heldLock { return *t.held.Load() }

// release gives the lock up; more than once does no harm.
func (t *tenure) release() { t.now().Release() }

// Save writes the record.
func (t *tenure) Save(ctx context.Context, r engine.Run) error {
	err := t.record.Save(ctx, r)
	t.saved = t.saved || err == nil
	return err
}

// Lost is closed when the lock is lost.
func (t *tenure) Lost() <-chan struct{} { return t.now().Lost() }

// Sure reports whether nobody else can hold the lock at this moment.
func (t *tenure) Sure() bool { return t.now().Sure() }

// Regain takes the lock again and reads the record: if nobody else drove the
// group meanwhile, this process goes on from there.
func (t *tenure) Regain(ctx context.Context) (engine.Run, error) {
	t.now().Release()
	for {
		run, err := t.tryRegain(ctx)
		switch {
		case err == nil, errors.Is(err, live.ErrLost):
			return run, err
		case theirs(err):
			return run, fmt.Errorf("%w: %s", live.ErrLost, err)
		}
		select {
		case <-time.After(regainPause):
		case <-ctx.Done():
			return run, ctx.Err()
		}
	}
}

// theirs reports whether an error says that the group is another's by now: no waiting
// mends that, and the lock must stay free for whoever can go on.
func theirs(err error) bool {
	var other *live.HeldError
	var newer *live.NewerError
	var damaged *live.DamagedError
	var away *awayError
	return errors.As(err, &away) || errors.As(err, &other) || errors.As(err, &newer) || errors.As(err, &damaged)
}

func (t *tenure) tryRegain(ctx context.Context) (engine.Run, error) {
	if err := t.acquire(ctx); err != nil {
		return engine.Run{}, err
	}
	loaded, found, err := t.load(ctx)
	run := loaded
	if err == nil {
		run, err = t.goOn(loaded, found)
	}
	if err != nil {
		t.now().Release()
	}
	return run, err
}

// load reads the record, for some seconds again and again where the API fails now and then:
// a lock that is got back is not given up for one failure.
func (t *tenure) load(ctx context.Context) (run engine.Run, found bool, err error) {
	late := time.After(loadLimit)
	for {
		run, found, err = t.record.Load(ctx)
		if err == nil || theirs(err) {
			return run, found, err
		}
		select {
		case <-time.After(regainPause / 2):
		case <-late:
			return run, found, err
		case <-t.Lost():
			return run, found, err
		case <-ctx.Done():
			return run, found, err
		}
	}
}

// goOn decides what a record that was read again means for the run that this
// process drives.
func (t *tenure) goOn(loaded engine.Run, found bool) (engine.Run, error) {
	switch {
	case found && loaded.ID == t.run.ID && loaded.State == engine.Finished: // not by us: we would have stopped
		return loaded, fmt.Errorf("%w: another process has ended the run meanwhile: %s", live.ErrLost, loaded.Result)
	case found && loaded.ID == t.run.ID && (loaded.Strategy != t.run.Strategy || loaded.GroupID != t.run.GroupID):
		return loaded, fmt.Errorf("%w: its record was edited: it is of strategy %s and group %s now", live.ErrLost, loaded.Strategy, cmp.Or(loaded.GroupID, loaded.Group))
	case found && loaded.ID == t.run.ID: // whether it still fits the group the loop sees, which knows the group
		return loaded, nil
	case !t.saved && (!found || loaded.State == engine.Finished):
		return t.run, nil // nothing of ours was written, and nobody else is at it
	case !found:
		return loaded, fmt.Errorf("%w: its record is gone", live.ErrLost)
	}
	return loaded, fmt.Errorf("%w: the record is of run %s now", live.ErrLost, loaded.ID)
}
