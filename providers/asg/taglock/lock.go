package taglock

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
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// Times of a lock that is a tag.
//
// Tags know no condition: a later write wins, whatever was there. So nobody holds the lock
// by having written the tag, but by reading it back after settle, by when no write can
// still be on its way of a process that read the tag before ours was there: a write leaves
// within gap of the read that allows it, has call to arrive, and is read a second or
// two later. Of two that take it at once the later write is found by both.
//
// A holder stops acting deadline after it sent what renewed the tag last, and writes
// nothing from then on; others take the lock over after lease, and settle before they act.
const (
	lease    = 45 * time.Second
	deadline = 30 * time.Second
	renewal  = 10 * time.Second
	retry    = 2 * time.Second
	gap      = time.Second
	call     = 3 * time.Second
	settle   = 6 * time.Second
	// acquireTimeout bounds Acquire: a dead holder's lock is taken well before.
	acquireTimeout = 2 * lease
	// releaseTimeout bounds Release.
	releaseTimeout = 2 * call
)

// Lock is the lock of one group where there is no Kubernetes: a tag on the group. One
// process holds it at a time.
type Lock struct {
	c             *asg.Client
	group         string
	holder, place string
	id            string
	time          times
	// Waiting, if set, is called once when Acquire finds the lock of a holder that may be
	// dead: it will be taken over at until unless the holder shows a sign of life.
	Waiting func(holder string, until time.Time)
}

// times is where a Lock has its time from: both clocks of this machine (mono with a
// monotonic reading, wall without one), that of the cloud, and a timer. Tests have their
// own.
type times struct {
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

// New returns the lock of a group. holder is this process for people, place where it
// keeps its record: user@host. Nothing is taken yet.
func New(c *asg.Client, group, holder, place string) *Lock {
	return &Lock{
		c: c, group: group, holder: holder, place: place, id: rand.Text()[:8],
		time: times{
			now: func() stamp {
				now := time.Now()
				return stamp{now, now.Round(0)}
			},
			cloud: c.Clock().Now,
			timer: func(d time.Duration) (<-chan time.Time, func()) {
				t := time.NewTimer(d)
				return t.C, func() { t.Stop() }
			},
		},
	}
}

// Acquire takes the lock. If another process holds it and renews it, it fails with a
// live.HeldError within seconds; that of a dead process is taken over when its time is
// over. It takes settle at least. The lock is held until Release, beyond the end of ctx.
func (l *Lock) Acquire(ctx context.Context) (*Held, error) {
	ctx, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	var seen Tag // of another process, when it was first read
	for {
		var held *Held
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
		if over := l.pause(ctx, retry); over != nil {
			if err == nil {
				err = over
			}
			return nil, l.explain(err)
		}
	}
}

// pause lets a time pass; the error is that of a ctx which ended before.
func (l *Lock) pause(ctx context.Context, d time.Duration) error {
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
func (l *Lock) claim(ctx context.Context, asked stamp, there Tag) (*Held, error) {
	now := l.time.cloud()
	mine := Tag{Holder: l.holder, Since: now, Until: now.Add(lease), Run: there.Run, At: there.At, id: l.id}
	sent := l.time.now()
	err := l.write(ctx, mine, func() bool { return l.time.now().since(asked) < gap })
	switch {
	case errors.Is(err, live.ErrNotSure):
		return nil, nil // too late after the read
	case err != nil && (!passing(err) || errors.Is(transport.Explain(err), transport.ErrThrottled)):
		return nil, err // not written
	} // of all others nobody knows whether they were written: it is read back as well
	if err := l.pause(ctx, settle); err != nil {
		return nil, err
	}
	now = l.time.cloud()
	back, err := l.read(ctx)
	switch {
	case err != nil:
		return nil, err
	case back.id != l.id && back.Held(now):
		return nil, &live.HeldError{Holder: back.Holder, Since: back.Since}
	case back.id != l.id || l.time.now().since(sent) >= deadline: // not there, or this machine slept
		return nil, nil
	}
	return l.hold(back, there, sent), nil
}

// hold keeps a lock that was taken.
func (l *Lock) hold(mine, before Tag, sent stamp) *Held {
	ctx, cancel := context.WithCancel(context.Background())
	h := &Held{l: l, cancel: cancel, finished: make(chan struct{}), lost: make(chan struct{}), asked: make(chan chan error), mark: mine, written: mine.Run, left: before, renewed: sent}
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
func (l *Lock) read(ctx context.Context) (Tag, error) {
	ctx, cancel := transport.Bounded(ctx, call)
	defer cancel()
	in := &autoscaling.DescribeTagsInput{Filters: []types.Filter{
		{Name: aws.String("auto-scaling-group"), Values: []string{l.group}},
		{Name: aws.String("key"), Values: []string{Key}},
	}}
	pages := autoscaling.NewDescribeTagsPaginator(l.c.AutoScaling(), in)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return Tag{}, err
		}
		for _, t := range page.Tags {
			if aws.ToString(t.Key) == Key && aws.ToString(t.ResourceId) == l.group {
				return parse(l.group, aws.ToString(t.Value))
			}
		}
	}
	return Tag{}, nil
}

// write writes the tag, once, if sure still says so right before it is sent.
func (l *Lock) write(ctx context.Context, t Tag, sure func() bool) error {
	ctx, cancel := transport.Bounded(ctx, call)
	defer cancel()
	_, err := l.c.AutoScaling().CreateOrUpdateTags(live.WithPermit(ctx, sure), &autoscaling.CreateOrUpdateTagsInput{Tags: []types.Tag{l.tag(aws.String(t.String()))}}, transport.Once)
	return err
}

// remove takes the tag off, once, if sure still says so right before it is sent.
func (l *Lock) remove(ctx context.Context, sure func() bool) error {
	ctx, cancel := transport.Bounded(ctx, call)
	defer cancel()
	_, err := l.c.AutoScaling().DeleteTags(live.WithPermit(ctx, sure), &autoscaling.DeleteTagsInput{Tags: []types.Tag{l.tag(nil)}}, transport.Once)
	return err
}

func (l *Lock) tag(value *string) types.Tag {
	return types.Tag{
		ResourceId: &l.group, ResourceType: aws.String("auto-scaling-group"), Key: aws.String(Key),
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
	refusal := transport.Refusal(code, message)
	return refusal == "" || refusal == record.RefusedBusy
}

// explain says why the lock could not be taken.
func (l *Lock) explain(err error) error {
	return fmt.Errorf("take the lock of group %s (tag %s): %w", transport.Clean(l.group), Key, l.c.Explain(err))
}
