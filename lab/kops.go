package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/lab/cloud"
)

// KopsOptions describe a kops cluster. The zero value is one of a bastion, a machine of
// the control plane and two groups of three nodes, all of them outdated.
type KopsOptions struct {
	Name    string      // of the cluster; empty: lab.k8s.local
	Bucket  string      // of the state store, which is made if need be; empty: kops-state
	Groups  []KopsGroup // empty: DefaultKopsGroups
	Rolling KopsRolling // of the cluster's spec, for all groups

	// UpToDate leaves the templates of all groups at version 1.
	UpToDate bool
}

// KopsGroup is a kops instance group.
type KopsGroup struct {
	Name     string
	Role     KopsRole        // empty: KopsNode
	Size     int             // 0: 1
	Min, Max int             // 0: Size
	Zones    []string        // empty: all of the lab's
	Rolling  KopsRolling     // of the group's spec
	Warm     *cloud.WarmPool // filled with outdated instances

	Labels map[string]string // that the spec gives to its nodes
	Taints []string          // such as dedicated=batch:NoSchedule

	// Balancer is what the group's instances are registered with: "network" for a
	// target group, "classic" for a classic load balancer, empty for none. Draining is
	// how long their connections take to end; 0: 1 s, a nanosecond: none.
	Balancer string
	Draining time.Duration

	// UpToDate leaves the template at version 1.
	UpToDate bool
}

// KopsRolling is rollingUpdate of a spec. What is empty is not in it.
type KopsRolling struct {
	MaxSurge, MaxUnavailable string // such as 2 or 25%
	KeepOld                  bool   // drainAndTerminate: false
}

// KopsRole is the role of an instance group.
type KopsRole string

// The roles, as instances' tags name them (k8s.io/role/).
const (
	KopsBastion      KopsRole = "bastion"
	KopsControlPlane KopsRole = "control-plane"
	KopsAPIServer    KopsRole = "apiserver"
	KopsNode         KopsRole = "node"
)

// DefaultKopsGroups are a bastion, a machine of the control plane in the first zone,
// and the groups nodes and batch, of a size each, over all zones. Bastion and control
// plane are behind load balancers.
func DefaultKopsGroups(zones []string, size int) []KopsGroup {
	return []KopsGroup{
		{Name: "bastions", Role: KopsBastion, Balancer: "classic"},
		{Name: "control-plane-" + zones[0], Role: KopsControlPlane, Zones: zones[:1], Balancer: "network"},
		{Name: "batch", Size: size, Rolling: KopsRolling{MaxSurge: "0", MaxUnavailable: "25%"}},
		{Name: "nodes", Size: size},
	}
}

// KopsCluster is what AddKopsCluster made.
type KopsCluster struct {
	Name   string
	Bucket string
	Groups map[string]Group // by the name of the instance group
}

// Env is what kops finds the cluster by.
func (k KopsCluster) Env() []string {
	return []string{"KOPS_STATE_STORE=s3://" + k.Bucket, "KOPS_CLUSTER_NAME=" + k.Name}
}

// AddKopsCluster makes the Auto Scaling groups of a kops cluster, with the tags, labels
// and taints that kops gives them, writes its specs to the state store and starts its
// system pods. It returns when all nodes and system pods are Ready; then every group
// has a template version that makes its instances outdated.
//
// The API server is the lab's own: what runs on the control plane are pods that say so.
// System pods are those of the whole lab, so that a second cluster shares them.
func (l *Lab) AddKopsCluster(ctx context.Context, o KopsOptions) (KopsCluster, error) {
	k, err := l.addKopsCluster(ctx, o.withDefaults(l.options.Cloud.Zones))
	if err != nil {
		return k, fmt.Errorf("add kops cluster: %w", err)
	}
	return k, nil
}

func (l *Lab) addKopsCluster(ctx context.Context, o KopsOptions) (KopsCluster, error) {
	k := KopsCluster{Name: o.Name, Bucket: o.Bucket, Groups: map[string]Group{}}
	if err := o.check(l.options.Cloud.Zones); err != nil {
		return k, err
	}
	if err := l.writeStateStore(o); err != nil {
		return k, err
	}
	specs := make([]GroupOptions, len(o.Groups))
	for n, g := range o.Groups {
		specs[n] = l.kopsSpec(o, g)
		k.Groups[g.Name] = l.createGroup(specs[n])
	}
	for _, spec := range specs {
		if err := l.awaitGroup(ctx, spec); err != nil {
			return k, err
		}
	}
	if err := l.startSystem(ctx, o.Name); err != nil {
		return k, err
	}
	for n, g := range o.Groups {
		k.Groups[g.Name] = l.outdate(specs[n], k.Groups[g.Name])
	}
	return k, nil
}

func (o KopsOptions) withDefaults(zones []string) KopsOptions {
	o.Name, o.Bucket = cmp.Or(o.Name, "lab.k8s.local"), cmp.Or(o.Bucket, "kops-state")
	if len(o.Groups) == 0 {
		o.Groups = DefaultKopsGroups(zones, 3)
	}
	o.Groups = slices.Clone(o.Groups)
	for n := range o.Groups {
		g := &o.Groups[n]
		g.Role, g.Size = cmp.Or(g.Role, KopsNode), cmp.Or(g.Size, 1)
		g.Min, g.Max = cmp.Or(g.Min, g.Size), cmp.Or(g.Max, g.Size)
		g.Draining = cmp.Or(g.Draining, time.Second)
		g.UpToDate = g.UpToDate || o.UpToDate
		if len(g.Zones) == 0 {
			g.Zones = zones
		}
	}
	return o
}

// check finds what kops would not take either, or the lab cannot do.
func (o KopsOptions) check(zones []string) error {
	names := map[string]bool{}
	if !slices.ContainsFunc(o.Groups, func(g KopsGroup) bool { return g.Role == KopsNode }) {
		return errors.New("no instance group of nodes, which system pods need")
	}
	for _, g := range o.Groups {
		switch {
		case g.Name == "" || names[g.Name]:
			return fmt.Errorf("instance group %q: no name, or one that is taken", g.Name)
		case g.Min > g.Size || g.Size > g.Max:
			return fmt.Errorf("instance group %s: not min %d <= size %d <= max %d", g.Name, g.Min, g.Size, g.Max)
		case kopsRoles[g.Role].spec == "":
			return fmt.Errorf("instance group %s: no role %q", g.Name, g.Role)
		case g.Balancer != "" && g.Balancer != "network" && g.Balancer != "classic":
			return fmt.Errorf("instance group %s: no balancer %q", g.Name, g.Balancer)
		}
		for _, zone := range g.Zones {
			if !slices.Contains(zones, zone) {
				return fmt.Errorf("instance group %s: no zone %q", g.Name, zone)
			}
		}
		for _, taint := range g.Taints {
			if _, err := kopsTaint(taint); err != nil {
				return fmt.Errorf("instance group %s: %w", g.Name, err)
			}
		}
		names[g.Name] = true
	}
	return nil
}

// kopsSpec is the Auto Scaling group of an instance group, with its load balancer made.
func (l *Lab) kopsSpec(o KopsOptions, g KopsGroup) GroupOptions {
	spec := GroupOptions{
		Name: g.groupName(o.Name), Nodes: g.Size, Min: g.Min, Max: g.Max, Zones: g.Zones, Warm: g.Warm,
		Tags: g.tags(o.Name), UpToDate: g.UpToDate, Nodeless: g.Role == KopsBastion,
	}
	if g.Balancer != "" {
		prefix, port := "tcp-", 443
		if g.Role == KopsBastion {
			prefix, port = "bastion-", 22
		}
		spec.Balancers = []string{l.cloud.CreateBalancer(cloud.Balancer{
			Name: balancerName(prefix + spec.Name), Classic: g.Balancer == "classic", Port: port, Draining: g.Draining,
		})}
	}
	return spec.withDefaults()
}

// balancerName is a name as load balancers may have it, of 32 characters at most, that
// stays different from others by a hash.
func balancerName(name string) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	name = strings.ReplaceAll(name, ".", "-")
	return fmt.Sprintf("%s-%06x", name[:min(len(name), 25)], h.Sum32()>>8)
}
