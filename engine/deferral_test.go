package engine_test

import (
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/script"
)

// The time for which a node is left to another user counts only while the run can see
// and act, and is each node's own.
func TestYieldsCountUsableTime(t *testing.T) {
	const begin = `
		cluster zones=a nodes=2
		workload web replicas=2
		settings gate-pause=3h
		user moves a1 by=kured
		start
		run for=25m`
	for name, c := range map[string]struct {
		script string
		first  bool // a1 is not waited for any more; a2 still is
	}{
		"watched":                 {"run for=10m", true},
		"asleep":                  {"sleep for=2h\nrun for=124m", false},
		"paused":                  {"operator pause\nrun for=2h\noperator resume\nrun for=4m", false},
		"blind":                   {"fault away source=cloud for=1h\nrun for=64m", false},
		"watched after the sleep": {"sleep for=2h\nrun for=126m", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := script.New()
			if out, err := s.Do(begin + "\nuser moves a2 by=kured\n" + c.script); err != nil {
				t.Fatal(err, out)
			}
			waited := map[string]bool{}
			for _, r := range s.Driver.Run.ExternalMovers {
				for _, n := range r.Nodes {
					waited[n] = waited[n] || r.Handling == record.HandlingWaited
				}
			}
			if waited["a1"] == c.first || !waited["a2"] {
				t.Errorf("waited for: %v; %+v", waited, s.Driver.Run.ExternalMovers)
			}
		})
	}
}

// A drain by hand is waited for from the first pod that leaves, however old the cordon
// is, and also while all that is left is held.
func TestYieldToDrainByHand(t *testing.T) {
	s := script.New()
	out, err := s.Do(`
		cluster zones=a nodes=2
		workload web replicas=2
		workload db replicas=2
		budget db max=0
		settings gate-pause=3h
		wait for=5s
		user cordon a1 since=1h
		start
		run for=5s
		user drains a1
		run for=20m`)
	if err != nil {
		t.Fatal(err, out)
	}
	if want := "a user or a tool drains a1: not drained by this run meanwhile"; !strings.Contains(out, want) || strings.Contains(out, "over: a user or a tool drains") {
		t.Fatalf("%q is missing, or over:\n%s", want, out)
	}
	if out, err = s.Do("run for=12m"); err != nil || !strings.Contains(out, "a user or a tool drains a1: not finished after 30m0s") {
		t.Errorf("%v\n%s", err, out)
	}
}

// What tools mark because we end its machine tells of nobody else.
func TestOwnTerminationIsNoExternalMover(t *testing.T) {
	s := script.New()
	if out, err := s.Do(`
		cluster zones=a nodes=1
		workload web replicas=1
		start
		run until=terminating
		user moves a1 by=handler`); err != nil {
		t.Fatal(err, out)
	}
	if out, err := s.Do("run until=replaced"); err != nil || strings.Contains(out, "Node Termination Handler") {
		t.Errorf("%v\n%s", err, out)
	}
}
