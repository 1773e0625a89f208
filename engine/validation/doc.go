// Package validation says whether a cluster is valid as kops understands it: every group
// has its machines, every machine its Ready node, the control plane and the critical pods
// serve.
//
// Check takes a world and the machines that are as good as gone, and returns what is wrong,
// each a record.Invalid; what is wrong with another group of workers is returned as
// ignored. How often it has to hold in a row, and for how long it is waited for, is in package
// validationwait.
//
// It imports world, record and text. The engine and the simulator's checker import it.
package validation
