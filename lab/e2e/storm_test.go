package e2e

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/apigate"
	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/gate"
)

const (
	// stormKills is how often the driver is killed in the storm, and stormAway how long the API
	// server is away, at stormStops of these drivers.
	stormKills = 10
	stormAway  = time.Minute
	// stormEnd is how long the last driver may take: a node takes up to a minute while a quarter of
	// what it asks for is broken.
	stormEnd = 15 * time.Minute
)

var stormStops = []int{2, 6}

// A roll of twelve nodes while a quarter of the requests to both APIs is broken, the API server
// is away for a minute, twice, and the driver is killed ten times. What became of it is read
// from outside: machines and nodes as they are, and both logs of what was asked.
func TestStorm(t *testing.T) {
	s := loneScene(t, "storm", lab.GroupOptions{Nodes: 12, Min: 3, Max: 14})
	s.deploy("web", "batch", "single", "agent")
	s.group.New = 2
	old := map[string]string{} // names of nodes, by their machines
	for _, n := range s.nodes() {
		old[n.Spec.ProviderID[strings.LastIndex(n.Spec.ProviderID, "/")+1:]] = n.Name
	}
	defer s.gate(point{}).Fail(0.25, gate.Any, apigate.Troubles...)()
	defer shared.Cloud().Gate().Fail(0.25, cloud.Asks(s.key, ""), cloud.Troubles...)()
	t.Cleanup(func() { _ = shared.Process(lab.APIServer).Start() })

	begin := time.Now()
	at := []string{"node.draining", "pod.evicted", "node.settling", "node.terminating"}
	for kill := range stormKills {
		p := s.upgrade("--max-unavailable", "2", "--drain-timeout", "10m")
		if _, ok := p.within(endPatience, at[kill%len(at)]); !ok {
			t.Fatalf("driver %d did not come to %s", kill+1, at[kill%len(at)])
		}
		if slices.Contains(stormStops, kill) {
			shared.Process(lab.APIServer).Stop()
			time.Sleep(stormAway)
			if err := shared.Restart(s.ctx, lab.APIServer); err != nil {
				t.Fatal(err)
			}
		}
		p.crash()
		t.Logf("driver %d killed at %s, after %s", kill+1, at[kill%len(at)], time.Since(begin).Round(time.Second))
	}
	last := s.upgrade("--max-unavailable", "2").exitsWithin(stormEnd, 0)

	last.await("run.started", because("resumed"))
	checkFinished(t, upToEnd(last.said()), "succeeded", 0)
	s.checkRolled()
	s.checkNothingTwice()
	s.checkOutOfService(old, 2)
}

// checkOutOfService sees in the logs of both APIs that never more than limit of the old nodes
// were out of service: cordoned, and their machines not asked to be ended.
func (s *scene) checkOutOfService(old map[string]string, limit int) {
	s.t.Helper()
	type change struct {
		at  time.Time
		out int
	}
	var changes []change
	cordoned := map[string]bool{}
	for _, r := range s.requests().Where(lab.Complete, lab.Request.Write) {
		if r.Resource == "nodes" && r.Code < 300 && !cordoned[r.Name] && strings.Contains(string(r.Body), `"unschedulable":true`) {
			for _, name := range old {
				if name == r.Name {
					cordoned[name] = true
					changes = append(changes, change{r.Done, 1})
				}
			}
		}
	}
	ended := 0
	for _, c := range s.calls() {
		if c.Action == terminateOne && c.Code == "" && old[c.Params.Get("InstanceId")] != "" {
			ended++
			changes = append(changes, change{c.Time, -1})
		}
	}
	if len(cordoned) != len(old) || ended != len(old) {
		s.t.Errorf("%d of %d old nodes were cordoned, %d machines ended", len(cordoned), len(old), ended)
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Or(a.at.Compare(b.at), a.out-b.out) })
	out, most := 0, 0
	for _, c := range changes {
		out += c.out
		most = max(most, out)
	}
	if most > limit {
		s.t.Errorf("%d old nodes were out of service at some time, the limit is %d", most, limit)
	}
	s.t.Logf("never more than %d old nodes out of service", most)
}
