package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/term"
	"github.com/drainboard/drainboard/ui/uitest"
)

// where finds a text on the screen.
func (p *person) where(text string) (x, y int) {
	p.T.Helper()
	for y, l := range strings.Split(p.Screen(), "\n") {
		if before, _, found := strings.Cut(l, text); found {
			return ansi.StringWidth(before), y
		}
	}
	p.T.Fatalf("the screen does not show %s:\n%s", text, p.Screen())
	return
}

// Click clicks on a text.
func (p *person) Click(text string) *person {
	p.T.Helper()
	x, y := p.where(text)
	return p.Press(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x+1, y+1, x+1, y+1))
}

// Wheel turns the wheel over a text, down with n > 0.
func (p *person) Wheel(text string, n int) *person {
	p.T.Helper()
	x, y := p.where(text)
	button := 65
	if n < 0 {
		button, n = 64, -n
	}
	for range n {
		p.Press(fmt.Sprintf("\x1b[<%d;%d;%dM", button, x+1, y+1))
	}
	return p
}

func withMouse(o *Options) { o.Mouse = true }

func TestTheMouseIsOffUntilItIsTaken(t *testing.T) {
	const on, off = "\x1b[?1002h", "\x1b[?1002l"
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("draining").Silent(on).Press("m").Heard(on).Expect("mouse captured")
	ui.Click("ip-10-0-2-31").Expect("›ip-10-0-2-31")
	ui.Press("m").Heard(off).Expect("mouse released: it selects text again")
	ui.Click("ip-10-0-1-24").Press("c").Gone("selects text").Expect("›ip-10-0-2-31")
}

func TestTheMouseCanBeOnFromTheStart(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy(), withMouse)
	ui.Heard("\x1b[?1002h").Expect("draining").Click("ip-10-0-2-31").Expect("›ip-10-0-2-31")
}

func TestClicks(t *testing.T) {
	for _, size := range [][2]int{{200, 50}, {120, 36}, {90, 40}, {60, 30}} {
		ui := sit(t, size[0], size[1], uitest.Busy(), withMouse)
		ui.Expect("draining", "ip-10-0-2-31").Click("ip-10-0-2-31").Expect("›ip-10-0-2-31")
		ui.Later(time.Second).Click("ip-10-0-1-112").Expect("›ip-10-0-1-112").Gone("›ip-10-0-2-31")
		ui.Click("ip-10-0-1-112").Expect(uitest.Host(1, 112), "stage").Press("esc").Gone("stage")
		if size[0] < term.StackedWidth {
			ui.Click("blocked 1").Expect("scale checkout to 4")
		}
		ui.Later(time.Second).Click("shop/checkout ").Expect("› shop/checkout").Click("shop/checkout ").Expect("tries").Press("esc").Gone("tries")
		if size[0] >= term.StackedWidth {
			ui.Later(time.Second).Click("replaced: gone").Expect("›21:05:32").Click("replaced: gone").Expect("2026-03-14 21:05:32")
		}
		ui.SentNothing()
	}
}

func TestClickingTheFooterPressesItsKey(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy(), withMouse)
	ui.Expect("p pause").Click("pause").Expect("pause requested")
	if c := <-ui.Commands; c.Kind != "pause" {
		t.Errorf("sent %+v", c)
	}
	ui.Click("pause requested").SentNothing() // a notice is no key
	ui.Press("esc").Expect("? help").Click("? help").Expect("Actions").Press("esc").Gone("Actions").Expect("(s skip")
	ui.Click("(s skip").Expect("cannot skip now")
}

func TestTheWheelScrollsWhatIsUnderIt(t *testing.T) {
	s := uitest.Busy()
	s.Events = append(s.Events[:len(s.Events):len(s.Events)], s.Events...)
	s.Events[0].Message = "the very first line"
	ui := sit(t, 300, 30, s, withMouse)
	ui.Expect("draining").Gone("the very first line").Wheel("log", -10).Expect("the very first line", "newer, G follows").Wheel("log", 10).Gone("newer")
	ui.Wheel("ip-10-0-2-9", 1).Expect("›ip-10-0-2-45").Wheel("ip-10-0-2-9", -1).Expect("›ip-10-0-2-9")
	ui.Press("?").Expect("›(a)").Wheel("Actions", 1).Expect("›s  ").Press("esc").SentNothing()
}

// A key on its way must not do what the screen shows only since an instant, nor must
// a click.
func TestAClickIsSwallowedAfterTheScreenChanged(t *testing.T) {
	m := board(uitest.Busy(), 120, 36, themes.Dark)
	m.mouse.on = true
	m.grace.begin(uitest.Moment)
	m.Update(tea.MouseClickMsg{X: 5, Y: 3, Button: tea.MouseLeft})
	if m.Nodes.Cursor != "" {
		t.Error("the click was obeyed")
	}
}

// The pointer's way over the screen costs no frame.
func TestMotionIsNoFrame(t *testing.T) {
	m := board(uitest.Busy(), 120, 36, themes.Dark)
	m.mouse.on = true
	m.frame = "as before"
	for x := range 100 {
		m.Update(tea.MouseMotionMsg{X: x, Y: 5, Button: tea.MouseLeft})
		m.Update(tea.MouseReleaseMsg{X: x, Y: 5})
	}
	if m.View().Content != "as before" {
		t.Error("the frame is rendered again")
	}
	m.Update(tea.MouseClickMsg{X: 5, Y: 3, Button: tea.MouseLeft})
	if m.View().Content == "as before" {
		t.Error("a click shows nothing")
	}
}

// No place on any screen makes it fall over.
func TestClicksEverywhere(t *testing.T) {
	for _, size := range [][2]int{{200, 50}, {120, 36}, {80, 24}, {60, 30}, {44, 14}, {20, 5}} {
		for _, s := range []func() *Model{
			func() *Model { return board(uitest.Busy(), size[0], size[1], themes.Dark) },
			func() *Model { return board(uitest.Done(), size[0], size[1], themes.Dark) },
			func() *Model { return NewModel(Options{}) },
		} {
			m := s()
			m.mouse.on = true
			for y := -1; y <= size[1]; y++ {
				for x := -1; x <= size[0]; x += 7 {
					m.Dialog, m.grace = nil, grace{}
					m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
					m.Update(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
					m.View()
				}
			}
		}
	}
}
