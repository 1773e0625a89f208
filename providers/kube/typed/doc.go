// Package typed reads and changes the objects of the Kubernetes API as Go types. It knows the few
// kinds that Drainboard needs (kinds.go), and for each the calls that are made (resource.go): a new
// kind is one line of the scheme and one method of Groups. It holds no connection: Groups are made
// of a configuration and an HTTP client, which package kube sets up.
//
// A call returns the error as client-go has it; what that means is for package kube to say. Get,
// Create, Update, Patch and Delete take transport.RequestTimeout at most where their context has no
// deadline of its own.
package typed
