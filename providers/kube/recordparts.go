package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
)

// A record that is too large for one ConfigMap is in several. Its parts are made first, under
// names that no other write has, and never change; the record itself, which names them, is
// written last and only over what its writer has seen. So a crash between leaves the record as it
// was, whole, and parts that nothing names. Those, and the parts of the record before, are
// removed once the record is known to be written.

// partMark labels a part with the name of the record that it is of.
const partMark = "drainboard.dev/part-of"

// partPage is how many parts are listed at once.
const partPage = 20

// putParts makes the pieces of a record called base. tag tells them from those of any other write.
func (r *Record) putParts(ctx context.Context, base, tag string, pieces [][]byte) (names []string, err error) {
	immutable := true
	for i, piece := range pieces {
		name := fmt.Sprintf("%s-part-%s-%d", base, tag, i+1)
		m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Namespace: r.namespace, Name: name, Labels: map[string]string{managedBy: managedByValue, partMark: base},
		}, BinaryData: map[string][]byte{partKey: piece}, Immutable: &immutable}
		r.pieces[name] = true
		if err := r.makePart(ctx, m); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

func (r *Record) makePart(ctx context.Context, m *corev1.ConfigMap) error {
	return r.answered(ctx, func(ctx context.Context) error {
		_, err := r.c.urgent.configMaps(r.namespace).Create(ctx, m, metav1.CreateOptions{})
		return err
	})
}

// nextTag tells the parts of one write of this process from those of all others.
func (r *Record) nextTag() string {
	r.cuts++
	return fmt.Sprintf("%s-%d", strings.ToLower(r.writer[:10]), r.cuts)
}

// sweep removes the parts that the record does not name: those of an earlier write, and of one
// that did not come to its end. What cannot be removed soon is removed after a later write: this
// one has happened, and its caller waits.
func (r *Record) sweep(ctx context.Context, m *corev1.ConfigMap) {
	ctx, cancel := context.WithTimeout(ctx, firstLimit)
	defer cancel()
	used := partsOf(m).Names
	if !r.listed { // those of other processes
		list, more, err := r.c.partsNamed(ctx, r.namespace, m.Name)
		if err != nil {
			return
		}
		for _, name := range list {
			r.pieces[name] = true
		}
		r.listed = !more
	}
	for name := range r.pieces {
		if !slices.Contains(used, name) && r.c.removePart(ctx, r.namespace, name) == nil {
			delete(r.pieces, name)
		}
	}
}

// partsNamed lists parts of a record, and reports whether there are more.
func (c *Client) partsNamed(ctx context.Context, namespace, record string) (names []string, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	list, err := c.urgent.configMaps(namespace).List(ctx, metav1.ListOptions{LabelSelector: partMark + "=" + record, Limit: partPage})
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

func (c *Client) removePart(ctx context.Context, namespace, name string) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := c.urgent.configMaps(namespace).Delete(ctx, name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// decode reads the run of a record's ConfigMap. Where parts that it names are gone, another
// process may have written the record since: then it is read again. It returns the ConfigMap that
// the run is of.
func (c *Client) decode(ctx context.Context, m *corev1.ConfigMap) (record.Run, *corev1.ConfigMap, error) {
	for {
		run, err := decodeRun(m, c.part(ctx, m.Namespace))
		if !errors.Is(err, errNoPart) {
			return run, m, err
		}
		now, failed := c.configMap(ctx, m.Namespace, m.Name)
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
func (c *Client) part(ctx context.Context, namespace string) func(string) (*corev1.ConfigMap, error) {
	return func(name string) (*corev1.ConfigMap, error) { return c.configMap(ctx, namespace, name) }
}

// configMap reads one of a record, nil if there is none.
func (c *Client) configMap(ctx context.Context, namespace, name string) (*corev1.ConfigMap, error) {
	return live.Retried(ctx, func(ctx context.Context) (*corev1.ConfigMap, error) {
		ctx, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		m, err := c.urgent.configMaps(namespace).Get(ctx, name, metav1.GetOptions{})
		switch {
		case err == nil:
			return m, nil
		case apierrors.IsNotFound(err):
			return nil, nil
		case apierrors.IsForbidden(err):
			return nil, forbidden(err, "get", "", "configmaps", namespace)
		}
		return nil, fmt.Errorf("read the run record %s/%s: %w", namespace, name, c.explain(err))
	})
}
