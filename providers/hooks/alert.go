package hooks

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
)

// Limits of what alerting services take: PagerDuty's Events API v2 ("payload.summary"), and
// Opsgenie's Alert API ("Create Alert").
const (
	maxSummary     = 1024
	maxTitle       = 130
	maxDescription = 15000
)

// alertPaths are the formats that open and close alerts, and the path where the service takes
// them. The service's key stands before the host in the webhook's address.
var alertPaths = map[Format]string{PagerDuty: "/v2/enqueue", Opsgenie: "/v2/alerts"}

// alerts reports whether a format opens and closes alerts.
func (f Format) alerts() bool { return alertPaths[f] != "" }

// alias names the alert of a run: all that is wrong with it is one alert, which is closed when
// the run continues, or has ended well.
func (m Message) alias() string { return "drainboard/" + m.Run }

// closes reports whether a message says that all is well again.
func (m Message) closes() bool {
	switch m.Hook {
	case RunStarted:
		return true
	case RunFinished:
		return m.ExitCode == nil || !failure(*m.ExitCode)
	}
	return m.Reason == record.ReasonWritten
}

// severe is how much a message matters: 0 a failure, 1 a run that is held up, 2 a question.
func (m Message) severe() int {
	switch m.Hook {
	case Failed, RunFinished:
		return 0
	case ApprovalWanted:
		return 2
	}
	return 1
}

// details are what an alert carries of the event, those that apply.
func (m Message) details() map[string]string {
	out := map[string]string{}
	for name, value := range map[string]string{
		"hook": string(m.Hook), "cluster": m.Cluster, "group": m.Group, "run": m.Run, "phase": m.Phase, "node": m.Node,
		"zone": m.Zone, "pod": m.Pod, "pdb": m.Budget, "reason": api.Reason(m.Reason), "result": api.Word(m.Result),
	} {
		if value != "" {
			out[name] = value
		}
	}
	return out
}

// pagerDuty is the message as PagerDuty's Events API v2 takes it.
func (m Message) pagerDuty(key string) ([]byte, error) {
	type payload struct {
		Summary   string            `json:"summary"`
		Source    string            `json:"source"`
		Severity  string            `json:"severity"`
		Timestamp string            `json:"timestamp,omitempty"`
		Component string            `json:"component,omitempty"`
		Group     string            `json:"group,omitempty"`
		Class     string            `json:"class,omitempty"`
		Details   map[string]string `json:"custom_details,omitempty"`
	}
	event := struct {
		RoutingKey  string   `json:"routing_key"`
		EventAction string   `json:"event_action"`
		DedupKey    string   `json:"dedup_key"`
		Client      string   `json:"client,omitempty"`
		Payload     *payload `json:"payload,omitempty"`
	}{RoutingKey: key, EventAction: "resolve", DedupKey: m.alias()}
	if !m.closes() {
		event.EventAction, event.Client = "trigger", "Drainboard"
		event.Payload = &payload{
			Summary: short(m.headline()+": "+m.Event.Message, maxSummary), Source: m.Cluster, Severity: [...]string{"critical", "error", "warning"}[m.severe()],
			Component: m.Node, Group: m.Group, Class: string(m.Hook), Details: m.details(),
		}
		if !m.Time.IsZero() {
			event.Payload.Timestamp = m.Time.UTC().Format(time.RFC3339)
		}
	}
	return json.Marshal(event)
}

// opsgenie is the message as Opsgenie's Alert API takes it, and where below the address it goes.
func (m Message) opsgenie() (body []byte, below string, err error) {
	if m.closes() {
		body, err = json.Marshal(map[string]string{"source": "Drainboard", "note": short(m.headline()+": "+m.Event.Message, maxDescription)})
		return body, "/" + url.PathEscape(m.alias()) + "/close?identifierType=alias", err
	}
	body, err = json.Marshal(struct {
		Message     string            `json:"message"`
		Alias       string            `json:"alias"`
		Description string            `json:"description"`
		Priority    string            `json:"priority"`
		Source      string            `json:"source"`
		Entity      string            `json:"entity,omitempty"`
		Tags        []string          `json:"tags"`
		Details     map[string]string `json:"details"`
	}{
		short(m.headline(), maxTitle), m.alias(), short(m.Event.Message, maxDescription), [...]string{"P1", "P2", "P3"}[m.severe()], "Drainboard", m.Group,
		[]string{"drainboard", string(m.Hook)}, m.details(),
	})
	return body, "", err
}

// CheckAlert says what keeps a hook from opening alerts, nil if nothing does or it opens none. It
// is known once the webhook's address is.
func (h *Hook) CheckAlert() error {
	if !h.Format.alerts() {
		return nil
	}
	if u, err := url.Parse(h.Webhook.url); err != nil || u.User.Username() == "" {
		return errNoKey
	}
	return nil
}

var errNoKey = errors.New("the service's key is missing: https://KEY@HOST")

// aroundNodes reports whether a hook is asked around nodes, of which an alert says nothing.
func (h *Hook) aroundNodes() bool {
	return slices.Contains(h.On, BeforeNode) || slices.Contains(h.On, AfterNode)
}
