package record

import (
	"slices"
	"time"
)

// Wave is how many nodes a run begins at a time for now, where its strategy grows: 1, 2, 4, and so
// on up to the run's limit. From then on slots refill.
type Wave struct {
	Number int `json:"number"`
	// Size is how many nodes begin in it, and Since is when it began.
	Size  int       `json:"size"`
	Since time.Time `json:"since"`
	// Machines are those whose nodes began in it, as long as it is smaller than the limit.
	Machines []string `json:"machines,omitempty"`
	// Drained is since when all nodes that began in it are drained, zero before.
	Drained time.Time `json:"drained,omitzero"`
	// Stopped: trouble has stopped the growth; waves of this size follow.
	Stopped bool `json:"stopped,omitempty"`
	// Trouble is what keeps further drains from starting, "" for nothing.
	Trouble string `json:"trouble,omitempty"`
	// Ill are the owners (by UID) of which a pod was not Ready when the first wave began, sorted: what
	// replaces their pods proves nothing.
	Ill []string `json:"ill,omitempty"`
}

// Same reports whether two waves stand alike.
func (w Wave) Same(o Wave) bool {
	return w.Number == o.Number && w.Size == o.Size && w.Since.Equal(o.Since) && w.Drained.Equal(o.Drained) && w.Stopped == o.Stopped && w.Trouble == o.Trouble && slices.Equal(w.Machines, o.Machines) && slices.Equal(w.Ill, o.Ill)
}

// PodMoves is how often the run has moved pods of the workloads that it keeps account of, and how many pods
// these were: one that stood in for a moved one is the same pod.
func (r *Run) PodMoves() (moves, pods int) {
	for _, w := range r.Workloads {
		moves += w.Moved
		pods += w.Moved - w.Again
	}
	return moves, pods
}

// TroublePolicy says what becomes of a run whose moved pods crash-loop.
type TroublePolicy string

// Trouble policies.
const (
	TroubleHold  TroublePolicy = "hold"  // no further drain starts until it is over, and the waves grow no more
	TroublePause TroublePolicy = "pause" // the run pauses itself
)
