package live

import (
	"context"
	"errors"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
)

// save writes the record of a run, and notes whether it could. The end of ctx leaves it a
// moment; lost ends it at once, so that an API that does not answer keeps nobody from
// noticing.
func (l *Loop) save(ctx context.Context, run record.Run, lost <-chan struct{}) error {
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveLimit)
	defer cancel()
	go func() {
		select {
		case <-lost:
			cancel()
		case <-writing.Done():
		}
	}()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(farewell, cancel) })
	defer stop()
	begun := time.Now()
	if err := l.write(writing, run, begun); err != nil {
		l.unwritten.next = time.Now().Add(saveRetry)
		if !errors.Is(err, ErrLost) && !over(lost) {
			l.unable(begun, err)
			l.tellUnwritten()
		}
		return err
	}
	l.saved, l.dirty = time.Now(), false
	l.repeats.unsaved = nil
	l.written()
	return nil
}

// write writes a record, with less in it if it is too large and less is enough. A write that
// does not end is told and shown meanwhile, and so are the commands that come: they wait for it.
func (l *Loop) write(ctx context.Context, run record.Run, begun time.Time) error {
	done := make(chan error, 1)
	l.running.Go(func() {
		done <- Caught(func() error {
			err := l.Store.Save(ctx, run)
			if errors.Is(err, ErrTooLarge) && run.Reducible() {
				err = l.Store.Save(ctx, run.Reduced())
			}
			return err
		})
	})
	tick := time.NewTicker(writingLook)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err
		case c := <-l.commands:
			l.early = append(l.early, c)
		case <-tick.C:
			l.tellWaits(l.early)
			if time.Since(begun) >= unwrittenTold {
				l.unable(begun, errNoAnswer)
				l.tellUnwritten()
				l.publish()
			}
		}
	}
}

// saveLast writes the record of a finished run. The run's end does not depend on
// it: a record that cannot be written is only warned of.
func (l *Loop) saveLast(ctx context.Context) {
	err := l.saveWithin(ctx, l.run, lastSaving, ctx.Done())
	if err == nil || errors.Is(err, ErrLost) {
		return
	}
	l.tell([]record.Event{{Time: l.Clock.Now(), Run: l.run.ID, Group: l.run.Group, Type: record.Warning, Message: text.EndNotRecorded(err)}})
}

// saveWithin writes the record, again and again where the API fails now and then, until the
// limit or over.
func (l *Loop) saveWithin(ctx context.Context, run record.Run, limit time.Duration, over <-chan struct{}) error {
	for end := time.Now().Add(limit); ; {
		err := l.save(ctx, run, nil)
		if err == nil || errors.Is(err, ErrLost) || !time.Now().Before(end) {
			return err
		}
		select {
		case <-time.After(saveRetry):
		case <-over:
			return err
		}
	}
}
