package text

import "fmt"

// HooksAsked tells that the hooks before a node run.
const HooksAsked = "the hooks before it are asked"

// HooksDone tells that the hooks before or after a node are done.
func HooksDone(side string) string { return "the hooks " + side + " it are done" }

// HookRefused is why a run pauses after a hook.
func HookRefused(node, why string) string {
	return fmt.Sprintf("%s may not start: %s; resume asks again", node, why)
}
