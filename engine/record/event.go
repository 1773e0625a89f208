package record

import "time"

// EventType is one of the types that docs/reference/events.md lists; they are a contract:
// only ever added to.
type EventType string

// The event types.
const (
	RunPlanned       EventType = "run.planned"
	RunStarted       EventType = "run.started"
	RunPaused        EventType = "run.paused"
	RunResumed       EventType = "run.resumed"
	RunAborting      EventType = "run.aborting"
	RunFinished      EventType = "run.finished"
	PhaseStarted     EventType = "phase.started"
	PhaseFinished    EventType = "phase.finished"
	BatchWaiting     EventType = "batch.waiting"
	BatchApproved    EventType = "batch.approved"
	NodeOutdated     EventType = "node.outdated"
	NodeTainted      EventType = "node.tainted"
	NodeCordoned     EventType = "node.cordoned"
	NodeDraining     EventType = "node.draining"
	NodeBlocked      EventType = "node.blocked"
	NodeDrained      EventType = "node.drained"
	NodeSettling     EventType = "node.settling"
	NodeTerminating  EventType = "node.terminating"
	NodeReplaced     EventType = "node.replaced"
	NodeLaunching    EventType = "node.launching"
	NodeReady        EventType = "node.ready"
	NodeUpdating     EventType = "node.updating"
	NodeSkipped      EventType = "node.skipped"
	NodeFailed       EventType = "node.failed"
	PodEvicted       EventType = "pod.evicted"
	PodBlocked       EventType = "pod.blocked"
	PodUnblocked     EventType = "pod.unblocked"
	PodForced        EventType = "pod.forced"
	PodGone          EventType = "pod.gone"
	CapacityChanged  EventType = "capacity.changed"
	InstanceDetached EventType = "instance.detached"
	InstanceOut      EventType = "instance.deregistered"
	ValidationPassed EventType = "validation.passed"
	ValidationFailed EventType = "validation.failed"
	HookStarted      EventType = "hook.started"
	HookPassed       EventType = "hook.passed"
	HookFailed       EventType = "hook.failed"
	RollStarted      EventType = "roll.started"
	RollGroupChanged EventType = "roll.group"
	RollEnded        EventType = "roll.finished"
	ForecastChanged  EventType = "forecast.changed"
	WorkloadPending  EventType = "workload.pending"
	WorkloadCrashing EventType = "workload.crash-looping"
	WorkloadReady    EventType = "workload.ready"
	WorkloadScaled   EventType = "workload.scaled"
	Warning          EventType = "warning"
)

// Reasons of events.
const (
	ReasonNotComplete  = "not complete" // what the group's own controller has to do is not done
	ReasonCandidates   = "candidates"   // the nodes that the group's own controller may drain and is not seen to
	ReasonEKS          = "eks"          // EKS's updates cannot be read, or one of the configuration is under way
	ReasonNotByUs      = "not by us"
	ReasonPace         = "max-unavailable" // a command changed it
	ReasonLaunchFailed = "launch failed"
	ReasonRestored     = "put back"
	ReasonLeftBehind   = "left behind"
	ReasonGivenUp      = "given up"
	ReasonInPlace      = "in place"
	ReasonUpdateFailed = "update failed"
	ReasonContinued    = "let go on"
	ReasonLookedUp     = "looked up"
	ReasonSingle       = "single" // a Deployment of one replica gets no second one
	// ReasonLaunchOverdue: a machine that the run depends on was not there in time
	ReasonLaunchOverdue = "launch overdue"
)

// Reasons of warnings that others than the log act on.
const (
	ReasonUnwritten = "record unwritten" // the run record cannot be written
	ReasonWritten   = "record written"   // it can be written again
	// ReasonCommandWaits: a command cannot be obeyed before the run record is written.
	ReasonCommandWaits = "command waits"
	// ReasonBlind: the cluster has not been seen since the run ended a machine.
	ReasonBlind = "blind"
	// ReasonRoutes: the wait after a drain is over, and what it was for.
	ReasonRoutes = "routes"
	// ReasonWave: the waves of a run grow no further, or hold.
	ReasonWave      = "wave"
	reasonMoverGone = "rival gone"  // an external mover has ended its work
	ReasonForced    = "force order" // a user has ordered pods to be deleted
)

// Event is something that happened, for log, journal and JSON output.
type Event struct {
	Time  time.Time `json:"time"`
	Run   string    `json:"run"`
	Group string    `json:"group"`
	// Roll is the id of the roll that the run belongs to, "" for a run of its own. What is
	// told of a roll has no run.
	Roll  string    `json:"roll,omitempty"`
	Type  EventType `json:"type"`
	Phase string    `json:"phase,omitempty"`
	Node  string    `json:"node,omitempty"`
	Zone  string    `json:"zone,omitempty"`
	// Pod and Budget are "namespace/name"; two budgets are joined by a comma.
	Pod    string `json:"pod,omitempty"`
	Budget string `json:"budget,omitempty"`
	// By is who did it, where that is not the run; Inferred: nothing that is read says so.
	By       string     `json:"by,omitempty"`
	Inferred bool       `json:"inferred,omitempty"`
	Batch    int        `json:"batch,omitempty"`
	Reason   string     `json:"reason,omitempty"`
	Until    *time.Time `json:"until,omitempty"`
	Message  string     `json:"message,omitempty"`
	// Result and ExitCode are those of run.finished, and of what came of a roll or a group
	// of it.
	Result   string `json:"result,omitempty"`
	ExitCode *int   `json:"exitCode,omitempty"`
	// Command is the kubectl or aws command that does the same as the change
	// this event reports.
	Command string `json:"command,omitempty"`
	// Remote: it came of a command from another process, so a user is there to
	// give the next one.
	Remote bool `json:"-"`
}
