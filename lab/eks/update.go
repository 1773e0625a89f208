package eks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"

	"github.com/drainboard/drainboard/lab/try"
)

// listUpdates lists ids in no order that tells which is the latest.
func (s *Service) listUpdates(in *eks.ListUpdatesInput) (*eks.ListUpdatesOutput, *problem) {
	if in.NodegroupName == nil {
		if p := s.known(in.Name); p != nil {
			return nil, p
		}
		return &eks.ListUpdatesOutput{UpdateIds: []string{}}, nil // those of the cluster itself: none
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n, p := s.nodegroup(in.Name, in.NodegroupName)
	if p != nil {
		return nil, p
	}
	ids := []string{}
	for _, u := range n.updates {
		ids = append(ids, *u.Id)
	}
	slices.Sort(ids)
	some, next, p := page(ids, in.MaxResults, in.NextToken)
	return &eks.ListUpdatesOutput{UpdateIds: some, NextToken: next}, p
}

func (s *Service) describeUpdate(in *eks.DescribeUpdateInput) (*eks.DescribeUpdateOutput, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.NodegroupName != nil {
		n, p := s.nodegroup(in.Name, in.NodegroupName)
		if p != nil {
			return nil, p
		}
		for _, u := range n.updates {
			if *u.Id == aws.ToString(in.UpdateId) {
				told := *u
				return &eks.DescribeUpdateOutput{Update: &told}, nil
			}
		}
	}
	return nil, notFound(nil, "No update found for ID: %s", aws.ToString(in.UpdateId))
}

// begin makes an update of a node group, unless another one is under way. A client token
// gets the update that it made before. The caller holds mu.
func (s *Service) begin(n *nodegroup, kind types.UpdateType, token *string, params []types.UpdateParam) (u *types.Update, fresh bool, p *problem) {
	key := string(kind) + " " + *n.NodegroupName + " " + aws.ToString(token)
	if id, used := s.tokens[key]; used && token != nil {
		for _, u := range n.updates {
			if *u.Id == id {
				return u, false, nil
			}
		}
	}
	if n.active || n.Status != types.NodegroupStatusActive {
		return nil, false, s.busy(n)
	}
	id := fmt.Sprintf("%08x-%04x-3%03x-a%03x-%012x", s.random.Uint32(), s.random.IntN(1<<16), s.random.IntN(1<<12), s.random.IntN(1<<12), s.random.Int64N(1<<48))
	u = &types.Update{Id: aws.String(id), Status: types.UpdateStatusInProgress, Type: kind, Params: params, CreatedAt: stamp(), Errors: []types.ErrorDetail{}}
	n.updates = append(n.updates, u)
	n.active, n.Status, n.ModifiedAt = true, types.NodegroupStatusUpdating, stamp()
	s.tokens[key] = id
	return u, true, nil
}

// end tells how an update ended; after lets what it changed be told.
func (s *Service) end(n *nodegroup, u *types.Update, why *types.ErrorDetail, after func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n.active, n.Status, n.ModifiedAt = false, types.NodegroupStatusActive, stamp()
	if why != nil {
		u.Status, u.Errors = types.UpdateStatusFailed, []types.ErrorDetail{*why}
		return
	}
	u.Status = types.UpdateStatusSuccessful
	after()
}

// updateVersion starts an update to another version: what is not named is the cluster's
// Kubernetes version, its recommended release, the launch template's default version.
func (s *Service) updateVersion(in *eks.UpdateNodegroupVersionInput) (*eks.UpdateNodegroupVersionOutput, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, p := s.nodegroup(in.ClusterName, in.NodegroupName)
	if p != nil {
		return nil, p
	}
	to, p := s.target(n, in)
	if p != nil {
		return nil, p
	}
	params := []types.UpdateParam{
		{Type: types.UpdateParamTypeVersion, Value: aws.String(to.release.Kubernetes)},
		{Type: types.UpdateParamTypeReleaseVersion, Value: aws.String(to.release.Version)},
	}
	if in.LaunchTemplate != nil {
		params = append(params,
			types.UpdateParam{Type: types.UpdateParamTypeLaunchTemplateName, Value: to.source.Name},
			types.UpdateParam{Type: types.UpdateParamTypeLaunchTemplateVersion, Value: to.source.Version})
	}
	u, fresh, p := s.begin(n, types.UpdateTypeVersionUpdate, in.ClientRequestToken, params)
	if p != nil {
		return nil, p
	}
	if fresh {
		w := &worker{s: s, n: n, id: *u.Id, to: to, force: in.Force, config: *n.UpdateConfig}
		s.work.Go(func() {
			why := w.run(s.ctx)
			if s.ctx.Err() != nil {
				return
			}
			s.end(n, u, why, func() {
				n.Version, n.ReleaseVersion, n.LaunchTemplate = aws.String(to.release.Kubernetes), aws.String(to.release.Version), to.source
			})
		})
	}
	told := *u
	return &eks.UpdateNodegroupVersionOutput{Update: &told}, nil
}

// target is what an update goes to.
type target struct {
	release Release
	source  *types.LaunchTemplateSpecification // the caller's template, nil without one
}

// target checks what a call asks for. The caller holds mu.
func (s *Service) target(n *nodegroup, in *eks.UpdateNodegroupVersionInput) (target, *problem) {
	to := target{source: n.LaunchTemplate}
	version := aws.ToString(in.Version)
	if version == "" {
		version = s.o.Version
	}
	if minor(version) > minor(s.o.Version) {
		return to, invalidParameter("Requested Kubernetes version %s is higher than the cluster's version %s.", version, s.o.Version)
	}
	if minor(version) < minor(*n.Version) {
		return to, invalidParameter("Requested Kubernetes version %s is lower than the node group's version %s.", version, *n.Version)
	}
	release, ok := s.release(version, aws.ToString(in.ReleaseVersion))
	if !ok {
		return to, invalidParameter("Requested release version %s is not valid for kubernetes version %s.", aws.ToString(in.ReleaseVersion), version)
	}
	to.release = release
	if in.LaunchTemplate == nil {
		return to, nil
	}
	if n.LaunchTemplate == nil {
		return to, invalidParameter("You cannot specify a launch template for a node group that was not created with one.")
	}
	if in.LaunchTemplate.Id != nil && *in.LaunchTemplate.Id != aws.ToString(n.LaunchTemplate.Id) ||
		in.LaunchTemplate.Name != nil && *in.LaunchTemplate.Name != aws.ToString(n.LaunchTemplate.Name) {
		return to, invalidParameter("You cannot change the launch template of a node group.")
	}
	source := *n.LaunchTemplate
	source.Version = in.LaunchTemplate.Version
	to.source = &source
	return to, nil
}

// minor is the second part of a Kubernetes version.
func minor(version string) int {
	_, second, _ := strings.Cut(version, ".")
	n, _ := strconv.Atoi(second)
	return n
}

// updateConfig starts an update of sizes, labels, taints and how nodes are updated.
func (s *Service) updateConfig(in *eks.UpdateNodegroupConfigInput) (*eks.UpdateNodegroupConfigOutput, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, p := s.nodegroup(in.ClusterName, in.NodegroupName)
	if p != nil {
		return nil, p
	}
	next := n.Nodegroup
	if p := reconfigure(&next, in); p != nil {
		return nil, p
	}
	u, fresh, p := s.begin(n, types.UpdateTypeConfigUpdate, in.ClientRequestToken, configParams(in))
	if p != nil {
		return nil, p
	}
	if fresh {
		s.work.Go(func() {
			if try.Sleep(s.ctx, s.now().Config) && s.configure(s.ctx, n, next, in) {
				s.end(n, u, nil, func() {
					n.ScalingConfig, n.UpdateConfig, n.Labels, n.Taints = next.ScalingConfig, next.UpdateConfig, next.Labels, next.Taints
					n.NodeRepairConfig, n.WarmPoolConfig = next.NodeRepairConfig, next.WarmPoolConfig
				})
			}
		})
	}
	told := *u
	return &eks.UpdateNodegroupConfigOutput{Update: &told}, nil
}

// reconfigure lays what a call asks for over a node group.
func reconfigure(n *types.Nodegroup, in *eks.UpdateNodegroupConfigInput) *problem {
	if c := in.ScalingConfig; c != nil {
		sizes := *n.ScalingConfig
		sizes.MinSize, sizes.MaxSize = cmp.Or(c.MinSize, sizes.MinSize), cmp.Or(c.MaxSize, sizes.MaxSize)
		sizes.DesiredSize = cmp.Or(c.DesiredSize, sizes.DesiredSize)
		if p := checkSizes(&sizes); p != nil {
			return p
		}
		n.ScalingConfig = &sizes
	}
	if c := in.UpdateConfig; c != nil {
		if c.MaxUnavailable != nil && c.MaxUnavailablePercentage != nil {
			return invalidParameter("maxUnavailable and maxUnavailablePercentage cannot be specified together")
		}
		u := *c
		u.UpdateStrategy = cmp.Or(c.UpdateStrategy, n.UpdateConfig.UpdateStrategy)
		if c.MaxUnavailable == nil && c.MaxUnavailablePercentage == nil {
			u.MaxUnavailable, u.MaxUnavailablePercentage = n.UpdateConfig.MaxUnavailable, n.UpdateConfig.MaxUnavailablePercentage
		}
		n.UpdateConfig = &u
	}
	if l := in.Labels; l != nil {
		labels := maps.Clone(n.Labels)
		if labels == nil {
			labels = map[string]string{}
		}
		maps.Copy(labels, l.AddOrUpdateLabels)
		for _, key := range l.RemoveLabels {
			delete(labels, key)
		}
		n.Labels = labels
	}
	if t := in.Taints; t != nil {
		gone := func(o types.Taint) bool {
			same := func(t types.Taint) bool { return aws.ToString(t.Key) == aws.ToString(o.Key) && t.Effect == o.Effect }
			return slices.ContainsFunc(t.AddOrUpdateTaints, same) || slices.ContainsFunc(t.RemoveTaints, same)
		}
		n.Taints = append(slices.DeleteFunc(slices.Clone(n.Taints), gone), t.AddOrUpdateTaints...)
	}
	n.NodeRepairConfig = cmp.Or(in.NodeRepairConfig, n.NodeRepairConfig)
	n.WarmPoolConfig = cmp.Or(in.WarmPoolConfig, n.WarmPoolConfig)
	return nil
}

// configParams are the parameters that an update of the configuration tells.
func configParams(in *eks.UpdateNodegroupConfigInput) []types.UpdateParam {
	params := []types.UpdateParam{}
	add := func(kind types.UpdateParamType, value any) {
		params = append(params, types.UpdateParam{Type: kind, Value: aws.String(fmt.Sprint(value))})
	}
	number := func(kind types.UpdateParamType, value *int32) {
		if value != nil {
			add(kind, *value)
		}
	}
	if c := in.ScalingConfig; c != nil {
		number(types.UpdateParamTypeMinSize, c.MinSize)
		number(types.UpdateParamTypeMaxSize, c.MaxSize)
		number(types.UpdateParamTypeDesiredSize, c.DesiredSize)
	}
	if c := in.UpdateConfig; c != nil {
		number(types.UpdateParamTypeMaxUnavailable, c.MaxUnavailable)
		number(types.UpdateParamTypeMaxUnavailablePercentage, c.MaxUnavailablePercentage)
		if c.UpdateStrategy != "" {
			add(types.UpdateParamTypeUpdateStrategy, c.UpdateStrategy)
		}
	}
	if l := in.Labels; l != nil {
		if len(l.AddOrUpdateLabels) > 0 {
			labels, _ := json.Marshal(l.AddOrUpdateLabels)
			add(types.UpdateParamTypeLabelsToAdd, string(labels))
		}
		if len(l.RemoveLabels) > 0 {
			labels, _ := json.Marshal(l.RemoveLabels)
			add(types.UpdateParamTypeLabelsToRemove, string(labels))
		}
	}
	return params
}
