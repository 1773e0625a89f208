package sim

import (
	"maps"
	"slices"
	"testing"
)

// TestPodsAreCounted holds that controllers find what they would find if they looked
// at all pods, after random things have happened to random clusters.
func TestPodsAreCounted(t *testing.T) {
	for seed := range uint64(20) {
		c := NewScript()
		if told, broken := c.random(seed+1, strategyOf(seed+1)); broken != "" {
			t.Fatal(broken, told)
		}
		apps, loads, spread := map[string][]*pod{}, map[string]load{}, map[string]map[string]int{}
		for _, p := range c.Sim.allPods() {
			apps[listsOf(p)[0]] = append(apps[listsOf(p)[0]], p)
			if p.Node == "" || p.Finished() {
				continue
			}
			l := loads[p.Node]
			l.cpu, l.memory, l.all = l.cpu+p.shape.CPU, l.memory+p.shape.Memory, l.all+1
			if p.Owner.Kind != DaemonSet && !p.Mirror {
				l.pods++
			}
			if l != (load{}) {
				loads[p.Node] = l
			}
			if spread[p.Owner.UID] == nil {
				spread[p.Owner.UID] = map[string]int{}
			}
			spread[p.Owner.UID][p.Node]++
		}
		got := c.Sim.pods
		if !maps.EqualFunc(got.lists, apps, slices.Equal[[]*pod]) {
			t.Errorf("seed %d: pods of applications are %v, not %v", seed+1, got.lists, apps)
		}
		if !maps.Equal(got.loads, loads) {
			t.Errorf("seed %d: nodes are loaded with %v, not %v", seed+1, got.loads, loads)
		}
		if !maps.EqualFunc(got.spread, spread, maps.Equal[map[string]int, map[string]int]) {
			t.Errorf("seed %d: owners' pods are on %v, not %v", seed+1, got.spread, spread)
		}
	}
}

// TestAListStays holds that a list of pods that a caller goes through is not changed
// by what happens to pods meanwhile.
func TestAListStays(t *testing.T) {
	c := NewScript()
	if _, err := c.Do("cluster nodes=3\nworkload web replicas=12\nwait for=10s"); err != nil {
		t.Fatal(err)
	}
	list := c.Sim.pods.of("app/web")
	was := slices.Clone(list)
	for _, p := range was[:6] {
		c.Sim.kill(p.UID, new(int64))
	}
	if _, err := c.Do("wait for=10s\nuser scale web=30\nwait for=10s"); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(list, was) {
		t.Errorf("the list was\n%v\nand is\n%v", was, list)
	}
	if n := len(c.Sim.pods.of("app/web")); n != 30 {
		t.Errorf("the application has %d pods", n)
	}
}
