package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/kops"
)

// The only machine of a control plane is replaced, and the API server does not answer from its
// end on: for 90 s, after which the run ends as any other; and for ever, which pauses the run, and
// when the API is back after all the same command resumes it.
func TestKopsBlind(t *testing.T) {
	s := blindScene(t, "blind")

	s.outdate("masters")
	p, old := s.blinds("--validation-timeout", "4m")
	time.Sleep(90 * time.Second)
	s.sees()
	p.exits(0)
	p.await("warning", because("blind"), saying(old))
	s.replacedOnce(p)

	s.outdate("masters")
	p, old = s.blinds("--validation-timeout", "100s")
	p.exits(9)
	paused := p.await("run.paused", saying("no view of the cluster for 1m40s"), saying(old))
	if now := s.at("masters").instances(); len(now) != 1 || !strings.Contains(paused.Message, now[0].ID) {
		t.Errorf("%q does not tell of the new machine: %v", paused.Message, now)
	}
	if warned := p.all("warning", because("blind")); len(warned) < 3 {
		t.Errorf("it was told %d times", len(warned))
	}
	if err := p.errOut(); strings.Contains(err, "kubectl uncordon") || !strings.Contains(err, "drainboard upgrade masters") {
		t.Errorf("it advises:\n%s", err)
	}
	s.sees()
	again := s.rollMasters().exits(0)
	again.await("run.started", because("resumed"))
	s.replacedOnce(p, again)
}

// An abort that is given while the API server never returns ends as well, and another process does
// the rest once it has.
func TestKopsBlindAbort(t *testing.T) {
	s := blindScene(t, "blind-abort")
	s.outdate("masters")
	p, _ := s.blinds("--validation-timeout", "40s")
	p.await("warning", because("blind"))
	p.signal(syscall.SIGINT)
	p.await("warning", because("blind"), saying("the abort waits"))
	p.exits(3)
	s.sees()
	s.run("abort", "masters", "--yes").exits(3)
	if n := len(p.all("node.terminating")); n != 1 {
		t.Errorf("one end was told %d times", n)
	}
	s.at("masters").checkKopsMarks()
}

// blindScene is a cluster with one machine of the control plane.
func blindScene(t *testing.T, name string) *kopsScene {
	t.Helper()
	s := kopsSceneOf(t, name, kops.Group{Name: "masters", Role: kops.ControlPlane, Size: 1}, kops.Group{Name: "nodes", Role: kops.Node, Size: 2})
	t.Cleanup(func() { _ = shared.Process(lab.APIServer).Start() })
	return s
}

// rollMasters rolls the control plane.
func (s *kopsScene) rollMasters(flags ...string) *process {
	s.t.Helper()
	return s.launch(append(append([]string{"upgrade", "masters", "--provider", "kops"}, kopsFlags...), flags...)...)
}

// blinds rolls the control plane, and stops the API server as soon as its only machine is ended.
// It returns the name of the node that is gone.
func (s *kopsScene) blinds(flags ...string) (p *process, node string) {
	s.t.Helper()
	p = s.rollMasters(flags...)
	node = p.await("node.terminating").Node
	shared.Process(lab.APIServer).Stop()
	return p, node
}

// sees lets the API server answer again. The lab's controllers start with it, so that they see at
// once what a real cluster's many processes see soon: their own watches come back up to a minute
// late, and the DaemonSet controller may wait for pods whose end it has missed.
func (s *kopsScene) sees() {
	s.t.Helper()
	for _, component := range []string{lab.APIServer, lab.ControllerManager, lab.Scheduler, lab.Kwok} {
		s.must(shared.Restart(s.ctx, component))
	}
}

// replacedOnce sees that processes, one after the other, have replaced the machine once, and that
// each has told of its end at most once.
func (s *kopsScene) replacedOnce(processes ...*process) {
	s.t.Helper()
	for _, p := range processes {
		if n := len(p.all("node.terminating")); n > 1 {
			s.t.Errorf("one end was told %d times", n)
		}
	}
	checkFinished(s.t, processes[len(processes)-1].said(), "succeeded", 0)
	if n := len(calls(s.calls(), "TerminateInstances")); n != 1 {
		s.t.Errorf("%d machines were asked to end", n)
	}
	s.at("masters").checkKopsMarks()
	s.checkKopsCalls()
}
