package text

import (
	"fmt"
	"time"
)

const (
	// CameBackToNode tells of a pod that took the place of an evicted one.
	CameBackToNode = "came back to the node it was evicted from"
	// PodsFree tells of a node on which nothing keeps a pod any more.
	PodsFree = "no pod blocked any more"
)

// EvictionAccepted tells of an eviction that was refused so often before.
func EvictionAccepted(refused int) string {
	return "eviction accepted after " + Plural(refused, "attempt")
}

func DeletedByForce(order string) string {
	return "deleted past its PDBs by force order " + order
}

// ForcedBy says of a pod that a force order covers it.
func ForcedBy(by string) string { return "deleted past its PDBs by order of " + by }

// PodLeft tells how long a pod took to be gone once it was evicted or deleted.
func PodLeft(after time.Duration) string { return "gone after " + Seconds(after) }

// RetriesUsedUp is why a pod is forced that was refused so often.
func RetriesUsedUp(tries int) string {
	return "its PDB refused " + Plural(tries, "attempt") + ", the limit"
}

// RetriesLeft is what the time rests on at which a pod is forced.
func RetriesLeft(refused, tries int, pause time.Duration) string {
	return fmt.Sprintf("its PDB has refused %d of %s, %s apart", refused, Plural(tries, "attempt"), pause)
}

// ForceOrdered tells who has ordered that so many pods may be deleted past their budgets.
func ForceOrdered(by, why string, pods int) string {
	whose := "their"
	if pods == 1 {
		whose = "its"
	}
	return fmt.Sprintf("force ordered by %s (%s): %s may be deleted past %s PDBs", by, why, Plural(pods, "pod"), whose)
}

// Why a drain whose time is up is forced.
const (
	ForcedByFlag     = "drain timeout reached, --force"
	ForcedByStrategy = "drain timeout reached, the strategy forces"
	ForcedToGoOn     = "drain timeout reached, --fail-on-drain-error=false"
	ForcedByHand     = "no reason given"
)

// RecreatedByDaemonSet and those below say of a pod why a drain evicts it, or does not.
const (
	RecreatedByDaemonSet = "belongs to a DaemonSet, which would recreate it"
	MirrorsStaticPod     = "mirrors a static pod, which only its kubelet can remove"
	HasFinished          = "has completed"
	HasNoController      = "has no controller: nothing recreates it (allow with --force-unmanaged)"
	DaemonSetGone        = "belonged to a DaemonSet that is gone: nothing recreates it (allow with --force-unmanaged)"
	KeepsEmptyDir        = "has data in an emptyDir, which its eviction deletes (allow with --delete-emptydir-data)"
	CanBeEvicted         = "can be evicted"
)
