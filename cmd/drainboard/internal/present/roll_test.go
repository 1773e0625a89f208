package present

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
)

// A roll's plan is its groups in their order, each in short.
func TestRollPlanText(t *testing.T) {
	fails := snapshot.ForecastOf(time.Time{}, snapshot.Rehearsal{Took: 12 * time.Minute, Result: record.EvictionFail, Failed: 1, Left: 1}, nil)
	at := time.Date(2026, 3, 14, 21, 0, 0, 0, time.UTC)
	rules := strategy.RollByName()
	settled := record.Run{Settings: record.Settings{Approve: record.ApproveNone}}
	run := record.Run{ID: "web-1", Group: "web", By: "bob@desk", Started: at, Seen: at, State: record.Paused, Strategy: "eks"}
	p := RollPlan{
		Cluster: "prod-eu-1", Rules: rules, Runs: map[string]record.Run{"web": run},
		Plans: map[string]snapshot.Plan{
			"batch": {Run: settled, Group: "batch", From: "v1.31", To: "v1.32", Limit: 2, Extra: 4, Estimate: 12 * time.Minute, Nodes: []snapshot.PlannedNode{{Name: "n1", Foreseen: []string{"a budget never opens"}}, {Name: "n2"}}, Refusals: []string{"jobs/x needs --force-unmanaged"},
				Forecast: &fails},
			"db": {Run: settled, Group: "db", Warnings: []string{"i-1 is in Standby"}},
		},
		Roll: roll.New(rules, "roll-1", []roll.Group{{Name: "batch", Total: 2}, {Name: "db", State: roll.LeftOut, Why: "no node is outdated"}, {Name: "web", Resumes: true, Run: "web-1", Done: 4, Total: 12}}),
	}
	var out bytes.Buffer
	WriteRollPlan(&out, p, at.Add(time.Minute), false)
	text := out.String()
	for _, want := range []string{"prod-eu-1: a roll of 2 groups, by name", "#  GROUP  NODES", "1  web", "8 of 12 left", "2  batch  2", "v1.31 → v1.32", "12m0s",
		"Resumed first:\n  - web: run web-1: started by bob@desk", "Left out:\n  - db: no node is outdated", "- batch: the run would end after 12m0s (PodEvictionFailure), with 0 nodes replaced, 1 failed, 1 left\n  - batch: n1: a budget never opens", "- db: i-1 is in Standby", "- batch: jobs/x needs --force-unmanaged"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "ROLE") {
		t.Errorf("roles, which these groups have not:\n%s", text)
	}
	var refused *exitcode.Error
	if err := CannotRoll(p); !errors.As(err, &refused) || refused.Code != exitcode.WrongUse || !strings.Contains(err.Error(), "group batch: not started") {
		t.Errorf("refused: %v", err)
	}
	var back struct {
		ID     string
		Groups []struct {
			Group, State string
			Plan         *struct{ Group string }
		}
	}
	doc := printed(t, RollOf(p))
	if err := json.Unmarshal(doc, &back); err != nil || back.ID != "roll-1" || len(back.Groups) != 3 {
		t.Fatalf("%v: %s", err, doc)
	}
	if g := back.Groups; g[0].Plan != nil || g[1].Plan == nil || g[1].Plan.Group != "batch" || g[2].State != "left-out" {
		t.Errorf("%s", doc)
	}
}
