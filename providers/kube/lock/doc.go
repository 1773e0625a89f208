// Package lock is the lock of a group: a Lease in the cluster, of which at most one process is the
// holder. New and Acquire take it (lock.go); who drives a run is read from the same Lease
// (holder.go).
//
// The elector (elector.go) takes the Lease and renews it by the rules of client-go's leader
// election, and what it sees goes through watchedLock (watched.go): it notices at once that another
// process has taken the Lease, and tells by two clocks whether the lock is sure. lease.go is the
// Lease itself, each of whose writes holds the version that was read.
//
// A process without the lock changes nothing: Held.Sure is asked before a change is sent, and
// Held.Lost ends the run.
package lock
