package backend

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/kops"
)

// cloud finds the groups of AWS without --provider: those with kops's tags are kops's.
type cloud struct {
	asg  autoScaling
	kops kopsCluster
}

func (b *cloud) Find(ctx context.Context, name string) (Group, error) {
	if !b.kops.isOpen() {
		tags, err := b.asg.aws.Tags(ctx, name)
		switch {
		case err == nil && tags[kopsGroupTag] == "":
			return b.asg.group(name), nil
		case err != nil && !errors.Is(err, asg.ErrNotFound):
			return nil, err
		}
	}
	g, err := b.kops.Find(ctx, name)
	switch {
	case errors.Is(err, kops.ErrNoCluster):
		return b.asg.group(name), nil // errors of the name are reported when the group is read
	case errors.Is(err, asg.ErrNotFound) && b.kops.isOpen():
		_, own := b.asg.aws.Tags(ctx, name)
		if own == nil { // a kops cluster may have other groups as well
			return b.asg.group(name), nil
		}
		return nil, fmt.Errorf("%w; nor is it another group of the cluster: %w", err, b.asg.aws.Unknown(ctx, own, name))
	}
	return g, err
}

// FindAs keeps the provider that a group's run was started with: only one started as kops's sees
// detached instances.
func (b *cloud) FindAs(ctx context.Context, name, provider string) (Group, error) {
	if provider == asg.Provider {
		return b.asg.Find(ctx, name)
	}
	return b.kops.Find(ctx, name)
}

// List puts the groups that kops created for the cluster before the others.
func (b *cloud) List(ctx context.Context, nodes []*world.Node) ([]present.GroupRow, error) {
	list, err := b.asg.List(ctx, nodes)
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
