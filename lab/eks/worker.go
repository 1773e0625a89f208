package eks

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	asgtypes "github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab/try"
)

// worker carries out one update to another version.
type worker struct {
	s      *Service
	n      *nodegroup
	id     string
	to     target
	force  bool
	config types.NodegroupUpdateConfig

	version string // the launch template version that it made
	raised  int32  // by how much max and desired were raised
	base    int32  // the maximum before
}

func (w *worker) note(step, node, detail string) {
	w.s.note(Entry{Group: *w.n.NodegroupName, Update: w.id, Step: step, Node: node, Detail: detail})
}

// run is the update, phase after phase. It returns why it failed, nil if it did not.
func (w *worker) run(ctx context.Context) *types.ErrorDetail {
	minimal := w.config.UpdateStrategy == types.NodegroupUpdateStrategiesMinimal
	w.note(SetUp, "", string(w.config.UpdateStrategy))
	if !try.Sleep(ctx, w.s.now().Setup) || !w.setUp(ctx) {
		return nil
	}
	var why *types.ErrorDetail
	if !minimal {
		w.note(ScaleUp, "", "")
		why = w.scaleUp(ctx)
	}
	if why == nil {
		w.mark(ctx)
		w.note(Upgrade, "", "")
		why = w.upgrade(ctx, minimal)
	}
	if why != nil {
		w.note(Failed, "", string(why.ErrorCode))
		return why
	}
	if !minimal {
		w.note(ScaleDown, "", "")
		w.scaleDown(ctx)
	}
	if ctx.Err() == nil {
		w.note(Succeeded, "", "")
	}
	return nil
}

// insist repeats what can go wrong for a moment until it is done, and reports whether the
// context let it.
func (s *Service) insist(ctx context.Context, do func(context.Context) error) bool {
	for {
		if do(ctx) == nil {
			return true
		}
		if !try.Sleep(ctx, s.now().Poll) {
			return false
		}
	}
}

// setUp makes a version of the node group's launch template and lets the Auto Scaling
// group use it.
func (w *worker) setUp(ctx context.Context) bool {
	s := w.s
	return s.insist(ctx, func(ctx context.Context) error {
		made, err := s.ec2.CreateLaunchTemplateVersion(ctx, &ec2.CreateLaunchTemplateVersionInput{
			LaunchTemplateId: aws.String(w.n.template), SourceVersion: aws.String("$Latest"), ClientToken: aws.String(w.id),
			LaunchTemplateData: &ec2types.RequestLaunchTemplateData{
				ImageId: aws.String(w.to.release.AMI), UserData: aws.String(userData(w.n, w.to.release, w.to.source))},
		})
		if err == nil {
			w.version = strconv.FormatInt(*made.LaunchTemplateVersion.VersionNumber, 10)
		}
		return err
	}) && s.insist(ctx, func(ctx context.Context) error {
		_, err := s.asg.UpdateAutoScalingGroup(ctx, &autoscaling.UpdateAutoScalingGroupInput{
			AutoScalingGroupName: aws.String(w.n.asg()),
			MixedInstancesPolicy: &asgtypes.MixedInstancesPolicy{LaunchTemplate: &asgtypes.LaunchTemplate{
				LaunchTemplateSpecification: &asgtypes.LaunchTemplateSpecification{LaunchTemplateId: aws.String(w.n.template), Version: aws.String(w.version)}}},
		})
		return err
	})
}

// group reads the node group's Auto Scaling group.
func (s *Service) group(ctx context.Context, n *nodegroup) (asgtypes.AutoScalingGroup, error) {
	out, err := s.asg.DescribeAutoScalingGroups(ctx, &autoscaling.DescribeAutoScalingGroupsInput{AutoScalingGroupNames: []string{n.asg()}})
	if err != nil {
		return asgtypes.AutoScalingGroup{}, err
	}
	if len(out.AutoScalingGroups) == 0 {
		return asgtypes.AutoScalingGroup{}, fmt.Errorf("no Auto Scaling group %s", n.asg())
	}
	return out.AutoScalingGroups[0], nil
}

// member is an instance of a node group, with its node if it has joined.
type member struct {
	id, zone, version string
	node              string // "" before it joins
	ready             bool
	image             string // of the node, by its label
	state             asgtypes.LifecycleState
}

// members are a node group's instances.
func (s *Service) members(ctx context.Context, n *nodegroup) ([]member, error) {
	group, err := s.group(ctx, n)
	if err != nil {
		return nil, err
	}
	nodes, err := s.kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: groupLabel + "=" + *n.NodegroupName})
	if err != nil {
		return nil, err
	}
	byID := map[string]corev1.Node{}
	for _, node := range nodes.Items {
		byID[node.Spec.ProviderID[strings.LastIndex(node.Spec.ProviderID, "/")+1:]] = node
	}
	var all []member
	for _, i := range group.Instances {
		m := member{id: *i.InstanceId, zone: *i.AvailabilityZone, state: i.LifecycleState}
		if i.LaunchTemplate != nil {
			m.version = aws.ToString(i.LaunchTemplate.Version)
		}
		if node, joined := byID[m.id]; joined {
			m.node, m.image = node.Name, node.Labels[imageLabel]
			m.ready = slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
				return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
			})
		}
		all = append(all, m)
	}
	return all, nil
}

// names are what of is of members, without the empty ones.
func names(members []member, of func(member) string) []string {
	found := []string{}
	for _, m := range members {
		if name := of(m); name != "" {
			found = append(found, name)
		}
	}
	return found
}

// old reports whether a member is yet to be replaced.
func (w *worker) old(m member) bool { return m.version != w.version }

// leaving reports whether an instance is on its way out already.
func (m member) leaving() bool { return strings.HasPrefix(string(m.state), "Terminat") }

// atOnce is how many nodes the update takes at once: a percentage rounds down, to no less
// than one and no more than 100.
func (w *worker) atOnce(desired int32) int {
	if w.config.MaxUnavailablePercentage != nil {
		return min(100, max(1, int(desired*(*w.config.MaxUnavailablePercentage)/100)))
	}
	return int(aws.ToInt32(w.config.MaxUnavailable))
}

// scaleUp raises maximum and desired size by twice the number of zones or by what is
// unavailable at once, whichever is more, and waits until each zone with an old node has a
// new one, and every new node is Ready.
func (w *worker) scaleUp(ctx context.Context) *types.ErrorDetail {
	s := w.s
	var desired int32
	if !s.insist(ctx, func(ctx context.Context) error {
		g, err := s.group(ctx, w.n)
		if err != nil {
			return err
		}
		if w.raised == 0 { // else the answer was lost: not twice
			w.base, desired = *g.MaxSize, *g.DesiredCapacity
			w.raised = int32(max(2*len(g.AvailabilityZones), w.atOnce(desired)))
		}
		return w.resize(ctx, w.base+w.raised, desired+w.raised)
	}) {
		return nil
	}
	return w.awaitNew(ctx, func(all []member) bool {
		covered := map[string]bool{}
		for _, m := range all {
			if !w.old(m) && m.ready && m.image == w.to.release.AMI {
				covered[m.zone] = true
			}
		}
		for _, m := range all {
			if w.old(m) && !covered[m.zone] || !w.old(m) && m.node != "" && !m.ready {
				return false
			}
		}
		return true
	})
}

// awaitNew waits for new nodes; it fails after Times.Join.
func (w *worker) awaitNew(ctx context.Context, come func([]member) bool) *types.ErrorDetail {
	deadline := time.Now().Add(w.s.now().Join)
	for {
		all, err := w.s.members(ctx, w.n)
		if err == nil && come(all) {
			return nil
		}
		if err == nil && time.Now().After(deadline) {
			late := slices.DeleteFunc(all, func(m member) bool { return w.old(m) || m.ready })
			ids := names(late, func(m member) string { return m.id })
			if len(ids) == 0 {
				ids = []string{w.n.asg()}
			}
			return &types.ErrorDetail{ErrorCode: types.ErrorCodeNodeCreationFailure, ResourceIds: ids,
				ErrorMessage: aws.String("Couldn't proceed with upgrade process as new nodes are not joining node group " + *w.n.NodegroupName)}
		}
		if !try.Sleep(ctx, w.s.now().Poll) {
			return nil
		}
	}
}

func (w *worker) resize(ctx context.Context, most, desired int32) error {
	_, err := w.s.asg.UpdateAutoScalingGroup(ctx, &autoscaling.UpdateAutoScalingGroupInput{
		AutoScalingGroupName: aws.String(w.n.asg()), MaxSize: aws.Int32(most), DesiredCapacity: aws.Int32(desired)})
	return err
}

// mark keeps new pods off all old nodes.
func (w *worker) mark(ctx context.Context) {
	var all []member
	if !w.s.insist(ctx, func(ctx context.Context) (err error) { all, err = w.s.members(ctx, w.n); return err }) {
		return
	}
	for _, m := range all {
		if w.old(m) && m.node != "" && w.s.insist(ctx, func(ctx context.Context) error { return w.s.markNode(ctx, m.node) }) {
			w.note(Marked, m.node, "")
		}
	}
}

// upgrade takes random old nodes, as many as may be unavailable, drains and terminates
// them, and repeats that until none is left. Without nodes on top (MINIMAL) it waits for
// the replacements of each round.
func (w *worker) upgrade(ctx context.Context, minimal bool) *types.ErrorDetail {
	for ctx.Err() == nil {
		var all []member
		var group asgtypes.AutoScalingGroup
		if !w.s.insist(ctx, func(ctx context.Context) (err error) {
			if group, err = w.s.group(ctx, w.n); err == nil {
				all, err = w.s.members(ctx, w.n)
			}
			return err
		}) {
			return nil
		}
		left := slices.DeleteFunc(slices.Clone(all), func(m member) bool { return !w.old(m) || m.leaving() })
		if len(left) == 0 {
			return nil
		}
		round := w.pick(left, w.atOnce(*group.DesiredCapacity-w.raised))
		if why := w.replace(ctx, round, minimal); why != nil {
			return why
		}
		if !minimal {
			continue
		}
		if why := w.awaitNew(ctx, func(all []member) bool {
			ready := 0
			for _, m := range all {
				if (m.ready || w.old(m)) && !m.leaving() {
					ready++
				}
			}
			return ready >= int(*group.DesiredCapacity)
		}); why != nil {
			return why
		}
	}
	return nil
}

// pick takes up to n members at random.
func (w *worker) pick(left []member, n int) []member {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	slices.SortFunc(left, func(a, b member) int { return strings.Compare(a.id, b.id) })
	w.s.random.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	return left[:min(n, len(left))]
}

// replace drains and terminates the nodes of a round, side by side. MINIMAL does not wait in between.
func (w *worker) replace(ctx context.Context, round []member, minimal bool) *types.ErrorDetail {
	var mu sync.Mutex
	var kept []string
	var rest sync.WaitGroup
	for _, m := range round {
		rest.Go(func() {
			if m.node != "" {
				w.note(Picked, m.node, "")
				if !w.s.drain(ctx, drain{group: *w.n.NodegroupName, update: w.id, node: m.node, force: w.force, deadlines: w.s.now}) {
					mu.Lock()
					defer mu.Unlock()
					kept = append(kept, m.node)
					return
				}
				w.note(Drained, m.node, "")
				if !minimal && !try.Sleep(ctx, w.s.now().Settle) {
					return
				}
			}
			w.terminate(ctx, m)
		})
	}
	rest.Wait()
	if len(kept) == 0 || ctx.Err() != nil {
		return nil
	}
	slices.Sort(kept)
	return &types.ErrorDetail{ErrorCode: types.ErrorCodePodEvictionFailure, ResourceIds: kept,
		ErrorMessage: aws.String("Reached max retries while trying to evict pods from nodes in node group " + *w.n.NodegroupName)}
}

// terminate asks the Auto Scaling group to terminate an instance and to replace it, and
// waits until it is gone.
func (w *worker) terminate(ctx context.Context, m member) {
	asked := false
	for {
		all, err := w.s.members(ctx, w.n)
		at := slices.IndexFunc(all, func(o member) bool { return o.id == m.id })
		if err == nil && at < 0 {
			w.note(Gone, m.node, m.id)
			return
		}
		if err == nil && !asked && !all[at].leaving() {
			w.s.drained(w.n, m.id)
			_, err = w.s.asg.TerminateInstanceInAutoScalingGroup(ctx, &autoscaling.TerminateInstanceInAutoScalingGroupInput{
				InstanceId: aws.String(m.id), ShouldDecrementDesiredCapacity: aws.Bool(false)})
			if asked = err == nil; asked {
				w.note(Terminated, m.node, m.id)
			}
		}
		if !try.Sleep(ctx, w.s.now().Poll) {
			return
		}
	}
}

// scaleDown lowers maximum and desired size step by step to what they were. If a user
// else raises the desired size meanwhile, it ends there and then.
func (w *worker) scaleDown(ctx context.Context) {
	expect := int32(-1)
	for left := w.raised; left > 0; {
		g, err := w.s.group(ctx, w.n)
		switch {
		case err == nil && expect >= 0 && *g.DesiredCapacity > expect:
			w.note(LeftRaised, "", fmt.Sprintf("%d", left))
			return
		case err == nil && w.resize(ctx, w.base+left-1, *g.DesiredCapacity-1) == nil:
			expect, left = *g.DesiredCapacity-1, left-1
			w.note(Shrunk, "", fmt.Sprintf("%d", expect))
		}
		if !try.Sleep(ctx, w.s.now().Shrink) {
			return
		}
	}
}

// configure carries out an update of the configuration, and reports whether the context
// let it: sizes of the Auto Scaling group, labels of the nodes.
func (s *Service) configure(ctx context.Context, n *nodegroup, next types.Nodegroup, in *eks.UpdateNodegroupConfigInput) bool {
	if in.ScalingConfig != nil && !s.insist(ctx, func(ctx context.Context) error {
		c := next.ScalingConfig
		_, err := s.asg.UpdateAutoScalingGroup(ctx, &autoscaling.UpdateAutoScalingGroupInput{
			AutoScalingGroupName: aws.String(n.asg()), MinSize: c.MinSize, MaxSize: c.MaxSize, DesiredCapacity: c.DesiredSize})
		return err
	}) {
		return false
	}
	if in.Labels == nil {
		return true
	}
	return s.insist(ctx, func(ctx context.Context) error {
		all, err := s.members(ctx, n)
		for _, m := range all {
			if m.node != "" && err == nil {
				err = s.relabel(ctx, m.node, in.Labels)
			}
		}
		return err
	})
}
