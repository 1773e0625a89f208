package sim_test

import (
	"testing"

	"github.com/drainboard/drainboard/engine/sim/script"
)

// A mark that a tool takes off again is gone, also from a node that has annotations already,
// and nobody sees it before the watch tells of it.
func TestMoveEnds(t *testing.T) {
	c := script.New()
	say := func(line string) {
		if out, err := c.Do(line); err != nil {
			t.Fatal(out, err)
		}
	}
	asks := func() bool {
		_, asks := c.Sim.Truth.Node("a1").Annotations["kops.k8s.io/needs-update"]
		return asks
	}
	say("cluster zones=a nodes=1\nwait for=1m\nuser moves a1 by=keeper\nwait for=1m")
	seen := c.Sim.View.Node("a1")
	say("user moves a1 by=asks-kops for=10s")
	if !asks() {
		t.Error("a1 is not marked")
	}
	if _, early := seen.Annotations["kops.k8s.io/needs-update"]; early {
		t.Error("what the watch told before has changed")
	}
	if say("wait for=1m"); asks() {
		t.Error("the mark is still there")
	}
}
