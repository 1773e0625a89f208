package lab

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/try"
)

// GroupOptions describe an Auto Scaling group to make. Only the name is needed.
type GroupOptions struct {
	Name  string
	Nodes int      // instances, evenly over the zones
	Zones []string // empty: all of the lab's
	Min   int      // lower size bound
	Max   int      // upper size bound; 0: Nodes

	InstanceType string            // empty: m5.large
	Overrides    []string          // instance types of a mixed instances policy; the first is used
	SpotPercent  int               // of the instances that are Spot, by a mixed instances policy
	ProtectNew   bool              // new instances are protected from scale-in
	Warm         *cloud.WarmPool   // filled with instances of the old AMI
	Labels       map[string]string // of the nodes, by the template's user data
	EKS          bool              // the nodes carry the labels of an EKS node group
	Tags         map[string]string // of the Auto Scaling group
	Balancers    []string          // that its instances are registered with; see cloud.CreateBalancer
	Nodeless     bool              // no node is waited for

	OldAMI, NewAMI string // empty: the constants of that name
	// Version is what the group uses of its launch template: $Latest (also if
	// empty), $Default, which then means the new version too, or a number.
	Version string
	// UpToDate leaves the template at version 1, so that no node is outdated.
	UpToDate bool
}

// A Group is what AddGroup made.
type Group struct {
	Name       string
	TemplateID string // of its launch template, which is named like the group
	Old, New   int64  // template versions; the same if the group is up to date
}

// AddGroup makes a launch template with the old AMI and an Auto Scaling group
// that uses it, and waits until its nodes are Ready and its warm pool is full. Then it adds a template
// version with the new AMI, which makes the nodes outdated.
func (l *Lab) AddGroup(ctx context.Context, o GroupOptions) (Group, error) {
	o = o.withDefaults()
	group := l.createGroup(o)
	if err := l.awaitGroup(ctx, o); err != nil {
		return group, fmt.Errorf("add group: %w", err)
	}
	return l.outdate(o, group), nil
}

// template is what a group's instances are launched from.
func (o GroupOptions) template(ami string) cloud.TemplateData {
	return cloud.TemplateData{ImageID: ami, InstanceType: o.InstanceType, UserData: userData(o), Tags: map[string]string{"Name": o.Name}}
}

// createGroup makes a group with the old AMI, which starts at once to launch.
func (l *Lab) createGroup(o GroupOptions) Group {
	group := Group{Name: o.Name, TemplateID: l.cloud.CreateLaunchTemplate(o.Name, o.template(o.OldAMI)), Old: 1, New: 1}
	spec := cloud.GroupSpec{
		Name: o.Name, Min: o.Min, Max: o.Max, Desired: o.Nodes, Zones: o.Zones, Tags: o.Tags, Balancers: o.Balancers,
		Template: cloud.TemplateRef{ID: group.TemplateID, Version: o.Version}, ProtectNew: o.ProtectNew, SpotPercent: o.SpotPercent,
	}
	for _, instanceType := range o.Overrides {
		spec.Overrides = append(spec.Overrides, cloud.Override{InstanceType: instanceType})
	}
	l.cloud.CreateGroup(spec)
	return group
}

// awaitGroup waits until a group's nodes are Ready, or its instances in service if it
// has none, and its warm pool is full.
func (l *Lab) awaitGroup(ctx context.Context, o GroupOptions) error {
	if o.Nodeless {
		if err := l.waitInService(ctx, o.Name, o.Nodes); err != nil {
			return err
		}
	} else if err := l.WaitNodes(ctx, o.Name, o.Nodes); err != nil {
		return err
	}
	if o.Warm == nil {
		return nil
	}
	l.cloud.PutWarmPool(o.Name, *o.Warm)
	return l.waitWarm(ctx, o.Name)
}

// outdate adds a template version with the new AMI, unless the group is to stay up to
// date.
func (l *Lab) outdate(o GroupOptions, group Group) Group {
	if o.UpToDate {
		return group
	}
	group.New = l.cloud.AddTemplateVersion(group.TemplateID, o.template(o.NewAMI))
	if o.Version == "$Default" {
		l.cloud.SetDefaultVersion(group.TemplateID, group.New)
	}
	return group
}

// waitInService waits until a group has exactly n instances and all are in service.
func (l *Lab) waitInService(ctx context.Context, name string, n int) error {
	for {
		serving := 0
		instances := l.cloud.Instances(name)
		for _, i := range instances {
			if i.State == cloud.InService {
				serving++
			}
		}
		if serving == n && len(instances) == n {
			return nil
		}
		if !try.Sleep(ctx, 20*time.Millisecond) {
			return fmt.Errorf("group %s has %d instances, %d in service, not %d: %w", name, len(instances), serving, n, context.Cause(ctx))
		}
	}
}

// waitWarm waits until a group's warm pool is full and at rest.
func (l *Lab) waitWarm(ctx context.Context, name string) error {
	for {
		g, _ := l.cloud.Group(name)
		resting := 0
		for _, i := range g.Warm {
			if i.State == cloud.Warmed+"Stopped" || i.State == cloud.Warmed+"Running" || i.State == cloud.Warmed+"Hibernated" {
				resting++
			}
		}
		if resting == len(g.Warm) && resting == g.WarmTarget {
			return nil
		}
		if !try.Sleep(ctx, 20*time.Millisecond) {
			return fmt.Errorf("the warm pool of %s has %d instances at rest, not %d: %w", name, resting, g.WarmTarget, context.Cause(ctx))
		}
	}
}

// RemoveGroup terminates a group and its instances, and waits until its nodes
// are gone.
func (l *Lab) RemoveGroup(ctx context.Context, name string) error {
	l.cloud.DeleteGroup(name)
	return l.WaitNodes(ctx, name, 0)
}

func (o GroupOptions) withDefaults() GroupOptions {
	set := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	set(&o.InstanceType, "m5.large")
	set(&o.OldAMI, machines.OldAMI)
	set(&o.NewAMI, machines.NewAMI)
	set(&o.Version, "$Latest")
	if o.Max == 0 {
		o.Max = o.Nodes
	}
	return o
}

// userData is a bootstrap script as far as the lab reads one: the node labels.
func userData(o GroupOptions) string {
	labels := maps.Clone(o.Labels)
	if o.EKS {
		if labels == nil {
			labels = map[string]string{}
		}
		labels[machines.EKSGroupLabel] = o.Name
	}
	if len(labels) == 0 {
		return ""
	}
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		pairs = append(pairs, key+"="+labels[key])
	}
	script := "#!/bin/bash\n/etc/eks/bootstrap.sh lab --kubelet-extra-args '--node-labels=" + strings.Join(pairs, ",") + "'\n"
	return base64.StdEncoding.EncodeToString([]byte(script))
}

// SetImage says what boots from an AMI from now on. EC2 names the image after
// its kubelet.
func (l *Lab) SetImage(ami string, image machines.Image) {
	l.machines.SetImage(ami, image)
	l.cloud.SetImage(ami, image.Name())
}

// NeverReady makes the nodes of a group's next n instances stay NotReady; 0 ends
// that for instances launched from then on. See Image for an AMI that does so, and
// cloud.NeverJoin for instances without a node.
func (l *Lab) NeverReady(group string, n int) {
	l.machines.NeverReady(group, n)
}
