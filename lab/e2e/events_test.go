package e2e

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Event is one line of `upgrade --auto -o json`, with the fields that a script may rely on and no
// others. They are written down here once more: a field that the program renames fails.
type Event struct {
	APIVersion        string     `json:"apiVersion"`
	Kind              string     `json:"kind"`
	Time              time.Time  `json:"time"`
	Run               string     `json:"run"`
	Group             string     `json:"group"`
	Roll              string     `json:"roll"`
	Type              string     `json:"type"`
	Phase             string     `json:"phase"`
	Node              string     `json:"node"`
	Zone              string     `json:"zone"`
	Pod               string     `json:"pod"`
	Budget            string     `json:"budget"`
	By                string     `json:"by"`
	Inferred          bool       `json:"inferred"`
	Batch             int        `json:"batch"`
	Reason            string     `json:"reason"`
	Until             *time.Time `json:"until"`
	Message           string     `json:"message"`
	EquivalentCommand string     `json:"equivalentCommand"`
	Result            string     `json:"result"`
	ExitCode          *int       `json:"exitCode"`
}

func (e Event) String() string {
	s := fmt.Sprintf("%s %-16s %s", e.Time.Format("15:04:05.000"), e.Type, e.Phase)
	for _, part := range []string{e.Node, e.Pod, e.Budget, e.Reason, e.Message} {
		if part != "" {
			s += " | " + part
		}
	}
	return s
}

func parseEvent(line string) (Event, error) {
	var e Event
	decoder := json.NewDecoder(strings.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&e); err != nil {
		return e, fmt.Errorf("not an event of docs/reference/events.md: %w", err)
	}
	if e.APIVersion != "drainboard/v1" || e.Kind != "Event" {
		return e, fmt.Errorf("not an event: %s", line)
	}
	return e, nil
}

// Conditions for await.

func onNode(node string) func(Event) bool { return func(e Event) bool { return e.Node == node } }

func ofPod(prefix string) func(Event) bool {
	return func(e Event) bool { return strings.HasPrefix(e.Pod, prefix) }
}

func inPhase(phase string) func(Event) bool { return func(e Event) bool { return e.Phase == phase } }

func because(reason string) func(Event) bool {
	return func(e Event) bool { return strings.Contains(e.Reason, reason) }
}

func saying(text string) func(Event) bool {
	return func(e Event) bool { return strings.Contains(e.Message, text) }
}

var eventType = regexp.MustCompile("`([a-z]+\\.[a-z]+|warning)`")

// checkEvents holds what was said against docs/reference/events.md.
func checkEvents(t *testing.T, events []Event) {
	t.Helper()
	documented := map[string]bool{}
	for line := range strings.SplitSeq(string(document(t, "docs", "reference", "events.md")), "\n") {
		if column, _, ok := strings.Cut(strings.TrimPrefix(line, "|"), "|"); ok && strings.HasPrefix(line, "|") {
			for _, m := range eventType.FindAllStringSubmatch(column, -1) {
				documented[m[1]] = true
			}
		}
	}
	for i, e := range events {
		missing := ""
		kind, _, _ := strings.Cut(e.Type, ".")
		switch {
		case !documented[e.Type]:
			missing = "an entry in docs/reference/events.md"
		case e.Time.IsZero() || e.Run == "" || e.Group == "":
			missing = "time, run or group"
		case e.Message == "":
			missing = "message"
		case kind == "phase" && e.Phase == "":
			missing = "phase"
		case kind == "node" && (e.Node == "" || e.Zone == ""):
			missing = "node or zone"
		case kind == "pod" && (e.Pod == "" || e.Node == ""):
			missing = "pod or node"
		case kind == "batch" && e.Batch == 0:
			missing = "batch"
		case e.Until == nil && (e.Type == "node.draining" && !cordonedNext(events, i) || e.Type == "node.settling" && e.Reason != "routes"):
			missing = "until"
		case e.Type == "run.finished" && (e.Result == "" || e.ExitCode == nil):
			missing = "result or exitCode"
		case (e.Type == "pod.evicted" || e.Type == "pod.forced" || e.Type == "node.terminating") && e.EquivalentCommand == "":
			missing = "command"
		}
		if missing != "" {
			t.Errorf("event without %s: %v", missing, e)
		}
	}
	if n := len(events); n > 0 {
		if last := events[n-1]; last.Type == "run.finished" && slices.ContainsFunc(events[:n-1], func(e Event) bool { return e.Type == "run.finished" }) {
			t.Error("run.finished came twice")
		}
	}
}

// cordonedNext reports whether the next event of the node that begins to drain at i, taints aside, is its cordon:
// the time of its drain begins with that. If there is none, the process has ended before, and no other drain of its
// had an end from the start.
func cordonedNext(events []Event, i int) bool {
	after := events[i+1:]
	next := slices.IndexFunc(after, func(e Event) bool { return e.Node == events[i].Node && e.Type != "node.tainted" })
	if next < 0 {
		return !slices.ContainsFunc(events, func(e Event) bool { return e.Type == "node.draining" && e.Until != nil })
	}
	return after[next].Type == "node.cordoned"
}

// checkOrder sees that the phases came one after the other, and every replaced
// node through its stages in order.
func checkOrder(t *testing.T, events []Event) {
	t.Helper()
	var phases []string
	for _, e := range events {
		if e.Type == "phase.started" || e.Type == "phase.finished" {
			phases = append(phases, strings.TrimPrefix(e.Type, "phase.")+" "+e.Phase)
		}
	}
	want := []string{
		"started setup", "finished setup", "started scale up", "finished scale up",
		"started upgrade", "finished upgrade", "started scale down", "finished scale down",
	}
	if !slices.Equal(phases, want) {
		t.Errorf("phases %q, want %q", phases, want)
	}
	stages := []string{"node.draining", "node.drained", "node.settling", "node.terminating", "node.replaced"}
	at := map[string]int{}
	for _, e := range events {
		i := slices.Index(stages, e.Type)
		if i < 0 {
			continue
		}
		if at[e.Node] != i {
			t.Errorf("%s: %s came where %s was next", e.Node, e.Type, stages[at[e.Node]%len(stages)])
		}
		at[e.Node] = i + 1
	}
	for node, next := range at {
		if next != len(stages) {
			t.Errorf("%s: %s never came", node, stages[next])
		}
	}
}

// checkFinished sees that the last event is the run's end, with this result and
// exit code.
func checkFinished(t *testing.T, events []Event, result string, code int) {
	t.Helper()
	if len(events) == 0 {
		t.Error("no event at all")
		return
	}
	last := events[len(events)-1]
	if last.Type != "run.finished" || last.Result != result || last.ExitCode == nil || *last.ExitCode != code {
		t.Errorf("the last event is not the end with result %s and exit code %d: %v", result, code, last)
	}
}
