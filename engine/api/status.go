package api

import "time"

// GroupStatusList is what `status` prints without a group: those that have a run.
type GroupStatusList struct {
	TypeMeta
	Items             []GroupStatusFields `json:"items"`             // The groups that have a run
	UnreadableRecords []string            `json:"unreadableRecords"` // Why other records cannot be read, a sentence each; the exit code is then 1
}

// GroupStatus is what `status GROUP` prints.
type GroupStatus struct {
	TypeMeta
	GroupStatusFields
}

// GroupStatusFields are how a group and its run stand.
type GroupStatusFields struct {
	Group         string            `json:"group"`                   // Name of the group
	InstanceGroup string            `json:"instanceGroup,omitempty"` // The instance group, of groups that kops made
	LatestRun     *Run              `json:"latestRun,omitempty"`     // The unfinished run, or the last one; missing where the group has had none
	RemoteRun     *RemoteRun        `json:"remoteRun,omitempty"`     // An unfinished run without Kubernetes whose record another machine has (--cloudonly)
	EarlierRuns   []EarlierRun      `json:"earlierRuns"`             // Runs before that whose records are kept, the newest first; of status GROUP
	NodeMarks     []NodeMarks       `json:"nodeMarks"`               // Marks of others who move nodes, on its nodes
	Pool          *WorkerPoolStatus `json:"pool,omitempty"`          // The state of a worker pool of Gardener; of status GROUP
	PoolUnknown   string            `json:"poolUnknown,omitempty"`   // Why the pool's state is not known
	NodeGroup     *NodeGroup        `json:"nodeGroup,omitempty"`     // EKS's description of a managed node group; of status GROUP
}

// Run is a run as its record has it.
type Run struct {
	ID               string          `json:"id"`                             // Its ID; other documents and events have it as run
	Strategy         string          `json:"strategy"`                       // The rules of the run
	State            string          `json:"state" enum:"state"`             // Where it stands
	Result           string          `json:"result,omitempty" enum:"result"` // How it ended
	Message          string          `json:"message,omitempty"`              // Why it ended or is paused, a sentence
	Phase            string          `json:"phase,omitempty"`                // The phase that is under way
	StartedAt        time.Time       `json:"startedAt,omitzero"`             // When it was started
	StartedBy        string          `json:"startedBy,omitempty"`            // Who started it, user and host
	RecordedAt       time.Time       `json:"recordedAt,omitzero"`            // When its record was last written
	RecordStaleSince time.Time       `json:"recordStaleSince,omitzero"`      // Since when its record has not been written although its driver renews the lock
	Driver           string          `json:"driver,omitempty"`               // Who drives it now, user and host; missing if nobody does
	DriverUnknown    string          `json:"driverUnknown,omitempty"`        // Why it is not known who drives it
	Order            []string        `json:"order" enum:"order"`             // How its nodes are ordered
	Only             []string        `json:"only"`                           // Names of the nodes that it is confined to; none means all
	Until            time.Time       `json:"until,omitzero"`                 // When it is to be over
	Outdated         int             `json:"outdated"`                       // How many nodes were outdated when it started
	Replaced         int             `json:"replaced"`                       // How many of these are replaced or updated
	Stages           map[string]int  `json:"stages" enum:"stage"`            // Number of nodes by stage
	WaitingBatch     *Batch          `json:"waitingBatch,omitempty"`         // The batch that waits for approval
	Canary           *Canary         `json:"canary,omitempty"`               // The watch over what replaced the canary, until it has passed
	DrainGate        string          `json:"drainGate,omitempty"`            // Why no further drain starts, a sentence
	ControllerPace   string          `json:"controllerPace,omitempty"`       // How many nodes the group's own controller replaces at once because the run has set it, and what it restores, a sentence
	ControllerWait   string          `json:"controllerWait,omitempty"`       // What the group's own controller has still to do, a sentence
	Validation       *Validation     `json:"validation,omitempty"`           // The wait for the cluster to be valid that is under way, or was last
	ExternalMovers   []ExternalMover `json:"externalMovers"`                 // Who else moves nodes of the group, or may, and what the run does about it
	BlockedPods      []BlockedPod    `json:"blockedPods"`                    // Pods whose eviction was refused, or that PDBs keep on nodes which EKS drains
	Workloads        []Workload      `json:"workloads"`                      // Workloads whose pods it has moved, those in most trouble first
	Candidates       []string        `json:"candidates,omitempty"`           // Nodes that EKS may drain beside those that it is seen to drain; at least one of them where none is seen
	Forecast         *Forecast       `json:"forecast,omitempty"`             // How it will end, as its driver foresaw it last; of a run that is under way
	FailedNodes      []NodeNote      `json:"failedNodes"`                    // Nodes that were given up
	SkippedNodes     []NodeNote      `json:"skippedNodes"`                   // Nodes that were left out
	UnreachableNodes []string        `json:"unreachableNodes"`               // Nodes that were terminated because their kubelet was not heard from
	Inherited        *Raise          `json:"inherited,omitempty"`            // What it has taken over of an earlier run's raise of the sizes
	RaiseLeft        *Raise          `json:"raiseLeft,omitempty"`            // What it has left of a raise of the sizes at its end; the next run takes it back
	Unrestored       []string        `json:"unrestored"`                     // What was not restored, each with the command that would
}

// Raise is what runs of a group added to its sizes and did not revert.
type Raise struct {
	Run      string    `json:"run"`      // ID of the run that raised them
	At       time.Time `json:"at"`       // When it did
	Desired  int       `json:"desired"`  // By how much the desired size is above what it was
	Max      int       `json:"max"`      // By how much the maximum size is
	Unsure   bool      `json:"unsure"`   // Nobody knows whether it happened: its answer was lost
	Doubtful int       `json:"doubtful"` // How much more of the desired size may be of the raise, or others'
	Message  string    `json:"message"`  // The same, a sentence
	Command  string    `json:"command"`  // The command that reverts it, or shows its state
}

// RemoteRun is a run as a group's tags describe it.
type RemoteRun struct {
	ID       string `json:"id"`               // Its ID
	Driver   string `json:"driver,omitempty"` // Who drives it now; missing if nobody does
	RecordAt string `json:"recordAt"`         // Where its record is
}

// EarlierRun is a run of the group before the latest one.
type EarlierRun struct {
	Record     string    `json:"record"`                         // The ConfigMap, or the file, with its record
	ID         string    `json:"id,omitempty"`                   // Its ID, where the record can be read
	StartedAt  time.Time `json:"startedAt,omitzero"`             // When it was started
	StartedBy  string    `json:"startedBy,omitempty"`            // Who started it
	FinishedAt time.Time `json:"finishedAt,omitzero"`            // When it ended
	Result     string    `json:"result,omitempty" enum:"result"` // How it ended
	Outdated   int       `json:"outdated"`                       // How many nodes were outdated when it started
	Replaced   int       `json:"replaced"`                       // How many of these were replaced or updated
	Discarded  string    `json:"discarded,omitempty"`            // Why its record does not count any more
}

// Batch is a batch that waits for approval.
type Batch struct {
	ID           int           `json:"id"`                // Its number; for approve --batch
	Hash         string        `json:"hash"`              // Hash of its content; for approve --hash
	Phase        string        `json:"phase,omitempty"`   // The phase that may begin once it is approved; such a batch has no nodes
	Instances    []string      `json:"instances"`         // IDs of the instances
	Nodes        []string      `json:"nodes"`             // Names of the nodes, in the order of instances; the instance where that has not joined
	WaitingSince time.Time     `json:"waitingSince"`      // Since when it waits
	Preview      *BatchPreview `json:"preview,omitempty"` // What its approval would do
}

// BatchPreview is what the approval of a batch would do.
type BatchPreview struct {
	AsOf             time.Time `json:"asOf,omitzero"`    // When the cluster was read
	PodsToEvict      int       `json:"podsToEvict"`      // How many pods have to leave
	PodsStaying      int       `json:"podsStaying"`      // How many pods stay
	ForeseenBlockers []string  `json:"foreseenBlockers"` // Blockers to expect, a sentence each
	NotEvaluated     []string  `json:"notEvaluated"`     // Why nothing could be foreseen
}

// Canary is the watch over the nodes that replaced the canary.
type Canary struct {
	HoldsRun       bool      `json:"holdsRun"`                // They have been unhealthy for as long as they are watched, and the run is paused until that is accepted
	AcceptedBy     string    `json:"acceptedBy,omitempty"`    // Who let the other nodes follow although these are unhealthy
	Wait           *Wait     `json:"wait,omitempty"`          // How long they must still be well; it begins again when they are not
	Message        string    `json:"message,omitempty"`       // What is wrong with them
	UnhealthySince time.Time `json:"unhealthySince,omitzero"` // Since when they are not well
	NodesLaunching bool      `json:"nodesLaunching"`          // New nodes are not there yet; then the wait begins
}

// Validation is a wait for the cluster to be valid.
type Validation struct {
	AfterNodes     []string            `json:"afterNodes"`           // Nodes whose instances were terminated before it; none at the start of a group
	Wait           *Wait               `json:"wait,omitempty"`       // The time that it may take
	Passes         int                 `json:"passes"`               // How many checks in a row found nothing
	RequiredPasses int                 `json:"requiredPasses"`       // How many it takes
	NextCheckAt    time.Time           `json:"nextCheckAt,omitzero"` // When the next check is due
	LastCheckAt    time.Time           `json:"lastCheckAt,omitzero"` // When the last check was
	Failures       []ValidationFailure `json:"failures"`             // What the last check found
	PassedAt       time.Time           `json:"passedAt,omitzero"`    // When the cluster was valid
	FailedAt       time.Time           `json:"failedAt,omitzero"`    // When its time was up
}

// ValidationFailure is one thing that keeps the cluster from being valid.
type ValidationFailure struct {
	Type    string `json:"type"`            // What it is about: group, instance, node or pod
	Name    string `json:"name"`            // Its name; of a pod namespace/name
	Group   string `json:"group,omitempty"` // The group it belongs to
	Message string `json:"message"`         // What is wrong, a sentence
	Ignored bool   `json:"ignored"`         // It does not count, because it is of another group
}

// BlockedPod is a pod that keeps a node from being drained.
type BlockedPod struct {
	Pod      string   `json:"pod"`                               // The pod, namespace/name
	Node     string   `json:"node"`                              // Name of the node
	Type     string   `json:"type,omitempty" enum:"blockerType"` // What blocks it, as far as is known from here
	Budgets  []string `json:"budgets"`                           // PDBs that covered it when it was last tried, as far as is known from here
	Attempts int      `json:"attempts"`                          // How often its eviction was tried
	Message  string   `json:"message"`                           // Why it is still there, a sentence
	Remedy   string   `json:"remedy,omitempty"`                  // What would free it
}

// Workload is a workload whose pods a run moved, and the state of their replacements.
type Workload struct {
	Namespace      string    `json:"namespace"`                // Its namespace
	Kind           string    `json:"kind,omitempty"`           // Deployment, StatefulSet, ...
	Name           string    `json:"name"`                     // Its name
	MovedPods      int       `json:"movedPods"`                // How many of its pods were moved
	FirstMovedAt   time.Time `json:"firstMovedAt"`             // When the first was
	Ready          int       `json:"ready"`                    // How many replacements are Ready
	Starting       int       `json:"starting"`                 // How many have a node, or are new, and are not Ready
	Pending        int       `json:"pending"`                  // For how many the scheduler finds no node
	CrashLooping   int       `json:"crashLooping"`             // How many crash-loop
	Trouble        string    `json:"trouble" enum:"trouble"`   // The worst of it; empty if all is well
	Pod            string    `json:"pod,omitempty"`            // The replacement in most trouble, namespace/name
	Node           string    `json:"node,omitempty"`           // The node that it is on
	PendingReason  string    `json:"pendingReason,omitempty"`  // Why the scheduler finds no node for it
	TroubleSince   time.Time `json:"troubleSince,omitzero"`    // Since when it is so
	Budget         string    `json:"budget,omitempty"`         // PDB that requires more healthy pods than there are
	MissingHealthy int       `json:"missingHealthy,omitempty"` // How many more it requires
	Message        string    `json:"message"`                  // The worst of it, a sentence
}

// NodeNote is a node and a note about it.
type NodeNote struct {
	Node    string `json:"node"`              // Name of the node, or of the instance where that has not joined
	Message string `json:"message,omitempty"` // Why
}
