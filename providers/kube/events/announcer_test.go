package events

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
)

// board is an API server that takes Events, or does not.
type board struct {
	mu     sync.Mutex
	events []corev1.Event
	code   int           // of the answer; 0 for yes
	every  int           // one of so many is answered with 500; 0: none
	hold   chan struct{} // nothing is answered until it is closed; nil: at once
}

func (b *board) serve(t *testing.T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			kubetest.Say(w, 200, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"r","namespace":"drainboard","uid":"uid-of-record"}}`)
			return
		}
		var e corev1.Event
		body, _ := io.ReadAll(r.Body)
		if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, &e); err != nil {
			t.Error(err)
		}
		if b.hold != nil {
			<-b.hold
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		if !strings.Contains(r.URL.Path, "/namespaces/"+e.Namespace+"/events") {
			t.Errorf("%s to %s", e.Name, r.URL.Path)
		}
		b.events = append(b.events, e)
		if b.every != 0 && len(b.events)%b.every == 0 {
			kubetest.Say(w, 500, kubetest.Status(500, "InternalError", "no", ""))
			return
		}
		if b.code != 0 {
			kubetest.Say(w, b.code, kubetest.Status(b.code, map[int]string{403: "Forbidden", 500: "InternalError"}[b.code], "no", ""))
			return
		}
		e.Kind, e.APIVersion = "Event", "v1"
		text, _ := json.Marshal(e)
		kubetest.Say(w, 201, string(text))
	}
}

func code(n int) *int { return &n }

func TestAnnouncer(t *testing.T) {
	b := &board{}
	a := New(kubetest.Client(t, kube.Open, b.serve(t)), "drainboard", "ng-web", func(why string) { t.Error(why) })
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	event := func(kind record.EventType, node, reason, message string) record.Event {
		return record.Event{Time: at, Run: "run-1", Group: "ng-web", Type: kind, Node: node, Reason: reason, Message: message}
	}
	forced := event(record.PodForced, "a1", "force-1", "deleted past its PDBs by force order force-1")
	forced.Pod = "shop/db-0"
	failed := event(record.RunFinished, "", "", strings.Repeat("ü", 2000))
	failed.ExitCode = code(4)
	well := event(record.RunFinished, "", "", "succeeded")
	well.ExitCode = code(0)
	a.Events([]record.Event{
		event(record.RunStarted, "", "", "started by ann@laptop"), event(record.NodeDraining, "a1", "", "1 pod to move"),
		event(record.PodEvicted, "a1", "", "evicted"), event(record.Warning, "a1", "out of sight", "of no interest to others"),
		event(record.Warning, "", record.ReasonUnwritten, "the run record cannot be written"), event(record.Warning, "", record.ReasonWritten, "it can again"),
		event(record.Warning, "a1", "force-1", "force ordered by ann@laptop (why): 1 pod"), forced,
		event(record.CapacityChanged, "i-a1", "", "end i-a1"), failed, well,
	})
	a.Close()
	var got []string
	for _, e := range b.events {
		o := e.InvolvedObject
		got = append(got, fmt.Sprintf("%s %s %s %s/%s/%s in %s: %s", e.Type, e.Reason, o.Kind, o.Namespace, o.Name, o.UID, e.Namespace, e.Message))
		if !e.FirstTimestamp.Time.Equal(at) || e.Source.Component != "drainboard" || !strings.HasPrefix(e.Name, o.Name+".") || len(e.Message) > 1024 {
			t.Errorf("%+v", e)
		}
	}
	record := "ConfigMap drainboard/" + kube.RecordName("ng-web") + "/uid-of-record in drainboard: "
	want := []string{
		"Normal RunStarted " + record + "started by ann@laptop (run run-1)",
		"Normal NodeDraining Node /a1/a1 in default: 1 pod to move (run run-1)",
		"Warning RecordUnwritten " + record + "the run record cannot be written (run run-1)",
		"Normal RecordWritten " + record + "it can again (run run-1)",
		"Warning ForceOrdered Node /a1/a1 in default: force ordered by ann@laptop (why): 1 pod (run run-1)",
		"Warning PodForced Node /a1/a1 in default: shop/db-0: deleted past its PDBs by force order force-1 (run run-1)",
		"Normal CapacityChanged " + record + "i-a1: end i-a1 (run run-1)",
		"Warning RunFinished " + record + strings.Repeat("ü", 504) + "… (run run-1)",
		"Normal RunFinished " + record + "succeeded (run run-1)",
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("announced %d:\n%s\nwant\n%s", i, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// Without the right it says so once, and asks no more.
func TestAnnouncerWithoutTheRight(t *testing.T) {
	b := &board{code: 403}
	var told []string
	a := New(kubetest.Client(t, kube.Open, b.serve(t)), "drainboard", "ng-web", func(why string) { told = append(told, why) })
	for range 5 {
		a.Events([]record.Event{{Type: record.NodeDraining, Node: "a1"}})
	}
	a.Close()
	if len(b.events) != 1 || len(told) != 1 || !strings.Contains(told[0], `this user may not create events in namespace default: give it a Role in namespace default with the rule {apiGroups: [""], resources: ["events"], verbs: ["create"]}`) {
		t.Errorf("%d asked for; told %q", len(b.events), told)
	}
}

// An API in trouble is reported once, and asked again with the next Event.
func TestAnnouncerInTrouble(t *testing.T) {
	b := &board{code: 500}
	var told []string
	a := New(kubetest.Client(t, kube.Open, b.serve(t)), "drainboard", "ng-web", func(why string) { told = append(told, why) })
	a.Events([]record.Event{{Type: record.NodeDraining, Node: "a1"}, {Type: record.NodeDrained, Node: "a1"}})
	a.Close()
	if len(b.events) != 2 || len(told) != 1 {
		t.Errorf("%d asked for; told %q", len(b.events), told)
	}
}

// What came before the end is announced, also what came right before it.
func TestAnnouncerEndsLast(t *testing.T) {
	a := &Announcer{waiting: make(chan record.Event, mostAnnounced), closing: make(chan struct{})}
	for range mostAnnounced {
		a.Events([]record.Event{{Type: record.NodeDraining}})
	}
	close(a.closing)
	for i := range mostAnnounced {
		if _, any := a.next(); !any {
			t.Fatalf("%d of %d events", i, mostAnnounced)
		}
	}
	if _, any := a.next(); any {
		t.Error("an event that nobody has sent")
	}
}

// An API that fails now and then is reported once, and not after each Event that it took.
func TestAnnouncerNowAndThen(t *testing.T) {
	b := &board{every: 5}
	var told []string
	a := New(kubetest.Client(t, kube.Open, b.serve(t)), "drainboard", "ng-web", func(why string) { told = append(told, why) })
	for range 20 {
		a.Events([]record.Event{{Type: record.NodeDraining, Node: "a1"}})
	}
	a.Close()
	if len(b.events) != 20 || len(told) != 1 {
		t.Errorf("%d asked for; told %q", len(b.events), told)
	}
}

// An API that does not answer keeps nobody waiting.
func TestAnnouncerDoesNotBlock(t *testing.T) {
	b := &board{hold: make(chan struct{})}
	a := New(kubetest.Client(t, kube.Open, b.serve(t)), "drainboard", "ng-web", func(string) {})
	begin := time.Now()
	for range 3 * mostAnnounced {
		a.Events([]record.Event{{Type: record.NodeDraining, Node: "a1"}})
	}
	if took := time.Since(begin); took > time.Second {
		t.Errorf("%d events took %s", 3*mostAnnounced, took)
	}
	go func() { time.Sleep(lastAnnounced + time.Second); close(b.hold) }() // the server must end as well
	a.Close()
	if took := time.Since(begin); took > lastAnnounced+2*time.Second {
		t.Errorf("it ended after %s", took)
	}
}
