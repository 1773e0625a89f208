// Package rights finds out, before a run starts, whether AWS lets the caller do what the run will
// do. Which rights a plan takes is worked out elsewhere (snapshot.RightsOf).
//
//	Checker.Check  changes nothing: reads, EC2's dry runs (rights.go), and IAM's simulation of
//	               the caller's policies for the rest (simulate.go)
//	Checker.Prove  requests that leave the group as it is, once its lock is held (rights.go)
//
// A right is denied only if AWS said so. What cannot be found out, because IAM does not answer or
// a policy has conditions that cannot be simulated, stays unchecked, and the run starts.
package rights
