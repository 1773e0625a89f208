package present

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// plannedFleet is a plan of so many nodes with the names that a large company gives them: three
// zones, three at once, now and then a blocker, a Spot machine, one that never joined.
func plannedFleet(nodes int) snapshot.Plan {
	settings := strategy.EKS{}.Defaults()
	settings.MaxUnavailable = record.Amount{N: 3}
	p := snapshot.Plan{
		Run:   record.Run{Strategy: "eks", Settings: settings, Cluster: "shop-production-eu-central-1", Base: world.Sizes{Min: nodes, Max: nodes + 100, Desired: nodes}, Seed: 7},
		Group: "eks-general-purpose-m6i-2xlarge-20260311094501-7ac4c1d2", Strategy: "eks", From: "v1.31.4-eks-aeac579", To: "v1.32.1-eks-5d632ec", Limit: 3, Extra: 6,
		AsOf: time.Date(2026, 11, 22, 21, 7, 12, 0, time.Local), Estimate: time.Duration(nodes) * time.Minute,
	}
	for i := range nodes {
		n := snapshot.PlannedNode{
			Machine: fmt.Sprintf("i-0%016x", i*7919), Name: fmt.Sprintf("ip-10-%d-%d-%d.eu-central-1.compute.internal", 20+i%3, 128+i/200, 10+i%200),
			Zone: "eu-central-1" + string("abc"[i%3]), Version: p.From, Batch: 1 + i/3, Evict: 12 + i%5, Stay: 6, Spot: i%11 == 0,
		}
		if i%90 == 4 {
			pod := fmt.Sprintf("payments-production/checkout-gateway-%d", i/90)
			n.Foreseen = []string{pod + ": PDB checkout-gateway never allows a disruption", pod + ": no other replica serves while it moves"}
		}
		switch i {
		case 17:
			n.NotEvaluated = "its pods are not known"
		case 23:
			n.Name = ""
		}
		p.Nodes = append(p.Nodes, n)
	}
	return p
}

// A plan lists the nodes of a small group, and sums up the batches and zones of a large one.
func TestPlanOfAFleet(t *testing.T) {
	for name, nodes := range map[string]int{"small": 8, "thousand": 1000} {
		t.Run(name, func(t *testing.T) { golden.RequireEqual(t, []byte(planText(plannedFleet(nodes)))) })
	}
}

// What is wide, or has few nodes, has all of them; foreseen blockers are there in full always.
func TestWidePlan(t *testing.T) {
	wide := func(p snapshot.Plan) string {
		var b bytes.Buffer
		WritePlan(&b, p, nil, true)
		return b.String()
	}
	for nodes, listed := range map[int]bool{mostListed: true, mostListed + 1: false, 1000: false} {
		p := plannedFleet(nodes)
		short, all := planText(p), wide(p)
		for _, n := range p.Nodes {
			row := nodeName(n) + "  "
			if !strings.Contains(all, row) || strings.Contains(short, row) != listed {
				t.Fatalf("of %d nodes %s: %t\n%s", nodes, row, listed, short)
			}
			for _, f := range n.Foreseen {
				if line := "  - " + n.Name + ": " + f + "\n"; !strings.Contains(all, line) || !strings.Contains(short, line) {
					t.Errorf("of %d nodes %s", nodes, line)
				}
			}
		}
		if listed && short != all {
			t.Errorf("of %d nodes -o wide says something else:\n%s", nodes, all)
		}
	}
}

// What is summed up is no more and no less than the nodes.
func TestSums(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		want  string
	}{
		{[]int{1}, "1 batch of 1 node"}, {[]int{1, 3, 3, 3, 2}, "1 batch of 1 node, then 3 batches of 3 nodes, then 1 batch of 2 nodes"},
		{[]int{1, 2, 1, 2, 1}, "of 1 to 2 nodes"},
	} {
		if got := sizesText(c.sizes); got != c.want {
			t.Errorf("%v: %s", c.sizes, got)
		}
	}
	p := plannedFleet(100)
	p.Nodes[0].Version, p.Nodes[3].Why, p.Nodes[5].Protected, p.Nodes[6].Unreachable = "v1.30.9", "labelled", true, p.AsOf
	got := strings.Join(strings.Fields(planText(p)), " ")
	for _, want := range []string{
		"ZONE NODES BATCHES VERSION WHY EVICT STAY NOTE FORESEEN",
		"eu-central-1a 1 1 v1.30.9 - 12 6 1 Spot - eu-central-1a 1 2 v1.31.4-eks-aeac579 labelled 15 6 - - eu-central-1a 32 3-34 v1.31.4-eks-aeac579 - 449 192 1 unreachable, 3 Spot -",
		"3 Spot 2 with blockers eu-central-1c", "1 not joined, 3 Spot, 1 protected 1 not evaluated",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, planText(p))
		}
	}
	for i := range p.Nodes {
		p.Nodes[i].NotEvaluated = "data on pods is old"
	}
	if got := planText(p); strings.Contains(got, "with blockers") || strings.Count(got, "  not evaluated\n") != 5 {
		t.Errorf("not evaluated, and yet\n%s", got)
	}
	var nodes []snapshot.PoolNode
	for _, n := range p.Nodes {
		nodes = append(nodes, snapshot.PoolNode{Name: n.Name, Zone: n.Zone, Version: "v1", Evict: 2, Volumes: 1})
	}
	var pool bytes.Buffer
	writePoolNodes(&pool, nodes, false)
	if got := strings.Join(strings.Fields(pool.String()), " "); got != "ZONE NODES VOLUMES VERSION EVICT STAY NOTE FORESEEN eu-central-1a 34 34 v1 68 0 - - eu-central-1b 33 33 v1 66 0 - - eu-central-1c 33 33 v1 66 0 1 not joined -" {
		t.Errorf("%s", got)
	}
}
