package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/apigate"
	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/gate"
)

// startPatience is how long a start may take with a quarter of the answers broken: one that is
// not answered at all takes the client ten seconds each time. A command may take obeyPatience, as its driver
// may lose its lock meanwhile, and does nothing until it has it again.
const startPatience, obeyPatience = 2 * time.Minute, 4 * time.Minute

// A part of all requests to both APIs gets 429, 500 or no answer. The driver is killed, and the
// run resumed, again and again; each time others plan, look at it, pause and resume it. Every one
// of them starts, each command is obeyed, and the run ends as any other.
func TestUnwellStarts(t *testing.T) {
	t.Parallel()
	unwell(t, func(t *testing.T, percent, rounds int) {
		s := newScene(t, fmt.Sprintf("unwell-%d", percent), lab.GroupOptions{Nodes: 2, Zones: oneZone}, "read", "watch", "upgrade", "events", "hear")
		desk := s.other(s.name+"-desk", "read", "watch", "command")
		s.deploy("checkout", "agent")
		p := s.upgrade()
		p.await("node.blocked")
		heal := s.ails(percent, desk)
		g := s.group.Name
		retried := false
		for round := range rounds {
			p.crash()
			p = s.starts(t, round, func() *process { return s.upgrade() }, func(p *process) {
				if _, ok := p.within(startPatience, "run.started", because("resumed")); !ok {
					t.Fatalf("the run was not resumed within %s", startPatience)
				}
			})
			told := []*process{p}
			for _, look := range []string{"plan", "status"} {
				told = append(told, desk.starts(t, round, func() *process { return desk.launch(look, g) }, func(p *process) { p.exitsWithin(startPatience, 0) }))
			}
			for _, command := range []string{"pause", "resume"} {
				told = append(told, desk.starts(t, round, func() *process { return desk.launch(command, g, "--wait", "3m") }, func(p *process) { p.exitsWithin(obeyPatience, 0) }))
			}
			retried = retried || slices.ContainsFunc(told, saysRetried)
		}
		if !retried && percent > 5 {
			t.Error("nobody said that something is tried again")
		}
		heal() // the starts are what is tried here; TestStorm rolls to the end through broken calls
		s.scale("checkout", 4)
		p.exits(0)

		checkFinished(t, upToEnd(p.said()), "succeeded", 0)
		s.checkRolled()
		s.checkNothingTwice()
	})
}

// The first watch of each kind is not answered. It is given up and opened again: without that the run would
// have no view of the cluster until the process dies.
func TestWatchesNotAnswered(t *testing.T) {
	s := newScene(t, "unopened", lab.GroupOptions{Nodes: 1, Zones: oneZone}, "read", "watch", "upgrade", "events", "hear")
	api, err := shared.Gate(s.user[strings.LastIndex(s.user, ":")+1:])
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	tried := map[string]int{}
	t.Cleanup(api.Fail(1, func(r gate.Request) bool {
		if r.URL.Query().Get("watch") != "true" {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		tried[r.URL.Path]++
		return tried[r.URL.Path] == 1
	}, gate.Silence))
	s.deploy("checkout")
	s.scale("checkout", 4)

	p := s.upgrade().exits(0)

	checkFinished(t, p.said(), "succeeded", 0)
	s.checkRolled()
	mu.Lock()
	defer mu.Unlock()
	for _, kind := range []string{"/api/v1/nodes", "/api/v1/pods", "/apis/policy/v1/poddisruptionbudgets", "/apis/apps/v1/daemonsets"} {
		if tried[kind] < 2 {
			t.Errorf("a watch of %s was asked for %d times: %v", kind, tried[kind], tried)
		}
	}
}

// unwell plays a story with 5, 10 and 25 % of the answers broken, twenty rounds of each; a sample
// plays two of one.
func unwell(t *testing.T, story func(t *testing.T, percent, rounds int)) {
	shares, rounds := []int{5, 10, 25}, 20
	if *sampleFlag != 0 {
		shares, rounds = shares[drawn("unwell", uint64(len(shares))):][:1], 2
	}
	for _, percent := range shares {
		t.Run(fmt.Sprint(percent), func(t *testing.T) { story(t, percent, rounds) })
	}
}

// ails has a part of the answers to the scene, and to others in it, broken until heal is called.
func (s *scene) ails(percent int, others ...*scene) (heal func()) {
	s.t.Helper()
	share := float64(percent) / 100
	var troubles []func()
	for _, who := range append([]*scene{s}, others...) {
		api, err := shared.Gate(who.user[strings.LastIndex(who.user, ":")+1:])
		if err != nil {
			s.t.Fatal(err)
		}
		troubles = append(troubles, api.Fail(share, gate.Any, apigate.Troubles...),
			shared.Cloud().Gate().Fail(share, cloud.Asks(who.key, ""), cloud.Troubles...))
	}
	heal = sync.OnceFunc(func() {
		for _, end := range troubles {
			end()
		}
	})
	s.t.Cleanup(heal)
	return heal
}

// starts launches a process of a round, sees that it has started, and logs how long that took.
func (s *scene) starts(t *testing.T, round int, launch func() *process, started func(*process)) *process {
	t.Helper()
	begin := time.Now()
	p := launch()
	started(p)
	t.Logf("round %d: %s after %s", round+1, p.cmd.Args[1], time.Since(begin).Round(100*time.Millisecond))
	return p
}

// saysRetried reports whether a process said that what it reads at its start is tried again.
func saysRetried(p *process) bool { return strings.Contains(p.errOut(), "trying again until") }

// upToEnd are events without what is told after the run's end of its record.
func upToEnd(events []Event) []Event {
	for n := len(events); n > 0; n-- {
		if !because("record-unwritten")(events[n-1]) && !because("record-written")(events[n-1]) {
			return events[:n]
		}
	}
	return nil
}
