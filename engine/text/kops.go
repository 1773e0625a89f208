package text

import "fmt"

const (
	KopsTaints  = "new pods avoid the nodes that are going to be replaced, as far as others have room; outdated machines of the warm pool are ended"
	KopsNoSurge = "no machine is detached: the group keeps its size, and old nodes go before their replacements come"
)

func KopsSurges(machines int) string {
	return fmt.Sprintf("%d machines are detached, and the group launches others in their place; the cluster has to prove valid with them", machines)
}

func KopsRolls(atOnce int) string {
	return fmt.Sprintf("the nodes are drained and their machines ended, up to %d at once, with no further question; after each the cluster has to prove valid", atOnce)
}

// FewerDetached says that fewer machines than planned could be detached.
func FewerDetached(have, want int) string {
	return fmt.Sprintf("%d of %d machines could be detached: fewer nodes go at once", have, want)
}

const (
	DetachedBefore   = "detached by an earlier roll"
	NeedsUpdate      = "needs-update annotation"
	KeepsOldMachines = "drainAndTerminate is false"
)
