//go:build unix

package hooks

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// posted is what a service got.
type posted struct{ path, query, auth string }

// service is an alerting service; its address has a key.
func service(t *testing.T, format Format, on ...On) (rc *receiver, h Hook, got func() []posted) {
	t.Helper()
	var mu sync.Mutex
	var list []posted
	rc = newReceiver(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, posted{r.URL.EscapedPath(), r.URL.RawQuery, r.Header.Get("Authorization")})
		w.WriteHeader(http.StatusAccepted)
	})
	h = rc.hook(t, on...)
	address, err := ParseAddress(strings.Replace(rc.URL, "http://", "http://top-secret@", 1))
	if err != nil {
		t.Fatal(err)
	}
	h.Webhook, h.Format = address, format
	if err := h.Check(); err != nil {
		t.Fatal(err)
	}
	return rc, h, func() []posted {
		mu.Lock()
		defer mu.Unlock()
		return list
	}
}

// alertRun is what happens in a run that is held up, continues, fails and is done at last.
var alertRun = []record.Event{
	{Type: record.BatchWaiting, Run: "r-1", Group: "web", Message: "batch 1"},
	{Type: record.NodeFailed, Run: "r-1", Group: "web", Node: "n1", Message: strings.Repeat("why ", 500), Time: time.Date(2026, 11, 21, 21, 0, 0, 0, time.UTC)},
	{Type: record.RunStarted, Run: "r-1", Group: "web", Message: "resumed"},
	{Type: record.RunFinished, Run: "r-1", Group: "web", ExitCode: code(0), Message: "succeeded"},
}

// PagerDuty gets what its Events API v2 takes: one alert a run, which is resolved.
func TestPagerDuty(t *testing.T) {
	rc, h, got := service(t, PagerDuty, RunStarted, ApprovalWanted, Failed, RunFinished)
	n := NewNotifier([]Hook{h}, "prod", newWarnings().warn)
	n.Events(alertRun)
	n.Close(t.Context())
	type event struct {
		RoutingKey  string `json:"routing_key"`
		EventAction string `json:"event_action"`
		DedupKey    string `json:"dedup_key"`
		Payload     *struct {
			Summary, Source, Severity, Timestamp, Component, Group, Class string
			Details                                                       map[string]string `json:"custom_details"`
		}
	}
	var list []event
	for _, body := range rc.got() {
		var e event
		if err := json.Unmarshal([]byte(body), &e); err != nil {
			t.Fatal(err)
		}
		if e.RoutingKey != "top-secret" || e.DedupKey != "drainboard/r-1" {
			t.Errorf("%s", body)
		}
		list = append(list, e)
	}
	if len(list) != 4 || list[0].EventAction != "trigger" || list[1].EventAction != "trigger" || list[2].EventAction != "resolve" || list[3].EventAction != "resolve" {
		t.Fatalf("%+v", list)
	}
	if p := list[0].Payload; p == nil || p.Severity != "warning" || p.Summary != "prod / web: approval wanted: batch 1" || p.Source != "prod" {
		t.Errorf("%+v", p)
	}
	if p := list[1].Payload; p == nil || p.Severity != "critical" || len(p.Summary) != 1024 || p.Component != "n1" || p.Class != "failed" || p.Timestamp != "2026-11-21T21:00:00Z" || p.Details["node"] != "n1" {
		t.Errorf("%+v", p)
	}
	if list[3].Payload != nil {
		t.Errorf("a resolution says more than it has to: %+v", list[3].Payload)
	}
	for _, p := range got() {
		if p.path != "/v2/enqueue" || p.auth != "" {
			t.Errorf("%+v", p)
		}
	}
}

// Opsgenie gets what its Alert API takes: the key in a header, an alert by its alias, which is closed.
func TestOpsgenie(t *testing.T) {
	rc, h, got := service(t, Opsgenie, RunStarted, Failed, RunFinished)
	n := NewNotifier([]Hook{h}, "prod", newWarnings().warn)
	n.Events(alertRun[1:])
	n.Close(t.Context())
	bodies, requests := rc.got(), got()
	if len(bodies) != 3 {
		t.Fatalf("%q", bodies)
	}
	var alert struct {
		Message, Alias, Description, Priority, Source, Entity string
		Tags                                                  []string
		Details                                               map[string]string
	}
	if err := json.Unmarshal([]byte(bodies[0]), &alert); err != nil {
		t.Fatal(err)
	}
	if alert.Message != "prod / web: failed, n1" || alert.Alias != "drainboard/r-1" || alert.Priority != "P1" || !strings.HasPrefix(alert.Description, "why why") || alert.Details["node"] != "n1" || len(alert.Tags) != 2 {
		t.Errorf("%+v", alert)
	}
	want := []posted{{"/v2/alerts", "", "GenieKey top-secret"}, {"/v2/alerts/drainboard%2Fr-1/close", "identifierType=alias", "GenieKey top-secret"}}
	if requests[0] != want[0] || requests[1] != want[1] || requests[2] != want[1] {
		t.Errorf("%+v", requests)
	}
	if strings.Contains(strings.Join(bodies, ""), "top-secret") {
		t.Error("the key is in a body")
	}
}

// What cannot open an alert is refused, and a failing service shows no key.
func TestAlertsThatCannotBe(t *testing.T) {
	for _, text := range []string{"https://events.pagerduty.com", "https://events.pagerduty.com/v2/enqueue"} {
		address, _ := ParseAddress(text)
		if err := (&Hook{On: []On{Failed}, Webhook: address, Format: PagerDuty}).CheckAlert(); err == nil {
			t.Errorf("%s has no key", text)
		}
	}
	address, _ := ParseAddress("https://key@api.opsgenie.com")
	h := Hook{On: []On{Failed, BeforeNode}, Webhook: address, Format: Opsgenie}
	if h.Check() == nil || h.CheckAlert() != nil {
		t.Errorf("%v, %v", h.Check(), h.CheckAlert())
	}
	rc := newReceiver(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		http.Error(w, "no such key top-secret", http.StatusForbidden)
	})
	said := newWarnings()
	h = rc.hook(t, Failed)
	h.Format = Opsgenie
	h.Webhook, _ = ParseAddress(strings.Replace(rc.URL, "http://", "http://top-secret@", 1))
	n := NewNotifier([]Hook{h}, "prod", said.warn)
	n.Events(alertRun[1:2])
	if m := said.next(t); strings.Contains(m, "top-secret") || !strings.Contains(m, "403") {
		t.Errorf("warned %q", m)
	}
	n.Close(t.Context())
}
