package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/cloud"
)

// several adds groups beside that of the scene: what is done with --all is done to all
// groups of the lab, so nobody else may be there.
func (s *scene) several(groups ...lab.GroupOptions) {
	s.t.Helper()
	for _, o := range groups {
		if _, err := shared.AddGroup(s.ctx, o); err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { _ = shared.RemoveGroup(s.ctx, o.Name) })
	}
}

// all starts a roll of all groups without a person.
func (s *scene) all(flags ...string) *process {
	s.t.Helper()
	return s.launch(append([]string{"upgrade", "--all", "--auto", "-o", "json", "--post-drain-wait", "1s", "--eviction-retry", "1s"}, flags...)...)
}

func ofGroup(name string) func(Event) bool { return func(e Event) bool { return e.Group == name } }

// became is what the roll says became of each group, in the order in which it was said.
func (p *process) became() (out []string) {
	for _, e := range p.all("roll.group") {
		out = append(out, e.Group+" "+e.Reason)
	}
	return out
}

// checkRollEvents holds that every event but those of the roll itself names its group and
// run, and that groups do not speak in between each other.
func checkRollEvents(t *testing.T, events []Event) {
	t.Helper()
	var groups []string
	for _, e := range events {
		if e.Roll != events[0].Roll || e.Roll == "" {
			t.Errorf("it does not name the roll: %s", e)
		}
		if strings.HasPrefix(e.Type, "roll.") {
			continue
		}
		if e.Group == "" || e.Run == "" {
			t.Errorf("it names no group or run: %s", e)
		}
		if n := len(groups); n == 0 || groups[n-1] != e.Group {
			groups = append(groups, e.Group)
		}
	}
	if sorted := slices.Sorted(slices.Values(groups)); len(slices.Compact(sorted)) != len(groups) {
		t.Errorf("groups speak in between each other: %v", groups)
	}
}

// An error stops the groups after it, unless --keep-going; a group in which nothing is
// outdated is left out.
func TestRollOfGroups(t *testing.T) {
	s := loneScene(t, "several", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.several(lab.GroupOptions{Name: "ng-several-done", Nodes: 1, Zones: oneZone, UpToDate: true}, lab.GroupOptions{Name: "ng-several-more", Nodes: 1, Zones: oneZone})
	s.deploy("checkout", "twice", "agent")

	p := s.all("--drain-timeout", "5s").exits(4)
	want := []string{"ng-several-done left-out", "ng-several running", "ng-several finished", "ng-several-more not-started"}
	if got := p.became(); !slices.Equal(got, want) {
		t.Errorf("the groups became %q, want %q", got, want)
	}
	checkRollEvents(t, p.said())
	p.says("ng-several-more: not started: ng-several ended in an error", "To continue: drainboard upgrade --all")

	p = s.all("--drain-timeout", "5s", "--keep-going").exits(4)
	if n := len(p.all("node.replaced", ofGroup("ng-several-more"))); n == 0 {
		t.Error("the group after the one that failed was not rolled")
	}
	checkRollEvents(t, p.said())

	p = s.run("plan", "--all")
	for _, text := range []string{"1  ng-several ", "ng-several-done: no node is outdated", "ng-several-more: no node is outdated"} {
		if !strings.Contains(p.out(), text) {
			t.Errorf("the plan does not say %q:\n%s", text, p.out())
		}
	}
}

// A roll whose process died is gone on with by the same command: what is done is left out,
// and the unfinished run goes first.
func TestRollGoesOn(t *testing.T) {
	s := loneScene(t, "goes-on", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.several(lab.GroupOptions{Name: "ng-goes-on-z", Nodes: 2, Zones: oneZone})
	s.deploy("web", "agent")

	p := s.all()
	p.await("node.draining", ofGroup("ng-goes-on-z"))
	p.crash()
	roll := p.said()[0].Roll

	p = s.all().exits(0)
	if got := p.said()[0].Roll; got != roll {
		t.Errorf("the roll %s resumes as %s", roll, got)
	}
	want := []string{"ng-goes-on left-out", "ng-goes-on-z running", "ng-goes-on-z finished"}
	if got := p.became(); !slices.Equal(got, want) {
		t.Errorf("the groups became %q, want %q", got, want)
	}
	checkRollEvents(t, p.said())
	for _, group := range []string{"ng-goes-on", "ng-goes-on-z"} {
		for _, i := range shared.Cloud().Instances(group) {
			if i.State == cloud.InService && i.TemplateVersion != 2 {
				t.Errorf("%s of %s was launched from version %d", i.ID, group, i.TemplateVersion)
			}
		}
	}
}

// One dashboard goes from the first group to the last, and sums up at the end.
func TestRollOnTheScreen(t *testing.T) {
	s := newScene(t, "rolling", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.several(lab.GroupOptions{Name: "ng-rolling-z", Nodes: 1, Zones: oneZone})
	s.deploy("web", "agent")

	p := s.sit("upgrade", "ng-rolling-z", s.group.Name, "--post-drain-wait", "1s", "--eviction-retry", "1s")
	p.expect("a roll of 2 groups, by name", "1  ng-rolling ", "2  ng-rolling-z", "Start this roll? [y/N]").text("y").press("enter")
	for _, at := range []string{"group 1 of 2", "group 2 of 2"} {
		p.expect(at, "waits for approval")
		p.pressUntil("a", "Approve batch 1")
		p.pressUntil("y", "batch 1 approved")
	}
	p.expect("the roll: 2 of 2 groups done", "ng-rolling: done", "ng-rolling-z: done")
	p.pressUntil("esc", "q quit")
	p.quits(0)
	s.checkRolled()
}
