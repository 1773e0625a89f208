// Package room works out how many new nodes the pods of nodes that drain need, beside the room
// that the other nodes of the cluster have.
//
//	need := room.For(w, nodes, atOnce, others)
//	need.New     new nodes for the pods of the fullest nodes that drain at once
//	need.Zones   zones where bound pods have no other node
//
// It counts what the scheduler must not ignore: requests, the number of pods a node takes, taints,
// node labels, pods that must not share a node, zones of volumes. Where pods have other rules about
// each other, it takes them for pods that need a new node. It is an estimate: which node the
// scheduler chooses, and whether new nodes are like old ones, nobody knows.
package room
