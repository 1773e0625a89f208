package present

import (
	"cmp"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// PoolStatus is a worker pool at one look, for programs (docs/gardener.md, "For programs").
type PoolStatus struct {
	Group    string    `json:"group"`
	Provider string    `json:"provider"`
	AsOf     time.Time `json:"asOf"`
	// Machines are those that count, Outdated those of them to be updated or replaced.
	Machines int  `json:"machines"`
	Outdated int  `json:"outdated"`
	Pool     Pool `json:"pool"`
	// Members are all machines, those on their way too.
	Members []poolMember `json:"members"`
	// Countdowns are all that run, the nearest end first.
	Countdowns []countdown `json:"countdowns"`
	// Blocked are the pods that are held on nodes that are drained.
	Blocked []blockedPod `json:"blocked"`
	// Others are who moves its nodes.
	Others []engine.MoverView `json:"others,omitempty"`
}

// Pool is what a worker pool has beyond other groups.
type Pool struct {
	Shoot string `json:"shoot,omitempty"`
	// Info is what the Shoot's own cluster says of it, where the Shoot is not read.
	Info           *shootInfo `json:"shootInfo,omitempty"`
	UpdateStrategy string     `json:"updateStrategy,omitempty"`
	Version        string     `json:"kubernetesVersion,omitempty"`
	MaxSurge       string     `json:"maxSurge,omitempty"`
	MaxUnavailable string     `json:"maxUnavailable,omitempty"`
	// Control: the zones are as the control cluster has them, else counted from the nodes.
	Control bool           `json:"controlCluster"`
	Zones   []poolZone     `json:"zones"`
	Limits  poolLimits     `json:"limits"`
	InPlace map[string]int `json:"inPlace,omitempty"`
	Pending bool           `json:"pending,omitempty"`
	Window  *poolWindow    `json:"maintenanceWindow,omitempty"`
	Failed  []string       `json:"failed,omitempty"`
	Notes   []string       `json:"notes,omitempty"`
	Unknown []string       `json:"unknown,omitempty"`
}

// shootInfo has the names of the ConfigMap shoot-info.
type shootInfo struct {
	Name    string `json:"shootName,omitempty"`
	Project string `json:"projectName,omitempty"`
	Version string `json:"kubernetesVersion,omitempty"`
	Unread  string `json:"unread,omitempty"`
}

// poolWindow is the maintenance time window that is open, or the next one.
type poolWindow struct {
	Opens time.Time `json:"opens"`
	// LastStart is when the last operation starts in it, 15 minutes before its end.
	LastStart time.Time `json:"lastStart"`
	From      string    `json:"from"`
}

// poolZone is one zone. Without the control cluster machineDeployment and desired are missing.
type poolZone struct {
	Zone       string `json:"zone"`
	Deployment string `json:"machineDeployment,omitempty"`
	Desired    *int   `json:"desired,omitempty"`
	Updated    int    `json:"updated"`
	Available  int    `json:"available"`
	Total      int    `json:"total"`
	// MaxSurge and MaxUnavailable are as written, Surge and Unavailable what they come to;
	// missing where nothing is known. Estimate: worked out from the Shoot.
	MaxSurge       string `json:"maxSurge,omitempty"`
	MaxUnavailable string `json:"maxUnavailable,omitempty"`
	Surge          *int   `json:"surge,omitempty"`
	Unavailable    *int   `json:"unavailable,omitempty"`
	Estimate       bool   `json:"estimate,omitempty"`
	Paused         bool   `json:"paused"`
	Frozen         bool   `json:"frozen"`
	Progress       string `json:"progress,omitempty"`
}

// poolLimits have the names of the Shoot's machineControllerManager.
type poolLimits struct {
	Drain        string   `json:"machineDrainTimeout"`
	Health       string   `json:"machineHealthTimeout"`
	Creation     string   `json:"machineCreationTimeout"`
	InPlace      string   `json:"machineInPlaceUpdateTimeout"`
	EvictRetries int      `json:"maxEvictRetries"`
	NoHealth     bool     `json:"disableHealthTimeout"`
	Conditions   []string `json:"nodeConditions"`
	// Guessed: nothing was read, these are the controller's defaults.
	Guessed bool `json:"guessed"`
}

// poolMember is a machine of the pool.
type poolMember struct {
	ID       string       `json:"id"`
	Node     string       `json:"node,omitempty"`
	Zone     string       `json:"zone,omitempty"`
	Stage    record.Stage `json:"stage"`
	Version  string       `json:"version,omitempty"`
	Updated  bool         `json:"updated"`
	Ready    bool         `json:"ready"`
	Cordoned bool         `json:"cordoned,omitempty"`
	// Pods have to leave, PodsLeft of them are still there, while it is drained.
	Pods     int    `json:"pods,omitempty"`
	PodsLeft int    `json:"podsLeft,omitempty"`
	Note     string `json:"note,omitempty"`
	// Machine is what the control cluster has of it, missing where that is not read.
	Machine *poolMachine `json:"machine,omitempty"`
}

// poolMachine is a Machine of machine-controller-manager.
type poolMachine struct {
	Name       string     `json:"name"`
	Phase      string     `json:"phase"`
	Since      time.Time  `json:"since,omitzero"`
	Operation  string     `json:"lastOperation,omitempty"`
	Told       string     `json:"description,omitempty"`
	Failed     bool       `json:"failed,omitempty"`
	Deployment string     `json:"machineDeployment"`
	Set        string     `json:"machineSet"`
	Created    time.Time  `json:"created,omitzero"`
	Deleted    time.Time  `json:"deleted,omitzero"`
	Forced     bool       `json:"forced,omitempty"`
	Priority   int        `json:"priority"`
	Preserved  time.Time  `json:"preservedUntil,omitzero"`
	Limits     poolLimits `json:"limits"`
}

// countdown is a time that runs out.
type countdown struct {
	For     string    `json:"for"`
	Machine string    `json:"machine,omitempty"`
	Node    string    `json:"node,omitempty"`
	Pod     string    `json:"pod,omitempty"`
	Start   time.Time `json:"start,omitzero"`
	End     time.Time `json:"end"`
	// Basis is what it rests on. Estimate: that is not all that Gardener goes by.
	Basis    string `json:"basis,omitempty"`
	Estimate bool   `json:"estimate"`
}

// blockedPod is a pod that is held on a node that is drained.
type blockedPod struct {
	Kind   engine.BlockerKind `json:"kind"`
	Pod    string             `json:"pod"`
	Node   string             `json:"node"`
	Detail string             `json:"detail"`
	WayOut string             `json:"wayOut"`
}

// windowCloses is the countdown of the maintenance time window.
const windowCloses = "window closes"

// Status is a pool for programs.
func (p PoolLook) Status() PoolStatus {
	out := PoolStatus{
		Group: p.Stands.Name, Provider: p.Stands.Provider, AsOf: p.Seen.At, Machines: p.Stands.Machines, Outdated: p.Stands.Outdated,
		Pool: PoolOf(p.Seen.Pool), Members: []poolMember{}, Countdowns: []countdown{}, Blocked: []blockedPod{}, Others: p.Others,
	}
	for _, z := range p.Seen.Zones {
		for _, r := range z.Rows {
			out.Members = append(out.Members, memberOf(r, p.World.Machine(r.ID)))
			if w := r.Wait; w != nil {
				out.Countdowns = append(out.Countdowns, countdown{For: w.For, Machine: r.ID, Node: r.Name, Start: w.Start, End: w.End, Basis: w.Basis, Estimate: w.Guess})
			}
		}
	}
	for _, b := range p.Seen.Blockers {
		out.Blocked = append(out.Blocked, blockedPod{b.Kind, b.Pod, b.Node, b.Detail, b.WayOut})
		if w := b.Deadline; w != nil && w.For == engine.UntilPodForced {
			out.Countdowns = append(out.Countdowns, countdown{For: w.For, Machine: b.Machine, Node: b.Node, Pod: b.Pod, Start: w.Start, End: w.End, Basis: w.Basis, Estimate: w.Guess})
		}
	}
	if v := p.Seen.Pool; !v.Closes.IsZero() {
		out.Countdowns = append(out.Countdowns, countdown{For: windowCloses, Start: v.Opens, End: v.Closes, Basis: "as " + v.WindowFrom + " has it, less the 15 minutes in which nothing starts any more"})
	}
	slices.SortStableFunc(out.Countdowns, func(a, b countdown) int { return cmp.Or(a.End.Compare(b.End), cmp.Compare(a.Node, b.Node)) })
	return out
}

// PoolOf is what a pool has beyond other groups, for programs.
func PoolOf(v *engine.PoolView) Pool {
	p := Pool{
		Shoot: v.Shoot, UpdateStrategy: v.Update, Version: v.Version, MaxSurge: v.Surge, MaxUnavailable: v.Unavailable, Control: v.Control,
		Zones: []poolZone{}, Limits: limitsOf(v.Limits), Pending: v.Pending, Failed: v.Failed, Notes: v.Notes, Unknown: v.Unknown,
	}
	if i := v.Info; i != nil {
		p.Info = &shootInfo{i.Name, i.Project, i.Version, i.Unread}
	}
	if !v.Closes.IsZero() {
		p.Window = &poolWindow{v.Opens, v.Closes, v.WindowFrom}
	}
	for mark, n := range v.InPlace {
		if p.InPlace == nil {
			p.InPlace = map[string]int{}
		}
		p.InPlace[string(mark)] = n
	}
	for _, z := range v.Zones {
		out := poolZone{
			Zone: z.Name, Deployment: z.Deployment, Updated: z.Updated, Available: z.Available, Total: z.Total, MaxSurge: z.SurgeAs, MaxUnavailable: z.UnavailableAs,
			Estimate: z.Guess, Paused: z.Paused, Frozen: z.Frozen, Progress: z.Progress,
		}
		if z.Deployment != "" {
			out.Desired = &z.Desired
		}
		if z.AtOnce() != "" {
			out.Surge, out.Unavailable = &z.Surge, &z.Unavailable
		}
		p.Zones = append(p.Zones, out)
	}
	return p
}

func limitsOf(l world.MachineLimits) poolLimits {
	return poolLimits{
		Drain: l.Drain.String(), Health: l.Health.String(), Creation: l.Creation.String(), InPlace: l.InPlace.String(),
		EvictRetries: l.EvictRetries, NoHealth: l.NoHealth, Conditions: l.Conditions, Guessed: l.Guessed,
	}
}

func memberOf(r *engine.NodeRow, m *world.Machine) poolMember {
	out := poolMember{
		ID: r.ID, Node: r.Name, Zone: r.Zone, Stage: r.Stage, Version: r.Version, Updated: r.New, Ready: r.Ready, Cordoned: r.Cordoned,
		Pods: r.Pods, PodsLeft: r.PodsLeft, Note: r.Note,
	}
	if m == nil || m.Managed == nil {
		return out
	}
	g := m.Managed
	out.Machine = &poolMachine{
		Name: g.Name, Phase: g.Phase, Since: g.Since, Operation: g.Operation, Told: g.Description, Failed: g.Failed, Deployment: g.Deployment, Set: g.Set,
		Created: g.Created, Deleted: g.Deleted, Forced: g.Forced, Priority: g.Priority, Preserved: g.Preserved, Limits: limitsOf(g.Limits),
	}
	return out
}
