package asg

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// Whole is what several groups make up together, such as a cluster of kops's. It is told
// by tags.
type Whole struct {
	// Provider is that of its groups, as in world.Group.Provider.
	Provider string
	// Key and Value are a tag that all its groups and their machines carry.
	Key, Value string
	// Detached is the key of the tag on machines that were detached, as in
	// ExecutorOptions.
	Detached string
	// Role tells by a group's tags what its machines do, "" for a group that is no part
	// of the whole all the same.
	Role func(tags map[string]string) world.Role
	// Alias tells what people call a group by its name and tags, as in world.Peer.
	Alias func(name string, tags map[string]string) string
	// Unmade, if set, tells the groups that the whole is to have and for which the cloud has
	// none: has tells by aliases which it has.
	Unmade func(ctx context.Context, has func(alias string) bool) ([]world.Peer, error)
}

// String is the tag: key=value.
func (w Whole) String() string { return transport.Clean(w.Key + "=" + w.Value) }

// groups reads those of the whole. Auto Scaling's filters match whole values.
func (w Whole) groups(ctx context.Context, c *Client) ([]types.AutoScalingGroup, error) {
	name := "tag:" + w.Key
	all, err := c.describeAll(ctx, types.Filter{Name: &name, Values: []string{w.Value}})
	return slices.DeleteFunc(all, func(g types.AutoScalingGroup) bool { return w.Role(tagsOf(g)) == "" }), err
}

// fill adds what the whole tells of one of its groups.
func (w Whole) fill(g *world.Group) {
	g.Provider, g.Role = w.Provider, w.Role(g.Tags)
}

// peers are the groups of the whole, sorted by name. Those that are being deleted are
// none, nor do machines count that EC2 has ended. The error is of those that the whole is
// to have besides, which are left out then.
func (w Whole) peers(ctx context.Context, all []types.AutoScalingGroup, ended map[string]bool) ([]world.Peer, error) {
	var out []world.Peer
	aliases := map[string]bool{}
	for _, g := range all {
		if g.Status != nil {
			continue
		}
		name, tags := transport.Text(g.AutoScalingGroupName), tagsOf(g)
		p := world.Peer{Name: name, Alias: w.Alias(name, tags), Role: w.Role(tags), Size: sizesOf(g).Desired}
		aliases[p.Alias] = true
		for _, m := range machines(g) {
			if !m.Leaving() && m.Detail != string(types.LifecycleStateDetaching) && !ended[m.ID] {
				p.Machines = append(p.Machines, m.ID)
			}
		}
		out = append(out, p)
	}
	var err error
	if w.Unmade != nil {
		ctx, cancel := transport.Bounded(ctx, callTimeout)
		defer cancel()
		var unmade []world.Peer
		unmade, err = w.Unmade(ctx, func(alias string) bool { return aliases[alias] })
		out = append(out, unmade...)
	}
	slices.SortFunc(out, func(a, b world.Peer) int { return cmp.Compare(a.Name, b.Name) })
	return out, err
}

// GroupsOf finds the groups of a whole, sorted by name, and what was detached from them.
func (c *Client) GroupsOf(ctx context.Context, w Whole) ([]Summary, error) {
	all, err := w.groups(ctx, c)
	if err != nil {
		return nil, err
	}
	for i, g := range all { // what is on its way out of its group is detached already
		all[i].Instances = slices.DeleteFunc(g.Instances, func(i types.Instance) bool { return i.LifecycleState == types.LifecycleStateDetaching })
	}
	detached, err := c.detachedFrom(ctx, w, all)
	if err != nil {
		return nil, err
	}
	out, err := c.summaries(ctx, all)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if err := c.countWarm(ctx, all, &out[i]); err != nil {
			return nil, err
		}
		w.fill(&out[i].Group)
		out[i].Detached = detached[out[i].Name]
	}
	return out, err
}

// countWarm adds the outdated machines of a group's warm pool, where it has one and it may be
// read: they make the group outdated, as kops has it.
func (c *Client) countWarm(ctx context.Context, all []types.AutoScalingGroup, s *Summary) error {
	i := slices.IndexFunc(all, func(g types.AutoScalingGroup) bool { return transport.Text(g.AutoScalingGroupName) == s.Name })
	if i < 0 || all[i].WarmPoolConfiguration == nil {
		return nil
	}
	warm, err := c.warmPool(ctx, s.Name)
	if errors.Is(err, transport.ErrForbidden) {
		return nil
	}
	for _, m := range warm {
		if !m.Leaving() && m.Template != s.Template && !slices.Contains(s.Overrides, m.Template) {
			s.Outdated++
		}
	}
	return err
}

// detachedFrom are the machines that were detached from groups of a whole and are still
// there, by group, sorted. One that carries the tag and is a member all the same is not
// detached.
func (c *Client) detachedFrom(ctx context.Context, w Whole, groups []types.AutoScalingGroup) (map[string][]string, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	tagged, err := c.instances(ctx, filter("tag:"+w.Key, w.Value), filter("tag-key", w.Detached), filter("instance-state-name", alive...))
	if err != nil {
		return nil, err
	}
	members := map[string]bool{}
	for _, g := range groups {
		for _, i := range g.Instances {
			members[transport.Text(i.InstanceId)] = true
		}
	}
	out := map[string][]string{}
	for _, i := range tagged {
		if id, group := transport.Text(i.InstanceId), tagOf(i, w.Detached); !members[id] {
			out[group] = append(out[group], id)
		}
	}
	for _, ids := range out {
		slices.Sort(ids)
	}
	return out, nil
}

// TagsOf are the tags of the groups that have a member among the given machine ids.
func (c *Client) TagsOf(ctx context.Context, machineIDs map[string]bool) ([]map[string]string, error) {
	all, err := c.describeAll(ctx)
	if err != nil {
		return nil, err
	}
	var out []map[string]string
	for _, g := range all {
		if owns(g, machineIDs, "") {
			out = append(out, tagsOf(g))
		}
	}
	return out, nil
}
