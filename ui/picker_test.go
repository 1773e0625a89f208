package ui

import (
	"context"
	"fmt"
	"io"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/drainboard/drainboard/themes"
)

var groups = []GroupRow{
	{Name: "ng-web", Provider: "asg", Version: "v1.31.4-eks-a1b2c3d", Nodes: 36, Outdated: 24, Running: "upgrading, 12 of 36"},
	{Name: "ng-batch", Provider: "asg", Version: "v1.31.4-eks-a1b2c3d", Nodes: 8, Outdated: 8},
	{Name: "ng-system", Provider: "asg", Version: "v1.32.1-eks-d4c3b2a", Nodes: 3},
	{Name: "ng-managed", Provider: "eks", Nodes: 5, Outdated: 5, Refused: "it belongs to the EKS managed node group web"},
}

func TestPicker(t *testing.T) {
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			p := newPicker(groups, Options{Theme: themes.None})
			p.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			frame := p.View().Content
			checkFrame(t, frame, size[0], size[1])
			golden.RequireEqual(t, ansi.Strip(frame)+"\n")
		})
	}
}

func TestPickAGroup(t *testing.T) {
	for _, c := range []struct{ keys, name string }{
		{"j\r", "ng-batch"}, {"G\rkk\r", "ng-batch"}, {"jq", ""}, {"\x03", ""}, {"\r", "ng-web"},
	} {
		in, keys := io.Pipe()
		go io.WriteString(keys, c.keys)
		name, ok, err := PickGroup(context.Background(), groups, Options{Input: in, Output: io.Discard, Environ: []string{"TERM=xterm"}})
		keys.Close()
		if err != nil || name != c.name || ok != (c.name != "") {
			t.Errorf("%q picked %q, %v, %v; want %q", c.keys, name, ok, err, c.name)
		}
	}
}
