package record

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Amount is a number of nodes or a share of a group, as users write it: 3 or 25%.
type Amount struct {
	N       int  `json:"n"`
	Percent bool `json:"percent,omitempty"`
}

// ParseAmount reads "3" or "25%".
func ParseAmount(s string) (Amount, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || percent && n > 100 {
		return Amount{}, fmt.Errorf("%q is neither a number of nodes nor a percentage (examples: 3, 25%%)", s)
	}
	return Amount{N: n, Percent: percent}, nil
}

// String is the form that ParseAmount reads.
func (a Amount) String() string {
	if a.Percent {
		return strconv.Itoa(a.N) + "%"
	}
	return strconv.Itoa(a.N)
}

// Of resolves the amount for a group of size nodes; a share is rounded up or down.
func (a Amount) Of(size int, up bool) int {
	if !a.Percent {
		return a.N
	}
	share := float64(size) * float64(a.N) / 100
	if up {
		return int(math.Ceil(share))
	}
	return int(math.Floor(share))
}

// Approval says what has to be approved.
type Approval string

// Approvals.
const (
	ApproveBatch  Approval = "batch"
	ApproveCanary Approval = "canary"
	ApprovePhase  Approval = "phase"
	ApproveNone   Approval = "none"
)

// TimeoutPolicy says what happens to a node whose drain has used up its time.
type TimeoutPolicy string

// Timeout policies.
const (
	TimeoutFail  TimeoutPolicy = "fail"
	TimeoutSkip  TimeoutPolicy = "skip"
	TimeoutForce TimeoutPolicy = "force"
	TimeoutWait  TimeoutPolicy = "wait"
)

// UnreachablePolicy says what happens to a node whose kubelet is not heard from.
type UnreachablePolicy string

// Unreachable policies.
const (
	UnreachableWait      UnreachablePolicy = "wait"      // it is drained like any other, last
	UnreachableTerminate UnreachablePolicy = "terminate" // its machine is ended with the pods on it
	UnreachableFail      UnreachablePolicy = "fail"      // it counts as a failed node
)

// SurgeRule says how many nodes more EKS's rules launch.
type SurgeRule string

// Surge rules.
const (
	SurgeEKS    SurgeRule = ""       // EKS's own number
	SurgeFit    SurgeRule = "fit"    // as many as the pods of the nodes that go at once need beside the room of others
	SurgeAmount SurgeRule = "amount" // MaxSurge
)

// ParseSurge reads the surge of EKS's rules: eks, fit, or an amount.
func ParseSurge(s string) (SurgeRule, Amount, error) {
	switch strings.TrimSpace(s) {
	case surgeEKS:
		return SurgeEKS, Amount{}, nil
	case string(SurgeFit):
		return SurgeFit, Amount{}, nil
	}
	a, err := ParseAmount(s)
	return SurgeAmount, a, err
}

// surgeEKS is how SurgeEKS is written.
const surgeEKS = "eks"

// SurgeText is the form of a surge that ParseSurge reads.
func (s Settings) SurgeText() string {
	switch s.Surge {
	case SurgeEKS:
		return surgeEKS
	case SurgeAmount:
		return s.MaxSurge.String()
	}
	return string(s.Surge)
}

// Order is a way to order the nodes of a run. Several are tried in turn until one
// tells two nodes apart; the run's seed decides last.
type Order string

// Orders.
const (
	OrderRandom         Order = "random"
	OrderOldest         Order = "oldest"          // the node that was made first goes first
	OrderNewest         Order = "newest"          // the node that was made last goes first
	OrderName           Order = "name"            // by the node's name
	OrderFewestBlockers Order = "fewest-blockers" // by foreseen blockers, then by pods to move
	OrderApart          Order = "apart"           // nodes that go together share as few PDBs as possible
)

// Settings are the numbers of a run. A strategy's Defaults fills what the user
// left at the zero value; Origin says where each came from.
type Settings struct {
	// MaxUnavailable is how many nodes may be out of service at once.
	MaxUnavailable Amount `json:"maxUnavailable"`
	// Approve says what the operator is asked; BatchSize is how many nodes are
	// approved together (0: as many as may be out of service at once).
	Approve   Approval `json:"approve"`
	BatchSize int      `json:"batchSize,omitempty"`

	// CanaryWatch is how long the nodes that replace the canary must be Ready, with
	// no pod crash-looping only there, before the other nodes may follow.
	CanaryWatch time.Duration `json:"canaryWatch,omitempty"`
	// Order in which the nodes of a zone go; none means random.
	Order []Order `json:"order,omitempty"`
	// Until is when the run is to be over: what cannot end by then is not started.
	Until time.Time `json:"until,omitzero"`

	// MaxFailedNodes is how many nodes may fail before the run does.
	MaxFailedNodes int `json:"maxFailedNodes,omitempty"`
	// Unreachable is what happens to nodes that have not been heard from for
	// UnreachableAfter.
	Unreachable      UnreachablePolicy `json:"unreachable,omitempty"`
	UnreachableAfter time.Duration     `json:"unreachableAfter,omitempty"`

	// DrainTimeout is the usable time a node has to lose its pods; OnDrainTimeout
	// what happens then. ForcedBy names who asked for force beforehand.
	DrainTimeout   time.Duration `json:"drainTimeout"`
	OnDrainTimeout TimeoutPolicy `json:"onDrainTimeout"`
	ForcedBy       string        `json:"forcedBy,omitempty"`
	// Settle is the wait between an empty node and its termination.
	Settle time.Duration `json:"settle"`
	// NodeReadyTimeout is the usable time new nodes have to be there and Ready.
	NodeReadyTimeout time.Duration `json:"nodeReadyTimeout"`
	// TerminateTimeout is how long a machine may take to go before the run fails.
	TerminateTimeout time.Duration `json:"terminateTimeout"`

	// Unmanaged and EmptyDir are kubectl drain's consents: pods that nobody puts
	// back, and pods that lose data, may be evicted.
	Unmanaged bool `json:"unmanaged,omitempty"`
	EmptyDir  bool `json:"emptyDir,omitempty"`

	// EvictionRetry is the fallback pause before a blocked eviction is tried
	// again; a budget that opens is acted on at once.
	EvictionRetry time.Duration `json:"evictionRetry"`
	// EvictionsAtOnce caps the evictions under way in the whole run.
	EvictionsAtOnce int `json:"evictionsAtOnce"`
	// PendingLimit is how long a pod that stands in for an evicted one may be
	// Pending before no new drain starts; after GatePause of waiting at that (or
	// any) gate the run pauses itself.
	PendingLimit time.Duration `json:"pendingLimit"`
	GatePause    time.Duration `json:"gatePause"`

	// ClusterMaxAge and CloudMaxAge are how old a source may be to act on it.
	ClusterMaxAge time.Duration `json:"clusterMaxAge"`
	CloudMaxAge   time.Duration `json:"cloudMaxAge"`

	// BeforeNode and AfterNode are how long the hooks before a node's drain, and those
	// after its machine is gone, may take together; 0: there are none. What they run is
	// configured where the run is driven.
	BeforeNode time.Duration `json:"beforeNode,omitempty"`
	AfterNode  time.Duration `json:"afterNode,omitempty"`

	// MaxSurge is how many nodes more there may be for a while, where the strategy lets it
	// be chosen. By EKS's rules it applies with SurgeAmount only.
	MaxSurge Amount `json:"maxSurge,omitzero"`
	// Surge is how many nodes more EKS's rules launch.
	Surge SurgeRule `json:"surge,omitempty"`
	// OnTrouble says what crash-looping replacements do to the waves, where the strategy has any.
	OnTrouble TroublePolicy `json:"onTrouble,omitempty"`
	// Interval is the wait after a termination before the cluster is looked at again.
	Interval time.Duration `json:"interval,omitempty"`
	// ValidateCount is how many looks in a row must find the cluster valid after a
	// termination, ValidatePause the time between two of them, ValidateRetry the one after
	// a look that failed, ValidateTimeout the usable time for all of it.
	ValidateCount   int           `json:"validateCount,omitempty"`
	ValidatePause   time.Duration `json:"validatePause,omitempty"`
	ValidateRetry   time.Duration `json:"validateRetry,omitempty"`
	ValidateTimeout time.Duration `json:"validateTimeout,omitempty"`
	// PassInvalid: a cluster that did not get valid in time does not end the run; PassDrain:
	// nor does a drain that failed, whose machine is ended with the pods on it.
	PassInvalid bool `json:"passInvalid,omitempty"`
	PassDrain   bool `json:"passDrain,omitempty"`
	// KeepOld: nodes are tainted and new ones added, but none is drained and ended
	// (kops: drainAndTerminate false).
	KeepOld bool `json:"keepOld,omitempty"`
	// AllowQuorumLoss: of a control plane of three machines and more fewer than a majority
	// may be left.
	AllowQuorumLoss bool `json:"allowQuorumLoss,omitempty"`
	// DeregisterLimit bounds the time a node has to leave the load balancers of its group.
	DeregisterLimit time.Duration `json:"deregisterLimit,omitempty"`
	// CloudOnly: the Kubernetes API is not used at all: nothing is drained, nothing validated.
	// CloudOnlyBy names who asked for it beforehand: pods die with their machines by this order.
	CloudOnly   bool   `json:"cloudOnly,omitempty"`
	CloudOnlyBy string `json:"cloudOnlyBy,omitempty"`

	// EvictRetries is how often an eviction that a budget refuses is tried, EvictionRetry
	// apart, before OnDrainTimeout says what becomes of the pod, where that is force: it is
	// deleted past the budget. No more than fit into DrainTimeout; 0: only DrainTimeout counts.
	EvictRetries int `json:"evictRetries,omitempty"`
	// MisconfiguredRetry is the pause before a pod is tried again whose budget allows nothing
	// with all its pods healthy; such tries do not count among EvictRetries. 0: they do.
	MisconfiguredRetry time.Duration `json:"misconfiguredRetry,omitempty"`
	// VolumesInTurn: the pods of a node that use persistent volumes leave one after the other.
	VolumesInTurn bool `json:"volumesInTurn,omitempty"`
	// Singles: a Deployment of one replica gets a second one for a while, where its PDB keeps its pod on a node.
	Singles bool `json:"singles,omitempty"`
	// RetireSurge: a run that fails retires what is left of its surge before it ends.
	RetireSurge bool `json:"retireSurge,omitempty"`
	// HealthTimeout is the usable time in which a new node that is not healthy may get so
	// again before its machine is given up and replaced, 0 for any: one that is not Ready, or
	// that has one of NodeConditions.
	HealthTimeout  time.Duration `json:"healthTimeout,omitempty"`
	NodeConditions []string      `json:"nodeConditions,omitempty"`
	// HealthInTurn: a machine is given up only while all others of its zone run.
	HealthInTurn bool `json:"healthInTurn,omitempty"`
	// WaitForStart is the usable time in which a group's own controller has to start what is
	// asked of it, and to complete it when no node is left to do; then the run pauses itself.
	WaitForStart time.Duration `json:"waitForStart,omitempty"`
	// Pace is how many nodes a group's own controller is to replace at once while the run lasts;
	// nil: as many as its owner has set.
	Pace *world.Pace `json:"pace,omitempty"`
	// UpdateTimeout is the usable time that an update in place may take.
	UpdateTimeout time.Duration `json:"updateTimeout,omitempty"`

	// NewLabels must be on a new node before it counts.
	NewLabels map[string]string `json:"newLabels,omitempty"`

	// Origin says where a setting came from: "flag" or a sentence on the default.
	Origin map[string]string `json:"origin,omitempty"`
}

// Common are the defaults that no strategy has an opinion on.
func Common() Settings {
	return Settings{
		Approve:          ApproveBatch,
		CanaryWatch:      2 * time.Minute,
		Unreachable:      UnreachableWait,
		UnreachableAfter: 5 * time.Minute,
		OnDrainTimeout:   TimeoutFail,
		NodeReadyTimeout: 15 * time.Minute,
		TerminateTimeout: 15 * time.Minute,
		EvictionRetry:    5 * time.Second,
		EvictionsAtOnce:  50,
		PendingLimit:     5 * time.Minute,
		GatePause:        30 * time.Minute,
		ClusterMaxAge:    15 * time.Second,
		CloudMaxAge:      60 * time.Second,
	}
}

// Validates reports whether there is a time for the cluster to prove valid.
func (k Settings) Validates() bool { return k.ValidateTimeout > 0 }

// DrainTime is the usable time that a node has to lose its pods.
func (k Settings) DrainTime(n Node) time.Duration { return k.DrainTimeout + n.Extended }

// Some systems try an eviction that a budget refuses so many times only, and then delete
// the pod past the budget (machine-controller-manager, pkg/util/provider/drain/drain.go,
// evictPodsWithoutPv and its maxEvictRetries). Here that takes a force order as any
// other delete does, which OnDrainTimeout gives for the whole run.

// Retries is how often an eviction is tried before its pod is deleted, 0 for any number:
// no more than the drain has time for.
func (k *Settings) Retries() int {
	if k.EvictRetries <= 0 || k.OnDrainTimeout != TimeoutForce || k.EvictionRetry <= 0 {
		return 0
	}
	return max(1, min(k.EvictRetries, int(k.DrainTimeout/k.EvictionRetry)))
}

// TroublePolicy says what becomes of a run whose moved pods crash-loop.
type TroublePolicy string

// Trouble policies.
const (
	TroubleHold  TroublePolicy = "hold"  // no further drain starts until it is over, and the waves grow no more
	TroublePause TroublePolicy = "pause" // the run pauses itself
)
