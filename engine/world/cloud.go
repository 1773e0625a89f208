package world

import (
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/drainboard/drainboard/engine/text"
)

// Template names a version of a launch template (or of whatever a provider
// makes machines from).
type Template struct {
	ID      string `json:"id"`
	Version int64  `json:"version"`
}

// String is "id:version".
func (t Template) String() string { return t.ID + ":" + strconv.FormatInt(t.Version, 10) }

// Sizes are the bounds of a group and the size asked of it.
type Sizes struct {
	Min     int `json:"min"`
	Max     int `json:"max"`
	Desired int `json:"desired"`
}

// Machine states that the engine acts on; a provider maps its own to these and
// keeps its own word in Machine.Detail.
const (
	MachinePending     = "Pending"
	MachineInService   = "InService"
	MachineTerminating = "Terminating"
	MachineStandby     = "Standby"
)

// Machine is a member of the group as the cloud knows it.
type Machine struct {
	ID, Zone string
	// Node is the name of its node where who lists the machines knows it, "" where the nodes
	// alone tell which machine they run on. It wins over what the node says.
	Node string
	// State is one of the Machine constants.
	State string
	// Detail is the cloud's own word for the state (Terminating:Wait, ...).
	Detail string
	// Template is what the machine was launched from.
	Template Template
	// Type is the instance type.
	Type string
	// Protected: the group may not remove it of its own accord.
	Protected bool
	Unhealthy bool
	// Spot: the cloud may take the machine back at short notice.
	Spot bool
	// Detached: taken out of its group, which has another one in its place and does not
	// replace this one when it ends.
	Detached bool
	// Managed is what the group's own controller tells of it, nil where there is none that minds
	// it or is not read.
	Managed *ManagedMachine
}

// same reports whether nothing of a machine has changed.
func (m *Machine) same(now *Machine) bool {
	if m.Managed == now.Managed {
		return *m == *now
	}
	if m.Managed == nil || now.Managed == nil || !reflect.DeepEqual(m.Managed, now.Managed) {
		return false
	}
	was := *m
	was.Managed = now.Managed
	return was == *now
}

// Leaving reports whether the machine is on its way out.
func (m *Machine) Leaving() bool { return m.State == MachineTerminating }

// Activity is what a group tried, newest first in Group.Activities.
type Activity struct {
	ID string
	// At is when it started.
	At time.Time
	// Failed: it was a launch, and it failed; Message has the cloud's own words.
	Failed bool
	Cause  string
	// Launched: it was a launch, and it brought a machine.
	Launched bool
	// InProgress: it has not come to its end.
	InProgress bool
	Message    string
	// Launches and Ends are the machines that it brings and takes, "" for none; Zone is theirs.
	Launches, Ends, Zone string
	// Why is why it ends one.
	Why EndCause
}

// EndCause is why a group ends a machine, by the cause that its activity tells.
type EndCause string

// Causes of the end of a machine.
const (
	EndRequested EndCause = "request"                 // TerminateInstanceInAutoScalingGroup
	EndShrinks   EndCause = "request, desired size-1" // the same, with a decrement of the desired size
	EndScaledIn  EndCause = "scale-in"                // there were more than desired
	EndRebalance EndCause = "rebalance"               // AZRebalance
	EndUnhealthy EndCause = "unhealthy"               // a health check
	EndOther     EndCause = "other"
)

// EndOf is the activity that ends a machine, false where none is known.
func (g *Group) EndOf(machine string) (Activity, bool) {
	i := slices.IndexFunc(g.Activities, func(a Activity) bool { return a.Ends == machine })
	if i < 0 || machine == "" {
		return Activity{}, false
	}
	return g.Activities[i], true
}

// Hook is a lifecycle hook of a group: machines wait for a user or tool to complete
// it, when they launch or when they end.
type Hook struct {
	Name string
	// Launching: it holds machines that launch (Pending:Wait), else those that end
	// (Terminating:Wait).
	Launching bool
	// Timeout is how long a machine waits when nobody completes the hook; Abandon:
	// a launching machine is then ended.
	Timeout time.Duration
	Abandon bool
}

// Subnet is where a group places machines.
type Subnet struct {
	ID, Zone string
	// Free is how many addresses are left.
	Free int
}

// Group is a group as the cloud describes it.
type Group struct {
	Name string
	// ID tells the group from one that is made later under its name (AWS: its ARN, which
	// holds an id of its own).
	ID string
	// Provider is the provider's name: asg, eks, kops, gardener.
	Provider string
	Sizes    Sizes
	Zones    []string
	// Template is what the group launches from now, resolved to a number.
	Template Template
	// TemplateSpec is the version as the group has it: a number, $Latest or $Default.
	TemplateSpec string
	// TemplateName is the template's name, for people.
	TemplateName string
	// Image is the image of Template.
	Image string
	// Overrides are the templates of mixed-instances overrides that differ from Template.
	Overrides []Template
	// Mixed: what it launches from stands in a mixed instances policy, with much else.
	Mixed bool
	// Balancers are the load balancers that the group puts its machines into: the ARNs of
	// target groups, and the names of classic ones.
	Balancers []string
	// Suspended are the group's processes that do not act (AZRebalance, Launch, ...).
	Suspended []string
	// SuspensionReasons say of suspended processes why, in the cloud's own words.
	SuspensionReasons map[string]string
	Tags              map[string]string
	// Activities of the group, newest first, as far back as the run needs.
	Activities []Activity
	// Lately is what was before, nil where that was not read.
	Lately  *Lately
	Subnets []Subnet
	// Warm are the machines of the group's warm pool: not in service, not part of the
	// desired size, and what the group takes before it launches.
	Warm []Machine
	// Hooks are the group's lifecycle hooks.
	Hooks []Hook
	// Refused says why Drainboard does not touch this group, "" if it does.
	Refused string
	// NoLaunchInZone says why the cloud does not launch a machine of the group in a zone by
	// name, "" if nothing is known against it.
	NoLaunchInZone string
	// Upkeep is what the group does to its machines by itself.
	Upkeep Upkeep
	// Refresh is the cloud's own roll of the group, if one is at work.
	Refresh Refresh
	// Scaling is what changes the group's size by itself.
	Scaling Scaling
	// Pool is set for a Gardener worker pool.
	Pool *Pool
	// Managed is set for a managed node group of EKS.
	Managed *ManagedGroup
	// Role is what the group's machines do in their cluster, "" where the provider does not
	// tell.
	Role Role
	// Peers are all groups of the cluster, this one too, as far as the validity of the
	// whole depends on them; none where the provider knows of no such whole.
	Peers []Peer
}

// KopsGroup is the tag of an Auto Scaling group with the name of its instance group
// (kops upup/pkg/fi/cloudup/awsup/aws_cloud.go), and the label with it on its nodes
// (pkg/apis/kops/instancegroup.go, AddInstanceGroupNodeLabel).
const KopsGroup = "kops.k8s.io/instancegroup"

// Alias is what people call the group, "" where that is its name.
func (g *Group) Alias() string {
	if g.Provider != "kops" {
		return ""
	}
	return g.Tags[KopsGroup]
}

// Role is what the machines of a group do in their cluster.
type Role string

// Roles, as kops has them (pkg/apis/kops/instancegroup.go).
const (
	RoleBastion      Role = "bastion"
	RoleControlPlane Role = "control-plane"
	RoleAPIServer    Role = "apiserver"
	RoleNode         Role = "node"
)

// Peer is a group of the cluster that the group belongs to.
type Peer struct {
	Name string
	// Alias is its name in the label KopsGroup of its nodes.
	Alias string
	Role  Role
	// Missing: it has a spec, and the cloud has no such group.
	Missing bool
	// Size is how many machines it is to have.
	Size int
	// Machines are the ids of those it has, without those that are detached or leaving.
	Machines []string
}

// LaunchProcess is the process of a group that launches its machines.
const LaunchProcess = "Launch"

// HasSuspended reports whether a process is suspended.
func (g *Group) HasSuspended(process string) bool {
	for _, p := range g.Suspended {
		if p == process {
			return true
		}
	}
	return false
}

// String is "min 3, max 9, desired 6".
func (s Sizes) String() string {
	return text.Sizes(s.Min, s.Max, s.Desired)
}
