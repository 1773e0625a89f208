package ui

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// scene is a snapshot with what is worked out from it once, when it arrives.
type scene struct {
	*engine.Snapshot
	// came is the local time at which it arrived.
	came time.Time
	// speed is how many seconds of the cluster's time pass in a local one.
	speed float64
	// names are the shortest names that still tell nodes apart, by machine id.
	names map[string]string
	// short maps a node's full name to its short one.
	short map[string]string
	// domain is what all names end with after their short ones, "" if they differ.
	domain string
	// rows are the rows by machine id.
	rows map[string]*engine.NodeRow
	// blocked is how many nodes have the blocked mark.
	blocked int
	// asked are the names of the nodes that wait for approval.
	asked map[string]bool
	// same: the nodes are those of the scene before, in the same order.
	same bool
}

// newScene takes a snapshot. What was worked out for the one before, nil for none,
// is taken over while the nodes are the same.
func newScene(s *engine.Snapshot, came time.Time, speed float64, before *scene) *scene {
	sc := &scene{Snapshot: s, came: came, speed: speed}
	if s.Batch != nil {
		sc.asked = map[string]bool{}
		for _, name := range s.Batch.Nodes {
			sc.asked[name] = true
		}
	}
	for _, zone := range s.Zones {
		for _, r := range zone.Rows {
			if r.Blocked {
				sc.blocked++
			}
		}
	}
	if before != nil && before.sameNodes(s) {
		sc.same, sc.names, sc.short, sc.domain, sc.rows = true, before.names, before.short, before.domain, before.rows
		return sc
	}
	sc.names, sc.short, sc.rows = map[string]string{}, map[string]string{}, map[string]*engine.NodeRow{}
	sc.name()
	return sc
}

// sameNodes reports whether a snapshot lists the nodes of this one in the same
// order, and brings the rows up to date that have changed.
func (sc *scene) sameNodes(s *engine.Snapshot) bool {
	if len(s.Zones) != len(sc.Zones) {
		return false
	}
	for z, zone := range s.Zones {
		was := sc.Zones[z]
		if zone.Name != was.Name || len(zone.Rows) != len(was.Rows) {
			return false
		}
		for i, r := range zone.Rows {
			if r != was.Rows[i] && (r.ID != was.Rows[i].ID || r.Name != was.Rows[i].Name) {
				return false
			}
		}
	}
	for z, zone := range s.Zones {
		for i, r := range zone.Rows {
			if r != sc.Zones[z].Rows[i] {
				sc.rows[r.ID] = r
			}
		}
	}
	return true
}

// name works out the nodes' short names.
func (sc *scene) name() {
	uses, mixed := map[string]int{}, false
	for _, z := range sc.Zones {
		for _, r := range z.Rows {
			uses[withoutDomain(r.Name)]++
		}
	}
	for _, zone := range sc.Zones {
		for _, r := range zone.Rows {
			sc.rows[r.ID] = r
			name := withoutDomain(r.Name)
			switch {
			case r.Name == "":
				name = r.ID
			case uses[name] > 1:
				name = r.Name
			}
			sc.names[r.ID] = name
			if r.Name != "" {
				sc.short[r.Name] = name
				domain := r.Name[len(name):]
				if len(sc.short) > 1 && domain != sc.domain {
					mixed = true
				}
				sc.domain = domain
			}
		}
	}
	if mixed {
		sc.domain = ""
	}
}

// row is a machine's row, nil if it is gone.
func (sc *scene) row(id string) *engine.NodeRow { return sc.rows[id] }

// node is the short name of a node given by its full one.
func (sc *scene) node(name string) string {
	if s, ok := sc.short[name]; ok {
		return s
	}
	return withoutDomain(name)
}

// brief is a text of the engine with the nodes' short names.
func (sc *scene) brief(text string) string {
	if sc.domain == "" {
		return text
	}
	return strings.ReplaceAll(text, sc.domain, "")
}

// now is the cluster's time: the snapshot's, and what has passed since.
func (sc *scene) now(local time.Time) time.Time {
	if sc.State == engine.Finished {
		return sc.At
	}
	return sc.At.Add(time.Duration(sc.speed * float64(max(local.Sub(sc.came), 0))))
}

// hands are how many tables side by side move their countdowns one after the other,
// each once a second. All of a table move together, which is calm to read; and what
// changes at one moment is close together, since the terminal is sent what lies between
// two changes of a line again.
const hands = 3

// lag is how long ago a hand has moved, less the half second that seconds are rounded by.
func (sc *scene) lag(local time.Time, hand int) time.Duration {
	now := sc.now(local).Add(-time.Duration(hand%hands) * time.Second / hands)
	return now.Sub(now.Truncate(time.Second)) - time.Second/2
}

// remaining is what is left of a wait, and whether it stands still: a wait that
// counts usable time does so while the run is paused, its lock is lost, nobody drives it or a source
// it needs is stale.
func (sc *scene) remaining(w *engine.Wait, local time.Time) (left time.Duration, still bool) {
	still = sc.still(w)
	if still {
		return max(w.End.Sub(sc.At), 0), true
	}
	return max(w.End.Sub(sc.now(local)), 0), false
}

func (sc *scene) still(w *engine.Wait) bool {
	if len(w.Needs) == 0 {
		return false
	}
	if sc.State == engine.Paused || sc.LockLost != "" || !sc.Unattended.IsZero() {
		return true
	}
	for _, src := range sc.Sources {
		if src.Stale && slices.Contains(w.Needs, src.Name) {
			return true
		}
	}
	return slices.ContainsFunc(sc.Blind, func(src world.Source) bool { return slices.Contains(w.Needs, src) })
}

// source is one source, nil if it is not known.
func (sc *scene) source(name world.Source) *engine.SourceView {
	for i := range sc.Sources {
		if sc.Sources[i].Name == name {
			return &sc.Sources[i]
		}
	}
	return nil
}

// stale is the source that has been stale for longest, nil when all are fresh.
func (sc *scene) stale() *engine.SourceView {
	var worst *engine.SourceView
	for i := range sc.Sources {
		if src := &sc.Sources[i]; src.Stale && (worst == nil || src.Fresh.Before(worst.Fresh)) {
			worst = src
		}
	}
	return worst
}

// phase is the phase that is under way, or nil and the number of those done.
func (sc *scene) phase() (*engine.PhaseView, int) {
	for i := range sc.Phases {
		if p := &sc.Phases[i]; !p.Start.IsZero() && p.End.IsZero() {
			return p, i
		}
	}
	return nil, len(sc.Phases)
}
