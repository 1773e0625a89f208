package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/apigate"
	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/gate"
)

// point is a kind of action, as the request by which it is known.
type point struct {
	name string
	aws  bool
	is   func(gate.Request) bool
}

// call is the point of a call to AWS, whose parameters contain each of the texts.
func (s *scene) call(name, action string, parameters ...string) point {
	asks := cloud.Asks(s.key, action)
	return point{name, true, func(r gate.Request) bool {
		if !asks(r) {
			return false
		}
		for _, p := range parameters {
			if !strings.Contains(string(r.Body), p) {
				return false
			}
		}
		return true
	}}
}

// request is the point of a request to the Kubernetes API.
func request(name, method, end string, body ...string) point {
	return point{name, false, apigate.Asks(method, end, body...)}
}

// patch is the point of a change of a node.
func patch(name string, body ...string) point {
	asks := apigate.Asks("PATCH", "", body...)
	return point{name, false, func(r gate.Request) bool { return strings.HasPrefix(r.URL.Path, "/api/v1/nodes/") && asks(r) }}
}

const terminateOne = "TerminateInstanceInAutoScalingGroup"

const excluded = "node.kubernetes.io/exclude-from-external-load-balancers"

// gate is where the requests of a point pass.
func (s *scene) gate(p point) *gate.Gate {
	s.t.Helper()
	if p.aws {
		return shared.Cloud().Gate()
	}
	g, err := shared.Gate(s.name)
	if err != nil {
		s.t.Fatal(err)
	}
	return g
}

// silenced keeps the requests of points from their API, and unanswered, until end is
// called.
func (s *scene) silenced(points []point) (end func()) {
	s.t.Helper()
	var ends []func()
	for _, p := range points {
		ends = append(ends, s.gate(p).Fail(1, p.is, gate.Silence))
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}

// killAt has a process drive the group and kills it at a point: before its request
// has reached the API, or when it was carried out and is yet to be answered.
func (s *scene) killAt(p point, at gate.Moment, flags ...string) {
	s.t.Helper()
	stop := s.gate(p).Stop(at, p.is)
	begin := time.Now()
	driver := s.upgrade(flags...)
	select {
	case <-stop.Hit():
	case <-driver.ended:
		s.t.Fatalf("it ended before it came to %s", p.name)
	case <-time.After(endPatience): // the last points come when a whole roll is over
		s.t.Fatalf("it did not come to %s", p.name)
	}
	driver.crash() // which ends the request, too: it is not released
	checkEvents(s.t, driver.said())
	s.t.Logf("killed %s %s, %s after it began", at, p.name, time.Since(begin).Round(100*time.Millisecond))
}

// moments are those at which a process is killed at a point of a story: both, or the one
// of this sample.
func moments(story string, p point) []gate.Moment {
	both := []gate.Moment{gate.Before, gate.After}
	if *sampleFlag == 0 {
		return both
	}
	return []gate.Moment{both[drawn(story+" "+p.name, 2)]}
}

// A watch over a group's capacity: what is the least of it that was seen.
type capacity struct {
	stop, done chan struct{}
	least      int // nodes that are Ready and take pods
	cordoned   int // the most at a time, of those that were there at first
	err        error
}

// watchCapacity looks at the group's nodes, several times a second, until seen.
func (s *scene) watchCapacity() *capacity {
	s.t.Helper()
	c := &capacity{stop: make(chan struct{}), done: make(chan struct{}), least: 1 << 20}
	old := map[string]bool{}
	for _, n := range s.nodes() {
		old[n.Name] = true
	}
	go func() {
		defer close(c.done)
		for tick := time.NewTicker(200 * time.Millisecond); ; {
			nodes, err := shared.Nodes(s.ctx, s.group.Name)
			if err != nil {
				c.err = err
				return
			}
			serving, cordoned := 0, 0
			for _, n := range nodes {
				switch {
				case n.Spec.Unschedulable && old[n.Name]:
					cordoned++
				case n.Spec.Unschedulable: // a new one that goes again
				case nodeReady(n):
					serving++
				}
			}
			c.least, c.cordoned = min(c.least, serving), max(c.cordoned, cordoned)
			select {
			case <-tick.C:
			case <-c.stop:
				return
			}
		}
	}()
	s.t.Cleanup(c.end)
	return c
}

func (c *capacity) end() {
	select {
	case <-c.stop:
	default:
		close(c.stop)
	}
	<-c.done
}

// check sees that no more nodes than out were ever missing, and no more than limit of the old ones cordoned.
func (c *capacity) check(s *scene, out, limit int) {
	s.t.Helper()
	c.end()
	if c.err != nil {
		s.t.Fatal(c.err)
	}
	s.t.Logf("never fewer than %d nodes served of %d, never more than %d cordoned", c.least, s.before.Desired, c.cordoned)
	if c.least < s.before.Desired-out {
		s.t.Errorf("only %d nodes were Ready and took pods at some time; the group had %d, and %d may be missing", c.least, s.before.Desired, out)
	}
	if c.cordoned > limit {
		s.t.Errorf("%d nodes were cordoned at some time, the limit is %d", c.cordoned, limit)
	}
}

// twelve is the roll that is killed: twelve nodes in three zones, two at once.
func twelve(t *testing.T, name string, o lab.GroupOptions, rights ...string) *scene {
	t.Helper()
	o.Nodes, o.Min, o.Max = 12, 3, 14
	s := newScene(t, name, o, rights...)
	s.deploy("web", "api", "batch", "db", "agent", "single")
	s.gate(point{}) // so that no eviction is done by half when its sender dies
	return s
}

// killedAtEach kills processes (kill -9) at each of the points of a roll, before the request
// and after it, and each time another process continues: the end passes the checks of an
// uninterrupted run, no machine is ended twice, and at no time is there less capacity than
// the limit allows. The kinds of actions are parted among rolls, because a killed process's
// lock takes its time to run out.
func killedAtEach(s *scene, points []point, flags ...string) {
	s.t.Helper()
	killedWithin(s, points, 2, 2, append([]string{"--max-unavailable", "2"}, flags...)...)
}

// killedWithin is killedAtEach with flags that let no more nodes than out be missing, and no more than limit
// be cordoned.
func killedWithin(s *scene, points []point, out, limit int, flags ...string) {
	s.t.Helper()
	capacity := s.watchCapacity()

	for _, p := range points {
		for _, at := range moments(s.name, p) {
			s.killAt(p, at, flags...)
		}
	}
	last := s.upgrade(flags...).exits(0)

	capacity.check(s, out, limit)
	checkEvents(s.t, last.said())
	checkFinished(s.t, last.said(), "succeeded", 0)
	last.await("run.started", because("resumed"))
	s.checkRolled()
	s.checkNothingTwice()
}

func TestKilledAtEachActionOfSetup(t *testing.T) {
	s := twelve(t, "killed-setup", lab.GroupOptions{})
	s.group.New = 3
	killedAtEach(s, []point{
		s.call("create-template", "CreateLaunchTemplateVersion"),
		s.call("set-template", "UpdateAutoScalingGroup", "LaunchTemplate."),
		s.call("suspend", "SuspendProcesses"),
		s.call("set-sizes up", "UpdateAutoScalingGroup", "DesiredCapacity="),
		patch("taint", `"taints"`, "eks.amazonaws.com/nodegroup"),
	}, toImage...)
}

// A zone without capacity has to be asked for a machine by name.
func TestKilledAtEachActionOfAZone(t *testing.T) {
	s := twelve(t, "killed-zone", lab.GroupOptions{Zones: []string{zones[0], zones[1], zones[6]}})
	s.group.New = 2
	shared.Cloud().SetCapacity(zones[6], 0) // while the group is raised
	t.Cleanup(func() { shared.Cloud().SetCapacity(zones[6], -1) })
	asked := s.call("launch-in", "LaunchInstances")
	is := asked.is
	asked.is = func(r gate.Request) bool {
		if is(r) {
			shared.Cloud().SetCapacity(zones[6], -1)
			return true
		}
		return false
	}
	killedAtEach(s, []point{
		asked,
		patch("cordon", `"unschedulable":true`),
		patch("label", excluded+`":"true"`),
		s.call("terminate", terminateOne, "ShouldDecrementDesiredCapacity=false"),
	})
}

func TestKilledAtEachActionOfADrain(t *testing.T) {
	s := twelve(t, "killed-drain", lab.GroupOptions{})
	s.group.New = 2
	killedAtEach(s, []point{
		request("evict", "POST", "/eviction"),
		{"check", false, func(r gate.Request) bool { // of an eviction: nothing else reads one pod
			return r.Method == "GET" && strings.HasPrefix(r.URL.Path, "/api/v1/namespaces/"+s.place.Namespace+"/pods/")
		}},
		{"look", false, func(r gate.Request) bool {
			return r.Method == "GET" && strings.HasPrefix(r.URL.Query().Get("fieldSelector"), "spec.nodeName=")
		}},
		{"save", false, func(r gate.Request) bool {
			return r.Method == "PUT" && strings.Contains(r.URL.Path, "/namespaces/drainboard/configmaps/")
		}},
	})
}

func TestKilledAtEachActionOfTheEnd(t *testing.T) {
	s := twelve(t, "killed-end", lab.GroupOptions{})
	s.group.New = 2
	killedAtEach(s, []point{
		s.call("terminate and decrement", terminateOne, "ShouldDecrementDesiredCapacity=true"),
		s.call("set-sizes back", "UpdateAutoScalingGroup", "MaxSize=14"),
		s.call("resume", "ResumeProcesses"),
	})
}

// Killed at each action that takes a roll back, too: the run ends aborted, and
// everything is as before. They would all be asked for at once, so at each point those
// that are tried later are kept from their API.
func TestKilledWhileItIsAborted(t *testing.T) {
	s := newScene(t, "killed-abort", lab.GroupOptions{Nodes: 12, Max: 14, Version: "1"})
	s.deploy("agent")
	flags := []string{"--max-unavailable", "2", "--launch-template-version", "2", "--post-drain-wait", "20s"}
	points := []point{
		patch("uncordon", `"unschedulable":false`),
		patch("unlabel", excluded+`":null`),
		patch("untaint", `"taints":`),
		s.call("retire", terminateOne),
		s.call("set-template back", "UpdateAutoScalingGroup", "LaunchTemplate."),
		s.call("set-sizes back", "UpdateAutoScalingGroup", "MaxSize=14"),
		s.call("resume", "ResumeProcesses"),
	}
	capacity := s.watchCapacity()
	p := s.upgrade(flags...)
	first := p.await("node.settling")
	p.await("node.settling", func(e Event) bool { return e.Node != first.Node })
	end := s.silenced(points)
	p.signal(syscall.SIGINT)
	p.await("run.aborting")
	s.eventually(func() error { // what is told and not yet in the record is lost by a crash
		if st := s.status(); st.State != "ending" {
			return fmt.Errorf("the record says that the run is %s", st.State)
		}
		return nil
	})
	p.crash()
	end()

	for i, p := range points {
		for _, at := range moments(s.name, p) {
			end := s.silenced(points[i+1:])
			s.killAt(p, at, flags...)
			end()
		}
	}
	last := s.upgrade(flags...).exits(3)

	capacity.check(s, 2, 2)
	checkEvents(t, last.said())
	checkFinished(t, last.said(), "aborted", 3)
	s.checkRestored()
	s.checkAsBefore()
	if st := s.status(); len(st.Unrestored) > 0 {
		t.Errorf("left behind: %q", st.Unrestored)
	}
}

// Killed while it takes pods past their budgets by force, and while it ends the
// machines of a warm pool.
func TestKilledWhileItForces(t *testing.T) {
	s := newScene(t, "killed-force", lab.GroupOptions{Nodes: 3, Max: 5, Warm: &cloud.WarmPool{}}, "read", "upgrade", "force")
	s.deploy("checkout")
	flags := []string{"--force", "--drain-timeout", "2s"}
	old := map[string]bool{}
	for _, i := range s.before.Warm {
		old[i.ID] = true
	}

	for _, p := range []point{
		s.call("end-warm", "TerminateInstances"),
		{"delete", false, func(r gate.Request) bool {
			return r.Method == "DELETE" && strings.HasPrefix(r.URL.Path, "/api/v1/namespaces/"+s.place.Namespace+"/pods/")
		}},
	} {
		for _, at := range moments(s.name, p) {
			s.killAt(p, at, flags...)
		}
	}
	last := s.upgrade(flags...).exits(0)

	checkFinished(t, last.said(), "succeeded", 0)
	s.checkSizes()
	s.checkNodes(3)
	s.checkPods()
	s.checkNothingTwice()
	s.checkTerminatedOnce()
	s.checkActions()
	s.checkReleased()
	deleted := map[string]int{}
	for _, r := range s.requests().Where(lab.Complete, lab.Request.PodDelete) {
		if r.Code < 300 {
			deleted[r.UID()]++
		}
	}
	for uid, n := range deleted {
		if n > 1 || uid == "" {
			t.Errorf("pod %q was deleted %d times", uid, n)
		}
	}
	if len(deleted) < 3 {
		t.Errorf("%d pods were deleted, want at least 3", len(deleted))
	}
	s.checkWarm(old)
}
