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

	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/uitest"
)

func TestHostileStringsInEveryFrame(t *testing.T) {
	keys := [][]string{{}, {"a"}, {"f"}, {"x"}, {"q"}, {"?"}, {"c"}, {"down", "enter"}, {"tab", "down", "enter"}, {"down", "s"}, {"enter"}, {":"}, {"/", "i", "p"}, {"!"}, {"down", " ", "o"}, {"tab", "tab", "/", "e"}}
	r := rand.New(rand.NewPCG(1, 1))
	for range 10 {
		for _, f := range uitest.Fixtures {
			for _, k := range keys {
				size := uitest.Sizes[r.IntN(len(uitest.Sizes))]
				m := board(uitest.Hostile(f.Make(), r), size[0], size[1], themes.Dark)
				m.settle()
				press(m, k...)
				v := m.View()
				uitest.CheckFrame(t, v.Content, size[0], size[1])
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
			size := uitest.Sizes[seed%4]
			ui := sit(t, size[0], size[1], uitest.Hostile(uitest.Busy(), r))
			ui.Expect("quit")
			s := uitest.Hostile(uitest.Asking(), r)
			ui.Show(s).Expect("Batch 2 waits")
			for _, l := range strings.Split(strings.TrimSuffix(ui.Screen(), "\n"), "\n") {
				if bad := strings.IndexFunc(l, func(r rune) bool { return !style.Shown(r) }); bad >= 0 {
					t.Errorf("a cell holds a control character: %q", l)
				}
			}
			// Frames that stand where they belong: nothing moved the cursor.
			if size[0] >= wideWidth && !strings.Contains(ui.Screen(), "╮\n") {
				t.Errorf("the frames are broken:\n%s", ui.Screen())
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range uitest.Tricks {
		f.Add(s)
	}
	st := style.New(themes.None)
	f.Fuzz(func(t *testing.T, s string) {
		got := style.Clean(s)
		if strings.ContainsFunc(got, func(r rune) bool { return !style.Shown(r) }) {
			t.Errorf("clean(%q) = %q", s, got)
		}
		for _, w := range []int{1, 7, 40} {
			if l := style.NewLine(st, w).Add("", s).String(); style.Width(l) != w {
				t.Errorf("a line of %q is %d cells wide, want %d", s, style.Width(l), w)
			}
			for _, row := range style.Wrap(s, w) {
				if w > 1 && style.Width(row) > w || strings.ContainsFunc(row, func(r rune) bool { return !style.Shown(r) }) {
					t.Errorf("wrap(%q, %d) has the line %q", s, w, row)
				}
			}
			if n := style.Width(style.Shorten(s, w, "…")); n > w {
				t.Errorf("shorten(%q, %d) is %d cells wide", s, w, n)
			}
		}
	})
}

// Whatever is in the strings of a snapshot, no cell of the terminal ever holds
// anything but a letter that is seen, and the frames stand where they belong.
func FuzzCells(f *testing.F) {
	for i, s := range uitest.Tricks {
		f.Add(s, uint64(i))
	}
	keys := [][]string{{}, {"a"}, {"f"}, {"x"}, {"?"}, {":"}, {"c"}, {"down", "enter"}, {"tab", "down", "enter"}, {"tab", "tab", "enter"}, {"enter"}, {"!"}, {"o"}}
	f.Fuzz(func(t *testing.T, evil string, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 3))
		old := uitest.Tricks
		uitest.Tricks = []string{evil}
		s := uitest.Hostile(uitest.Fixtures[r.IntN(len(uitest.Fixtures))].Make(), r)
		uitest.Tricks = old
		size := uitest.Sizes[r.IntN(len(uitest.Sizes))]
		m := board(s, size[0], size[1], themes.Dark)
		m.settle()
		press(m, keys[r.IntN(len(keys))]...)
		if r.IntN(3) == 0 {
			m.setFilter(evil)
			m.redraw()
		}
		frame := m.View().Content
		uitest.CheckFrame(t, frame, size[0], size[1])
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
			if strings.ContainsFunc(got, func(r rune) bool { return !style.Shown(r) }) {
				t.Errorf("a cell of line %d holds a control character: %q", y, got)
			}
			if strings.TrimRight(got, " ") != strings.TrimRight(l, " ") {
				t.Errorf("line %d is on the terminal\n%q, and was\n%q", y, got, l)
			}
		}
	})
}
