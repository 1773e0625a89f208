package e2e

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/cloud"
)

// Two start the same group at once: one drives it to its end, the other names it,
// with its host, and says how to follow it.
func TestTwoAtOnce(t *testing.T) {
	s := newScene(t, "both", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.deploy("web")

	both := []*process{s.upgrade(), s.upgrade()}
	select {
	case <-both[0].ended:
	case <-both[1].ended:
		both[0], both[1] = both[1], both[0]
	case <-time.After(patience):
		t.Fatal("neither has ended")
	}
	loser, driver := both[0], both[1]
	loser.exits(6).says("another run holds the group: ", "pid "+strconv.Itoa(driver.cmd.Process.Pid), "drainboard watch "+s.group.Name)
	if len(loser.said()) > 0 {
		t.Errorf("who does not drive reported %v", loser.said()[0])
	}
	driver.exits(0)
	checkEvents(t, driver.said())
	checkFinished(t, driver.said(), "succeeded", 0)
	s.checkRolled()
}

// The holder is frozen past its lease, and another process takes over. When it wakes
// it sends nothing any more that would change anything, and says why.
func TestFrozenHolder(t *testing.T) {
	s := newScene(t, "frozen", lab.GroupOptions{Nodes: 2, Zones: oneZone})
	s.deploy("checkout", "agent")

	first := s.upgrade()
	first.await("node.blocked")
	user, key := s.user, s.key
	first.signal(syscall.SIGSTOP)
	s.as("frozen-second", published(t, "read", "upgrade"))
	s.key = "frozen-second"
	second := s.upgrade()
	second.await("run.started", because("resumed"), saying("started by "), saying("found: 0 of 2 nodes replaced"), saying("next: "))
	second.await("node.blocked")

	woke := time.Now()
	first.signal(syscall.SIGCONT)
	first.exits(6).says("another run holds the group", "pid "+strconv.Itoa(second.cmd.Process.Pid), "this process has stopped acting")
	first.await("warning", because("lock-lost"))
	s.scale("checkout", 4)
	second.exits(0)

	checkEvents(t, second.said())
	checkFinished(t, second.said(), "succeeded", 0)
	for _, r := range s.audit().Where(lab.By(user), lab.Request.Write, func(r lab.Request) bool { return !r.Received.Before(woke) }) {
		// An Event that could not be written before tells what had happened; it does nothing.
		if r.Resource != "leases" && r.Resource != "events" && !review(r) {
			t.Errorf("it woke and sent %v", r)
		}
	}
	asked := slices.DeleteFunc(shared.Cloud().Calls(), func(c cloud.Call) bool { return c.AccessKey != key || c.Time.Before(woke) })
	for _, c := range asked {
		if !strings.HasPrefix(c.Action, "Describe") {
			t.Errorf("it woke and called %s", c.Action)
		}
	}
	for _, c := range calls(shared.Cloud().Calls(), "TerminateInstanceInAutoScalingGroup") {
		if c.AccessKey == key && !c.Time.Before(s.from) {
			t.Errorf("a machine was ended by who never drained one: %v", c.Params)
		}
	}
	s.checkNodes(2)
	s.checkNoMarks()
	s.checkTerminatedOnce()
	s.checkReleased()
}

// A user edits the record while no process drives the run: it is refused with a choice,
// and what does not fit is not restored.
func TestEditedRecord(t *testing.T) {
	s := newScene(t, "edited", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.deploy("checkout")
	first := s.upgrade()
	first.await("node.blocked")
	first.crash()

	maps := shared.Client().CoreV1().ConfigMaps("drainboard")
	list, err := maps.List(s.ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list.Items {
		var run map[string]any
		if json.Unmarshal([]byte(m.Data["run.json"]), &run) != nil || run["group"] != s.group.Name || run["state"] == "finished" {
			continue
		}
		run["base"].(map[string]any)["max"] = 50
		text, err := json.Marshal(run)
		if err != nil {
			t.Fatal(err)
		}
		m.Data["run.json"] = string(text)
		if _, err := maps.Update(s.ctx, &m, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	s.from = time.Now()
	s.upgrade().exits(2).says("no longer matches the group", "max 50", "Nothing was changed", "--record fitting", "--record discard")
	s.checkUntouched()

	p := s.upgrade("--record", "fitting")
	p.await("warning", because("record"), saying("max 50"))
	p.await("node.blocked")
	p.signal(syscall.SIGINT)
	p.exits(3).says("Not restored", "max 50", "describe-auto-scaling-groups")
	s.checkNoMarks()
	if g, _ := shared.Cloud().Group(s.group.Name); g.Max >= 50 || len(g.Suspended) > 0 {
		t.Errorf("maximum %d, suspended %v", g.Max, g.Suspended)
	}
}
