// Package backend has the systems whose groups Drainboard rolls: Auto Scaling groups, kops's
// instance groups, those without Kubernetes, and worker pools of Gardener. A Backend finds
// groups, a Group is one of them. Each system has an implementation of its own:
//
//	asg.go        Auto Scaling groups
//	kops.go       instance groups of a kops cluster
//	cloud.go      both of them in one cluster, distinguished by their tags
//	cloudonly.go  instance groups of kops, without Kubernetes
//	gardener.go   worker pools of a Shoot
//
// Open chooses the backend by Where, or else by the cluster's nodes.
package backend
