package kube

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// A list that is not answered is given up soon, and asked for again; one that takes long gets
// its time in the end, and from then on.
func TestListsAreGivenUpInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		takes := time.Hour
		s := &source{resource: "pods", now: time.Now, changed: func() {},
			list: func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
				select {
				case <-time.After(takes):
					return &metav1.PartialObjectMetadataList{}, nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}}
		list := func() time.Duration {
			begin := time.Now()
			_, _ = s.ListWithContext(t.Context(), metav1.ListOptions{})
			return time.Since(begin)
		}
		for i, c := range []struct{ takes, want time.Duration }{
			{time.Hour, requestTimeout}, {time.Second, time.Second}, {time.Hour, requestTimeout}, {20 * time.Second, requestTimeout},
			{20 * time.Second, 20 * time.Second}, {20 * time.Second, 20 * time.Second}, {time.Second, time.Second}, {time.Hour, requestTimeout},
		} {
			if takes = c.takes; list() != c.want {
				t.Errorf("list %d of %s was not over after %s", i, c.takes, c.want)
			}
		}
	})
}

// A watch that is never answered is given up in time, and one that is open lasts.
func TestWatchIsOpenedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := false
		opened := watch.NewFake()
		var asked context.Context
		s := &source{resource: "pods", now: time.Now, changed: func() {},
			open: func(ctx context.Context, _ metav1.ListOptions) (watch.Interface, error) {
				if asked = ctx; answers {
					return opened, nil
				}
				<-ctx.Done()
				return nil, ctx.Err()
			}}
		begin := time.Now()
		if _, err := s.WatchWithContext(t.Context(), metav1.ListOptions{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a watch without an answer: %v", err)
		}
		if took := time.Since(begin); took != requestTimeout {
			t.Errorf("it was given up after %s", took)
		}
		if _, err := s.current(); !isTimeout(err) {
			t.Errorf("the source's error is %v", err)
		}

		answers = true
		w, err := s.WatchWithContext(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if asked.Err() != nil {
			t.Error("an open watch was given up")
		}
		w.Stop()
		if asked.Err() == nil {
			t.Error("a watch that is stopped continues")
		}
	})
}
