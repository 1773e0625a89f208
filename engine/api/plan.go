package api

import "time"

// GroupPlan is what `plan GROUP` and `upgrade GROUP --dry-run` print.
type GroupPlan struct {
	TypeMeta
	GroupPlanFields
}

// GroupPlanFields are what an upgrade of one group would do.
type GroupPlanFields struct {
	Group             string            `json:"group"`                      // Name of the group
	InstanceGroup     string            `json:"instanceGroup,omitempty"`    // The instance group, of groups that kops made
	Role              string            `json:"role,omitempty" enum:"role"` // What its instances do in the cluster
	Strategy          string            `json:"strategy"`                   // The rules by which it would go
	AsOf              time.Time         `json:"asOf"`                       // When the cluster was read
	FromVersion       string            `json:"fromVersion,omitempty"`      // Version of the nodes now, as far as it is known
	ToVersion         string            `json:"toVersion,omitempty"`        // Version that they would get, as far as it is known
	NodesAtOnce       int               `json:"nodesAtOnce"`                // How many nodes may be out of service at once: maxUnavailable resolved
	SurgeNodes        int               `json:"surgeNodes"`                 // How many more nodes there will be for a while
	SurgeReason       string            `json:"surgeReason,omitempty"`      // Why it is that many, with --max-surge fit
	Nodes             []PlannedNode     `json:"nodes"`                      // The nodes, in the order in which they go
	CanaryFirst       bool              `json:"canaryFirst"`                // The first node goes alone, because none is up to date (kops)
	Steps             []string          `json:"steps"`                      // What is done by the rules of kops, a sentence each
	DetachInstances   []string          `json:"detachInstances"`            // IDs of instances that are detached, and replaced before they are drained
	WarmPoolInstances []string          `json:"warmPoolInstances"`          // IDs of outdated instances of the warm pool, which are terminated too
	UnreachableNodes  []string          `json:"unreachableNodes"`           // Nodes without a kubelet heartbeat
	LifecycleHooks    []LifecycleHook   `json:"lifecycleHooks"`             // Lifecycle hooks of the group that hold its instances
	FreeAddresses     map[string]int    `json:"freeAddresses"`              // How many free addresses its subnets have, by zone
	Quota             *Quota            `json:"quota,omitempty"`            // The EC2 quota that the surge of a managed node group counts for, where it was read
	ExternalMovers    []ExternalMover   `json:"externalMovers"`             // Who else moves nodes of the group, or may, and what a run does about it
	ConsentsNeeded    []string          `json:"consentsNeeded"`             // What keeps the run from starting until the user consents, a sentence each
	Warnings          []string          `json:"warnings"`                   // What to know before it starts, a sentence each
	NotEvaluated      []string          `json:"notEvaluated"`               // What the plan says nothing about, and why, a sentence each
	Rights            []Right           `json:"rights"`                     // The IAM rights in the cloud that the run takes, as far as they were checked
	Order             []string          `json:"order" enum:"order"`         // How the nodes are ordered
	Only              []string          `json:"only"`                       // Names of the nodes that the run is confined to; none means all
	Until             time.Time         `json:"until,omitzero"`             // When the run is to be over
	Seed              uint64            `json:"seed"`                       // Seed of what is random
	Settings          Settings          `json:"settings"`                   // Settings of the run
	SettingOrigins    map[string]string `json:"settingOrigins"`             // Where each setting comes from, by its name (order, only, until, seed and strategy are those of the plan, hook those of hooks): flag, or a sentence on the default
	Inherited         *Raise            `json:"inherited,omitempty"`        // What an earlier run has left of its raise of the sizes; this run takes it back at its end
	EstimatedDuration Duration          `json:"estimatedDuration"`          // How long the run takes, or until it would make no further progress; without rehearsal a sum of guesses
	Rehearsal         *Rehearsal        `json:"rehearsal,omitempty"`        // How the run would end, played in a copy of the cluster
	Forecast          *Forecast         `json:"forecast,omitempty"`         // How the run would end, and when; missing where no rehearsal was tried
	Pool              *WorkerPoolStatus `json:"pool,omitempty"`             // The state of a worker pool of Gardener
	ControllerRoll    *ControllerRoll   `json:"controllerRoll,omitempty"`   // What a roll of a worker pool by Gardener would meet
	NodeGroup         *NodeGroup        `json:"nodeGroup,omitempty"`        // EKS's description of a managed node group
	StartCommand      string            `json:"startCommand,omitempty"`     // The command that has EKS update a managed node group so
}

// PlannedNode is a node in the order of the plan.
type PlannedNode struct {
	Instance         string    `json:"instance"`                  // ID of the instance
	Node             string    `json:"node,omitempty"`            // Name of the node; missing where it has not joined the cluster
	Zone             string    `json:"zone,omitempty"`            // Its zone
	Version          string    `json:"version,omitempty"`         // Its version now
	Batch            int       `json:"batch"`                     // Number of its batch
	PodsToEvict      int       `json:"podsToEvict"`               // How many pods have to leave
	PodsStaying      int       `json:"podsStaying"`               // How many pods stay
	ForeseenBlockers []string  `json:"foreseenBlockers"`          // Blockers to expect, a sentence each
	NeverEvictable   []string  `json:"neverEvictable"`            // Pods that can never be evicted as things are
	NotEvaluated     []string  `json:"notEvaluated"`              // Why nothing could be foreseen
	UnreachableSince time.Time `json:"unreachableSince,omitzero"` // Since when its kubelet has not been heard from
	Spot             bool      `json:"spot"`                      // It is a spot instance
	ScaleInProtected bool      `json:"scaleInProtected"`          // It is protected from scale in, which does not keep the run from terminating it
	Reason           string    `json:"reason,omitempty"`          // Why it is replaced, where there is more than one reason: older-spec, asked-for, …
}

// Right is an IAM right that a run takes.
type Right struct {
	Action   string `json:"action"`                      // The IAM action, such as autoscaling:ResumeProcesses
	Resource string `json:"resource"`                    // ARN of what it is needed on, * for all
	When     string `json:"when,omitempty"`              // When it is needed; missing where the run does not start without it
	Verdict  string `json:"verdict" enum:"rightVerdict"` // What the check before the start found
	Message  string `json:"message,omitempty"`           // How it is denied, or why it was not checked
}

// Verdicts on a right.
const (
	RightAllowed   = "allowed"
	RightDenied    = "denied"
	RightUnchecked = "unchecked"
)

// LifecycleHook is a lifecycle hook of an Auto Scaling group.
type LifecycleHook struct {
	Name       string   `json:"name"`                         // Name of the hook
	Transition string   `json:"transition" enum:"transition"` // Which instances it holds
	Timeout    Duration `json:"timeout"`                      // How long at most
	Abandon    bool     `json:"abandon"`                      // A launching instance is terminated when nobody completes the hook in time
}

// Transitions of instances that a lifecycle hook holds.
const (
	TransitionLaunching   = "launching"
	TransitionTerminating = "terminating"
)

// Rehearsal is the result of playing a run on a copy of the cluster.
type Rehearsal struct {
	Finishes       bool     `json:"finishes"`                       // The run would end by itself
	Extrapolated   bool     `json:"extrapolated"`                   // It was cut off, and its pace is taken for the rest
	Result         string   `json:"result,omitempty" enum:"result"` // How the run would end
	Message        string   `json:"message,omitempty"`              // Why, or what it would wait for
	Replaced       int      `json:"replaced"`                       // How many outdated nodes would then be replaced
	Failed         int      `json:"failed"`                         // How many would have failed
	Remaining      int      `json:"remaining"`                      // How many would still be outdated, those left out on purpose apart
	Blocked        []string `json:"blocked"`                        // Nodes that something would keep from being drained, a sentence each
	PodsWaiting    int      `json:"podsWaiting"`                    // How many pods at most would find no room at once while it lasts, for more than 20 s
	LongestWaiting Duration `json:"longestWaiting"`                 // For how long one of them would not
	PodsLeft       int      `json:"podsLeft"`                       // How many pods would find no room at last
	WithoutRoom    []string `json:"withoutRoom"`                    // The first of these, a sentence each
}

// Forecast is the foreseen end of a run, rehearsed on copies of the cluster.
type Forecast struct {
	Outlook      string          `json:"outlook" enum:"outlook"`         // How it will end
	AsOf         time.Time       `json:"asOf"`                           // When the cluster was read
	EndsAt       time.Time       `json:"endsAt,omitzero"`                // When the run is over, or when nothing moves any more
	EarliestEnd  time.Time       `json:"earliestEnd,omitzero"`           // One end in ten is before; missing where the range was not worked out
	LatestEnd    time.Time       `json:"latestEnd,omitzero"`             // One end in ten is after
	FailsAt      time.Time       `json:"failsAt,omitzero"`               // When it begins to fail
	Result       string          `json:"result,omitempty" enum:"result"` // How it would end; missing where it would not by itself, or that is not known
	Message      string          `json:"message,omitempty"`              // What keeps it from ending well, or why nothing is foreseen, a sentence
	Nodes        int             `json:"nodes,omitempty"`                // How many nodes are outdated, of a run that will not end well
	NodesStaying int             `json:"nodesStaying,omitempty"`         // How many of them will not be replaced
	Causes       []ForecastCause `json:"causes"`                         // What keeps it from ending well, the first one first; of plans all, of runs the first one
	Holds        []ForecastHold  `json:"holds,omitempty"`                // PDBs that keep pods waiting on the way, those with the most pods first; of plans only
	Assumptions  []Assumption    `json:"assumptions,omitempty"`          // What it rests on: how long things were assumed to take; of plans only
}

// Assumption is how long a rehearsal takes something to last.
type Assumption struct {
	What    string   `json:"what" enum:"assumed"` // What lasts
	Takes   Duration `json:"takes,omitempty"`     // How long; missing where message alone says it
	Basis   string   `json:"basis" enum:"basis"`  // Where that is from
	Samples int      `json:"samples,omitempty"`   // How many durations it is the median of; missing for a guess
	Message string   `json:"message"`             // The same, a sentence
}

// What a rehearsal takes durations for.
const (
	AssumedNodeJoins     = "node-joins"     // An instance is launched, until its node joins
	AssumedNodeReady     = "node-ready"     // A node has joined, until it is Ready
	AssumedInService     = "in-service"     // A node is Ready, until the group has its instance in service
	AssumedInstanceEnds  = "instance-ends"  // A termination is requested, until the instance is gone
	AssumedEndNoticed    = "end-noticed"    // A termination is requested past the group, until that launches another instance
	AssumedPodStops      = "pod-stops"      // A pod is evicted, until it is gone
	AssumedPodReady      = "pod-ready"      // A pod has a node, until it is Ready
	AssumedHookCompleted = "hook-completed" // A lifecycle hook holds an instance
	AssumedDeregistered  = "deregistered"   // An instance leaves its load balancers
	AssumedNodeHook      = "node-hook"      // The run's own hooks before a node
	AssumedNodeUpdated   = "node-updated"   // A drained node until its update in place is over
)

// Where such a duration is from.
const (
	BasisGuess       = "guess"        // Nothing is known
	BasisNodes       = "nodes"        // The group's nodes as they are now
	BasisCluster     = "cluster"      // All nodes of the cluster
	BasisPods        = "pods"         // Pods of the same owners
	BasisRun         = "run"          // What this run has measured
	BasisEarlierRuns = "earlier-runs" // What earlier runs of the group have measured
	BasisLaunches    = "launches"     // Launch times of the group's instances
	BasisActivities  = "activities"   // Its past scaling activities
)

// Outlooks of a run.
const (
	OutlookEndsWell     = "ends-well"
	OutlookFails        = "fails"
	OutlookDoesNotEnd   = "does-not-end"
	OutlookNotEvaluated = "not-evaluated"
)

// ForecastCause is what keeps a run from ending well.
type ForecastCause struct {
	Node     string `json:"node,omitempty"`     // Name of the node
	Instance string `json:"instance,omitempty"` // ID of its instance
	Pod      string `json:"pod,omitempty"`      // Pod that stays, namespace/name
	Budget   string `json:"budget,omitempty"`   // PDB that keeps it, namespace/name; two are joined by a comma
	NoLaunch bool   `json:"noLaunch,omitempty"` // The group launches no machine
	Zone     string `json:"zone,omitempty"`     // Where it does not
	Message  string `json:"message"`            // What exactly is in the way, a sentence
}

// ForecastHold is a PDB that keeps pods waiting while a run lasts.
type ForecastHold struct {
	Budget string `json:"budget"` // The PDB, namespace/name; two that keep the same pod are joined by a comma
	Pods   int    `json:"pods"`   // How many pods wait for it
}

// Settings are the settings of a run that are set; each has the name of its flag.
type Settings struct {
	AllNodes            bool              `json:"allNodes"`                                       // Nodes that are up to date are replaced too
	MaxUnavailable      string            `json:"maxUnavailable"`                                 // How many nodes may be out of service at once, a number or a percentage
	MaxSurge            string            `json:"maxSurge,omitempty"`                             // How many more nodes there may be for a while: a number or a percentage; eks or fit by EKS's rules
	Approve             string            `json:"approve" enum:"approval"`                        // What has to be approved
	BatchSize           int               `json:"batchSize,omitempty"`                            // How many nodes are approved together; missing: as many as may be out of service at once
	CanaryWatch         Duration          `json:"canaryWatch,omitempty"`                          // How long what replaces the canary must be well
	MaxFailedNodes      int               `json:"maxFailedNodes"`                                 // How many nodes may fail before the run does
	RetireSurge         bool              `json:"retireSurge,omitempty"`                          // Whether a run that fails drains and terminates what is left of its surge
	Singles             bool              `json:"singles,omitempty"`                              // Whether a Deployment of one replica gets a second one while its pod moves
	Unreachable         string            `json:"unreachable,omitempty" enum:"unreachablePolicy"` // What happens to nodes without a kubelet heartbeat
	UnreachableAfter    Duration          `json:"unreachableAfter,omitempty"`                     // After what time a node counts as unreachable
	DrainTimeout        Duration          `json:"drainTimeout,omitempty"`                         // Time for a node to lose its pods
	OnDrainTimeout      string            `json:"onDrainTimeout,omitempty" enum:"timeoutPolicy"`  // What happens to a node then
	ForcedBy            string            `json:"forcedBy,omitempty"`                             // Who asked beforehand for force
	PostDrainWait       Duration          `json:"postDrainWait"`                                  // Wait between the drain of a node and its termination
	NodeReadyTimeout    Duration          `json:"nodeReadyTimeout,omitempty"`                     // Time for new nodes to be there and ready
	TerminateTimeout    Duration          `json:"terminateTimeout,omitempty"`                     // Time for an instance to go
	ForceUnmanaged      bool              `json:"forceUnmanaged"`                                 // Pods without a controller may be evicted
	DeleteEmptydirData  bool              `json:"deleteEmptydirData"`                             // Pods with emptyDir volumes may be evicted
	EvictionRetry       Duration          `json:"evictionRetry,omitempty"`                        // Wait before a refused eviction is tried again
	EvictionsAtOnce     int               `json:"evictionsAtOnce,omitempty"`                      // How many evictions may be under way
	PendingLimit        Duration          `json:"pendingLimit,omitempty"`                         // How long the replacement of an evicted pod may be Pending before no new drain starts
	GatePause           Duration          `json:"gatePause,omitempty"`                            // After what time without a drain that may start the run pauses itself
	OnTrouble           string            `json:"onTrouble,omitempty" enum:"troublePolicy"`       // What crash-looping replacements do to the waves (drainboard)
	ClusterMaxAge       Duration          `json:"clusterMaxAge,omitempty"`                        // How old what is known of the cluster may be to act on it
	CloudMaxAge         Duration          `json:"cloudMaxAge,omitempty"`                          // How old what is known of the cloud may be to act on it
	BeforeNodeTimeout   Duration          `json:"beforeNodeTimeout,omitempty"`                    // Time for the hooks before a node; missing: there are none
	AfterNodeTimeout    Duration          `json:"afterNodeTimeout,omitempty"`                     // Time for the hooks after a node; missing: there are none
	Interval            Duration          `json:"interval,omitempty"`                             // Wait after a termination before the cluster is validated (kops)
	ValidateCount       int               `json:"validateCount,omitempty"`                        // How many checks in a row must find the cluster valid (kops)
	ValidatePause       Duration          `json:"validatePause,omitempty"`                        // Wait between two of these (kops)
	ValidateRetry       Duration          `json:"validateRetry,omitempty"`                        // Wait after a check that failed (kops)
	ValidationTimeout   Duration          `json:"validationTimeout,omitempty"`                    // Time for the cluster to validate (kops)
	FailOnValidateError *bool             `json:"failOnValidateError,omitempty"`                  // A cluster that does not validate in time ends the run (kops)
	FailOnDrainError    *bool             `json:"failOnDrainError,omitempty"`                     // A drain that fails ends the run (kops)
	AllowQuorumLoss     bool              `json:"allowQuorumLoss,omitempty"`                      // Fewer than a majority of a control plane may be left (kops)
	DrainAndTerminate   *bool             `json:"drainAndTerminate,omitempty"`                    // Nodes are drained and terminated, else only tainted (kops)
	DeregisterLimit     Duration          `json:"deregisterLimit,omitempty"`                      // Time for a node to leave its load balancers (kops)
	CloudOnly           bool              `json:"cloudonly"`                                      // The Kubernetes API is not used: nothing is drained or validated
	CloudOnlyBy         string            `json:"cloudonlyBy,omitempty"`                          // Who asked beforehand for that
	MaxEvictRetries     int               `json:"maxEvictRetries,omitempty"`                      // After how many refusals a pod is deleted, where drains are forced (Gardener)
	MisconfiguredRetry  Duration          `json:"misconfiguredRetry,omitempty"`                   // Wait before a pod is tried again whose PDB never allows an eviction (Gardener)
	VolumesInTurn       bool              `json:"volumesInTurn"`                                  // Pods with persistent volumes leave one after the other (Gardener)
	HealthTimeout       Duration          `json:"healthTimeout,omitempty"`                        // Time for a new node to get healthy again before it is given up (Gardener)
	NodeConditions      []string          `json:"nodeConditions"`                                 // Conditions with which a node is not healthy (Gardener)
	HealthInTurn        bool              `json:"healthInTurn"`                                   // A node is given up only while all others of its zone run (Gardener)
	WaitForStart        Duration          `json:"waitForStart,omitempty"`                         // Time for the group's own controller to start (Gardener)
	UpdateTimeout       Duration          `json:"updateTimeout,omitempty"`                        // Time for an update in place (Gardener)
	ExpectLabels        map[string]string `json:"expectLabel"`                                    // Labels that a new node must have before it counts
}

// RollPlan is what `plan` of several groups prints.
type RollPlan struct {
	TypeMeta
	ID            string      `json:"id"`            // ID of the roll, of an unfinished one its own; events have it as roll
	Rules         string      `json:"rules"`         // The order of the groups and which errors stop the roll, a sentence
	Groups        []RollGroup `json:"groups"`        // The groups, in the order in which they go
	ResumeCommand string      `json:"resumeCommand"` // The command that resumes the roll
}

// RollGroup is a group in a roll.
type RollGroup struct {
	Group         string           `json:"group"`                      // Name of the group
	InstanceGroup string           `json:"instanceGroup,omitempty"`    // The instance group, of groups that kops made
	Role          string           `json:"role,omitempty" enum:"role"` // What its instances do in the cluster
	State         string           `json:"state" enum:"rollState"`     // waiting for its turn, or left out
	Message       string           `json:"message,omitempty"`          // Why it is left out
	ExitCode      int              `json:"exitCode" enum:"exitCode"`   // Exit code that it adds to the roll's if it is left out
	Resumes       bool             `json:"resumes"`                    // It has an unfinished run, which is resumed before the others
	Run           string           `json:"run,omitempty"`              // ID of the unfinished run
	Outdated      int              `json:"outdated"`                   // How many nodes are outdated; were, when its unfinished run started
	Replaced      int              `json:"replaced"`                   // How many of these its unfinished run has replaced
	Plan          *GroupPlanFields `json:"plan,omitempty"`             // Its plan; missing where it has an unfinished run or cannot be rolled
}

// Quota is an account's limit on the vCPUs of running instances of some families.
type Quota struct {
	Name   string `json:"name"`   // AWS's name of it
	Limit  int    `json:"limit"`  // How many vCPUs may run
	Used   int    `json:"used"`   // How many do
	Needed int    `json:"needed"` // How many more the surge takes
}
