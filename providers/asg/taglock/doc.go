// Package taglock is the lock of an Auto Scaling group where no Kubernetes API keeps one
// (--cloudonly): a tag on the group, which also says which run has not ended and where its
// record is.
//
//	Lock  takes the tag: how, and why that is safe without conditional writes   lock.go
//	Held  a lock that was taken: renewed, lost, released                       held.go
//	Tag   what the tag says; its text                                          tag.go
//
// The times are those of two clocks of this machine, and the cloud's.
package taglock
