package systems

import (
	"fmt"
	"github.com/drainboard/drainboard/engine/text"
	"strings"
	"time"
)

func NotDrivenBy(controller string) string { return "the group is not driven by " + controller }

func NoMachineReady(after time.Duration, machines []string) string {
	return fmt.Sprintf("NodeCreationFailure: no machine became Ready within %s: %s", text.Span(after), strings.Join(machines, "; "))
}

func FewerServe(serve, before int) string {
	return fmt.Sprintf("%s in service, of %d at the start", text.Plural(serve, "node"), before)
}

// MoreUnknown says that only an object in a place tells whether more machines are to come.
func MoreUnknown(serve, before int, where string) string {
	return fmt.Sprintf("%s: only %s knows whether more are to come", FewerServe(serve, before), where)
}

// NobodyMoves is why a run pauses that its controller moves no further; known is what is seen of it.
func NobodyMoves(controller string, limit time.Duration, known []string) string {
	return fmt.Sprintf("%s has moved nothing for %s: %s; resume waits again", controller, text.Span(limit), strings.Join(known, "; "))
}

// PastDue says of a node that its controller should be through with it for some time.
func PastDue(node, stage string, late time.Duration) string {
	return fmt.Sprintf("%s is %s, %s longer than it should be", node, stage, text.Span(text.Steady(late)))
}

func StillOutdated(n int) string { return text.Plural(n, "node") + " outdated" }

func PartsPaused(part string, names []string) string {
	return part + " " + strings.Join(names, ", ") + " paused by another user"
}

// WhyElsewhere says where it is known why nothing moves.
func WhyElsewhere(where string, flags []string) string {
	s := "why is known in " + where + " only"
	if len(flags) > 0 {
		s += " (" + flags[0] + ")"
	}
	return s
}

const (
	UpdateNotStarted = "the update of the outdated nodes has not started"
	NoneOutdatedYet  = "no node is outdated yet"
)
