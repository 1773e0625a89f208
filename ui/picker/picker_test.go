package picker

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
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/term"
	"github.com/drainboard/drainboard/ui/uitest"
)

func TestPickerTakesNewLooks(t *testing.T) {
	m := newPicker([]Group{{Name: "ng-web", Nodes: 3, Outdated: 1}}, Options{Appearance: term.Appearance{Theme: themes.Dark}, Environ: []string{"TERM=xterm"}})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	m.Update(term.AppearanceMsg{Appearance: term.Appearance{Theme: themes.None, Mark: "PRODUCTION", Problem: "config.yaml, line 1: wrong"}})
	v := m.View()
	uitest.CheckFrame(t, v.Content, 80, 24)
	for _, want := range []string{"PRODUCTION", "drainboard", "config.yaml, line 1: wrong", "ng-web"} {
		if !strings.Contains(ansi.Strip(v.Content), want) {
			t.Errorf("the picker does not show %q:\n%s", want, ansi.Strip(v.Content))
		}
	}
	if strings.Contains(v.Content, "38;2;") || v.WindowTitle != "PRODUCTION drainboard" {
		t.Errorf("title %q, frame %q", v.WindowTitle, v.Content)
	}
}

// The picker reads no keys either while it cannot be read.
func TestAPickerTooSmallPicksNothing(t *testing.T) {
	p := newPicker(groups, Options{})
	p.Update(tea.WindowSizeMsg{Width: 30, Height: 8})
	if p.Update(tea.KeyPressMsg{Code: tea.KeyEnter}); p.picked != "" {
		t.Errorf("picked %s", p.picked)
	}
}

func TestPicker(t *testing.T) {
	uitest.Both(t, "groups", func(t *testing.T, theme themes.Theme, write func(st *style.Styles, heading string, lines []string)) {
		for _, keys := range []string{"", "G enter"} {
			for _, size := range uitest.Sizes {
				p := newPicker(groups, Options{Appearance: term.Appearance{Theme: theme}, Now: func() time.Time { return uitest.Moment }})
				p.Update(tea.WindowSizeMsg{Width: size[0], Height: 14})
				for _, k := range strings.Fields(keys) {
					p.Update(uitest.KeyPress(k))
				}
				frame := p.View().Content
				uitest.CheckFrame(t, frame, size[0], 14)
				write(p.Styles, uitest.Heading(size[0], "groups", keys), strings.Split(frame, "\n"))
			}
		}
	})
}

var groups = []Group{
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
		name, ok, err := Pick(context.Background(), groups, nil, Options{Input: in, Output: io.Discard, Environ: []string{"TERM=xterm"}})
		keys.Close()
		if err != nil || name != c.name || ok != (c.name != "") {
			t.Errorf("%q picked %q, %v, %v; want %q", c.keys, name, ok, err, c.name)
		}
	}
}

// The list follows the cluster, keeps its cursor by name, and says so when it is old.
func TestGroupsAreReadAgain(t *testing.T) {
	clock := uitest.Moment
	p := newPicker(groups, Options{Cluster: "prod-eu", Appearance: term.Appearance{Theme: themes.None}, Now: func() time.Time { return clock }})
	p.again = func() tea.Msg { return nil }
	p.Update(tea.WindowSizeMsg{Width: 120, Height: 24})
	p.Update(tea.KeyPressMsg{Code: 'j', Text: "j"})
	if got := ansi.Strip(p.View().Content); !strings.Contains(got, "drainboard   prod-eu   which group?") {
		t.Errorf("the cluster is not named:\n%s", got)
	}
	more := append([]Group{{Name: "ng-arm", Provider: "asg", Nodes: 4, Outdated: 1, Running: "paused"}}, groups...)
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
