package gardener

import (
	"context"

	"k8s.io/client-go/dynamic"

	"github.com/drainboard/drainboard/lab/vms"
)

// What tests see of Shoots that a lab has, which this package cannot know.
type (
	Object = shootObject
	Status = shootStatus
)

const (
	CriticalTaint    = criticalTaint
	ForceUpdate      = forceUpdate
	MachineNameLabel = machineNameLabel
	OperationKey     = operationKey
	PoolLabel        = poolLabel
	RolledBackKey    = rolledBackKey
)

var (
	InPlaceReason = inPlaceReason
	Tainted       = tainted
)

func (s *Shoot) Read(ctx context.Context) (*Object, error) { return s.read(ctx) }

func (s *Shoot) NodeSelector() string { return s.nodeSelector() }

func (s *Shoot) VMs() []vms.VM { return s.vms.VMs() }

func (s *Shoot) PatchNode(ctx context.Context, node string, change any) error {
	return s.agent.patch(ctx, node, change)
}

func (s *Shoot) Objects() dynamic.ResourceInterface { return s.shoots }
