package text

import "fmt"

func EKSScalesUp(more, from, to int) string {
	return fmt.Sprintf("the group gets %d more machines, desired %d → %d; once every zone has a new node and all of them are Ready, the outdated nodes are tainted", more, from, to)
}

const EKSScalesDown = "the machines that are too many are ended, emptiest first, until the group has its size again"

func EKSUpgrades(atOnce int) string {
	return fmt.Sprintf("the nodes are drained and their machines ended, up to %d at once, with no further question", atOnce)
}

const (
	EKSCordons  = "every outdated node is cordoned: what is evicted moves to new nodes only"
	EKSFinishes = "waits until the last replacements are Ready, and lets the group's processes act again"
)

// PausedBeside says why a run pauses beside another controller or a user.
func PausedBeside(why string) string { return why + "; then resume, or abort" }

// StillToLaunch says that machines are missing that the group has not launched.
func StillToLaunch(n int) string { return fmt.Sprintf("%d machines are still to be launched", n) }

// ZoneHasNoNew says why a zone has no new node, "" where that is not known.
func ZoneHasNoNew(zone, why string) string { return because("zone "+zone+" has no new node", why) }

// NodesReady says how many nodes of a group are Ready, and why not all, "" where that is not
// known.
func NodesReady(n, of int, why string) string {
	return because(fmt.Sprintf("%d of %d nodes are there", n, of), why)
}

// SizeLeft says why a group's size is left as it is, and its maximum.
func SizeLeft(why string, limit int) string {
	return fmt.Sprintf("%s; its size is left as it is, max %d", why, limit)
}
