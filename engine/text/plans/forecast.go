package plans

import (
	"fmt"
	"github.com/drainboard/drainboard/engine/text"
	"time"
)

// Forecast is how a run is foreseen to end, as its headline takes it.
type Forecast struct {
	// Cause is what will keep it from ending well, a short sentence; "" if that is not known.
	Cause string
	// Stay of Nodes outdated nodes will not be replaced.
	Stay, Nodes int
}

// Why is the cause, and how many nodes stay as they are; "" if neither is known.
func (f Forecast) Why() string {
	out := f.Cause
	if f.Stay > 0 {
		if out != "" {
			out += ", "
		}
		out += fmt.Sprintf("%d of %s stay old", f.Stay, text.Plural(f.Nodes, "node"))
	}
	return out
}

// Fails says that a run will fail in a time from now, Leaves that it will end then and leave
// nodes as they are.
func Fails(in time.Duration) string {
	if in < time.Second {
		return ForecastFails + " now"
	}
	return ForecastFails + " in " + Clock(in)
}

func Leaves(in time.Duration) string { return "will end in " + Clock(in) + " with old nodes" }

// Left is the headline of a run that will end well in a time between least and most; neither
// is said where most is 0.
func Left(left, least, most time.Duration) string {
	const minute = time.Minute
	m := func(d time.Duration) int { return int((d + minute/2) / minute) }
	switch {
	case left <= 0:
		return ""
	case left < minute && m(most) <= 1:
		return "under a minute left"
	case m(max(left, most)) < 90:
		out := fmt.Sprintf("about %d min left", max(1, m(left)))
		if lo, hi := m(least), m(most); most > 0 && lo != hi {
			out += fmt.Sprintf(" (%d-%d)", lo, hi)
		}
		return out
	}
	hours := func(d time.Duration) string { return fmt.Sprintf("%d h %d min", m(d)/60, m(d)%60/5*5) }
	out := "about " + hours(left) + " left"
	if most > 0 && hours(least) != hours(most) {
		out += " (" + hours(least) + " to " + hours(most) + ")"
	}
	return out
}

// Clock is a duration as a clock shows it: 0:41, 11:42, 1:02:03.
func Clock(d time.Duration) string {
	s := int(max(d, 0).Round(time.Second) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// What alarms, in a few words.
const (
	ForecastFails = "will fail"
	ForecastStops = "will not end by itself"
)

// ForecastSaid is the forecast of a run whose headline alarms, and why it does.
func ForecastSaid(headline, why string) string { return text.Because(headline, why) }

// Causes of an end that is not well.

func NeverOpens(budget string) string { return "PDB " + budget + " never opens" }

func TwoPDBs(pod string) string { return "pod " + pod + " is covered by two PDBs" }

func Keeps(pod, why string) string { return text.Because("pod "+pod, why) }

// LaunchesFail says why the group launches no machine, in the cloud's words.
func LaunchesFail(why string) string { return text.Because("launches fail", why) }

// Held is a PDB that keeps pods waiting.
func Held(budget string, pods int) string { return budget + ": " + text.Plural(pods, "pod") }

// FindsNoRoom says why a pod has no node, in the scheduler's words.
func FindsNoRoom(pod, why string) string { return text.Because("pod "+pod+" finds no room", why) }

// StayWithoutRoom and WaitForRoom say how many pods find no room after a run, and while it lasts.
func StayWithoutRoom(pods int) string {
	return text.Plural(pods, "pod") + " would be left without room, the surge and the other nodes do not suffice"
}

func WaitForRoom(pods int, longest time.Duration) string {
	return fmt.Sprintf("up to %s would wait for room at once, for up to %s: the surge does not suffice for all", text.Plural(pods, "pod"), longest.Round(time.Second))
}

// Why a run is not rehearsed.
const (
	NoForecastUnread   = "the cluster is not read yet"
	NoForecastMoved    = "the group's own controller moves its nodes"
	NoForecastNoNodes  = "the group has no instances"
	NoForecastOver     = "no run is under way"
	NoForecastCrashed  = "the rehearsal crashed"
	NoForecastCutShort = "the rehearsal took too long"
)
