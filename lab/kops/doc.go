// Package kops is what kops makes of a cluster, as values: which Auto Scaling groups, tags, labels
// and taints (tags.go), the pods that a cluster cannot do without (system.go), and the specs in the
// state store (store.go), each with the place in kops's source that it follows. Options describe a
// cluster; Lab.AddKopsCluster makes it.
//
// A node's labels and pods follow from the tags of its instance alone (NodeOf, MirrorPods), so that
// a group of any origin with kops's tags has nodes as kops's.
package kops
