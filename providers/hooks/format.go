package hooks

import (
	"net/http"
	"net/url"
)

// Format is how a webhook's body is made up.
type Format string

// Formats.
const (
	Slack Format = "slack" // {"text": ..., "blocks": ...}, as Slack's incoming webhooks take it
	JSON  Format = "json"  // the message as commands get it
	// PagerDuty and Opsgenie open an alert for each run that needs a person, and close it (alert.go).
	PagerDuty Format = "pagerduty"
	Opsgenie  Format = "opsgenie"
)

// Formats are all there are, the default first.
var Formats = []Format{Slack, JSON, PagerDuty, Opsgenie}

// request is what a message is for the hook's webhook: its body, and what goes with it.
func (h *Hook) request(m Message) (to string, header http.Header, body []byte, err error) {
	to, header = h.Webhook.url, http.Header{"Content-Type": {"application/json"}, "User-Agent": {"drainboard"}}
	if !h.Format.alerts() {
		if h.Format == JSON {
			return to, header, m.json(), nil
		}
		body, err = m.slack()
		return to, header, body, err
	}
	u, err := url.Parse(to)
	if err != nil {
		return "", nil, nil, err
	}
	key := u.User.Username()
	u.User = nil
	if u.Path == "" || u.Path == "/" {
		u.Path = alertPaths[h.Format]
	}
	if h.Format == PagerDuty {
		body, err = m.pagerDuty(key)
		return u.String(), header, body, err
	}
	header.Set("Authorization", "GenieKey "+key)
	body, below, err := m.opsgenie()
	return u.String() + below, header, body, err
}
