package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/themes"
)

// watcher is a model that only watches.
func watcher(s *engine.Snapshot, w, h int) (m *Model, sent *int) {
	sent = new(int)
	m = newModel(Options{Now: func() time.Time { return at }, Theme: themes.None, Environ: []string{"TERM=xterm"}, ReadOnly: true, Send: func(engine.Command) { *sent++ }})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	m.Update(snapshotMsg{s})
	return m, sent
}

func TestScreensOfAWatcher(t *testing.T) {
	for _, f := range []struct {
		name string
		make func() *engine.Snapshot
	}{{"idle", idle}, {"busy", busy}, {"driven", driven}, {"partial", partial(idle)}, {"partly_driven", partial(driven)}} {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s_%dx%d", f.name, size[0], size[1]), func(t *testing.T) {
				m, _ := watcher(f.make(), size[0], size[1])
				frame := m.View().Content
				checkFrame(t, frame, size[0], size[1])
				golden.RequireEqual(t, ansi.Strip(frame)+"\n")
			})
		}
	}
}

// The same screen goes from the group to its run, to nobody driving that, to its end
// and to the next run; whatever is pressed, no command is sent, and q leaves.
func TestWatcher(t *testing.T) {
	m, sent := watcher(idle(), 120, 36)
	shows := func(texts ...string) {
		t.Helper()
		frame := ansi.Strip(m.View().Content)
		for _, text := range texts {
			if !strings.Contains(frame, text) {
				t.Errorf("%q is not on the screen:\n%s", text, frame)
			}
		}
	}
	hides := func(texts ...string) {
		t.Helper()
		frame := ansi.Strip(m.View().Content)
		for _, text := range texts {
			if strings.Contains(frame, text) {
				t.Errorf("%q is on the screen:\n%s", text, frame)
			}
		}
	}
	keys := func() {
		m.settle()
		for _, key := range []string{"a", "f", "p", "s", "r", "x", "enter", "y", "esc", "esc"} {
			press(m, key)
		}
	}
	shows("READ-ONLY", "no run is under way; drainboard upgrade ng-web starts one", "outdated")
	keys()

	s := asking()
	s.Driver = "ann@laptop pid 7"
	m.Update(snapshotMsg{s})
	shows("READ-ONLY", "waits for approval")
	keys()
	s = busy()
	s.Blind = []world.Source{world.Cluster}
	m.Update(snapshotMsg{s})
	shows("who drives this run does not see the cluster now")
	if _, still := m.sc.remaining(s.Zones[0].Rows[0].Wait, at.Add(time.Minute)); !still {
		t.Error("a countdown that stands still for the driver goes on for who watches")
	}
	s = busy()
	s.Unattended, s.Unfit = at.Add(-3*time.Minute), "the group was deleted and made anew"
	m.Update(snapshotMsg{s})
	shows("▲ no driver", "fails in 11:42, stands still", "▲ upgrade", "nobody has driven this run for ", "drainboard upgrade ng-web goes on with it", "its record does not fit the group: the group was deleted and made anew; drainboard upgrade")
	hides("min left", "upgrading", "again in")
	s = busy()
	s.Unattended, s.State = at.Add(-3*time.Minute), engine.Paused
	m.Update(snapshotMsg{s})
	shows("‖ paused")
	keys()
	m.Update(snapshotMsg{done()})
	shows("exit code")
	m.Update(snapshotMsg{busy()})
	if m.dialog != nil {
		t.Error("the end of the run before is still on the screen")
	}
	if *sent > 0 {
		t.Errorf("%d commands were sent", *sent)
	}
	m.settle()
	if _, cmd := m.Update(tea.KeyPressMsg{Code: 'q', Text: "q"}); cmd == nil {
		t.Error("q does not leave at once")
	}
}

// A record that cannot be read is no group without a run.
func TestWatcherOfARecordThatCannotBeRead(t *testing.T) {
	s := idle()
	s.Unreadable = "it has form 9, written by a newer drainboard"
	m, _ := watcher(s, 120, 36)
	frame := ansi.Strip(m.View().Content)
	for _, text := range []string{"the record of this group's run cannot be read: it has form 9", "whether a run is under way is not known", "run not known"} {
		if !strings.Contains(frame, text) {
			t.Errorf("%q is not on the screen:\n%s", text, frame)
		}
	}
	for _, text := range []string{"no run is under way", "starts one", "no run "} {
		if strings.Contains(frame, text) {
			t.Errorf("%q is on the screen:\n%s", text, frame)
		}
	}
}

// A watch can be left while there is nothing to show yet.
func TestLeavingWhatIsStillBeingRead(t *testing.T) {
	sit(t, 80, 24, nil, func(o *Options) { o.ReadOnly = true }).Expect("reading the cluster and the group ... q leaves").Press("q").Leaves(Left)
}
