package text

import (
	"fmt"
	"strings"
	"time"
)

func NotDrivenBy(controller string) string { return "the group is not driven by " + controller }

func NoMachineReady(after time.Duration, machines []string) string {
	return fmt.Sprintf("NodeCreationFailure: no machine has got Ready for %s: %s", Span(after), strings.Join(machines, "; "))
}

func FewerServe(serve, before int) string {
	return fmt.Sprintf("%d serve of the %d that did at the start", serve, before)
}

// MoreUnknown says that only an object in a place tells whether more machines are to come.
func MoreUnknown(serve, before int, where string) string {
	return fmt.Sprintf("%s: whether more are to come is known in %s only", FewerServe(serve, before), where)
}

const (
	UpdateNotStarted = "the update of the outdated nodes has not started"
	NoneOutdatedYet  = "no node is outdated yet"
)
