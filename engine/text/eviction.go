package text

import (
	"fmt"
	"time"
)

const (
	// CameBackToNode tells of a pod that took the place of an evicted one.
	CameBackToNode = "came back to the node it was evicted from"
	// PodsFree tells of a node on which nothing keeps a pod any more.
	PodsFree = "nothing keeps its pods any more"
)

// EvictionAccepted tells of an eviction that was refused before.
func EvictionAccepted(refused int) string {
	return "let through after " + Plural(refused, "refused try")
}

func DeletedByForce(order string) string {
	return "deleted past its budgets by force order " + order
}

// ForcedBy says of a pod that a force order covers it.
func ForcedBy(by string) string { return "deleted past its budgets by order of " + by }

func PodLeft(after time.Duration) string { return "left after " + seconds(after) }

// RetriesUsedUp is why a pod is forced that was refused so often.
func RetriesUsedUp(tries int) string {
	return fmt.Sprintf("its budget refused %s, and the run forces then", Plural(tries, "try"))
}

// RetriesLeft is what the time rests on at which a pod is forced.
func RetriesLeft(refused, tries int, pause time.Duration) string {
	return fmt.Sprintf("its budget has refused %d of %s, %s apart", refused, Plural(tries, "try"), pause)
}

// ForceOrdered tells who has ordered that so many pods may be deleted past their budgets.
func ForceOrdered(by, why string, pods int) string {
	whose := "their"
	if pods == 1 {
		whose = "its"
	}
	return fmt.Sprintf("force ordered by %s (%s): %s may be deleted past %s budgets", by, why, Plural(pods, "pod"), whose)
}

// Why a drain whose time is up is forced.
const (
	ForcedByFlag     = "asked for with --force when the drain has used up its time"
	ForcedByStrategy = "as the strategy does by itself when the drain has used up its time"
	ForcedToGoOn     = "--fail-on-drain-error=false: a drain that fails does not keep its machine"
	ForcedByHand     = "asked for by hand"
)
