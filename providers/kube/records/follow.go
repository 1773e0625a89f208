package records

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/feed"
	"github.com/drainboard/drainboard/providers/kube/mirror"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// Follow has do called with what the record of a group says, first when it has
// been read (found is false when there is none) and then whenever it changes, on the
// goroutine that applies the feed's changes. It is called before the feed's Run. The error is a
// live.DamagedError or a live.NewerError. The feed counts as fresh only while the record is.
func Follow(f *feed.Feed, c *kube.Client, namespace, group string, do func(run record.Run, found bool, err error)) {
	convert := func(m *corev1.ConfigMap) *live.Stored {
		run, err := decodeSeen(c, m)
		return &live.Stored{Name: world.Clean(m.Name), Run: run, Err: err}
	}
	feed.Follow(f, source(c, namespace, group), convert, func(_ *world.World, all []*live.Stored) {
		var now live.Stored
		for _, s := range all {
			now = *s
		}
		do(now.Run, len(all) > 0, now.Err)
	})
}

// source is the ConfigMap of a group's record.
func source(c *kube.Client, namespace, group string) *mirror.Source {
	name := fields.OneTermEqualSelector("metadata.name", kube.RecordName(group)).String()
	api := c.API().ConfigMaps(namespace)
	return &mirror.Source{
		Resource: "configmaps", Namespace: namespace,
		List: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = name
			return api.List(ctx, o)
		},
		Watch: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = name
			return api.Watch(ctx, o)
		},
	}
}

// seenPatience is how long the parts of a record that changed are asked for while the API is not
// reachable.
const seenPatience = 30 * time.Second

// decodeSeen reads the run of a record that a watch has told of.
func decodeSeen(c *kube.Client, m *corev1.ConfigMap) (record.Run, error) {
	ctx, cancel := context.WithTimeout(live.WithPatience(context.Background(), &live.Patience{Limit: seenPatience}), seenPatience+transport.RequestTimeout)
	defer cancel()
	run, _, err := decode(ctx, c, m)
	return run, err
}
