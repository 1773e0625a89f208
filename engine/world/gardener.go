package world

import (
	"slices"
	"time"
)

// Update strategies of a Gardener worker pool (Shoot, spec.provider.workers[].updateStrategy).
const (
	AutoRollingUpdate   = "AutoRollingUpdate"
	AutoInPlaceUpdate   = "AutoInPlaceUpdate"
	ManualInPlaceUpdate = "ManualInPlaceUpdate"
)

// Pool is what a Gardener worker pool has beyond other groups. Its machines are moved by
// machine-controller-manager, which works in a control cluster that not everybody may read.
type Pool struct {
	// Shoot is the Shoot's namespace and name, "" where it is not read.
	Shoot string
	// Name is the worker's name in the Shoot.
	Name string
	// Update is the pool's update strategy, "" where nothing tells.
	Update string
	// Version is the kubelet version that the Shoot asks for, "" where it is not read.
	Version string
	// Namespace is where the Machines are in the control cluster.
	Namespace string
	// Control: the control cluster is read. Without it Deployments is empty, and machines
	// are what the Nodes tell.
	Control bool
	// MaxSurge and MaxUnavailable are the Shoot's, for the pool as a whole, as written there
	// ("1", "20%"), "" where not known.
	MaxSurge, MaxUnavailable string
	// Deployments are the pool's machine deployments, one for each zone.
	Deployments []MachineDeployment
	// Limits are those of the Shoot's worker, where it sets any, else the controller's
	// defaults. A machine has its own (ManagedMachine.Limits).
	Limits MachineLimits
	// Pending: the Shoot's status lists the pool as awaiting an update in place.
	Pending bool
	// Shares are the zones' shares of MaxSurge and MaxUnavailable as Gardener splits them up;
	// none where that is not known, or where the machine deployments tell.
	Shares []ZoneShare
	// Opens and Closes are the next maintenance time window, or the one that is open; Closes
	// is when the last operation starts, 15 minutes before its end. Zero where not known.
	Opens, Closes time.Time
	// WindowFrom is where the window is read: the Shoot, or the ConfigMap of ShootInfo.
	WindowFrom string
	// Info is what the Shoot's own cluster says of its Shoot, nil where the Shoot itself is
	// read, or nobody has asked yet.
	Info *ShootInfo
	// Notes are what the Shoot's conditions and constraints say of its nodes, cleaned, a
	// sentence each.
	Notes []string
	// Progress is how far Gardener is with the Shoot, nil where the Shoot is not read.
	Progress *ShootProgress
	// Unread is why the Shoot cannot be read although it is asked for, "" if it can: what is
	// known of it is then old, or nothing.
	Unread string
}

// ShootInfo is what Gardener writes of a Shoot into the Shoot's own cluster: the ConfigMap
// shoot-info in kube-system (gardener/gardener pkg/component/shoot/system, shootInfoData).
type ShootInfo struct {
	// Name and Project are the Shoot's, Version its Kubernetes version, which a pool may
	// differ from.
	Name, Project, Version string
	// Unread is why none of this is known, "" if it is.
	Unread string
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
func (d *MachineDeployment) Complete() bool {
	return d.Observed >= d.Generation && d.Updated == d.Desired && d.Total == d.Desired && d.Available == d.Desired
}

// Marks of ours in the control cluster, and what a Machine has without them
// (machine-controller-manager pkg/util/provider/machineutils).
const (
	// ForceDeletion is the label of a Machine that has it deleted by force.
	ForceDeletion = "force-deletion"
	// MachinePriority is the annotation of a Machine by which its machine set deletes first
	// what has the lowest; UsualPriority without it.
	MachinePriority = "machinepriority.machine.sapcloud.io"
	UsualPriority   = 3
)

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

// Phases of a Machine of machine-controller-manager.
const (
	PhaseCreating          = "" // not seen to by the driver yet
	PhaseCrashLoop         = "CrashLoopBackOff"
	PhasePending           = "Pending"
	PhaseAvailable         = "Available"
	PhaseRunning           = "Running"
	PhaseUnknown           = "Unknown"
	PhaseFailed            = "Failed"
	PhaseTerminating       = "Terminating"
	PhaseInPlaceUpdating   = "InPlaceUpdating"
	PhaseInPlaceSuccessful = "InPlaceUpdateSuccessful"
	PhaseInPlaceFailed     = "InPlaceUpdateFailed"
)

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

const (
	// RetryEvery is how long machine-controller-manager waits between two evictions of a pod
	// that a budget refuses (its pkg/util/provider/drain, PodEvictionRetryInterval).
	RetryEvery = 20 * time.Second
	// SickFor is for how long a node may be not Ready, or its file system read-only, before a
	// drain of it that begins is by force (machine-controller-manager pkg/util/provider/machinecontroller,
	// nodeNotReadyDuration).
	SickFor = 5 * time.Minute
)

// DefaultLimits are those of a machine for which nothing is set: the flags' defaults of
// machine-controller-manager (cmd/machine-controller-manager and pkg/util/provider/app
// options), and what the Shoot's API sets for a pool that is updated in place.
func DefaultLimits(update string) MachineLimits {
	return MachineLimits{
		Drain: gardenerLimit, Health: 10 * time.Minute, Creation: 20 * time.Minute, InPlace: 20 * time.Minute,
		EvictRetries: int(gardenerLimit / RetryEvery), NoHealth: InPlace(update), Guessed: true,
		Conditions: slices.Clone(HealthConditions),
	}
}

// InPlace reports whether an update strategy keeps the machines.
func InPlace(update string) bool { return update == AutoInPlaceUpdate || update == ManualInPlaceUpdate }

// PartOfZone is a zone's part of a number of machines of a pool: the same for all, what is left
// over goes to the zones in turn, from the first on (gardener,
// extensions/pkg/controller/worker/machines.go, DistributeOverZones).
func PartOfZone(n, zone, zones int) int {
	part := n / zones
	if zone < n%zones {
		part++
	}
	return part
}

// Past is how long an eviction that a budget refuses is tried before the pod is deleted past
// the budget; 0 where the drain is over before.
func (l MachineLimits) Past() time.Duration {
	if d := time.Duration(l.EvictRetries) * RetryEvery; d < l.Drain {
		return d
	}
	return 0
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
