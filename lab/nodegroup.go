package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awseks "github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"

	"github.com/drainboard/drainboard/lab/eks"
	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/try"
)

// EKSCluster is the name of the cluster that ServeEKS makes without another one.
const EKSCluster = "lab"

// ServeEKS makes the control plane an EKS cluster: the AWS endpoint speaks EKS from now
// on. Without others, its releases are those of the known images, and its version is the
// latest of them. It may be called once.
func (l *Lab) ServeEKS(o eks.Options) (*eks.Service, error) {
	if o.Cluster == "" {
		o.Cluster = EKSCluster
	}
	if o.Releases == nil {
		o.Releases = releases(l.machines.Images())
	}
	if o.Version == "" {
		o.Version = o.Releases[len(o.Releases)-1].Kubernetes
	}
	if o.Log == nil {
		o.Log = l.options.Log
	}
	service, err := eks.New(o, l.cloud, l.RESTConfig())
	l.eks = service
	return service, err
}

// releases are the AMI releases that images make, oldest first: one for each image.
func releases(images map[string]machines.Image) []eks.Release {
	var all []eks.Release
	for _, ami := range slices.Sorted(maps.Keys(images)) {
		version := strings.TrimPrefix(images[ami].Kubelet, "v")
		minor := version[:strings.LastIndex(version, ".")]
		all = append(all, eks.Release{Kubernetes: minor, Version: version + "-20250203", AMI: ami})
	}
	slices.SortStableFunc(all, func(a, b eks.Release) int { return strings.Compare(a.Version, b.Version) })
	return all
}

// EKSClient is a client of the lab's EKS for a user who may do everything.
func (l *Lab) EKSClient() *awseks.Client {
	return awseks.NewFromConfig(l.AWSConfig())
}

// AWSConfig is what clients of the lab's cloud need, for a user who may do everything.
func (l *Lab) AWSConfig() aws.Config {
	return aws.Config{
		Region: l.options.Cloud.Region, BaseEndpoint: aws.String(l.cloud.URL()),
		Credentials: credentials.NewStaticCredentialsProvider("lab", "lab", ""),
	}
}

// A Nodegroup is a managed node group to make. Only the name is needed.
type Nodegroup struct {
	Name            string
	Nodes, Min, Max int      // Max 0: Nodes
	Zones           []string // empty: all of the lab's
	Kubernetes      string   // version; empty: the oldest that there is a release of
	Update          *types.NodegroupUpdateConfig
	Labels          map[string]string
	Taints          []types.Taint
}

// AddNodegroup makes a managed node group with the recommended release of its version,
// waits until its nodes are Ready, and returns the name of its Auto Scaling group, which is
// what places workloads on them (Place.Group). ServeEKS comes first.
func (l *Lab) AddNodegroup(ctx context.Context, o Nodegroup) (asg string, err error) {
	if o.Max == 0 {
		o.Max = o.Nodes
	}
	if len(o.Zones) == 0 {
		o.Zones = l.options.Cloud.Zones
	}
	if o.Kubernetes == "" {
		o.Kubernetes = releases(l.machines.Images())[0].Kubernetes
	}
	var subnets []string
	for _, zone := range o.Zones {
		subnets = append(subnets, l.cloud.SubnetID(zone))
	}
	client := l.EKSClient()
	_, err = client.CreateNodegroup(ctx, &awseks.CreateNodegroupInput{
		ClusterName: aws.String(EKSCluster), NodegroupName: aws.String(o.Name), NodeRole: aws.String("arn:aws:iam::123456789012:role/nodes"),
		Subnets: subnets, InstanceTypes: []string{"m5.large"}, Version: aws.String(o.Kubernetes), UpdateConfig: o.Update, Labels: o.Labels, Taints: o.Taints,
		ScalingConfig: &types.NodegroupScalingConfig{MinSize: aws.Int32(int32(o.Min)), MaxSize: aws.Int32(int32(o.Max)), DesiredSize: aws.Int32(int32(o.Nodes))},
	})
	for err == nil {
		out, failed := client.DescribeNodegroup(ctx, &awseks.DescribeNodegroupInput{ClusterName: aws.String(EKSCluster), NodegroupName: aws.String(o.Name)})
		switch {
		case failed != nil:
			err = failed
		case out.Nodegroup.Status == types.NodegroupStatusActive:
			return *out.Nodegroup.Resources.AutoScalingGroups[0].Name, nil
		case out.Nodegroup.Status != types.NodegroupStatusCreating:
			err = fmt.Errorf("it is %s", out.Nodegroup.Status)
		case !try.Sleep(ctx, 50*time.Millisecond):
			err = context.Cause(ctx)
		}
	}
	return "", fmt.Errorf("add node group %s: %w", o.Name, err)
}

// UpdateNodegroup has EKS update a managed node group to its cluster's version and the recommended release.
func (l *Lab) UpdateNodegroup(ctx context.Context, name string, force bool) error {
	if l.eks == nil {
		return errors.New("this lab is no EKS cluster: lab up --eks is")
	}
	_, err := l.EKSClient().UpdateNodegroupVersion(ctx, &awseks.UpdateNodegroupVersionInput{ClusterName: aws.String(EKSCluster), NodegroupName: aws.String(name), Force: force})
	return err
}
