package records

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// The records of a group's last runs are kept beside the one of its run, in as many
// ConfigMaps at most, and the parts of those that are too large for one: when all are taken, the
// oldest is overwritten. So nothing grows.
const pastRuns = 5

const (
	// pastMark labels a record that is kept of an earlier run, with the name of the
	// group's record.
	pastMark = "drainboard.dev/past-of"
	// keptMark is when it was put there, keptFromMark the version of the record that it
	// is a copy of, and discardMark why an unfinished run was discarded.
	keptMark     = "drainboard.dev/kept"
	keptFromMark = "drainboard.dev/kept-from"
	discardMark  = "drainboard.dev/discarded"
)

// pastName is the name of one of the ConfigMaps for earlier runs.
func pastName(record string, i int) string { return record + "-past-" + strconv.Itoa(i) }

// recordOf is the name of the record that a name of an earlier run's belongs to, or
// the name itself.
func recordOf(name string) string {
	if record, i, found := strings.Cut(name, "-past-"); found && len(i) == 1 {
		return record
	}
	return name
}

// Keep copies the record as it is, readable or not, to where those of the group's
// earlier runs are kept, under the name that it returns, "" if there is no record.
// What was kept before is not kept twice. The next Save may then write over the
// record, if nobody else does before. discarded says why a run is put aside that has not ended.
func (r *Record) Keep(ctx context.Context, discarded string) (name string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, err := r.read(ctx)
	if err != nil || m == nil {
		return "", err
	}
	slot, have, last, err := r.slot(ctx, stateOf(m))
	if err != nil {
		return "", err
	}
	if have == nil || have.Annotations[keptFromMark] != stateOf(m) {
		now := r.c.Clock().Now()
		if !now.After(last) { // kept in the same millisecond, or by a machine whose clock is ahead
			now = last.Add(time.Millisecond)
		}
		past := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Namespace: r.namespace, Name: slot,
			Labels:      map[string]string{kube.ManagedBy: kube.ManagedByValue, pastMark: r.name},
			Annotations: map[string]string{keptMark: now.UTC().Format(time.RFC3339Nano), keptFromMark: stateOf(m)},
		}, Data: m.Data, BinaryData: m.BinaryData}
		if discarded != "" {
			past.Annotations[discardMark] = discarded
		}
		if have != nil {
			past.ResourceVersion = have.ResourceVersion
		}
		if err := r.copyParts(ctx, m, past); err != nil {
			return "", err
		}
		if err := r.put(ctx, past, have == nil); err != nil {
			return "", err
		}
		r.sweepPast(ctx, past)
	}
	r.expect(m)
	return r.namespace + "/" + slot, nil
}

// copyParts makes parts for a past record like those of the one that it is a copy of. One that
// lacks parts is kept without them.
func (r *Record) copyParts(ctx context.Context, m, past *corev1.ConfigMap) error {
	from := partsOf(m)
	var pieces [][]byte
	for _, name := range from.Names {
		part, err := r.get(ctx, name)
		if err != nil {
			return err
		}
		if part == nil {
			return nil
		}
		pieces = append(pieces, part.BinaryData[partKey])
	}
	if len(pieces) == 0 {
		return nil
	}
	names, err := r.putParts(ctx, past.Name, r.nextTag(), pieces)
	if err != nil {
		return fmt.Errorf("keep the record of the last run as %s/%s: %w", past.Namespace, past.Name, r.c.Explain(err))
	}
	for _, name := range names { // they are not this record's
		delete(r.pieces, name)
	}
	past.Data = map[string]string{recordKeyParts: parts{names, from.Sum}.encode()}
	return nil
}

// sweepPast removes the parts of what a past record was written over. Those that cannot be
// removed now are when it is written over again.
func (r *Record) sweepPast(ctx context.Context, past *corev1.ConfigMap) {
	list, _, err := partsNamed(ctx, r.c, r.namespace, past.Name)
	if err != nil {
		return
	}
	for _, name := range list {
		if !slices.Contains(partsOf(past).Names, name) {
			_ = removePart(ctx, r.c, r.namespace, name)
		}
	}
}

// stateOf tells one state of a record from all others.
func stateOf(m *corev1.ConfigMap) string { return string(m.UID) + "/" + m.ResourceVersion }

// slot is where the next record goes: where this one is already, else a free place,
// else that of the oldest; have is what is there, and last is when the newest of them was
// kept.
func (r *Record) slot(ctx context.Context, from string) (name string, have *corev1.ConfigMap, last time.Time, err error) {
	free := ""
	for i := 1; i <= pastRuns; i++ {
		m, err := r.get(ctx, pastName(r.name, i))
		if m != nil && keptAt(m).After(last) {
			last = keptAt(m)
		}
		switch {
		case err != nil:
			return "", nil, last, err
		case m == nil && free == "":
			free = pastName(r.name, i)
		case m == nil:
		case m.Annotations[keptFromMark] == from:
			return m.Name, m, last, nil
		case have == nil || keptAt(m).Before(keptAt(have)):
			have = m
		}
	}
	if free != "" {
		return free, nil, last, nil
	}
	return have.Name, have, last, nil
}

// keptAt is when a record was put among those of earlier runs.
func keptAt(m *corev1.ConfigMap) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, m.Annotations[keptMark]) // the zero time, if it was edited: it goes first
	return at
}

func (r *Record) put(ctx context.Context, m *corev1.ConfigMap, create bool) error {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	api := r.c.Urgent().ConfigMaps(r.namespace)
	verb := "update"
	var err error
	if create {
		verb = "create"
		_, err = api.Create(ctx, m, metav1.CreateOptions{})
	} else {
		_, err = api.Update(ctx, m, metav1.UpdateOptions{})
	}
	switch {
	case err == nil:
		return nil
	case apierrors.IsForbidden(err):
		return kube.Forbidden(err, verb, "", "configmaps", r.namespace)
	}
	return fmt.Errorf("keep the record of the last run as %s/%s: %w", m.Namespace, m.Name, r.c.Explain(err))
}

// Past reads the records of a group's earlier runs, the newest first.
func Past(ctx context.Context, c *kube.Client, namespace, record string) ([]live.Stored, error) {
	list, err := configMaps(ctx, c, namespace, "the records of earlier runs", metav1.ListOptions{LabelSelector: pastMark + "=" + record})
	if err != nil {
		return nil, err
	}
	items := slices.DeleteFunc(list.Items, func(m corev1.ConfigMap) bool { return m.Labels[pastMark] != record })
	slices.SortFunc(items, func(a, b corev1.ConfigMap) int { return keptAt(&b).Compare(keptAt(&a)) })
	var out []live.Stored
	for i := range items {
		run, _, err := decode(ctx, c, &items[i])
		out = append(out, live.Stored{Name: world.Clean(items[i].Name), Run: run, Err: err, Kept: keptAt(&items[i]), Discarded: world.Clean(items[i].Annotations[discardMark])})
	}
	return out, nil
}
