package sim_test

import (
	"slices"
	"testing"

	"github.com/drainboard/drainboard/engine/sim/play"
	"github.com/drainboard/drainboard/engine/sim/script"
)

// TestPodsAreCounted holds that controllers find what they would find if they looked
// at all pods, after random things have happened to random clusters.
func TestPodsAreCounted(t *testing.T) {
	for seed := range uint64(20) {
		c := script.New()
		if told, broken := play.Random(c, seed+1, []string{"eks", "eks", "eks-minimal"}[(seed+1)%3]); broken != "" {
			t.Fatal(broken, told)
		}
		if wrong := c.Sim.Miscounted(); wrong != "" {
			t.Errorf("seed %d: %s", seed+1, wrong)
		}
	}
}

// TestAListStays holds that a list of pods that a caller goes through is not changed
// by what happens to pods meanwhile.
func TestAListStays(t *testing.T) {
	c := script.New()
	if _, err := c.Do("cluster nodes=3\nworkload web replicas=12\nwait for=10s"); err != nil {
		t.Fatal(err)
	}
	list := c.Sim.PodsOf("app/web")
	was := slices.Clone(list)
	for _, p := range was[:6] {
		c.Sim.Kill(p.UID, new(int64))
	}
	if _, err := c.Do("wait for=10s\nuser scale web=30\nwait for=10s"); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(list, was) {
		t.Errorf("the list was\n%v\nand is\n%v", was, list)
	}
	if n := len(c.Sim.PodsOf("app/web")); n != 30 {
		t.Errorf("the application has %d pods", n)
	}
}
