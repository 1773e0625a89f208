package text

import (
	"fmt"
	"time"
)

// Awaiting tells what a run waits for: what it cannot do, whose work it waits for, and what
// of that is not done.
func Awaiting(what, by, left string) string { return what + "; waiting for " + by + ": " + left }

// AwaitedTooLong is why a run pauses that has waited for as long as it may.
func AwaitedTooLong(what, by, left string, limit time.Duration) string {
	return fmt.Sprintf("%s; %s has not finished after %s: %s; resume to wait again", what, by, limit, left)
}

// More ends a list in which n are not named.
func More(n int) string { return fmt.Sprintf("%d more", n) }

// HooksAsked tells that the hooks before a node run.
const HooksAsked = "running the hooks before it"

// HooksDone tells that the hooks before or after a node are done.
func HooksDone(side string) string { return "hooks " + side + " it passed" }

// HookRefused is why a run pauses after a hook.
func HookRefused(node, why string) string {
	return fmt.Sprintf("%s may not start: %s; resume to ask again", node, why)
}
