// Package objects reads objects of the Kubernetes API and turns them into the world's: only the
// fields of pods and nodes that are needed (readfields.go), from the wire (decode.go) or decoded
// already, and cleaned. It sends no request.
package objects
