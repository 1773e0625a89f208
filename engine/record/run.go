package record

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// RecordVersion is the version of the run record's form.
const RecordVersion = 1

// State is where a run stands.
type State string

// States.
const (
	Planned  State = "planned"
	Running  State = "running"
	Paused   State = "paused"
	Ending   State = "ending"   // aborted or failed: finishing or putting back what is in flight
	Finished State = "finished" // nothing more will happen
)

// Stage is where one node stands.
type Stage string

// Stages.
const (
	Outdated    Stage = "outdated"
	Queued      Stage = "queued"
	Draining    Stage = "draining"
	Settling    Stage = "settling"
	Terminating Stage = "terminating"
	Replaced    Stage = "replaced"
	Launching   Stage = "launching"
	Ready       Stage = "ready"
	Surplus     Stage = "surplus"
	Updating    Stage = "updating"
	Unreachable Stage = "unreachable"
	NodeFail    Stage = "failed"
	Skipped     Stage = "skipped"
)

// Stages are all stages of a node.
var Stages = []Stage{Outdated, Queued, Draining, Settling, Terminating, Replaced, Launching, Ready, Surplus, Updating, Unreachable, NodeFail, Skipped}

// Stuck is since when pods are kept on a node that a controller drains, zero while none is, and
// whether that was told.
type Stuck struct {
	Since    time.Time `json:"since,omitzero"`
	Reported bool      `json:"told,omitempty"`
}

// Run is one upgrade of one group: a plain value, complete in JSON, that says
// what cannot be read from the world.
type Run struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	Cluster string `json:"cluster,omitempty"`
	Group   string `json:"group"`
	// Alias is what people call the group, "" where that is its name (kops: the name of the
	// instance group).
	Alias    string `json:"alias,omitempty"`
	Provider string `json:"provider"`
	// GroupID tells the group from another one that has its name later (AWS: its ARN).
	GroupID  string `json:"groupID,omitempty"`
	Strategy string `json:"strategy"`
	// Seed makes the run's random choices: a plan's order is the run's order.
	Seed     uint64   `json:"seed"`
	Settings Settings `json:"settings"`
	// Roll is the id of the roll that it belongs to, "" for a run of its own.
	Roll string `json:"roll,omitempty"`
	// By says who started it: user and host.
	By    string `json:"by,omitempty"`
	State State  `json:"state"`
	// Result is set when the run begins to end.
	Result Result `json:"result,omitempty"`
	// Why says in a sentence or two how the run came to its result or pause.
	Why string `json:"why,omitempty"`
	// Foreseen is how its driver foresaw last that it will end, nil before it has.
	Foreseen *Foreseen `json:"foreseen,omitempty"`
	// BlockingPods are the pods that kept a node when the run failed, a line each.
	BlockingPods []string `json:"culprits,omitempty"`
	// Unrestored lists what was not restored, each with the command that would.
	Unrestored []string `json:"left,omitempty"`
	// Notes are documented exceptions and things the operator should know at the end.
	Notes []string `json:"notes,omitempty"`

	Started  time.Time `json:"started,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
	// Seen is the last moment the run was decided on, Blind the sources that were
	// stale then; Gap is the end of the last stretch in which it could not see or
	// act. No deadline fires before a full attempt after Gap.
	Seen  time.Time      `json:"seen,omitzero"`
	Blind []world.Source `json:"blind,omitempty"`
	Gap   time.Time      `json:"gap,omitzero"`
	// Blindness is for how long the cluster has not been seen since the run ended a machine,
	// nil while it is seen, or no proof is owed that it is valid.
	Blindness *Blindness `json:"blindness,omitempty"`

	Phases []Phase `json:"phases"`
	// PhaseWait is the current phase's own deadline, nil when it has none.
	PhaseWait *Wait  `json:"phaseWait,omitempty"`
	Target    Target `json:"target"`
	// Base are the group's sizes before we touched them, without what earlier runs have left
	// of theirs (Inherited); BaseTemplate(Spec) is what it launched from.
	Base             world.Sizes    `json:"base"`
	BaseTemplate     world.Template `json:"baseTemplate"`
	BaseTemplateSpec string         `json:"baseTemplateSpec"`
	// Mixed: the group has a mixed instances policy.
	Mixed bool `json:"mixed,omitempty"`
	// Balancers of the group, as they were when a machine was last taken out of them.
	Balancers []string `json:"balancers,omitempty"`
	// Limit is how many nodes may be out of service at once: MaxUnavailable resolved for this
	// group, and what it surges by where the strategy counts that in.
	Limit int `json:"limit"`
	// Zones are how many machines each zone had when the run began, where the strategy rolls
	// the zones by themselves.
	Zones map[string]int `json:"zones,omitempty"`
	// Surges is how many machines may be outside their group while others stand in for them.
	Surges int `json:"surges,omitempty"`
	// Inherited is the raise that earlier runs have left, and that this one takes back; nil
	// for none.
	Inherited *Raise `json:"inherited,omitempty"`
	// Others is by how much others have changed the desired size since Base was read. It is a
	// part of what the group returns to.
	Others int `json:"others,omitempty"`
	// Raise is how much max and desired are raised, what is inherited included (recorded
	// before it is asked for); Lowered by how much of it the desired size was lowered again.
	Raise   int `json:"raise,omitempty"`
	Lowered int `json:"lowered,omitempty"`
	// RaisedFor is the Limit that Raise was worked out for.
	RaisedFor int `json:"raisedFor,omitempty"`
	// RaisedFrom are the sizes that the raise was asked for from, and RaisedAt is when: zero
	// before.
	RaisedFrom world.Sizes `json:"raisedFrom,omitzero"`
	RaisedAt   time.Time   `json:"raisedAt,omitzero"`
	// Doubted is how many of these may have taken nothing down: the machine was
	// ending already when it was asked for, through another controller or a user as a rule, or by
	// a request of ours whose answer was lost.
	Doubted int `json:"doubted,omitempty"`
	// DoubtedAt is when the last of them was looked up: sizes read before that settle nothing.
	DoubtedAt time.Time `json:"doubtedAt,omitzero"`
	// MaxSet is the maximum size that we asked for last, and MaxBefore the one before: it holds
	// again where a higher one, of the raise or for a machine by name, is refused.
	MaxSet    int `json:"maxSet,omitempty"`
	MaxBefore int `json:"maxBefore,omitempty"`
	// Retire: what is left of the surge is retired before the run, which ends early, ends.
	Retire bool `json:"retire,omitempty"`
	// RaiseUnsure: the answer to the raise was lost, so it may have happened.
	RaiseUnsure bool `json:"raiseUnsure,omitempty"`
	// Doubtful is how much of the desired size may be of a raise of ours whose answer was lost,
	// before others changed the sizes and the raise was asked for once more.
	Doubtful int `json:"doubtful,omitempty"`
	// Raised: the raise is known to have happened.
	Raised bool `json:"raised,omitempty"`
	// AskedZones are the zones a machine was asked for by name, each of which
	// raises the desired size by one more.
	AskedZones []string `json:"askedZones,omitempty"`
	// Forgone is how many machines of the raise the group had not launched when the drains
	// began; less by those that it has launched since.
	Forgone int `json:"forgone,omitempty"`
	// LaunchFailed is the failed launch that was reported last.
	LaunchFailed string `json:"launchFailed,omitempty"`
	// Lowering is how far a run that ends is with the desired size that no machines stand for,
	// nil before.
	Lowering *Lowering `json:"lowering,omitempty"`
	// Foreign is why the run stopped taking its raise back: others raised the group meanwhile.
	Foreign string `json:"foreign,omitempty"`
	// RaiseLeft is what was left of the raise when the run ended, nil for nothing.
	RaiseLeft *Raise `json:"raiseLeft,omitempty"`
	// ExternalMovers are those who else move nodes of the group, or may, as they were last seen.
	ExternalMovers []ExternalMover `json:"rivals,omitempty"`
	// Deferrals are the nodes that others take out of service, by machine and who does.
	Deferrals map[string]Deferral `json:"yields,omitempty"`
	// Suspended are processes of the group that we suspended.
	Suspended []string `json:"suspended,omitempty"`

	// External is what others do with a group that no run is under way in, or that its own
	// controller rolls; nil in other runs.
	External *ExternalActivity `json:"-"`
	// PausedDeployments are the parts of a group that the run has had its controller pause, and HeldIn
	// is the namespace in the control cluster that they are in, and the Machines whose deletion
	// priority it has changed.
	PausedDeployments []string `json:"held,omitempty"`
	PausedIn          string   `json:"heldIn,omitempty"`
	// PausedExternally: the run is paused because another controller or a user has paused parts of the group, and
	// continues when he lets them continue.
	PausedExternally bool `json:"theirs,omitempty"`
	// Pace is the pace of the group's own controller that the run has set, nil while it has set
	// none, or has restored it.
	Pace *HeldPace `json:"pace,omitempty"`
	// PaceOver: the run sets no pace any more: it has restored it, or another user has changed it.
	PaceOver bool `json:"paceOver,omitempty"`
	// UpdateConfig is the update configuration that the run has set in a managed node group, nil while it has set none, or
	// has restored it. In a run that has ended it is what the next one restores.
	UpdateConfig *HeldConfig `json:"updateConfig,omitempty"`
	// FailedUpdates are those of EKS's after which the run has asked for another one.
	FailedUpdates []FailedUpdate `json:"failedUpdates,omitempty"`
	// FailedUpdate is the one after which the run is paused until a user has it start again, or ends the run; nil for none.
	FailedUpdate *FailedUpdate `json:"failedUpdate,omitempty"`
	// Update is the controller's own name for what is followed, "" where it has none; Candidates
	// are the nodes, by name, of which it is at one at least, as far as can be told. Where it is known to be
	// at others, it may be at up to MoreDrains of them.
	Update     string   `json:"update,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
	MoreDrains int      `json:"moreDrains,omitempty"`
	// Awaits is what the run waits for before it can end, or before there is anything to do:
	// that its own controller completes the group. nil while it does not.
	Awaits *Awaits `json:"awaits,omitempty"`
	// Begun: the controller began while the run waited for what nothing showed to be due, so that
	// its end proves that all is done.
	Begun bool `json:"begun,omitempty"`

	// Nodes are the machines the run has an opinion on, by machine id.
	Nodes shards.Map[Node] `json:"nodes"`
	// Order lists the outdated machines in the order in which they will go.
	Order []string `json:"order,omitempty"`
	// Batches approved or waiting; the last one may be waiting.
	Batches []Batch `json:"batches,omitempty"`
	// Pods we tried to evict from nodes that drain, by UID.
	Pods shards.Map[Pod] `json:"pods,omitzero"`
	// Marks are what we put on nodes, by machine id; the lists are replaced, never changed.
	Marks map[string][]Mark `json:"marks,omitempty"`
	// Pending are the actions under way or not yet seen, by key.
	Pending map[string]Pending `json:"pending,omitempty"`
	// Takeover is what the process that continues with the run looks up first; nil when all is known.
	Takeover *Takeover `json:"adopted,omitempty"`
	// Retries are the pauses before an action that was refused may be asked again.
	Retries map[string]Retry `json:"retries,omitempty"`
	// Evicted are the owners (by UID) of pods we evicted, so that replacements that
	// find no room are recognised.
	Evicted map[string]bool `json:"evicted,omitempty"`
	// Workloads are those whose pods were moved, by their owner's UID, at most MostWorkloads; how
	// they stand is as of WorkloadsSeen. Leaving are the pods, by UID, that another controller
	// moves, were counted and are still there.
	Workloads     map[string]Workload `json:"workloads,omitempty"`
	WorkloadsSeen time.Time           `json:"workloadsSeen,omitzero"`
	Leaving       map[string]bool     `json:"leaving,omitempty"`
	// Kept are the pods, by UID, that budgets keep on nodes which the group's own controller
	// drains; Passed is how many of those it has removed past their budgets.
	// Watched is how fresh the cluster was when Kept was brought up to date, zero where another
	// process has done that.
	Kept    map[string]KeptPod `json:"kept,omitempty"`
	Watched time.Time          `json:"watched,omitzero"`
	Passed  Passed             `json:"passed,omitzero"`
	// Singles are the Deployments of one replica that got a second one for a while, or were left alone, by the UID of
	// the ReplicaSet.
	Singles map[string]Single `json:"singles,omitempty"`
	// Orders are the force orders, by id.
	Orders []ForceOrder `json:"orders,omitempty"`
	// PendingHooks are the nodes that are gone and whose hooks are yet to run.
	PendingHooks []Gone `json:"owed,omitempty"`
	// Wave is how many nodes begin at a time for now; nil where the strategy does not grow, and before
	// the first one.
	Wave *Wave `json:"wave,omitempty"`
	// Canary is the watch over what replaced the canary; nil before it begins.
	Canary *Canary `json:"canary,omitempty"`
	// HandledCommands are the commands from elsewhere that were obeyed, as long as they could be
	// heard again.
	HandledCommands []Ack `json:"taken,omitempty"`
	// NodeTime is the longest time a node took so far, from the start of its drain
	// until its machine was gone.
	NodeTime time.Duration `json:"nodeTime,omitempty"`
	// HookTime is the longest time that the hooks before a node took so far.
	HookTime time.Duration `json:"hookTime,omitempty"`
	// Measured are durations that the run has seen, and Earlier those that the group's runs before it
	// have: what is foreseen rests on them.
	Measured Measured `json:"measured,omitempty"`
	Earlier  Measured `json:"earlier,omitempty"`
	// Validation is the one under way or the last one, nil before the first.
	Validation *Validation `json:"validation,omitempty"`
	// ValidatedOnce: a machine of the target's template was there when the run began, or the
	// cluster has proved valid since with one. Before, one node goes alone.
	ValidatedOnce bool `json:"proven,omitempty"`
	// ValidationTime is the longest time that it took the cluster to prove valid after the end
	// of a machine.
	ValidationTime time.Duration `json:"proofTime,omitempty"`
	// GateSince is since when the replacements gate has been shut, and Gate why.
	GateSince time.Time `json:"gateSince,omitzero"`
	Gate      string    `json:"gate,omitempty"`
}

// Target is what the nodes are to become.
type Target struct {
	// Templates are what an up-to-date machine was launched from; the first is the
	// group's, the others those of mixed-instances overrides.
	Templates []world.Template `json:"templates,omitempty"`
	// Image asks for a new template version with this image.
	Image string `json:"image,omitempty"`
	// Update is what EKS is asked to update a managed node group to, nil in other runs and where EKS's update is
	// only followed.
	Update *UpdateRequest `json:"update,omitempty"`
	// All: also nodes that are up to date.
	All bool `json:"all,omitempty"`
	// Only are the node names to which the run is limited; none means all.
	Only []string `json:"only,omitempty"`
}

// Phase is a named part of a run.
type Phase struct {
	Name  string    `json:"name"`
	Start time.Time `json:"start,omitzero"`
	End   time.Time `json:"end,omitzero"`
}

// Node is what the run knows of a machine and its node beyond the world.
type Node struct {
	Name  string    `json:"name"`
	Zone  string    `json:"zone,omitempty"`
	Stage Stage     `json:"stage"`
	Since time.Time `json:"since"`
	// Old is the kubelet's version at the start.
	Old string `json:"old,omitempty"`
	// Was is the template that an outdated machine was launched from.
	Was world.Template `json:"was,omitzero"`
	// New machines are of the target's template.
	New bool `json:"new,omitempty"`
	// Late: its group launched it from an old template while the run was under way.
	Late bool `json:"late,omitempty"`
	// Batch is the approved batch the node belongs to, 0 for none.
	Batch int `json:"batch,omitempty"`
	// Wait is the countdown that applies now.
	Wait *Wait `json:"wait,omitempty"`
	// Began is when its drain began (first, if it drained again), later by the time for
	// which the run was stopped and held it.
	Began time.Time `json:"began,omitzero"`
	// Wave is the number of the wave in which it began, 0 where nodes begin in none.
	Wave int `json:"wave,omitempty"`
	// Pods is how many pods had to leave when the drain began.
	Pods int `json:"pods,omitempty"`
	// Empty is when a consistent read, taken while the node was cordoned, last
	// showed no pod that had to leave; zero once it was uncordoned since.
	Empty time.Time `json:"empty,omitzero"`
	// Tried is when an eviction was first attempted here since the run's last Gap.
	Tried time.Time `json:"tried,omitzero"`
	// Routes are what still routed to it when it was last looked, while it settles, and Routed what did at
	// the first look; LookedAt is when that was last. Unrouted: nothing does any more.
	Routes   []string  `json:"routes,omitempty"`
	Routed   []string  `json:"routed,omitempty"`
	LookedAt time.Time `json:"lookedAt,omitzero"`
	Unrouted bool      `json:"unrouted,omitempty"`
	// Order is the force order that covers the node, "" for none.
	Order string `json:"order,omitempty"`
	// Decrement: its termination takes the group's size down.
	Decrement bool `json:"decrement,omitempty"`
	// Blocked: it was reported as blocked.
	Blocked bool `json:"blocked,omitempty"`
	// Extended is by how much its drain deadline was moved, by commands and force orders.
	Extended time.Duration `json:"extended,omitempty"`
	// LetGo is when the hooks before its drain last let it go, zero if they have not.
	LetGo time.Time `json:"letGo,omitzero"`
	// Missing is since when the group has not listed the machine: one read that
	// lags must not pass for its end.
	Missing time.Time `json:"missing,omitzero"`
	// Unfit says why a machine was given up, new or after an update in place that failed, ""
	// for one that was not: it is ended, and its group launches another one.
	Unfit string `json:"unfit,omitempty"`
	// Stuck: pods are kept on a node that a controller drains.
	Stuck Stuck `json:"stuck,omitzero"`
	// Reason says why it was skipped or failed.
	Reason string `json:"reason,omitempty"`
	// Result is what a failed node makes of the run, and Culprits are the pods that kept it.
	Result       Result   `json:"result,omitempty"`
	BlockingPods []string `json:"culprits,omitempty"`
	// Ends: its machine was seen on its way out, or the group said that it ends it.
	Ends bool `json:"ends,omitempty"`
	// Lost: the policy for unreachable nodes lets it go with the pods on it.
	Lost bool `json:"lost,omitempty"`
	// Findings are what the cloud says of a machine that did not get Ready.
	Findings []string `json:"findings,omitempty"`
	// Isolated: it is cordoned and out of its load balancers, as its strategy wants before the
	// first eviction. OffBalancers: it was taken out of them, and nothing puts it back.
	Isolated     bool `json:"apart,omitempty"`
	OffBalancers bool `json:"offBalancers,omitempty"`
	// Turn is the deletion priority that its Machine had before the run gave it another, 0 if
	// it gave none.
	Turn int `json:"turn,omitempty"`
	// Detached: its machine is out of its group, which does not replace it.
	Detached bool `json:"detached,omitempty"`
	// PendingValidation is since when a proof is owed that the cluster is valid without it: its
	// machine was ended, or detached, then. Zero once there is one, or where none is asked for.
	PendingValidation time.Time `json:"unproven,omitzero"`
	// Validated: its machine was ended, and the cluster has proved valid after that.
	Validated bool `json:"proved,omitempty"`
}

// Same reports whether nothing of a node has changed.
func (n *Node) Same(was *Node) bool {
	return n.values() == was.values() && slices.Equal(n.Routes, was.Routes) && slices.Equal(n.Routed, was.Routed) &&
		slices.Equal(n.BlockingPods, was.BlockingPods) && slices.Equal(n.Findings, was.Findings) && (n.Wait == was.Wait || reflect.DeepEqual(n.Wait, was.Wait))
}

// nodeValues are all of a node that can be compared.
type nodeValues struct {
	name, zone, old, order, unfit, reason                                   string
	stage                                                                   Stage
	result                                                                  Result
	was                                                                     world.Template
	since, began, empty, tried, lookedAt, letGo, missing, pendingValidation time.Time
	stuck                                                                   Stuck
	extended                                                                time.Duration
	batch, wave, pods, turn                                                 int
	isNew, unrouted, decrement, blocked, ends, lost, isolated, offBalancers bool
	detached, validated, late                                               bool
}

func (n *Node) values() nodeValues {
	return nodeValues{
		name: n.Name, zone: n.Zone, old: n.Old, order: n.Order, unfit: n.Unfit, reason: n.Reason, stage: n.Stage, result: n.Result, was: n.Was,
		since: n.Since, began: n.Began, empty: n.Empty, tried: n.Tried, lookedAt: n.LookedAt, letGo: n.LetGo, missing: n.Missing, pendingValidation: n.PendingValidation,
		stuck: n.Stuck, extended: n.Extended, batch: n.Batch, wave: n.Wave, pods: n.Pods, turn: n.Turn,
		isNew: n.New, unrouted: n.Unrouted, decrement: n.Decrement, blocked: n.Blocked, ends: n.Ends, lost: n.Lost, isolated: n.Isolated, offBalancers: n.OffBalancers,
		detached: n.Detached, validated: n.Validated, late: n.Late,
	}
}

// Pod is what the run knows of a pod it tries to evict.
type Pod struct {
	Ref   string `json:"ref"`
	Node  string `json:"node"` // node name
	Owner string `json:"owner,omitempty"`
	Tries int    `json:"tries"`
	// Rounds is how often its budget was found shut when it was due: by its own tries, or
	// by those of other pods of that budget, of which one is tried at a time.
	Rounds int `json:"rounds,omitempty"`
	// Round is when the last of these was counted: no two are closer than the retries.
	Round time.Time `json:"round,omitzero"`
	// First and Last attempt; Next is when the fallback timer tries again.
	First time.Time `json:"first,omitzero"`
	Last  time.Time `json:"last,omitzero"`
	Next  time.Time `json:"next,omitzero"`
	// Evicted is when an eviction was accepted, zero before.
	Evicted time.Time `json:"evicted,omitzero"`
	// Refusal and Message of the last attempt.
	Refusal Refusal `json:"refusal,omitempty"`
	Message string  `json:"message,omitempty"`
	// Budgets that covered it when it was last tried.
	Budgets []string `json:"budgets,omitempty"`
	// Closed: when it was last tried, or since, its budget was seen allowing
	// nothing, so the moment it opens the eviction goes out.
	Closed bool `json:"closed,omitempty"`
	// Forced: a delete for it was accepted; Gone: it left.
	Forced bool      `json:"forced,omitempty"`
	Gone   time.Time `json:"gone,omitzero"`
	// Returns counts pods of the same owner that came back to the node.
	Returns int `json:"returns,omitempty"`
}

// Went is when its eviction or, for a force order, its deletion was accepted, as far as known: from then on it
// stops. Refused attempts before do not count.
func (p Pod) Went() time.Time { return cmp.Or(p.Evicted, p.Last, p.First) }

// KeptPod is a pod that budgets keep on a node which the group's own controller drains.
type KeptPod struct {
	Ref     string `json:"ref"`
	Machine string `json:"machine"`
	Node    string `json:"node"`
	Budget  string `json:"budget"`
	// At is from when on the controller removes it past its budgets, zero while that is not due;
	// By is which program does. Inferred: nothing that is read would say so.
	At       time.Time `json:"at,omitzero"`
	By       string    `json:"by,omitempty"`
	Inferred bool      `json:"inferred,omitempty"`
}

// Passed counts pods that the group's own controller has removed past their budgets.
type Passed struct {
	By string `json:"by,omitempty"`
	// Seen is by what is read of the controller, Inferred without it; Nodes are on how many nodes.
	Seen     int      `json:"seen,omitempty"`
	Inferred int      `json:"inferred,omitempty"`
	Nodes    []string `json:"nodes,omitempty"`
}

// Batch is a list of nodes approved together, or a phase that is.
type Batch struct {
	ID int `json:"id"`
	// Phase is the phase that may begin once this is approved; such a batch has no
	// nodes.
	Phase    string   `json:"phase,omitempty"`
	Machines []string `json:"machines"`
	// Names of its nodes, while it waits.
	Names    []string  `json:"names,omitempty"`
	Hash     string    `json:"hash"`
	Waiting  time.Time `json:"waiting"`
	Approved time.Time `json:"approved,omitzero"`
	By       string    `json:"by,omitempty"`
	// Preview is what approving it would do, while it waits: for those who see the
	// record only.
	Preview BatchPreview `json:"outlook,omitzero"`
}

// WaitsFor is what is waited for while the batch is not approved, as a sentence.
func (b *Batch) WaitsFor() string {
	if b.Phase != "" {
		return text.PhaseWaiting(b.Phase)
	}
	return text.BatchWaiting(b.Names)
}

// Mark is something we put on a node: the action that put it and, in Foreign,
// whether it was there before us (and so is never removed).
type Mark struct {
	Put     Action `json:"put"`
	Foreign bool   `json:"foreign,omitempty"`
}

// Pending is an action that was asked for and whose effect is not seen yet.
type Pending struct {
	Action Action    `json:"action"`
	Asked  time.Time `json:"asked"`
	// Accepted is when the API said yes; its answer is laid over the world from
	// then on, until the watch has caught up.
	Accepted time.Time `json:"accepted,omitzero"`
	// Expires is when a direct read must tell whether it happened.
	Expires time.Time `json:"expires"`
	// Repeated: it was asked for before, and nobody knows what came of that.
	Repeated bool `json:"repeated,omitempty"`
}

// Retry is a pause before an action that was refused is asked again.
type Retry struct {
	Tries int       `json:"tries"`
	Next  time.Time `json:"next"`
	// Denied is how many of the tries were refused for a reason that does not pass by
	// itself; once there is one, Refusal and Message are the last of these, or of a conflict.
	Denied  int     `json:"denied,omitempty"`
	Refusal Refusal `json:"refusal"`
	Message string  `json:"message"`
	// Told is the message that was reported last.
	Told string `json:"told,omitempty"`
}

// ForceOrder allows deletes past the budgets. It is recorded before any delete.
type ForceOrder struct {
	ID string `json:"id"`
	// Machine (and Node, its name) whose pods it covers; UID narrows it to one pod.
	Machine string    `json:"machine"`
	Node    string    `json:"node"`
	UID     string    `json:"uid,omitempty"`
	Pods    []string  `json:"pods,omitempty"` // until the machine is gone
	By      string    `json:"by"`
	At      time.Time `json:"at"`
	Why     string    `json:"why"`
	// Over: the node was left out and returned to since, or is gone; nothing more is
	// deleted by it.
	Over bool `json:"over,omitempty"`
}

// BatchPreview is what approving a batch would do, as far as that can be told.
type BatchPreview struct {
	AsOf time.Time `json:"asOf,omitzero"`
	// Evict is how many pods will have to leave; Ignore how many stay.
	Evict  int `json:"evict,omitempty"`
	Ignore int `json:"ignore,omitempty"`
	// Foreseen are blockers to expect, a sentence each; NotEvaluated says why nothing
	// can be said about them, "" if what is known was judged.
	Foreseen     []string `json:"foreseen,omitempty"`
	NotEvaluated string   `json:"notEvaluated,omitempty"`
}

// NameOf is what a machine is called: by its node, or by its own id.
func NameOf(id string, n Node) string { return cmp.Or(n.Name, id) }

// PhaseRetire is the phase in which a run that has ended early retires its surplus nodes, or
// the only one of a run that does so later.
const PhaseRetire = "retire"

// Retires reports whether the run is retiring surplus nodes.
func (r *Run) Retires() bool {
	n := len(r.Phases)
	return n > 0 && r.Phases[n-1].Name == PhaseRetire && r.Phases[n-1].End.IsZero()
}

// HasBegun reports whether a phase has.
func (r *Run) HasBegun(phase string) bool {
	return slices.ContainsFunc(r.Phases, func(p Phase) bool { return p.Name == phase && !p.Start.IsZero() })
}

// OnlyRetires reports whether the run is one that retires what an earlier run has left.
func (r *Run) OnlyRetires() bool { return len(r.Phases) == 1 && r.Phases[0].Name == PhaseRetire }

// NoRun is the state of a group that no run is under way in, in a snapshot only.
const NoRun State = "no run"

// NotSelected is why a node that --only does not name is skipped.
const NotSelected = "not named by --only"
