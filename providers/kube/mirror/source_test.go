package mirror

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// A list that is not answered is given up soon, and asked for again; one that takes long gets
// its time in the end, and from then on.
func TestListsAreGivenUpInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		takes := time.Hour
		s := &Source{Resource: "pods", Now: time.Now, Changed: func() {},
			List: func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
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
			{time.Hour, transport.RequestTimeout}, {time.Second, time.Second}, {time.Hour, transport.RequestTimeout}, {20 * time.Second, transport.RequestTimeout},
			{20 * time.Second, 20 * time.Second}, {20 * time.Second, 20 * time.Second}, {time.Second, time.Second}, {time.Hour, transport.RequestTimeout},
		} {
			if takes = c.takes; list() != c.want {
				t.Errorf("list %d of %s was not over after %s", i, c.takes, c.want)
			}
		}
	})
}

// sender is a transport.
type sender func(*http.Request) (*http.Response, error)

func (s sender) RoundTrip(r *http.Request) (*http.Response, error) { return s(r) }

// No request waits without end for an API that never answers, though its caller sets no limit; a
// watch that is open lasts until it is stopped.
func TestSilentAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := false
		var asked context.Context
		c, err := kube.Open(&rest.Config{Host: "http://silent", Transport: sender(func(r *http.Request) (*http.Response, error) {
			if asked = r.Context(); answers {
				body, w := io.Pipe() // says nothing, and stays open
				context.AfterFunc(asked, func() { _ = w.CloseWithError(asked.Err()) })
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body, Request: r}, nil
			}
			<-asked.Done()
			return nil, asked.Err()
		})}, "test")
		if err != nil {
			t.Fatal(err)
		}
		maps, ctx := c.Urgent().ConfigMaps("shop"), context.WithoutCancel(t.Context())
		s := &Source{Resource: "configmaps", Now: time.Now, Changed: func() {}, Watch: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return maps.Watch(ctx, o) }}
		for _, c := range []struct {
			name  string
			limit time.Duration
			do    func() error
		}{
			{"get", transport.RequestTimeout, func() error { _, err := maps.Get(ctx, "a", metav1.GetOptions{}); return err }},
			{"create", transport.RequestTimeout, func() error { _, err := maps.Create(ctx, &corev1.ConfigMap{}, metav1.CreateOptions{}); return err }},
			{"delete", transport.RequestTimeout, func() error { return maps.Delete(ctx, "a", metav1.DeleteOptions{}) }},
			{"list", transport.ListTimeout, func() error { _, err := maps.List(ctx, metav1.ListOptions{}); return err }},
			{"watch", transport.RequestTimeout, func() error { _, err := maps.Watch(ctx, metav1.ListOptions{}); return err }},
			{"a source's watch", transport.RequestTimeout, func() error { _, err := s.WatchWithContext(ctx, metav1.ListOptions{}); return err }},
			{"an object of a kind of others", transport.ListTimeout, func() error {
				_, err := c.Dynamic().Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace("shop").Get(ctx, "a", metav1.GetOptions{})
				return err
			}},
		} {
			begin := time.Now()
			if err := c.do(); !transport.IsTimeout(err) {
				t.Errorf("%s: %v", c.name, err)
			}
			if took := time.Since(begin); took != c.limit {
				t.Errorf("%s was given up after %s", c.name, took)
			}
		}
		if _, err := s.Current(); !transport.IsTimeout(err) {
			t.Errorf("the source's error is %v", err)
		}
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		begin := time.Now()
		if _, err := maps.Get(short, "a", metav1.GetOptions{}); err == nil || time.Since(begin) != time.Second {
			t.Errorf("the caller's own limit: %v after %s", err, time.Since(begin))
		}

		answers = true
		w, err := s.WatchWithContext(ctx, metav1.ListOptions{})
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
