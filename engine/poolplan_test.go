package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// meets is what a roll of the onlooker's pool would meet.
func (o *onlooker) meets() (snapshot.PoolPlan, string) {
	o.t.Helper()
	o.after(0)
	run := snapshot.Idle(strategy.Gardener{}, o.now, o.w, record.Run{}, nil)
	p := snapshot.PlanPool(strategy.Gardener{}, o.now, o.w, run)
	var lines []string
	for _, m := range p.Meets {
		lines = append(lines, fmt.Sprintf("%s: %s", m.Kind, m.Text))
	}
	return p, strings.Join(lines, "\n")
}

// claim puts a pod with a volume on a node.
func (o *onlooker) claim(name string, on int) {
	o.pod(name, on)
	p := *o.w.Pod(name)
	p.Volume = true
	o.w.SetPod(&p)
}

// Nothing is in the way of a pool of healthy nodes whose pods may go; all of them are looked
// at while none is to be updated.
func TestPlanOfAPoolAtRest(t *testing.T) {
	o := look(t, 0)
	o.machines(11, 12)
	o.node(11, func(*world.Node) {})
	o.node(12, func(*world.Node) {})
	limits := world.DefaultLimits("")
	limits.Guessed = false
	o.pool(world.Pool{ShootStatus: world.ShootStatus{Shoot: "garden-dev/prod"}, Limits: limits, Update: world.AutoRollingUpdate, Shares: []world.ZoneShare{{Zone: "a", Surge: "1", Unavailable: "0", MaxSurge: 1}}})
	o.budget("api", 1)
	p, meets := o.meets()
	if !p.All || len(p.Nodes) != 2 || meets != "" {
		t.Errorf("%+v\n%s", p, meets)
	}
	if len(p.NotEvaluated) != 3 { // webhooks, room, the control cluster
		t.Errorf("not evaluated: %q", p.NotEvaluated)
	}
}

// Each thing of the pre-flight is found, with what it is about, and only on the nodes that are
// still to be updated.
func TestPlanOfAPoolMeets(t *testing.T) {
	o := look(t, 3)
	o.machines(1, 3, 11)
	o.node(11, func(*world.Node) {})
	limits := world.DefaultLimits("")
	limits.Guessed = false
	o.pool(world.Pool{Control: true, Update: world.AutoRollingUpdate, Limits: limits, Deployments: []world.MachineDeployment{
		{Name: "web-z1", Zone: "a", Desired: 3, MaxSurge: 1, Surge: "25%", Unavailable: "0"},
		{Name: "web-z2", Zone: "b", Desired: 3, MaxUnavailable: 1, Surge: "0", Unavailable: "0", Paused: true, Frozen: true},
	}})
	o.pod("checkout", 1)
	o.budget("checkout", 0) // of one replica
	o.pod("api", 2)
	o.budget("api", 0)
	busy := *o.w.Budget("shop/api")
	busy.Healthy, busy.Desired, busy.Expected = 2, 2, 3
	o.w.SetBudget(&busy)
	o.claim("db-0", 2)
	o.claim("db-1", 2)
	o.claim("lone", 3)
	o.pod("new", 11)
	o.budget("new", 0)
	o.node(3, sick(noon.Add(-time.Minute)))
	o.node(2, func(n *world.Node) { n.Preserved = noon.Add(time.Hour) })
	p, meets := o.meets()
	const want = `paused: zone b is paused: no batch starts
frozen: zone b is frozen: no machine is created
no-share: zone b has no share of maxSurge and maxUnavailable: each node is drained before its replacement joins (surge 0, unavailable 0, which counts as 1)
budget: PDB shop/api allows 0 disruptions: 2 healthy, 2 required; only the drain timeout (2h) passes it; covers 1 pod on 1 node
misconfigured: PDB shop/checkout (minAvailable 1) never allows a disruption of a single replica: misconfigured for Gardener, whose drains fail and restart; only the drain timeout (2h) passes it; covers 1 pod on 1 node
single-replica: only replica of its owner, down while it moves: shop/checkout, shop/api, shop/db-0, shop/db-1, shop/lone
volumes: n2 has 2 pods with volumes, evicted one after the other: 8m at most, up to 2m30s each until the volume is detached and up to 1m30s until it is attached elsewhere, which is not visible here
preserved: n2 is preserved for another 1h: replaced last
not-ready: n3 not Ready or not writable for 1m: after 5m drained by force, past all PDBs`
	if p.All || len(p.Nodes) != 3 || meets != want {
		t.Errorf("%+v\n%s\n\nwant\n%s", p, meets, want)
	}
	for _, n := range p.Nodes {
		if n.Name == "n2" && (n.Evict != 3 || n.Volumes != 2 || len(n.Foreseen) == 0) {
			t.Errorf("n2 is %+v", n)
		}
		if n.Name == "n1" && fmt.Sprint(n.Stuck) != "[shop/checkout]" {
			t.Errorf("n1 is %+v", n)
		}
	}

	// After so many refusals a pod is deleted past a budget that is shut for a while.
	limits.EvictRetries = 10
	o.pool(world.Pool{Limits: limits, Update: world.AutoInPlaceUpdate})
	if _, meets = o.meets(); !strings.Contains(meets, "after 10 refusals (3m20s) Gardener deletes the pod past it") {
		t.Error(meets)
	}
}

// What a roll meets and what a plan of the run foresees are told apart: of the plan's sentences
// it says which the pre-flight stands for, and no others.
func TestPlanOfAPoolSaysWhatItStandsFor(t *testing.T) {
	o := look(t, 2)
	o.pool(world.Pool{Update: world.AutoRollingUpdate})
	o.pod("api", 1)
	o.budget("api", 0)
	o.pod("held", 2)
	held := *o.w.Pod("held")
	held.Finalizers = []string{"example.com/hold"}
	o.w.SetPod(&held)
	roll, _ := o.meets()
	rules := strategy.GardenerFollow{}
	run := assess.NewRun(rules, "web-1", 1, o.w, rules.Defaults(), record.Target{})
	p := snapshot.MakePlan(rules, o.now, o.w, run, 1)
	var left, said []string
	for _, n := range p.Nodes {
		for _, sentence := range n.Foreseen {
			if line := n.Name + ": " + sentence; slices.Contains(roll.Said, line) {
				said = append(said, line)
			} else {
				left = append(left, line)
			}
		}
	}
	if len(said) != 3 || len(said) != len(roll.Said) || len(left) != 1 || left[0] != "n2: shop/held has finalizers: its deletion waits for them" {
		t.Errorf("said %q of %q, left %q", said, roll.Said, left)
	}
}

// What a pool's nodes become is in the Shoot: a plan that does not know it has no target, and
// takes no template's number for one.
func TestPlanOfAPoolWithoutTarget(t *testing.T) {
	o := look(t, 2)
	rules := strategy.GardenerFollow{}
	for version, want := range map[string]string{"": "", "1.33.0": "1.33.0"} {
		o.pool(world.Pool{Version: version})
		o.after(0)
		run := assess.NewRun(rules, "web-1", 1, o.w, rules.Defaults(), record.Target{})
		p := snapshot.MakePlan(rules, o.now, o.w, run, 1)
		if len(p.Nodes) != 2 || p.To != want || strings.Contains(p.From, "template") || p.Pool == nil {
			t.Errorf("%d nodes from %q to %q, want to %q", len(p.Nodes), p.From, p.To, want)
		}
	}
}

// How many nodes may be out of service is known by the Shoot's shares, too.
func TestLimitOfAFollowedPool(t *testing.T) {
	o := look(t, 2)
	o.pool(world.Pool{Shares: []world.ZoneShare{{Zone: "a", MaxSurge: 2}, {Zone: "b", MaxUnavailable: 2}}})
	if got := (strategy.GardenerFollow{}).Limit(o.w, nil); got != 3 {
		t.Errorf("the limit is %d, want 1 of zone a and 2 of zone b", got)
	}
	o.pool(world.Pool{})
	if got := (strategy.GardenerFollow{}).Limit(o.w, nil); got != 1 {
		t.Errorf("the limit is %d, want 1 where nothing is known", got)
	}
}

// A pool without any surge, and one whose update in place is under way.
func TestPlanOfAPoolWithoutSurge(t *testing.T) {
	o := look(t, 3)
	o.pool(world.Pool{ShootStatus: world.ShootStatus{Shoot: "garden-dev/prod"}, Update: world.AutoRollingUpdate, Shares: []world.ZoneShare{{Zone: "a", Surge: "0", Unavailable: "1", MaxUnavailable: 1}}})
	if _, meets := o.meets(); meets != "no-surge: no zone has a share of maxSurge: each node is drained before its replacement joins" {
		t.Error(meets)
	}
	o.pool(world.Pool{Update: world.ManualInPlaceUpdate})
	for i := 1; i <= 3; i++ {
		o.node(i, func(n *world.Node) {
			n.Labels = map[string]string{"node.machine.sapcloud.io/candidate-for-update": "true"}
			if i == 3 {
				n.Labels["node.machine.sapcloud.io/update-result"] = "failed"
			}
		})
	}
	const want = `candidates: 2 nodes awaiting an in-place update: each starts when a user labels it node.machine.sapcloud.io/selected-for-update=true, without a limit
failed: in-place update failed on 1 node: out of service until updated`
	if _, meets := o.meets(); meets != want {
		t.Errorf("got\n%s\nwant\n%s", meets, want)
	}
	// Of what is known of the cluster too long ago nothing is judged.
	o.w.SetHealth(world.Cluster, world.Health{Fresh: o.now.Add(-time.Hour)})
	run := snapshot.Idle(strategy.Gardener{}, o.now, o.w, record.Run{}, nil)
	if p := snapshot.PlanPool(strategy.Gardener{}, o.now, o.w, run); p.NotEvaluated[0] != "blockers: data on pods and PDBs is 1h0m0s old" || p.Nodes[0].NotEvaluated == "" {
		t.Errorf("%q, %+v", p.NotEvaluated, p.Nodes)
	}
}
