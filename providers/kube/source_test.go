package kube

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

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
			t.Error("a watch that is stopped goes on")
		}
	})
}
