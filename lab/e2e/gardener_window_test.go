package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/lab/gardener"
)

// A change of providerConfig is in no hash that a node carries, and one that is confined to the
// maintenance time window shows in no generation: no run says that all is done, with the control
// cluster or without it. It says that the window is waited for, and ends with 9. A run that waits when
// the window opens follows the roll to its end.
func TestGardenerConfined(t *testing.T) {
	s := newShootScene(t, gardener.Options{Name: "confined", Confine: true, Pools: []gardener.Pool{{Name: "kept", Size: 1, Zones: zones[:1], MaxSurge: "1", MaxUnavailable: "0"}}})
	s.drives()
	before := s.nodesOf("kept")
	s.change(gardener.Change{Pool: "kept", ProviderConfig: `{"iamInstanceProfile":{"name":"other"}}`})
	const window = "changes of the Shoot wait for its maintenance time window, "
	if out := s.run(append([]string{"plan", "kept"}, s.withShoot()...)...).exits(0).out(); !strings.Contains(out, window) {
		t.Errorf("the plan does not tell of the window:\n%s", out)
	}
	if out := s.run(append([]string{"upgrade", "kept", "--plain"}, s.withShoot()...)...).exits(9).out(); !strings.Contains(out, window) {
		t.Errorf("who is asked is told\n%s", out)
	}
	for _, flags := range [][]string{s.withAll(), s.withShoot()} {
		p := s.follows("kept", append(flags, "--wait-for-start", "5s")...).exits(9)
		if told := p.all("run.paused", because("Gardener has not finished after 5s"), because(window)); len(told) != 1 || len(p.all("run.finished")) > 0 {
			t.Errorf("it does not end as one that waits for the window:\n%s", p.tail())
		}
		if out := s.run("status", "kept").exits(0).out(); !strings.Contains(out, window) {
			t.Errorf("its status is\n%s", out)
		}
		s.checkUntouchedPool("kept", before, p)
		s.run(append([]string{"abort", "kept", "--yes"}, s.withShoot()[2:]...)...).exits(3) // with the control cluster it would pause the roll
	}

	p := s.follows("kept", s.withShoot()...)
	p.await("warning", because("controller-not-complete"), saying(window))
	s.shoot.OpenWindow()
	p.exits(0)
	s.checkReplaced("kept", before, p)
	if gone := s.goneByAudit(before); len(gone) != 1 {
		t.Errorf("gone are %v", gone)
	}
}

// What the Shoot says that stalls a roll is in its plan, in its status and in what a run tells: at its
// start, and when it ends because nothing moves. It is no more once Gardener takes it back.
func TestGardenerStalled(t *testing.T) {
	s := newShootScene(t, gardener.Options{Name: "stalled", Pools: []gardener.Pool{{Name: "hooked", Size: 1, Zones: zones[:1], MaxSurge: "1", MaxUnavailable: "0"}}})
	s.drives()
	before := s.nodesOf("hooked")
	const message = "ValidatingWebhookConfiguration guard is problematic: webhook guard.example has failurePolicy Fail"
	const told = "MaintenancePreconditionsSatisfied is False (ProblematicWebhooks), a webhook may keep new nodes from joining, or pods from being evicted and started: " + message
	s.shoot.Constrain("MaintenancePreconditionsSatisfied", "ProblematicWebhooks", message)
	s.eventually(func() error {
		if out := s.run(append([]string{"status", "hooked"}, s.withShoot()...)...).exits(0).out(); !strings.Contains(out, told) {
			return fmt.Errorf("the status is\n%s", out)
		}
		return nil
	})
	if out := s.run(append([]string{"plan", "hooked"}, s.withShoot()...)...).exits(0).out(); !strings.Contains(out, told) {
		t.Errorf("the plan is\n%s", out)
	}
	if out := s.run(append([]string{"plan", "--machine-image-version", newImage}, s.withShoot()...)...).exits(0).out(); !strings.Contains(out, told) {
		t.Errorf("the plan of a change is\n%s", out)
	}
	s.shoot.StopGardenlet(true)
	s.change(gardener.Change{ImageVersion: newImage})
	p := s.follows("hooked", append(s.withShoot(), "--wait-for-start", "5s")...).exits(9)
	if at := p.all("warning", because("foreseen"), saying(told)); len(at) != 1 {
		t.Errorf("it does not begin with what stalls it:\n%s", p.tail())
	}
	if end := p.all("run.paused", because("has not started generation 2"), because(told)); len(end) != 1 {
		t.Errorf("it does not end with what stalls it:\n%s", p.tail())
	}
	s.checkUntouchedPool("hooked", before, p)
	s.run("abort", "hooked", "--yes").exits(3) // its time to wait is too short for a roll
	s.shoot.Constrain("", "", "")
	s.shoot.StopGardenlet(false)
	s.eventually(func() error {
		if out := s.run(append([]string{"status", "hooked"}, s.withShoot()...)...).exits(0).out(); strings.Contains(out, told) {
			return fmt.Errorf("the status is still\n%s", out)
		}
		return nil
	})
	p = s.follows("hooked", s.withShoot()...).exits(0)
	if again := p.all("warning", saying("MaintenancePreconditionsSatisfied")); len(again) > 0 {
		t.Errorf("it still tells %v", again)
	}
	s.checkReplaced("hooked", before, p)
}
