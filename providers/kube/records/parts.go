package records

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// A record that is too large for one ConfigMap is in several. Its parts are made first, under
// names that no other write has, and never change; the record itself, which names them, is
// written last and only over what its writer has seen. So a crash between leaves the record as it
// was, whole, and parts that nothing names. Those, and the parts of the record before, are
// removed once the record is known to be written. Where it is refused, its parts go at once, and
// where that is not known, a while later: a record that cannot be written fills no disk.

// partMark labels a part with the name of the record that it is of.
const partMark = "drainboard.dev/part-of"

const (
	// partPage is how many parts are listed at once.
	partPage = 20
	// partLife is how long a part is kept that the record does not name although its write may be
	// under way still: longer than any request.
	partLife = 3 * transport.RequestTimeout
	// writeRate is how many bytes of a record are written in a second, and mostRest the longest
	// pause for it between two writes. The API's store keeps what was written over for some
	// minutes: a large record that is written all the time would fill it.
	writeRate = 1 << 20
	mostRest  = 1500 * time.Millisecond
)

// partsRefused is the error of parts that the API server refuses for certain, while it takes other
// ConfigMaps: by an admission webhook, a policy or a quota. A record with less in it needs none.
type partsRefused struct{ error }

func (e partsRefused) Unwrap() error        { return e.error }
func (e partsRefused) Is(target error) bool { return target == live.ErrTooLarge }

// putParts makes the pieces of a record called base. tag tells them from those of any other write.
// Where one is refused, those before it are removed.
func (r *Record) putParts(ctx context.Context, base, tag string, pieces [][]byte) (names []string, err error) {
	immutable := true
	for i, piece := range pieces {
		name := fmt.Sprintf("%s-part-%s-%d", base, tag, i+1)
		m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Namespace: r.namespace, Name: name, Labels: map[string]string{kube.ManagedBy: kube.ManagedByValue, partMark: base},
		}, BinaryData: map[string][]byte{partKey: piece}, Immutable: &immutable}
		r.pieces[name] = time.Now()
		names = append(names, name)
		if err := r.makePart(ctx, m); err != nil {
			if r.refused(err, "create") != nil {
				r.drop(ctx, names)
			}
			return nil, err
		}
	}
	return names, nil
}

func (r *Record) makePart(ctx context.Context, m *corev1.ConfigMap) error {
	return r.answered(ctx, func(ctx context.Context) error {
		_, err := r.c.Urgent().ConfigMaps(r.namespace).Create(ctx, m, metav1.CreateOptions{})
		return err
	})
}

// nextTag tells the parts of one write of this process from those of all others.
func (r *Record) nextTag() string {
	r.cuts++
	return fmt.Sprintf("%s-%d", strings.ToLower(r.writer[:10]), r.cuts)
}

// findParts lists the parts that other processes have made, before a write. Once the write has
// happened those of them that it does not name are of nobody: who was about to write a record
// of them finds another one. A list of later might hold what the next driver's record names, if
// this process slept in between.
func (r *Record) findParts(ctx context.Context) {
	if r.listed {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, firstLimit)
	defer cancel()
	list, more, err := partsNamed(ctx, r.c, r.namespace, r.name)
	if err != nil {
		return
	}
	for _, name := range list {
		if _, own := r.pieces[name]; !own {
			r.pieces[name] = time.Time{}
		}
	}
	r.listed = !more
}

// sweep removes the parts that the record, which was just written, does not name: those of an
// earlier write, and of one that did not come to its end. What cannot be removed soon is removed
// after a later write: this one has happened, and its caller waits.
func (r *Record) sweep(ctx context.Context) {
	r.drop(ctx, slices.Collect(maps.Keys(r.pieces)))
}

// sweepOld removes parts of writes that have failed, as soon as none of them can be under way any
// more. What the record names is known.
func (r *Record) sweepOld(ctx context.Context) {
	var old []string
	for name, made := range r.pieces {
		if !made.IsZero() && time.Since(made) > partLife {
			old = append(old, name)
		}
	}
	r.drop(ctx, old)
}

// drop removes parts, but for those that the record names.
func (r *Record) drop(ctx context.Context, names []string) {
	ctx, cancel := context.WithTimeout(ctx, firstLimit)
	defer cancel()
	for _, name := range names {
		if !slices.Contains(r.named, name) && removePart(ctx, r.c, r.namespace, name) == nil {
			delete(r.pieces, name)
		}
	}
}

// rest waits until a record of so many bytes may be written, and counts it.
func (r *Record) rest(ctx context.Context, bytes int) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Until(r.rested)):
	}
	r.rested = time.Now().Add(min(time.Duration(bytes)*time.Second/writeRate, mostRest))
}

// partsNamed lists parts of a record, and reports whether there are more.
func partsNamed(ctx context.Context, c *kube.Client, namespace, record string) (names []string, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	list, err := c.Urgent().ConfigMaps(namespace).List(ctx, metav1.ListOptions{LabelSelector: partMark + "=" + record, Limit: partPage})
	if err != nil {
		return nil, false, err
	}
	for i := range list.Items {
		if list.Items[i].Labels[partMark] == record {
			names = append(names, list.Items[i].Name)
		}
	}
	return names, list.Continue != "", nil
}

func removePart(ctx context.Context, c *kube.Client, namespace, name string) error {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	err := c.Urgent().ConfigMaps(namespace).Delete(ctx, name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// decode reads the run of a record's ConfigMap. Where parts that it names are gone, another
// process may have written the record since: then it is read again. It returns the ConfigMap that
// the run is of.
func decode(ctx context.Context, c *kube.Client, m *corev1.ConfigMap) (record.Run, *corev1.ConfigMap, error) {
	for {
		run, err := decodeRun(m, part(ctx, c, m.Namespace))
		if !errors.Is(err, errNoPart) {
			return run, m, err
		}
		now, failed := configMap(ctx, c, m.Namespace, m.Name)
		switch {
		case failed != nil:
			return record.Run{}, m, failed
		case now == nil || now.ResourceVersion == m.ResourceVersion:
			return run, m, err
		}
		m = now
	}
}

// part reads parts of records in a namespace.
func part(ctx context.Context, c *kube.Client, namespace string) func(string) (*corev1.ConfigMap, error) {
	return func(name string) (*corev1.ConfigMap, error) { return configMap(ctx, c, namespace, name) }
}

// configMap reads one of a record, nil if there is none.
func configMap(ctx context.Context, c *kube.Client, namespace, name string) (*corev1.ConfigMap, error) {
	return live.Retried(ctx, func(ctx context.Context) (*corev1.ConfigMap, error) {
		ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
		defer cancel()
		m, err := c.Urgent().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
		switch {
		case err == nil:
			return m, nil
		case apierrors.IsNotFound(err):
			return nil, nil
		case apierrors.IsForbidden(err):
			return nil, kube.Forbidden(err, "get", "", "configmaps", namespace)
		}
		return nil, fmt.Errorf("read the run record %s/%s: %w", namespace, name, c.Explain(err))
	})
}
