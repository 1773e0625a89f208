package sim_test

import (
	"testing"

	"github.com/drainboard/drainboard/engine/sim/script"
)

// A machine that leaves its group while its node is away has a node again later: it continues.
func TestNodeOutsideReturns(t *testing.T) {
	c := script.New()
	for _, line := range []string{
		"cluster provider=kops role=control-plane zones=a nodes=1", "peer others role=node nodes=1",
		"fault unjoined others-1 for=5s", "wait for=1s", "fault outside others-1", "wait for=1m",
	} {
		if out, err := c.Do(line); err != nil {
			t.Fatal(out, err)
		}
	}
	if n := c.Sim.Truth.Node("others-1"); n == nil || !n.Ready {
		t.Error("the node does not return")
	}
}
