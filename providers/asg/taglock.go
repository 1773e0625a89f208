package asg

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// Times of a lock that is a tag.
//
// Tags know no condition: a later write wins, whatever was there. So nobody holds the lock
// by having written the tag, but by reading it back after tagSettle, by when no write can
// still be on its way of a process that read the tag before ours was there: a write leaves
// within tagGap of the read that allows it, has tagCall to arrive, and is read a second or
// two later. Of two that take it at once the later write is found by both.
//
// A holder stops acting tagDeadline after it sent what renewed the tag last, and writes
// nothing from then on; others take the lock over after tagLease, and settle before they act.
const (
	tagLease    = 45 * time.Second
	tagDeadline = 30 * time.Second
	tagRenew    = 10 * time.Second
	tagRetry    = 2 * time.Second
	tagGap      = time.Second
	tagCall     = 3 * time.Second
	tagSettle   = 6 * time.Second
	// tagAcquire bounds Acquire: a dead holder's lock is taken well before.
	tagAcquire = 2 * tagLease
	// tagRelease bounds Release.
	tagRelease = 2 * tagCall
)

// TagLock is the lock of one group where there is no Kubernetes: a tag on the group. One
// process holds it at a time.
type TagLock struct {
	c             *Client
	group         string
	holder, place string
	id            string
	time          lockTime
	// Waiting, if set, is called once when Acquire finds the lock of a holder that may be
	// dead: it will be taken over at until unless the holder shows a sign of life.
	Waiting func(holder string, until time.Time)
}

// lockTime is where a TagLock has its time from: both clocks of this machine (mono with a
// monotonic reading, wall without one), that of the cloud, and a timer. Tests have their
// own.
type lockTime struct {
	now   func() stamp
	cloud func() time.Time
	// timer tells once when a time is over, unless it is stopped before.
	timer func(time.Duration) (over <-chan time.Time, stop func())
}

// stamp is a moment by both clocks of this machine: the monotonic one stands still while
// it sleeps (Linux), the wall clock can be set back.
type stamp struct{ mono, wall time.Time }

// since is the time from one moment to another by the clock that says more.
func (s stamp) since(before stamp) time.Duration {
	return max(s.mono.Sub(before.mono), s.wall.Sub(before.wall))
}

// TagLock returns the lock of a group. holder is this process for people, place where it
// keeps its record: user@host. Nothing is taken yet.
func (c *Client) TagLock(group, holder, place string) *TagLock {
	return &TagLock{
		c: c, group: group, holder: holder, place: place, id: rand.Text()[:8],
		time: lockTime{
			now: func() stamp {
				now := time.Now()
				return stamp{now, now.Round(0)}
			},
			cloud: c.clock.Now,
			timer: func(d time.Duration) (<-chan time.Time, func()) {
				t := time.NewTimer(d)
				return t.C, func() { t.Stop() }
			},
		},
	}
}

// Acquire takes the lock. If another process holds it and renews it, it fails with a
// live.HeldError within seconds; that of a dead process is taken over when its time is
// over. It takes tagSettle at least. The lock is held until Release, beyond the end of ctx.
func (l *TagLock) Acquire(ctx context.Context) (*TagHeld, error) {
	ctx, cancel := context.WithTimeout(ctx, tagAcquire)
	defer cancel()
	var seen RunTag // of another process, when it was first read
	for {
		var held *TagHeld
		asked := l.time.now()
		there, err := l.read(ctx)
		switch {
		case err != nil:
		case there.Held(l.time.cloud()) && there.id != l.id:
			if seen.id == "" {
				seen = there
				if l.Waiting != nil {
					l.Waiting(there.Holder, there.Until)
				}
			}
			if seen.id != there.id || !seen.Until.Equal(there.Until) { // its writer is alive
				return nil, &live.HeldError{Holder: there.Holder, Since: there.Since}
			}
		default:
			held, err = l.claim(ctx, asked, there)
		}
		var other *live.HeldError
		switch {
		case held != nil:
			return held, nil
		case errors.As(err, &other):
			return nil, err
		case err != nil && !passing(err):
			return nil, l.explain(err)
		}
		if over := l.pause(ctx, tagRetry); over != nil {
			if err == nil {
				err = over
			}
			return nil, l.explain(err)
		}
	}
}

// pause lets a time pass; the error is that of a ctx which ended before.
func (l *TagLock) pause(ctx context.Context, d time.Duration) error {
	over, stop := l.time.timer(d)
	defer stop()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// claim writes the tag of a lock that was free when it was asked for, lets others do the
// same, and reads back whose it is. Neither held nor an error: it has to be tried again.
func (l *TagLock) claim(ctx context.Context, asked stamp, there RunTag) (*TagHeld, error) {
	now := l.time.cloud()
	mine := RunTag{Holder: l.holder, Since: now, Until: now.Add(tagLease), Run: there.Run, At: there.At, id: l.id}
	sent := l.time.now()
	err := l.write(ctx, mine, func() bool { return l.time.now().since(asked) < tagGap })
	switch {
	case errors.Is(err, live.ErrNotSure):
		return nil, nil // too late after the read
	case err != nil && (!passing(err) || errors.Is(transport.Explain(err), transport.ErrThrottled)):
		return nil, err // not written
	} // of all others nobody knows whether they were written: it is read back as well
	if err := l.pause(ctx, tagSettle); err != nil {
		return nil, err
	}
	now = l.time.cloud()
	back, err := l.read(ctx)
	switch {
	case err != nil:
		return nil, err
	case back.id != l.id && back.Held(now):
		return nil, &live.HeldError{Holder: back.Holder, Since: back.Since}
	case back.id != l.id || l.time.now().since(sent) >= tagDeadline: // not there, or this machine slept
		return nil, nil
	}
	return l.hold(back, there, sent), nil
}

// hold keeps a lock that was taken.
func (l *TagLock) hold(mine, before RunTag, sent stamp) *TagHeld {
	ctx, cancel := context.WithCancel(context.Background())
	h := &TagHeld{l: l, cancel: cancel, finished: make(chan struct{}), lost: make(chan struct{}), asked: make(chan chan error), mark: mine, written: mine.Run, left: before, renewed: sent}
	go live.Guarded(func() {
		defer close(h.finished)
		h.keep(ctx)
	}, func(err error) {
		fmt.Fprintln(os.Stderr, "giving up the lock:", err)
		h.lose()
	})()
	return h
}

// read reads the tag now.
func (l *TagLock) read(ctx context.Context) (RunTag, error) {
	ctx, cancel := bounded(ctx, tagCall)
	defer cancel()
	in := &autoscaling.DescribeTagsInput{Filters: []types.Filter{
		{Name: aws.String("auto-scaling-group"), Values: []string{l.group}},
		{Name: aws.String("key"), Values: []string{RunTagKey}},
	}}
	pages := autoscaling.NewDescribeTagsPaginator(l.c.scaling, in)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return RunTag{}, err
		}
		for _, t := range page.Tags {
			if aws.ToString(t.Key) == RunTagKey && aws.ToString(t.ResourceId) == l.group {
				return parseRunTag(l.group, aws.ToString(t.Value))
			}
		}
	}
	return RunTag{}, nil
}

// write writes the tag, once, if sure still says so right before it is sent.
func (l *TagLock) write(ctx context.Context, t RunTag, sure func() bool) error {
	ctx, cancel := bounded(ctx, tagCall)
	defer cancel()
	_, err := l.c.scaling.CreateOrUpdateTags(live.WithPermit(ctx, sure), &autoscaling.CreateOrUpdateTagsInput{Tags: []types.Tag{l.tag(aws.String(t.String()))}}, once)
	return err
}

// remove takes the tag off, once, if sure still says so right before it is sent.
func (l *TagLock) remove(ctx context.Context, sure func() bool) error {
	ctx, cancel := bounded(ctx, tagCall)
	defer cancel()
	_, err := l.c.scaling.DeleteTags(live.WithPermit(ctx, sure), &autoscaling.DeleteTagsInput{Tags: []types.Tag{l.tag(nil)}}, once)
	return err
}

func (l *TagLock) tag(value *string) types.Tag {
	return types.Tag{
		ResourceId: &l.group, ResourceType: aws.String("auto-scaling-group"), Key: aws.String(RunTagKey),
		Value: value, PropagateAtLaunch: aws.Bool(false),
	}
}

// passing reports whether a call that failed may work a moment later, or may have worked:
// AWS throttles, has trouble itself, or does not answer.
func passing(err error) bool {
	said := transport.Explain(err)
	code, message := transport.Answered(err)
	switch {
	case errors.Is(said, transport.ErrExpired), errors.Is(said, transport.ErrNoCredentials), errors.Is(err, transport.ErrReadOnly):
		return false
	case code == "":
		return errors.Is(said, transport.ErrUnreachable)
	}
	refusal := refusalOf(code, message)
	return refusal == "" || refusal == record.RefusedBusy
}

// explain says why the lock could not be taken.
func (l *TagLock) explain(err error) error {
	return fmt.Errorf("take the lock of group %s (tag %s): %w", transport.Clean(l.group), RunTagKey, l.c.explain(err))
}
