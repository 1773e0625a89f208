package term

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// procs is a program that notes how many goroutines may run at once while it has the terminal.
type procs struct{ n *int }

func (p procs) Init() tea.Cmd { *p.n = runtime.GOMAXPROCS(0); return tea.Quit }

func (p procs) Update(tea.Msg) (tea.Model, tea.Cmd) { return p, nil }

func (p procs) View() tea.View { return tea.NewView("") }

// A program that has the terminal may run four goroutines at once, where the environment says nothing of it, and
// what was before is restored.
func TestRunRaisesProcs(t *testing.T) {
	start := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(start)
	runtime.SetDefaultGOMAXPROCS()
	standard := runtime.GOMAXPROCS(0)
	for _, c := range []struct {
		set         string
		before, has int
	}{
		{"", 1, 4}, {"", 2, 4}, {"", 4, 4}, {"", 6, 6}, {"2", 2, 2},
	} {
		t.Setenv("GOMAXPROCS", c.set)
		runtime.GOMAXPROCS(c.before)
		got := 0
		d := Device{Input: strings.NewReader(""), Output: &bytes.Buffer{}, Environ: []string{"TERM=xterm"}}
		if err := Run(NewProgram(context.Background(), d, procs{&got}), d, nil); err != nil {
			t.Error(err)
		}
		if got != c.has {
			t.Errorf("of %d, GOMAXPROCS=%q: %d at once, want %d", c.before, c.set, got, c.has)
		}
		want := c.before
		if c.has != c.before {
			want = standard
		}
		if after := runtime.GOMAXPROCS(0); after != want {
			t.Errorf("of %d, GOMAXPROCS=%q: %d at once afterwards, want %d", c.before, c.set, after, want)
		}
	}
}
