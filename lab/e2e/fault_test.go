package e2e

import (
	"slices"
	"testing"
	"time"

	"github.com/drainboard/drainboard/lab"
)

// The whole control plane goes away in the middle of a run, twice: etcd stands
// still for three quarters of a minute, longer than the run's lock lasts, and the API server is
// stopped and started again. The run waits, says so, uses up no deadline, and ends
// well; so does another one with a person at it, who sees how old the picture is and
// when it is tried again.
func TestControlPlaneAway(t *testing.T) {
	s := loneScene(t, "away", lab.GroupOptions{Nodes: 3, Zones: oneZone})
	s.deploy("checkout", "batch", "agent")
	seen := loneScene(t, "away-seen", lab.GroupOptions{Nodes: 2, Zones: oneZone})
	seen.deploy("checkout", "agent")
	desk := seen.interactive("--yes", "--approve", "none")
	desk.expect("allows 0")

	// Most of this time has to be left when etcd is back, where it counts for 10 s until the
	// lock is lost, and enough of it after the API server's restart: the controllers ask
	// again after up to half a minute, and nothing moves until they do.
	p := s.upgrade("--drain-timeout", "45s", "--post-drain-wait", "2s")
	blocked := p.await("node.blocked")
	if err := shared.Process(lab.Etcd).Freeze(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shared.Process(lab.Etcd).Thaw() })
	desk.expectLike(`cluster data \d+ s old, retry`)
	p.await("warning", because("lock-lost"), saying("deadlines stand still"))
	desk.expectLike(`lost the lock of this run: `)
	time.Sleep(time.Until(blocked.Until.Add(2 * time.Second)))
	desk.expectLike(`cluster data [4-9]\d s old, retry`)
	if err := shared.Process(lab.Etcd).Thaw(); err != nil {
		t.Fatal(err)
	}
	p.await("warning", because("lock-held"))
	desk.expectGone("cluster data")
	// The drain would have run out of time by now, had it gone on counting.
	s.refusedAfter(*blocked.Until)
	// Enough for those that the budget counts as going for two minutes, if its
	// controller is late to hear that they are gone.
	s.scale("checkout", 8)
	p.await("pod.unblocked", ofPod(blocked.Pod))

	p.await("node.settling", onNode(blocked.Node)) // no eviction is under way
	shared.Process(lab.APIServer).Stop()
	t.Cleanup(func() { _ = shared.Process(lab.APIServer).Start() })
	desk.expectLike(`cluster data \d+ s old, retry.*: cannot reach`)
	if err := shared.Restart(s.ctx, lab.APIServer); err != nil {
		t.Fatal(err)
	}
	desk.expectGone("cluster data")
	seen.scale("checkout", 8)
	p.exits(0)
	desk.expect("exit code", "0: done")
	desk.quits(0)

	checkEvents(t, p.said()) // their order repeats what the record did not know yet
	checkFinished(t, p.said(), "succeeded", 0)
	for _, s := range []*scene{s, seen} {
		s.checkRolled()
		s.checkNothingTwice()
	}
}

// refusedAfter waits until an eviction was refused by a budget after a time.
func (s *scene) refusedAfter(from time.Time) {
	s.t.Helper()
	_, err := shared.AuditUntil(s.ctx, func(log lab.Requests) bool {
		return slices.ContainsFunc(log, func(r lab.Request) bool {
			return r.User == s.user && r.Eviction() && r.Code == 429 && r.Received.After(from)
		})
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// checkNothingTwice sees that no change was carried out twice: no pod evicted
// again, no mark put on again, no machine ended again. What is as harmless the second
// time as the first (a process suspended, the same sizes set, a template version or a
// launch with the same token) may be repeated.
func (s *scene) checkNothingTwice() {
	s.t.Helper()
	done := map[string]int{}
	for _, r := range s.requests().Where(lab.Complete, lab.Request.Write) {
		switch {
		case r.Code >= 300, review(r), bookkeeping(r):
		case r.Eviction():
			done["eviction of "+r.Name+" "+r.UID()]++
		default:
			done[r.Verb+" "+r.Resource+" "+r.Name+" "+string(r.Body)]++
		}
	}
	for _, c := range s.calls() {
		if c.Code == "" && c.Action == "TerminateInstanceInAutoScalingGroup" {
			done[c.Action+" "+c.Params.Encode()]++
		}
	}
	for what, n := range done {
		if n > 1 {
			s.t.Errorf("done %d times: %s", n, what)
		}
	}
}

// Connections break again and again, then stand still for longer than the lock
// lasts, then are refused: watches and answers are lost, and the run ends well.
func TestConnectionsCut(t *testing.T) {
	s := newScene(t, "cut", lab.GroupOptions{Nodes: 3, Zones: oneZone})
	s.deploy("batch", "single", "agent")
	line := shared.Line("cut")

	p := s.upgrade()
	for _, moment := range []string{"run.started", "capacity.changed", "node.tainted", "node.draining", "pod.evicted", "node.settling", "node.terminating"} {
		p.await(moment)
		line.Cut()
	}
	replaced := p.await("node.replaced")
	line.Hold(true)
	p.await("warning", because("lock-lost"))
	line.Hold(false)
	p.await("warning", because("lock-held"))
	next := p.await("node.settling", func(e Event) bool { return e.Time.After(replaced.Time) })
	line.Refuse(true)
	p.await("warning", because("lock-lost"), func(e Event) bool { return e.Time.After(next.Time) })
	line.Refuse(false)
	p.exits(0)

	checkEvents(t, p.said()) // their order repeats what the record did not know yet
	checkFinished(t, p.said(), "succeeded", 0)
	s.checkRolled()
	s.checkNothingTwice()
}
