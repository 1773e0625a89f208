package record

import "slices"

// Result is how a run ended (or, while Ending, how it is going to end).
type Result string

// Results.
const (
	Succeeded    Result = "succeeded"
	Failed       Result = "failed"
	Aborted      Result = "aborted"
	EvictionFail Result = "PodEvictionFailure"
	CreationFail Result = "NodeCreationFailure"
	InvalidFail  Result = "ClusterValidationFailure"
	// DeregisterFail: a node could not leave its load balancers; what came after would have
	// ended machines that still get traffic.
	DeregisterFail Result = "DeregistrationFailure"
	NodesLeft      Result = "nodes left by choice"
	NotStartedYet  Result = ""
)

// ExitCode is the process exit code that a result stands for.
func (r Result) ExitCode() int {
	switch r {
	case Succeeded:
		return 0
	case Aborted:
		return 3
	case EvictionFail:
		return 4
	case CreationFail:
		return 5
	case InvalidFail:
		return 7
	case NodesLeft:
		return 8
	}
	return 1
}

// Worst is the result that the exit code of a run stands for: its own, unless a node that
// it continued without is worse.
func (r *Run) Worst() Result {
	worst := r.Result
	if worst == NotStartedYet {
		return worst
	}
	for _, n := range r.Nodes.All() {
		if n.Stage == NodeFail && n.Result != "" && WorstExit(worst.ExitCode(), n.Result.ExitCode()) != worst.ExitCode() {
			worst = n.Result
		}
	}
	return worst
}

// ExitCode is the process exit code of a run that has ended.
func (r *Run) ExitCode() int { return r.Worst().ExitCode() }

// Exit codes that are no results of runs.
const (
	ExitWrongUse    = 2
	ExitHeld        = 6
	ExitPaused      = 9
	ExitUnreachable = 10
	ExitDenied      = 11
)

// exitOrder are the exit codes from the worst on.
var exitOrder = []int{ExitWrongUse, ExitUnreachable, ExitDenied, ExitHeld, 3, ExitPaused, 5, 4, 7, 1, 8, 0}

// WorstExit is the exit code that counts where several apply; 0 without any. One that is
// not known is as bad as they come.
func WorstExit(codes ...int) int {
	worst := 0
	for _, c := range codes {
		if slices.Index(exitOrder, c) < slices.Index(exitOrder, worst) {
			worst = c
		}
	}
	return worst
}
