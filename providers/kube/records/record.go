package records

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/objects"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

const (
	// writerMark names the process that wrote a record, epochMark counts its
	// writes: with them a process knows its own write again whose answer was lost.
	writerMark = "drainboard.dev/writer"
	epochMark  = "drainboard.dev/epoch"
)

// Record keeps the run of one group in a ConfigMap, and in more where it is too large for one
// (parts.go). It implements live.Store.
// Load before the first Save, so that a record that is there is not overwritten.
type Record struct {
	c               *kube.Client
	namespace, name string
	writer          string

	mu      sync.Mutex
	version string        // resourceVersion of what was last read or written, "" for none
	known   write         // the last that is known to have happened, by this process or another one
	epoch   int           // of the last of ours that is known to have happened
	unsure  bool          // the answer to the one after that was lost
	late    time.Duration // how long the last request without an answer was waited for, 0 after a write

	limit  int                  // what one ConfigMap takes, in bytes, as far as is known
	named  []string             // the parts that the record names
	pieces map[string]time.Time // the parts that there may be, and when this process made them
	listed bool                 // those of other processes are among them
	cuts   int                  // counts the writes that had parts
	rested time.Time            // when the next write may begin
}

// write tells one write of a record from all others: by whom, and which one of his. One that is
// asked for again is the same.
type write struct{ writer, epoch string }

// next is the write that this process asks for next, or has asked for without an answer.
func (r *Record) next() write { return write{r.writer, strconv.Itoa(r.epoch + 1)} }

// writeOf is the write that a record is of. One that no process of ours has marked is known by
// its version.
func writeOf(m *corev1.ConfigMap) write {
	if m.Annotations[writerMark] == "" {
		return write{"", m.ResourceVersion}
	}
	return write{m.Annotations[writerMark], m.Annotations[epochMark]}
}

// expect notes what was read or written: what the next write expects to find.
func (r *Record) expect(m *corev1.ConfigMap) {
	r.version, r.known, r.unsure, r.named = m.ResourceVersion, writeOf(m), false, partsOf(m).Names
	if r.known == r.next() {
		r.epoch++
	}
}

var _ live.Store = (*Record)(nil)

// New returns the record of a group in a namespace. Nothing is read yet.
func New(c *kube.Client, namespace, group string) *Record {
	return &Record{c: c, namespace: namespace, name: kube.RecordName(group), writer: rand.Text(), limit: largest, pieces: map[string]time.Time{}}
}

// Name is the ConfigMap's "namespace/name".
func (r *Record) Name() string { return r.namespace + "/" + r.name }

// Load reads the run; found is false when there is no record. The error is a
// live.DamagedError, a live.NewerError, a kube.ForbiddenError, or says that the API is away.
func (r *Record) Load(ctx context.Context) (run record.Run, found bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, err := r.read(ctx)
	if err != nil || m == nil {
		r.version, r.unsure, r.named = "", false, nil
		return record.Run{}, false, err
	}
	run, m, err = decode(ctx, r.c, m)
	if err != nil {
		return record.Run{}, true, err
	}
	r.expect(m)
	return run, true, nil
}

// firstLimit is how long the answer to a write of the record is waited for at first. After one
// that did not come, half as long again each time, up to transport.RequestTimeout: an answer that got lost
// does not hold the run up, and a slow connection is given its time.
const firstLimit = 3 * time.Second

// answered does one request within the time that its answer is waited for now.
func (r *Record) answered(ctx context.Context, do func(context.Context) error) error {
	limit := min(max(firstLimit, r.late*3/2), transport.RequestTimeout)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := do(ctx)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		r.late = limit
	}
	return err
}

// Save writes the run if the record is still as this process last read or wrote
// it; live.ErrLost if not. After any other error it may or may not have been written,
// and the next Save finds out.
func (r *Record) Save(ctx context.Context, run record.Run) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for range 3 {
		if r.unsure {
			if err := r.reconcile(ctx); err != nil {
				return err
			}
		}
		r.sweepOld(ctx)
		done, err := r.write(ctx, run)
		if done || err != nil {
			return err
		}
	}
	return fmt.Errorf("%w (%s)", live.ErrLost, r.Name())
}

// write asks for one write, in smaller pieces where the API takes less than a ConfigMap can
// hold. Neither done nor an error: it met another version, and reconcile must tell whose.
func (r *Record) write(ctx context.Context, run record.Run) (done bool, err error) {
	for {
		f, err := encodeRun(run, r.limit)
		if err != nil {
			return false, err
		}
		r.rest(ctx, f.total())
		done, err := r.writeForm(ctx, f)
		less := min(f.size(), r.limit) / 2
		if !errors.Is(err, live.ErrTooLarge) || errors.As(err, &partsRefused{}) || less < smallest {
			return done, err
		}
		r.limit = less
	}
}

// writeForm asks for one write of a run in a form: its pieces first.
func (r *Record) writeForm(ctx context.Context, f runForm) (done bool, err error) {
	var names []string
	if len(f.pieces) > 0 {
		if names, err = r.putParts(ctx, r.name, r.nextTag(), f.pieces); err != nil {
			return false, r.unmade(ctx, err)
		}
	}
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: r.namespace, Name: r.name, ResourceVersion: r.version,
		Labels:      map[string]string{kube.ManagedBy: kube.ManagedByValue},
		Annotations: map[string]string{writerMark: r.writer, epochMark: r.next().epoch},
	}}
	f.into(m, names)
	r.findParts(ctx)
	api := r.c.Urgent().ConfigMaps(r.namespace)
	verb := "update"
	if r.version == "" {
		verb = "create"
	}
	err = r.answered(ctx, func(ctx context.Context) (err error) {
		if verb == "create" {
			m, err = api.Create(ctx, m, metav1.CreateOptions{})
		} else {
			m, err = api.Update(ctx, m, metav1.UpdateOptions{})
		}
		return err
	})
	switch {
	case err == nil:
		r.late = 0
		r.expect(m)
		r.sweep(ctx)
		return true, nil
	case apierrors.IsNotFound(err) && verb == "create":
		return false, r.c.MakeNamespace(ctx, r.namespace, "run records")
	case apierrors.IsNotFound(err):
		return false, fmt.Errorf("%w: %s is gone", live.ErrLost, r.Name())
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		r.unsure = true
		return false, nil
	}
	if refused := r.refused(err, verb); refused != nil {
		r.drop(ctx, names)
		return false, refused
	}
	r.unsure = true
	return false, fmt.Errorf("save the run record %s: %w", r.Name(), r.c.Explain(err))
}

// unmade is the error of a part that was not made, nil where the namespace was missing and is
// there now.
func (r *Record) unmade(ctx context.Context, err error) error {
	if apierrors.IsNotFound(err) {
		return r.c.MakeNamespace(ctx, r.namespace, "run records")
	}
	if refused := r.refused(err, "create"); errors.Is(refused, live.ErrTooLarge) {
		return refused
	} else if refused != nil {
		return partsRefused{refused}
	}
	return fmt.Errorf("save the run record %s: %w", r.Name(), r.c.Explain(err))
}

// refused is the error of a write that the API has refused for certain, for a reason that
// does not pass by itself; nil for all others. A 403 need not be a missing right: quotas and
// webhooks answer with it, too.
func (r *Record) refused(err error, verb string) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return nil
	}
	text := objects.Sentence(status.Status().Message)
	says := func(words string) error {
		return fmt.Errorf("the API server refuses the run record %s: %s; %s", r.Name(), text, words)
	}
	switch {
	case kube.IsAdmission(text):
		return says("change the webhook or the policy, or exempt namespace " + r.namespace)
	case strings.Contains(text, "exceeded quota"):
		return says("raise the quota of namespace " + r.namespace)
	case kube.IsTerminating(err):
		return says("namespace " + r.namespace + " is being deleted")
	case apierrors.IsForbidden(err):
		return kube.Forbidden(err, verb, "", "configmaps", r.namespace)
	case apierrors.IsRequestEntityTooLargeError(err), apierrors.IsInvalid(err), strings.Contains(text, "request is too large"), strings.Contains(text, "message larger than max"):
		return fmt.Errorf("%w: %s: %s; drain fewer nodes at once (--max-unavailable), or abort the run", live.ErrTooLarge, r.Name(), text)
	}
	return nil
}

// reconcile reads the record again to learn whose the last write is: the one asked for last, or
// the one known before that, which may be another process's. Only the content counts: a user who
// labels the ConfigMap changes its version as well.
func (r *Record) reconcile(ctx context.Context) error {
	var m *corev1.ConfigMap
	err := r.answered(ctx, func(ctx context.Context) (err error) {
		m, err = r.read(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if m == nil {
		if r.version != "" {
			return fmt.Errorf("%w: %s is gone", live.ErrLost, r.Name())
		}
		r.unsure = false
		return nil
	}
	if of := writeOf(m); of != r.next() && (r.version == "" || of != r.known) {
		return fmt.Errorf("%w (%s)", live.ErrLost, r.Name())
	}
	r.expect(m)
	return nil
}

// read gets the record's ConfigMap, nil if there is none.
func (r *Record) read(ctx context.Context) (*corev1.ConfigMap, error) { return r.get(ctx, r.name) }

func (r *Record) get(ctx context.Context, name string) (*corev1.ConfigMap, error) {
	return configMap(ctx, r.c, r.namespace, name)
}

// All reads the records of all groups in a namespace, in the order of their names;
// Past reads those of earlier runs.
func All(ctx context.Context, c *kube.Client, namespace string) ([]live.Stored, error) {
	var out []live.Stored
	options := metav1.ListOptions{LabelSelector: kube.ManagedBy + "=" + kube.ManagedByValue + ",!" + pastMark + ",!" + partMark, Limit: 50}
	for {
		page, err := configMaps(ctx, c, namespace, "the run records", options)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			m := &page.Items[i]
			if !isRecord(m) {
				continue
			}
			run, _, err := decode(ctx, c, m)
			out = append(out, live.Stored{Name: world.Clean(m.Name), Run: run, Err: err})
		}
		if options.Continue = page.Continue; options.Continue == "" {
			return out, nil
		}
	}
}

// configMaps reads a page of those of a namespace. what it is that is read is for errors.
func configMaps(ctx context.Context, c *kube.Client, namespace, what string, o metav1.ListOptions) (*corev1.ConfigMapList, error) {
	return live.Retried(ctx, func(ctx context.Context) (*corev1.ConfigMapList, error) {
		ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
		defer cancel()
		list, err := c.API().ConfigMaps(namespace).List(ctx, o)
		switch {
		case apierrors.IsForbidden(err):
			return nil, kube.Forbidden(err, "list", "", "configmaps", namespace)
		case err != nil:
			return nil, fmt.Errorf("read %s in namespace %s: %w", what, namespace, c.Explain(err))
		}
		return list, nil
	})
}

func isRecord(m *corev1.ConfigMap) bool {
	_, ours := m.Annotations[writerMark]
	_, past := m.Labels[pastMark]
	return ours && !past
}
