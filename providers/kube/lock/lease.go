package lock

import (
	"context"
	"errors"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/providers/kube"
)

// holding is what a lease says of its holder.
type holding struct {
	holder            string // "" for nobody
	duration          time.Duration
	acquired, renewed time.Time // by the holder's clock
	transitions       int32
}

// same reports whether two holdings are one: a holder that renews changes it.
func (h holding) same(as holding) bool {
	return h.holder == as.holder && h.duration == as.duration && h.transitions == as.transitions &&
		h.acquired.Equal(as.acquired) && h.renewed.Equal(as.renewed)
}

// holdingOf is what a lease says; what it does not say is zero.
func holdingOf(spec *coordinationv1.LeaseSpec) (h holding) {
	if spec.HolderIdentity != nil {
		h.holder = *spec.HolderIdentity
	}
	if spec.LeaseDurationSeconds != nil {
		h.duration = time.Duration(*spec.LeaseDurationSeconds) * time.Second
	}
	if spec.LeaseTransitions != nil {
		h.transitions = *spec.LeaseTransitions
	}
	if spec.AcquireTime != nil {
		h.acquired = spec.AcquireTime.Time
	}
	if spec.RenewTime != nil {
		h.renewed = spec.RenewTime.Time
	}
	return h
}

// spec is a holding as a lease says it; a lease knows no time below a microsecond.
func (h holding) spec() coordinationv1.LeaseSpec {
	seconds := int32(h.duration / time.Second)
	acquired, renewed := metav1.NewMicroTime(h.acquired), metav1.NewMicroTime(h.renewed)
	spec := coordinationv1.LeaseSpec{LeaseDurationSeconds: &seconds, LeaseTransitions: &h.transitions, AcquireTime: &acquired, RenewTime: &renewed}
	if h.holder != "" {
		spec.HolderIdentity = &h.holder
	}
	return spec
}

// leaseObject is a lease in the cluster. What it writes is based on what it read or wrote
// last: if another process wrote meanwhile, the API refuses.
type leaseObject struct {
	c               *kube.Client
	namespace, name string
	last            *coordinationv1.Lease
}

func (l *leaseObject) get(ctx context.Context) (holding, error) {
	lease, err := l.c.Urgent().Leases(l.namespace).Get(ctx, l.name, metav1.GetOptions{})
	if err != nil {
		return holding{}, err
	}
	l.last = lease
	return holdingOf(&lease.Spec), nil
}

// create makes the lease, held as h says.
func (l *leaseObject) create(ctx context.Context, h holding) error {
	lease, err := l.c.Urgent().Leases(l.namespace).Create(ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: l.namespace, Name: l.name, Labels: map[string]string{kube.ManagedBy: kube.ManagedByValue}},
		Spec:       h.spec(),
	}, metav1.CreateOptions{})
	if err == nil {
		l.last = lease
	}
	return err
}

func (l *leaseObject) update(ctx context.Context, h holding) error {
	if l.last == nil {
		return errors.New("the lease was never read")
	}
	lease := l.last.DeepCopy()
	lease.Spec = h.spec()
	if lease.Labels == nil {
		lease.Labels = map[string]string{}
	}
	lease.Labels[kube.ManagedBy] = kube.ManagedByValue
	lease, err := l.c.Urgent().Leases(l.namespace).Update(ctx, lease, metav1.UpdateOptions{})
	if err == nil {
		l.last = lease
	}
	return err
}
