package events

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

const (
	// nodeEvents is where the Events of nodes are, which are in no namespace themselves:
	// the kubelet puts its own there.
	nodeEvents = metav1.NamespaceDefault
	// announceEvery is the pause between two Events.
	announceEvery = 50 * time.Millisecond
	// mostAnnounced is how many may wait; what comes beyond is not announced.
	mostAnnounced = 1000
	// lastAnnounced is how long Close waits for those that wait.
	lastAnnounced = 3 * time.Second
	// longestNote is the longest message that the API takes, in bytes.
	longestNote = 1024
)

// Announcer tells of a run by Kubernetes Events: on the nodes, and for the group on the
// ConfigMap of its record, since a group is no object of the cluster. It never keeps a
// run waiting, and where it may not write Events it says so once and is silent.
type Announcer struct {
	c               *kube.Client
	namespace, name string // of the record
	trouble         func(string)
	waiting         chan record.Event
	closing         chan struct{}
	stop            context.CancelFunc
	ended           chan struct{}
	record          types.UID // of the ConfigMap, "" before it is known
	told            live.Throttle
}

// New returns the announcer of a group, whose record is in namespace. trouble is
// told why there are no Events, once, or that some are missing, now and then. Close it in the end.
func New(c *kube.Client, namespace, group string, trouble func(string)) *Announcer {
	ctx, stop := context.WithCancel(context.Background())
	a := &Announcer{
		c: c, namespace: namespace, name: kube.RecordName(group), trouble: trouble,
		waiting: make(chan record.Event, mostAnnounced), closing: make(chan struct{}), stop: stop, ended: make(chan struct{}),
	}
	go live.Guarded(func() { a.run(ctx) }, func(err error) {
		trouble("Kubernetes Events are no longer written: " + err.Error())
	})()
	return a
}

// Events announces those of a run's events that others should see. It does not block.
func (a *Announcer) Events(list []record.Event) {
	for _, e := range list {
		if announced(e) == "" {
			continue
		}
		select {
		case a.waiting <- e:
		default: // a note too many: the journal has it
		}
	}
}

// Close waits a moment for what is still to be announced.
func (a *Announcer) Close() {
	close(a.closing)
	select {
	case <-a.ended:
	case <-time.After(lastAnnounced):
		a.stop()
		<-a.ended
	}
}

func (a *Announcer) run(ctx context.Context) {
	defer close(a.ended)
	defer a.stop()
	for {
		e, any := a.next()
		if !any {
			return
		}
		switch err := a.post(ctx, e); {
		case err == nil:
		case apierrors.IsForbidden(err):
			right := kube.Forbidden(err, "create", "", "events", a.where(e))
			a.trouble("no Kubernetes Events are written: " + right.Error())
			return
		case ctx.Err() != nil:
			return
		case a.told.Tell(time.Now()):
			a.trouble("a Kubernetes Event could not be written: " + a.c.Words(err))
		}
		select {
		case <-time.After(announceEvery):
		case <-ctx.Done():
			return
		}
	}
}

// next is the event to announce next; none when the Announcer is closing and none waits.
func (a *Announcer) next() (e record.Event, any bool) {
	select {
	case e = <-a.waiting:
		return e, true
	case <-a.closing:
	}
	select {
	case e = <-a.waiting: // it came before the end
		return e, true
	default:
		return e, false
	}
}

// about reports whether an event is announced on its node.
func about(e record.Event) bool {
	return e.Node != "" && e.Type != record.CapacityChanged && !strings.HasPrefix(string(e.Type), "run.")
}

// where is the namespace of an event's Event.
func (a *Announcer) where(e record.Event) string {
	if about(e) {
		return nodeEvents
	}
	return a.namespace
}

func (a *Announcer) post(ctx context.Context, e record.Event) error {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	at := metav1.NewTime(e.Time)
	event := &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: a.where(e)},
		InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Namespace: a.namespace, Name: a.name, UID: a.recordUID(ctx)},
		Reason:         announced(e), Message: note(e), Type: corev1.EventTypeNormal,
		FirstTimestamp: at, LastTimestamp: at, Count: 1,
		Source: corev1.EventSource{Component: kube.ManagedByValue}, ReportingController: "drainboard.dev/drainboard",
	}
	if about(e) {
		event.InvolvedObject = corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: e.Node, UID: types.UID(e.Node)} // as the kubelet names nodes
	}
	if alarming(e) {
		event.Type = corev1.EventTypeWarning
	}
	event.Name = fmt.Sprintf("%s.%x", event.InvolvedObject.Name, time.Now().UnixNano()) // as client-go names them
	_, err := a.c.API().Events(event.Namespace).Create(ctx, event, metav1.CreateOptions{})
	return err
}

// recordUID is the record's UID, by which `kubectl describe` finds Events; "" while there is
// none.
func (a *Announcer) recordUID(ctx context.Context) types.UID {
	if a.record == "" {
		if m, err := a.c.API().ConfigMaps(a.namespace).Get(ctx, a.name, metav1.GetOptions{}); err == nil {
			a.record = m.UID
		}
	}
	return a.record
}

// announced is the reason that an event has as a Kubernetes Event, "" for one that is
// of no interest to others.
func announced(e record.Event) string {
	switch e.Type {
	case record.RunStarted:
		return "RunStarted"
	case record.RunPaused:
		return "RunPaused"
	case record.RunResumed:
		return "RunResumed"
	case record.RunAborting:
		return "RunAborting"
	case record.RunFinished:
		return "RunFinished"
	case record.NodeDraining:
		return "NodeDraining"
	case record.NodeBlocked:
		return "NodeBlocked"
	case record.NodeDrained:
		return "NodeDrained"
	case record.NodeTerminating:
		return "NodeTerminating"
	case record.NodeFailed:
		return "NodeFailed"
	case record.NodeSkipped:
		return "NodeSkipped"
	case record.PodForced:
		return "PodForced"
	case record.CapacityChanged:
		return "CapacityChanged"
	case record.Warning:
		switch {
		case strings.HasPrefix(e.Reason, "force-"): // the order itself: by whom, and why
			return "ForceOrdered"
		case e.Reason == record.ReasonUnwritten:
			return "RecordUnwritten"
		case e.Reason == record.ReasonWritten:
			return "RecordWritten"
		}
	}
	return ""
}

// alarming reports whether an event is a warning to others.
func alarming(e record.Event) bool {
	if e.Reason == record.ReasonWritten {
		return false
	}
	switch e.Type {
	case record.RunAborting, record.NodeBlocked, record.NodeFailed, record.NodeSkipped, record.PodForced, record.Warning:
		return true
	case record.RunFinished:
		return e.ExitCode != nil && *e.ExitCode != 0
	}
	return false
}

// note is an event's message with what its object does not say, and the run.
func note(e record.Event) string {
	var about []string
	if e.Pod != "" && !strings.Contains(e.Message, e.Pod) {
		about = append(about, e.Pod)
	}
	if e.Node != "" && e.Type == record.CapacityChanged {
		about = append(about, e.Node)
	}
	text := strings.Join(append(about, e.Message), ": ")
	run := " (run " + e.Run + ")"
	if len(text)+len(run) > longestNote {
		text = strings.ToValidUTF8(text[:longestNote-len(run)-3], "") + "…"
	}
	return text + run
}
