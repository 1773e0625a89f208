package kube

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
)

const (
	// heardRate and heardBurst bound how many commands are taken from elsewhere: in a
	// second, and at once.
	heardRate, heardBurst = 2, 8
	// removedAtOnce is how many objects that are over are removed in one round.
	removedAtOnce = 5
	// lettersPage is how many objects are asked for at once: each may be large.
	lettersPage = 50
	// earRetry is the pause before what could not be done is tried again, earIdle how
	// often it is looked for what is over.
	earRetry, earIdle = 250 * time.Millisecond, 5 * time.Second
	// lastWords bounds the answers that are still to be written when listening ends.
	lastWords = 5 * time.Second
)

// Ear hears the commands that others give to the run that this process drives, and
// answers them. Set its fields before Listen.
type Ear struct {
	// By is who drives the run, for the answers.
	By string
	// Send hands a command to the run; false if it cannot take it now.
	Send func(engine.Command) bool
	// Deaf is called, once, when commands cannot be heard, with the reason.
	Deaf func(why string)

	c                *Client
	namespace, group string
	source           *source
	feed             *Feed

	mu      sync.Mutex
	letters map[string]*letter    // all that there are, by name
	sent    map[string]bool       // the run has them
	acks    map[string]engine.Ack // to be written
	wake    chan struct{}         // of one
	limit   flowcontrol.RateLimiter
	deaf    sync.Once
}

// Ear returns the ear of a group's driver; namespace is that of the records.
func (c *Client) Ear(namespace, group string) *Ear {
	return &Ear{
		c: c, namespace: CommandsNamespace(namespace), group: RecordName(group),
		letters: map[string]*letter{}, sent: map[string]bool{}, acks: map[string]engine.Ack{},
		wake: make(chan struct{}, 1), limit: flowcontrol.NewTokenBucketRateLimiter(heardRate, heardBurst),
	}
}

// Listen begins to hear commands, until stop is called, which waits until the answers
// given so far are written, a few seconds at most.
func (e *Ear) Listen(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		if err := live.Caught(func() error { e.run(ctx); return nil }); err != nil {
			e.tellDeaf(err.Error())
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// Acknowledge answers commands. It does not block, and any goroutine may call it.
func (e *Ear) Acknowledge(acks []engine.Ack) {
	e.mu.Lock()
	for _, a := range acks {
		e.acks[a.ID] = a
	}
	e.mu.Unlock()
	e.nudge()
}

func (e *Ear) nudge() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

func (e *Ear) tellDeaf(why string) { e.deaf.Do(func() { e.Deaf(why) }) }

func (e *Ear) run(ctx context.Context) {
	if !e.may(ctx) {
		return
	}
	e.follow()
	var following sync.WaitGroup
	defer following.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	following.Go(func() {
		err := live.Caught(func() error { e.feed.run[0].RunWithContext(ctx); return nil })
		if err != nil {
			e.tellDeaf(err.Error())
		}
	})
	for {
		wait := earIdle
		if !e.round(ctx) {
			wait = earRetry
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
			defer cancel()
			e.answer(last)
			return
		case <-e.wake:
		case <-e.feed.kick: // the watch was opened, or refused
			var missing *ForbiddenError
			if _, err := e.source.current(); errors.As(err, &missing) {
				e.tellDeaf(missing.Error())
			}
		case <-timer.C:
		}
		timer.Stop()
	}
}

// may waits until it is known whether this user may hear commands.
func (e *Ear) may(ctx context.Context) bool {
	for {
		missing, err := e.c.Check(ctx, earRights(e.namespace))
		if len(missing) > 0 {
			e.tellDeaf((&ForbiddenError{Right: missing[0]}).Error())
			return false
		}
		if err == nil {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(earIdle):
		}
	}
}

// follow sets up the watch of the group's commands.
func (e *Ear) follow() {
	e.feed = &Feed{c: e.c, kick: make(chan struct{}, 1)}
	api := e.c.api.CoreV1().ConfigMaps(e.namespace)
	e.source = &source{
		namespace: e.namespace,
		list: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.LabelSelector = groupMark + "=" + e.group
			return api.List(ctx, o)
		},
		open: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector = groupMark + "=" + e.group
			return api.Watch(ctx, o)
		},
	}
	follow(e.feed, &corev1.ConfigMap{}, e.source, &mirror[letter]{
		kind: "configmaps", key: byBareName,
		slim: slimming(slimCommand), convert: converting(toLetter),
		emit: func(changed []*letter, gone []string) {
			e.mu.Lock()
			for _, name := range gone {
				delete(e.letters, name)
				delete(e.sent, name)
			}
			for _, l := range changed {
				e.letters[l.name] = l
			}
			e.mu.Unlock()
			e.nudge()
		},
	})
	e.feed.run[0].WatchListPageSize = lettersPage
}

// round does what there is to do. It reports whether all of it is done.
func (e *Ear) round(ctx context.Context) bool {
	done := e.hear(ctx)
	done = e.answer(ctx) && done
	return e.remove(ctx) && done
}

// hear hands commands to the run, the oldest first, once each is marked as heard: who
// gave it cannot take it back from then on. What is no command is refused.
func (e *Ear) hear(ctx context.Context) (done bool) {
	now := e.c.clock.Now()
	e.mu.Lock()
	letters := slices.DeleteFunc(e.oldest(), func(l *letter) bool { return l.answer != nil || e.sent[l.name] || l.over(now) })
	e.mu.Unlock()
	for _, l := range letters {
		if ctx.Err() != nil || !e.limit.TryAccept() {
			return false
		}
		taken, lost := true, false
		if l.bad == "" && l.heard == "" {
			taken, lost = e.take(ctx, l)
		}
		if !taken && !lost || taken && l.bad == "" && !e.Send(l.command) {
			return false
		}
		e.mu.Lock()
		if l.bad != "" {
			e.acks[l.name] = engine.Ack{ID: l.name, At: now, Words: "it is no command: " + l.bad}
		}
		e.sent[l.name] = true
		e.mu.Unlock()
	}
	return true
}

// take marks a letter as heard. lost: it was taken back before, or can never be marked.
// Neither: that is not known, or somebody has labelled it, and it is tried again.
func (e *Ear) take(ctx context.Context, l *letter) (taken, lost bool) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	marked := *l
	marked.heard = e.By
	m, err := marked.object(e.namespace, e.group)
	if err == nil {
		m, err = e.c.urgent.CoreV1().ConfigMaps(e.namespace).Update(ctx, m, metav1.UpdateOptions{})
	}
	switch {
	case err == nil:
		e.mu.Lock()
		if e.letters[l.name] == l { // and not what the watch tells of it by now
			e.letters[l.name] = toLetter(m)
		}
		e.mu.Unlock()
		return true, false
	case apierrors.IsForbidden(err):
		e.tellDeaf(forbidden(err, "update", "", "configmaps", e.namespace).Error())
		return false, true
	}
	return false, apierrors.IsNotFound(err) || apierrors.IsInvalid(err) // the last: somebody made it immutable
}

// oldest are the letters in the order in which they were given.
func (e *Ear) oldest() []*letter {
	return slices.SortedFunc(maps.Values(e.letters), func(a, b *letter) int {
		return cmp.Or(a.given.Compare(b.given), cmp.Compare(a.name, b.name))
	})
}

// answer writes the answers.
func (e *Ear) answer(ctx context.Context) (done bool) {
	e.mu.Lock()
	acks := slices.SortedFunc(maps.Values(e.acks), func(a, b engine.Ack) int { return a.At.Compare(b.At) })
	e.mu.Unlock()
	done = true
	for _, a := range acks {
		if ctx.Err() != nil {
			return false
		}
		e.mu.Lock()
		l := e.letters[a.ID]
		e.mu.Unlock()
		if l != nil && l.answer == nil && !e.write(ctx, *l, a) {
			done = false
			continue
		}
		e.mu.Lock()
		delete(e.acks, a.ID)
		e.mu.Unlock()
	}
	return done
}

// write writes one answer. It reports whether there is nothing more to be done for it.
func (e *Ear) write(ctx context.Context, l letter, a engine.Ack) bool {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	api := e.c.urgent.CoreV1().ConfigMaps(e.namespace)
	l.answer = &Answer{At: a.At, By: e.By, Obeyed: a.Obeyed, Words: a.Words}
	m, err := l.object(e.namespace, e.group)
	if err == nil {
		_, err = api.Update(ctx, m, metav1.UpdateOptions{})
	}
	if apierrors.IsConflict(err) { // somebody has labelled it
		var now *corev1.ConfigMap
		if now, err = api.Get(ctx, l.name, metav1.GetOptions{}); err == nil {
			m.ResourceVersion, m.UID = now.ResourceVersion, now.UID
			_, err = api.Update(ctx, m, metav1.UpdateOptions{})
		}
	}
	switch {
	case err == nil, apierrors.IsNotFound(err), apierrors.IsInvalid(err): // the last: somebody made it immutable
		return true
	case apierrors.IsForbidden(err):
		e.tellDeaf(forbidden(err, "update", "", "configmaps", e.namespace).Error())
		return true
	}
	return false
}

// remove deletes what is over: whoever gave it has gone.
func (e *Ear) remove(ctx context.Context) (done bool) {
	now := e.c.clock.Now()
	e.mu.Lock()
	old := slices.DeleteFunc(e.oldest(), func(l *letter) bool { return !l.over(now) })
	e.mu.Unlock()
	for i, l := range old {
		if i == removedAtOnce {
			return false
		}
		if err := e.c.removeLetter(ctx, e.namespace, l); err != nil {
			return true // there is no hurry
		}
	}
	return true
}

// removeLetter deletes a letter, if it is still the one that was read.
func (c *Client) removeLetter(ctx context.Context, namespace string, l *letter) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := c.urgent.CoreV1().ConfigMaps(namespace).Delete(ctx, l.name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &l.uid, ResourceVersion: &l.version}})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
