package backend

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/transport"
	"github.com/drainboard/drainboard/providers/eks"
	"github.com/drainboard/drainboard/providers/kops"
)

// cloud finds the groups of AWS without --provider: those with the tags of kops or
// EKS are theirs.
type cloud struct {
	asg  autoScaling
	eks  managed
	kops kopsCluster
}

func (b *cloud) Find(ctx context.Context, name string) (Group, error) {
	if !b.kops.isOpen() {
		g, err := b.exactly(ctx, name)
		if g != nil || err != nil && !errors.Is(err, transport.ErrNotFound) {
			return g, err
		}
		if g, err := b.eks.Find(ctx, name); !errors.Is(err, eks.ErrNotFound) {
			return g, err
		}
	}
	g, err := b.kops.Find(ctx, name)
	switch {
	case errors.Is(err, kops.ErrNoCluster):
		found, err := b.asg.Find(ctx, name)
		if err == nil && found.Name() != name { // a part of its name: it may be one that EKS manages
			return b.Find(ctx, found.Name())
		}
		return found, err
	case errors.Is(err, transport.ErrNotFound) && b.kops.isOpen():
		return b.beside(ctx, name, err)
	}
	return g, err
}

// exactly finds an Auto Scaling group by its whole name, as one of EKS's where it is; nil for one of kops's.
func (b *cloud) exactly(ctx context.Context, name string) (Group, error) {
	tags, err := b.asg.aws.Tags(ctx, name)
	if err != nil {
		return nil, err
	}
	if at, managed := eks.PlaceOf(name, tags); managed {
		return b.eks.group(ctx, at), nil
	}
	if tags[kopsGroupTag] != "" {
		return nil, nil
	}
	return b.asg.group(name), nil
}

// beside finds a group by a name that is none of kops's groups': another group's, or what
// people call one of either.
func (b *cloud) beside(ctx context.Context, name string, none error) (Group, error) {
	found, err := b.asg.Find(ctx, name)
	switch {
	case errors.Is(err, transport.ErrNotFound):
		return nil, fmt.Errorf("%w; nor is it another group of the cluster: %w", none, err)
	case err != nil:
		return nil, err
	}
	if g, err := b.kops.Find(ctx, found.Name()); err == nil {
		return g, nil
	}
	if g, err := b.exactly(ctx, found.Name()); g != nil || err != nil {
		return g, err
	}
	return found, nil
}

// FindAs keeps the provider that a group's run was started with: only one started as kops's sees
// detached instances.
func (b *cloud) FindAs(ctx context.Context, name, provider string) (Group, error) {
	switch provider {
	case asg.Provider:
		return b.asg.FindAs(ctx, name, provider)
	case eks.Provider:
		return b.eks.Find(ctx, name)
	}
	return b.kops.Find(ctx, name)
}

// List puts the groups that kops created for the cluster before the others.
func (b *cloud) List(ctx context.Context, nodes []*world.Node) ([]present.GroupRow, error) {
	list, err := b.asg.List(ctx, nodes)
	b.eks.dress(ctx, list, nodes)
	if err != nil || !slices.ContainsFunc(list, func(g present.GroupRow) bool { return g.Tags[kopsGroupTag] != "" }) {
		return list, err
	}
	rows, err := b.kops.List(ctx, nodes)
	if errors.Is(err, kops.ErrNoCluster) {
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	for _, g := range list {
		if !slices.ContainsFunc(rows, func(r present.GroupRow) bool { return r.Name == g.Name }) {
			rows = append(rows, g)
		}
	}
	return rows, nil
}

func (*cloud) Several() error { return nil }

func (b *cloud) Region() string { return b.asg.aws.Region() }
