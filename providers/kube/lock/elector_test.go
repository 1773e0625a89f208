package lock

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/drainboard/drainboard/engine/live"
)

// A lease can be shared with client-go's leader election, whose rules the elector has:
// each waits for the other, and takes over what the other has given up.
func TestLockBesideClientGo(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for leases to be renewed")
	}
	t.Parallel()
	s := newStore(t)
	s.Put("/api/v1/namespaces/drainboard", `{"metadata":{"name":"drainboard"}}`)
	l := New(s.Client, "drainboard", "ng-web")
	theirs, err := kubernetes.NewForConfig(&rest.Config{Host: s.host, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}) // the store knows no protobuf
	if err != nil {
		t.Fatal(err)
	}
	took := make(chan struct{})
	stand := func() (stop func()) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
				Lock: &resourcelock.LeaseLock{
					LeaseMeta: metav1.ObjectMeta{Namespace: "drainboard", Name: l.name}, Client: theirs.CoordinationV1(),
					LockConfig: resourcelock.ResourceLockConfig{Identity: "ann@laptop pid 7"},
				},
				ReleaseOnCancel: true, LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) { took <- struct{}{} }, OnStoppedLeading: func() {},
				},
			})
		}()
		return func() { cancel(); <-ended }
	}

	takes := func(what string) {
		t.Helper()
		select {
		case <-took:
		case <-time.After(2 * leaseDuration):
			t.Fatal(what)
		}
	}

	stop := stand()
	takes("client-go does not take a free lease")
	var by *live.HeldError
	if _, err := l.Acquire(t.Context()); !errors.As(err, &by) || by.Holder != "ann@laptop pid 7" {
		t.Errorf("beside a holder: %v", err)
	}
	stop()
	held, err := l.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stop = stand()
	defer func() { stop() }()
	select {
	case <-took:
		t.Error("taken while it was held")
	case <-held.Lost():
		t.Error("lost without a reason")
	case <-time.After(3 * retryPeriod):
	}
	if !held.Sure() {
		t.Error("not renewed")
	}
	held.Release()
	takes("not given up")
}
