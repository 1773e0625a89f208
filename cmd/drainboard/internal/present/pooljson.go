package present

import (
	"cmp"
	"slices"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// windowCloses is the countdown of the maintenance time window.
const windowCloses = "window closes"

// Status returns a pool for JSON.
func (p PoolState) Status() api.WorkerPoolStatus {
	out := api.WorkerPoolStatus{
		AsOf: p.Seen.At, Instances: p.Stands.Machines, Outdated: p.Stands.Outdated, WorkerPool: PoolOf(p.Seen.Pool),
	}
	for _, z := range p.Seen.Zones {
		for _, r := range z.Rows {
			out.Members = append(out.Members, memberOf(r, p.World.Machine(r.ID)))
			if w := waitOf(r.Wait); w != nil {
				out.Countdowns = append(out.Countdowns, api.Countdown{Instance: r.ID, Node: r.Name, Wait: *w})
			}
		}
	}
	for _, b := range p.Seen.Blockers {
		blocked := api.BlockedPod{Pod: b.Pod, Node: b.Node, Type: api.Word(string(b.Kind)), Attempts: b.Tries, Message: b.Detail, Remedy: b.WayOut}
		for _, budget := range b.Budgets {
			blocked.Budgets = append(blocked.Budgets, budget.Ref)
		}
		out.BlockedPods = append(out.BlockedPods, blocked)
		if w := waitOf(b.Deadline); w != nil && w.For == blockers.UntilPodForced {
			out.Countdowns = append(out.Countdowns, api.Countdown{Instance: b.Machine, Node: b.Node, Pod: b.Pod, Wait: *w})
		}
	}
	if v := p.Seen.Pool; !v.Closes.IsZero() {
		out.Countdowns = append(out.Countdowns, api.Countdown{Wait: api.Wait{
			For: windowCloses, Since: v.Opens, Until: v.Closes, Basis: "from " + v.WindowFrom + ", less the last 15 minutes, in which nothing starts",
		}})
	}
	slices.SortStableFunc(out.Countdowns, func(a, b api.Countdown) int { return cmp.Or(a.Until.Compare(b.Until), cmp.Compare(a.Node, b.Node)) })
	return out
}

// GroupStatus returns a pool without a run, as a JSON document.
func (p PoolState) GroupStatus() api.GroupStatus {
	pool := p.Status()
	return api.GroupStatus{GroupStatusFields: api.GroupStatusFields{Group: p.Stands.Name, NodeMarks: marksOf(p.Others), Pool: &pool}}
}

// PoolOf returns what a pool has beyond other groups, for JSON.
func PoolOf(v *snapshot.PoolView) api.WorkerPool {
	p := api.WorkerPool{
		Shoot: v.Shoot, UpdateStrategy: v.Update, KubernetesVersion: v.Version, MaxSurge: v.Surge, MaxUnavailable: v.Unavailable, ControlCluster: v.Control,
		Limits: limitsOf(v.Limits), UpdatePending: v.Pending, Errors: v.Failed, Notes: v.Notes, Unknown: v.Unknown, InPlaceUpdates: map[string]int{},
	}
	if i := v.Info; i != nil {
		p.ShootInfo = &api.ShootInfo{ShootName: i.Name, ProjectName: i.Project, KubernetesVersion: i.Version, Unreadable: i.Unread}
	}
	if !v.Closes.IsZero() {
		p.MaintenanceWindow = &api.MaintenanceWindow{OpensAt: v.Opens, LastStartAt: v.Closes, Source: v.WindowFrom}
	}
	for mark, n := range v.InPlace {
		p.InPlaceUpdates[api.Word(string(mark))] = n
	}
	for _, z := range v.Zones {
		out := api.PoolZone{
			Zone: z.Name, MachineDeployment: z.Deployment, Updated: z.Updated, Available: z.Available, Total: z.Total, MaxSurge: z.SurgeAs,
			MaxUnavailable: z.UnavailableAs, Estimated: z.Guess, Paused: z.Paused, Frozen: z.Frozen, Message: z.Progress,
		}
		if z.Deployment != "" {
			out.DesiredSize = &z.Desired
		}
		if z.AtOnce() != "" {
			out.SurgeNodes, out.UnavailableNodes = &z.Surge, &z.Unavailable
		}
		p.PoolZones = append(p.PoolZones, out)
	}
	return p
}

func limitsOf(l world.MachineLimits) api.MachineLimits {
	return api.MachineLimits{
		MachineDrainTimeout: api.Duration(l.Drain), MachineHealthTimeout: api.Duration(l.Health), MachineCreationTimeout: api.Duration(l.Creation),
		MachineInPlaceUpdateTimeout: api.Duration(l.InPlace), MaxEvictRetries: l.EvictRetries, DisableHealthTimeout: l.NoHealth,
		NodeConditions: l.Conditions, Assumed: l.Guessed,
	}
}

func memberOf(r *snapshot.NodeRow, m *world.Machine) api.PoolMember {
	out := api.PoolMember{
		Instance: r.ID, Node: r.Name, Zone: r.Zone, Stage: string(r.Stage), Version: r.Version, UpToDate: r.New, Ready: r.Ready, Cordoned: r.Cordoned,
		PodsToEvict: r.Pods, PodsRemaining: r.PodsLeft, Message: r.Note,
	}
	if m == nil || m.Managed == nil {
		return out
	}
	g := m.Managed
	out.Machine = &api.Machine{
		Name: g.Name, Phase: g.Phase, PhaseSince: g.Since, LastOperation: g.Operation, Description: g.Description, Failed: g.Failed,
		MachineDeployment: g.Deployment, MachineSet: g.Set, CreatedAt: g.Created, DeletedAt: g.Deleted, Forced: g.Forced, Priority: g.Priority,
		PreservedUntil: g.Preserved, Limits: limitsOf(g.Limits),
	}
	return out
}

// controllerRollOf returns what would block a roll of a pool by its controller, for JSON.
func controllerRollOf(p snapshot.PoolPlan, others []snapshot.MoverView) *api.ControllerRoll {
	out := &api.ControllerRoll{AsOf: p.AsOf, AllNodes: p.All, NodeMarks: marksOf(others), NotEvaluated: p.NotEvaluated}
	for _, n := range p.Nodes {
		out.Nodes = append(out.Nodes, api.PoolNode{
			Instance: n.Machine, Node: n.Name, Zone: n.Zone, Version: n.Version, PodsToEvict: n.Evict, PodsInTurn: n.Volumes, PodsStaying: n.Stay,
			ForeseenBlockers: n.Foreseen, NeverEvictable: n.Stuck, NotEvaluated: unlessEmpty(n.NotEvaluated),
		})
	}
	for _, o := range p.Meets {
		out.Obstacles = append(out.Obstacles, api.Obstacle{Type: string(o.Kind), Message: o.Text, Zone: o.Zone, Budget: o.Budget, Nodes: o.Nodes, Pods: o.Pods})
	}
	return out
}
