package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/uitest"
)

// The cursor stays with what is read when lines before it are cut off or put in, and
// lets go where its line is gone.
func TestTheLogsCursorStaysWithItsLine(t *testing.T) {
	m := NewModel(Options{Now: func() time.Time { return uitest.Moment }, Theme: themes.None, Environ: []string{"TERM=xterm"}, Send: func(record.Command) {}})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	m.Update(snapshotMsg{uitest.Judge(uitest.Busy())})
	m.Focus = logPane
	m.log.move(m.Scene, -4)
	on := func(want string) {
		t.Helper()
		if e := m.log.at(m.Scene); string(e.Type) != want {
			t.Fatalf("the cursor is on %s, want %s", e.Type, want)
		}
		frame := ansi.Strip(m.View().Content)
		if text := m.Scene.EventText(m.log.at(m.Scene)); !strings.Contains(frame, text) {
			t.Errorf("%q is not on the screen:\n%s", text, frame)
		}
	}
	events := uitest.Busy().Events
	next := func(list []record.Event) {
		s := uitest.Busy()
		s.Events = list
		m.Update(snapshotMsg{uitest.Judge(s)})
	}
	on(string(record.NodeSettling))
	next(slices.Concat(events, []record.Event{{Time: uitest.Moment, Type: record.Warning, Message: "one more"}}))
	on(string(record.NodeSettling))
	next(events[3:])
	on(string(record.NodeSettling))
	next(slices.Insert(slices.Clone(events), 1, record.Event{Time: uitest.Moment.Add(-199 * time.Second), Type: record.Warning, Message: "put in"}))
	on(string(record.NodeSettling))
	next(events[6:])
	on(string(record.PodGone))
	if m.log.cursor != 0 {
		t.Error("the log does not follow, though the line under the cursor is gone")
	}
}

// Equal events of many nodes are one line, which its details take apart; a filter finds each.
func TestEqualEventsFold(t *testing.T) {
	s := uitest.Busy()
	s.Events = nil
	taint := func(i int, after time.Duration) {
		s.Events = append(s.Events, record.Event{Time: uitest.Moment.Add(after), Type: record.NodeTainted, Phase: "upgrade", Node: uitest.Host(1, 100+i), Message: "tainted eks.amazonaws.com/nodegroup=unschedulable:NoSchedule"})
	}
	for i := range 15 {
		taint(i, -time.Minute)
	}
	s.Events = append(s.Events, record.Event{Time: uitest.Moment.Add(-50 * time.Second), Type: record.NodeDraining, Node: uitest.Host(1, 100), Message: "17 pods to move"})
	taint(15, -49*time.Second)
	ui := sit(t, 120, 44, s)
	ui.Expect("15 nodes tainted eks.amazonaws.com/nodegroup=unschedulable:NoSchedule", "ip-10-0-1-115 tainted").Gone("ip-10-0-1-107 tainted")
	ui.Press("tab", "tab", "up", "up", "enter").Expect("ip-10-0-1-113, ip-10-0-1-114").Press("esc").Gone("ip-10-0-1-113, ")
	ui.Press("/").Type("1-107").Expect("ip-10-0-1-107 tainted").Gone("15 nodes")
}

// A pod that is blocked and its node are one line while both say the same.
func TestABlockedNodeSaysNothingTwice(t *testing.T) {
	s := uitest.Busy()
	blocked := record.Event{Time: uitest.Moment, Type: record.PodBlocked, Node: uitest.Host(1, 100), Pod: "shop/web-1", Message: "PDB shop/web allows none"}
	of := blocked
	of.Type = record.NodeBlocked
	other := of
	other.Message = "PDB shop/db allows none"
	s.Events = []record.Event{blocked, of, blocked, other}
	ui := sit(t, 120, 44, s)
	ui.Expect("shop/web-1 on ip-10-0-1-100 blocked: PDB shop/web", "ip-10-0-1-100 blocked: PDB shop/db").Gone(" ip-10-0-1-100 blocked: PDB shop/web allows none\n")
	if n := strings.Count(ui.Screen(), "PDB shop/web allows none"); n != 2 {
		t.Errorf("it is said %d times:\n%s", n, ui.Screen())
	}
}
