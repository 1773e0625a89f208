//go:build !windows

package kube

import "syscall"

const connectionRefused = syscall.ECONNREFUSED
