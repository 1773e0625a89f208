package record

import "slices"

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
