package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/uitest"
)

// watcher is a model that only watches.
func watcher(s *snapshot.Snapshot, w, h int) (m *Model, sent *int) {
	sent = new(int)
	m = NewModel(Options{Now: func() time.Time { return uitest.Moment }, Theme: themes.None, Environ: []string{"TERM=xterm"}, ReadOnly: true, Send: func(record.Command) { *sent++ }})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	m.Update(snapshotMsg{uitest.Judge(s)})
	return m, sent
}

func TestScreensOfAWatcher(t *testing.T) {
	for _, f := range []struct {
		name string
		make func() *snapshot.Snapshot
	}{{"idle", uitest.Idle}, {"busy", uitest.Busy}, {"driven", uitest.Driven}, {"partial", uitest.Partial(uitest.Idle)}, {"partly_driven", uitest.Partial(uitest.Driven)}} {
		for _, size := range uitest.Sizes {
			t.Run(fmt.Sprintf("%s_%dx%d", f.name, size[0], size[1]), func(t *testing.T) {
				m, _ := watcher(f.make(), size[0], size[1])
				frame := m.View().Content
				uitest.CheckFrame(t, frame, size[0], size[1])
				golden.RequireEqual(t, ansi.Strip(frame)+"\n")
			})
		}
	}
}

// The same screen goes from the group to its run, to nobody driving that, to its end
// and to the next run; whatever is pressed, no command is sent, and q leaves.
func TestWatcher(t *testing.T) {
	m, sent := watcher(uitest.Idle(), 120, 36)
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
	rolls := uitest.Idle() // by the group's own controller
	f := snapshot.ForecastOf(uitest.Moment, snapshot.Rehearsal{Took: 5 * time.Minute, Result: record.Succeeded, Replaced: 8}, nil)
	rolls.Forecast = &f
	m.Update(snapshotMsg{uitest.Judge(rolls)})
	shows("about 5 min left", "outdated")
	f = snapshot.ForecastOf(uitest.Moment, snapshot.Rehearsal{Took: 5 * time.Minute, Left: 2, Why: "PDB shop/db never opens"}, nil)
	m.Update(snapshotMsg{uitest.Judge(rolls)})
	shows("will not end by itself", "forecast: PDB shop/db never opens")
	rolls = uitest.Driven()
	m.Update(snapshotMsg{uitest.Judge(rolls)})
	shows("; time left")
	rolls.Forecast = &f
	m.Update(snapshotMsg{uitest.Judge(rolls)})
	shows("will not end by itself")
	hides("; time left")

	s := uitest.Asking()
	s.Driver = "ann@laptop pid 7"
	m.Update(snapshotMsg{uitest.Judge(s)})
	shows("READ-ONLY", "waits for approval")
	keys()
	s = uitest.Busy()
	s.Blind = []world.Source{world.Cluster}
	m.Update(snapshotMsg{uitest.Judge(s)})
	shows("the driver of this run has no fresh data of the cluster")
	if _, still := m.Scene.Remaining(s.Zones[0].Rows[0].Wait, uitest.Moment.Add(time.Minute)); !still {
		t.Error("a countdown that is stopped for the driver continues in the watch")
	}
	s = uitest.Busy()
	s.Driver, s.Unwritten, s.UnwrittenSince = "ann@laptop pid 7", "it apparently cannot be written, and nothing new starts", uitest.Moment.Add(-3*time.Minute)
	m.Update(snapshotMsg{uitest.Judge(s)})
	shows("the run record has not been written for 3 min", "although ann@laptop pid 7 drives the run")
	s = uitest.Busy()
	s.Unattended, s.Mismatches = uitest.Moment.Add(-3*time.Minute), "the group was deleted and recreated"
	m.Update(snapshotMsg{uitest.Judge(s)})
	shows("▲ no driver", "fails in 11:42, stopped", "▲ upgrade", "no driver for ", "drainboard upgrade ng-web resumes the run", "its record does not match the group: the group was deleted and recreated; drainboard upgrade")
	hides("min left", "upgrading", "again in")
	s = uitest.Busy()
	s.Unattended, s.State = uitest.Moment.Add(-3*time.Minute), record.Paused
	m.Update(snapshotMsg{uitest.Judge(s)})
	shows("‖ paused")
	keys()
	m.Update(snapshotMsg{uitest.Judge(uitest.Done())})
	shows("exit code")
	m.Update(snapshotMsg{uitest.Judge(uitest.Busy())})
	if m.Dialog != nil {
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
	s := uitest.Idle()
	s.Unreadable = "it has form 9, of a newer Drainboard"
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
