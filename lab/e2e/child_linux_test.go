package e2e

import "syscall"

// childAttributes let a child die with the test binary, however that ends.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
