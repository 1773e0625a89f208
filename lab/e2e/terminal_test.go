package e2e

import (
	"syscall"
	"testing"

	"github.com/drainboard/drainboard/lab"
)

// interactive is the upgrade of the scene's group with a person at it.
func (s *scene) interactive(flags ...string) *person {
	s.t.Helper()
	return s.sit(append([]string{"upgrade", s.group.Name, "--post-drain-wait", "1s", "--eviction-retry", "1s"}, flags...)...)
}

// A person upgrades a group: a look at other settings, yes to the plan, each batch approved, to the end.
func TestDashboard(t *testing.T) {
	s := newScene(t, "board", lab.GroupOptions{Nodes: 2, Zones: oneZone})
	s.deploy("web", "agent")

	p := s.interactive()
	p.expect("2 nodes to replace", "Ends well", "Nodes in their order", "[y start]")
	p.pressUntil("b", "settings compared", "as given (eks)", "--strategy=eks-minimal")
	p.press("j").press("enter").expect("No surge", "section 1 of") // which these pods have no room for
	p.press("b").expect("settings compared").press("k").press("enter").expect("Ends well")
	p.pressUntil("y", "Batch 1 waits for approval")
	for _, batch := range []string{"1", "2"} {
		p.expect("Batch " + batch + " waits for approval")
		p.pressUntil("a", "Approve batch "+batch)
		p.pressUntil("y", "batch "+batch+" approved")
	}
	p.expect("exit code", "0: done")
	p.quits(0)

	s.checkRolled()
}

// Not started: that changes nothing.
func TestNotStarted(t *testing.T) {
	s := newScene(t, "no", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.deploy("batch")

	p := s.interactive()
	p.expect("[n not now]")
	p.pressUntil("n", "not started")
	p.exits(3)

	s.checkUntouched()
	s.checkReleased()
}

// A blocked node is forced, with its name typed.
func TestForceByHand(t *testing.T) {
	s := newScene(t, "hand", lab.GroupOptions{Nodes: 1, Zones: oneZone}, "read", "upgrade", "force")
	s.deploy("checkout", "agent")
	held := shortName(s.nodes())

	p := s.interactive("--yes", "--approve", "none")
	p.expect("allows 0")
	p.pressUntil("f", "Type", "to force")
	p.text("wrong").press("enter").expect("that is not the name")
	for range "wrong" {
		p.press("\x7f")
	}
	p.text(held).press("enter")
	p.expect("exit code", "0: done")
	p.quits(0)

	s.checkSizes()
	s.checkNodes(1)
	s.checkPods()
}

// Leaving pauses the run and says how to continue; a second person continues.
func TestPauseAndLeave(t *testing.T) {
	s := newScene(t, "pause", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.deploy("checkout", "agent")

	p := s.interactive("--yes", "--approve", "none")
	p.expect("allows 0")
	p.pressUntil("p", "paused")
	p.pressUntil("q", "Leave?", "drainboard upgrade "+s.group.Name)
	p.press("y").leaves(9)
	if st := s.status(); st.State != "paused" {
		t.Errorf("status %+v", st)
	}
	s.scale("checkout", 4)

	q := s.interactive()
	q.expect("the unfinished run", "found: 0 of 1 node replaced", "next: ", "Resume? [y/N]").text("y").press("enter")
	q.expect("exit code", "0: done")
	q.quits(0)
	s.checkRolled()
}

// Aborted with x, after a look at what that does.
func TestAbortByHand(t *testing.T) {
	s := newScene(t, "xabort", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.deploy("checkout")

	p := s.interactive("--yes", "--approve", "none")
	p.expect("allows 0")
	p.pressUntil("x", "Abort the upgrade?").press("y")
	p.expect("exit code", "3: aborted")
	p.quits(3)

	s.checkRestored()
	s.checkAsBefore()
}

// However it ends, the terminal is restored: SIGTERM aborts, SIGHUP pauses.
func TestSignalsAtADashboard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		code   int
		state  string
	}{
		{"term", syscall.SIGTERM, 3, "finished"},
		{"hup", syscall.SIGHUP, 9, "paused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t, "signal-"+c.name, lab.GroupOptions{Nodes: 1, Zones: oneZone})
			s.deploy("checkout")
			p := s.interactive("--yes", "--approve", "none")
			p.expect("allows 0")
			p.signal(c.signal)
			p.leaves(c.code)
			if st := s.status(); st.State != c.state {
				t.Errorf("status %+v", st)
			}
			if c.state == "finished" {
				s.checkRestored()
				s.checkAsBefore()
			}
		})
	}
}
