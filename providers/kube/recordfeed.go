package kube

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
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// OnRecord has do called with what the record of a group says, first when it has
// been read (found is false when there is none) and then whenever it changes, on the
// goroutine that applies the feed's changes. It is called before Run. The error is a
// live.DamagedError or a live.NewerError. The cluster counts as fresh only while the record is.
func (f *Feed) OnRecord(namespace, group string, do func(run record.Run, found bool, err error)) {
	name := fields.OneTermEqualSelector("metadata.name", RecordName(group)).String()
	api := f.c.API().ConfigMaps(namespace)
	m := &mirror[live.Stored]{
		kind: "configmaps", key: byName,
		convert: converting(func(c *corev1.ConfigMap) *live.Stored {
			run, err := f.c.decodeSeen(c)
			return &live.Stored{Name: world.Clean(c.Name), Run: run, Err: err}
		}),
	}
	m.emit = func([]*live.Stored, []string) {
		var now live.Stored
		found := false
		for _, s := range m.have {
			now, found = *s, true
		}
		f.out.put(func(*world.World) { do(now.Run, found, now.Err) })
	}
	follow(f, &corev1.ConfigMap{}, &source{
		namespace: namespace,
		list: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = name
			return api.List(ctx, o)
		},
		open: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = name
			return api.Watch(ctx, o)
		},
	}, m)
}

// seenPatience is how long the parts of a record that changed are asked for while the API is not
// reachable.
const seenPatience = 30 * time.Second

// decodeSeen reads the run of a record that a watch has told of.
func (c *Client) decodeSeen(m *corev1.ConfigMap) (record.Run, error) {
	ctx, cancel := context.WithTimeout(live.WithPatience(context.Background(), &live.Patience{Limit: seenPatience}), seenPatience+transport.RequestTimeout)
	defer cancel()
	run, _, err := c.decode(ctx, m)
	return run, err
}
