package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/term"
	"github.com/drainboard/drainboard/ui/uitest"
)

// Who opens a node that others move is told who does, by which mark, since when, and what
// is not known.
func TestNodeOfOthers(t *testing.T) {
	s := uitest.Driven()
	row := s.Zones[0].Rows[0]
	s.Look = snapshot.Look{Machine: row.ID}
	s.Node = &snapshot.NodeDetail{ID: row.ID, Moves: []world.Move{
		{By: world.MoverKops, Step: world.MoveDraining, Mark: "taint kops.k8s.io/scheduled-for-update:PreferNoSchedule, cordoned", Since: uitest.Moment.Add(-198 * time.Second), Means: row.Note, Limit: 15 * time.Minute},
		{By: world.MoverKarpenter, Step: world.MoveForeseen, Mark: "taint karpenter.sh/disrupted:NoSchedule", Means: "Karpenter has chosen to replace it"},
	}}
	m, _ := watcher(s, 120, 40)
	m.Nodes.Cursor = row.ID
	press(m, "enter")
	frame := m.View().Content
	uitest.CheckFrame(t, frame, 120, 40)
	golden.RequireEqual(t, ansi.Strip(frame)+"\n")
}

// Every size holds, and the title names who is at work.
func TestDrivenByOthersInEverySize(t *testing.T) {
	s := uitest.Driven()
	m, _ := watcher(s, 120, 36)
	if title := windowTitle(m.Scene, m.Styles); !strings.Contains(title, "kops busy") || !strings.Contains(title, "1 blocked") {
		t.Errorf("the title is %q", title)
	}
	for w := term.LeastWidth; w <= 210; w += 7 {
		for h := term.LeastHeight; h <= 50; h += 9 {
			m := board(s, w, h, themes.Dark)
			m.Opts.ReadOnly = true
			uitest.CheckFrame(t, m.View().Content, w, h)
		}
	}
}
