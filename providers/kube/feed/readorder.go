package feed

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube/mirror"
	"github.com/drainboard/drainboard/providers/kube/objects"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

const (
	// fewNodes is how many nodes a cluster may have whose pods are read as quickly all
	// together: it is shown when all is read.
	fewNodes = 100
	// earlyPatience is how long the list of all pods waits for the dashboard to say which
	// nodes he sees, and for their pods.
	earlyPatience = time.Second
	// earlyAtOnce is how many nodes' pods are read side by side, mostEarly of how many
	// in all: more than most screens show.
	earlyAtOnce, mostEarly = 8, 200
	// earlyTogether is how long what comes is gathered before it is posted.
	earlyTogether = 200 * time.Millisecond
)

// early is what is read before the list of all pods, which takes a server and who reads
// it most of a second for 10,000 pods: first all else, as of which the world is partial,
// then the pods of the visible nodes. For those the API has an index
// (spec.nodeName), and each takes it a millisecond or two.
type early struct {
	wanted chan []string // of one: the newest
	few    atomic.Bool   // the cluster has few nodes
	over   chan struct{} // closed when all pods may be read
	end    func()        // closes it
	// patience is how long that is waited for.
	patience time.Duration
}

// NodesFirst has all but the pods read first, and posted as world.Nodes, and then the
// pods of the nodes that See tells of. It is called before Begin.
func (f *Feed) NodesFirst() {
	over := make(chan struct{})
	f.early = &early{wanted: make(chan []string, 1), over: over, end: sync.OnceFunc(func() { close(over) }), patience: earlyPatience}
}

// See says whose pods are wanted before all others, in place of what was said before. It
// does not block, and any goroutine may call it.
func (f *Feed) See(nodes []string) {
	for {
		select {
		case f.early.wanted <- nodes:
			return
		default:
		}
		select {
		case <-f.early.wanted: // older, and not taken yet
		default:
		}
	}
}

// counted takes in how many nodes there are.
func (e *early) counted(nodes int) {
	if e != nil && nodes <= fewNodes {
		e.few.Store(true)
		e.end()
	}
}

// pays reports whether a world without pods is worth posting.
func (e *early) pays() bool { return e != nil && !e.few.Load() }

// wait holds the list of all pods back, the first time.
func (e *early) wait(ctx context.Context) {
	if e == nil {
		return
	}
	defer e.end()
	select {
	case <-e.over:
	case <-ctx.Done():
	case <-time.After(e.patience):
	}
}

// readEarly reads the pods of the visible nodes, each once, until the feed
// ends. One that fails is left to the list of all.
func (f *Feed) readEarly() {
	seen := map[string]bool{}
	for {
		var nodes []string
		select {
		case nodes = <-f.early.wanted:
		case <-f.ctx.Done():
			return
		}
		nodes = slices.DeleteFunc(slices.Clone(nodes), func(n string) bool { return seen[n] })
		nodes = nodes[:min(len(nodes), mostEarly-len(seen))]
		for _, n := range nodes {
			seen[n] = true
		}
		f.readPodsOn(nodes)
		f.early.end()
	}
}

// podsOn are the pods of a node.
type podsOn struct {
	node string
	pods []*world.Pod
	err  error
}

// readPodsOn reads the pods of some nodes side by side, and posts them together.
func (f *Feed) readPodsOn(nodes []string) {
	todo, done := make(chan string, len(nodes)), make(chan podsOn, len(nodes))
	for _, n := range nodes {
		todo <- n
	}
	close(todo)
	for range min(earlyAtOnce, len(nodes)) {
		f.start(func() {
			for n := range todo {
				pods, err := f.listPodsOn(n)
				done <- podsOn{n, pods, err}
			}
		})
	}
	var have []podsOn
	post := func() {
		if len(have) == 0 {
			return // no news: a snapshot of it would have the same nodes wanted again
		}
		together := have
		have = nil
		f.out.put(func(w *world.World) {
			for _, on := range together {
				w.SetEarly(on.node, on.pods)
			}
		})
	}
	due := time.NewTicker(earlyTogether)
	defer due.Stop()
	for left := len(nodes); left > 0; {
		select {
		case on := <-done:
			if left--; on.err == nil {
				have = append(have, on)
			}
		case <-due.C:
			post()
		case <-f.ctx.Done():
			return
		}
	}
	post()
}

// listPodsOn lists the pods of a node from the API server's cache, however old that is:
// the user sees all pods soon.
func (f *Feed) listPodsOn(node string) (pods []*world.Pod, err error) {
	ctx, cancel := context.WithTimeout(f.ctx, transport.RequestTimeout)
	defer cancel()
	o := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String(), ResourceVersion: "0"}
	list, err := mirror.Listed[objects.PodFields, world.Pod, *objects.PodFields]{Decode: objects.PodDecoder.Decode, Convert: objects.PodOf}.List(ctx, f.c.API().Core, "pods", o)
	if err != nil {
		return nil, err
	}
	if page, ok := list.(*mirror.Page[world.Pod]); ok {
		for _, i := range page.Items {
			pods = append(pods, i.Value)
		}
		return pods, nil
	}
	err = meta.EachListItem(list, func(o runtime.Object) error {
		if p, ok := o.(*corev1.Pod); ok {
			pods = append(pods, objects.ToPod(p))
		}
		return nil
	})
	return pods, err
}
