// Package commands brings commands of other processes to the driver of a run, and its answers back. A
// command is a ConfigMap (command.go) in a namespace of its own, where the right to give commands is
// no right to change run records.
//
// The sender makes the object (send.go), waits for the answer in it, and may withdraw it
// until the driver has marked it as heard. The driver's Listener (listener.go) watches the objects,
// hands each command to the run once, at a bounded rate, and removes what has expired. Who gives a
// command is only the sender's word, unless an admission policy holds it to the user of the API,
// which policy.go finds out.
package commands
