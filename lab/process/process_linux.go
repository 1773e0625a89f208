package process

import "syscall"

// childAttributes puts a child into a process group of its own and has the
// kernel kill it when its parent goes.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
