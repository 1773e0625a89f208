package e2e

import (
	"syscall"
	"testing"

	"github.com/drainboard/drainboard/lab"
)

// watcher sits at a dashboard that only watches, as a user of its own who has just
// the rights for that, so that the log tells its requests from the upgrade's.
func (s *scene) watcher() (*scene, *person) {
	s.t.Helper()
	w := s.other(s.name+"-watcher", "read", "watch")
	return w, w.sit("watch", s.group.Name)
}

// A user watches a group before there is a run: sees it as it is, the run start in
// another process, a pod that is blocked, the progress when its budget opens, and the
// end. Another watches in lines, in a pipe, and is told the same. All that was ever asked of
// either API was to read.
func TestWatch(t *testing.T) {
	s := newScene(t, "watched", lab.GroupOptions{Nodes: 2, Zones: oneZone})
	s.deploy("checkout", "agent")
	w, p := s.watcher()
	lines := w.launch("watch", s.group.Name)
	p.expect("READ-ONLY", "no run is under way", "2 of 2 nodes outdated", "outdated", "1.31.4")
	lines.tells("READ-ONLY", "no run is under way")

	run := s.upgrade()
	p.expect("scale up")
	p.expect("allows 0", "blocked")
	lines.tells("driven by") // he is asked for every few seconds
	lines.tells("draining", "blocked: ", "allows 0")
	p.press("x").press("y").press("p").press("f") // nothing comes of these
	s.scale("checkout", 5)
	p.expect("exit code", "0: done", "2 of 2 nodes replaced")
	run.exits(0)
	p.quits(0)
	lines.tells("the run has", "exit code: 0: done", "Still watching the group.")
	lines.signal(syscall.SIGTERM)
	lines.exits(0)

	w.checkReadOnly()
	w.checkActions()
	if len(w.requests()) == 0 || len(w.calls()) == 0 {
		t.Error("the logs show no request of the watcher")
	}
	s.checkRolled()
}

// A run whose driver died is shown as such, and one who comes late sees it at once.
// Leaving a watch leaves the run alone, whatever ends it.
func TestWatchOfADeadDriver(t *testing.T) {
	s := newScene(t, "orphaned", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.deploy("checkout")
	run := s.upgrade()
	run.await("pod.blocked")
	_, p := s.watcher()
	p.expect("READ-ONLY", "allows 0", "driven by")
	run.crash()
	p.expect("no driver for", "drainboard upgrade "+s.group.Name+" resumes the run")
	p.signal(syscall.SIGTERM)
	p.leaves(0)
}

// Who may only read, and not follow a record, is told which right is missing.
func TestWatchWithoutTheRight(t *testing.T) {
	s := newScene(t, "unwatched", lab.GroupOptions{Nodes: 1, Zones: oneZone}, "read")
	p := s.sit("watch", s.group.Name)
	p.expect("watch configmaps in namespace drainboard")
	p.exits(11)
	s.run("watch", s.group.Name).exits(11).says("watch configmaps in namespace drainboard") // in lines
}
