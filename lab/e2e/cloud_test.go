package e2e

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/cloud"
)

// A hook holds machines that launch, another those that end, and another user
// completes both after a while: the run waits for them, names what holds them, and
// does nothing twice meanwhile.
func TestLifecycleHooks(t *testing.T) {
	s := newScene(t, "hooks", lab.GroupOptions{Nodes: 2, Zones: oneZone})
	for name, launching := range map[string]bool{"join": true, "flush": false} {
		shared.Cloud().PutHook(s.group.Name, cloud.Hook{Name: name, Launching: launching, Timeout: time.Hour, Abandon: true})
	}
	s.deploy("web", "agent")
	held := s.completeHooks(2 * time.Second)

	p := s.upgrade().exits(0)

	checkEvents(t, p.said())
	checkOrder(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	s.checkRolled()
	if n := held(); n["join"] != 2 || n["flush"] != 2 {
		t.Errorf("held by the hooks: %v, want two launches and two ends", n)
	}
	for _, c := range s.calls() {
		if strings.Contains(c.Action, "Lifecycle") && !strings.HasPrefix(c.Action, "Describe") {
			t.Errorf("%s was called: hooks are for others to complete", c.Action)
		}
	}
}

// completeHooks completes the hooks of the scene's group, each time after a while,
// until the test ends. What it returns counts the completed ones by hook.
func (s *scene) completeHooks(after time.Duration) (done func() map[string]int) {
	stop, ended := make(chan struct{}), make(chan struct{})
	count, since := map[string]int{}, map[string]time.Time{}
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
			for _, i := range shared.Cloud().Instances(s.group.Name) {
				hook := map[string]string{cloud.PendingWait: "join", cloud.TerminatingWait: "flush"}[i.State]
				key := i.ID + hook
				if hook == "" {
					continue
				}
				if since[key].IsZero() {
					since[key] = time.Now()
				}
				if time.Since(since[key]) >= after {
					count[hook]++
					s.aws("CompleteLifecycleAction", "AutoScalingGroupName", s.group.Name, "LifecycleHookName", hook,
						"InstanceId", i.ID, "LifecycleActionResult", cloud.Continue)
				}
			}
		}
	}()
	finish := func() map[string]int {
		select {
		case <-stop:
		default:
			close(stop)
		}
		<-ended
		return count
	}
	s.t.Cleanup(func() { finish() })
	return finish
}

// A terminating hook that nobody completes, kept waiting by heartbeats: the run
// waits for as long as the hook may hold a machine, then ends and names the hook.
func TestMachineHeldByAHook(t *testing.T) {
	s := newScene(t, "held-end", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	shared.Cloud().PutHook(s.group.Name, cloud.Hook{Name: "flush", Timeout: 3 * time.Second})
	s.deploy("batch")

	p := s.upgrade("--terminate-timeout", "2s")
	at := p.await("node.terminating")
	first := s.before.Instances[0].ID
	over := time.After(endPatience)
	for waiting := true; waiting; {
		select {
		case <-p.ended:
			waiting = false
		case <-over:
			t.Fatal("it did not end")
		case <-time.After(200 * time.Millisecond):
			failed := len(p.all("warning", because("failed"))) > 0 // then it may go
			if i, _ := shared.Cloud().Instance(first); i.State == cloud.TerminatingWait && !failed {
				s.aws("RecordLifecycleActionHeartbeat", "AutoScalingGroupName", s.group.Name, "LifecycleHookName", "flush", "InstanceId", first)
			}
		}
	}
	p.exits(1).says("flush")
	checkEvents(t, p.said())
	checkFinished(t, p.said(), "failed", 1)
	events := p.said()
	if took := events[len(events)-1].Time.Sub(at.Time); took < 5*time.Second {
		t.Errorf("it gave up after %s, though the hook may hold a machine for 3 s more than the 2 s", took)
	}
	s.checkTerminatedOnce()
	s.checkReleased()
}

// A launching hook that gives machines up: the run ends with the service's own
// words for it.
func TestLaunchesGivenUpByAHook(t *testing.T) {
	s := newScene(t, "given-up", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	shared.Cloud().PutHook(s.group.Name, cloud.Hook{Name: "join", Launching: true, Timeout: time.Second, Abandon: true})
	s.deploy("batch")

	p := s.upgrade("--node-ready-timeout", "8s").exits(5)

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "NodeCreationFailure", 5)
	p.says("Lifecycle Action", "was abandoned: Heartbeat Timeout")
	s.checkRestored()
}

// A warm pool of old machines: none of them is in the group or in the pool in the
// end, and none came into service on the way.
func TestWarmPool(t *testing.T) {
	s := newScene(t, "warmpool", lab.GroupOptions{Nodes: 2, Zones: oneZone, Max: 4, Warm: &cloud.WarmPool{MinSize: 2}})
	s.deploy("web", "agent")
	old := map[string]bool{}
	for _, i := range s.before.Warm {
		old[i.ID] = true
	}
	if len(old) != 2 {
		t.Fatalf("%d warm machines, want 2", len(old))
	}

	p := s.upgrade().exits(0)

	checkEvents(t, p.said())
	checkOrder(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	s.checkRolled()
	s.checkWarm(old)
	if ended := calls(s.calls(), "TerminateInstances"); len(ended) != 2 {
		t.Errorf("ended warm machines %d times, want 2", len(ended))
	}
	for _, c := range calls(s.calls(), "TerminateInstanceInAutoScalingGroup") {
		if old[c.Params.Get("InstanceId")] {
			t.Errorf("%s was in service before it was ended", c.Params.Get("InstanceId"))
		}
	}
}

// checkWarm sees that the warm pool is full of new machines only.
func (s *scene) checkWarm(old map[string]bool) {
	s.t.Helper()
	s.eventually(func() error {
		g, _ := shared.Cloud().Group(s.group.Name)
		if len(g.Warm) != g.WarmTarget {
			return fmt.Errorf("%d warm machines, want %d", len(g.Warm), g.WarmTarget)
		}
		for _, i := range g.Warm {
			if old[i.ID] || i.TemplateVersion != s.group.New {
				return fmt.Errorf("%s of version %d is in the warm pool", i.ID, i.TemplateVersion)
			}
		}
		return nil
	})
}

// An abort sets the template back; the machines that the pool got meanwhile are
// ended again, so that what comes into service later is what the group had.
func TestWarmPoolAfterAnAbort(t *testing.T) {
	s := newScene(t, "warm-back", lab.GroupOptions{Nodes: 1, Zones: oneZone, Max: 2, Version: "1", Warm: &cloud.WarmPool{State: "Running"}})
	s.deploy("checkout")

	p := s.upgrade("--launch-template-version", "2")
	p.await("capacity.changed", saying("set the group to launch template"))
	s.eventually(func() error {
		g, _ := shared.Cloud().Group(s.group.Name)
		if len(g.Warm) != 1 || g.Warm[0].TemplateVersion != s.group.New || g.Warm[0].State != cloud.Warmed+"Running" {
			return fmt.Errorf("the warm pool is not new: %+v", g.Warm)
		}
		return nil
	})
	p.signal(syscall.SIGINT)
	p.exits(3)

	s.checkRestored()
	s.eventually(func() error {
		g, _ := shared.Cloud().Group(s.group.Name)
		if len(g.Warm) != g.WarmTarget || slices.ContainsFunc(g.Warm, func(i cloud.Instance) bool { return i.TemplateVersion == s.group.New }) {
			return fmt.Errorf("the warm pool is not as before: %+v, want %d", g.Warm, g.WarmTarget)
		}
		return nil
	})
}

// Without the right to end warm machines the run warns and rolls those that come
// into service like any other.
func TestWarmPoolWithoutTheRight(t *testing.T) {
	s := newScene(t, "keeps-warm", lab.GroupOptions{Nodes: 1, Zones: oneZone, Max: 2, Warm: &cloud.WarmPool{}})
	s.deploy("batch")
	shared.Cloud().DenyKey(s.key, "ec2:TerminateInstances", true)

	p := s.upgrade()
	p.await("warning", saying("ec2:TerminateInstances"))
	p.exits(0)

	checkFinished(t, p.said(), "succeeded", 0)
	for _, i := range s.instances() {
		if i.TemplateVersion != s.group.New {
			t.Errorf("%s is still outdated", i.ID)
		}
	}
	s.checkSizes()
	s.checkNoMarks()
	s.checkPods()
}

// On-Demand and Spot machines of a mixed instances policy, one of which is taken
// back in the middle.
func TestSpot(t *testing.T) {
	s := newScene(t, "spot", lab.GroupOptions{Nodes: 4, Zones: zones[:2], Overrides: []string{"m5.large", "m5a.large"}, SpotPercent: 50})
	s.deploy("batch", "agent")
	spot := slices.IndexFunc(s.before.Instances, func(i cloud.Instance) bool { return i.Spot })
	if spot < 0 {
		t.Fatal("no Spot machine")
	}

	p := s.upgrade()
	p.await("phase.started", inPhase("upgrade"))
	shared.Cloud().Interrupt(s.before.Instances[spot].ID, 300*time.Millisecond)
	p.exits(0)

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	for _, i := range s.instances() {
		if i.TemplateVersion != s.group.New {
			t.Errorf("%s is still outdated", i.ID)
		}
	}
	s.checkSizes()
	s.checkNodes(4)
	s.checkPods()
	s.checkBudgets()
	s.checkTerminatedOnce()
	s.checkReleased()
	g, _ := shared.Cloud().Group(s.group.Name)
	if len(g.Overrides) != 2 || g.SpotPercent != 50 {
		t.Errorf("the policy is another one: %+v", g.GroupSpec)
	}
}

// Machines that are protected from scale-in, those that launch too: protection
// holds scale-in off, not an upgrade.
func TestProtectedMachines(t *testing.T) {
	s := newScene(t, "protected", lab.GroupOptions{Nodes: 2, Zones: oneZone, ProtectNew: true})
	s.deploy("web", "agent")

	p := s.upgrade().exits(0)

	checkEvents(t, p.said())
	checkOrder(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	s.checkRolled()
	if g, _ := shared.Cloud().Group(s.group.Name); !g.ProtectNew {
		t.Error("new machines are not protected any more")
	}
	for _, c := range s.calls() {
		if c.Action == "SetInstanceProtection" {
			t.Error("another user's protection was changed")
		}
	}
}

// Bootstraps that fail: exit code 5, and what the operator needs is named: state
// and checks of the machine, the end of its console, its node's condition.
func TestBootstrapFailure(t *testing.T) {
	t.Parallel()
	const console = "[   11.2] cloud-init[912]: nodeadm: validating configuration\r\n" +
		"[   11.9] cloud-init[912]: \x1b[31mnodeadm: could not join: dial tcp 10.0.0.7:443: i/o timeout\x1b[0m\r\n\r\nip-10-0-1-2 login: "
	for _, c := range []struct {
		name  string
		group lab.GroupOptions
		deny  string
		says  []string
	}{
		{"console", lab.GroupOptions{}, "",
			[]string{"has not joined the cluster", "state running", "status checks: instance impaired (reachability failed), system ok",
				"nodeadm: validating configuration", "nodeadm: could not join: dial tcp 10.0.0.7:443: i/o timeout"}},
		{"old-type", lab.GroupOptions{InstanceType: "t2.large"}, "", []string{"state running", "nodeadm: could not join"}},
		{"denied", lab.GroupOptions{}, "ec2:GetConsoleOutput", []string{"state running", "console not readable", "ec2:GetConsoleOutput"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.group.Nodes, c.group.Zones = 1, oneZone
			s := newScene(t, "boot-"+c.name, c.group)
			s.deploy("batch")
			shared.Cloud().Fail(s.group.Name, 100, cloud.Failure{Console: console, Impaired: true})
			if c.deny != "" {
				shared.Cloud().DenyKey(s.key, c.deny, true)
			}

			p := s.upgrade("--node-ready-timeout", "6s").exits(5)

			checkEvents(t, p.said())
			checkFinished(t, p.said(), "NodeCreationFailure", 5)
			p.says("NodeCreationFailure").says(c.says...)
			p.await("node.failed", saying(c.says[len(c.says)-1]))
			if strings.Contains(p.errOut(), "\x1b[31m") || strings.Contains(p.errOut(), "login:") {
				t.Errorf("the console came through as it is:\n%q", p.errOut())
			}
			s.checkRestored()
		})
	}
}

// A node that registers and never gets Ready is named with its condition, and its
// machine's state beside it.
func TestNodeNeverReady(t *testing.T) {
	s := newScene(t, "unready", lab.GroupOptions{Nodes: 1, Zones: oneZone, NewAMI: deadAMI})
	s.deploy("batch")

	p := s.upgrade("--node-ready-timeout", "6s").exits(5)

	checkFinished(t, p.said(), "NodeCreationFailure", 5)
	p.says("is not Ready", "container runtime network not ready", "state running", "Started kubelet")
	s.checkRestored()
}

// Machines that end by themselves are named by the group's own words for it, in a
// run that is resumed after they did, too.
func TestMachinesThatEndByThemselves(t *testing.T) {
	s := newScene(t, "kms", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.deploy("batch")
	shared.Cloud().SetBoot(s.group.Name, time.Second)
	shared.Cloud().Fail(s.group.Name, 100, cloud.Failure{Code: "Client.InvalidKMSKey.InvalidState", Message: "The KMS key provided is in an incorrect state", After: 100 * time.Millisecond})

	first := s.upgrade("--node-ready-timeout", "15s")
	gone := first.await("node.launching").Node
	s.eventually(func() error {
		if i, _ := shared.Cloud().Instance(gone); i.State != cloud.Terminated {
			return fmt.Errorf("%s is %s still", gone, i.State)
		}
		return nil
	})
	first.crash()
	s.aws("SuspendProcesses", "AutoScalingGroupName", s.group.Name, "ScalingProcesses.member.1", "Launch")
	s.eventually(func() error {
		if n := len(shared.Cloud().Instances(s.group.Name)); n > 1 {
			return fmt.Errorf("%d machines of one are left", n)
		}
		return nil
	})
	p := s.upgrade().exits(5)

	checkFinished(t, p.said(), "NodeCreationFailure", 5)
	p.await("warning", because("launch-failed"), saying("Termination Reason: Client.InvalidKMSKey.InvalidState: The KMS key provided is in an incorrect state"))
	p.says("process Launch is suspended: User suspended")
}
