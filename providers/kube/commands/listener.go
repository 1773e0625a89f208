package commands

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
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/mirror"
)

const (
	// heardRate and heardBurst bound how many commands are taken from elsewhere: in a
	// second, and at once.
	heardRate, heardBurst = 2, 8
	// removedAtOnce is how many objects that are over are removed in one round.
	removedAtOnce = 5
	// commandsPage is how many objects are asked for at once: each may be large.
	commandsPage = 50
	// earRetry is the pause before what could not be done is tried again, earIdle how
	// often expired commands are removed.
	earRetry, earIdle = 250 * time.Millisecond, 5 * time.Second
	// answerLimit is how long the answer to one request for a command's object is waited for.
	answerLimit = 3 * time.Second
	// lastWords bounds the answers that are still to be written when listening ends.
	lastWords = 5 * time.Second
)

// Listener hears the commands that others give to the run that this process drives, and
// answers them. Set its fields before Listen.
type Listener struct {
	// By is who drives the run, for the answers.
	By string
	// Send hands a command to the run; false if it cannot take it now.
	Send func(record.Command) bool
	// Unheard is called, once, when commands cannot be heard, with the reason.
	Unheard func(why string)

	c                *kube.Client
	rights           []kube.Right // that it takes to listen
	namespace, group string
	source           *mirror.Source
	changed          chan struct{} // of one: what the source is like may have changed
	reflector        *cache.Reflector
	policy           byPolicy

	mu       sync.Mutex
	commands map[string]*commandObject // all that there are, by name
	sent     map[string]bool           // the run has them
	acks     map[string]record.Ack     // to be written
	wake     chan struct{}             // of one
	limit    flowcontrol.RateLimiter
	unheard  sync.Once
}

// NewListener returns the listener of a group's driver; namespace is that of the records.
func NewListener(c *kube.Client, namespace, group string) *Listener {
	return &Listener{
		c: c, rights: kube.EarRights(namespace), namespace: kube.CommandsNamespace(namespace), group: kube.RecordName(group),
		policy:   byPolicy{c: c, namespace: kube.CommandsNamespace(namespace), group: kube.RecordName(group)},
		commands: map[string]*commandObject{}, sent: map[string]bool{}, acks: map[string]record.Ack{},
		wake: make(chan struct{}, 1), changed: make(chan struct{}, 1), limit: flowcontrol.NewTokenBucketRateLimiter(heardRate, heardBurst),
	}
}

// Listen begins to hear commands, until stop is called, which waits until the answers
// given so far are written, a few seconds at most.
func (e *Listener) Listen(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		if err := live.Caught(func() error { e.run(ctx); return nil }); err != nil {
			e.reportUnheard(err.Error())
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// Acknowledge answers commands. It does not block, and any goroutine may call it.
func (e *Listener) Acknowledge(acks []record.Ack) {
	e.mu.Lock()
	for _, a := range acks {
		e.acks[a.ID] = a
	}
	e.mu.Unlock()
	e.nudge()
}

func (e *Listener) nudge() { poke(e.wake) }

// poke wakes who waits for a channel of one.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (e *Listener) reportUnheard(why string) { e.unheard.Do(func() { e.Unheard(why) }) }

func (e *Listener) run(ctx context.Context) {
	if !e.may(ctx) {
		return
	}
	e.policy.look(ctx) // what is given after it may be held
	e.follow()
	var following sync.WaitGroup
	defer following.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	following.Go(func() {
		err := live.Caught(func() error { e.reflector.RunWithContext(ctx); return nil })
		if err != nil {
			e.reportUnheard(err.Error())
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
		case <-e.changed: // the watch was opened, or refused
			var missing *kube.ForbiddenError
			if _, err := e.source.Current(); errors.As(err, &missing) {
				e.reportUnheard(missing.Error())
			}
		case <-timer.C:
		}
		timer.Stop()
	}
}

// may waits until it is known whether this user may hear commands.
func (e *Listener) may(ctx context.Context) bool {
	for {
		missing, err := e.c.Check(ctx, e.rights)
		if len(missing) > 0 {
			e.reportUnheard((&kube.ForbiddenError{Right: missing[0]}).Error())
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
func (e *Listener) follow() {
	api := e.c.API().ConfigMaps(e.namespace)
	e.source = &mirror.Source{
		Resource: "configmaps", Namespace: e.namespace,
		List: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.LabelSelector = groupMark + "=" + e.group
			return api.List(ctx, o)
		},
		Watch: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector = groupMark + "=" + e.group
			return api.Watch(ctx, o)
		},
		Now: e.c.Clock().Now, Changed: func() { poke(e.changed) },
	}
	e.reflector = mirror.Reflector(&corev1.ConfigMap{}, e.source, &mirror.Mirror[commandObject]{
		Key: mirror.ByBareName, Slim: mirror.Slimming(slimCommand), Convert: mirror.Converting(commandObjectOf),
		Emit: func(changed []*commandObject, gone []string) {
			e.mu.Lock()
			for _, name := range gone {
				delete(e.commands, name)
				delete(e.sent, name)
			}
			for _, l := range changed {
				e.commands[l.name] = l
			}
			e.mu.Unlock()
			e.nudge()
		},
	}, commandsPage)
}

// round does what there is to do. It reports whether all of it is done.
func (e *Listener) round(ctx context.Context) bool {
	done := e.hear(ctx)
	done = e.answer(ctx) && done
	return e.remove(ctx) && done
}

// hear hands commands to the run, what stops it before all others and past the limit, then the
// oldest first, once each is marked as heard: who
// gave it cannot take it back from then on. What is no command is refused.
func (e *Listener) hear(ctx context.Context) (done bool) {
	now := e.c.Clock().Now()
	e.mu.Lock()
	letters := slices.DeleteFunc(e.oldest(), func(l *commandObject) bool { return l.answer != nil || e.sent[l.name] || l.over(now) })
	e.mu.Unlock()
	slices.SortStableFunc(letters, func(a, b *commandObject) int { return cmp.Compare(b.urgent(), a.urgent()) })
	claimed := e.claimed(ctx)
	for _, l := range letters {
		if ctx.Err() != nil || l.urgent() == 0 && !e.limit.TryAccept() {
			return false
		}
		taken, lost := true, false
		if l.bad == "" && l.heard == "" {
			taken, lost = e.take(ctx, l)
		}
		if !taken && !lost || taken && l.bad == "" && !e.Send(claimed(l)) {
			return false
		}
		e.mu.Lock()
		if l.bad != "" {
			e.acks[l.name] = record.Ack{ID: l.name, At: now, Answer: "not a command: " + l.bad}
		}
		e.sent[l.name] = true
		e.mu.Unlock()
	}
	return true
}

// claimed returns a function for the letters that there are by now: the command of one, and
// whether its sender's name is held. Only the first call asks the API.
func (e *Listener) claimed(ctx context.Context) func(*commandObject) record.Command {
	held := sync.OnceValue(func() func(time.Time) bool {
		since, held := e.policy.look(ctx)
		return func(given time.Time) bool { return held && given.After(since) }
	})
	return func(l *commandObject) record.Command {
		c := l.command
		c.Claimed = !held()(c.At)
		return c
	}
}

// take marks a letter as heard. lost: it was taken back before, or can never be marked.
// Neither: that is unknown, or a user has labelled it, and it is retried.
func (e *Listener) take(ctx context.Context, l *commandObject) (taken, lost bool) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	marked := *l
	marked.heard = e.By
	m, err := marked.object(e.namespace, e.group)
	if err == nil {
		m, err = e.c.Urgent().ConfigMaps(e.namespace).Update(ctx, m, metav1.UpdateOptions{})
	}
	switch {
	case err == nil:
		e.mu.Lock()
		if e.commands[l.name] == l { // and not what the watch tells of it by now
			e.commands[l.name] = commandObjectOf(m)
		}
		e.mu.Unlock()
		return true, false
	case apierrors.IsForbidden(err):
		e.reportUnheard(kube.Forbidden(err, "update", "", "configmaps", e.namespace).Error())
		return false, true
	}
	return false, apierrors.IsNotFound(err) || apierrors.IsInvalid(err) // the last: it was made immutable
}

// oldest are the letters in the order in which they were given.
func (e *Listener) oldest() []*commandObject {
	return slices.SortedFunc(maps.Values(e.commands), func(a, b *commandObject) int {
		return cmp.Or(a.given.Compare(b.given), cmp.Compare(a.name, b.name))
	})
}

// answer writes the answers.
func (e *Listener) answer(ctx context.Context) (done bool) {
	e.mu.Lock()
	acks := slices.SortedFunc(maps.Values(e.acks), func(a, b record.Ack) int { return a.At.Compare(b.At) })
	e.mu.Unlock()
	done = true
	for _, a := range acks {
		if ctx.Err() != nil {
			return false
		}
		e.mu.Lock()
		l := e.commands[a.ID]
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
func (e *Listener) write(ctx context.Context, l commandObject, a record.Ack) bool {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	api := e.c.Urgent().ConfigMaps(e.namespace)
	l.answer = &Answer{At: a.At, By: e.By, Obeyed: a.Accepted, Words: a.Answer}
	m, err := l.object(e.namespace, e.group)
	if err == nil {
		_, err = api.Update(ctx, m, metav1.UpdateOptions{})
	}
	if apierrors.IsConflict(err) { // a user has labelled it
		var now *corev1.ConfigMap
		if now, err = api.Get(ctx, l.name, metav1.GetOptions{}); err == nil {
			m.ResourceVersion, m.UID = now.ResourceVersion, now.UID
			_, err = api.Update(ctx, m, metav1.UpdateOptions{})
		}
	}
	switch {
	case err == nil, apierrors.IsNotFound(err), apierrors.IsInvalid(err): // the last: it was made immutable
		return true
	case apierrors.IsForbidden(err):
		e.reportUnheard(kube.Forbidden(err, "update", "", "configmaps", e.namespace).Error())
		return true
	}
	return false
}

// remove deletes what is over: the process that gave it has gone.
func (e *Listener) remove(ctx context.Context) (done bool) {
	now := e.c.Clock().Now()
	e.mu.Lock()
	old := slices.DeleteFunc(e.oldest(), func(l *commandObject) bool { return !l.over(now) })
	e.mu.Unlock()
	for i, l := range old {
		if i == removedAtOnce {
			return false
		}
		if err := removeCommand(ctx, e.c, e.namespace, l); err != nil {
			return true // there is no hurry
		}
	}
	return true
}

// removeCommand deletes a letter, if it is still the one that was read.
func removeCommand(ctx context.Context, c *kube.Client, namespace string, l *commandObject) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	err := c.Urgent().ConfigMaps(namespace).Delete(ctx, l.name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &l.uid, ResourceVersion: &l.version}})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
