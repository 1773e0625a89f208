package feed

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/mirror"
	"github.com/drainboard/drainboard/providers/kube/objects"
)

// pageSize is how many objects a page has. It is read as it comes, so it may be
// large; and the API serves the first page from its cache, the next ones from etcd,
// which takes several times as long.
const pageSize = 20000

// Feed brings nodes, pods, disruption budgets and DaemonSets into the world, and
// the health of the cluster as a source. It implements live.Feed.
type Feed struct {
	c       *kube.Client
	out     *outbox
	sources []*mirror.Source
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

// New returns a feed of a cluster's nodes, pods, budgets and DaemonSets. It is used for one Run.
func New(c *kube.Client) *Feed {
	f := NewEmpty(c, "the cluster's nodes, pods and budgets", func(w *world.World, h world.Health) {
		w.SetHealth(world.Cluster, h)
		if h.Fresh.IsZero() { // those may be known before all else is
			h.Fresh = w.Health[world.Nodes].Fresh
		}
		w.SetHealth(world.Nodes, h)
	})
	f.nodes()
	f.pods()
	f.budgets()
	f.daemonSets()
	return f
}

// NewEmpty returns a feed that follows nothing yet; Follow and FollowKind add to it. health is told
// how it is, on the goroutine that applies changes; what names what it reads: "machines and
// machine sets". It is used for one Run.
func NewEmpty(c *kube.Client, what string, health func(*world.World, world.Health)) *Feed {
	return &Feed{c: c, what: what, told: health, out: newOutbox(), kick: make(chan struct{}, 1), crashed: make(chan error, 1)}
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

// Run posts changes until ctx ends. It returns a kube.ForbiddenError if something
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
	m := &mirror.Mirror[world.Node]{Key: mirror.ByName, Convert: mirror.Converting(objects.ToNode)}
	m.Emit = func(changed []*world.Node, gone []string) {
		apply(changed, gone)
		f.early.counted(len(m.Have()))
		if do := f.after.Load(); do != nil {
			f.out.put(*do)
		}
		if do := f.gone.Load(); len(gone) > 0 && do != nil {
			(*do)()
		}
	}
	follow(f, &corev1.Node{}, &mirror.Source{
		Resource: "nodes",
		List: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return mirror.Listed[objects.NodeFields, world.Node, *objects.NodeFields]{Decode: objects.NodeDecoder.Decode, Convert: objects.NodeOf}.List(ctx, f.c.API().Core, "nodes", o)
		},
		Watch: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return api.Watch(ctx, o) },
	}, m)
}

func (f *Feed) pods() {
	api := f.c.API().Pods(metav1.NamespaceAll)
	common := &objects.Shared{} // used by the reflector only
	podOf := func(p *objects.PodFields) *world.Pod { return common.Pod(objects.PodOf(p)) }
	toPod := func(p *corev1.Pod) *world.Pod { return common.Pod(objects.ToPod(p)) }
	follow(f, &corev1.Pod{}, &mirror.Source{
		Resource: "pods",
		List: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			f.early.wait(ctx)
			return mirror.Listed[objects.PodFields, world.Pod, *objects.PodFields]{Decode: objects.PodDecoder.Decode, Convert: podOf}.List(ctx, f.c.Large(), "pods", o)
		},
		Watch: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return api.Watch(ctx, o) },
	}, &mirror.Mirror[world.Pod]{
		Key: mirror.ByUID, Convert: mirror.Converting(toPod),
		Emit: applying(f.out, (*world.World).SetPod, (*world.World).DeletePod),
	})
}

func (f *Feed) budgets() {
	api := f.c.API().Budgets()
	follow(f, &policyv1.PodDisruptionBudget{}, &mirror.Source{
		Group: "policy", Resource: "poddisruptionbudgets",
		List:  func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return api.List(ctx, o) },
		Watch: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return api.Watch(ctx, o) },
	}, &mirror.Mirror[world.Budget]{
		Key: mirror.ByName, Convert: mirror.Converting(objects.ToBudget),
		Emit: applying(f.out, (*world.World).SetBudget, (*world.World).DeleteBudget),
	})
}

// daemonSets are read as metadata: only which exist matters.
func (f *Feed) daemonSets() {
	api := f.c.Metadata().Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "daemonsets"})
	m := &mirror.Mirror[string]{
		Key: mirror.ByUID,
		Convert: func(obj any) (*string, bool) {
			o, ok := obj.(*metav1.PartialObjectMetadata)
			if !ok {
				return nil, false
			}
			uid := string(o.UID)
			return &uid, true
		},
	}
	m.Emit = func([]*string, []string) {
		uids := slices.Sorted(maps.Keys(m.Have()))
		f.out.put(func(w *world.World) { w.SetDaemonSets(uids) })
	}
	follow(f, &metav1.PartialObjectMetadata{}, &mirror.Source{
		Group: "apps", Resource: "daemonsets",
		List:  func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return api.List(ctx, o) },
		Watch: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return api.Watch(ctx, o) },
	}, m)
}

// follow sets up the reflector that fills m from s. example is an object of the kind.
func follow[T any](f *Feed, example runtime.Object, s *mirror.Source, m *mirror.Mirror[T]) {
	s.Changed, s.Now = f.checkHealth, f.c.Clock().Now
	f.sources = append(f.sources, s)
	f.run = append(f.run, mirror.Reflector(example, s, m, pageSize))
}

// checkHealth makes the feed check its health now rather than at the next heartbeat.
func (f *Feed) checkHealth() {
	select {
	case f.kick <- struct{}{}:
	default:
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
		var missing *kube.ForbiddenError
		if _, err := s.Current(); !s.Once() && errors.As(err, &missing) {
			return missing
		}
	}
	return nil
}
