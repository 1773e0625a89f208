package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/themes"
)

// validating is a kops run that waits for the cluster to be valid after a termination:
// two nodes are detached, one drains, and another group of workers has trouble of its own.
func validating() *engine.Snapshot {
	const own, other = "nodes-eu-west-1.k8s.example.com", "nodes-eu-west-1-spot.k8s.example.com"
	s := busy()
	s.Group, s.Provider, s.Strategy, s.Limit = "nodes-eu-west-1", "kops", "kops", 3
	s.Phases = []engine.PhaseView{
		{Name: "validate", Start: at.Add(-21 * time.Minute), End: at.Add(-20 * time.Minute)},
		{Name: "taint", Start: at.Add(-20 * time.Minute), End: at.Add(-20*time.Minute + 2*time.Second)},
		{Name: "surge", Start: at.Add(-20*time.Minute + 2*time.Second), End: at.Add(-16 * time.Minute)},
		{Name: "roll", Start: at.Add(-16 * time.Minute), Done: 4, Total: 12},
	}
	s.Zones[0].Rows[2].Detached, s.Zones[2].Rows[2].Detached = true, true
	leaves := s.Zones[1].Rows[1]
	leaves.Wait = wait("deregistering", 4*time.Minute, 5*time.Minute, world.Cloud)
	leaves.Cordoned, leaves.Detached = true, true
	s.Blockers, s.Evictions = nil, nil
	s.Validation = &engine.Validation{
		After: []string{host(3, 77)}, Wait: wait("validation", 12*time.Minute+41*time.Second, 15*time.Minute, world.Cluster, world.Cloud),
		Need: 2, Next: at.Add(23 * time.Second), Looked: at.Add(-7 * time.Second),
		Failures: []engine.Invalid{
			{Kind: "machine", Name: "i-0b19ac0ffee00d001", Group: other, Message: "machine i-0b19ac0ffee00d001 of " + other + " has not joined the cluster", Ignored: true},
			{Kind: "group", Name: own, Group: own, Message: "group " + own + " has 11 of 12 machines"},
			{Kind: "node", Name: host(3, 80), Group: own, Message: "node " + host(3, 80) + " of " + own + " is not Ready: kubelet stopped posting node status"},
			{Kind: "pod", Name: "kube-system/coredns-autoscaler-7cb5c5b969-zq2l9", Message: "pod kube-system/coredns-autoscaler-7cb5c5b969-zq2l9 (system-cluster-critical) is pending"},
		},
	}
	return s
}

// passing is a validation that has found nothing so far.
func passing() *engine.Snapshot {
	s := validating()
	s.Validation.Failures, s.Validation.Passes, s.Validation.Next = s.Validation.Failures[:1], 1, at.Add(9*time.Second)
	return s
}

// pressed is a validation whose time is nearly up.
func pressed() *engine.Snapshot {
	s := validating()
	s.Validation.Wait = wait("validation", 95*time.Second, 15*time.Minute, world.Cluster, world.Cloud)
	return s
}

// valid is a run between two validations.
func valid() *engine.Snapshot {
	s := validating()
	s.Validation.Failures, s.Validation.Passes, s.Validation.Passed = nil, 2, at.Add(-17*time.Second)
	return s
}

// interval is a run that waits before its first look.
func interval() *engine.Snapshot {
	s := validating()
	s.Validation.Failures, s.Validation.Looked, s.Validation.Next = nil, time.Time{}, at.Add(12*time.Second)
	return s
}

// invalid is a run that ended because the cluster did not get valid.
func invalid() *engine.Snapshot {
	s := validating()
	s.State, s.Result, s.Ended, s.Left, s.Abilities = engine.Finished, engine.InvalidFail, at, 0, nil
	s.Why = "ClusterValidationFailure: the cluster did not get valid within 15m0s after ip-10-0-3-77 was ended"
	s.Validation.Failed = at
	s.Phases[3].End = at
	return s
}

// What is not valid is named, with what is ignored told apart by a word and not by its
// colour alone.
func TestValidationNamesWhatIsNotValid(t *testing.T) {
	for _, theme := range []themes.Theme{themes.Dark, themes.None} {
		screen := plainScreen(board(validating(), 120, 36, theme))
		for _, want := range []string{
			"not valid yet: 1 group, 1 node, 1 pod, 1 ignored", "passed 0 of 2 looks, next look in 0:23", "fails in 12:41",
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
		screen := plainScreen(board(validating(), size[0], size[1], themes.None))
		for _, want := range []string{"not valid yet: 1 group, 1 node, 1 pod, 1", "in 12:41, passed 0"} {
			if !strings.Contains(screen, want) {
				t.Errorf("%v: the screen does not say %q:\n%s", size, want, screen)
			}
		}
	}
	m := board(validating(), 60, 30, themes.None)
	press(m, "tab")
	if screen := plainScreen(m); !strings.Contains(screen, "(system-cluster-critical) is pending") {
		t.Errorf("the pane of what is blocked does not name the pod:\n%s", screen)
	}
}

// The countdowns move between snapshots, and stand still with their sources.
func TestValidationCounts(t *testing.T) {
	now := at
	m := newModel(Options{Now: func() time.Time { return now }, Theme: themes.None, Environ: []string{"TERM=xterm"}})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	m.Update(snapshotMsg{validating()})
	now = at.Add(20 * time.Second)
	m.dirty = true
	if screen := plainScreen(m); !strings.Contains(screen, "next look in 0:03") || !strings.Contains(screen, "fails in 12:21") {
		t.Errorf("20 s later:\n%s", screen)
	}
	s := validating()
	s.Sources[0].Stale = true
	m.Update(snapshotMsg{s})
	now = now.Add(time.Minute)
	if screen := plainScreen(m); !strings.Contains(screen, "next look waits") || !strings.Contains(screen, "fails in 12:41, stands still") {
		t.Errorf("while the cluster is not seen:\n%s", screen)
	}
}

// A cluster that may stay invalid is told so: the run goes on.
func TestValidationThatMayFail(t *testing.T) {
	s := validating()
	s.PassInvalid = true
	if screen := plainScreen(board(s, 120, 36, themes.None)); !strings.Contains(screen, "goes on all the same in 12:41") {
		t.Errorf("the screen says\n%s", screen)
	}
}

func TestWindowTitleOfAValidation(t *testing.T) {
	m := board(validating(), 120, 36, themes.None)
	if got := windowTitle(m.sc, m.st); !strings.Contains(got, "3 not valid") {
		t.Errorf("the title is %q", got)
	}
	m = board(passing(), 120, 36, themes.None)
	if got := windowTitle(m.sc, m.st); strings.Contains(got, "not valid") {
		t.Errorf("the title is %q", got)
	}
}

// A cluster that does not get valid for long is news; one that boots a machine is not.
func TestInvalidNews(t *testing.T) {
	if got := board(validating(), 120, 36, themes.None).news(at); len(got) != 0 {
		t.Errorf("news after two minutes: %v", got)
	}
	got := board(pressed(), 120, 36, themes.None).news(at)
	if len(got) != 1 || !strings.Contains(got[0].text, "the cluster is not valid: 1 group, 1 node, 1 pod, 1 ignored, fails in 1:35") {
		t.Errorf("news: %v", got)
	}
}

// Its dialog tells all, however small the pane is.
func TestValidationDialog(t *testing.T) {
	m := board(validating(), 80, 24, themes.None)
	press(m, "v")
	if m.dialog == nil {
		t.Fatal("v opens nothing")
	}
	body := strings.Join(m.dialog.body(m, 76), "\n")
	for _, want := range []string{"after ip-10-0-3-77", "passed 0 of 2 looks in a row", "node ip-10-0-3-80 of nodes-eu-west-1: is not Ready", "ignored: machine i-0b19ac0ffee00d001", "it does not hold this one"} {
		if !strings.Contains(body, want) {
			t.Errorf("the dialog does not say %q:\n%s", want, body)
		}
	}
	m = board(busy(), 80, 24, themes.None)
	if press(m, "v"); m.dialog != nil || !strings.Contains(m.notice, "nothing is validated") {
		t.Errorf("without a validation: %q", m.notice)
	}
}

// In the end each thing that was not valid is named.
func TestInvalidEnd(t *testing.T) {
	m := board(invalid(), 120, 36, themes.None)
	body := strings.Join(m.dialog.body(m, 92), "\n")
	for _, want := range []string{"7: the cluster did not get valid in time (ClusterValidationFailure)", "group nodes-eu-west-1: has 11 of 12 machines", "ignored: machine"} {
		if !strings.Contains(body, want) {
			t.Errorf("the end does not say %q:\n%s", want, body)
		}
	}
}

// The plain mode names each thing once while it lasts, and how long it may take.
func TestPlainTellsAValidation(t *testing.T) {
	p := attend(t, validating()).
		Hears("not valid yet: group nodes-eu-west-1: has 11 of 12 machines", "not valid yet: node ip-10-0-3-80 of nodes-eu-west-1: is not Ready").
		Hears("ignored: machine i-0b19ac0ffee00d001", "fails in 12:41, passed 0 of 2 looks, next look in 0:23")
	p.Show(validating()).Later(5 * time.Second).Show(valid()).Show(validating()).Hears("not valid yet: group")
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := strings.Count(p.text, "has 11 of 12 machines"); n != 2 {
		t.Errorf("told %d times, want once in each of two validations:\n%s", n, p.text)
	}
	if n := strings.Count(p.text, "ignored: machine"); n != 1 {
		t.Errorf("what is ignored is told %d times:\n%s", n, p.text)
	}
}

// What is said of a validation begins with that, whichever phase it is in.
func TestValidationEvents(t *testing.T) {
	sc := newScene(validating(), at, 1, nil)
	for want, e := range map[string]engine.Event{
		"validation passed: the cluster is valid after a1, 2 looks in a row": {Type: engine.ValidationPassed, Phase: "roll", Message: "the cluster is valid after a1, 2 looks in a row"},
		"validation failed: the cluster did not get valid within 15m0s":      {Type: engine.ValidationFailed, Phase: "validate", Message: "the cluster did not get valid within 15m0s"},
		"the canary is not well: web crash-loops":                            {Type: engine.Warning, Message: "the canary is not well: web crash-loops"},
	} {
		if got := sc.eventText(&e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// plainScreen is a frame without its colours.
func plainScreen(m *Model) string { return ansi.Strip(m.View().Content) }
