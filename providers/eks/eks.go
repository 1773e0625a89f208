// Package eks brings EKS managed node groups into the world, and asks EKS to update them (Executor). EKS makes,
// updates and ends their nodes, and their Auto Scaling groups are EKS's: nothing else is changed.
//
// A managed node group is an Auto Scaling group with EKS's tags, which package asg reads;
// this package adds what EKS itself tells of it (Feed), and which release is recommended.
// Everything goes through the client of package asg: its login, its region, and its gate
// for calls that do not read.
package eks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
)

// Provider is the provider's name, as in world.Group.Provider.
const Provider = "eks"

// Tags of the Auto Scaling group of a managed node group.
const (
	GroupTag   = "eks:nodegroup-name"
	ClusterTag = "eks:cluster-name"
)

// Client reads EKS in the region of an asg.Client. It is safe for concurrent use.
type Client struct {
	asg *asg.Client
	api *eks.Client
	ssm *ssm.Client
	// For quotas.
	ec2    *ec2.Client
	quotas *servicequotas.Client
	// changed is when EKS was last asked for an update, of this machine's clock: its updates are to be read then.
	changed *atomic.Int64
}

// New makes a client that logs in as another one does.
func New(c *asg.Client) *Client {
	cfg := c.Config()
	return &Client{c, eks.NewFromConfig(cfg), ssm.NewFromConfig(cfg), ec2.NewFromConfig(cfg), servicequotas.NewFromConfig(cfg), new(atomic.Int64)}
}

// ErrNotFound means that there is no managed node group of a name.
var ErrNotFound = errors.New("no managed node group")

// Place is where a managed node group is: its own name, that of its cluster, and its Auto
// Scaling group.
type Place struct {
	Cluster, Name, AutoScalingGroup string
}

// PlaceOf reads the tags of an Auto Scaling group, false for one that EKS does not manage.
func PlaceOf(group string, tags map[string]string) (Place, bool) {
	p := Place{tags[ClusterTag], tags[GroupTag], group}
	return p, p.Name != ""
}

// Find finds a managed node group by its own name, or by that of its Auto Scaling group,
// among the groups of a cluster (see asg.Client.Groups). The error for none wraps
// ErrNotFound.
func (c *Client) Find(ctx context.Context, name string, machines map[string]bool, cluster string) (Place, error) {
	groups, err := c.asg.Owned(ctx, machines, cluster)
	if err != nil {
		return Place{}, err
	}
	var found []Place
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		if p, managed := PlaceOf(group, groups[group]); managed && (p.Name == name || group == name) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 0:
		return Place{}, fmt.Errorf("%w %q owns a node of this cluster", ErrNotFound, world.Clean(name))
	case 1:
		return found[0], nil
	}
	return Place{}, fmt.Errorf("the name %q is that of %d managed node groups: say which by its Auto Scaling group, %s or %s", world.Clean(name), len(found), found[0].AutoScalingGroup, found[1].AutoScalingGroup)
}

// Groups replaces, in a list of Auto Scaling groups, those that EKS manages by what EKS
// tells of them; nodes are those of the cluster, by machine. What cannot be read is told by
// world.ManagedGroup.Unread.
func (c *Client) Groups(ctx context.Context, list []asg.Summary, nodes map[string]*world.Node) []asg.Summary {
	out := slices.Clone(list)
	slots := make(chan struct{}, 4) // enough to be quick, too few to be throttled
	var wg sync.WaitGroup
	for i := range out {
		p, managed := PlaceOf(out[i].Name, out[i].Tags)
		if !managed {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			_ = live.Caught(func() error { // a crash there leaves the Auto Scaling group
				c.details(p).dress(ctx, &out[i].Group)
				out[i].Outdated = outdated(&out[i], nodes)
				return nil
			})
		})
	}
	wg.Wait()
	return out
}

// outdated counts the nodes of a managed node group that are behind the recommended release or, where that is not
// known, behind what the group launches.
func outdated(s *asg.Summary, nodes map[string]*world.Node) (n int) {
	known := s.Managed.RecommendedImage != ""
	for _, id := range s.Members {
		if known && s.BehindRecommended(nodes[id]) || !known && !s.HasTarget(nodes[id]) {
			n++
		}
	}
	if !known {
		return min(n, s.Outdated) // machines of the current template count for none
	}
	return n
}

// Describe adds to a group what EKS tells of it; what cannot be read is told by
// world.ManagedGroup.Unread.
func (c *Client) Describe(ctx context.Context, p Place, g *world.Group) { c.details(p).dress(ctx, g) }

// Feed follows a managed node group: package asg's feed, with what EKS tells.
func (c *Client) Feed(p Place, o asg.FeedOptions) *asg.Feed {
	o.Part = c.details(p).dress
	return c.asg.Feed(p.AutoScalingGroup, o)
}
