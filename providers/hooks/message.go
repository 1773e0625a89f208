package hooks

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
)

// Message is what a hook is told: an event as docs/reference/events.md describes it, and where it
// comes from.
type Message struct {
	// Hook is the moment it is called for.
	Hook On
	// Cluster is the kubeconfig context's or cluster's name.
	Cluster string
	// Machine is the node's machine, of before-node and after-node.
	Machine string
	record.Event
}

// json is the message as commands get it.
func (m Message) json() []byte {
	return api.Marshal(api.HookEvent{Hook: string(m.Hook), Cluster: m.Cluster, Instance: m.Machine, EventFields: api.FieldsOf(m.Event)})
}

// Env is the message as environment variables.
func (m Message) Env() (out []string) {
	set := func(name, value string) { out = append(out, "DRAINBOARD_"+name+"="+short(value, maxEnv)) }
	set("HOOK", string(m.Hook))
	set("CLUSTER", m.Cluster)
	set("RUN", m.Run)
	set("GROUP", m.Group)
	set("TYPE", string(m.Type))
	set("TIME", m.Time.UTC().Format(time.RFC3339))
	set("PHASE", m.Phase)
	set("NODE", m.Node)
	set("INSTANCE", m.Machine)
	set("ZONE", m.Zone)
	set("POD", m.Pod)
	set("BUDGET", m.Budget)
	set("REASON", api.Reason(m.Reason))
	set("MESSAGE", m.Message)
	set("RESULT", api.Word(m.Result))
	batch, code, until := "", "", ""
	if m.Batch > 0 {
		batch = strconv.Itoa(m.Batch)
	}
	if m.ExitCode != nil {
		code = strconv.Itoa(*m.ExitCode)
	}
	if m.Until != nil {
		until = m.Until.UTC().Format(time.RFC3339)
	}
	set("BATCH", batch)
	set("EXIT_CODE", code)
	set("UNTIL", until)
	return out
}

// maxEnv is how long one variable may be: a system refuses to start a program with too
// much of it. The JSON holds all.
const maxEnv = 8192

// headlines are what the moments are called in a chat.
var headlines = map[On]string{
	RunStarted: "upgrade started", RunFinished: "upgrade finished", RunPaused: "upgrade paused",
	ApprovalWanted: "approval wanted", Blocked: "blocked", Failed: "failed",
	Unwritten:  "run record",
	BeforeNode: "before a node", AfterNode: "after a node",
}

// headline is what it is about, in a few words.
func (m Message) headline() string {
	head := fmt.Sprintf("%s / %s: %s", m.Cluster, m.Group, headlines[m.Hook])
	if m.Node != "" {
		head += ", " + m.Node
	}
	return head
}

// slack is the message as Slack's incoming webhooks take it: text for notifications, and
// blocks for the channel.
func (m Message) slack() ([]byte, error) {
	head := m.headline()
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	type block struct {
		Type     string `json:"type"`
		Text     *text  `json:"text,omitempty"`
		Elements []text `json:"elements,omitempty"`
	}
	small := []string{m.Run}
	for _, more := range []string{m.Phase, m.Zone, m.Reason} {
		if more != "" {
			small = append(small, more)
		}
	}
	if m.ExitCode != nil {
		small = append(small, fmt.Sprintf("exit code %d", *m.ExitCode))
	}
	if m.Until != nil {
		small = append(small, "until "+m.Until.UTC().Format("15:04:05 MST"))
	}
	return json.Marshal(struct {
		Text   string  `json:"text"`
		Blocks []block `json:"blocks"`
	}{
		escape(head + ": " + m.Event.Message),
		[]block{
			{Type: "section", Text: &text{"mrkdwn", short(escape("*"+strings.ReplaceAll(head, "*", "")+"*\n"+m.Event.Message), maxSection)}},
			{Type: "context", Elements: []text{{"mrkdwn", short(escape(strings.Join(small, ", ")), maxSection)}}},
		},
	})
}

// maxSection is below Slack's limit of the text of a block (3000 letters).
const maxSection = 2900

// escape keeps a text from being read as markup (Slack, "Escaping text").
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// short is a text of at most n letters.
func short(text string, n int) string {
	if letters := []rune(text); len(letters) > n {
		return string(letters[:n-3]) + "..."
	}
	return text
}
