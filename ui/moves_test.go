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

// Countdowns of tables side by side move one table after the other, each once a second:
// the terminal is sent what lies between two changes of a line again.
func TestTablesMoveOneAfterTheOther(t *testing.T) {
	now := uitest.Moment
	m := NewModel(Options{Now: func() time.Time { return now }, Theme: themes.Dark})
	m.Width, m.Height = 300, 50
	m.Update(snapshotMsg{uitest.Judge(uitest.Busy())})
	before, moved := strings.Split(m.render(), "\n"), map[int]int{}
	const steps = 60 // of 50 ms
	for range steps {
		now = now.Add(50 * time.Millisecond)
		after := strings.Split(m.render(), "\n")
		tables := m.plan().nodes
		var here []int
		for y := tables.y; y < tables.y+tables.h; y++ {
			was, is := []rune(ansi.Strip(before[y])), []rune(ansi.Strip(after[y]))
			for x := range is {
				if table := x * 3 / len(is); is[x] != was[x] && !slices.Contains(here, table) {
					here = append(here, table)
					moved[table]++
				}
			}
		}
		if len(here) > 1 {
			t.Errorf("after %s the tables %v move together", now.Sub(uitest.Moment), here)
		}
		before = after
	}
	for table := range 3 {
		if moved[table] != 3 {
			t.Errorf("table %d moved %d times in 3 s", table, moved[table])
		}
	}
}

// Beside the blocked panel the pane of evictions takes a snapshot a moment later.
func TestEvictionsFollowTheBlockedPanel(t *testing.T) {
	m := board(uitest.Busy(), 200, 50, themes.Dark)
	next := uitest.Busy()
	next.Blockers[0].Pod, next.Evictions = "shop/checkout-7d9f-zz", []*snapshot.Eviction{{Pod: "shop/late-1", Node: uitest.Host(2, 31), Grace: next.Evictions[0].Grace}}
	has := func(want ...bool) {
		t.Helper()
		got := m.View().Content
		if strings.Contains(got, "7d9f-zz") != want[0] || strings.Contains(got, "late-1") != want[1] {
			t.Errorf("want the new blocker %v, the new eviction %v:\n%s", want[0], want[1], ansi.Strip(got))
		}
	}
	has(false, false)
	m.Update(snapshotMsg{uitest.Judge(next)})
	has(true, false)
	m.Update(followMsg{})
	has(true, true)
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 50}) // below each other
	m.Update(snapshotMsg{uitest.Judge(uitest.Busy())})
	has(false, false)
}
