package api_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/api/apitest"
)

// A document says what it is, has lists where there is nothing, and spans as Go writes them.
func TestMarshal(t *testing.T) {
	plan := api.GroupPlan{GroupPlanFields: api.GroupPlanFields{
		Nodes: []api.PlannedNode{{Instance: "i-1"}}, EstimatedDuration: api.Duration(90 * time.Second), Settings: api.Settings{Approve: "none"},
		Pool: &api.WorkerPoolStatus{Countdowns: []api.Countdown{{Wait: api.Wait{For: "<drain>"}}}},
	}}
	text := api.Marshal(plan)
	apitest.Valid(t, text)
	for _, want := range []string{
		`{"apiVersion":"drainboard/v1","kind":"GroupPlan","group":""`, `"foreseenBlockers":[]`, `"estimatedDuration":"1m30s"`, `"freeAddresses":{}`, `"for":"<drain>"`, `"sources":[]`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if strings.Contains(string(text), "null") || strings.Count(string(text), "\n") != 1 {
		t.Errorf("%s", text)
	}
	var back api.GroupPlan
	if err := json.Unmarshal(text, &back); err != nil || back.EstimatedDuration != plan.EstimatedDuration || plan.Kind != "" {
		t.Errorf("%v: %+v", err, back)
	}
}

func TestWord(t *testing.T) {
	for value, want := range map[string]string{"API trouble": "api-trouble", "PodEvictionFailure": "PodEvictionFailure", "in-place": "in-place", "": ""} {
		if got := api.Word(value); got != want {
			t.Errorf("%q is %q, want %q", value, got, want)
		}
	}
}
