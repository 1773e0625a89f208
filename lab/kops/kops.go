package kops

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/drainboard/drainboard/lab/cloud"
)

// Options describe a kops cluster. The zero value is one of a bastion, a machine of
// the control plane and two groups of three nodes, all of them outdated.
type Options struct {
	Name    string  // of the cluster; empty: lab.k8s.local
	Bucket  string  // of the state store, which is made if need be; empty: kops-state
	Groups  []Group // empty: DefaultGroups
	Rolling Rolling // of the cluster's spec, for all groups

	// UpToDate leaves the templates of all groups at version 1.
	UpToDate bool
}

// Group is a kops instance group.
type Group struct {
	Name     string
	Role     Role            // empty: Node
	Size     int             // 0: 1
	Min, Max int             // 0: Size
	Zones    []string        // empty: all of the lab's
	Rolling  Rolling         // of the group's spec
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

// Rolling is rollingUpdate of a spec. What is empty is not in it.
type Rolling struct {
	MaxSurge, MaxUnavailable string // such as 2 or 25%
	KeepOld                  bool   // drainAndTerminate: false
}

// Role is the role of an instance group.
type Role string

// The roles, as instances' tags name them (k8s.io/role/).
const (
	Bastion      Role = "bastion"
	ControlPlane Role = "control-plane"
	APIServer    Role = "apiserver"
	Node         Role = "node"
)

// DefaultGroups are a bastion, a machine of the control plane in the first zone,
// and the groups nodes and batch, of a size each, over all zones. Bastion and control
// plane are behind load balancers.
func DefaultGroups(zones []string, size int) []Group {
	return []Group{
		{Name: "bastions", Role: Bastion, Balancer: "classic"},
		{Name: "control-plane-" + zones[0], Role: ControlPlane, Zones: zones[:1], Balancer: "network"},
		{Name: "batch", Size: size, Rolling: Rolling{MaxSurge: "0", MaxUnavailable: "25%"}},
		{Name: "nodes", Size: size},
	}
}

func (o Options) WithDefaults(zones []string) Options {
	o.Name, o.Bucket = cmp.Or(o.Name, "lab.k8s.local"), cmp.Or(o.Bucket, "kops-state")
	if len(o.Groups) == 0 {
		o.Groups = DefaultGroups(zones, 3)
	}
	o.Groups = slices.Clone(o.Groups)
	for n := range o.Groups {
		g := &o.Groups[n]
		g.Role, g.Size = cmp.Or(g.Role, Node), cmp.Or(g.Size, 1)
		g.Min, g.Max = cmp.Or(g.Min, g.Size), cmp.Or(g.Max, g.Size)
		g.Draining = cmp.Or(g.Draining, time.Second)
		g.UpToDate = g.UpToDate || o.UpToDate
		if len(g.Zones) == 0 {
			g.Zones = zones
		}
	}
	return o
}

// Check finds what kops would not take either, or the lab cannot do.
func (o Options) Check(zones []string) error {
	names := map[string]bool{}
	if !slices.ContainsFunc(o.Groups, func(g Group) bool { return g.Role == Node }) {
		return errors.New("no instance group of nodes, which system pods need")
	}
	for _, g := range o.Groups {
		switch {
		case g.Name == "" || names[g.Name]:
			return fmt.Errorf("instance group %q: no name, or one that is taken", g.Name)
		case g.Min > g.Size || g.Size > g.Max:
			return fmt.Errorf("instance group %s: not min %d <= size %d <= max %d", g.Name, g.Min, g.Size, g.Max)
		case roles[g.Role].spec == "":
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
			if _, err := parseTaint(taint); err != nil {
				return fmt.Errorf("instance group %s: %w", g.Name, err)
			}
		}
		names[g.Name] = true
	}
	return nil
}
