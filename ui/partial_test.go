package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/uitest"
)

// The nodes in sight whose pods are to be read are told, as long as there are any such,
// also that there is none.
func TestUnread(t *testing.T) {
	var told [][]string
	m := NewModel(Options{Now: func() time.Time { return uitest.Moment }, Theme: themes.None, Environ: []string{"TERM=xterm"}, ReadOnly: true,
		Unread: func(nodes []string) { told = append(told, slices.Sorted(slices.Values(nodes))) }})
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 50})
	m.View()
	if len(told) > 0 {
		t.Errorf("told before anything is known: %q", told)
	}
	m.Update(snapshotMsg{uitest.Judge(uitest.Partial(uitest.Idle)())})
	m.View()
	m.View() // nothing has changed
	want := []string{uitest.Host(1, 112), uitest.Host(1, 201), uitest.Host(1, 88), uitest.Host(2, 44), uitest.Host(2, 45), uitest.Host(2, 46), uitest.Host(2, 90), uitest.Host(2, 91), uitest.Host(3, 150), uitest.Host(3, 81), uitest.Host(3, 82)}
	slices.Sort(want)
	if len(told) != 1 || !slices.Equal(told[0], want) { // one machine has no node yet
		t.Errorf("told %q, want %q", told, want)
	}
	m.Update(snapshotMsg{uitest.Judge(uitest.Idle())})
	m.View()
	if len(told) != 1 {
		t.Errorf("told when all is read: %q", told[1:])
	}

	m.Update(tea.WindowSizeMsg{Width: 48, Height: 36}) // no room for the pods of nodes at rest
	m.Update(snapshotMsg{uitest.Judge(uitest.Partial(uitest.Idle)())})
	m.View()
	if len(told) != 2 || len(told[1]) > 0 {
		t.Errorf("nothing is in sight, and told is %q", told[1:])
	}
}

// Nobody is told that nothing is blocked, or that a node has no pods, before that is known.
func TestNothingIsClaimedOfWhatIsUnread(t *testing.T) {
	never := []string{"nothing is blocked", "blocked 0", "no pod is terminating", "nothing has happened", "data yet", " old", "stale"}
	for _, of := range []func() *snapshot.Snapshot{uitest.Idle, uitest.Driven, uitest.Busy} {
		for _, size := range uitest.Sizes {
			for p := NodesPane; p <= logPane; p++ {
				m, _ := watcher(uitest.Partial(of)(), size[0], size[1])
				m.Focus = p
				frame := ansi.Strip(m.redraw().Content)
				uitest.CheckFrame(t, frame, size[0], size[1])
				for _, text := range never {
					if strings.Contains(frame, text) {
						t.Errorf("%q is on the screen:\n%s", text, frame)
					}
				}
				if !strings.Contains(frame, "reading pods") && !strings.Contains(frame, "being read") && !strings.Contains(frame, "blocked …") {
					t.Errorf("that the pods are being read is not on the screen:\n%s", frame)
				}
			}
		}
	}
	s := uitest.Partial(uitest.Driven)()
	r := s.Zones[0].Rows[0]
	r.PodsUnread, r.Pods, r.PodsLeft, r.Blocked = true, 0, 0, false
	s.Look, s.Node = snapshot.Look{Machine: r.ID}, &snapshot.NodeDetail{ID: r.ID}
	m, _ := watcher(s, 120, 36)
	m.Nodes.Cursor = r.ID
	m.settle()
	press(m, "enter")
	m.Update(snapshotMsg{uitest.Judge(s)})
	if frame := ansi.Strip(m.View().Content); !strings.Contains(frame, "not read yet") || strings.Contains(frame, "none") {
		t.Errorf("the node's pods:\n%s", frame)
	}
}

// Pods that cannot be read are an alarm, which does not say that what is shown is old.
func TestPodsThatCannotBeRead(t *testing.T) {
	s := uitest.Partial(uitest.Idle)()
	s.Sources[0] = snapshot.SourceView{Name: s.Sources[0].Name, Stale: true, Problem: "the API answered 500", Retry: uitest.Moment.Add(2 * time.Second)}
	m, _ := watcher(s, 120, 36)
	if frame := ansi.Strip(m.View().Content); !strings.Contains(frame, "the cluster's pods are not read yet, retry in 2 s: the API answered 500  ") {
		t.Errorf("got\n%s", frame)
	}
}
