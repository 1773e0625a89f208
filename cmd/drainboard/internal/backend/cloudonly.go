package backend

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/taglock"
	"github.com/drainboard/drainboard/providers/asg/transport"
	"github.com/drainboard/drainboard/providers/kops"
)

// CloudOnly finds the instance groups of a kops cluster without Kubernetes. Nodes, and with
// them all other groups, are known from Kubernetes only.
type CloudOnly struct {
	AWS  *asg.Client
	Kops *kops.Client

	mu sync.Mutex // groups of a roll may be found in parallel
	// known are the groups that were found or listed: their ids tell them from earlier groups
	// of the same names.
	known map[string]asg.Summary
}

// OpenCloudOnly opens the cloud without a cluster.
func OpenCloudOnly(ctx context.Context, where Where, readOnly bool) (*CloudOnly, error) {
	aws, err := connect(ctx, asg.Options{Region: where.Region, Profile: where.Profile, ReadOnly: readOnly})
	if err != nil {
		return nil, err
	}
	c, err := kops.Connect(ctx, aws, kops.Options{Cluster: where.Cluster, StateStore: where.Store})
	if err != nil {
		return nil, fmt.Errorf("--cloudonly is for groups created by kops: %w", err)
	}
	return &CloudOnly{AWS: aws, Kops: c, known: map[string]asg.Summary{}}, nil
}

// Clock returns AWS's time, by which runs here are timed.
func (b *CloudOnly) Clock() live.Clock { return b.AWS.Clock() }

// ID returns the id of a group that was found or listed, "" for none.
func (b *CloudOnly) ID(group string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.known[group].ID
}

// Tag returns the run in the tag of a group that was found or listed, the zero value if that
// cannot be read, which is reported when the lock is taken.
func (b *CloudOnly) Tag(group string) taglock.Tag {
	b.mu.Lock()
	defer b.mu.Unlock()
	tag, _ := taglock.Read(group, b.known[group].Tags)
	return tag
}

// knows keeps a group that was found.
func (b *CloudOnly) knows(g asg.Summary) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known[g.Name] = g
}

// Find resolves a group's name, and keeps the group.
func (b *CloudOnly) Find(ctx context.Context, name string) (Group, error) {
	g, err := b.Kops.Find(ctx, name)
	if errors.Is(err, transport.ErrNotFound) {
		if _, own := b.AWS.Tags(ctx, name); own == nil {
			err = fmt.Errorf("--cloudonly is for groups created by kops, and %s is not one of cluster %s: the instances of other groups are known from Kubernetes only", name, b.Kops.Cluster())
		}
	}
	if err != nil {
		return nil, err
	}
	b.knows(g.Summary)
	return kopsGroupOf(b.AWS, b.Kops, b.Clock(), g), nil
}

// FindAs is Find: all groups here are kops's.
func (b *CloudOnly) FindAs(ctx context.Context, name, _ string) (Group, error) {
	return b.Find(ctx, name)
}

// List returns all groups created by kops, and keeps them.
func (b *CloudOnly) List(ctx context.Context, _ []*world.Node) ([]present.GroupRow, error) {
	rows, err := kopsRows(ctx, b.Kops)
	for _, g := range rows {
		b.knows(g.Summary)
	}
	return rows, err
}

// Several is nil: they are rolled as with Kubernetes.
func (*CloudOnly) Several() error { return nil }

func (b *CloudOnly) Region() string { return b.AWS.Region() }
