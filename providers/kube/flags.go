package kube

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/client-go/tools/clientcmd"
)

// Flags choose a cluster, as kubectl's flags of these names do; "" is a flag that was not
// given.
type Flags struct {
	Kubeconfig string // a file; the default is what $KUBECONFIG lists, else ~/.kube/config
	Context    string // one of its contexts; the default is the current one
	Cluster    string // one of its clusters, in place of the context's
}

// loader reads the kubeconfig by kubectl's rules: the flag before $KUBECONFIG before the
// file in the home directory, several files merged, and inside a cluster its own address.
func (f Flags) loader() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.DefaultClientConfig = &clientcmd.DefaultClientConfig // $KUBERNETES_MASTER is read there
	rules.ExplicitPath = f.Kubeconfig
	rules.MigrationRules = nil // they copy the file of a kubectl of 2014, and fail where the home directory is none
	over := &clientcmd.ConfigOverrides{ClusterDefaults: clientcmd.ClusterDefaults, CurrentContext: f.Context}
	over.Context.Cluster = f.Cluster
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, over)
}

// Contexts are the names of the kubeconfig's contexts, in order; none if it cannot be read.
func (f Flags) Contexts() []string {
	raw, err := f.loader().RawConfig()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(raw.Contexts))
}

// Clusters are the names of its clusters, in order; none if it cannot be read.
func (f Flags) Clusters() []string {
	raw, err := f.loader().RawConfig()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(raw.Clusters))
}

var errNoConfig = errors.New("no kubeconfig: set KUBECONFIG or --kubeconfig, or create ~/.kube/config")

// noConfig says why no kubeconfig leads to a cluster: clientcmd passes over a file of
// $KUBECONFIG that is not there.
func noConfig(f Flags) error {
	if f.Kubeconfig != "" {
		return fmt.Errorf("the kubeconfig %s names no cluster", f.Kubeconfig)
	}
	for _, path := range filepath.SplitList(os.Getenv(clientcmd.RecommendedConfigPathEnvVar)) {
		if path == "" {
			continue
		}
		var missing *fs.PathError
		if _, err := os.Stat(path); errors.As(err, &missing) {
			return fmt.Errorf("KUBECONFIG names %s, which cannot be read: %w", path, missing.Err)
		}
		return fmt.Errorf("the kubeconfig %s names no cluster; set KUBECONFIG or --kubeconfig to one that does", path)
	}
	return errNoConfig
}
