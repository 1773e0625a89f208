// Package workloads finds out what became of the pods that a run has moved: how the pods stand
// that replace them, by workload. It only reads.
package workloads
