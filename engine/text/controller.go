package text

import (
	"fmt"
	"strings"
	"time"
)

func NotDrivenBy(controller string) string { return "the group is not driven by " + controller }

func NoMachineReady(after time.Duration, machines []string) string {
	return fmt.Sprintf("NodeCreationFailure: no machine became Ready within %s: %s", Span(after), strings.Join(machines, "; "))
}

func FewerServe(serve, before int) string {
	return fmt.Sprintf("%s in service, of %d at the start", Plural(serve, "node"), before)
}

// MoreUnknown says that only an object in a place tells whether more machines are to come.
func MoreUnknown(serve, before int, where string) string {
	return fmt.Sprintf("%s: only %s knows whether more are to come", FewerServe(serve, before), where)
}

const (
	UpdateNotStarted = "the update of the outdated nodes has not started"
	NoneOutdatedYet  = "no node is outdated yet"
)
