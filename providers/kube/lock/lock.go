package lock

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/objects"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// The lease's times: a holder that has not renewed it for leaseDuration has lost
// it, and one that could not renew it for renewDeadline gives it up.
const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
	// acquireTimeout bounds Acquire; a dead holder's lease is taken well before.
	acquireTimeout = 4 * leaseDuration
)

// Lock is the lock of one group: a Lease beside its record. One process holds it
// at a time.
type Lock struct {
	c               *kube.Client
	namespace, name string
	identity        string
	// Waiting, if set, is called once when Acquire finds the lease of a holder
	// that may be dead: it will be taken over about until then unless the holder
	// shows a sign of life.
	Waiting func(holder string, until time.Time)
}

// New returns the lock of a group, whose record is in namespace. Nothing is taken yet.
func New(c *kube.Client, namespace, group string) *Lock {
	return &Lock{c: c, namespace: namespace, name: kube.RecordName(group), identity: Identity() + tagMark + rand.Text()[:6]}
}

// tagMark separates the part of a holder's identity for people from the one that
// tells apart two processes of the same user, host and pid (in containers).
const tagMark = " #"

// Identity is this process for people: "ann@laptop pid 4711".
func Identity() string {
	name := "unknown"
	if u, err := user.Current(); err == nil && u.Username != "" {
		name = u.Username
	} else if env := os.Getenv("USER"); env != "" {
		name = env
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s@%s pid %d", world.Clean(name), world.Clean(host), os.Getpid())
}

// Held is a lock that was acquired.
type Held struct {
	cancel   context.CancelFunc
	finished chan struct{} // the elector has ended
	lost     chan struct{}
	once     sync.Once
	lease    *watchedLock
}

// Lost is closed when the lock has been lost: the process must stop acting. It
// is not closed by Release.
func (h *Held) Lost() <-chan struct{} { return h.lost }

// Sure reports whether nobody else can hold the lock at this moment: it was renewed
// less than renewDeadline ago, by both clocks. The monotonic one stands still while a
// machine sleeps (Linux), the wall clock can be set back.
func (h *Held) Sure() bool {
	select {
	case <-h.lost:
		return false
	default:
		return h.lease.fresh()
	}
}

// Release gives the lock up, so that the next process need not wait for it to
// expire. It takes at most some seconds; all acting must have ended before.
func (h *Held) Release() {
	h.cancel()
	<-h.finished
	select {
	case <-h.lost: // another process's, or out of reach
	default:
		h.lease.letGo()
	}
}

// lose says that the lock is lost, and ends its renewals: a lease that was taken, and given
// back since, is not taken again.
func (h *Held) lose() {
	h.once.Do(func() { close(h.lost) })
	h.cancel()
}

// Acquire takes the lock. If another process holds it and renews it, it fails
// with a live.HeldError within seconds; the lease of a dead process is taken over
// when it has expired. The lock is held until Release, beyond the end of ctx.
func (l *Lock) Acquire(ctx context.Context) (*Held, error) {
	first, err := live.Retried(ctx, l.prepare)
	if err != nil {
		return nil, err
	}
	run, cancel := context.WithCancel(context.Background())
	h := &Held{cancel: cancel, finished: make(chan struct{}), lost: make(chan struct{})}
	seen := l.watched(h.lose)
	h.lease = seen
	got := make(chan struct{})
	go func() {
		defer close(h.finished)
		err := live.Caught(func() error {
			e := &elector{lock: seen}
			if e.acquire(run) {
				close(got)
				e.renew(run)
			}
			return nil
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, "the lock is given up:", err)
		}
		if err != nil || run.Err() == nil {
			h.lose()
		}
	}()
	if err := l.await(ctx, got, seen, first); err != nil {
		h.Release()
		return nil, err
	}
	return h, nil
}

// watched is the group's lease for this process; lost is called when another has taken it.
func (l *Lock) watched(lost func()) *watchedLock {
	return &watchedLock{lease: leaseObject{c: l.c, namespace: l.namespace, name: l.name}, identity: l.identity, news: make(chan struct{}, 1), lost: lost}
}

// await waits until the lock is got, or its holder shows a sign of life.
func (l *Lock) await(ctx context.Context, got <-chan struct{}, seen *watchedLock, first *coordinationv1.Lease) error {
	holder := holdingOf(&first.Spec)
	told := false
	ctx, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	for {
		if holder.holder != "" && holder.holder != l.identity && !told && l.Waiting != nil {
			told = true
			l.Waiting(people(holder.holder), l.c.Clock().Now().Add(holder.duration))
		}
		select {
		case <-ctx.Done():
			if _, err := seen.last(); err != nil {
				return fmt.Errorf("take the lock %s/%s: %w", l.namespace, l.name, l.c.Explain(err))
			}
			return fmt.Errorf("take the lock %s/%s: %w", l.namespace, l.name, l.c.Explain(ctx.Err()))
		case <-got:
			return nil
		case <-seen.news:
		}
		now, err := seen.last()
		if apierrors.IsForbidden(err) {
			return kube.Forbidden(err, "update", "coordination.k8s.io", "leases", l.namespace)
		}
		if now == nil || now.holder == "" || now.holder == l.identity {
			continue
		}
		if holder.holder == "" || !now.renewed.Equal(holder.renewed) {
			return &live.HeldError{Holder: people(now.holder), Since: now.acquired, Renewed: now.renewed}
		}
	}
}

// prepare makes the lease, free, if there is none, and with it the namespace.
func (l *Lock) prepare(ctx context.Context) (*coordinationv1.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	api := l.c.Urgent().Leases(l.namespace)
	for range 4 {
		lease, err := api.Get(ctx, l.name, metav1.GetOptions{})
		verb := "get"
		if apierrors.IsNotFound(err) {
			verb = "create"
			lease, err = api.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
				Namespace: l.namespace, Name: l.name, Labels: map[string]string{kube.ManagedBy: kube.ManagedByValue},
			}}, metav1.CreateOptions{})
		}
		switch {
		case err == nil:
			return lease, nil
		case apierrors.IsAlreadyExists(err):
		case apierrors.IsNotFound(err):
			if err := l.c.MakeNamespace(ctx, l.namespace, "run records"); err != nil {
				return nil, err
			}
		case apierrors.IsForbidden(err):
			return nil, kube.Forbidden(err, verb, "coordination.k8s.io", "leases", l.namespace)
		default:
			return nil, fmt.Errorf("take the lock %s/%s: %w", l.namespace, l.name, l.c.Explain(err))
		}
	}
	return nil, errors.New("take the lock " + l.namespace + "/" + l.name + ": it is repeatedly created and deleted")
}

// people is the part of a holder's identity that is for people.
func people(identity string) string {
	if i := strings.LastIndex(identity, tagMark); i > 0 {
		identity = identity[:i]
	}
	return objects.Sentence(identity)
}
