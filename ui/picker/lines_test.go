package picker

import (
	"context"
	"io"
	"strings"
	"testing"
)

func TestPlainPickGroup(t *testing.T) {
	rows := []Group{
		{Name: "ng-web", Provider: "asg", Version: "lt:7", Nodes: 12, Outdated: 5},
		{Name: "ng-db\x1b[2J", Provider: "asg", Version: "lt:2", Nodes: 3, Running: "paused"},
		{Name: "mixed", Provider: "asg", Nodes: 1, Others: "kops", Refused: "it has no template"},
	}
	if name, ok, err := PickFromLines(context.Background(), rows, Options{Input: strings.NewReader("3\n"), Output: io.Discard, ReadOnly: true}); name != "mixed" || !ok || err != nil {
		t.Errorf("to watch, %q was picked, %v, %v", name, ok, err)
	}
	for _, c := range []struct{ typed, name, says string }{
		{"1\n", "ng-web", "1: ng-web, asg, lt:7, 5 of 12 nodes outdated\n2: ng-db\ufffd[2J, asg, lt:2, 0 of 3 nodes outdated, its run is paused\n3: mixed, asg, 0 of 1 node outdated, kops busy, cannot be upgraded: it has no template\n"},
		{"ng-web\n", "ng-web", "Type a number from 1 to 3 or a name. An empty line leaves.\n"},
		{"4\nnothing\n2\n", "ng-db\x1b[2J", `"4" matches no group.`},
		{"3\n1\n", "ng-web", "Cannot upgrade mixed: it has no template."},
		{"\n1\n", "", ""},
		{"", "", ""},
	} {
		var out strings.Builder
		name, ok, err := PickFromLines(context.Background(), rows, Options{Cluster: "prod-eu", Input: strings.NewReader(c.typed), Output: &out})
		if name != c.name || ok != (c.name != "") || err != nil || !strings.HasPrefix(out.String(), "Which group of prod-eu?\n1: ") || !strings.Contains(out.String(), c.says) {
			t.Errorf("%q picks %q, %v, %v:\n%s", c.typed, name, ok, err, out.String())
		}
	}
}
