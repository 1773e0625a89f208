package review

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/term"
	"github.com/drainboard/drainboard/ui/uitest"
)

// well and bad are plans of a group in production.
func well() Plan {
	nodes := []string{"BATCH  NODE          ZONE        VERSION              EVICT  STAY  NOTE  FORESEEN"}
	for i := range 36 {
		nodes = append(nodes, fmt.Sprintf("%-5d  ip-10-0-%d-%-3d  eu-west-1%c  v1.31.4-eks-a1b2c3d  %-5d  4     -     -", i/3+1, i%3+1, 20+i*5, 'a'+i%3, 9+i%7))
	}
	return Plan{
		Title: "prod-eu-1 / ng-web: 36 nodes to replace, v1.31.4 → v1.32.1", Verdict: "Ends well in about 42 min (38 to 55)",
		Facts: []string{"Up to 3 at once, about 42m0s (rehearsed: 38m0s to 55m0s). Surge during the run: 6 instances, desired 36 → 42, max 40 → 46."},
		Sections: []Section{
			{Name: "Warnings", Trouble: true, Lines: []string{"cluster-autoscaler looks at this group: new nodes are kept from its scale-down while the run lasts"}},
			{Name: "Nodes in their order", Table: true, Lines: nodes},
			{Name: "Not evaluated", Lines: []string{"admission webhooks may refuse evictions", "whether pods start on the new nodes: images and volumes are not looked at"}},
			{Name: "Settings and their origin", Table: true, Lines: []string{"setting                  value (origin)", "strategy                 eks (the provider's default)", "max-unavailable          3 (flag)", "drain-timeout            15m0s (EKS: 15 minutes)"}},
		},
	}
}

func bad() Plan {
	p := well()
	p.Verdict, p.Alarms = "will fail in 24:10: PDB shop/checkout never opens, 12 of 36 nodes stay old", true
	p.Sections = append([]Section{
		{Name: "Blocked in the rehearsal", Trouble: true, Lines: []string{"ip-10-0-1-35: shop/checkout-7d9f8c6b5-x2x4q: PDB shop/checkout allows 0 disruptions: 3 healthy, 3 required, so it never allows any"}},
	}, p.Sections...)
	return p
}

func compared() Comparison {
	fit := well()
	fit.Verdict = "Ends well in about 61 min (55 to 80)"
	fit.Facts = []string{"Up to 3 at once, about 1h1m0s (rehearsed: 55m0s to 1h20m0s). Surge during the run: 1 instance, desired 36 → 37, max 40."}
	return Comparison{
		Heads: []string{"settings", "ends", "time", "at once", "surge", "without room", "range", "least above PDB", "moves/pod", "instance time", "pods"},
		Variants: []Variant{
			{bad(), []string{"as given (eks)", "fails", "24m10s", "3", "6", "-", "-", "0 shop/checkout", "1.00", "4h12m0s", "362"}},
			{well(), []string{"--strategy=eks-minimal", "well", "48m0s", "3", "0", "4 for 1m20s", "44m0s to 1h2m0s", "0 shop/cart", "1.11", "0s", "362"}},
			{fit, []string{"--max-surge=fit", "well", "1h1m0s", "3", "1", "-", "55m0s to 1h20m0s", "1 shop/cart", "1.00", "1h1m0s", "362"}},
		},
	}
}

var at = uitest.Moment

func shown(p Plan, theme themes.Theme, w, h int, keys string) *review {
	clock := at
	r := newReview(p, Options{Appearance: term.Appearance{Theme: theme}, Environ: []string{"TERM=xterm"}, Now: func() time.Time { return clock }})
	r.compare = func() tea.Msg { return comparedMsg{Comparison: compared()} }
	r.Update(tea.WindowSizeMsg{Width: w, Height: h})
	clock = clock.Add(time.Second)
	press(r, keys)
	return r
}

// press presses keys, and lets the commands that they bring about end.
func press(r *review, keys string) (quit bool) {
	for _, k := range strings.Fields(keys) {
		_, cmd := r.Update(uitest.KeyPress(k))
		if cmd == nil || r.notice != "" {
			continue
		}
		msg := cmd()
		if _, is := msg.(tea.QuitMsg); is {
			return true
		}
		r.Update(msg)
	}
	return false
}

func TestReview(t *testing.T) {
	for _, c := range []struct {
		name string
		plan func() Plan
		keys string
	}{{"well", well, ""}, {"bad", bad, ""}, {"scrolled", bad, "tab tab down down"}, {"compared", bad, "b down down"}} {
		uitest.Both(t, c.name, func(t *testing.T, theme themes.Theme, write func(st *style.Styles, heading string, lines []string)) {
			for _, size := range uitest.Screens {
				r := shown(c.plan(), theme, size[0], size[1], c.keys)
				frame := r.View().Content
				uitest.CheckFrame(t, frame, size[0], size[1])
				write(r.Styles, uitest.Heading(size[0], c.name, c.keys), strings.Split(frame, "\n"))
			}
		})
	}
}

// One key starts, where the run ends well also enter; where it does not, enter is "not now".
func TestReviewIsDecided(t *testing.T) {
	refused := well()
	refused.Refused = "IAM rights are missing"
	for _, c := range []struct {
		plan  Plan
		keys  string
		start bool
		quit  bool
	}{
		{well(), "y", true, true}, {well(), "enter", true, true}, {well(), "right enter", false, true}, {well(), "n", false, true}, {well(), "esc", false, true}, {well(), "ctrl+c", false, true},
		{bad(), "y", true, true}, {bad(), "enter", false, true}, {bad(), "left enter", true, true}, {refused, "y", false, false}, {well(), "x g G down", false, false},
	} {
		r := shown(c.plan, themes.None, 100, 30, "")
		if quit := press(r, c.keys); quit != c.quit || r.answer.Start != c.start {
			t.Errorf("%s: %+v, quit %v", c.keys, r.answer, quit)
		}
	}
	r := shown(refused, themes.None, 100, 30, "y")
	if got := ansi.Strip(r.View().Content); !strings.Contains(got, "cannot start: IAM rights are missing") {
		t.Errorf("it does not say why it does not start:\n%s", got)
	}
}

// Other settings are taken from the comparison, looked at, and given back.
func TestReviewTakesOtherSettings(t *testing.T) {
	r := shown(bad(), themes.None, 120, 36, "b down enter")
	if got := ansi.Strip(r.View().Content); r.answer.Variant != 1 || r.later || !strings.Contains(got, "Ends well in about 42 min") {
		t.Fatalf("%+v\n%s", r.answer, got)
	}
	if press(r, "b up enter"); r.answer.Variant != 0 || !r.later {
		t.Errorf("%+v", r.answer)
	}
	if quit := press(r, "b down down enter y"); !quit || r.answer != (Answer{Start: true, Variant: 2}) {
		t.Errorf("%v, %+v", quit, r.answer)
	}
	asked := 0
	r = shown(bad(), themes.None, 120, 36, "")
	r.compare = func() tea.Msg { asked++; return comparedMsg{err: errors.New("the cluster is away")} }
	if press(r, "b"); asked != 1 || !strings.Contains(ansi.Strip(r.View().Content), "not compared: the cluster is away") {
		t.Errorf("asked %d times\n%s", asked, r.View().Content)
	}
	if press(r, "enter esc b esc"); asked != 1 || r.comparing {
		t.Errorf("asked %d times", asked)
	}
	r.compare = nil
	if press(r, "b"); r.comparing || r.notice == "" {
		t.Error("what cannot be compared is compared")
	}
}

// What was typed before the plan could be read decides nothing, nor what is typed where it cannot be.
func TestReviewIgnoresWhatWasTypedBefore(t *testing.T) {
	clock := at
	r := newReview(well(), Options{Now: func() time.Time { return clock }})
	r.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	clock = clock.Add(grace - time.Millisecond)
	if press(r, "y enter") {
		t.Error("it is started by a key that was typed before")
	}
	clock = clock.Add(time.Millisecond)
	r.Update(tea.WindowSizeMsg{Width: 30, Height: 8})
	if press(r, "y") {
		t.Error("it is started on a screen that shows nothing")
	}
}

// All sections are reached by scrolling, and by jumps.
func TestReviewScrolls(t *testing.T) {
	r := shown(bad(), themes.None, 80, 24, "")
	for i := range r.plan.Sections {
		if i > 0 {
			press(r, "tab")
		}
		if got := ansi.Strip(r.View().Content); !strings.Contains(got, r.plan.Sections[i].Name) {
			t.Errorf("%s is not shown:\n%s", r.plan.Sections[i].Name, got)
		}
	}
	if press(r, "g"); r.top != 0 {
		t.Error("the beginning is not reached")
	}
	if press(r, "G"); r.top != r.most || r.most == 0 {
		t.Errorf("at %d of %d", r.top, r.most)
	}
}

// Show runs on a terminal.
func TestShow(t *testing.T) {
	in, keys := io.Pipe()
	out := &frames{changed: make(chan struct{}, 1)}
	clock := at
	go func() {
		<-out.changed
		io.WriteString(keys, "n")
	}()
	answer, err := Show(context.Background(), well(), Options{Input: in, Output: out, Environ: []string{"TERM=xterm"}, Now: func() time.Time { clock = clock.Add(time.Second); return clock }})
	keys.Close()
	if err != nil || answer.Start {
		t.Errorf("%+v, %v", answer, err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("interrupted"))
	if _, err := Show(ctx, well(), Options{Input: strings.NewReader(""), Output: io.Discard, Environ: []string{"TERM=xterm"}}); err == nil || err.Error() != "interrupted" {
		t.Errorf("%v", err)
	}
}

// frames tells that something was drawn.
type frames struct{ changed chan struct{} }

func (f *frames) Write(b []byte) (int, error) {
	select {
	case f.changed <- struct{}{}:
	default:
	}
	return len(b), nil
}
