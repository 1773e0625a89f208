package sim

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Peer is another group of the cluster. Nobody rolls it; its machines and nodes are
// there for the cluster to be valid or not.
type Peer struct {
	world.Peer
	zones []string
	last  int // the number of its newest machine
	// Karpenter: it launches the machines: the cloud tells of none.
	Karpenter bool
	outside   []string // machines that continue outside the group
}

// controlPlane keeps ordinary pods off the nodes of the control plane.
var controlPlane = world.Taint{Key: "node-role.kubernetes.io/control-plane", Effect: "NoSchedule"}

// taintsOf are the taints that the nodes of a group begin with.
func taintsOf(role world.Role) []world.Taint {
	if role == world.RoleControlPlane || role == world.RoleAPIServer {
		return []world.Taint{controlPlane}
	}
	return nil
}

// AddPeer adds a group whose machines are all there and whose nodes, if it has any,
// are Ready.
func (s *Sim) AddPeer(name string, role world.Role, size int, zones ...string) {
	p := &Peer{Peer: world.Peer{Name: name, Role: role, Size: size}, zones: zones}
	s.peers = append(s.peers, p)
	p.Alias = name
	for range size {
		s.joinPeer(p, s.addPeerMachine(p))
		s.EditNode(p.node(p.last), func(n *world.Node) { n.Ready, n.Trouble = true, "" })
	}
	s.ListMachines()
}

// node is the name of the nth machine's node.
func (p *Peer) node(n int) string { return p.Name + "-" + strconv.Itoa(n) }

// addPeerMachine gives a peer one machine more, and returns its number.
func (s *Sim) addPeerMachine(p *Peer) int {
	p.last++
	p.Machines = append(slices.Clip(p.Machines), "i-"+p.node(p.last))
	return p.last
}

// joinPeer makes the node of a peer's machine, unless it is a bastion or the machine is gone.
func (s *Sim) joinPeer(p *Peer, number int) {
	name := p.node(number)
	if id := "i-" + name; p.Role == world.RoleBastion || !slices.Contains(p.Machines, id) && !slices.Contains(p.outside, id) {
		return
	}
	s.setNode(world.Node{
		Name: name, Machine: "i-" + name, Zone: p.zones[(number-1)%len(p.zones)], Version: "v1.31", Labels: map[string]string{world.KopsGroup: p.Name},
		Created: s.now, Room: s.room(), Taints: taintsOf(p.Role), Trouble: s.hostile("not ready: container runtime network not ready"),
	})
}

// LosePeerMachine takes a peer's newest machine away, and gives it another one in a while, if it
// is to get one.
func (s *Sim) LosePeerMachine(p *Peer, back time.Duration) {
	if len(p.Machines) == 0 {
		return
	}
	gone := p.Machines[len(p.Machines)-1]
	p.Machines = slices.Clone(p.Machines[:len(p.Machines)-1])
	s.DropNode(gone[len("i-"):])
	s.ListMachines()
	if back == 0 {
		return
	}
	s.After(back, func() {
		number := s.addPeerMachine(p)
		s.ListMachines()
		s.After(s.Config.Boot, func() { s.joinPeer(p, number) })
		s.After(s.Config.Boot+s.Config.NodeReady, func() { s.MendNode(p.node(number)) })
	})
}

// LosePeerNode takes the node of a peer's machine away, and lets it join again in a while, if
// it is to.
func (s *Sim) LosePeerNode(p *Peer, number int, back time.Duration) {
	s.DropNode(p.node(number))
	if back == 0 {
		return
	}
	s.After(back, func() { s.joinPeer(p, number) })
	s.After(back+s.Config.NodeReady, func() { s.MendNode(p.node(number)) })
}

// LeavePeer takes a peer's machine out of its group, which has one less then: its node stays, or joins
// as if the machine were still in the group.
func (s *Sim) LeavePeer(p *Peer, machine string) bool {
	i := slices.Index(p.Machines, machine)
	if i < 0 {
		return false
	}
	p.Machines = slices.Delete(slices.Clone(p.Machines), i, i+1)
	p.outside = append(p.outside, machine)
	p.Size--
	s.ListMachines()
	return true
}

// BreakNode lets a node not be Ready, or have no network; it reports whether there is such a node.
func (s *Sim) BreakNode(name string, network bool) bool {
	return s.EditByOthers(name, func(n *world.Node) {
		if network {
			n.NoNetwork, n.Trouble = true, s.hostile("NetworkUnavailable: no route was made for it")
			return
		}
		n.Ready, n.Trouble = false, s.hostile("not ready: PLEG is not healthy")
	})
}

// BreakPod lets the container of a critical pod not be ready, or be so again.
func (s *Sim) BreakPod(p *Pod, broken bool) {
	if s.pods.byUID[p.UID] != p {
		return
	}
	if !broken {
		s.becomesReady(p)
		return
	}
	p.Ready, p.up = false, false
	s.setPod(p)
}

// ControlPlaneLabel is on a node that runs the static pods of the control plane. The Sim has none of these, so
// that a node with it lacks them all.
const ControlPlaneLabel = "node-role.kubernetes.io/control-plane"

// StopControlPlane lets a node lack the static pods of the control plane.
func (s *Sim) StopControlPlane(name string) bool {
	return s.EditByOthers(name, func(n *world.Node) { n.Labels[ControlPlaneLabel] = "" })
}

// MendNode lets a node be well again that BreakNode or StopControlPlane has broken; it reports whether there is such a
// node.
func (s *Sim) MendNode(name string) bool {
	if s.silent(name) {
		return true // it does not tell
	}
	return s.EditByOthers(name, func(n *world.Node) {
		n.Ready, n.NoNetwork, n.Trouble = true, false, ""
		delete(n.Labels, ControlPlaneLabel)
	})
}

// describePeers are all groups of the cluster as the cloud would describe them, by name;
// none if the group's provider knows of no others.
func (s *Sim) describePeers() []world.Peer {
	if s.Group.Provider != "kops" {
		return nil
	}
	own := world.Peer{Name: s.Group.Name, Role: s.Group.Role, Size: s.Group.Sizes.Desired}
	for _, id := range sortedKeys(s.machines) {
		if m := s.machines[id]; !m.Detached && !m.Leaving() {
			own.Machines = append(own.Machines, id)
		}
	}
	out := []world.Peer{own}
	for _, p := range s.peers {
		shown := p.Peer
		if p.Karpenter {
			shown.Size, shown.Machines = 0, nil
		}
		out = append(out, shown)
	}
	slices.SortFunc(out, func(a, b world.Peer) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// Flap lets the pods of a workload lose their readiness for the first half of every
// turn, for a while.
func (s *Sim) Flap(w *Workload, every, span time.Duration) {
	end := s.now.Add(span)
	var turn func()
	turn = func() {
		if w.down = !w.down && s.now.Before(end); w.down {
			for _, p := range s.pods.of(w.list) {
				if p.owner == w && p.up {
					p.Ready, p.up = false, false
					s.setPod(p)
				}
			}
		} else {
			for _, p := range s.pods.of(w.list) {
				if p.owner == w && !p.up {
					s.becomesReady(p)
				}
			}
		}
		if w.down || s.now.Before(end) {
			s.After(every/2, turn)
		}
	}
	turn()
}

// Peer finds a peer, nil if there is none of that name.
func (s *Sim) Peer(name string) *Peer {
	for _, p := range s.peers {
		if p.Name == name {
			return p
		}
	}
	return nil
}
