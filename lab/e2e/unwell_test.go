package e2e

import (
	"fmt"
	"slices"
	"strings"
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
// of them starts, and the run ends as any other.
func TestUnwellStarts(t *testing.T) {
	shares, rounds := []int{5, 10, 25}, 20
	if *sampleFlag != 0 {
		shares, rounds = shares[drawn("unwell", 3):][:1], 1
	}
	for _, percent := range shares {
		t.Run(fmt.Sprint(percent), func(t *testing.T) {
			s := newScene(t, fmt.Sprintf("unwell-%d", percent), lab.GroupOptions{Nodes: 2, Zones: oneZone}, "read", "watch", "upgrade", "events", "hear", "command")
			s.deploy("checkout", "agent")
			api, err := shared.Gate(s.name)
			if err != nil {
				t.Fatal(err)
			}
			share := float64(percent) / 100
			p := s.upgrade()
			p.await("node.blocked")
			defer api.Fail(share, gate.Any, lab.Troubles...)()
			defer shared.Cloud().Gate().Fail(share, cloud.Asks(s.key, ""), cloud.Troubles...)()
			others := [][]string{{"plan"}, {"status"}, {"groups"}, {"pause", "--wait", "60s"}, {"plan", "-o", "json"}, {"resume", "--wait", "60s"}}
			retried := false
			for round := range rounds {
				p.crash()
				begin := time.Now()
				p = s.upgrade()
				if _, ok := p.within(startPatience, "run.started", because("resumed")); !ok {
					t.Fatalf("start %d of %d: the run was not resumed within %s", round+1, rounds, startPatience)
				}
				took := time.Since(begin)
				args := slices.Clone(others[round%len(others)])
				if args[0] != "groups" {
					args = slices.Insert(args, 1, s.group.Name)
				}
				look := s.run(args...).exits(0)
				retried = retried || strings.Contains(p.errOut()+look.errOut(), "trying again until")
				t.Logf("start %d after %s, and %s", round+1, took.Round(100*time.Millisecond), args[0])
			}
			if !retried && rounds > 1 && percent > 5 {
				t.Error("nobody said that something is tried again")
			}
			s.scale("checkout", 4)
			p.exits(0)

			checkFinished(t, p.said(), "succeeded", 0)
			s.checkRolled()
			s.checkNothingTwice()
		})
	}
}
