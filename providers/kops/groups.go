package kops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// Group is an instance group.
type Group struct {
	// Summary is its Auto Scaling group, whose name is that of world.Group.
	asg.Summary
	// InstanceGroup is its name in kops.
	InstanceGroup string
}

// order is how kops goes through the roles (pkg/instancegroups/rollingupdate.go).
var order = []world.Role{world.RoleBastion, world.RoleControlPlane, world.RoleAPIServer, world.RoleNode}

// Groups are the cluster's instance groups in the order in which kops rolls them:
// bastions, the control plane, API servers, nodes; within a role by name. That there
// are none is an error that wraps asg.ErrNotFound.
func (c *Client) Groups(ctx context.Context) ([]Group, error) {
	list, err := c.aws.GroupsOf(ctx, c.whole())
	if err != nil {
		return nil, err
	}
	groups := make([]Group, len(list))
	for i, s := range list {
		groups[i] = Group{Summary: s, InstanceGroup: nameOf(s.Group)}
	}
	if len(groups) == 0 {
		return nil, &problem{transport.ErrNotFound, fmt.Sprintf("no instance group of kops cluster %s in %s: no Auto Scaling group has its tags", world.Clean(c.cluster), c.aws.Region())}
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Role), slices.Index(order, b.Role)), cmp.Compare(a.InstanceGroup, b.InstanceGroup))
	})
	return groups, nil
}

// Find is the instance group of that name, or the one whose Auto Scaling group has it.
// If there is none, the error wraps asg.ErrNotFound and names those that there are.
func (c *Client) Find(ctx context.Context, name string) (Group, error) {
	groups, err := c.Groups(ctx)
	if err != nil {
		return Group{}, err
	}
	for _, g := range groups {
		if g.InstanceGroup == name {
			return g, nil
		}
	}
	var names []string
	for _, g := range groups {
		if g.Name == name {
			return g, nil
		}
		names = append(names, g.InstanceGroup)
	}
	return Group{}, &problem{transport.ErrNotFound, fmt.Sprintf("kops cluster %s has no instance group %q; it has %s", world.Clean(c.cluster), world.Clean(name), strings.Join(names, ", "))}
}
