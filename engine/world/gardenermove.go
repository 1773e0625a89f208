package world

// Marks of Gardener's machine controller that others than Moves read.
const (
	// GardenerPool is the label with the pool of a node, on machine deployments too
	// (gardener/gardener pkg/apis/core/v1beta1/constants, LabelWorkerPool).
	GardenerPool = "worker.gardener.cloud/pool"
	// GardenerInPlace is the condition that tells how far an update in place is; its reasons
	// follow (machine-controller-manager pkg/apis/machine/v1alpha1, NodeInPlaceUpdate).
	GardenerInPlace = "InPlaceUpdate"
	// GardenerSelected: it is drained; GardenerDrained: that is over; GardenerReady: it is
	// updated; GardenerFailed: that failed.
	GardenerSelected = "SelectedForUpdate"
	GardenerDrained  = "DrainSuccessful"
	GardenerReady    = "ReadyForUpdate"
	GardenerFailed   = "UpdateFailed"
)

// Terminating is the condition by which Gardener says that it ends the machine of a node,
// the zero one without it. It is put when the end begins.
func (n *Node) Terminating() Condition { return n.Condition(gardenerEnds) }

// moves are those that machine-controller-manager tells of in the control cluster.
func (g *GardenerMachine) moves() []Move {
	if g == nil {
		return nil
	}
	m := Move{By: MoverGardener, Roll: true, Since: g.Since, Limit: g.Limits.Drain, Told: true, Mark: "Machine " + g.Name + " is " + g.Phase}
	switch {
	case g.Phase == PhaseTerminating || !g.Deleted.IsZero():
		step, drained := g.Ending()
		m.Step, m.Since, m.Means = MoveDraining, g.Deleted, "Gardener is ending its machine"
		if drained {
			m.Step = MoveEnding
		}
		if step != "" {
			m.Means += ": " + step
		}
		if g.Forced {
			m.Means += ", by force"
		}
	case g.Phase == PhaseFailed:
		m.Step, m.Means = MoveFailed, "Gardener has given its machine up, and replaces it"
		if !g.Preserved.IsZero() {
			m.Means = "Gardener has given its machine up, and keeps it for a while"
		}
	case g.Phase == PhaseInPlaceUpdating:
		m.Step, m.Means = MoveUpdating, "Gardener updates it in place"
	case g.Phase == PhaseInPlaceFailed:
		m.Step, m.Means = MoveFailed, "its update in place failed"
	default:
		return nil
	}
	if why := g.Trouble(); why != "" {
		m.Means += "; the last try failed: " + why
	}
	return []Move{m}
}
