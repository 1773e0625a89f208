package strategy

import (
	"slices"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// leastQuorum is the smallest control plane that keeps a majority without one of its machines.
const leastQuorum = 3

// controlPlanes are the groups of the control plane that a group is one of, none if it is of
// another role. Each machine of theirs has a member of etcd.
func controlPlanes(g *world.Group) []world.Peer {
	if g.Role != world.RoleControlPlane {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(g.Peers), func(p world.Peer) bool { return p.Role != world.RoleControlPlane || p.Missing })
}

// members is how many machines the control plane of a group is to have, 0 where the group is
// of another role or nothing is known of the others.
func members(g *world.Group) (n int) {
	for _, p := range controlPlanes(g) {
		n += p.Size
	}
	return n
}

// spareMembers is how many machines of the control plane may be away at once so that a
// majority is left. It holds where there are three and more, and nobody has allowed less.
func spareMembers(w *world.World, r *record.Run) (spare int, holds bool) {
	n := members(&w.Group)
	return (n - 1) / 2, n >= leastQuorum && !r.Settings.AllowQuorumLoss
}

// Holds holds a node of the control plane back while fewer than a majority of its machines
// would be left, whatever keeps the others away. kops does not look: two of three machines
// that go together take etcd, and so the API, with them.
func (Kops) Holds(s *assess.Reader, machine string, about []string) string {
	if _, holds := spareMembers(s.W, &s.Run); !holds || !memberUp(s, machine, true) {
		return "" // nothing is lost with it
	}
	left := 0
	for _, p := range controlPlanes(&s.W.Group) {
		for _, id := range p.Machines {
			if id != machine && !slices.Contains(about, id) && memberUp(s, id, p.Name == s.W.Group.Name) {
				left++
			}
		}
	}
	if n := members(&s.W.Group); left <= n/2 {
		return systems.QuorumHeld(left, n)
	}
	return ""
}

// memberUp reports whether a machine of the control plane is up, as far as can be seen: its
// node is Ready and, if it is one of the run's own, nothing is being done to it.
func memberUp(s *assess.Reader, id string, own bool) bool {
	if own && assess.InWork(&s.Run, id) {
		return false
	}
	if s.Run.Settings.CloudOnly {
		m := s.W.Machine(id)
		return !own || m != nil && m.State == world.MachineInService
	}
	n := s.W.NodeOf(id)
	return n != nil && n.Ready && !n.NoNetwork
}

// asked is how many nodes would go at once if a majority did not count.
func (k Kops) asked(w *world.World, r *record.Run) int {
	return max(1, k.Surge(w, r)+k.Unavailable(w, r))
}

// LosesQuorum says why what is asked for would leave fewer than a majority of the control
// plane, "" if it would not, or may.
func (k Kops) LosesQuorum(w *world.World, r *record.Run) string {
	if spare, holds := spareMembers(w, r); holds && min(k.asked(w, r), selected(r)) > spare {
		return systems.QuorumCapped(k.asked(w, r), members(&w.Group), spare)
	}
	return ""
}

// Warnings say what becomes of the API while machines of the control plane are replaced.
func (k Kops) Warnings(w *world.World, r *record.Run) (out []string) {
	if why := k.LosesQuorum(w, r); why != "" {
		out = append(out, why)
	}
	switch n := members(&w.Group); {
	case n == 0:
	case n < leastQuorum:
		out = append(out, systems.NoSpareMember(n))
	case r.Settings.AllowQuorumLoss && min(k.asked(w, r), selected(r)) > (n-1)/2:
		out = append(out, systems.QuorumLossAllowed(k.asked(w, r), n))
	}
	return out
}
