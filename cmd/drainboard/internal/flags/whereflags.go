package flags

import (
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/providers/gardener"
)

const cloudOnlyHelp = "kops: work without Kubernetes: no kubeconfig, no drain, no validation, pods end with their instances (docs/providers/cloudonly.md)"

// AddWhere adds the flags that locate groups to a command. Their defaults are those of kops's environment.
func AddWhere(fl *pflag.FlagSet, f *backend.Where) {
	fl.StringVar(&f.Provider, "provider", backend.Any, "provider of the group: auto (by the tags of kops or EKS on the group, or Gardener's labels on the nodes), asg, eks, kops or gardener")
	fl.StringVar(&f.Cluster, "cluster-name", "", "kops: the cluster's name (default: $KOPS_CLUSTER_NAME, else the one that the nodes' machines are tagged with; also --name)")
	fl.BoolVar(&f.CloudOnly, "cloudonly", false, cloudOnlyHelp)
	fl.StringVar(&f.Store, "state", "", "kops: state store with the specs of cluster and InstanceGroups, s3://BUCKET or a directory (default: $KOPS_STATE_STORE; without one kops's defaults apply)")
	addAWS(fl, f)
	AddPools(fl, &f.Pools)
}

// addAWS has the AWS CLI's flags that lead to an account and a region.
func addAWS(fl *pflag.FlagSet, f *backend.Where) {
	fl.StringVar(&f.Region, "region", "", "AWS region (default: $AWS_REGION or the profile's, else that of the nodes)")
	fl.StringVar(&f.Profile, "profile", "", "profile of the AWS configuration (default: $AWS_PROFILE)")
}

// AddWhereCloudOnly adds them to a command that finds groups only where there is no cluster.
func AddWhereCloudOnly(fl *pflag.FlagSet, f *backend.Where) {
	fl.BoolVar(&f.CloudOnly, "cloudonly", false, "kops: for runs without Kubernetes, recorded on this machine (docs/providers/cloudonly.md)")
	fl.StringVar(&f.Cluster, "cluster-name", "", "with --cloudonly: kops's name of the cluster (default: $KOPS_CLUSTER_NAME)")
	addAWS(fl, f)
	fl.SetNormalizeFunc(ByKopsName)
}

// AddPools adds the flags that locate a Shoot's objects outside its own cluster.
func AddPools(fl *pflag.FlagSet, o *gardener.Options) {
	fl.StringVar(&o.Garden, "garden-kubeconfig", "", "Gardener: kubeconfig of the cluster that has the Shoot (default: the one that gardenctl or gardenlogin is configured with for the Shoot in the kubeconfig, else none: pools are read from the nodes)")
	fl.StringVar(&o.Shoot, "shoot", "", "Gardener: NAMESPACE/NAME of the Shoot in the garden cluster (default: the one that the kubeconfig or the ConfigMap shoot-info names)")
	fl.StringVar(&o.Control, "control-kubeconfig", "", "Gardener: kubeconfig of the control cluster, which has the Machines (default: none)")
	fl.StringVar(&o.Namespace, "control-namespace", "", "Gardener: the Shoot's namespace in the control cluster")
}
