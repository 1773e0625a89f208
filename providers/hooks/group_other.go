//go:build !unix

package hooks

import "os/exec"

// apart does nothing where there are no sessions.
func apart(*exec.Cmd) {}

// endGroup ends a command.
func endGroup(cmd *exec.Cmd, force bool) {
	if force {
		_ = cmd.Process.Kill() // it may have ended by itself
	}
}
