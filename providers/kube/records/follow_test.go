package records

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// The watch of a record does not wait without end for an API that never answers.
func TestSilentAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := kube.Open(kubetest.Silent(), "test")
		if err != nil {
			t.Fatal(err)
		}
		s := source(c, "drainboard", "ng-web")
		s.Changed = func() {}
		begin := time.Now()
		if _, err := s.WatchWithContext(context.WithoutCancel(t.Context()), metav1.ListOptions{}); !transport.IsTimeout(err) || time.Since(begin) != transport.RequestTimeout {
			t.Errorf("it was given up after %s: %v", time.Since(begin), err)
		}
	})
}
