package kube

import "golang.org/x/sys/windows"

// connectionRefused is Winsock's own number: syscall's ECONNREFUSED is never answered there.
const connectionRefused = windows.WSAECONNREFUSED
