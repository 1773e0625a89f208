package engine

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/text"
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
			words = append(words, fmt.Sprintf("%d %s", n, word))
		}
	}
	text := strings.Join(words, ", ")
	switch {
	case text != "" && p.Pending:
		text += "; pending, as the Shoot says"
	case p.Pending:
		text = "pending, as the Shoot says"
	case text == "":
		return ""
	}
	return text
}

// LimitsText are the times by which the controller acts, and whose they are.
func (p *PoolView) LimitsText() string {
	l := p.Limits
	words := []string{"drain " + text.Span(l.Drain)}
	if past := l.Past(); past > 0 {
		words = append(words, fmt.Sprintf("%d refusals of a budget (%s)", l.EvictRetries, text.Span(past)))
	}
	if l.NoHealth {
		words = append(words, "no health timeout")
	} else {
		words = append(words, "health "+text.Span(l.Health))
	}
	words = append(words, "creation "+text.Span(l.Creation))
	if world.InPlace(p.Update) {
		words = append(words, "update "+text.Span(l.InPlace))
	}
	whose := "by the Shoot; each machine has its own"
	switch {
	case p.Control && p.Shoot == "":
		whose = "by the newest machine; each has its own"
	case l.Guessed:
		whose = "the defaults, a guess"
	case !p.Control:
		whose = "by the Shoot"
	}
	return strings.Join(words, ", ") + " (" + whose + ")"
}

// Why nothing goes on in a zone.
const (
	ZonePaused = "paused: no further batch begins"
	ZoneFrozen = "frozen: no machine is made"
)

// Counts says how far the zone is, by its machine deployment or, where there is none, its
// nodes.
func (z PoolZone) Counts() string {
	all := z.Desired
	if z.Deployment == "" {
		all = z.Total
	}
	return fmt.Sprintf("%d of %d updated, %d available", z.Updated, all, z.Available)
}

// Standing is what the machine deployment of the zone says beside its numbers.
func (z PoolZone) Standing() (out []string) {
	if z.Paused {
		out = append(out, ZonePaused)
	}
	if z.Frozen {
		out = append(out, ZoneFrozen)
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
	of := func(name, written string, n int) string {
		switch {
		case strings.HasSuffix(written, "%"):
			return fmt.Sprintf("%s %s = %d", name, written, n)
		case written != "" && written != strconv.Itoa(n):
			return fmt.Sprintf("%s %s, which counts as %d", name, written, n)
		}
		return fmt.Sprintf("%s %d", name, n)
	}
	text := of("surge", z.SurgeAs, z.Surge) + ", " + of("unavailable", z.UnavailableAs, z.Unavailable)
	if z.Guess {
		text = "~" + text
	}
	return text
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
		return i.Name + " of project " + i.Project
	}
}

// VersionText is the version of Kubernetes that the pool is to have, as far as that is
// known: what the Shoot's own cluster tells is the Shoot's.
func (p *PoolView) VersionText() string {
	if p.Version == "" && p.Info != nil && p.Info.Version != "" {
		return p.Info.Version + " (the Shoot's: a pool may have one of its own)"
	}
	return p.Version
}

// Window is the maintenance time window in words, "" where it is not known.
func (p *PoolView) Window(now time.Time) string {
	if p.Closes.IsZero() {
		return ""
	}
	from := " (as " + p.WindowFrom + " has it)"
	if now.Before(p.Opens) {
		return "opens in " + text.Span(p.Opens.Sub(now)) + from
	}
	return "open, the last operation starts in " + text.Span(p.Closes.Sub(now)) + from
}

// Strategy is the pool's update strategy in words.
func (p *PoolView) Strategy() string {
	return cmp.Or(p.Update, "update strategy unknown")
}
