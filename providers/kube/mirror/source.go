package mirror

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// Source lists and watches one kind for a reflector, and knows whether what was
// read is up to date: listed in full, and a watch open since. Set its fields before Reflector.
type Source struct {
	Group     string // of the API, "" for the core
	Resource  string // for errors: "pods"
	Namespace string // "" for all
	List      func(context.Context, metav1.ListOptions) (runtime.Object, error)
	Watch     func(context.Context, metav1.ListOptions) (watch.Interface, error)
	// Now is the cluster's time.
	Now func() time.Time
	// Changed is told whenever Current may have changed. It must not block.
	Changed func()

	mu       sync.Mutex
	asked    time.Time // when the last list was asked for
	listed   bool
	watching *watched // the open watch, nil when there is none
	ever     bool     // was current at least once
	silent   int      // lists in a row that were not answered in time
	err      error    // of the last attempt, nil after a success
}

// Current reports whether the kind is up to date, and the error of the last
// attempt if not: a kube.ForbiddenError where the right is missing.
func (s *Source) Current() (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listed && s.watching != nil, s.err
}

// AsOf reports whether the kind was listed in full, and as of when.
func (s *Source) AsOf() (time.Time, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked, s.listed
}

// Once reports whether the kind was ever up to date.
func (s *Source) Once() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ever
}

// ListWithContext reads one page.
func (s *Source) ListWithContext(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	s.mu.Lock()
	if s.listed = false; o.Continue == "" {
		s.asked = s.Now()
	}
	s.mu.Unlock()
	// Ask for the present, in pages. "0" would be everything in one answer, however
	// large, and maybe old; any other version of a page is that very version, which a
	// server that has just started still lists but can no longer watch from.
	o.ResourceVersion = ""
	ctx, cancel := context.WithTimeout(ctx, s.listTime())
	defer cancel()
	begin := time.Now()
	list, err := s.List(ctx, o)
	s.heard(err, time.Since(begin))
	if err != nil {
		s.failed(kube.Forbidden(err, "list", s.Group, s.Resource, s.Namespace))
		return nil, err
	}
	return list, nil
}

// impatient is how many lists in a row are given up after transport.RequestTimeout: a request that got lost
// must not use up the time that a start has. Later ones have transport.ListTimeout, as the server may be slow.
const impatient = 2

// listTime is how long the next page of a list may take.
func (s *Source) listTime() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.silent < impatient {
		return transport.RequestTimeout
	}
	return transport.ListTimeout
}

// heard notes whether a page of a list was answered in time. One that took long says that the
// next one may.
func (s *Source) heard(err error, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if transport.IsTimeout(err) {
		s.silent++
	} else if took < transport.RequestTimeout/2 {
		s.silent = 0
	}
}

// WatchWithContext opens a watch.
func (s *Source) WatchWithContext(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	if o.SendInitialEvents != nil && *o.SendInitialEvents {
		s.mu.Lock()
		s.listed = false
		s.mu.Unlock()
	}
	w, err := s.Watch(ctx, o)
	if err != nil {
		s.failed(kube.Forbidden(err, "watch", s.Group, s.Resource, s.Namespace))
		return nil, err
	}
	out := &watched{w, s}
	s.mu.Lock()
	s.watching = out
	s.settle()
	s.mu.Unlock()
	s.Changed()
	return out, nil
}

// synced is called when a full list has been taken in.
func (s *Source) synced() {
	s.mu.Lock()
	s.listed = true
	s.settle()
	s.mu.Unlock()
	s.Changed()
}

// settle notes that the kind is up to date, if it is.
func (s *Source) settle() {
	if s.listed && s.watching != nil {
		s.ever, s.err = true, nil
	}
}

func (s *Source) failed(err error) {
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
	s.Changed()
}

// watched is an open watch that tells when it is stopped, which the reflector
// does whenever the stream ends.
type watched struct {
	watch.Interface
	of *Source
}

func (w *watched) Stop() {
	w.Interface.Stop()
	w.of.mu.Lock()
	if w.of.watching == w {
		w.of.watching = nil
	}
	w.of.mu.Unlock()
}

// listWatch offers a source in the forms that the reflector asks for.
type listWatch struct{ *Source }

// IsWatchListSemanticsUnSupported has the reflector list before it watches. A list
// may be zipped and is read as it comes; a watch that begins with everything there
// is sends an event an object, whole, and takes several times as long.
func (listWatch) IsWatchListSemanticsUnSupported() bool { return true }

func (l listWatch) List(o metav1.ListOptions) (runtime.Object, error) {
	return l.ListWithContext(context.Background(), o)
}

func (l listWatch) Watch(o metav1.ListOptions) (watch.Interface, error) {
	return l.WatchWithContext(context.Background(), o)
}
