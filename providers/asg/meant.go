package asg

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// Tags with the names that people know groups by.
const (
	nodeGroupTag     = "eks:nodegroup-name"
	instanceGroupTag = "kops.k8s.io/instancegroup"
)

// Meant finds which of a cluster's groups a name is of: its own, or else that of its EKS node
// group or kops instance group, or else a part of these that only one group has. It is -1 if
// the name is of none, and an error, which names them, if it may be of several.
func Meant(name string, groups []world.Group) (int, error) {
	exact := func(known string) bool { return known == name }
	part := func(known string) bool { return strings.Contains(strings.ToLower(known), strings.ToLower(name)) }
	for _, is := range []struct {
		like  func(string) bool
		names func(world.Group) []string
	}{
		{exact, func(g world.Group) []string { return []string{g.Name} }},
		{exact, names},
		{part, names},
	} {
		var found []int
		for i, g := range groups {
			if slices.ContainsFunc(is.names(g), is.like) {
				found = append(found, i)
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			var may []string
			for _, i := range found {
				may = append(may, named(groups[i]))
			}
			slices.Sort(may)
			return -1, fmt.Errorf("%q may mean %s: name one of them", transport.Clean(name), strings.Join(may, " or "))
		}
	}
	return -1, nil
}

// names are those that a group is known by.
func names(g world.Group) (out []string) {
	for _, n := range []string{g.Name, g.Tags[nodeGroupTag], g.Tags[instanceGroupTag]} {
		if n != "" {
			out = append(out, n)
		}
	}
	return out
}

// named is a group's own name, with the one that people know it by.
func named(g world.Group) string {
	switch {
	case g.Tags[nodeGroupTag] != "":
		return fmt.Sprintf("%s (EKS node group %s)", g.Name, g.Tags[nodeGroupTag])
	case g.Tags[instanceGroupTag] != "":
		return fmt.Sprintf("%s (kops instance group %s)", g.Name, g.Tags[instanceGroupTag])
	}
	return g.Name
}

// Meant finds the name of the group of a cluster that is meant by a name; see the function
// Meant, and Groups for what a cluster's groups are. If there is none, the error wraps
// ErrNotFound and names groups that may have been meant.
func (c *Client) Meant(ctx context.Context, name string, machineIDs map[string]bool, cluster string) (string, error) {
	all, err := c.describeAll(ctx)
	if err != nil {
		return "", err
	}
	var ours []world.Group
	for _, g := range all {
		if owns(g, machineIDs, cluster) {
			ours = append(ours, world.Group{Name: transport.Text(g.AutoScalingGroupName), Tags: tagsOf(g)})
		}
	}
	switch at, err := Meant(name, ours); {
	case err != nil:
		return "", err
	case at >= 0:
		return ours[at].Name, nil
	}
	return "", c.unknown(name, all)
}

// unknown is the error for a group that there is not, or that came while it was looked for.
func (c *Client) unknown(name string, all []types.AutoScalingGroup) error {
	var names []string
	for _, g := range all {
		names = append(names, transport.Text(g.AutoScalingGroupName))
	}
	none := fmt.Sprintf("no Auto Scaling group %q in %s", transport.Clean(name), c.region)
	switch close := transport.Near(name, names); {
	case slices.Contains(names, name):
		none += " until a moment ago, and now there is one: try again"
	case len(close) > 0:
		none += ": did you mean " + strings.Join(close, " or ") + "?"
	case len(names) == 0:
		none += ": there are none at all"
	}
	return &transport.Problem{Kind: transport.ErrNotFound, Words: none}
}
