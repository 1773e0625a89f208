package scene

import (
	"fmt"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/ui/style"
)

// AtWork counts the nodes that failed or on which something is under way, by stage.
func (sc *Scene) AtWork() []string {
	counts := map[record.Stage]int{}
	for _, z := range sc.Zones {
		for _, r := range z.Rows {
			counts[r.Stage]++
		}
	}
	var words []string
	for _, s := range []record.Stage{record.NodeFail, record.Unreachable, record.Draining, record.Updating, record.Settling, record.Terminating, record.Launching} {
		if counts[s] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	return words
}

// NodesText is how many nodes a run has done; without a run, how many are outdated.
func (sc *Scene) NodesText() string {
	if sc.State == record.NoRun {
		return fmt.Sprintf("%d of %s outdated", sc.Outdated(), style.Count(sc.present(), "node"))
	}
	return fmt.Sprintf("%d of %s", sc.Done, style.Count(sc.Total, "node"))
}

// UntilText is when the run is to be over, on the local clock; what is not within a
// day has its date.
func UntilText(t, now time.Time) string {
	if t.Sub(now) < 24*time.Hour {
		return "until " + t.Format("15:04")
	}
	return "until " + t.Format("2 Jan 15:04")
}

// Versions is "1.31 → 1.32", or one version when only the template changes.
func Versions(from, to, arrow string) string {
	from, to = shortVersions(from), shortVersions(to)
	if from == "" || from == to {
		return to
	}
	return from + " " + arrow + " " + to
}

// shortVersions shortens each version of a list.
func shortVersions(list string) string {
	versions := strings.Split(list, ", ")
	for i, v := range versions {
		versions[i] = style.ShortVersion(v)
	}
	return strings.Join(versions, ", ")
}

// StateLook is the run's state as a word and a look.
func (sc *Scene) StateLook(st *style.Styles) (string, style.Look) {
	lk := st.States[sc.State]
	switch sc.State {
	case record.NoRun:
		if sc.Unreadable != "" {
			return "run not known", style.Look{Glyph: st.Glyphs.Warning, Pen: st.Warn}
		}
		if who := sc.OthersWord(); who != "" {
			return who, st.States[record.Running]
		}
		return "no run", lk
	case record.Finished:
		switch sc.Result {
		case record.Succeeded:
			return "done", lk
		case record.NodesLeft:
			return "done, nodes left", style.Look{Glyph: st.Glyphs.Done, Pen: st.Warn}
		case record.Aborted:
			return "aborted", style.Look{Glyph: st.Glyphs.Ended, Pen: st.Warn}
		}
		return "failed", style.Look{Glyph: st.Glyphs.Failed, Pen: st.Bad}
	case record.Ending:
		if sc.Result == record.Aborted || sc.Result == record.NotStartedYet {
			return "aborting", lk
		}
		return "failing", style.Look{Glyph: st.Glyphs.Failed, Pen: st.Bad}
	case record.Paused:
		return "paused", lk
	case record.Planned:
		return "planned", lk
	}
	if sc.Batch != nil && !sc.Busy() {
		return "waits for you", style.Look{Glyph: st.Glyphs.Ask, Pen: st.Warn}
	}
	if sc.Canary != nil {
		return "watching the canary", lk
	}
	if sc.Validating() && !sc.moving() {
		if sc.InvalidCount() > 0 {
			_, lk = sc.ValidationLook(st)
		}
		return "validating", lk
	}
	return "upgrading", lk
}

// DetachedCount counts the machines that are out of their group and still there.
func (sc *Scene) DetachedCount() int {
	n := 0
	for _, z := range sc.Zones {
		for _, r := range z.Rows {
			if r.Detached && r.Stage != record.Replaced {
				n++
			}
		}
	}
	return n
}

// StandingLook is the state, unless the run stands still because nobody drives it.
func (sc *Scene) StandingLook(st *style.Styles) (string, style.Look) {
	if sc.Abandoned() {
		return "no driver", style.Look{Glyph: st.Glyphs.Warning, Pen: st.Warn}
	}
	return sc.StateLook(st)
}

// Foreseen is how the run will end, or without one the roll that the group's own controller is at; nil where that
// is not known, as while nobody drives the run.
func (sc *Scene) Foreseen() *record.Foreseen {
	if sc.Forecast == nil || sc.Forecast.Outlook == record.NotEvaluated || !sc.Unattended.IsZero() || sc.State != record.Running && sc.State != record.NoRun {
		return nil
	}
	return &sc.Forecast.Foreseen
}

// Alarms reports whether the run is foreseen not to end well.
func (sc *Scene) Alarms() bool {
	f := sc.Foreseen()
	return f != nil && f.Alarms()
}

// ForecastText is what will keep the run from ending well, "" where nothing will.
func (sc *Scene) ForecastText() string {
	if !sc.Alarms() {
		return ""
	}
	return "forecast: " + sc.Brief(sc.Foreseen().Why())
}

// EndText is how the run will end, or how long it will still take; "" if neither is known, as
// while nobody drives the run. It alarms if the run will not end well.
func (sc *Scene) EndText(now time.Time) (said string, alarms bool) {
	switch f := sc.Foreseen(); {
	case !sc.Unattended.IsZero() || sc.State == record.Finished:
		return "", false
	case f != nil && f.Short(now) != "":
		return f.Short(now), f.Alarms()
	}
	return plans.Left(sc.TimeLeft, 0, 0), false
}

// moving reports whether a node is on its way out.
func (sc *Scene) moving() bool {
	for _, z := range sc.Zones {
		for _, r := range z.Rows {
			if r.Stage == record.Draining || r.Stage == record.Settling || r.Stage == record.Terminating {
				return true
			}
		}
	}
	return false
}

// Busy reports whether something is under way on any node.
func (sc *Scene) Busy() bool {
	for _, z := range sc.Zones {
		for _, r := range z.Rows {
			if IsActive(r) {
				return true
			}
		}
	}
	return false
}

// Since is the time of the day that something has been so from.
func (sc *Scene) Since(t time.Time) string { return t.In(sc.Clock().Location()).Format("15:04:05") }

// ZoneProgress is how far a zone is: its nodes replaced of those to replace, or without
// a run its outdated nodes of all.
func (sc *Scene) ZoneProgress(z *snapshot.ZoneView) string {
	if sc.State == record.NoRun {
		return fmt.Sprintf("%d of %d outdated", z.Total-z.Done, len(z.Rows)-z.Done)
	}
	return fmt.Sprintf("%d/%d", z.Done, z.Total)
}

// GroupText says what happens in a group without a known run, and
// whether it is others who do it; "" with a run.
func (sc *Scene) GroupText() (text string, others bool) {
	switch {
	case sc.Unreadable != "":
		return "whether a run is under way is not known: its record cannot be read", false
	case sc.State != record.NoRun:
		return "", false
	case sc.External != nil && len(sc.External.Movers) > 0:
		return sc.Brief(sc.External.Movers[0].Text), true
	case sc.Pool != nil:
		return "no roll is under way; Gardener starts one when the Shoot changes", false
	}
	if sc.Refused != "" {
		return "no run is under way, and none can start: " + sc.Refused, false
	}
	return "no run is under way; drainboard upgrade " + sc.Group + " starts one", false
}

// EndedIn reports whether a run that did not come to its own end ended in a phase: that
// is the last that began, and it is not done.
func (sc *Scene) EndedIn(phase string) bool {
	if sc.State != record.Finished || sc.Result == record.Succeeded || sc.Result == record.NodesLeft {
		return false
	}
	last := ""
	for _, p := range sc.Phases {
		if !p.Start.IsZero() {
			last = p.Name
		}
	}
	return phase != "" && phase == last
}

// StoppedLook is the look of where a run ended too early.
func (sc *Scene) StoppedLook(st *style.Styles) style.Look {
	if sc.Result == record.Aborted {
		return style.Look{Glyph: st.Glyphs.Ended, Pen: st.Warn}
	}
	return style.Look{Glyph: st.Glyphs.Failed, Pen: st.Bad}
}
