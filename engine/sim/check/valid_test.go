package check

import (
	"testing"

	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/sim/drive"
)

// A machine that the run has asked to end passes for ended only while that still holds: the request may have
// got lost, and the drain that followed have failed.
func TestEndThatGotLost(t *testing.T) {
	s := sim.New(sim.Defaults(), "a")
	s.AddNodes(1, 1)
	c := Checker{d: &drive.Driver{Sim: s}, ended: map[string]bool{"i-a1": true}, vigils: map[string]*vigil{}}
	if c.endedYet("i-a1") {
		t.Error("a machine that stays passes for ended")
	}
	c.d.Sim = sim.New(sim.Defaults(), "a")
	if !c.endedYet("i-a1") {
		t.Error("a machine that is gone passes for one that stays")
	}
}
