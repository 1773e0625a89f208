//go:build unix

package hooks

import (
	"os/exec"
	"syscall"
)

// apart gives a command a session of its own: no key of the terminal reaches it, it
// cannot write to it, and all its children can be ended together.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// endGroup ends a command and its children: kindly, or by force.
func endGroup(cmd *exec.Cmd, force bool) {
	signal := syscall.SIGTERM
	if force {
		signal = syscall.SIGKILL
	}
	_ = syscall.Kill(-cmd.Process.Pid, signal) // it may have ended by itself
}
