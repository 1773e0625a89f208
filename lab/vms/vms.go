// Package vms is a cloud of virtual machines as the driver of a machine controller
// sees one: they are made, listed and deleted, each by itself. Its service speaks
// JSON over HTTP on the loopback interface, since the machine controller is another
// process. Unlike the groups of package cloud it replaces nothing by itself.
package vms

import (
	"encoding/json"
	"fmt"
)

// A VM is a virtual machine.
type VM struct {
	// ID is the provider's, such as aws:///eu-west-1a/i-0123456789abcdef0.
	ID string `json:"id"`
	// Name is what its maker calls it, and Class what it was made after.
	Name  string `json:"name"`
	Class string `json:"class"`
	// Node is the name by which its kubelet registers, IP its address.
	Node string `json:"node"`
	IP   string `json:"ip"`
	Spec Spec   `json:"spec"`
}

// A Spec is what is asked for with a VM: the provider's part of a machine class.
type Spec struct {
	Pool    string            `json:"pool"`
	Zone    string            `json:"zone"`
	Type    string            `json:"type"`    // such as m5.large
	Kubelet string            `json:"kubelet"` // version, such as v1.32.4
	OS      string            `json:"os"`      // as the node names it
	Labels  map[string]string `json:"labels,omitempty"`
}

// An Error is a refusal of the service. Code is one of those that the drivers of
// machine-controller-manager know, such as ResourceExhausted.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }

// A createRequest asks for a VM, with the spec as the class has it.
type createRequest struct {
	Name  string          `json:"name"`
	Class string          `json:"class"`
	Spec  json.RawMessage `json:"spec"`
}
