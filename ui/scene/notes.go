package scene

import (
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui/style"
)

// ClusterStale says that the cluster's data is stale, "" if it is not.
func (sc *Scene) ClusterStale() string {
	if src := sc.source(world.Cluster); src != nil && src.Stale {
		if src.Fresh.IsZero() {
			return sc.StaleText(src)
		}
		return fmt.Sprintf("the data of the cluster is %s old", style.Age(sc.Now(sc.Clock()).Sub(src.Fresh)))
	}
	return ""
}

// SkewShown is from which on the difference of the clocks is worth a line.
const SkewShown = 2 * time.Second

// CloudOnlyText is what a run without Kubernetes means.
const CloudOnlyText = "no Kubernetes: no drain and no validation, pods end with their instances"

// UnreadableText says that the group's record cannot be read, "" if it can.
func (sc *Scene) UnreadableText() string {
	if sc.Unreadable == "" {
		return ""
	}
	return "the record of this group's run cannot be read: " + sc.Brief(sc.Unreadable)
}

// StaleMeans says what follows from a source that is stale.
func (sc *Scene) StaleMeans(src *snapshot.SourceView) string {
	c := sc.source(world.Cluster)
	switch {
	case sc.Pool != nil:
		return ". Gardener's changes are not seen meanwhile"
	case src.Name == world.Cloud && c != nil && !c.Stale:
		return ". Drains continue; AWS calls wait"
	case sc.Partial:
		return "" // what is shown is no older than usual
	}
	return ". No changes on stale data"
}

// DriverBlindText says to who watches that the run's driver does not see all that is seen here,
// "" if he does.
func (sc *Scene) DriverBlindText() string {
	blind := sc.driverBlind()
	if blind == "" || !sc.ReadOnly || sc.Over() || !sc.Unattended.IsZero() {
		return ""
	}
	return fmt.Sprintf("the driver of this run has no fresh data of the %s: what needs it waits", blind)
}

// UnattendedText says that no process drives the run, "" if one does.
func (sc *Scene) UnattendedText() string {
	if sc.Unattended.IsZero() {
		return ""
	}
	return fmt.Sprintf("no driver for %s; drainboard upgrade %s resumes the run", style.Age(sc.Now(sc.Clock()).Sub(sc.Unattended)), sc.Group)
}

// UnwrittenText says that the run record cannot be written, "" if it can. Who only watches
// infers it from the age of the record and a lock that is renewed.
func (sc *Scene) UnwrittenText(watches bool) string {
	if sc.UnwrittenSince.IsZero() || sc.State == record.Finished {
		return ""
	}
	since := style.Age(sc.Now(sc.Clock()).Sub(sc.UnwrittenSince))
	if watches {
		return fmt.Sprintf("the run record has not been written for %s although %s drives the run: %s", since, sc.Driver, sc.Brief(sc.Unwritten))
	}
	return fmt.Sprintf("the run record cannot be written for %s: nothing new starts. %s", since, sc.Brief(sc.Unwritten))
}

// MismatchText says that the run's record does not fit the group, "" if it does.
func (sc *Scene) MismatchText() string {
	if sc.Mismatches == "" {
		return ""
	}
	return "its record does not match the group: " + sc.Brief(sc.Mismatches) + "; drainboard upgrade " + sc.Group + " shows the choices"
}

// StaleText says how old the data of a source is.
func (sc *Scene) StaleText(src *snapshot.SourceView) string {
	if sc.Partial && src.Name == world.Cluster {
		return "the cluster's pods are not read yet"
	}
	name := sc.SourceName(src.Name)
	if src.Fresh.IsZero() {
		return name + ": no data yet"
	}
	return fmt.Sprintf("%s data %s old", name, style.Age(sc.Now(sc.Clock()).Sub(src.Fresh)))
}

// SourceName is what a source is called: in a worker pool the cloud is the control cluster,
// where that is read.
func (sc *Scene) SourceName(name world.Source) string {
	if p := sc.Pool; p != nil && p.Control && name == world.Cloud {
		return "control cluster"
	}
	return string(name)
}

// SkewText says how the clocks differ.
func (sc *Scene) SkewText() string {
	word, whose := "ahead of", "cluster's"
	if sc.Skew < 0 {
		word = "behind"
	}
	if sc.CloudOnly {
		whose = "cloud's"
	}
	return fmt.Sprintf("this computer's clock is %.1f s %s the %s; countdowns use the %s", sc.Skew.Abs().Seconds(), word, whose, whose)
}

// CanaryHolds reports whether a canary's trouble holds the run until it is accepted.
func (sc *Scene) CanaryHolds() bool {
	return sc.CanaryTrouble != "" && sc.Canary == nil && sc.CanaryAccepted == "" && sc.State == record.Paused
}

// AcceptedText is a canary's trouble that was accepted and lasts, "" for none.
func (sc *Scene) AcceptedText() string {
	if sc.CanaryAccepted == "" || sc.CanaryTrouble == "" || sc.Over() {
		return ""
	}
	return "canary unhealthy, accepted by " + sc.CanaryAccepted + ": " + sc.Brief(sc.CanaryTrouble)
}

// CanaryText counts down what replaced the canary must stay well for.
func (sc *Scene) CanaryText(st *style.Styles) (text string, p style.Pen) {
	left, still := sc.Remaining(sc.Canary, sc.Clock())
	text, p = st.Glyphs.Running+" the canary is replaced: the other nodes follow in ", st.Calm
	if sc.CanaryTrouble != "" {
		text, p = st.Glyphs.Warning+" canary unhealthy: "+sc.Brief(sc.CanaryTrouble)+"; pauses in ", st.Ask
	}
	text += style.Countdown(left)
	if still {
		text += ", stopped"
	}
	return text, p
}
