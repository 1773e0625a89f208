package ui

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/themes"
)

var groups = []GroupRow{
	{Name: "ng-web", Provider: "asg", Version: "v1.31.4-eks-a1b2c3d", Nodes: 36, Outdated: 24, Running: "upgrading, 12 of 36"},
	{Name: "ng-batch", Provider: "asg", Version: "v1.31.4-eks-a1b2c3d", Nodes: 8, Outdated: 8},
	{Name: "ng-system", Provider: "asg", Version: "v1.32.1-eks-d4c3b2a", Nodes: 3},
	{Name: "ng-managed", Provider: "eks", Nodes: 5, Outdated: 5, Refused: "it belongs to the EKS managed node group web"},
}

func TestPickAGroup(t *testing.T) {
	for _, c := range []struct{ keys, name string }{
		{"j\r", "ng-batch"}, {"G\rkk\r", "ng-batch"}, {"jq", ""}, {"\x03", ""}, {"\r", "ng-web"}, {"/sys\r\r", "ng-system"}, {"/batch\rG\r", "ng-batch"}, {"/zzz\r\rq", ""},
	} {
		in, keys := io.Pipe()
		go io.WriteString(keys, c.keys)
		name, ok, err := PickGroup(context.Background(), groups, nil, Options{Input: in, Output: io.Discard, Environ: []string{"TERM=xterm"}})
		keys.Close()
		if err != nil || name != c.name || ok != (c.name != "") {
			t.Errorf("%q picked %q, %v, %v; want %q", c.keys, name, ok, err, c.name)
		}
	}
}

// The list follows the cluster, keeps its cursor by name, and says so when it is old.
func TestGroupsAreReadAgain(t *testing.T) {
	clock := at
	p := newPicker(groups, Options{Cluster: "prod-eu", Theme: themes.None, Now: func() time.Time { return clock }})
	p.again = func() tea.Msg { return nil }
	p.Update(tea.WindowSizeMsg{Width: 120, Height: 24})
	p.Update(tea.KeyPressMsg{Code: 'j', Text: "j"})
	if got := ansi.Strip(p.View().Content); !strings.Contains(got, "drainboard   prod-eu   which group?") {
		t.Errorf("the cluster is not named:\n%s", got)
	}
	more := append([]GroupRow{{Name: "ng-arm", Provider: "asg", Nodes: 4, Outdated: 1, Running: "paused"}}, groups...)
	p.Update(groupsMsg{rows: more})
	if got := ansi.Strip(p.View().Content); p.cursor != "ng-batch" || !strings.Contains(got, "› ng-batch") && !strings.Contains(got, "›ng-batch") || !strings.Contains(got, "‖ paused") {
		t.Errorf("the cursor is at %s:\n%s", p.cursor, got)
	}
	clock = clock.Add(20 * time.Second)
	if _, cmd := p.Update(groupsMsg{err: errors.New("connection refused")}); cmd == nil {
		t.Error("the groups are not read again after a failure")
	}
	if got := ansi.Strip(p.View().Content); !strings.Contains(got, "ng-arm") || !strings.Contains(got, "the groups are as of 20 s ago: connection refused") {
		t.Errorf("a failure does not show:\n%s", got)
	}
	p.Update(groupsMsg{rows: groups[2:]})
	if p.cursor != "" || !strings.Contains(ansi.Strip(p.View().Content), "ng-batch is no longer listed") {
		t.Errorf("the cursor's group is gone, and the cursor is at %q", p.cursor)
	}
	if p.Update(tea.KeyPressMsg{Code: tea.KeyEnter}); p.picked != "" {
		t.Errorf("picked %s, which nobody chose", p.picked)
	}
}
