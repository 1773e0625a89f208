package driver

import (
	"context"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
)

// executor sends each action to the provider that carries it out.
type executor struct {
	kube  live.Executor
	group live.Executor
}

func (e executor) Do(ctx context.Context, a record.Action) record.Outcome {
	if a.Place() == record.InCluster {
		return e.kube.Do(ctx, a)
	}
	return e.group.Do(ctx, a)
}
