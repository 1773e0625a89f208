package e2e

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/apigate"
	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/gate"
)

// SIGINT while a node drains, after another one was replaced: the node goes back
// into service, empty new nodes go, the others stay and are named.
func TestAbortInTheMiddle(t *testing.T) {
	s := newScene(t, "abort", lab.GroupOptions{Nodes: 3, Zones: oneZone})
	s.deploy("checkout", "batch", "agent")

	p := s.upgrade()
	blocked := p.await("node.blocked")
	p.signal(syscall.SIGINT)
	p.exits(3)

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "aborted", 3)
	p.await("run.aborting")
	p.await("node.outdated", onNode(blocked.Node), because("restored"))
	s.checkRestored()
	s.checkPods()
	s.checkBudgets()
	g, _ := shared.Cloud().Group(s.group.Name)
	busy := s.busyNewNodes()
	if extra := g.Desired - s.before.Desired; extra > busy {
		t.Errorf("the group is %d larger than it was, and %d new nodes hold pods", extra, busy)
	} else if extra > 0 {
		p.says("Not restored", "drainboard retire "+s.group.Name)
	}
	st := s.status()
	if st.State != "finished" || st.Result != "aborted" {
		t.Errorf("status %+v", st)
	}
}

// busyNewNodes counts the nodes of the new version with a pod that a drain would
// have to evict.
func (s *scene) busyNewNodes() int {
	s.t.Helper()
	busy := map[string]bool{}
	for _, pod := range s.pods("") {
		if !slices.ContainsFunc(pod.OwnerReferences, isDaemonSet) {
			busy[pod.Spec.NodeName] = true
		}
	}
	n := 0
	for _, i := range s.instances() {
		if i.TemplateVersion == s.group.New && busy[i.PrivateDNS] {
			n++
		}
	}
	return n
}

// Aborted before any pod moved: the group is what it was before, template and all.
func TestAbortLeavesNothing(t *testing.T) {
	s := newScene(t, "nothing", lab.GroupOptions{Nodes: 1, Zones: oneZone, Max: 4})
	s.deploy("checkout")

	p := s.upgrade()
	p.await("node.blocked")
	p.signal(syscall.SIGTERM)
	p.exits(3)

	checkFinished(t, p.said(), "aborted", 3)
	s.checkRestored()
	s.checkAsBefore()
}

// A second SIGINT stops at once and says what is left; upgrade continues from
// there and puts it back.
func TestSecondInterrupt(t *testing.T) {
	s := newScene(t, "again", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.deploy("checkout")

	p := s.upgrade()
	p.await("node.blocked")
	// The end takes long: the surge nodes cannot be terminated.
	const terminate = "autoscaling:TerminateInstanceInAutoScalingGroup"
	shared.Cloud().DenyKey(s.key, terminate, true)
	p.signal(syscall.SIGINT)
	p.await("warning", saying(terminate))
	p.signal(syscall.SIGINT)
	p.exits(3).says("second signal", "Not restored yet", "AZRebalance", "drainboard upgrade ng-again")

	shared.Cloud().DenyKey(s.key, terminate, false)
	p = s.upgrade().exits(3)
	checkFinished(t, p.said(), "aborted", 3)
	s.checkRestored()
	s.checkAsBefore()
}

// What was there before us stays: a cordon, a label, a suspended process.
func TestForeignMarksStay(t *testing.T) {
	s := newScene(t, "foreign", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	// First, because describe calls lag behind a change.
	s.aws("SuspendProcesses", "AutoScalingGroupName", s.group.Name, "ScalingProcesses.member.1", "AZRebalance")
	s.deploy("batch")
	node := s.nodes()[0].Name
	s.patch("nodes", node, `{"spec":{"unschedulable":true},"metadata":{"labels":{"node.kubernetes.io/exclude-from-external-load-balancers":"mine"}}}`)

	p := s.upgrade("--post-drain-wait", "15s")
	p.await("node.settling", onNode(node))
	p.signal(syscall.SIGINT)
	p.exits(3)

	checkFinished(t, p.said(), "aborted", 3)
	i := slices.IndexFunc(s.nodes(), func(n corev1.Node) bool { return n.Name == node })
	if i < 0 {
		t.Fatal("the node is gone")
	}
	after := s.nodes()[i]
	if marks := strings.Join(marksOf(after), ", "); marks != "a cordon, label node.kubernetes.io/exclude-from-external-load-balancers" {
		t.Errorf("marks of %s: %s", node, marks)
	}
	if v := after.Labels["node.kubernetes.io/exclude-from-external-load-balancers"]; v != "mine" {
		t.Errorf("the label that was there before has the value %q", v)
	}
	if g, _ := shared.Cloud().Group(s.group.Name); !slices.Equal(g.Suspended, []string{"AZRebalance"}) {
		t.Errorf("suspended processes %v, AZRebalance was suspended before", g.Suspended)
	}
	s.checkPods()
}

// Three in ten requests to either API fail from the moment of an abort on, and some
// changes are not allowed any more: the run ends as aborted all the same, and what it
// could not restore is named with commands, after which nothing of it is left. (With
// half of them failing the record is out of reach most of the time, during which the
// deadline of an abort stands still: the story took four to seven minutes.)
func TestAbortWhileAPIsFail(t *testing.T) {
	s := newScene(t, "half", lab.GroupOptions{Nodes: 2, Zones: oneZone, Version: "1"})
	s.deploy("checkout", "agent")
	api, err := shared.Gate(s.name)
	if err != nil {
		t.Fatal(err)
	}
	old := map[string]bool{}
	for _, n := range s.nodes() {
		old["/api/v1/nodes/"+n.Name] = true
	}

	p := s.upgrade("--launch-template-version", "2")
	p.await("node.blocked")
	denied := []string{"autoscaling:UpdateAutoScalingGroup", "autoscaling:ResumeProcesses"}
	for _, action := range denied {
		shared.Cloud().DenyKey(s.key, action, true)
	}
	faults := []func(){
		api.Fail(1, func(r gate.Request) bool { return r.Method == "PATCH" && old[r.URL.Path] }, apigate.Forbidden),
		api.Fail(0.3, gate.Any, quickly(apigate.Troubles)...),
		shared.Cloud().Gate().Fail(0.3, cloud.Asks(s.key, ""), quickly(cloud.Troubles)...),
	}
	p.signal(syscall.SIGINT)
	p.exits(3)
	for _, end := range faults { // what restores the rest has the rights, and APIs that answer
		end()
	}
	for _, action := range denied {
		shared.Cloud().DenyKey(s.key, action, false)
	}

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "aborted", 3)
	s.checkActions()
	s.checkTerminatedOnce()
	left := p.all("warning", because("unrestored"))
	p.says("Not restored", "remove taint", "AZRebalance stays suspended", "maximum size stays", "launch template stays")
	for _, e := range left {
		if e.EquivalentCommand == "" {
			t.Errorf("no command restores: %s", e.Message)
			continue
		}
		p.says(e.Message + ": " + e.EquivalentCommand)
		s.byHand(e.EquivalentCommand)
	}
	s.checkNoMarks()
	s.checkAsBefore()
}

// The driver dies just before an abort, so that its lock still looks alive: the abort finds that no one
// answers, and carries itself out.
func TestAbortAfterAKill(t *testing.T) {
	s := newScene(t, "abort-killed", lab.GroupOptions{Nodes: 2, Zones: oneZone}, "read", "upgrade", "events", "hear", "command")
	s.deploy("checkout", "agent")
	p := s.upgrade()
	p.await("node.blocked")
	p.crash()
	s.run("abort", s.group.Name, "--yes", "--wait", "20s").exits(3).says("no answer within 20s; it was withdrawn, and no process drives the run any more: this one aborts it")
	s.checkNoMarks()
}

// quickly are failures with an error, and those that break the connection rather than
// keep silent, so that nobody has to lose his patience first.
func quickly(how []gate.Failure) []gate.Failure {
	return append(slices.Clone(how[:2]), gate.Break, gate.BreakAfter)
}
