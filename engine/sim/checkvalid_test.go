package sim

import "testing"

// A machine that the run has asked to end passes for ended only while that still holds: the request may have
// got lost, and the drain that followed have failed.
func TestEndThatGotLost(t *testing.T) {
	s := NewScript()
	if out, err := s.Do("cluster provider=kops zones=a nodes=1\nsettings strategy=kops\nstart"); err != nil {
		t.Fatal(out, err)
	}
	c := &s.Driver.check
	c.ended["i-a1"] = true
	if c.endedYet("i-a1") {
		t.Error("a machine that stays passes for ended")
	}
	delete(s.Sim.machines, "i-a1")
	s.Sim.ids = nil
	if !c.endedYet("i-a1") {
		t.Error("a machine that is gone passes for one that stays")
	}
}
