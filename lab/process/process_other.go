//go:build !linux

package process

import "syscall"

// childAttributes puts a child into a process group of its own. Other systems
// than Linux have no parent-death signal: there a killed lab leaves its children.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
