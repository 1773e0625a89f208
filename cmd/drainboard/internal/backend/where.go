package backend

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/eks"
	"github.com/drainboard/drainboard/providers/gardener"
	"github.com/drainboard/drainboard/providers/kops"
)

// Values of --provider beside asg's.
const (
	Any      = "auto"
	Kops     = kops.Provider
	Gardener = gardener.Provider
	// EKSManaged is managed node groups of EKS.
	EKSManaged = eks.Provider
)

// Where locates groups.
type Where struct {
	// Provider is Any, or the provider of the groups; "" is Any.
	Provider string
	Cluster  string // kops's name of the cluster
	Store    string // kops's state store
	// Region and Profile are AWS's; "" is what its configuration says.
	Region, Profile string
	// CloudOnly: without Kubernetes.
	CloudOnly bool
	// Pools locates a Shoot's objects outside its own cluster.
	Pools gardener.Options
}

// Providers are the words of --provider.
var Providers = []string{Any, asg.Provider, EKSManaged, Kops, Gardener}

// AsksForPools reports whether a flag of Gardener's is given.
func (w Where) AsksForPools() bool { return w.Pools != gardener.Options{} }

// Fill completes flags from kops's environment variables, and refuses those that contradict each other.
func (w Where) Fill() (Where, error) {
	w.Provider = cmp.Or(w.Provider, Any)
	if !slices.Contains(Providers, w.Provider) {
		return w, fmt.Errorf("--provider: %q is not supported; choose auto, asg, eks, kops or gardener", w.Provider)
	}
	switch foreign := w.Provider == asg.Provider || w.Provider == EKSManaged || w.Provider == Kops || w.CloudOnly; {
	case foreign && w.AsksForPools():
		return w, errors.New("--garden-kubeconfig, --shoot, --control-kubeconfig and --control-namespace are for --provider gardener only")
	case w.Provider == Gardener && (w.Cluster != "" || w.Store != "" || w.CloudOnly):
		return w, errors.New("--cluster-name, --state and --cloudonly are for kops: they cannot be used with --provider gardener")
	}
	if err := w.Pools.Check(); err != nil {
		return w, err
	}
	if aws := w.Provider == asg.Provider || w.Provider == EKSManaged; aws && (w.Cluster != "" || w.Store != "") {
		return w, fmt.Errorf("--cluster-name and --state are for kops: they cannot be used with --provider %s", w.Provider)
	}
	if aws := w.Provider == asg.Provider || w.Provider == EKSManaged; aws && w.CloudOnly {
		return w, fmt.Errorf("--cloudonly is for groups created by kops: --provider %s drains nodes, which needs the cluster", w.Provider)
	}
	w.Cluster = cmp.Or(w.Cluster, os.Getenv("KOPS_CLUSTER_NAME"))
	w.Store = cmp.Or(w.Store, os.Getenv("KOPS_STATE_STORE"))
	return w, nil
}
