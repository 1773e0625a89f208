package feed

import (
	"cmp"
	"context"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/mirror"
)

// Follow has do called with all objects O that s selects, as values T sorted by name, first when they
// have been read and then whenever one changes, on the goroutine that applies the feed's changes.
// What did not change keeps its pointer. convert makes of an object what do is to have of it,
// clean. s is without Now and Changed. Follow is called before Run.
func Follow[O, T any, P interface {
	*O
	runtime.Object
	metav1.Object
}](f *Feed, s *mirror.Source, convert func(*O) *T, do func(*world.World, []*T)) {
	m := &mirror.Mirror[T]{Key: mirror.ByBareName, Convert: mirror.Converting(convert), Slim: mirror.Slimming(unmanaged[O, P])}
	m.Emit = func([]*T, []string) {
		all := make([]*T, 0, len(m.Have()))
		for _, name := range slices.SortedFunc(maps.Keys(m.Have()), cmp.Compare[string]) {
			all = append(all, m.Have()[name])
		}
		f.out.put(func(w *world.World) { do(w, all) })
	}
	follow(f, P(new(O)), s, m)
}

// FollowKind is Follow for custom resources.
func FollowKind[T any](f *Feed, k kube.Kind, convert func(*unstructured.Unstructured) *T, do func(*world.World, []*T)) {
	Follow(f, &mirror.Source{
		Group: k.Group, Resource: k.Resource, Namespace: k.Namespace,
		List: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return f.c.ListCustom(ctx, k, o)
		},
		Watch: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return f.c.WatchCustom(ctx, k, o)
		},
	}, convert, do)
}

// unmanaged drops who wrote what, which is half of an object.
func unmanaged[O any, P interface {
	*O
	metav1.Object
}](o *O) *O {
	P(o).SetManagedFields(nil)
	return o
}

// OnNodes has do applied to the world after every change of nodes, the first list too. It
// may be called at any time: of changes that were emitted before it is not told.
func (f *Feed) OnNodes(do live.Change) { f.after.Store(&do) }
