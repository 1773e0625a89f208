package systems

import (
	"fmt"
	"github.com/drainboard/drainboard/engine/text"
	"strings"
)

func EKSScalesUp(from, to int, why string) string {
	raises := fmt.Sprintf("raises desired %d → %d", from, to)
	if from == to {
		raises = "launches nothing ahead"
	}
	if why != "" {
		return raises + " (" + why + "); taints the outdated nodes once all new nodes are Ready"
	}
	return raises + "; taints the outdated nodes once every zone has a new node and all new nodes are Ready"
}

// Fit is why a surge that fits is what it is: pods move from so many nodes at once, some of them have room
// elsewhere, the others need new nodes, and pods are bound to zones.
func Fit(pods, atOnce, elsewhere, fresh int, zones []string) string {
	of := text.Plural(pods, "pod") + " of the fullest node"
	if atOnce > 1 {
		of = fmt.Sprintf("%s of the %d fullest nodes", text.Plural(pods, "pod"), atOnce)
	}
	switch {
	case fresh == 0:
		of += ": other nodes have room"
	case elsewhere > 0:
		of += fmt.Sprintf(": other nodes have room for %d, the rest needs %s", elsewhere, text.Plural(fresh, "new node"))
	default:
		of += fmt.Sprintf(": no room on other nodes, %s needed", text.Plural(fresh, "new node"))
	}
	if len(zones) > 0 {
		of += "; pods are bound to zone " + strings.Join(zones, ", ")
	}
	return "fit: " + of
}

// FitUnknown is the same where it is not known how much room the nodes have.
func FitUnknown(atOnce int) string {
	return fmt.Sprintf("fit: the room of the nodes is not known; one for each of the %s that go at once, and for each zone without a new node", text.Plural(atOnce, "node"))
}

const EKSScalesDown = "terminates surplus nodes, emptiest first, until the group has its size again"

func EKSUpgrades(atOnce int) string {
	return fmt.Sprintf("drains and terminates up to %s at once, without further approval", text.Plural(atOnce, "node"))
}

const (
	EKSCordons  = "cordons every outdated node: evicted pods move to new nodes only"
	EKSFinishes = "waits until the last replacements are Ready, then resumes the group's processes"
)

// PausedBeside says why a run pauses beside another controller or a user.
func PausedBeside(why string) string { return why + "; then resume, or abort" }

// StillToLaunch says that machines are missing that the group has not launched.
func StillToLaunch(n int) string { return text.Plural(n, "instance") + " not launched yet" }

// ZoneHasNoNew says why a zone has no new node, "" where that is not known.
func ZoneHasNoNew(zone, why string) string { return text.Because("zone "+zone+" has no new node", why) }

// SurgeAsAsked says why no machine beyond the surge is asked for.
func SurgeAsAsked(amount string) string { return "--max-surge " + amount + " launches no more" }

// ZonesUnserved says in a plan that zones get no new node in advance, and why none can be
// asked for there.
func ZonesUnserved(zones []string, why string) string {
	return fmt.Sprintf("%s: drained without a new node in the zone first; AZRebalance stays suspended meanwhile: %s", inZones(zones), why)
}

// ZonesNotServed says it of a run.
func ZonesNotServed(zones []string, why string) string {
	return fmt.Sprintf("%s: no new node came up there, and its nodes are drained all the same; AZRebalance stays suspended meanwhile: %s", inZones(zones), why)
}

func inZones(zones []string) string {
	if len(zones) == 1 {
		return "zone " + zones[0]
	}
	return "zones " + strings.Join(zones, ", ")
}

// NodesReady says how many nodes of a group are Ready, and why not all, "" where that is not
// known.
func NodesReady(n, of int, why string) string {
	return text.Because(fmt.Sprintf("%d of %d nodes are Ready", n, of), why)
}

// SizeLeft says why a group's size is left as it is, and its maximum.
func SizeLeft(why string, limit int) string {
	return fmt.Sprintf("%s; the group keeps its size, max %d", why, limit)
}
