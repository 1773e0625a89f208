package text

import "fmt"

// The pace of a roll that Gardener drives: maxSurge and maxUnavailable of a pool, in its Shoot.

// PaceHalts is why a pace is refused by which no node could go.
const PaceHalts = "Gardener refuses maxSurge and maxUnavailable that are both 0: the roll cannot be stopped so, only paused in the control cluster (--control-kubeconfig)"

// Why no other pace can be set.
const (
	PaceNeedsShoot = "it is set in the Shoot, which is not read (--garden-kubeconfig, --shoot)"
	PaceByHand     = "the nodes of a pool with ManualInPlaceUpdate are selected by hand, and Gardener refuses both"
	PacePending    = "Gardener refuses any change to a pool whose in-place update is not finished"
	PaceConfined   = "spec.maintenance.confineSpecUpdateRollout is on: Gardener would take it in the maintenance window only"
)

// SetPace is the request for a pace of a pool, in a Shoot.
func SetPace(from, to, pool, shoot string) string {
	return fmt.Sprintf("set %s → %s of pool %s in Shoot %s", from, to, pool, shoot)
}

// PacePlanned says what a run does with the pace.
func PacePlanned(from, to, pool, shoot string) string {
	return fmt.Sprintf("sets %s → %s of pool %s in Shoot %s while the run lasts, and restores it at the end; Gardener takes it with its next reconciliation, and finishes the drains that it has begun", from, to, pool, shoot)
}

// PaceIsSo says that a run finds the pace that it is to set.
func PaceIsSo(now, pool, shoot string) string {
	return fmt.Sprintf("pool %s has %s in Shoot %s already: nothing is set", pool, now, shoot)
}

// PaceHeld says what a run has set, and what it restores.
func PaceHeld(set, was, pool, shoot string) string {
	return fmt.Sprintf("%s of pool %s in Shoot %s, set by this run, which restores %s", set, pool, shoot, was)
}

// PaceNotSet tells that a pace was not set.
func PaceNotSet(set, why string) string { return set + " was not set: " + why }

// PaceChanged tells that another user has changed the pace that a run had set.
func PaceChanged(now, set, was string) string {
	return fmt.Sprintf("another user has set %s after this run had set %s: it stays, and is not restored to %s", now, set, was)
}

// PaceCannotRestore says why a run cannot end.
func PaceCannotRestore(set, pool, shoot string) string {
	return fmt.Sprintf("the roll is over, and %s of pool %s is still set in Shoot %s, which is not given: resume with --garden-kubeconfig and --shoot to restore it", set, pool, shoot)
}

// PaceStays names a pace that was not restored.
func PaceStays(set, pool, shoot string) string {
	return fmt.Sprintf("%s of pool %s stays in Shoot %s; to restore what was there before", set, pool, shoot)
}
