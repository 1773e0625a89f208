// Package kops knows the clusters that kops has made on AWS: which Auto Scaling groups
// are a cluster's instance groups, what was detached from them, and what Cluster and
// InstanceGroup specs in the state store say of their rolling updates.
//
// Connect finds the cluster. Groups and Find tell its groups, Settings what a group's
// rolling update is to be like; Feed and Executor are those of package asg, with what
// makes a group kops's.
//
// Rules and names are kops's (github.com/kubernetes/kops), as its comments here say.
package kops

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
)

// Provider is the provider's name, as in world.Group.Provider.
const Provider = "kops"

// ErrNoCluster means that the nodes are no machines of a kops cluster.
var ErrNoCluster = errors.New("no kops cluster")

// Options say which cluster is meant.
type Options struct {
	// Cluster is the cluster's name in kops. Empty: the one that Machines belong to.
	Cluster string
	// StateStore is where kops keeps its specs: s3://bucket/prefix, file:///directory or
	// a directory. Empty: it is not known.
	StateStore string
	// Machines are the ids of the machines that the kubeconfig's nodes run on. A cluster
	// that they do not belong to is refused. None: they are not known.
	Machines map[string]bool
}

// Client reads one cluster. It is safe for concurrent use.
type Client struct {
	aws     *asg.Client
	cluster string
	store   store // nil: not known
	specs   specs
}

// Connect finds the cluster. Errors are one sentence, and wrap ErrNoCluster where the
// nodes belong to none; nothing of the state store is read yet.
func Connect(ctx context.Context, aws *asg.Client, o Options) (*Client, error) {
	cluster, err := clusterOf(ctx, aws, o)
	if err != nil {
		return nil, err
	}
	store, err := openStore(aws, o.StateStore)
	if err != nil {
		return nil, err
	}
	return &Client{aws: aws, cluster: cluster, store: store}, nil
}

// clusterOf is the name of the cluster that is asked for, or that the machines are of.
func clusterOf(ctx context.Context, aws *asg.Client, o Options) (string, error) {
	if len(o.Machines) == 0 {
		if o.Cluster == "" {
			return "", errors.New("no nodes with a kops cluster: name it with --cluster-name or KOPS_CLUSTER_NAME")
		}
		return o.Cluster, nil
	}
	owners, err := aws.TagsOf(ctx, o.Machines)
	if err != nil {
		return "", err
	}
	found := map[string]bool{}
	for _, tags := range owners {
		if roleOf(tags) != "" {
			found[tags[TagCluster]] = true
		}
	}
	names := slices.Sorted(maps.Keys(found))
	switch {
	case len(names) == 0:
		return "", &problem{ErrNoCluster, fmt.Sprintf("no node of this kubeconfig belongs to a kops cluster in %s", aws.Region())}
	case o.Cluster != "" && !found[o.Cluster]:
		return "", fmt.Errorf("the nodes of this kubeconfig belong to the kops cluster %s, not to %s: choose another context, or correct --cluster-name or KOPS_CLUSTER_NAME", strings.Join(names, " and "), world.Clean(o.Cluster))
	case o.Cluster != "":
		return o.Cluster, nil
	case len(names) > 1:
		return "", fmt.Errorf("the nodes of this kubeconfig belong to several kops clusters, %s: name one with --cluster-name or KOPS_CLUSTER_NAME", strings.Join(names, " and "))
	}
	return names[0], nil
}

// Cluster is the cluster's name.
func (c *Client) Cluster() string { return c.cluster }

// Feed follows the group with the Auto Scaling group's name, the machines that were
// detached from it, and its peers in the cluster.
func (c *Client) Feed(group string, o asg.FeedOptions) *asg.Feed {
	whole := c.whole()
	o.Whole = &whole
	return c.aws.Feed(group, o)
}

// Executor makes an executor for the cluster's groups.
func (c *Client) Executor(o asg.ExecutorOptions) *asg.Executor {
	o.Detached = TagDetached
	return c.aws.Executor(o)
}

func (c *Client) whole() asg.Whole {
	return asg.Whole{Provider: Provider, Key: TagCluster, Value: c.cluster, Detached: TagDetached, Role: roleOf, Alias: aliasOf, Unmade: c.Unmade}
}

// problem is an error in words, and its kind.
type problem struct {
	kind  error
	words string
}

func (p *problem) Error() string { return p.words }
func (p *problem) Unwrap() error { return p.kind }
