package present

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
)

// A plan of nothing has a list of no nodes.
func TestPlanOfNothingForPrograms(t *testing.T) {
	text, err := json.Marshal(PlanOf(engine.Plan{}))
	if err != nil || !bytes.Contains(text, []byte(`"nodes":[]`)) {
		t.Errorf("%s, %v", text, err)
	}
}

// Programs get a group by small names, its sizes and template as far as there are any.
func TestGroupsForPrograms(t *testing.T) {
	rows := []GroupRow{
		{Summary: asg.Summary{Group: world.Group{
			Name: "ng", Provider: "asg", Sizes: world.Sizes{Min: 0, Max: 6, Desired: 3}, Zones: []string{"a"},
			Template: world.Template{ID: "lt-1", Version: 7}, TemplateName: "web", TemplateSpec: "$Latest", Refused: "it is frozen",
		}, Machines: 3, Outdated: 2}, Running: "paused"},
		{Summary: asg.Summary{Group: world.Group{Name: "pool", Provider: "gardener", Pool: &world.Pool{}, Sizes: world.Sizes{Desired: 2}}, Machines: 2}, Worker: &Pool{Version: "1.33.1"}},
	}
	var b bytes.Buffer
	if err := JSON(&b, GroupsOf(rows)); err != nil {
		t.Fatal(err)
	}
	var out []map[string]any
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"ng asg 0 6 3 3 2 map[id:lt-1 name:web spec:$Latest version:7] paused it is frozen",
		"pool gardener <nil> <nil> 2 2 0 <nil> <nil> <nil>",
	} {
		g := out[i]
		if got := fmt.Sprintln(g["name"], g["provider"], g["min"], g["max"], g["desired"], g["machines"], g["outdated"], g["template"], g["running"], g["refused"]); got != want+"\n" {
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
