package record

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

// What waits are for.
const (
	WaitRestoring   = "putting back" // what an aborted or failed run had in flight
	WaitGrace       = "grace period"
	WaitForcedDrain = "forced drain"
	WaitDeregister  = "deregistering" // of a node that leaves its load balancers
	WaitDrain       = "drain deadline"
	WaitOthersDrain = "drain limit"

	WaitJoining      = "joining" // of a new machine, until its node is Ready
	WaitNewNodes     = "new nodes"
	WaitReplacements = "replacements"
	WaitRetiring     = "retiring"

	WaitSecondReplica = "second replica" // of a Deployment of one, until it is Ready
)
