// Package complete knows the names that a shell completes: the groups and nodes of a cluster,
// kept for a minute so that not every press of the tab key asks the cluster (Names), and the
// contexts and clusters of a kubeconfig, which client-go reads.
//
// A completion never fails and says nothing: a cluster that cannot be asked in time gives the
// names that it had before, or none.
package complete
