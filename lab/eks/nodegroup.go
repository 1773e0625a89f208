package eks

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"

	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/try"
)

// The labels that the service gives to nodes.
const (
	groupLabel   = "eks.amazonaws.com/nodegroup"
	imageLabel   = "eks.amazonaws.com/nodegroup-image"
	sourceID     = "eks.amazonaws.com/sourceLaunchTemplateId"
	sourceNumber = "eks.amazonaws.com/sourceLaunchTemplateVersion"
	capacity     = "eks.amazonaws.com/capacityType"
)

// nodegroup is the node group that a call names. The caller holds mu.
func (s *Service) nodegroup(cluster, name *string) (*nodegroup, *problem) {
	if p := s.known(cluster); p != nil {
		return nil, p
	}
	if n := s.groups[aws.ToString(name)]; n != nil {
		return n, nil
	}
	return nil, notFound(map[string]string{"clusterName": s.o.Cluster, "nodegroupName": aws.ToString(name)},
		"No node group found for name: %s.", aws.ToString(name))
}

func (s *Service) listNodegroups(in *eks.ListNodegroupsInput) (*eks.ListNodegroupsOutput, *problem) {
	if p := s.known(in.ClusterName); p != nil {
		return nil, p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	names := slices.Sorted(maps.Keys(s.groups))
	some, next, p := page(names, in.MaxResults, in.NextToken)
	return &eks.ListNodegroupsOutput{Nodegroups: some, NextToken: next}, p
}

func (s *Service) describeNodegroup(in *eks.DescribeNodegroupInput) (*eks.DescribeNodegroupOutput, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, p := s.nodegroup(in.ClusterName, in.NodegroupName)
	if p != nil {
		return nil, p
	}
	told := n.Nodegroup
	return &eks.DescribeNodegroupOutput{Nodegroup: &told}, nil
}

// createNodegroup makes a node group with a launch template and an Auto Scaling group of
// the service's own, and starts to wait for its nodes.
func (s *Service) createNodegroup(in *eks.CreateNodegroupInput) (*eks.CreateNodegroupOutput, *problem) {
	if p := s.known(in.ClusterName); p != nil {
		return nil, p
	}
	if p := creatable(in); p != nil {
		return nil, p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := aws.ToString(in.NodegroupName)
	if s.groups[name] != nil {
		return nil, inUse(map[string]string{"clusterName": s.o.Cluster, "nodegroupName": name},
			"NodeGroup already exists with name %s and cluster name %s", name, s.o.Cluster)
	}
	kubernetes := aws.ToString(in.Version)
	if kubernetes == "" {
		kubernetes = s.o.Version
	}
	release, ok := s.release(kubernetes, aws.ToString(in.ReleaseVersion))
	if !ok {
		return nil, invalidParameter("Requested release version %s is not valid for kubernetes version %s.", aws.ToString(in.ReleaseVersion), kubernetes)
	}
	id := fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", s.random.Uint32(), s.random.IntN(1<<16), s.random.IntN(1<<16), s.random.IntN(1<<16), s.random.Int64N(1<<48))
	n := &nodegroup{ending: map[string]bool{}, Nodegroup: types.Nodegroup{
		ClusterName: in.ClusterName, NodegroupName: in.NodegroupName, NodegroupArn: s.arn("nodegroup/" + s.o.Cluster + "/" + name + "/" + id),
		Version: aws.String(kubernetes), ReleaseVersion: aws.String(release.Version), AmiType: types.AMITypesAl2023X8664Standard,
		CapacityType: types.CapacityTypesOnDemand, CreatedAt: stamp(), ModifiedAt: stamp(), Status: types.NodegroupStatusCreating,
		InstanceTypes: in.InstanceTypes, Subnets: in.Subnets, NodeRole: in.NodeRole, Tags: in.Tags,
		Labels: in.Labels, Taints: in.Taints, LaunchTemplate: in.LaunchTemplate, NodeRepairConfig: in.NodeRepairConfig, WarmPoolConfig: in.WarmPoolConfig,
		ScalingConfig: in.ScalingConfig, UpdateConfig: withDefaults(in.UpdateConfig),
		Health:    &types.NodegroupHealth{Issues: []types.Issue{}},
		Resources: &types.NodegroupResources{AutoScalingGroups: []types.AutoScalingGroup{{Name: aws.String("eks-" + name + "-" + id)}}},
	}}
	if len(n.InstanceTypes) == 0 {
		n.InstanceTypes = []string{"t3.medium"}
	}
	s.build(n, id, release)
	s.groups[name] = n
	s.work.Go(func() { s.awaitCreated(n) })
	told := n.Nodegroup
	return &eks.CreateNodegroupOutput{Nodegroup: &told}, nil
}

// creatable checks a call's own members.
func creatable(in *eks.CreateNodegroupInput) *problem {
	c := in.ScalingConfig
	switch {
	case aws.ToString(in.NodegroupName) == "" || aws.ToString(in.NodeRole) == "" || len(in.Subnets) == 0:
		return invalidParameter("nodegroupName, nodeRole and subnets are required")
	case c == nil || c.MinSize == nil || c.MaxSize == nil || c.DesiredSize == nil:
		return invalidParameter("Minimum capacity, maximum capacity and desired capacity are required")
	}
	return checkSizes(c)
}

func checkSizes(c *types.NodegroupScalingConfig) *problem {
	switch {
	case *c.MinSize > *c.DesiredSize:
		return invalidParameter("Minimum capacity %d can't be greater than desired size %d", *c.MinSize, *c.DesiredSize)
	case *c.DesiredSize > *c.MaxSize:
		return invalidParameter("desired capacity %d can't be greater than max size %d", *c.DesiredSize, *c.MaxSize)
	}
	return nil
}

// withDefaults is an update configuration as the service tells it: one node at a time,
// DEFAULT.
func withDefaults(c *types.NodegroupUpdateConfig) *types.NodegroupUpdateConfig {
	u := types.NodegroupUpdateConfig{}
	if c != nil {
		u = *c
	}
	if u.MaxUnavailable == nil && u.MaxUnavailablePercentage == nil {
		u.MaxUnavailable = aws.Int32(1)
	}
	if u.UpdateStrategy == "" {
		u.UpdateStrategy = types.NodegroupUpdateStrategiesDefault
	}
	return &u
}

// build makes the launch template and the Auto Scaling group of a node group, which has
// a mixed instances policy, tags for the autoscaler, and a hook for its terminations. The
// caller holds mu.
func (s *Service) build(n *nodegroup, id string, r Release) {
	name := *n.NodegroupName
	n.template = s.cloud.CreateLaunchTemplate("eks-"+id, cloud.TemplateData{ImageID: r.AMI, InstanceType: n.InstanceTypes[0], UserData: userData(n, r, n.LaunchTemplate),
		Tags: map[string]string{"eks:cluster-name": s.o.Cluster, "eks:nodegroup-name": name}})
	spec := cloud.GroupSpec{
		Name: n.asg(), Min: int(*n.ScalingConfig.MinSize), Max: int(*n.ScalingConfig.MaxSize), Desired: int(*n.ScalingConfig.DesiredSize),
		SubnetIDs: n.Subnets, Template: cloud.TemplateRef{ID: n.template, Version: "1"},
		Tags: map[string]string{
			"eks:cluster-name": s.o.Cluster, "eks:nodegroup-name": name, "kubernetes.io/cluster/" + s.o.Cluster: "owned",
			"k8s.io/cluster-autoscaler/enabled": "true", "k8s.io/cluster-autoscaler/" + s.o.Cluster: "owned",
		},
	}
	for _, kind := range n.InstanceTypes {
		spec.Overrides = append(spec.Overrides, cloud.Override{InstanceType: kind})
	}
	s.cloud.CreateGroup(spec)
	s.cloud.PutHook(n.asg(), terminateHook)
}

// userData is how an instance joins: its kubelet registers with the service's labels and
// those of the node group, and with its taints.
func userData(n *nodegroup, r Release, source *types.LaunchTemplateSpecification) string {
	labels := map[string]string{groupLabel: *n.NodegroupName, imageLabel: r.AMI, capacity: string(n.CapacityType)}
	if source != nil {
		labels[sourceID], labels[sourceNumber] = aws.ToString(source.Id), aws.ToString(source.Version)
	}
	maps.Copy(labels, n.Labels)
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		pairs = append(pairs, key+"="+labels[key])
	}
	args := "--node-labels=" + strings.Join(pairs, ",")
	if len(n.Taints) > 0 {
		args += " --register-with-taints=" + strings.Join(taintsOf(n), ",")
	}
	script := "#!/bin/bash\n/etc/eks/bootstrap.sh " + *n.ClusterName + " --kubelet-extra-args '" + args + "'\n"
	return base64.StdEncoding.EncodeToString([]byte(script))
}

// effects are Kubernetes's words for the effects of taints.
var effects = map[types.TaintEffect]string{
	types.TaintEffectNoSchedule: "NoSchedule", types.TaintEffectNoExecute: "NoExecute", types.TaintEffectPreferNoSchedule: "PreferNoSchedule",
}

// taintsOf are a node group's taints as a kubelet takes them.
func taintsOf(n *nodegroup) (out []string) {
	for _, t := range n.Taints {
		out = append(out, aws.ToString(t.Key)+"="+aws.ToString(t.Value)+":"+effects[t.Effect])
	}
	return out
}

// awaitCreated waits until as many nodes as are desired are Ready.
func (s *Service) awaitCreated(n *nodegroup) {
	ctx, cancel := context.WithTimeout(s.ctx, s.now().Join)
	defer cancel()
	for {
		members, err := s.members(ctx, n)
		ready := 0
		for _, m := range members {
			if m.ready {
				ready++
			}
		}
		if err == nil && ready >= int(*n.ScalingConfig.DesiredSize) {
			s.settle(n, types.NodegroupStatusActive)
			return
		}
		if try.Sleep(ctx, s.now().Poll) {
			continue
		}
		if s.ctx.Err() == nil {
			s.SetIssues(*n.NodegroupName, types.Issue{Code: types.NodegroupIssueCodeNodeCreationFailure,
				Message: aws.String("Instances failed to join the kubernetes cluster"), ResourceIds: names(members, func(m member) string { return m.id })})
			s.settle(n, types.NodegroupStatusCreateFailed)
		}
		return
	}
}

// settle sets a node group's status.
func (s *Service) settle(n *nodegroup, status types.NodegroupStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n.Status, n.ModifiedAt = status, stamp()
}

// deleteNodegroup starts to drain all nodes of a group, by force after Times.Delete, and
// to take the group away.
func (s *Service) deleteNodegroup(in *eks.DeleteNodegroupInput) (*eks.DeleteNodegroupOutput, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, p := s.nodegroup(in.ClusterName, in.NodegroupName)
	if p != nil {
		return nil, p
	}
	if n.active {
		return nil, s.busy(n)
	}
	n.active, n.Status = true, types.NodegroupStatusDeleting
	s.work.Go(func() { s.remove(n) })
	told := n.Nodegroup
	return &eks.DeleteNodegroupOutput{Nodegroup: &told}, nil
}

// remove carries out the deletion: no replacements, all nodes drained at once, then the
// Auto Scaling group goes.
func (s *Service) remove(n *nodegroup) {
	s.insist(s.ctx, func(ctx context.Context) error {
		_, err := s.asg.UpdateAutoScalingGroup(ctx, &autoscaling.UpdateAutoScalingGroupInput{
			AutoScalingGroupName: aws.String(n.asg()), MinSize: aws.Int32(0), DesiredCapacity: aws.Int32(0)})
		return err
	})
	for {
		members, err := s.members(s.ctx, n)
		if err == nil && len(members) == 0 {
			break
		}
		if !try.Sleep(s.ctx, s.now().Poll) {
			return
		}
	}
	s.cloud.DeleteGroup(n.asg())
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.groups, *n.NodegroupName)
}

// busy is the error while another update is under way. The caller holds mu.
func (s *Service) busy(n *nodegroup) *problem {
	return &problem{http.StatusConflict, "ResourceInUseException", "Nodegroup cannot be updated as it is currently not in Active State",
		map[string]string{"clusterName": s.o.Cluster, "nodegroupName": *n.NodegroupName}}
}
