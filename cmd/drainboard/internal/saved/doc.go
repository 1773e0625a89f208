// Package saved writes the cluster of a plan to a file and plans from it elsewhere, without a
// cluster or AWS: for a bug report, a review or a class.
//
//	file.go    File: what is written, and how it is read
//	hash.go    Hash: names and texts replaced by hashes
//	session.go Session: a session on a file, from which plans are made as on a cluster
package saved
