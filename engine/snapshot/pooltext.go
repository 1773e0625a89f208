package snapshot

import (
	"cmp"
	"time"

	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// A worker pool in words, for the screen and for lines.

// InPlaceText counts the nodes of an update in place, "" where none is under way.
func (p *PoolView) InPlaceText() string {
	var words []string
	for _, mark := range []world.InPlaceMark{world.InPlaceCandidate, world.InPlaceSelected, world.InPlaceUpdated, world.InPlaceFailed} {
		if n := p.InPlace[mark]; n > 0 {
			word := string(mark)
			if mark == world.InPlaceCandidate && n > 1 {
				word += "s"
			}
			words = append(words, systems.Counted(n, word))
		}
	}
	return systems.InPlaceCounts(words, p.Pending)
}

// LimitsText are the times by which the controller acts, and whose they are.
func (p *PoolView) LimitsText() string {
	l := p.Limits
	whose := systems.LimitsOfEach
	switch {
	case p.Control && p.Shoot == "":
		whose = systems.LimitsOfNewest
	case l.Guessed:
		whose = systems.LimitsGuessed
	case !p.Control:
		whose = systems.LimitsOfShoot
	}
	return systems.Limits{
		Drain: l.Drain, Health: l.Health, NoHealth: l.NoHealth, Creation: l.Creation, Past: l.Past(), Refusals: l.EvictRetries,
		Update: l.InPlace, InPlace: world.InPlace(p.Update), Whose: whose,
	}.String()
}

// Counts says how far the zone is, by its machine deployment or, where there is none, its
// nodes.
func (z PoolZone) Counts() string {
	all := z.Desired
	if z.Deployment == "" {
		all = z.Total
	}
	return systems.ZoneCounts(z.Updated, all, z.Available)
}

// Standing is what the machine deployment of the zone says beside its numbers.
func (z PoolZone) Standing() (out []string) {
	if z.Paused {
		out = append(out, systems.ZonePaused)
	}
	if z.Frozen {
		out = append(out, systems.ZoneFrozen)
	}
	if z.Progress != "" {
		out = append(out, z.Progress)
	}
	return out
}

// AtOnce says how many machines may be too many and too few in the zone at a time, and what
// that is worked out from; "" where it is not known.
func (z PoolZone) AtOnce() string {
	if z.SurgeAs == "" && z.UnavailableAs == "" {
		return ""
	}
	return systems.AtOnce(z.SurgeAs, z.Surge, z.UnavailableAs, z.Unavailable, z.Guess)
}

// ShootName is the pool's Shoot, as far as it is known: by namespace and name, or as the
// Shoot's own cluster calls it.
func (p *PoolView) ShootName() string {
	switch i := p.Info; {
	case p.Shoot != "" || i == nil || i.Name == "":
		return p.Shoot
	case i.Project == "":
		return i.Name
	default:
		return systems.ShootOf(i.Name, i.Project)
	}
}

// VersionText is the version of Kubernetes that the pool is to have, as far as that is
// known: what the Shoot's own cluster tells is the Shoot's.
func (p *PoolView) VersionText() string {
	if p.Version == "" && p.Info != nil && p.Info.Version != "" {
		return systems.ShootVersion(p.Info.Version)
	}
	return p.Version
}

// Window is the maintenance time window in words, "" where it is not known.
func (p *PoolView) Window(now time.Time) string {
	if p.Closes.IsZero() {
		return ""
	}
	if now.Before(p.Opens) {
		return systems.Window(false, p.Opens.Sub(now), p.WindowFrom)
	}
	return systems.Window(true, p.Closes.Sub(now), p.WindowFrom)
}

// Strategy is the pool's update strategy in words.
func (p *PoolView) Strategy() string {
	return cmp.Or(p.Update, systems.UnknownUpdateStrategy)
}
