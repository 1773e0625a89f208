package systems

import (
	"fmt"
	"github.com/drainboard/drainboard/engine/text"
	"strings"
	"time"
)

// MachineEnds says that Gardener ends a machine, at which step (one of the Steps below,
// "" for an unknown one), and whether by force.
func MachineEnds(step string, forced bool) string {
	s := text.Because("Gardener is terminating its machine", step)
	if forced {
		s += ", by force"
	}
	return s
}

const (
	StepMachineObject  = "its Machine object is removed"
	StepNodeObject     = "its Node is deleted"
	StepMachine        = "its VM is deleted"
	StepVolumes        = "its volumes are detached"
	StepDrain          = "it is drained"
	StepLookUp         = "its VM is looked up"
	MachineGivenUp     = "Gardener has marked its machine as failed, and replaces it"
	MachineGivenUpKept = "Gardener has marked its machine as failed, and preserves it"
	MachineKept        = "Gardener preserves its machine"
)

// LastTryFailed adds why the last try of what is said failed.
func LastTryFailed(what, why string) string { return what + "; the last attempt failed: " + why }

// ForceWasOrdered is added to why a node drains.
const ForceWasOrdered = ", forced by order"

// NextTryForced is added to why a node drains that has not been healthy for so long.
func NextTryForced(unwell time.Duration) string {
	return fmt.Sprintf("; its node has been unhealthy for %s: the next drain attempt is forced", text.Span(text.Steady(unwell)))
}

const (
	JoinedNotReady    = "its node has joined but is not Ready yet"
	UnwellSinceJoined = "has been unhealthy since it joined: Gardener replaces its machine"
)

// Unhealthy says of a node that its machine is not healthy, and by what, "" where that is not
// known.
func Unhealthy(trouble string) string {
	if trouble == "" {
		return "is unhealthy"
	}
	return "is unhealthy (" + trouble + ")"
}

// NotGivenUp is said of a node that trouble names.
func NotGivenUp(trouble string) string {
	return Unhealthy(trouble) + ", and is not replaced: its pool has no health timeout"
}

func GivesUp(trouble string) string {
	return Unhealthy(trouble) + ": Gardener replaces it"
}

// GivesUpInTurn says that a machine is replaced when no other of its zone, or of its machine
// deployment where that is known, comes or goes.
func GivesUpInTurn(trouble, deployment string) string {
	of := "its zone"
	if deployment != "" {
		of = deployment
	}
	return GivesUp(trouble) + " once no other machine of " + of + " comes or goes"
}

func DidNotCome(why string) string {
	s := "did not join in time: Gardener has marked its machine as failed, and replaces it"
	if why != "" {
		s += "; " + why
	}
	return s
}

func CreationRetried(why string) string {
	return text.Because("its machine could not be created, retrying", why)
}

const (
	NotRunningYet   = "its machine is not Running yet"
	MachineAskedFor = "its machine is requested"
)

func MachineNotJoinedYet(why string) string {
	return text.Because("its machine has not joined the cluster yet", why)
}

// DrainBeginsAnew is added to why a pod is kept.
const DrainBeginsAnew = "; Gardener's drain fails on it and restarts every 5 s: only the drain timeout gets past it"

// RefusalsFromStart is what a countdown rests on: so many refusals; byShoot: the Shoot's
// setting, not that of the very machine.
func RefusalsFromStart(refusals int, byShoot bool) string {
	return fmt.Sprintf("%d refused evictions 20 s apart (%s) since the drain started; the first refusal is not visible here", refusals, Setting("maxEvictRetries", byShoot, false))
}

// PassedByController says that a pod was deleted although a budget kept it, by which program; inferred:
// nothing that is read says so.
func PassedByController(by, budget string, inferred bool) string {
	if inferred {
		return "deleted past PDB " + budget + " by " + by + ", inferred: it vanished without an eviction while the PDB allowed none"
	}
	return "deleted past PDB " + budget + " by " + by
}

// PassedUnwatched says that pods which budgets kept went while that was not seen.
func PassedUnwatched(by string, pods []string) string {
	return text.Plural(len(pods), "pod") + " kept by PDBs went unseen (" + text.Some(pods) + "): evicted, or deleted past PDBs by " + by + ", is not known"
}

// PassedInAll sums up such pods, how many of them are inferred, and of how many nodes.
func PassedInAll(by string, pods, inferred, nodes int) string {
	s := text.Plural(pods, "pod") + " deleted past PDBs by " + by + " on " + text.Plural(nodes, "node")
	if inferred > 0 {
		s += fmt.Sprintf(" (inferred: %d)", inferred)
	}
	return s
}

// Setting is a setting of Gardener's, and where its value is from: the Shoot, or Gardener's
// defaults.
func Setting(name string, byShoot, byDefault bool) string {
	switch {
	case byDefault:
		return name + ", by default"
	case byShoot:
		return name + ", by the Shoot"
	}
	return name
}

// TimerBasis is what a countdown rests on: what began it, when, how long it takes, and by
// which setting.
func TimerBasis(since string, start time.Time, limit time.Duration, setting string) string {
	return fmt.Sprintf("%s at %s, and %s after that: its %s", since, clock(start), limit, setting)
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05 MST") }

// SinceDeletion and those below say what began a countdown.
const (
	SinceDeletion    = "the Machine's deletion was asked for"
	SinceSelected    = "it was selected for the update"
	SinceTerminating = "its condition Terminating was set"
)

// BegunBefore says of a setting that its time began a while before.
func BegunBefore(setting string, ago time.Duration) string {
	return setting + ", which began some " + ago.String() + " before"
}

const (
	SinceInPlaceUpdating = "the Machine became InPlaceUpdating"
	SinceReadyForUpdate  = "it was ready for the update"
	SinceUnknown         = "the Machine became Unknown"
	SinceNotReady        = "it stopped being Ready, or writable,"
)

func SinceCondition(condition string) string { return "its condition " + condition + " was set" }

const (
	SinceMade      = "the Machine was made"
	SinceJoined    = "the node joined, some time after its Machine was made,"
	PreserveExpiry = "its preserveExpiryTime"
)

func PreserveCondition(condition string) string { return "its node's condition " + condition }

// SickBasis says since when a node has not been healthy, and after what time drains of it are
// by force.
func SickBasis(since time.Time, limit time.Duration) string {
	return fmt.Sprintf("it is not Ready, or not writable, since %s; a drain attempt that starts %s after that is forced", clock(since), limit)
}

// ForcesNow and those below are added to what is said of a node, and say that the time of a
// countdown was up so long ago.
func ForcesNow(ago time.Duration) string {
	return "; overdue by " + text.Steady(ago).String() + ": Gardener forces it, past all PDBs"
}

func LooksOnceAMinute(ago time.Duration) string {
	return "; overdue by " + text.Steady(ago).String() + ": Gardener checks once a minute"
}

// LongerThanGiven is ForcesNow where the countdown is a guess.
func LongerThanGiven(limit time.Duration) string {
	return "; probably overdue: it has had more than " + text.Span(limit)
}

const NoOrderInPlace = "Gardener selects the nodes of a pool with automatic in-place updates itself: no order can be set"

func PauseDeployment(name string) string {
	return "pause machine deployment " + name + " in the control cluster"
}

func ResumeDeployment(name string) string {
	return "resume machine deployment " + name + " in the control cluster"
}

func ForceMachine(name string) string { return "force machine " + name + " in the control cluster" }

func PrioritizeMachine(name string, priority int) string {
	return fmt.Sprintf("give machine %s the deletion priority %d in the control cluster", name, priority)
}

// ChangeShootBack says how an update of Gardener's is undone.
const ChangeShootBack = "change the Shoot back; a Kubernetes version cannot be lowered"

// OthersOfZone are the machines before or after which one goes.
const OthersOfZone = "the others of its zone"

// MachinePhase says in which phase a Machine is.
func MachinePhase(machine, phase string) string { return "Machine " + machine + " is " + phase }

// ShootCannotBeRead and those below say what shows that Gardener is not done with a pool.
func ShootCannotBeRead(why string) string { return "the Shoot cannot be read: " + why }

func GenerationNotStarted(shoot string, generation, observed int64) string {
	return fmt.Sprintf("Gardener has not started generation %d of Shoot %s (observed: %d)", generation, shoot, observed)
}

func NoOperation(shoot string) string { return "Shoot " + shoot + " has no operation yet" }

func OperationIs(shoot, operation, state string, percent int) string {
	return fmt.Sprintf("the last operation of Shoot %s, %s, is %s (%d %%)", shoot, operation, state, percent)
}

func PendingInPlace(pool string) string {
	return "the Shoot lists pool " + pool + " as pending an in-place update"
}

func PendingRollout(pool string) string {
	return "the Shoot lists pool " + pool + " as pending a rollout"
}

// HashTellsNothing says why the hash of a pool's nodes is no help.
func HashTellsNothing(why string) string {
	return "whether the nodes are up to date, their hash does not tell: " + why
}

// HashMissing says that nodes of a pool do not carry the label that has the hash.
func HashMissing(nodes []string, pool, label string) string {
	return fmt.Sprintf("%s of pool %s (%s) without the label %s, whose hash proves that a node is up to date", text.Plural(len(nodes), "node"), pool, text.Some(nodes), label)
}

// ProvedWithoutHash says at the end of a run what proves that a pool is up to date in the place
// of its nodes' hash: the Machines, or the Shoot's status alone.
func ProvedWithoutHash(why string, machines bool) string {
	by := "the Shoot's status, which says that Gardener has finished the current generation"
	if machines {
		by = "the Machines, all of the newest machine set, and the machine deployments, which are complete"
	}
	return "the update is proved by " + by + "; the hash of the nodes does not tell: " + why
}

// HashBehind says that nodes of a pool do not carry the hash that is asked for: by the Shoot, or
// as its newest node has it. waits adds what they wait for, "" where that is not known.
func HashBehind(nodes []string, pool string, byShoot bool, waits string) string {
	asks := "its newest node shows"
	if byShoot {
		asks = "the Shoot asks"
	}
	is := "are"
	if len(nodes) == 1 {
		is = "is"
	}
	s := fmt.Sprintf("%s of pool %s %s not made as %s (%s)", text.Plural(len(nodes), "node"), pool, is, asks, text.Some(nodes))
	if waits != "" {
		s += "; " + waits
	}
	return s
}

// WaitsForWindow says when a change is rolled out that is kept for the maintenance time window;
// zero times where that is not known.
func WaitsForWindow(opens, closes time.Time) string {
	return "the change waits for the maintenance time window" + window(opens, closes)
}

func window(opens, closes time.Time) string {
	if opens.IsZero() {
		return ""
	}
	return fmt.Sprintf(", %s to %s", clock(opens), clock(closes))
}

func NoDeployment(namespace, pool string) string {
	return fmt.Sprintf("namespace %s of the control cluster has no machine deployment of pool %s", namespace, pool)
}

// Deployment is what keeps a machine deployment from being complete.
type Deployment struct {
	Name                               string
	Updated, Available, Total, Desired int
	Preserved                          int
	// Unobserved is the generation that its controller has not seen, 0 for none.
	Unobserved     int64
	Paused, Frozen bool
}

func (d Deployment) Incomplete() string {
	s := fmt.Sprintf("machine deployment %s has %d of %d machines updated, %d available, %d in total", d.Name, d.Updated, d.Desired, d.Available, d.Total)
	var also []string
	if d.Preserved > 0 {
		also = append(also, fmt.Sprintf("%d preserved though failed", d.Preserved))
	}
	if d.Unobserved > 0 {
		also = append(also, fmt.Sprintf("its generation %d is not observed yet", d.Unobserved))
	}
	if d.Paused {
		also = append(also, "it is paused")
	}
	if d.Frozen {
		also = append(also, "it is frozen")
	}
	if len(also) > 0 {
		s += " (" + strings.Join(also, ", ") + ")"
	}
	return s
}

// UnseenWithoutBoth and those below say which update cannot be seen, and why.
const (
	UnseenWithoutBoth  = "neither the Shoot (--garden-kubeconfig, --shoot) nor the control cluster (--control-kubeconfig, --control-namespace) is read: an update that Gardener has not started is not visible"
	UnseenWithoutHash  = "Gardener has finished, and no node has the hash that the Shoot comes to: whether the nodes are up to date only the Machines tell (--control-kubeconfig, --control-namespace)"
	UnseenWithoutShoot = "the Shoot is not read (--garden-kubeconfig, --shoot): a change that has not reached the machine deployments is not visible"
)

// UnseenBeforeMaintenance is that of a Shoot whose changes are kept for the maintenance time window;
// zero times where that is not known.
func UnseenBeforeMaintenance(opens, closes time.Time) string {
	return "changes of the Shoot wait for its maintenance time window" + window(opens, closes) + " (confineSpecUpdateRollout): one that is not in the hash of the nodes is not visible before"
}

// VolumesLeave is added to what is said of a node that drains: how many pods with volumes it
// has, one of which leaves after the other, whether the only one is on its way, and the
// VolumeWait of all.
func VolumesLeave(pods int, going bool, wait string) string {
	switch {
	case pods == 1 && going:
		return "; the last pod with a volume is terminating: " + wait
	case pods == 1:
		return "; 1 pod with a volume is left: " + wait
	}
	return fmt.Sprintf("; %d pods with volumes leave one after another: %s", pods, wait)
}

// VolumeWait is how long pods with volumes take at most: all of them, each until its volume is
// off the node, and from then on until it is attached elsewhere.
func VolumeWait(pods int, all, off, attached time.Duration) string {
	each := ""
	if pods > 1 {
		each = " each"
	}
	return fmt.Sprintf("%s at most, up to %s%s until the volume is detached and up to %s until it is attached elsewhere, which is not visible here", text.Span(all), text.Span(off), each, text.Span(attached))
}
