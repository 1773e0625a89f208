package snapshot

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// PoolView is a pool for those who look: what its controller has to
// do, how far that is, and what of it cannot be known from here.
type PoolView struct {
	Name, Shoot, Update, Version string
	// Surge and Unavailable are the Shoot's for the whole pool, "" where not known.
	Surge, Unavailable string
	Limits             world.MachineLimits
	// Control: what follows is the control cluster's; else it is counted from the Nodes.
	Control bool
	Zones   []PoolZone
	// InPlace are the nodes of an update in place by how far they are.
	InPlace map[world.InPlaceMark]int
	// Pending: the Shoot says that the pool awaits an update in place.
	Pending bool
	// Opens and Closes are the maintenance time window, zero where not known; WindowFrom where
	// that is read.
	Opens, Closes time.Time
	WindowFrom    string
	// Info is what the Shoot's own cluster says of it, nil where the Shoot itself is read.
	Info *world.ShootInfo
	// Failed are what did not work, Notes what the Shoot says, Unknown what cannot be known
	// from here and what would tell it; a sentence each.
	Failed, Notes, Unknown []string
}

// PoolZone is one zone of a pool.
type PoolZone struct {
	// Name is the zone's; Deployment that of its machine deployment, "" where the control
	// cluster is not read: then Desired is not known.
	Name, Deployment string
	// Desired machines are asked for, Updated and Available are so, Total counts those on
	// their way out as well.
	Desired, Updated, Available, Total int
	// Surge and Unavailable are how many machines may be too many and too few at a time,
	// SurgeAs and UnavailableAs as the machine deployment has them ("1", "25%"), "" where
	// nothing of it is known. Guess: they are worked out from the Shoot.
	Surge, Unavailable     int
	SurgeAs, UnavailableAs string
	Guess                  bool
	Paused, Frozen         bool
	// Progress is why it is as it is, in the controller's own words.
	Progress string
}

// poolView is the group's pool, nil for a group that is none.
func poolView(s *assess.Reader) *PoolView {
	p := s.W.Group.Pool
	if p == nil {
		return nil
	}
	v := &PoolView{
		Name: p.Name, Shoot: p.Shoot, Update: p.Update, Version: p.Version, Surge: p.MaxSurge, Unavailable: p.MaxUnavailable,
		Limits: p.Limits, Control: p.Control, Pending: p.Pending, Opens: p.Opens, Closes: p.Closes, Notes: p.Notes, WindowFrom: p.WindowFrom, Info: p.Info,
		InPlace: map[world.InPlaceMark]int{}, Zones: countedZones(s),
	}
	if p.Control {
		v.Zones = nil
	}
	for _, d := range p.Deployments {
		v.Zones = append(v.Zones, PoolZone{
			Name: d.Zone, Deployment: d.Name, Desired: d.Desired, Updated: d.Updated, Available: d.Available, Total: d.Total,
			Surge: d.MaxSurge, Unavailable: d.MaxUnavailable, SurgeAs: d.Surge, UnavailableAs: d.Unavailable, Paused: d.Paused, Frozen: d.Frozen, Progress: d.Progress,
		})
		v.Failed = append(v.Failed, d.Failed...)
	}
	v.Failed = append(v.Failed, notUpdated(s, v.InPlace)...)
	v.Unknown = unknownOf(p)
	return v
}

// countedZones are the zones as far as the Nodes tell.
func countedZones(s *assess.Reader) (zones []PoolZone) {
	for _, m := range s.W.Machines() { // sorted by zone
		if len(zones) == 0 || zones[len(zones)-1].Name != m.Zone {
			zones = append(zones, PoolZone{Name: m.Zone})
		}
		z := &zones[len(zones)-1]
		z.Total++
		if n := s.Run.Nodes.Get(m.ID); n.New || n.Stage == record.Replaced { // in place
			z.Updated++
		}
		if n := s.W.NodeOf(m.ID); n != nil && n.Ready && !n.Terminating().On && !n.InPlace().Out() {
			z.Available++
		}
	}
	for i := range zones {
		for _, share := range s.W.Group.Pool.Shares {
			if z := &zones[i]; share.Zone == z.Name {
				z.Surge, z.Unavailable, z.SurgeAs, z.UnavailableAs, z.Guess = share.MaxSurge, share.MaxUnavailable, share.Surge, share.Unavailable, true
			}
		}
	}
	return zones
}

// notUpdated counts the nodes of an update in place, and names those whose update failed.
func notUpdated(s *assess.Reader, counts map[world.InPlaceMark]int) (failed []string) {
	for _, m := range s.W.Machines() {
		n := s.W.NodeOf(m.ID)
		if n == nil {
			continue
		}
		update := n.InPlace()
		mark := update.Mark()
		if mark == "" {
			continue
		}
		if m.Managed != nil && m.Managed.Phase == world.PhaseInPlaceFailed {
			counts[world.InPlaceFailed]++ // its time was up: the node says nothing of that, and its deployment all
			continue
		}
		counts[mark]++
		if mark == world.InPlaceFailed {
			failed = append(failed, systems.NodeFailedInPlace(n.Name, update.Why))
		}
	}
	slices.Sort(failed)
	return failed
}

// unknownOf says what of a pool cannot be known from here.
func unknownOf(p *world.Pool) (out []string) {
	if !p.Control {
		out = append(out, plans.ControlUnknown)
	}
	var missing []string
	if p.Update == "" {
		missing = append(missing, plans.UpdateStrategy)
	}
	if !p.Control && p.Shoot == "" {
		missing = append(missing, plans.ReplacedAtATime)
	}
	if p.Limits.Guessed && !p.Control {
		missing = append(missing, plans.LimitsAreDefault)
	}
	if len(missing) > 0 {
		out = append(out, plans.ShootUnread(missing))
	}
	if i := p.Info; i != nil && i.Unread != "" {
		out = append(out, plans.ShootInfoUnread(i.Unread))
	}
	return out
}

// Summary is a pool in a line: how many machines are asked for, updated and available, over
// all zones.
func (v *PoolView) Summary() (desired, updated, available, total int) {
	for _, z := range v.Zones {
		desired, updated, available, total = desired+z.Desired, updated+z.Updated, available+z.Available, total+z.Total
	}
	return desired, updated, available, total
}
