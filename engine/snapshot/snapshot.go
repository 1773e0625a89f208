package snapshot

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Snapshot is one immutable picture of a run for those who look at it. Rows
// that did not change since the last snapshot are the same pointers.
type Snapshot struct {
	// At is the moment it shows, in the cluster's time.
	At time.Time
	// Cluster is the kubeconfig context's or cluster's name; Group is what people call the
	// group.
	Cluster, Group, Provider, Strategy, RunID string
	// From and To are versions for people: kubelet versions where known, else
	// template versions.
	From, To string
	State    record.State
	Result   record.Result
	// Worst is what the exit code stands for: Result, or worse that a failed node made of
	// the run before.
	Worst record.Result
	// Why says why the run paused, failed or ended as it did.
	Why string
	// Gate says why no new drain starts now, "" if nothing holds it.
	Gate string
	// Awaits is what the run waits for that the group's own controller has to do, "" for
	// nothing, and AwaitsUntil until when it does.
	Awaits      string
	AwaitsUntil time.Time
	// ExternalMovers are those who else move nodes of the group, or may.
	ExternalMovers []record.ExternalMover
	Started        time.Time
	Ended          time.Time
	// TimeLeft is the estimated time to the end; 0 when unknown.
	TimeLeft time.Duration
	// Forecast is how the run will end, nil where it was not rehearsed lately. The loop adds it.
	Forecast *Forecast
	// Done of Total outdated nodes are replaced.
	Done, Total int
	// Refused says why no run can start in the group, "" if one can.
	Refused     string
	Sizes, Base world.Sizes
	Limit       int
	// MaxUnavailable is the setting in nodes, Bounds what a command can change it to.
	MaxUnavailable int
	Bounds         assess.Bounds

	Phases []PhaseView
	Zones  []ZoneView
	// Blockers are what keeps pods on draining nodes, the nearest deadline first.
	Blockers []*blockers.Blocker
	// Evictions are the pods on their way off draining nodes, those that take longest
	// first.
	Evictions []*Eviction
	// Workloads are those whose pods the run has moved, those in most trouble first.
	Workloads []*record.Workload
	// Batch waits for approval; nil when none does.
	Batch *BatchView
	// Canary is the countdown of the watch over what replaced the canary, nil when
	// none is watched; CanaryTrouble what is wrong with it, also while that holds the run or was
	// accepted, which CanaryAccepted says by whom.
	Canary         *record.Wait
	CanaryTrouble  string
	CanaryAccepted string
	// UpdateFailed: the run is paused after an update of EKS's that has failed, and resuming it starts that again.
	UpdateFailed bool
	// Validation is the one under way or the last one, nil before the first; PassInvalid: the
	// run continues when its time is up.
	Validation  *record.Validation
	PassInvalid bool
	// Roll is the roll that the run belongs to, as this process drives it; nil for a run of
	// its own. Who drives the roll adds it.
	Roll *roll.Roll
	// Until is when the run is to be over, zero for any time.
	Until time.Time
	// CloudOnly: the run has no Kubernetes: nothing is drained, nothing validated.
	CloudOnly bool
	// Driver is who drives the run, as far as a watcher knows: user, host and process.
	Driver string
	// Unattended is since when nobody has driven a run that is not over, zero while
	// a user does.
	Unattended time.Time
	// Mismatches is what of a run's record does not fit the group any more while nobody
	// drives it, "" if all does: the user who resumes it has to choose.
	Mismatches string
	// Unreadable is why the record of the group's run cannot be read or shown, "" if it
	// can or there is none: then it is not known whether a run is under way.
	Unreadable string
	// LockLost is why this process does not hold the lock of the run now, "" while it
	// does; LoseLock sets it.
	LockLost string
	// Unwritten is why the run record cannot be written, "" while it can, and UnwrittenSince
	// since when; LoseRecord sets them.
	Unwritten      string
	UnwrittenSince time.Time
	// External is what others do with a group without a run; nil with one, and while nobody
	// does anything.
	External *ExternalView
	// Pool is what a group that its own controller drives has beyond others, nil for those.
	Pool *PoolView
	// Events is the log, oldest first; its tail may be shared between snapshots.
	Events []record.Event
	// Abilities says for every command whether it is possible now, and if not why.
	Abilities []AbilityNow
	Sources   []SourceView
	// Partial: the pods of the cluster are still being read for the first time. Rows say
	// for themselves whether theirs are known; of what blocks, and of pods on their way,
	// nothing is known.
	Partial bool
	// Blind are the sources that the run's driver could not see when it last decided: what
	// needs them stands still, also for who watches and sees them.
	Blind []world.Source
	// Skew is how far the local clock is from the cluster's (positive: ahead).
	Skew time.Duration
	// Notes and LeftBehind are for the end of the run.
	Notes      []string
	Unrestored []string
	// AbortPlan says what an abort would do now: what stops, what finishes, what
	// is restored.
	AbortPlan []string
	// AbortSurge is how many nodes of the surge an abort may leave behind, unless it retires
	// them.
	AbortSurge int
	// Look is what was looked at when it was made, Node and Budget the details; nil when
	// there is no such thing.
	Look   Look
	Node   *NodeDetail
	Budget *BudgetDetail
}

// PhaseView is a phase and its progress.
type PhaseView struct {
	Name       string
	Start, End time.Time
	// Missed: a later phase began and this one was not seen, as where an update is followed
	// that was beyond it.
	Missed bool
	// Done of Total steps; Total 0 means progress is not counted.
	Done, Total int
}

// ZoneView is the table of one zone.
type ZoneView struct {
	Name        string
	Done, Total int
	Rows        []*NodeRow

	bases []basis // what the rows were made from
}

// NodeRow is one node (or a machine that has not joined).
type NodeRow struct {
	// ID is the machine id; Name the node's name, "" before it joins.
	ID, Name, Zone string
	Stage          record.Stage
	Since          time.Time
	// Version is the kubelet's; New tells that the node is of the target's template.
	Version string
	New     bool
	// PodsLeft of Pods that have to leave are still there (while draining).
	PodsLeft, Pods int
	// PodsUnread: its pods have not been read yet, and both are 0.
	PodsUnread bool
	// Wait is the countdown that applies now, nil when none does.
	Wait *record.Wait
	// Blocked: something keeps a pod here that only a person or time can change.
	Blocked bool
	// CrashLooping is a replacement of a moved pod that crash-loops here, "namespace/name"; "" for
	// none.
	CrashLooping string
	// Problem is what of it wants a person, "" for nothing.
	Problem Problem
	// Ready, Cordoned and Tainted as the cluster has them now.
	Ready, Cordoned, Tainted bool
	// Detached: its machine was taken out of the group, which has another in its place.
	Detached bool
	Batch    int
	// By is who else moves the node, by the marks on it that are not ours; "" for nobody.
	By world.Mover
	// Note is a few words on what is odd: why skipped or failed, NotReady, ...
	Note string
	// Takes says which commands the node takes where the run takes them at all.
	Takes assess.NodeCommands
}

// Eviction is a pod on its way off a draining node: it was evicted or deleted, and
// its grace period runs.
type Eviction struct {
	// Pod is "namespace/name"; Node and Machine where it is.
	Pod, UID, Node, Machine, Owner string
	// Grace is the pod's own countdown.
	Grace *record.Wait
}

// BatchView is a batch that waits for approval, with what approving will do.
type BatchView struct {
	ID int
	// Phase is the phase that begins when this is approved, "" for a batch of nodes.
	Phase string
	// Does says what that phase will do.
	Does string
	// Canary: this is the first batch, of one node; Watch is how long what replaces
	// it is watched before the others are asked for.
	Canary bool
	Watch  time.Duration
	Hash   string
	Nodes  []string
	Since  time.Time
	// AsOf is when the rest was worked out.
	AsOf time.Time
	// Evict is how many pods will have to leave; Ignore how many stay.
	Evict, Ignore int
	// Foreseen are blockers to expect, a sentence each; NotEvaluated says why nothing
	// can be said about them, "" if what is known was judged.
	Foreseen     []string
	NotEvaluated string
}

// AbilityNow is a command and whether it is possible at this moment.
type AbilityNow struct {
	Kind record.CommandKind
	// Why it is not possible now; "" means it is. Never: the strategy does not offer it at all.
	Why   string
	Never bool
	// Instead says what it comes to where the strategy has only a substitute for it.
	Instead string
}

// SourceView is a source and its freshness.
type SourceView struct {
	Name    world.Source
	Fresh   time.Time
	Stale   bool
	Problem string
	Retry   time.Time
}

// Able reports whether a command is possible now, and why not.
func (s *Snapshot) Able(kind record.CommandKind) (why string, ok bool) {
	for _, a := range s.Abilities {
		if a.Kind == kind {
			return a.Why, a.Why == ""
		}
	}
	return text.NotOffered, false
}

// Never is why a command is not offered at all, "" where it is.
func (s *Snapshot) Never(kind record.CommandKind) string {
	for _, a := range s.Abilities {
		if a.Kind == kind && a.Never {
			return a.Why
		}
	}
	return ""
}

// Instead is what a command comes to where the strategy has only a substitute for it, "" where
// it does what it says.
func (s *Snapshot) Instead(kind record.CommandKind) string {
	for _, a := range s.Abilities {
		if a.Kind == kind {
			return a.Instead
		}
	}
	return ""
}

// LoseRecord says that the run record cannot be written, why and since when: until it can,
// nothing new starts, and commands that need it are not taken.
func (s *Snapshot) LoseRecord(why string, since time.Time) {
	s.Unwritten, s.UnwrittenSince = why, since
	s.Abilities = slices.Clone(s.Abilities)
	for i := range s.Abilities {
		if a := &s.Abilities[i]; a.Kind.NeedsRecord() {
			a.Why = record.WithoutRecord
		}
	}
}

// Abandoned reports whether nothing drives a run that was not paused before.
func (s *Snapshot) Abandoned() bool { return !s.Unattended.IsZero() && s.State != record.Paused }

// Evicts reports whether evictions are tried now.
func (s *Snapshot) Evicts() bool { return s.State == record.Running && !s.Abandoned() }

// StandsStill reports whether a wait does not elapse now: one that counts usable time does
// not while the run is paused, its lock is lost, its record cannot be written, nothing drives it or a source that the wait
// needs is stale.
func (s *Snapshot) StandsStill(w *record.Wait) bool {
	if len(w.Needs) == 0 {
		return false
	}
	if s.State == record.Paused || s.LockLost != "" || !s.UnwrittenSince.IsZero() || !s.Unattended.IsZero() {
		return true
	}
	for _, src := range s.Sources {
		if src.Stale && slices.Contains(w.Needs, src.Name) {
			return true
		}
	}
	return slices.ContainsFunc(s.Blind, func(src world.Source) bool { return slices.Contains(w.Needs, src) })
}

// LoseLock says that the lock of the run is lost, and why: until it is back nothing is
// decided, and what the operator says now may not fit then. Pausing and aborting do.
func (s *Snapshot) LoseLock(why string) {
	s.LockLost = why
	s.Abilities = slices.Clone(s.Abilities)
	for i := range s.Abilities {
		if a := &s.Abilities[i]; a.Kind.NeedsLock() {
			a.Why = record.WithoutLock
		}
	}
}
