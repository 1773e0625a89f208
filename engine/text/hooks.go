package text

import "fmt"

// HooksAsked tells that the hooks before a node run.
const HooksAsked = "running the hooks before it"

// HooksDone tells that the hooks before or after a node are done.
func HooksDone(side string) string { return "hooks " + side + " it passed" }

// HookRefused is why a run pauses after a hook.
func HookRefused(node, why string) string {
	return fmt.Sprintf("%s may not start: %s; resume to ask again", node, why)
}
