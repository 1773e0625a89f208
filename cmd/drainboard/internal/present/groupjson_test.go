package present

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/api/apitest"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
)

// printed is a document as it is printed, and as its schema has it.
func printed(t *testing.T, doc any) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := JSON(&out, doc); err != nil {
		t.Fatal(err)
	}
	if kinds := apitest.Valid(t, out.Bytes()); len(kinds) != 1 || bytes.Contains(out.Bytes(), []byte("null")) {
		t.Errorf("%d documents, with null: %s", len(kinds), out.Bytes())
	}
	return out.Bytes()
}

// A plan of nothing has a list of no nodes.
func TestPlanOfNothingForPrograms(t *testing.T) {
	p := snapshot.Plan{Run: record.Run{Settings: record.Settings{Approve: record.ApproveBatch}}}
	if text := printed(t, PlanOf(p)); !bytes.Contains(text, []byte(`"nodes": []`)) {
		t.Errorf("%s", text)
	}
}

// Programs get a group by small names, its sizes and template as far as there are any.
func TestGroupsForPrograms(t *testing.T) {
	rows := []GroupRow{
		{Summary: asg.Summary{Group: world.Group{
			Name: "ng", Provider: "asg", Sizes: world.Sizes{Min: 0, Max: 6, Desired: 3}, Zones: []string{"a"},
			Template: world.Template{ID: "lt-1", Version: 7}, TemplateName: "web", TemplateSpec: "$Latest", Refused: "it is frozen",
		}, Machines: 3, Outdated: 2}, Running: "paused"},
		{Summary: asg.Summary{Group: world.Group{Name: "pool", Provider: "gardener", Pool: &world.Pool{}, Sizes: world.Sizes{Desired: 2}}, Machines: 2}, Worker: &api.WorkerPool{KubernetesVersion: "1.33.1"}},
	}
	var list struct{ Items []map[string]any }
	if err := json.Unmarshal(printed(t, GroupsOf(rows)), &list); err != nil {
		t.Fatal(err)
	}
	out := list.Items
	for i, want := range []string{
		"ng asg 0 6 3 3 2 map[id:lt-1 name:web version:7 versionInGroup:$Latest] paused it is frozen",
		"pool gardener <nil> <nil> 2 2 0 <nil> <nil> <nil>",
	} {
		g := out[i]
		if got := fmt.Sprintln(g["name"], g["provider"], g["minSize"], g["maxSize"], g["desiredSize"], g["instances"], g["outdated"], g["launchTemplate"], g["runState"], g["cannotStart"]); got != want+"\n" {
			t.Errorf("got %s", got)
		}
	}
	if zones, listed := out[1]["zones"].([]any); !listed || len(zones) != 0 {
		t.Errorf("its zones are %v, want none in a list", out[1]["zones"])
	}
	if pool, _ := out[1]["pool"].(map[string]any); pool["kubernetesVersion"] != "1.33.1" {
		t.Errorf("its pool is %v", out[1]["pool"])
	}
}
