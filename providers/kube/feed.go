package kube

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube/objects"
)

// pageSize is how many objects a page has. It is read as it comes, so it may be
// large; and the API serves the first page from its cache, the next ones from etcd,
// which takes several times as long.
const pageSize = 20000

// kinds are what the feed reads.
var kinds = []struct{ group, resource string }{
	{"", "nodes"}, {"", "pods"}, {"policy", "poddisruptionbudgets"}, {"apps", "daemonsets"},
}

// Feed brings nodes, pods, disruption budgets and DaemonSets into the world, and
// the health of the cluster as a source. It implements live.Feed.
type Feed struct {
	c       *Client
	out     *outbox
	sources []*source
	run     []*cache.Reflector
	early   *early                 // what is read first; nil reads all at once
	kick    chan struct{}          // of one: check the health now
	gone    atomic.Pointer[func()] // a node is gone
	after   atomic.Pointer[live.Change]
	what    string // is read, for people
	told    func(*world.World, world.Health)

	ctx     context.Context // of what runs
	stop    context.CancelFunc
	begun   int // of run
	running sync.WaitGroup
	crashed chan error // of one
}

var _ live.Feed = (*Feed)(nil)

// Feed returns a new feed. It is used for one Run.
func (c *Client) Feed() *Feed {
	f := c.feed("the cluster's nodes, pods and budgets")
	f.told = func(w *world.World, h world.Health) {
		w.SetHealth(world.Cluster, h)
		if h.Fresh.IsZero() { // those may be known before all else is
			h.Fresh = w.Health[world.Nodes].Fresh
		}
		w.SetHealth(world.Nodes, h)
	}
	f.nodes()
	f.pods()
	f.budgets()
	f.daemonSets()
	return f
}

// feed is a feed that follows nothing.
func (c *Client) feed(what string) *Feed {
	return &Feed{c: c, what: what, out: newOutbox(), kick: make(chan struct{}, 1), crashed: make(chan error, 1)}
}

// OnNodeGone has do called when a node is gone from the cluster: its machine is
// about to leave its group. do must not block.
func (f *Feed) OnNodeGone(do func()) { f.gone.Store(&do) }

// Begin starts to read before it is known what else is to be followed, and keeps what
// comes for Run. It reads until Run or ctx ends.
func (f *Feed) Begin(ctx context.Context) {
	if f.stop == nil {
		f.ctx, f.stop = context.WithCancel(ctx)
		if f.early != nil {
			f.start(f.readEarly)
		}
	}
	for _, r := range f.run[f.begun:] {
		f.start(func() { r.RunWithContext(f.ctx) })
	}
	f.begun = len(f.run)
}

// start has a part of the feed run; if it crashes all end.
func (f *Feed) start(work func()) {
	f.running.Go(func() {
		if err := live.Caught(func() error { work(); return nil }); err != nil {
			select {
			case f.crashed <- err:
			default: // one is enough
			}
			f.stop()
		}
	})
}

// Run posts changes until ctx ends. It returns a ForbiddenError if something
// that has never been read may not be read; everything else is posted as the
// health of the source while it tries on.
func (f *Feed) Run(ctx context.Context, post func(live.Change)) error {
	f.Begin(ctx)
	defer f.running.Wait()
	defer f.stop()
	defer context.AfterFunc(ctx, f.stop)()
	f.start(func() { f.out.run(f.ctx, post) })
	err := f.watchHealth(f.ctx)
	select {
	case err = <-f.crashed:
	default:
	}
	return err
}

func (f *Feed) nodes() {
	api := f.c.API().Nodes()
	apply := applying(f.out, (*world.World).SetNode, (*world.World).DeleteNode)
	m := &mirror[world.Node]{kind: "nodes", key: byName, convert: converting(objects.ToNode)}
	m.emit = func(changed []*world.Node, gone []string) {
		apply(changed, gone)
		f.early.counted(len(m.have))
		if do := f.after.Load(); do != nil {
			f.out.put(*do)
		}
		if do := f.gone.Load(); len(gone) > 0 && do != nil {
			(*do)()
		}
	}
	follow(f, &corev1.Node{}, &source{
		list: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return listed[objects.NodeFields, world.Node, *objects.NodeFields]{objects.NodeDecoder.Decode, objects.NodeOf}.list(ctx, f.c.API().Core, "nodes", o)
		},
		open: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return api.Watch(ctx, o) },
	}, m)
}

func (f *Feed) pods() {
	api := f.c.API().Pods(metav1.NamespaceAll)
	common := &objects.Shared{} // used by the reflector only
	podOf := func(p *objects.PodFields) *world.Pod { return common.Pod(objects.PodOf(p)) }
	toPod := func(p *corev1.Pod) *world.Pod { return common.Pod(objects.ToPod(p)) }
	follow(f, &corev1.Pod{}, &source{
		list: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			f.early.wait(ctx)
			return listed[objects.PodFields, world.Pod, *objects.PodFields]{objects.PodDecoder.Decode, podOf}.list(ctx, f.c.Large(), "pods", o)
		},
		open: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return api.Watch(ctx, o) },
	}, &mirror[world.Pod]{
		kind: "pods", key: byUID, convert: converting(toPod),
		emit: applying(f.out, (*world.World).SetPod, (*world.World).DeletePod),
	})
}

func (f *Feed) budgets() {
	api := f.c.API().Budgets()
	follow(f, &policyv1.PodDisruptionBudget{}, &source{
		group: "policy",
		list:  func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return api.List(ctx, o) },
		open:  func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return api.Watch(ctx, o) },
	}, &mirror[world.Budget]{
		kind: "poddisruptionbudgets", key: byName, convert: converting(objects.ToBudget),
		emit: applying(f.out, (*world.World).SetBudget, (*world.World).DeleteBudget),
	})
}

// daemonSets are read as metadata: only which exist matters.
func (f *Feed) daemonSets() {
	api := f.c.Metadata().Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "daemonsets"})
	m := &mirror[string]{
		kind: "daemonsets", key: byUID,
		convert: func(obj any) (*string, bool) {
			o, ok := obj.(*metav1.PartialObjectMetadata)
			if !ok {
				return nil, false
			}
			uid := string(o.UID)
			return &uid, true
		},
	}
	m.emit = func([]*string, []string) {
		uids := slices.Sorted(maps.Keys(m.have))
		f.out.put(func(w *world.World) { w.SetDaemonSets(uids) })
	}
	follow(f, &metav1.PartialObjectMetadata{}, &source{
		group: "apps",
		list:  func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return api.List(ctx, o) },
		open:  func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return api.Watch(ctx, o) },
	}, m)
}

// follow sets up the reflector that fills m from s.
func follow[T any](f *Feed, example runtime.Object, s *source, m *mirror[T]) {
	s.resource, s.changed, s.now = m.kind, f.checkHealth, f.c.Clock().Now
	m.have, m.synced = map[string]*T{}, s.synced
	r := cache.NewReflectorWithOptions(listWatch{s}, example, m, cache.ReflectorOptions{
		Name: "drainboard/" + m.kind,
		// An API that comes back is noticed within seconds, not half a minute.
		Backoff: &wait.Backoff{Duration: 200 * time.Millisecond, Factor: 2, Jitter: 0.5, Steps: 10, Cap: 4 * time.Second},
	})
	r.WatchListPageSize = pageSize
	f.sources = append(f.sources, s)
	f.run = append(f.run, r)
}

// checkHealth makes the feed check its health now rather than at the next heartbeat.
func (f *Feed) checkHealth() {
	select {
	case f.kick <- struct{}{}:
	default:
	}
}

// listWatch offers a source in the forms that the reflector asks for.
type listWatch struct{ *source }

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

func slimming[O any](slim func(*O) *O) cache.TransformFunc {
	return func(obj any) (any, error) {
		if o, ok := obj.(*O); ok {
			return slim(o), nil
		}
		return obj, nil
	}
}

func converting[O, T any](convert func(*O) *T) func(any) (*T, bool) {
	return func(obj any) (*T, bool) {
		o, ok := obj.(*O)
		if !ok {
			return nil, false
		}
		return convert(o), true
	}
}

func applying[T any](out *outbox, set func(*world.World, *T), del func(*world.World, string)) func([]*T, []string) {
	return func(changed []*T, gone []string) {
		out.put(func(w *world.World) {
			for _, key := range gone {
				del(w, key)
			}
			for _, v := range changed {
				set(w, v)
			}
		})
	}
}

// neverAllowed is the right that keeps a kind from ever having been read, nil
// if there is none.
func (f *Feed) neverAllowed() error {
	for _, s := range f.sources {
		var missing *ForbiddenError
		if _, err := s.current(); !s.once() && errors.As(err, &missing) {
			return missing
		}
	}
	return nil
}
