package world

import (
	"slices"
	"time"
)

// Pool is a group that its own controller drives (package selfdriven), as far as that shows it:
// Gardener's worker pools so far.
type Pool struct {
	// Name is what the controller calls the group.
	Name string
	// Update is how it updates the group, in its own words, "" where nothing tells.
	Update string
	// Version is the kubelet version that it is asked for, "" where that is not read.
	Version string
	// Namespace is where its objects are.
	Namespace string
	// Control: its own objects are read. Without them Deployments is empty, and machines are
	// what the Nodes tell.
	Control bool
	// MaxSurge and MaxUnavailable are those of the group as a whole, as written there ("1",
	// "20%"), "" where not known.
	MaxSurge, MaxUnavailable string
	// Deployments are the parts of the group that the controller rolls by themselves, one for
	// each zone.
	Deployments []MachineDeployment
	// Shares are the zones' shares of MaxSurge and MaxUnavailable; none where that is not known,
	// or where the deployments tell.
	Shares []ZoneShare
	// Limits are those set for the group, where there are any, else the controller's defaults.
	// A machine has its own (ManagedMachine.Limits).
	Limits MachineLimits
	// Notes are what the controller says of the nodes, cleaned, a sentence each.
	Notes []string
	// ShootStatus is what only a Shoot tells of its pools.
	ShootStatus
}

// ManagedMachine is what a controller that drives its groups by itself tells of a machine, among
// its own objects.
type ManagedMachine struct {
	// Name is the Machine's.
	Name string
	// Phase is one of the Phase constants, and since when it is.
	Phase string
	Since time.Time
	// Operation is the last one: type and state (DrainNode, Processing), and its
	// description, cleaned. Its time is no heartbeat.
	Operation, Description string
	Failed                 bool
	// Deployment and Set are the names of its machine deployment and set.
	Deployment, Set string
	Created         time.Time
	// Deleted is when its deletion was asked for, zero if it was not.
	Deleted time.Time
	// Forced: it is labelled to be deleted by force.
	Forced bool
	// Priority decides who is deleted first, the lowest; 3 unless set.
	Priority int
	// Sick is since when its node is not Ready, or its file system read-only, as the Machine has
	// it: that is not brought up to date any more once its deletion was asked for. Zero while
	// neither is so.
	Sick time.Time
	// Preserved is until when the machine is kept although it failed, zero if it is not.
	Preserved time.Time
	Limits    MachineLimits
}

// ZoneShare is what a zone's machine deployment gets of a pool's limits.
type ZoneShare struct {
	Zone string
	// Surge and Unavailable are as they are written in the machine deployment ("1", "25%"),
	// MaxSurge and MaxUnavailable what that comes to with the zone's machines.
	Surge, Unavailable       string
	MaxSurge, MaxUnavailable int
}

// MachineDeployment is one zone of a pool, as the control cluster has it.
type MachineDeployment struct {
	Name, Zone string
	// Generation is that of its spec, Observed the one that the controller's counts are of.
	Generation, Observed int64
	// Desired machines are asked for; Updated are of the newest machine set, Available those
	// that run. Total counts machines that are on their way out as well.
	Desired, Updated, Available, Total int
	// Preserved machines have failed and are kept for a while: none is to come in their place.
	Preserved int
	// MaxSurge and MaxUnavailable are resolved, for this zone alone; Surge and Unavailable as
	// written ("1", "25%"), "" where nothing is.
	MaxSurge, MaxUnavailable int
	Surge, Unavailable       string
	// Paused: the controller begins no further batch; Frozen: it creates no machine.
	Paused, Frozen bool
	// Progress is the reason and message of its condition Progressing.
	Progress string
	// Failed are machines whose last operation failed, a sentence each.
	Failed []string
}

// Deployment is the machine deployment of that name, nil if there is none.
func (p *Pool) Deployment(name string) *MachineDeployment {
	if p == nil {
		return nil
	}
	for i := range p.Deployments {
		if p.Deployments[i].Name == name {
			return &p.Deployments[i]
		}
	}
	return nil
}

// Complete reports whether the machine deployment has as many machines as are asked for,
// all of the newest set, and none on its way out, by its current spec
// (machine-controller-manager pkg/controller/deployment_util.go, MachineDeploymentComplete).
// Preserved failed machines are not available, and Gardener does not wait for them (gardener/gardener
// extensions/pkg/controller/worker/genericactuator, waitUntilWantedMachineDeploymentsAvailable).
func (d *MachineDeployment) Complete() bool {
	missing := d.Desired - d.Available
	return d.Observed >= d.Generation && d.Updated == d.Desired && d.Total == d.Desired && missing >= 0 && missing <= d.Preserved
}

// MachineLimits are how long machine-controller-manager waits, and how often it tries.
type MachineLimits struct {
	Drain, Health, Creation, InPlace time.Duration
	// EvictRetries is how often an eviction that a budget refuses is tried, 20 s apart,
	// before the pod is deleted past the budget.
	EvictRetries int
	// NoHealth: a machine that is not healthy is never given up.
	NoHealth bool
	// Conditions of a Node that make its machine unhealthy, when they are not False.
	Conditions []string
	// Guessed: nothing was read, these are defaults.
	Guessed bool
}

// Clean is what is known of the machine with all its strings clean: itself if they are.
func (g *ManagedMachine) Clean() *ManagedMachine {
	if g == nil || plain(g.Name, g.Phase, g.Operation, g.Description, g.Deployment, g.Set) && plain(g.Limits.Conditions...) {
		return g
	}
	c := *g
	c.Limits.Conditions = slices.Clone(g.Limits.Conditions)
	CleanAll(&c)
	return &c
}

// Clean is the pool with all its strings clean.
func (p *Pool) Clean() *Pool {
	if p == nil {
		return nil
	}
	c := *p
	c.Deployments, c.Notes, c.Shares = slices.Clone(p.Deployments), slices.Clone(p.Notes), slices.Clone(p.Shares)
	c.Behind, c.Unmarked = slices.Clone(p.Behind), slices.Clone(p.Unmarked)
	if p.Info != nil {
		info := *p.Info
		c.Info = &info
	}
	for i := range c.Deployments {
		c.Deployments[i].Failed = slices.Clone(c.Deployments[i].Failed)
	}
	c.Limits.Conditions = slices.Clone(p.Limits.Conditions)
	if p.Progress != nil {
		progress := *p.Progress
		c.Progress = &progress
	}
	CleanAll(&c)
	return &c
}

// KeptFailed reports whether the machine has failed and its controller preserves it, by its
// own object, else by its Node (nil without one): one that is preserved and not Ready
// (gardener/gardener pkg/utils/kubernetes/health/node.go, IsNodePreservedAndUnhealthy).
func (m *Machine) KeptFailed(node *Node) bool {
	if g := m.Managed; g != nil {
		return g.Phase == PhaseFailed && !g.Preserved.IsZero() && g.Deleted.IsZero()
	}
	return node != nil && !node.Preserved.IsZero() && !node.Ready && !m.Leaving()
}
