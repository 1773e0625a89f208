package records

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
)

// A record that another user wrote brings nothing to a terminal that the terminal
// would obey, wherever in the run it is; what is clean comes back as it was.
func TestLoadCleans(t *testing.T) {
	const evil = "x\x1b]52;c;eA==\x07\u202ey\u200b"
	run := testRun("r" + evil)
	run.Why, run.By, run.BlockingPods = evil, evil, []string{"fine", evil}
	run.Nodes = shards.Of(map[string]record.Node{"i-1" + evil: {Name: evil, Stage: record.Ready, Reason: evil, Wait: &record.Wait{For: evil}}})
	run.Marks = map[string][]record.Mark{"i-1": {{Put: record.TaintOf("i-1", evil, world.Taint{Key: evil})}}}
	s := newStore(t)
	r := New(s.Client, "drainboard", "ng-web")
	if _, _, err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.Save(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	got, _, err := New(s.Client, "drainboard", "ng-web").Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{`\u001b`, `\u0007`, "\u202e", "\u200b"} {
		if strings.Contains(string(text), bad) {
			t.Errorf("%q came through: %s", bad, text)
		}
	}
	if n, ok := got.Nodes.Find("i-1" + world.Clean(evil)); !ok || n.Wait == nil || n.Wait.For != world.Clean(evil) || got.BlockingPods[0] != "fine" {
		t.Errorf("what is clean is not there: %s", text)
	}
}
