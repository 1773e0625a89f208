package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/uitest"
)

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{style.Countdown(41 * time.Second), "0:41"},
		{style.Countdown(11*time.Minute + 42*time.Second), "11:42"},
		{style.Countdown(time.Hour + 2*time.Minute + 3*time.Second), "1:02:03"},
		{style.Countdown(-time.Second), "0:00"},
		{style.Elapsed(21*time.Minute + 7*time.Second), "00:21:07"},
		{plans.Left(0, 0, 0), ""},
		{plans.Left(20*time.Second, 0, 0), "under a minute left"},
		{plans.Left(14*time.Minute+10*time.Second, 0, 0), "about 14 min left"},
		{plans.Left(132*time.Minute, 0, 0), "about 2 h 10 min left"},
		{style.Age(14 * time.Second), "14 s"},
		{style.Age(3 * time.Minute), "3 min"},
		{style.Age(5 * time.Hour), "5 h"},
		{style.Count(1, "pod") + ", " + style.Count(3, "pod"), "1 pod, 3 pods"},
		{style.ShortVersion("v1.31.4-eks-a1b2c3d"), "1.31.4"},
		{style.ShortVersion("template 3"), "template 3"},
		{scene.Versions("v1.30.9-eks-0a1b2c3, v1.31.4-eks-a1b2c3d", "v1.32.1-eks-b2c3d4e", "→"), "1.30.9, 1.31.4 → 1.32.1"},
		{style.WithoutDomain("ip-10-0-1-23.eu-west-1.compute.internal"), "ip-10-0-1-23"},
		{style.WithoutDomain("10.0.1.23"), "10.0.1.23"},
		{style.List([]string{"a", "b", "c"}), "a, b and c"},
		{style.Shorten("ip-10-0-123-231", 12, "…"), "ip-10…23-231"},
		{style.Clean("a\x1b[2Jb"), "a\uFFFD[2Jb"},
		{style.Clean("naïve 漢字"), "naïve 漢字"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestNamesStayApart(t *testing.T) {
	s := uitest.Busy()
	s.Zones[0].Rows[0].Name = "node-1.a.example"
	s.Zones[0].Rows[1].Name = "node-1.b.example"
	sc := scene.New(s, scene.Options{Clock: func() time.Time { return uitest.Moment }, Speed: 1}, nil)
	if a, b := sc.Names[s.Zones[0].Rows[0].ID], sc.Names[s.Zones[0].Rows[1].ID]; a == b {
		t.Errorf("two nodes are both called %q", a)
	}
}

func TestCountdownsStandStill(t *testing.T) {
	usable := uitest.Wait("drain deadline", time.Minute, 15*time.Minute, world.Cluster)
	free := uitest.Wait("settling", time.Minute, time.Minute)
	later := uitest.Moment.Add(10 * time.Second)
	for _, c := range []struct {
		name   string
		change func(*snapshot.Snapshot)
		usable time.Duration
	}{
		{"running", func(*snapshot.Snapshot) {}, 50 * time.Second},
		{"paused", func(s *snapshot.Snapshot) { s.State = record.Paused }, time.Minute},
		{"cluster stale", func(s *snapshot.Snapshot) { s.Sources[0].Stale = true }, time.Minute},
		{"cloud stale", func(s *snapshot.Snapshot) { s.Sources[1].Stale = true }, 50 * time.Second},
	} {
		s := uitest.Busy()
		c.change(s)
		sc := scene.New(s, scene.Options{Clock: func() time.Time { return uitest.Moment }, Speed: 1}, nil)
		if got, _ := sc.Remaining(usable, later); got != c.usable {
			t.Errorf("%s: the deadline is %v away, want %v", c.name, got, c.usable)
		}
		if got, still := sc.Remaining(free, later); got != 50*time.Second || still {
			t.Errorf("%s: settling has %v left, stopped: %v", c.name, got, still)
		}
	}
}

// In a demo a second of the local clock is many of the cluster's.
func TestCountdownsFollowTheClustersTime(t *testing.T) {
	sc := scene.New(uitest.Busy(), scene.Options{Clock: func() time.Time { return uitest.Moment }, Speed: 20}, nil)
	if got, _ := sc.Remaining(uitest.Wait("settling", time.Minute, time.Minute), uitest.Moment.Add(2*time.Second)); got != 20*time.Second {
		t.Errorf("settling has %v left, want 20 s", got)
	}
}

func TestWindowTitleAndTaskbar(t *testing.T) {
	for _, c := range []struct {
		s     *snapshot.Snapshot
		title string
		state tea.ProgressBarState
	}{
		{uitest.Busy(), "4/12 ng-web ⚑1 blocked !1 problem", tea.ProgressBarWarning},
		{uitest.Asking(), "4/12 ng-web !1 problem ◆ approve?", tea.ProgressBarWarning},
		{uitest.Done(), "12/12 ng-web succeeded", tea.ProgressBarNone},
		{uitest.Failed(), "4/12 ng-web ⚑1 blocked PodEvictionFailure", tea.ProgressBarError},
	} {
		m := board(c.s, 120, 36, themes.Dark)
		m.TTY.Progress = true
		v := m.View()
		if v.WindowTitle != c.title || v.ProgressBar.State != c.state || !v.AltScreen {
			t.Errorf("title %q, bar %v; want %q, %v", v.WindowTitle, v.ProgressBar.State, c.title, c.state)
		}
	}
}

func TestTheEngineWords(t *testing.T) {
	sc := scene.New(uitest.Busy(), scene.Options{Clock: func() time.Time { return uitest.Moment }, Speed: 1}, nil)
	for _, c := range []struct {
		e    record.Event
		want string
	}{
		{record.Event{Type: record.PhaseStarted, Phase: "setup", Message: "setup"}, "setup begins"},
		{record.Event{Type: record.PhaseFinished, Phase: "setup", Message: "setup took 12s"}, "setup took 12s"},
		{record.Event{Type: record.NodeLaunching, Node: "i-1", Message: "i-1 is launching"}, "i-1 is launching"},
		{record.Event{Type: record.PodEvicted, Node: uitest.Host(2, 31), Pod: "shop/a", Message: "evicted"}, "shop/a on ip-10-0-2-31 evicted"},
		{record.Event{Type: record.NodeBlocked, Node: uitest.Host(2, 31), Pod: "shop/a", Budget: "shop/b", Message: "shop/b allows 0"}, "ip-10-0-2-31 blocked: shop/b allows 0"},
		{record.Event{Type: record.RunPaused, Message: "paused: asked for by ana"}, "paused: asked for by ana"},
		{record.Event{Type: record.RunAborting, Message: "nothing new starts"}, "aborting: nothing new starts"},
		{record.Event{Type: record.Warning, Node: uitest.Host(2, 31), Message: "it drains again"}, "ip-10-0-2-31: it drains again"},
		{record.Event{Type: record.PodGone, Pod: "shop/a"}, "shop/a gone"},
	} {
		if got := sc.EventText(&c.e); got != c.want {
			t.Errorf("%s: %q, want %q", c.e.Type, got, c.want)
		}
	}
}

// Over SSH Bubble Tea does not ask for synchronized output; we say that the
// terminal has it.
func TestFramesAreWholeOverSSH(t *testing.T) {
	m := NewModel(Options{Environ: []string{"TERM=xterm", "SSH_TTY=/dev/pts/1"}, Theme: themes.Dark})
	batch, _ := m.Init()().(tea.BatchMsg)
	said := slices.ContainsFunc(batch, func(cmd tea.Cmd) bool {
		return cmd() == tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset}
	})
	if !said {
		t.Errorf("Init sends %v", batch)
	}
}

func TestThemeFollowsTheTerminal(t *testing.T) {
	m := board(uitest.Busy(), 120, 36, themes.Theme{})
	if !strings.Contains(m.View().Content, string(style.NewPen(themes.Dark.Active))) {
		t.Error("the theme is not dark at the start")
	}
	m.Update(tea.BackgroundColorMsg{Color: ansi.White})
	if !strings.Contains(m.View().Content, string(style.NewPen(themes.Light.Active))) {
		t.Error("a light background does not make the theme light")
	}
	m.Update(tea.ColorProfileMsg{})
	if strings.Contains(m.View().Content, "38;2") {
		t.Error("a terminal without colours gets some")
	}
}

func TestUntilText(t *testing.T) {
	now := time.Date(2026, 3, 14, 21, 7, 0, 0, time.UTC)
	for _, c := range []struct {
		t    time.Time
		want string
	}{
		{now.Add(time.Hour), "until 22:07"},
		{time.Date(2026, 3, 15, 5, 0, 0, 0, time.UTC), "until 05:00"},
		{time.Date(2026, 3, 16, 5, 0, 0, 0, time.UTC), "until 16 Mar 05:00"},
		{now.Add(-time.Hour), "until 20:07"},
	} {
		if got := scene.UntilText(c.t, now); got != c.want {
			t.Errorf("%s: %q, want %q", c.t, got, c.want)
		}
	}
}
