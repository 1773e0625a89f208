package scene

import (
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui/style"
)

// Options says how snapshots are shown.
type Options struct {
	// Clock is the local clock, and its location that of the times shown.
	Clock func() time.Time
	// Speed is how many seconds of the cluster's time pass in a local one.
	Speed float64
	// ReadOnly: it is shown to a user who cannot send commands.
	ReadOnly bool
}

// Scene is a snapshot with what is worked out from it once, when it arrives.
type Scene struct {
	*snapshot.Snapshot
	Options
	// came is the local time at which it arrived.
	came time.Time
	// Names are the shortest names that still tell nodes apart, by machine id.
	Names map[string]string
	// short maps a node's full name to its short one.
	short map[string]string
	// domain is what all names end with after their short ones, "" if they differ.
	domain string
	// Rows are the rows by machine id.
	Rows map[string]*snapshot.NodeRow
	// BlockedNodes is how many nodes have the blocked mark, Problems how many have another problem.
	BlockedNodes, Problems int
	// Asked are the names of the nodes that wait for approval.
	Asked map[string]bool
	// Same: the nodes are those of the scene before, in the same order.
	Same bool
}

// New takes a snapshot. What was worked out for the one before, nil for none,
// is taken over while the nodes are the same.
func New(s *snapshot.Snapshot, o Options, before *Scene) *Scene {
	sc := &Scene{Snapshot: s, Options: o, came: o.Clock()}
	if s.Batch != nil {
		sc.Asked = map[string]bool{}
		for _, name := range s.Batch.Nodes {
			sc.Asked[name] = true
		}
	}
	for _, zone := range s.Zones {
		for _, r := range zone.Rows {
			if r.Blocked {
				sc.BlockedNodes++
			} else if IsProblem(r) {
				sc.Problems++
			}
		}
	}
	if before != nil && before.sameNodes(s) {
		sc.Same, sc.Names, sc.short, sc.domain, sc.Rows = true, before.Names, before.short, before.domain, before.Rows
		return sc
	}
	sc.Names, sc.short, sc.Rows = map[string]string{}, map[string]string{}, map[string]*snapshot.NodeRow{}
	sc.name()
	return sc
}

// sameNodes reports whether a snapshot lists the nodes of this one in the same
// order, and brings the rows up to date that have changed.
func (sc *Scene) sameNodes(s *snapshot.Snapshot) bool {
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
				sc.Rows[r.ID] = r
			}
		}
	}
	return true
}

// name works out the nodes' short names.
func (sc *Scene) name() {
	uses, mixed := map[string]int{}, false
	for _, z := range sc.Zones {
		for _, r := range z.Rows {
			uses[style.WithoutDomain(r.Name)]++
		}
	}
	for _, zone := range sc.Zones {
		for _, r := range zone.Rows {
			sc.Rows[r.ID] = r
			name := style.WithoutDomain(r.Name)
			switch {
			case r.Name == "":
				name = r.ID
			case uses[name] > 1:
				name = r.Name
			}
			sc.Names[r.ID] = name
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

// Over reports whether the run has come to its end; nil is a scene before the first
// snapshot.
func (sc *Scene) Over() bool { return sc != nil && sc.State == record.Finished }

// Row is a machine's row, nil if it is gone.
func (sc *Scene) Row(id string) *snapshot.NodeRow { return sc.Rows[id] }

// NodeName is the short name of a node given by its full one.
func (sc *Scene) NodeName(name string) string {
	if s, ok := sc.short[name]; ok {
		return s
	}
	return style.WithoutDomain(name)
}

// Brief is a text of the engine with the nodes' short names.
func (sc *Scene) Brief(text string) string {
	if sc.domain == "" {
		return text
	}
	return strings.ReplaceAll(text, sc.domain, "")
}

// Now is the cluster's time: the snapshot's, and what has passed since.
func (sc *Scene) Now(local time.Time) time.Time {
	if sc.State == record.Finished {
		return sc.At
	}
	return sc.At.Add(time.Duration(sc.Speed * float64(max(local.Sub(sc.came), 0))))
}

// Hands are how many tables side by side move their countdowns one after the other,
// each once a second. All of a table move together, which is calm to read; and what
// changes at one moment is close together, since the terminal is sent what lies between
// two changes of a line again.
const Hands = 3

// Lag is how long ago a hand has moved, less the half second that seconds are rounded by.
func (sc *Scene) Lag(local time.Time, hand int) time.Duration {
	now := sc.Now(local).Add(-time.Duration(hand%Hands) * time.Second / Hands)
	return now.Sub(now.Truncate(time.Second)) - time.Second/2
}

// Remaining is what is left of a wait, and whether it stands still: a wait that
// counts usable time does so while the run is paused, its lock is lost, nobody drives it or a source
// it needs is stale.
func (sc *Scene) Remaining(w *record.Wait, local time.Time) (left time.Duration, still bool) {
	still = sc.StandsStill(w)
	if still {
		return max(w.End.Sub(sc.At), 0), true
	}
	return max(w.End.Sub(sc.Now(local)), 0), false
}

// source is one source, nil if it is not known.
func (sc *Scene) source(name world.Source) *snapshot.SourceView {
	for i := range sc.Sources {
		if sc.Sources[i].Name == name {
			return &sc.Sources[i]
		}
	}
	return nil
}

// StalestSource is the source that has been stale for longest, nil when all are fresh.
func (sc *Scene) StalestSource() *snapshot.SourceView {
	var worst *snapshot.SourceView
	for i := range sc.Sources {
		if src := &sc.Sources[i]; src.Stale && (worst == nil || src.Fresh.Before(worst.Fresh)) {
			worst = src
		}
	}
	return worst
}

// CurrentPhase is the phase that is under way, or nil and the number of those done.
func (sc *Scene) CurrentPhase() (*snapshot.PhaseView, int) {
	for i := range sc.Phases {
		if p := &sc.Phases[i]; !p.Start.IsZero() && p.End.IsZero() {
			return p, i
		}
	}
	return nil, len(sc.Phases)
}
