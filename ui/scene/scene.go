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
	// NameWidth is the width of the longest name, MachineWidth of the longest machine id,
	// ZoneWidth and ShortZoneWidth of the longest zone.
	NameWidth, MachineWidth, ZoneWidth, ShortZoneWidth int
	// zones are the short names of zones that have one.
	zones map[string]string
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
		sc.NameWidth, sc.MachineWidth, sc.ZoneWidth, sc.ShortZoneWidth, sc.zones = before.NameWidth, before.MachineWidth, before.ZoneWidth, before.ShortZoneWidth, before.zones
		return sc
	}
	sc.Names, sc.short, sc.Rows = map[string]string{}, map[string]string{}, map[string]*snapshot.NodeRow{}
	sc.name()
	sc.measure()
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

// instanceID is the width of an id of an EC2 instance, i-0a1b2c3d4e5f63140.
const instanceID = 19

// measure works out how wide the names are. A machine has its id for a name until it joins:
// an id of an instance is counted from the start, so that columns stay where they are.
func (sc *Scene) measure() {
	sc.zones = shortZones(sc.Zones)
	for _, z := range sc.Zones {
		sc.ZoneWidth = max(sc.ZoneWidth, style.Width(style.Clean(z.Name)))
		sc.ShortZoneWidth = max(sc.ShortZoneWidth, style.Width(style.Clean(sc.ShortZone(z.Name))))
		for _, r := range z.Rows {
			sc.MachineWidth = max(sc.MachineWidth, style.Width(style.Clean(r.ID)))
			sc.NameWidth = max(sc.NameWidth, style.Width(style.Clean(sc.Names[r.ID])))
		}
	}
	if sc.MachineWidth <= instanceID {
		sc.NameWidth = max(sc.NameWidth, sc.MachineWidth)
	}
}

// shortZones are the names of zones without their region, where those still tell them apart:
// 1a for eu-west-1a, b for europe-west1-b.
func shortZones(zones []snapshot.ZoneView) map[string]string {
	out, used := map[string]string{}, map[string]bool{}
	for _, z := range zones {
		short := z.Name[strings.LastIndexByte(z.Name, '-')+1:]
		if short == "" || used[short] {
			return nil
		}
		used[short] = true
		out[z.Name] = short
	}
	return out
}

// ShortZone is a zone's short name.
func (sc *Scene) ShortZone(zone string) string {
	if short, ok := sc.zones[zone]; ok {
		return short
	}
	return zone
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
