// Package systems has the sentences about one system alone: EKS, kops, Gardener with its
// machine-controller-manager (mcm.go), and a controller that the run follows. Those that any
// group can give rise to are in package text.
package systems
