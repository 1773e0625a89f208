package kube

import (
	"cmp"

	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Extension is what the kubeconfig has of the cluster under a name besides its address, as JSON;
// empty if it has nothing.
func (c *Client) Extension(name string) []byte { return c.extensions[name] }

// clusterName is the cluster of a context (nil for none), or of the flags.
func clusterName(of *api.Context, flags Flags) string {
	if of == nil {
		return flags.Cluster
	}
	return cmp.Or(flags.Cluster, of.Cluster)
}

func extensionsOf(cluster *api.Cluster) map[string][]byte {
	out := map[string][]byte{}
	if cluster == nil {
		return out
	}
	for name, o := range cluster.Extensions {
		if u, is := o.(*kruntime.Unknown); is {
			out[name] = u.Raw
		}
	}
	return out
}
