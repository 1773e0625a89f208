package sim_test

import (
	"regexp"
	"testing"

	"github.com/drainboard/drainboard/engine/sim/script"
)

// TestNamesOfAWS holds names as production has them, none twice, and that scenarios call nodes by
// the short ones.
func TestNamesOfAWS(t *testing.T) {
	c := script.New()
	if _, err := c.Do("cluster zones=eu-west-1a,eu-west-1b names=aws nodes=600\nworkload web replicas=200\nworkload one node=eu-west-1b7\nuser kills eu-west-1a3"); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	node, id, pod := regexp.MustCompile(`^ip-10-0-\d+-\d+\.eu-west-1\.compute\.internal$`), regexp.MustCompile(`^i-0[0-9a-f]{16}$`), regexp.MustCompile(`^(web|one)-[a-z0-9]{10}-[a-z0-9]{5}$`)
	for _, n := range c.Sim.Truth.Nodes() {
		if !node.MatchString(n.Name) || seen[n.Name] || !id.MatchString(n.Machine) || seen[n.Machine] {
			t.Errorf("node %s of instance %s", n.Name, n.Machine)
		}
		seen[n.Name], seen[n.Machine] = true, true
	}
	for _, p := range c.Sim.Truth.PodsIn("app") {
		if !pod.MatchString(p.Name) || seen[p.Name] {
			t.Errorf("pod %s", p.Name)
		}
		seen[p.Name] = true
		if p.Labels["app"] == "one" && p.Node != c.Sim.Names.NodeName("eu-west-1b7") {
			t.Errorf("%s is on %s", p.Name, p.Node)
		}
	}
	if m := c.Sim.MachineOf("eu-west-1a3"); m == nil || !m.Leaving() {
		t.Error("the killed one lives on")
	}
}
