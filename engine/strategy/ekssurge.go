package strategy

import (
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Raise is how many nodes EKS's scale up phase adds: the larger of twice the group's zones and
// maxUnavailable.
func Raise(zones, limit int) int { return max(2*zones, limit) }

// Extra is how many machines more the group has while it is rolled. Other numbers than EKS's
// are never fewer than the nodes that go at once, so that as many serve as before.
func (EKS) Extra(w *world.World, r *record.Run) int {
	atOnce := 0
	for _, n := range r.Nodes {
		if outdated(n) && atOnce < r.Limit {
			atOnce++
		}
	}
	switch r.Settings.Surge {
	case record.SurgeFit:
		return max(atOnce, len(zonesWithoutNew(r)))
	case record.SurgeAmount:
		return max(atOnce, r.Settings.MaxSurge.Of(r.Base.Desired, true))
	}
	return Raise(len(w.Group.Zones), r.Limit)
}

// outdated reports whether a node is to be replaced, and its drain has not begun.
func outdated(n record.Node) bool {
	return !n.New && (n.Stage == record.Outdated || n.Stage == record.Queued)
}

// zonesWithoutNew are the zones of outdated nodes that have no node of the target: pods whose
// volumes are bound to their zone need one there.
func zonesWithoutNew(r *record.Run) (zones []string) {
	fresh := map[string]bool{}
	for _, zone := range zonesWith(r, func(n record.Node) bool { return n.New }) {
		fresh[zone] = true
	}
	for _, zone := range zonesWith(r, outdated) {
		if !fresh[zone] {
			zones = append(zones, zone)
		}
	}
	return zones
}

// toServe are the nodes whose zones get a new one before they are drained.
func toServe(r *record.Run) func(record.Node) bool {
	if r.Settings.Surge == record.SurgeEKS {
		return old
	}
	return outdated
}

// noLaunch is why no machine is asked for in a zone by name, "" where one is: the cloud does not
// launch so, or the surge is a number that was asked for.
func noLaunch(g *world.Group, r *record.Run) string {
	if r.Settings.Surge == record.SurgeAmount && g.NoLaunchInZone == "" {
		return systems.SurgeAsAsked(r.Settings.MaxSurge.String())
	}
	return g.NoLaunchInZone
}
