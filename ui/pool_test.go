package ui

import (
	"fmt"
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

func TestScreensOfAPool(t *testing.T) {
	for _, f := range []struct {
		name string
		make func() *snapshot.Snapshot
	}{{"pooled", uitest.Pooled}, {"in_place", uitest.InPlaced}} {
		for _, size := range uitest.Sizes {
			t.Run(fmt.Sprintf("%s_%dx%d", f.name, size[0], size[1]), func(t *testing.T) {
				m, _ := watcher(f.make(), size[0], size[1])
				if size[0] < term.StackedWidth {
					press(m, "tab")
				}
				frame := m.View().Content
				uitest.CheckFrame(t, frame, size[0], size[1])
				golden.RequireEqual(t, ansi.Strip(frame)+"\n")
			})
		}
	}
}

// Its details have everything, those of a node what its countdown rests on.
func TestDetailsOfAPool(t *testing.T) {
	for _, f := range []struct {
		name string
		keys []string
	}{{"pool", []string{"v"}}, {"node", []string{"enter"}}} {
		t.Run(f.name, func(t *testing.T) {
			s := uitest.Pooled()
			row := s.Zones[0].Rows[0]
			limits := world.DefaultLimits("")
			limits.Guessed = false
			s.Look = snapshot.Look{Machine: row.ID}
			s.Node = &snapshot.NodeDetail{ID: row.ID, Machine: &world.Machine{ID: "shoot--dev--prod-web-z1-7c6f5-abcde", Type: "m5.large", Zone: "eu-west-1a", Detail: "Terminating", Managed: &world.ManagedMachine{
				Phase: "Terminating", Since: uitest.Moment.Add(-2 * time.Minute), Set: "shoot--dev--prod-web-z1-7c6f5", Priority: 1, Limits: limits, Operation: "Delete, Failed", Description: "Drain failed due to - budget. Initiate node drain",
			}}, Moves: []world.Move{{By: world.MoverGardener, Step: world.MoveDraining, Mark: "Machine shoot--dev--prod-web-z1-7c6f5-abcde is Terminating", Since: uitest.Moment.Add(-2 * time.Minute), Means: "Gardener is terminating its machine: it is drained", Limit: 2 * time.Hour, Told: true}}}
			m, _ := watcher(s, 120, 40)
			m.Nodes.Cursor = row.ID
			press(m, f.keys...)
			frame := m.View().Content
			uitest.CheckFrame(t, frame, 120, 40)
			golden.RequireEqual(t, ansi.Strip(frame)+"\n")
		})
	}
}

// Every size holds; a control cluster that is away is named so.
func TestPoolInEverySize(t *testing.T) {
	for _, s := range []*snapshot.Snapshot{uitest.Pooled(), uitest.InPlaced()} {
		for w := term.LeastWidth; w <= 210; w += 7 {
			for h := term.LeastHeight; h <= 50; h += 9 {
				m := board(s, w, h, themes.Dark)
				m.Opts.ReadOnly = true
				for m.Focus = NodesPane; m.Focus <= logPane; m.Focus++ {
					uitest.CheckFrame(t, m.View().Content, w, h)
				}
			}
		}
	}
	s := uitest.Pooled()
	s.Sources[1] = snapshot.SourceView{Name: world.Cloud, Fresh: uitest.Moment.Add(-time.Minute), Stale: true, Problem: "the control cluster: does not answer"}
	m, _ := watcher(s, 120, 36)
	if frame := ansi.Strip(m.View().Content); !strings.Contains(frame, "control cluster data 60 s old, retrying: does not answer. Gardener's changes") {
		t.Errorf("a stale control cluster is not told:\n%s", frame)
	}
}
