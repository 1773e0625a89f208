package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/news"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/uitest"
)

// What is not valid is named, with what is ignored told apart by a word and not by its
// colour alone.
func TestValidationNamesWhatIsNotValid(t *testing.T) {
	for _, theme := range []themes.Theme{themes.Dark, themes.None} {
		screen := plainScreen(board(uitest.Validating(), 120, 36, theme))
		for _, want := range []string{
			"not valid yet: 1 group, 1 node, 1 pod, 1 ignored", "passed 0 of 2 looks, next validation in 0:23", "fails in 12:41",
			"group   nodes-eu-west-1  has 11 of 12 machines", "node    ip-10-0-3-80 of nodes-eu-west-1  is not Ready: kubelet stopped posting node status",
			"kube-system/coredns-autoscaler-7cb5c5b969-zq2l9  (system-cluster-critical) is pending",
			"ignored: has not joined the cluster", "after ip-10-0-3-77", "detached",
		} {
			if !strings.Contains(screen, want) {
				t.Errorf("%s: the screen does not say %q:\n%s", theme.Name, want, screen)
			}
		}
	}
}

// Where there is no room for a pane a banner tells the same in short.
func TestValidationOnSmallScreens(t *testing.T) {
	for _, size := range [][2]int{{60, 30}, {80, 20}} {
		screen := plainScreen(board(uitest.Validating(), size[0], size[1], themes.None))
		for _, want := range []string{"not valid yet: 1 group, 1 node, 1 pod, 1", "in 12:41, passed 0"} {
			if !strings.Contains(screen, want) {
				t.Errorf("%v: the screen does not say %q:\n%s", size, want, screen)
			}
		}
	}
	m := board(uitest.Validating(), 60, 30, themes.None)
	press(m, "tab")
	if screen := plainScreen(m); !strings.Contains(screen, "(system-cluster-critical) is pending") {
		t.Errorf("the pane of what is blocked does not name the pod:\n%s", screen)
	}
}

// The countdowns move between snapshots, and stand still with their sources.
func TestValidationCounts(t *testing.T) {
	now := uitest.Moment
	m := NewModel(Options{Now: func() time.Time { return now }, Theme: themes.None, Environ: []string{"TERM=xterm"}})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	m.Update(snapshotMsg{uitest.Judge(uitest.Validating())})
	now = uitest.Moment.Add(20 * time.Second)
	m.redraw()
	if screen := plainScreen(m); !strings.Contains(screen, "next validation in 0:03") || !strings.Contains(screen, "fails in 12:21") {
		t.Errorf("20 s later:\n%s", screen)
	}
	s := uitest.Validating()
	s.Sources[0].Stale = true
	m.Update(snapshotMsg{uitest.Judge(s)})
	now = now.Add(time.Minute)
	if screen := plainScreen(m); !strings.Contains(screen, "next validation waits") || !strings.Contains(screen, "fails in 12:41, stopped") {
		t.Errorf("while the cluster is not seen:\n%s", screen)
	}
}

// A cluster that may stay invalid is told so: the run continues.
func TestValidationThatMayFail(t *testing.T) {
	s := uitest.Validating()
	s.PassInvalid = true
	if screen := plainScreen(board(s, 120, 36, themes.None)); !strings.Contains(screen, "continues anyway in 12:41") {
		t.Errorf("the screen says\n%s", screen)
	}
}

func TestWindowTitleOfAValidation(t *testing.T) {
	m := board(uitest.Validating(), 120, 36, themes.None)
	if got := windowTitle(m.Scene, m.Styles); !strings.Contains(got, "3 not valid") {
		t.Errorf("the title is %q", got)
	}
	m = board(uitest.Passing(), 120, 36, themes.None)
	if got := windowTitle(m.Scene, m.Styles); strings.Contains(got, "not valid") {
		t.Errorf("the title is %q", got)
	}
}

// A cluster that does not get valid for long is news; one that boots a machine is not.
func TestInvalidNews(t *testing.T) {
	of := func(m *Model) []news.Item { return news.Of(m.Scene, m.Styles, "", uitest.Moment) }
	if got := of(board(uitest.Validating(), 120, 36, themes.None)); len(got) != 0 {
		t.Errorf("news after two minutes: %v", got)
	}
	got := of(board(uitest.Pressed(), 120, 36, themes.None))
	if len(got) != 1 || !strings.Contains(got[0].Text, "the cluster is not valid: 1 group, 1 node, 1 pod, 1 ignored, fails in 1:35") {
		t.Errorf("news: %v", got)
	}
}

// Its dialog tells all, however small the pane is.
func TestValidationDialog(t *testing.T) {
	m := board(uitest.Validating(), 80, 24, themes.None)
	press(m, "v")
	if m.Dialog == nil {
		t.Fatal("v opens nothing")
	}
	body := strings.Join(m.Dialog.Body(m, 76), "\n")
	for _, want := range []string{"after ip-10-0-3-77", "passed 0 of 2 looks in a row", "node ip-10-0-3-80 of nodes-eu-west-1: is not Ready", "ignored: machine i-0b19ac0ffee00d001", "they do not block this group"} {
		if !strings.Contains(body, want) {
			t.Errorf("the dialog does not say %q:\n%s", want, body)
		}
	}
	m = board(uitest.Busy(), 80, 24, themes.None)
	if press(m, "v"); m.Dialog != nil || !strings.Contains(m.Notice, "does not validate") {
		t.Errorf("without a validation: %q", m.Notice)
	}
}

// In the end each thing that was not valid is named.
func TestInvalidEnd(t *testing.T) {
	m := board(uitest.Invalid(), 120, 36, themes.None)
	body := strings.Join(m.Dialog.Body(m, 92), "\n")
	for _, want := range []string{"7: the cluster did not validate in time (ClusterValidationFailure)", "group nodes-eu-west-1: has 11 of 12 machines", "ignored: machine"} {
		if !strings.Contains(body, want) {
			t.Errorf("the end does not say %q:\n%s", want, body)
		}
	}
}

// What is said of a validation begins with that, whichever phase it is in.
func TestValidationEvents(t *testing.T) {
	sc := scene.New(uitest.Validating(), scene.Options{Clock: func() time.Time { return uitest.Moment }, Speed: 1}, nil)
	for want, e := range map[string]record.Event{
		"validation passed: the cluster is valid after a1, 2 looks in a row": {Type: record.ValidationPassed, Phase: "roll", Message: "the cluster is valid after a1, 2 looks in a row"},
		"validation failed: the cluster did not get valid within 15m0s":      {Type: record.ValidationFailed, Phase: "validate", Message: "the cluster did not get valid within 15m0s"},
		"canary unhealthy: web crash-loops":                                  {Type: record.Warning, Message: "canary unhealthy: web crash-loops"},
	} {
		if got := sc.EventText(&e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// plainScreen is a frame without its colours.
func plainScreen(m *Model) string { return ansi.Strip(m.View().Content) }
