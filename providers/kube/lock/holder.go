package lock

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// holderEvery is how often a watcher asks who holds a lock.
const holderEvery = 10 * time.Second

// HolderFeed tells who holds the lock of a group. It implements live.Feed.
type HolderFeed struct {
	c               *kube.Client
	namespace, name string
	do              func(holder string)
}

var _ live.Feed = (*HolderFeed)(nil)

// NewHolderFeed follows the lock of a group: do is called with who holds it, as people
// name him, "" when nobody does or it may not be known, on the goroutine that
// applies the feed's changes.
func NewHolderFeed(c *kube.Client, namespace, group string, do func(holder string)) *HolderFeed {
	return &HolderFeed{c: c, namespace: namespace, name: kube.RecordName(group), do: do}
}

// Run asks every few seconds until ctx ends. Who may not read the lock is told
// nothing: that is a help, and nothing depends on it.
func (h *HolderFeed) Run(ctx context.Context, post func(live.Change)) error {
	tick := time.NewTicker(holderEvery)
	defer tick.Stop()
	told := ""
	for {
		lease, err := h.read(ctx)
		if apierrors.IsForbidden(err) {
			return nil
		}
		if holder := holderOf(lease, h.c.Clock().Now()); (err == nil || apierrors.IsNotFound(err)) && holder != told {
			told = holder
			post(func(*world.World) { h.do(holder) })
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (h *HolderFeed) read(ctx context.Context) (*coordinationv1.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	return h.c.API().Leases(h.namespace).Get(ctx, h.name, metav1.GetOptions{})
}

// Driver is the process that drives a run, by the lease of its lock.
type Driver struct {
	Holder string    // as people name it, "" if none drives the run now
	Heard  time.Time // when the lease was last renewed, zero if that is not known
	// Late is a holder whose lease has run out less than a minute ago, without having been given up. With
	// an unwell API it may renew it yet.
	Late string
}

// lateFor is how long after its last renewal a holder may come back.
const lateFor = time.Minute

// DriverOf reads who drives a group's run now. The error is a kube.ForbiddenError, or says that the API cannot
// be reached.
func DriverOf(ctx context.Context, c *kube.Client, namespace, group string) (Driver, error) {
	h := NewHolderFeed(c, namespace, group, nil)
	lease, err := live.Retried(ctx, func(ctx context.Context) (*coordinationv1.Lease, error) {
		lease, err := h.read(ctx)
		switch {
		case apierrors.IsNotFound(err):
			return nil, nil
		case apierrors.IsForbidden(err):
			return nil, kube.Forbidden(err, "get", "coordination.k8s.io", "leases", namespace)
		case err != nil:
			return nil, fmt.Errorf("read the lock %s/%s: %w", namespace, h.name, c.Explain(err))
		}
		return lease, nil
	})
	if err != nil || lease == nil || lease.Spec.RenewTime == nil {
		return Driver{}, err
	}
	now := c.Clock().Now()
	d := Driver{Holder: holderOf(lease, now), Heard: lease.Spec.RenewTime.Time}
	if id := lease.Spec.HolderIdentity; d.Holder == "" && id != nil && now.Sub(d.Heard) < lateFor {
		d.Late = people(*id)
	}
	return d, nil
}

// AwaitDriver is DriverOf, and reads again as long as the holder is late, until ctx ends. late is called
// once, when it begins to wait.
func AwaitDriver(ctx context.Context, c *kube.Client, namespace, group string, late func(Driver)) (Driver, error) {
	waits := false
	for {
		d, err := DriverOf(ctx, c, namespace, group)
		if err != nil || d.Late == "" {
			return d, err
		}
		if !waits {
			late(d)
			waits = true
		}
		if !awhile(ctx, retryPeriod) {
			return d, nil
		}
	}
}

// holderOf is who holds a lease that has not run out, "" if nobody does.
func holderOf(lease *coordinationv1.Lease, now time.Time) string {
	if lease == nil || lease.Spec.HolderIdentity == nil || lease.Spec.RenewTime == nil {
		return ""
	}
	if now.Sub(lease.Spec.RenewTime.Time) > leaseDuration {
		return ""
	}
	return people(*lease.Spec.HolderIdentity)
}
