package text

import "fmt"

const (
	KopsTaints  = "taints outdated nodes, which new pods avoid where others have room; terminates outdated instances of the warm pool"
	KopsNoSurge = "no instance is detached: the group keeps its size, old nodes go before their replacements come"
)

func KopsSurges(machines int) string {
	return fmt.Sprintf("detaches %s, for which the group launches replacements; then validates the cluster", Plural(machines, "instance"))
}

func KopsRolls(atOnce int) string {
	return fmt.Sprintf("drains and terminates up to %s at once, without further approval; validates the cluster after each", Plural(atOnce, "node"))
}

// FewerDetached says that fewer machines than planned could be detached.
func FewerDetached(have, want int) string {
	return fmt.Sprintf("%d of %d instances could be detached: fewer nodes go at once", have, want)
}

const (
	DetachedBefore   = "detached by an earlier roll"
	NeedsUpdate      = "needs-update annotation"
	KeepsOldMachines = "drainAndTerminate is false"
)
