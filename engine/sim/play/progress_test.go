package play

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/text"
)

// A drain's time is nearly up at the repair, and its pods take longer to be gone than what is
// left of it: the run may fail. With more time left it may not.
func TestRepairTooLate(t *testing.T) {
	for blocked, late := range map[string]bool{"80s": true, "30s": false} {
		p := newPlayer(script.New(), 1, 1, "eks")
		p.say("timing terminate=5s\ncluster zones=a nodes=1\nworkload web replicas=1 stop=3s ready=4s finalizers=guard finalized=20s\nbudget web max=0")
		p.say("settings drain-timeout=90s post-drain-wait=5s")
		p.say("start")
		p.say("run until=blocked")
		p.say("run for=%s", blocked)
		p.say("operator pause")
		p.say("run for=1s")
		if got := tight(p.Sim, &p.Driver.Run)["i-a1"]; got != late {
			t.Errorf("blocked for %s: no time left is %t", blocked, got)
		}
		p.endWell()
		if p.broken != "" {
			t.Errorf("blocked for %s: %s\n%s", blocked, p.broken, p.told.String())
		}
	}
}

// A repair and a resume help a run little whose launches are overdue a moment later, or one whose
// machines were launched from a template that others had set: it may fail. With more time it may not.
func TestLaunchTooLate(t *testing.T) {
	p := newPlayer(script.New(), 1, 1, "eks")
	p.say("timing boot=8s ready=2s terminate=5s\ncluster zones=a nodes=2")
	p.say("start")
	p.say("run until=scale-up")
	was := p.Driver.Run
	ended := was
	ended.State, ended.Result = record.Finished, record.CreationFail
	late := func() bool {
		return lacksProgress(&was, &ended, tooLate{launches: latest(p.Sim, &was)}) == ""
	}
	for left, want := range map[time.Duration]bool{3 * time.Second: true, 2 * time.Minute: false} {
		was.PhaseWait = &record.Wait{For: record.WaitReplacements, End: was.Seen.Add(left)}
		if late() != want {
			t.Errorf("%s left: explained is %t", left, !want)
		}
	}
	was.PhaseWait = nil
	p.say("user sets template=1")
	p.say("run for=10s")
	was.Target.Templates = p.Driver.Run.Target.Templates
	if !late() {
		t.Errorf("launched from another template: %s\n%s", lacksProgress(&was, &ended, tooLate{}), p.told.String())
	}
}

// A pod whose finalizers are served later than a drain may last may fail the run, also after a
// repair; one that goes in time may not.
func TestPodTooSlowForAnyDrain(t *testing.T) {
	for finalized, tooSlow := range map[string]bool{"20s": true, "3s": false} {
		p := newPlayer(script.New(), 1, 1, "eks")
		p.say("timing terminate=5s\ncluster zones=a nodes=2\nworkload web replicas=2 stop=1s ready=4s finalizers=guard finalized=%s", finalized)
		p.say("settings drain-timeout=20s eviction-retry=5s post-drain-wait=5s")
		p.say("start")
		if got := slow(p.Sim, &p.Driver.Run)("app/web-1"); got != tooSlow {
			t.Errorf("finalized after %s: too slow is %t", finalized, got)
		}
		p.endWell()
		if p.broken != "" {
			t.Errorf("finalized after %s: %s\n%s", finalized, p.broken, p.told.String())
		}
		if failed := p.Driver.Run.Result == record.EvictionFail; failed != tooSlow {
			t.Errorf("finalized after %s: the run ended %s\n%s", finalized, p.Driver.Run.Result, p.told.String())
		}
	}
}

// A run may leave its raise when another user raises the group while it takes that back, and not
// for a raise that came before.
func TestRaisedWhileTakenBack(t *testing.T) {
	for until, left := range map[string]bool{"scale-down": true, "upgrade": false} {
		p := newPlayer(script.New(), 1, 1, "eks")
		p.say("cluster zones=a,b,c nodes=3\nworkload web replicas=3")
		p.say("start")
		p.say("run until=%s", until)
		p.say("user scale group=+2")
		p.endWell()
		if p.broken != "" {
			t.Errorf("raised in %s: %s\n%s", until, p.broken, p.told.String())
		}
		r := p.Driver.Run
		if got := r.Result == record.NodesLeft; got != left {
			t.Errorf("raised in %s: the run ended %s\n%s", until, r.Result, p.told.String())
		}
		r.Result, r.Foreign, r.Unrestored = record.NodesLeft, "whatever the run says", []string{text.DesiredStays(3)}
		if got := p.Checker.ResizedAway(&r); got != left {
			t.Errorf("raised in %s: explained is %t", until, got)
		}
	}
}

// A user has put the new machine on standby, so that the canary's trouble lasts, also after a repair: the run
// that it holds is to be accepted, since a resume does not let it continue.
func TestHeldCanaryIsAccepted(t *testing.T) {
	p := newPlayer(script.New(), 1, 1, "eks")
	p.say("cluster zones=a nodes=3\nworkload web replicas=3")
	p.say("settings approve=canary canary-watch=2m")
	p.say("start")
	p.say("run until=waiting")
	p.say("operator approve")
	p.say("run until=replaced")
	p.say("user stands-by a4v2")
	p.say("run for=5m")
	if !p.Driver.Run.Canary.Holds() {
		t.Fatalf("the canary does not hold the run:\n%s", p.told.String())
	}
	p.endWell()
	if p.broken != "" {
		t.Errorf("%s\n%s", p.broken, p.told.String())
	}
}

// A pod that needs a consent was Pending when the run began, and is on a surplus node at its end: a run that waits for drains
// waits for it, whatever a repair does. With the consent it does not.
func TestAsksForever(t *testing.T) {
	for consent, waits := range map[string]bool{"": true, " delete-emptydir-data": false} {
		p := newPlayer(script.New(), 1, 1, "eks")
		p.say("timing boot=8s ready=2s terminate=5s\ncluster zones=a nodes=1\nworkload cache replicas=3 empty-dir stop=3s ready=1s apart=host\nuser cordon a1")
		p.say("settings on-drain-timeout=wait max-surge=2 post-drain-wait=5s%s", consent)
		p.say("start")
		p.say("run for=10m")
		if got := asksForever(p.Sim, &p.Driver.Run); got != waits {
			t.Errorf("with%s: waits for ever is %t\n%s", consent, got, p.told.String())
		}
	}
}
