// Package transport is what stands between client-go and the API: a read-only process sends
// nothing but reads (readonly.go), a process that may have lost its lock sends no change, a web
// page is no answer (proxy.go), and no wait that the API asks for outlasts a request
// (retryafter.go).
package transport
