package sim

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
)

// Naming is how AWS and Kubernetes name things (cluster names=aws), for people to look at: a
// scenario calls a node eu-west-1a1, and its instance and node have names as in production.
type Naming struct {
	aws   bool
	nodes map[string]string // a node's full name by the one that scenarios use
}

// NamesOfAWS are names as AWS gives them.
func NamesOfAWS() Naming { return Naming{aws: true, nodes: map[string]string{}} }

// NodeName is a node's full name.
func (n *Naming) NodeName(name string) string {
	if full, ok := n.nodes[name]; ok {
		return full
	}
	return name
}

// nameMachine gives a new machine its name and id. Number is which of its zone it is.
func (s *Sim) nameMachine(m *Machine, name, zone string, number int) {
	m.Name, m.ID = name, "i-"+name
	if !s.Names.aws {
		return
	}
	m.ID = fmt.Sprintf("i-0%016x", hashed(name))
	m.Name = fmt.Sprintf("ip-10-0-%d-%d.%s.compute.internal", 16*slices.Index(s.Group.Zones, zone)+number/250, 4+37*number%251, zone[:len(zone)-1])
	s.Names.nodes[name] = m.Name
}

// namePod names the next pod of a Deployment.
func (s *Sim) namePod(deployment string) string {
	name := deployment + "-" + strconv.Itoa(s.number("pod/"+deployment))
	if !s.Names.aws {
		return name
	}
	return fmt.Sprintf("%s-%.10s-%.5s", deployment, letters(deployment), letters(name))
}

// letters are of those that Kubernetes draws names from.
func letters(name string) string {
	const of = "bcdfghjklmnpqrstvwxz2456789"
	out := make([]byte, 10)
	for i, h := 0, hashed(name); i < len(out); i, h = i+1, h/uint64(len(of)) {
		out[i] = of[h%uint64(len(of))]
	}
	return string(out)
}

func hashed(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return h.Sum64()
}
