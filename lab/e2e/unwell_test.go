package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/gate"
)

// startPatience is how long a start may take with a quarter of the answers broken: one that is
// not answered at all takes the client ten seconds each time.
const startPatience = 2 * time.Minute

// A part of all requests to both APIs gets 429, 500 or no answer. The driver is killed, and the
// run resumed, again and again; each time others look at it, pause and resume it. Every one
// of them starts, each command is obeyed, and the run ends as any other.
func TestUnwellStarts(t *testing.T) {
	t.Parallel()
	shares, rounds := []int{5, 10, 25}, 20
	if *sampleFlag != 0 {
		shares, rounds = shares[drawn("unwell", uint64(len(shares))):][:1], 3
	}
	for _, percent := range shares {
		t.Run(fmt.Sprint(percent), func(t *testing.T) {
			s := newScene(t, fmt.Sprintf("unwell-%d", percent), lab.GroupOptions{Nodes: 2, Zones: oneZone}, "read", "watch", "upgrade", "events", "hear")
			desk := s.other(s.name+"-desk", "read", "watch", "command")
			s.deploy("checkout", "agent")
			share := float64(percent) / 100
			p := s.upgrade()
			p.await("node.blocked")
			var troubles []func()
			heal := sync.OnceFunc(func() {
				for _, end := range troubles {
					end()
				}
			})
			defer heal()
			for user, key := range map[string]string{s.name: s.key, s.name + "-desk": desk.key} {
				api, err := shared.Gate(user)
				if err != nil {
					t.Fatal(err)
				}
				troubles = append(troubles, api.Fail(share, gate.Any, lab.Troubles...),
					shared.Cloud().Gate().Fail(share, cloud.Asks(key, ""), cloud.Troubles...))
			}
			g := s.group.Name
			others := [][][]string{{{"plan", g}}, {{"status", g}}, {{"pause", g, "--wait", "60s"}, {"resume", g, "--wait", "60s"}}, {{"groups"}}}
			retried := false
			for round := range rounds {
				p.crash()
				begin := time.Now()
				p = s.upgrade()
				if _, ok := p.within(startPatience, "run.started", because("resumed")); !ok {
					t.Fatalf("start %d of %d: the run was not resumed within %s", round+1, rounds, startPatience)
				}
				took := time.Since(begin)
				retried = retried || strings.Contains(p.errOut(), "trying again until")
				t.Logf("start %d after %s", round+1, took.Round(100*time.Millisecond))
				for _, args := range others[round%len(others)] {
					begin := time.Now()
					other := desk.run(args...).exits(0)
					t.Logf("%s after %s", args[0], time.Since(begin).Round(100*time.Millisecond))
					retried = retried || strings.Contains(other.errOut(), "trying again until")
				}
			}
			if !retried && rounds > 1 && percent > 5 {
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
}

// upToEnd are events without what is told after the run's end of its record.
func upToEnd(events []Event) []Event {
	for n := len(events); n > 0; n-- {
		if !because("record-unwritten")(events[n-1]) && !because("record-written")(events[n-1]) {
			return events[:n]
		}
	}
	return nil
}
