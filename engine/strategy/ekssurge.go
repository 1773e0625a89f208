package strategy

import (
	"slices"

	"github.com/drainboard/drainboard/engine/assess/room"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Raise is how many nodes EKS's scale up phase adds: the larger of twice the group's zones and
// maxUnavailable.
func Raise(zones, limit int) int { return max(2*zones, limit) }

// Extra is how many machines more the group has while it is rolled. A number that was asked for
// is never fewer than the nodes that go at once, so that as many serve as before.
func (EKS) Extra(w *world.World, r *record.Run) int {
	switch r.Settings.Surge {
	case record.SurgeFit:
		return fit(w, r).extra(r)
	case record.SurgeAmount:
		return max(atOnce(r), r.Settings.MaxSurge.Of(r.Base.Desired, true))
	}
	return Raise(len(w.Group.Zones), r.Limit)
}

// SurgeReason says why so many machines more come as fit says, "" for other numbers.
func (EKS) SurgeReason(w *world.World, r *record.Run) string {
	if r.Settings.Surge != record.SurgeFit {
		return ""
	}
	need := fit(w, r)
	if !need.Known {
		return systems.FitUnknown(atOnce(r))
	}
	return systems.Fit(need.Pods, need.AtOnce, need.Elsewhere, need.New, withoutNew(r, need.Zones))
}

// atOnce is how many of the nodes to be replaced may go at once.
func atOnce(r *record.Run) (n int) {
	for _, node := range r.Nodes.All() {
		if outdated(node) && n < r.Limit {
			n++
		}
	}
	return n
}

// needed is what the pods of the nodes that go at once need of new ones.
type needed struct{ room.Need }

// fit works it out. Nodes of the group that are not new get EKS's taint: they have no room.
func fit(w *world.World, r *record.Run) needed {
	var going []*world.Node
	for _, n := range r.Nodes.All() {
		if node := w.Node(n.Name); node != nil && outdated(n) {
			going = append(going, node)
		}
	}
	others := func(n *world.Node) bool {
		m := w.Machine(n.Machine)
		return m == nil || r.Nodes.Peek(m.ID).New && !m.Leaving()
	}
	return needed{room.For(w, going, max(1, r.Limit), others)}
}

// extra is how many machines more that makes. Where it is not known how much room nodes have, one
// comes for each that goes, and one for each zone without a new one.
func (n needed) extra(r *record.Run) int {
	if !n.Known {
		return max(atOnce(r), len(zonesWithoutNew(r)))
	}
	return max(n.New, len(withoutNew(r, n.Zones)))
}

// outdated reports whether a node is to be replaced, and its drain has not begun.
func outdated(n record.Node) bool {
	return !n.New && (n.Stage == record.Outdated || n.Stage == record.Queued)
}

// zonesWithoutNew are the zones of outdated nodes that have no node of the target: pods whose
// volumes are bound to their zone need one there.
func zonesWithoutNew(r *record.Run) []string { return withoutNew(r, zonesWith(r, outdated)) }

// withoutNew are those of zones that have no new node.
func withoutNew(r *record.Run, zones []string) []string {
	fresh := zonesWith(r, func(n record.Node) bool { return n.New })
	return slices.DeleteFunc(slices.Clone(zones), func(zone string) bool { return slices.Contains(fresh, zone) })
}

// toServe are the zones that get a new node before theirs are drained.
func toServe(w *world.World, r *record.Run) []string {
	switch r.Settings.Surge {
	case record.SurgeEKS:
		return zonesWith(r, old)
	case record.SurgeFit:
		if need := fit(w, r); need.Known {
			return need.Zones
		}
	}
	return zonesWith(r, outdated)
}

// noLaunch is why no machine is asked for in a zone by name, "" where one is: the cloud does not
// launch so, or the surge is a number that was asked for.
func noLaunch(g *world.Group, r *record.Run) string {
	if r.Settings.Surge == record.SurgeAmount && g.NoLaunchInZone == "" {
		return systems.SurgeAsAsked(r.Settings.MaxSurge.String())
	}
	return g.NoLaunchInZone
}
