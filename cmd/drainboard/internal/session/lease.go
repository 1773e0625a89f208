package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
)

const (
	// regainPause is the pause between attempts to regain a lost lock.
	regainPause = 2 * time.Second
	// loadLimit bounds the attempts to read the record once the lock is regained.
	loadLimit = 10 * time.Second
)

// Lease is the lock and the record of a group while this process drives run.
// It implements live.Lock and live.Store.
type Lease struct {
	take   func(context.Context) (HeldLock, error)
	Record RunRecord
	held   atomic.Pointer[HeldLock]
	run    record.Run // as it was when this process started to drive it
	saved  bool       // the record has it
}

var (
	_ live.Lock  = (*Lease)(nil)
	_ live.Store = (*Lease)(nil)
)

// Acquire takes the lock: a live.HeldError if another process has it.
func (l *Lease) Acquire(ctx context.Context) error {
	held, err := l.take(ctx)
	if err == nil {
		l.held.Store(&held)
	}
	return err
}

// Drives sets the run that this process is about to drive.
func (l *Lease) Drives(run record.Run) { l.run = run }

// now returns the lock as it was taken last.
func (l *Lease) now() HeldLock { return *l.held.Load() }

// Release gives up the lock; calling it again has no effect.
func (l *Lease) Release() { l.now().Release() }

// Save writes the record.
func (l *Lease) Save(ctx context.Context, r record.Run) error {
	err := l.Record.Save(ctx, r)
	l.saved = l.saved || err == nil
	return err
}

// Lost is closed when the lock is lost.
func (l *Lease) Lost() <-chan struct{} { return l.now().Lost() }

// Sure reports whether nobody else can hold the lock at this moment.
func (l *Lease) Sure() bool { return l.now().Sure() }

// Regain takes the lock again and reads the record. If no other process drove the
// group since, this one continues from the record.
func (l *Lease) Regain(ctx context.Context) (record.Run, error) {
	l.now().Release()
	for {
		run, err := l.tryRegain(ctx)
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

// theirs reports whether an error means that another process has the group: waiting does not
// help, and the lock must stay free for a process that can resume.
func theirs(err error) bool {
	var other *live.HeldError
	var newer *live.NewerError
	var damaged *live.DamagedError
	var away *ElsewhereError
	return errors.As(err, &away) || errors.As(err, &other) || errors.As(err, &newer) || errors.As(err, &damaged)
}

func (l *Lease) tryRegain(ctx context.Context) (record.Run, error) {
	if err := l.Acquire(ctx); err != nil {
		return record.Run{}, err
	}
	loaded, found, err := l.load(ctx)
	run := loaded
	if err == nil {
		run, err = l.proceed(loaded, found)
	}
	if err != nil {
		l.now().Release()
	}
	return run, err
}

// load reads the record, retrying for some seconds: a regained lock is not given up for one
// failed request.
func (l *Lease) load(ctx context.Context) (run record.Run, found bool, err error) {
	late := time.After(loadLimit)
	for {
		run, found, err = l.Record.Load(ctx)
		if err == nil || theirs(err) {
			return run, found, err
		}
		select {
		case <-time.After(regainPause / 2):
		case <-late:
			return run, found, err
		case <-l.Lost():
			return run, found, err
		case <-ctx.Done():
			return run, found, err
		}
	}
}

// proceed decides what the record, read again, means for the run that this
// process drives.
func (l *Lease) proceed(loaded record.Run, found bool) (record.Run, error) {
	switch {
	case found && loaded.ID == l.run.ID && loaded.State == record.Finished: // not by us: we would have stopped
		return loaded, fmt.Errorf("%w: another process has ended the run: %s", live.ErrLost, loaded.Result)
	case found && loaded.ID == l.run.ID && (loaded.Strategy != l.run.Strategy || loaded.GroupID != l.run.GroupID):
		return loaded, fmt.Errorf("%w: its record was edited: it is of strategy %s and group %s now", live.ErrLost, loaded.Strategy, cmp.Or(loaded.GroupID, loaded.Group))
	case found && loaded.ID == l.run.ID: // the loop, which knows the group, checks whether the record still matches it
		return loaded, nil
	case !l.saved && (!found || loaded.State == record.Finished):
		return l.run, nil // nothing of ours was written, and no other process drives it
	case !found:
		return loaded, fmt.Errorf("%w: its record is gone", live.ErrLost)
	}
	return loaded, fmt.Errorf("%w: the record is of run %s now", live.ErrLost, loaded.ID)
}
