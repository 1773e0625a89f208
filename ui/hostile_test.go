package ui

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/themes"
)

// tricks are what somebody could put into a name or a message to reach the
// operator's terminal, or to hide from the operator's eye.
var tricks = []string{
	"\x1b[2J", "\x1b]0;owned\x07", "\x1b]52;c;cm0gLXJm\x07", "\x1b[6n", "\x1bP$q\"p\x1b\\", "\x1b[31m", "\x1b]8;;http://evil\x1b\\", "\x9b2J", "\u009b2J", "\u0085",
	"\r", "\n", "\t", "\b\b\b", "\x00", "\x7f", "\a", "\x0e", "\u202egnp.exe", "\u2066", "\u200b", "\u200d", "\ufeff", "\u00ad", "\ufe0f", "e\u0301\u0301\u0301",
	"\u2028", "\U000e0041", "\ue000", "\xff\xfe", "👩‍👩‍👧", "🇩🇪", "漢字", "ᄒ\u1161\u11ab", "\u115f", "\u3164", "\u061c",
}

// hostile puts tricks into every string of a snapshot that comes from outside.
func hostile(s *engine.Snapshot, r *rand.Rand) *engine.Snapshot {
	soil := func(p *string) {
		for range 1 + r.IntN(3) {
			at := r.IntN(len(*p) + 1)
			*p = (*p)[:at] + tricks[r.IntN(len(tricks))] + (*p)[at:]
		}
	}
	own := s.Group
	for _, p := range []*string{&s.Cluster, &s.Group, &s.Strategy, &s.From, &s.To, &s.Why, &s.Gate} {
		soil(p)
	}
	if r := s.Roll; r != nil {
		soil(&r.Stop)
		soil(&r.Again)
		for i := range r.Groups {
			g := &r.Groups[i]
			if soil(&g.Why); g.Name == own {
				g.Name = s.Group
				continue
			}
			soil(&g.Name)
		}
	}
	for i := range s.Phases {
		soil(&s.Phases[i].Name)
	}
	for z := range s.Zones {
		soil(&s.Zones[z].Name)
		for _, n := range s.Zones[z].Rows {
			for _, p := range []*string{&n.ID, &n.Name, &n.Zone, &n.Version, &n.Note} {
				soil(p)
			}
			if n.Wait != nil {
				soil(&n.Wait.For)
			}
		}
	}
	for _, b := range s.Blockers {
		for _, p := range []*string{&b.Pod, &b.Node, &b.Owner, &b.Detail, &b.WayOut} {
			soil(p)
		}
		for i := range b.Budgets {
			soil(&b.Budgets[i].Ref)
			soil(&b.Budgets[i].Expression)
		}
		b.Node = s.Zones[0].Rows[0].Name
	}
	for _, e := range s.Evictions {
		for _, p := range []*string{&e.Pod, &e.Node, &e.Owner} {
			soil(p)
		}
	}
	for i := range s.Events {
		e := &s.Events[i]
		for _, p := range []*string{&e.Node, &e.Pod, &e.Budget, &e.Message, &e.Command} {
			soil(p)
		}
	}
	for i := range s.Sources {
		soil(&s.Sources[i].Problem)
	}
	for i := range s.Abilities {
		if s.Abilities[i].Why != "" {
			soil(&s.Abilities[i].Why)
		}
	}
	for _, list := range [][]string{s.Notes, s.LeftBehind, s.AbortPlan} {
		for i := range list {
			soil(&list[i])
		}
	}
	if s.Batch != nil {
		for _, list := range [][]string{s.Batch.Nodes, s.Batch.Foreseen} {
			for i := range list {
				soil(&list[i])
			}
		}
	}
	return s
}

func TestHostileStringsInEveryFrame(t *testing.T) {
	keys := [][]string{{}, {"a"}, {"f"}, {"x"}, {"q"}, {"?"}, {"c"}, {"down", "enter"}, {"tab", "down", "enter"}, {"down", "s"}, {"enter"}, {":"}, {"/", "i", "p"}, {"!"}, {"down", " ", "o"}, {"tab", "tab", "/", "e"}}
	r := rand.New(rand.NewPCG(1, 1))
	for range 10 {
		for _, f := range fixtures {
			for _, k := range keys {
				size := sizes[r.IntN(len(sizes))]
				m := board(hostile(f.make(), r), size[0], size[1], themes.Dark)
				m.settle()
				press(m, k...)
				v := m.View()
				checkFrame(t, v.Content, size[0], size[1])
				if strings.ContainsFunc(v.WindowTitle, unicode.IsControl) {
					t.Errorf("the window title holds a control character: %q", v.WindowTitle)
				}
			}
		}
	}
}

func TestHostileStringsInTheTerminal(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 2))
			size := sizes[seed%4]
			ui := sit(t, size[0], size[1], hostile(busy(), r))
			ui.Expect("quit")
			s := hostile(asking(), r)
			ui.Show(s).Expect("Batch 2 waits")
			for _, l := range strings.Split(strings.TrimSuffix(ui.Screen(), "\n"), "\n") {
				if bad := strings.IndexFunc(l, func(r rune) bool { return !shown(r) }); bad >= 0 {
					t.Errorf("a cell holds a control character: %q", l)
				}
			}
			// Frames that stand where they belong: nothing moved the cursor.
			if size[0] >= wideWidth && !strings.Contains(ui.Screen(), "╮╭") {
				t.Errorf("the frames are broken:\n%s", ui.Screen())
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range tricks {
		f.Add(s)
	}
	st := newStyles(themes.None)
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		if strings.ContainsFunc(got, func(r rune) bool { return !shown(r) }) {
			t.Errorf("clean(%q) = %q", s, got)
		}
		for _, w := range []int{1, 7, 40} {
			if l := newLine(st, w).add("", s).String(); width(l) != w {
				t.Errorf("a line of %q is %d cells wide, want %d", s, width(l), w)
			}
			for _, row := range wrap(s, w) {
				if w > 1 && width(row) > w || strings.ContainsFunc(row, func(r rune) bool { return !shown(r) }) {
					t.Errorf("wrap(%q, %d) has the line %q", s, w, row)
				}
			}
			if n := width(shorten(s, w, "…")); n > w {
				t.Errorf("shorten(%q, %d) is %d cells wide", s, w, n)
			}
		}
	})
}

// Whatever is in the strings of a snapshot, no cell of the terminal ever holds
// anything but a letter that is seen, and the frames stand where they belong.
func FuzzCells(f *testing.F) {
	for i, s := range tricks {
		f.Add(s, uint64(i))
	}
	keys := [][]string{{}, {"a"}, {"f"}, {"x"}, {"?"}, {":"}, {"c"}, {"down", "enter"}, {"tab", "down", "enter"}, {"tab", "tab", "enter"}, {"enter"}, {"!"}, {"o"}}
	f.Fuzz(func(t *testing.T, evil string, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 3))
		old := tricks
		tricks = []string{evil}
		s := hostile(fixtures[r.IntN(len(fixtures))].make(), r)
		tricks = old
		size := sizes[r.IntN(len(sizes))]
		m := board(s, size[0], size[1], themes.Dark)
		m.settle()
		press(m, keys[r.IntN(len(keys))]...)
		if r.IntN(3) == 0 {
			m.setFilter(evil)
			m.dirty = true
		}
		frame := m.View().Content
		checkFrame(t, frame, size[0], size[1])
		term := vt.NewEmulator(size[0], size[1])
		go io.Copy(io.Discard, term) // an answer would mean that the terminal was asked something
		defer term.InputPipe().(io.Closer).Close()
		if _, err := term.WriteString(strings.ReplaceAll(frame, "\n", "\r\n")); err != nil {
			t.Fatal(err)
		}
		for y, l := range strings.Split(ansi.Strip(frame), "\n") {
			got := ""
			for x := 0; x < size[0]; {
				c := term.CellAt(x, y)
				if c == nil || c.Content == "" {
					got += " "
					x++
					continue
				}
				got += c.Content
				x += max(c.Width, 1)
			}
			if strings.ContainsFunc(got, func(r rune) bool { return !shown(r) }) {
				t.Errorf("a cell of line %d holds a control character: %q", y, got)
			}
			if strings.TrimRight(got, " ") != strings.TrimRight(l, " ") {
				t.Errorf("line %d is on the terminal\n%q, and was\n%q", y, got, l)
			}
		}
	})
}
