package asg

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// Summary is a group and how it stands.
type Summary struct {
	world.Group
	// Machines counts the members, Outdated those of them that were launched from
	// another template version than the group (or one of its overrides) has now.
	// Machines on their way out count in neither. Of a part of a Whole Outdated counts those of
	// the warm pool, too.
	Machines, Outdated int
	// Members are the ids of those that count.
	Members []string
	// Detached are the ids of machines that were taken out of the group and are still
	// there; only GroupsOf tells.
	Detached []string
}

// clusterTag marks what belongs to a cluster; its value is owned or shared.
const clusterTag = "kubernetes.io/cluster/"

// Groups finds the groups of a cluster, sorted by name: those with a member
// among the given machine ids (the nodes'), and those tagged
// kubernetes.io/cluster/<cluster>, which may be empty. cluster may be "".
func (c *Client) Groups(ctx context.Context, machineIDs map[string]bool, cluster string) ([]Summary, error) {
	all, err := c.describeAll(ctx)
	if err != nil {
		return nil, err
	}
	var ours []types.AutoScalingGroup
	for _, g := range all {
		if owns(g, machineIDs, cluster) {
			ours = append(ours, g)
		}
	}
	return c.summaries(ctx, ours)
}

// Owned are the tags of the groups that Groups finds, by their names, without looking at
// what they launch.
func (c *Client) Owned(ctx context.Context, machineIDs map[string]bool, cluster string) (map[string]map[string]string, error) {
	all, err := c.describeAll(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]map[string]string{}
	for _, g := range all {
		if owns(g, machineIDs, cluster) {
			out[transport.Text(g.AutoScalingGroupName)] = tagsOf(g)
		}
	}
	return out, nil
}

// summaries resolves groups and counts their machines, sorted by name.
func (c *Client) summaries(ctx context.Context, groups []types.AutoScalingGroup) ([]Summary, error) {
	out, errs := make([]Summary, len(groups)), make([]error, len(groups))
	slots := make(chan struct{}, 4) // enough to be quick, too few to be throttled
	var wg sync.WaitGroup
	for i, g := range groups {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = live.Caught(func() (err error) {
				out[i], err = c.summary(ctx, g)
				return err
			})
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b Summary) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// Group reads one group by name. If there is none, the error wraps ErrNotFound
// and names groups that may have been meant.
func (c *Client) Group(ctx context.Context, name string) (Summary, error) {
	g, err := c.describe(ctx, name)
	if errors.Is(err, transport.ErrNotFound) {
		return Summary{}, c.Unknown(ctx, err, name)
	}
	if err != nil {
		return Summary{}, err
	}
	return c.summary(ctx, g)
}

// Unknown adds to the error for a group that there is not the names of groups that may have been meant.
func (c *Client) Unknown(ctx context.Context, err error, name string) error {
	all, failed := c.describeAll(ctx)
	if failed != nil {
		return err // the names would only have been a help
	}
	return c.unknown(name, all)
}

func owns(g types.AutoScalingGroup, machineIDs map[string]bool, cluster string) bool {
	for _, i := range g.Instances {
		if machineIDs[transport.Text(i.InstanceId)] {
			return true
		}
	}
	_, tagged := tagsOf(g)[clusterTag+cluster]
	return tagged && cluster != ""
}

// summary resolves a group and counts its machines.
func (c *Client) summary(ctx context.Context, g types.AutoScalingGroup) (Summary, error) {
	group, err := c.group(ctx, g)
	if err != nil {
		return Summary{}, err
	}
	if group.Refused == "" {
		if group.Refresh, err = c.refreshing(ctx, group.Name); err != nil && !errors.Is(err, transport.ErrNotFound) { // deleted since
			return Summary{}, err
		}
	}
	s := Summary{Group: group}
	for _, m := range machines(g) {
		if m.Leaving() {
			continue
		}
		s.Machines++
		s.Members = append(s.Members, m.ID)
		if m.Template != group.Template && !slices.Contains(group.Overrides, m.Template) {
			s.Outdated++
		}
	}
	return s, nil
}
