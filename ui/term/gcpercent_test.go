package term

import (
	"bytes"
	"context"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A large heap is collected less often, a small one as before, and collections that are off stay off.
func TestRaiseOnce(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	for _, c := range []struct{ size, before, was, after int }{
		{1, 50, rarePercent, 50}, {largeHeap, 50, 50, rarePercent}, {largeHeap, 300, rarePercent, 300}, {largeHeap, -1, rarePercent, -1},
	} {
		debug.SetGCPercent(c.before)
		large := make([]byte, c.size)
		runtime.GC()
		was := raiseOnce()
		runtime.KeepAlive(large)
		if after := debug.SetGCPercent(50); was != c.was || after != c.after {
			t.Errorf("%d bytes at %d: the percentage was %d and is %d, want %d and %d", c.size, c.before, was, after, c.was, c.after)
		}
		large = nil
		runtime.GC()
	}
}

// What the environment sets stays, and what was before is restored.
func TestRarerGCIsRestored(t *testing.T) {
	for _, gogc := range []string{"", "80"} {
		t.Setenv("GOGC", gogc)
		was := debug.SetGCPercent(80)
		rarerGC()()
		if got := debug.SetGCPercent(was); got != 80 {
			t.Errorf("GOGC=%q: the percentage is left at %d", gogc, got)
		}
	}
}

// collects ends once garbage is collected as seldom as from a large heap, or its time is over.
type collects struct{ percent *uint64 }

func (c collects) Init() tea.Cmd {
	return func() tea.Msg {
		for end := time.Now().Add(time.Minute); *c.percent != rarePercent && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			*c.percent, _ = heap()
		}
		return tea.Quit()
	}
}

func (c collects) Update(tea.Msg) (tea.Model, tea.Cmd) { return c, nil }

func (c collects) View() tea.View { return tea.NewView("") }

// While a program has the terminal, a heap that has become large is seen, and what was before is restored.
func TestRunCollectsRarely(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	large := make([]byte, largeHeap)
	runtime.GC()
	var within uint64
	d := Device{Input: strings.NewReader(""), Output: &bytes.Buffer{}, Environ: []string{"TERM=xterm"}}
	if err := Run(NewProgram(context.Background(), d, collects{&within}), d, nil); err != nil {
		t.Error(err)
	}
	runtime.KeepAlive(large)
	if after, _ := heap(); within != rarePercent || after != 50 {
		t.Errorf("with a large heap the percentage was %d, and is left at %d", within, after)
	}
}
