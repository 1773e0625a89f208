package record

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Awaits is what a run waits for that nothing but its group's own controller can do. The
// countdown is the run's PhaseWait.
type Awaits struct {
	// Kinds are what is not done, Why the same as a sentence.
	Kinds []world.UnfinishedKind `json:"kinds"`
	Why   string                 `json:"why"`
	// Told is when that was last reported.
	Told time.Time `json:"told"`
	// Expired: the time for it is up, or waiting cannot help, and the run has paused itself. Such a
	// pause holds nothing: nobody asked for it, and the controller is free to start.
	Expired bool `json:"expired,omitempty"`
}

// Unseen reports whether the wait is for what may be due without any sign of it.
func (a *Awaits) Unseen() bool { return slices.Contains(a.Kinds, world.UnfinishedUnseen) }

// Begins reports whether the controller is seen to begin with the group's current state, all of it.
func (a *Awaits) Begins() bool {
	return slices.Contains(a.Kinds, world.UnfinishedGeneration) || slices.Contains(a.Kinds, world.UnfinishedOperation)
}

// Canary is the watch over the new nodes once the first batch, of one node, is
// replaced.
type Canary struct {
	// Wait is how long they must still be well; it begins again when they are not.
	Wait *Wait `json:"wait"`
	// Trouble is what is wrong with them, "" when all is well, and Since since when.
	Trouble string    `json:"trouble,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	// Open: new nodes are still on their way, and the watch begins when they are there.
	Open bool `json:"open,omitempty"`
	// Stands: the trouble has lasted as long as the watch. It holds the run until it is over, or
	// is accepted.
	Stands bool `json:"stands,omitempty"`
	// Well is since when nothing is wrong any more, while a trouble still stands.
	Well time.Time `json:"well,omitzero"`
	// Passed: the other nodes may follow. By is who said so in spite of a trouble.
	Passed bool   `json:"passed,omitempty"`
	By     string `json:"by,omitempty"`
}

// Holds reports whether the canary's trouble holds the run until it is accepted.
func (c *Canary) Holds() bool { return c != nil && c.Stands && !c.Passed }

// Deferral is what a run keeps of a node that another controller or a user takes out of service.
type Deferral struct {
	// Wait is for how long the node is left to them.
	Wait *Wait `json:"wait"`
	// Lull runs while no pod leaves a node that is drained by hand: at its end nobody
	// drains it any more. Nil as long as pods leave, and for those who leave a mark.
	Lull *Wait `json:"lull,omitempty"`
}

// Takeover is what a process that continues with a run still has to find out: what
// became of the changes that were under way when the one before it stopped.
type Takeover struct {
	// Open are the changes that are still looked up, by key; Done and Not, in words,
	// those that are known to have happened, and not to have.
	Open []string `json:"open,omitempty"`
	Done []string `json:"done,omitempty"`
	Not  []string `json:"not,omitempty"`
}

// Blindness counts the time in which the cluster was not seen after the run's own end of a
// machine, and in which the process was awake. Told is what it was when that was last reported.
type Blindness struct {
	For  time.Duration `json:"for"`
	Told time.Duration `json:"told,omitempty"`
}

// Workload is one whose pods the run has moved, and how those stand that replace them.
type Workload struct {
	Namespace string `json:"namespace"`
	// Kind and Name are the Deployment's where the pods show it, else the owner's.
	Kind string `json:"kind,omitempty"`
	Name string `json:"name"`
	// Moved counts its pods that the run has evicted or deleted, or that the group's own controller
	// has taken off a node that it drains. Since is when the first was: pods created later are
	// replacements.
	Moved int       `json:"moved"`
	Since time.Time `json:"since"`
	// Again counts those of them that stood in for one that the run had moved before.
	Again int `json:"again,omitempty"`
	// Stops is how many of them were seen to stop, and StopTime how long that took in all.
	Stops    int           `json:"stops,omitempty"`
	StopTime time.Duration `json:"stopTime,omitempty"`
	// Ready, Starting (on a node, or not looked at by the scheduler yet), Pending (the scheduler
	// finds no node) and CrashLooping count the replacements that are there now.
	Ready        int `json:"ready,omitempty"`
	Starting     int `json:"starting,omitempty"`
	Pending      int `json:"pending,omitempty"`
	CrashLooping int `json:"crashLooping,omitempty"`
	// Pod ("namespace/name") is the replacement in most trouble, Node where it is, and Reason the
	// scheduler's; TroubleSince is since when.
	Pod          string    `json:"pod,omitempty"`
	Node         string    `json:"node,omitempty"`
	Reason       string    `json:"reason,omitempty"`
	TroubleSince time.Time `json:"troubleSince,omitzero"`
	// Budget ("namespace/name") requires Short more healthy pods than there are.
	Budget string `json:"budget,omitempty"`
	Short  int    `json:"short,omitempty"`
	// Reported is the trouble that was told last; Well is since when it is over.
	Reported Trouble   `json:"told,omitempty"`
	Well     time.Time `json:"well,omitzero"`
}

// Ref is "namespace/name".
func (w *Workload) Ref() string { return w.Namespace + "/" + w.Name }

// Trouble is what is wrong with a workload whose pods were moved.
type Trouble string

// Troubles, the worst first.
const (
	InCrashLoop Trouble = "crash-looping"
	IsPending   Trouble = "pending"
	BelowPDB    Trouble = "below-pdb"
	IsStarting  Trouble = "starting"
	NoTrouble   Trouble = ""
)

// Rank is a trouble's place among them, 0 for the worst.
func (t Trouble) Rank() int {
	return slices.Index([]Trouble{InCrashLoop, IsPending, BelowPDB, IsStarting, NoTrouble}, t)
}

// Trouble is the worst that is wrong with it.
func (w *Workload) Trouble() Trouble {
	switch {
	case w.CrashLooping > 0:
		return InCrashLoop
	case w.Pending > 0:
		return IsPending
	case w.Short > 0:
		return BelowPDB
	case w.Starting > 0:
		return IsStarting
	}
	return NoTrouble
}

// Alarms reports whether a person should look at it: pods that start are no trouble yet.
func (w *Workload) Alarms() bool { return w.Trouble() != NoTrouble && w.Trouble() != IsStarting }

// MostWorkloads is how many workloads a run keeps account of.
const MostWorkloads = 500

// Sentence says how the moved pods' replacements stand: the worst of it.
func (w *Workload) Sentence() string {
	switch w.Trouble() {
	case InCrashLoop:
		return text.WorkloadCrashes(w.Pod, w.Node, w.CrashLooping-1)
	case IsPending:
		return text.WorkloadPends(w.Pod, w.Reason, w.Pending-1)
	case BelowPDB:
		return text.WorkloadShort(w.Budget, w.Short)
	case IsStarting:
		return text.WorkloadStarts(w.Starting)
	}
	return text.WorkloadWell(w.Ready, w.Moved)
}

// Wave is how many nodes a run begins at a time for now, where its strategy grows: 1, 2, 4, and so
// on up to the run's limit. From then on slots refill.
type Wave struct {
	Number int `json:"number"`
	// Size is how many nodes begin in it, and Since is when it began.
	Size  int       `json:"size"`
	Since time.Time `json:"since"`
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
	return w.Number == o.Number && w.Size == o.Size && w.Since.Equal(o.Since) && w.Drained.Equal(o.Drained) && w.Stopped == o.Stopped && w.Trouble == o.Trouble && slices.Equal(w.Ill, o.Ill)
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
