package uitest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui/scene"
)

// Counted is a run that deletes a pod past its budget after a number of refusals.
func Counted() *snapshot.Snapshot {
	s := Looking()
	b := s.Blockers[0]
	b.Tries, b.AtDeadline, b.Refusals = 4, record.TimeoutForce, 6
	b.Deadline = &record.Wait{For: blockers.UntilPodForced, Start: b.Since, End: Moment.Add(135 * time.Second), Needs: []world.Source{world.Cluster}, Guess: true,
		Basis: text.RetriesLeft(4, 10, 20*time.Second)}
	s.Node.Pods[0].Tries = b.Tries
	return s
}

// Looking is the busy run while the user looks at the node that is blocked, and at
// the budget that blocks it.
func Looking() *snapshot.Snapshot {
	s := Busy()
	stuck, b := s.Zones[0].Rows[0], s.Blockers[0]
	taint := world.Taint{Key: world.EKSGroupKey, Value: "unschedulable", Effect: "NoSchedule"}
	s.Look = snapshot.Look{Machine: stuck.ID, Budget: b.Budgets[0].Ref}
	s.Node = &snapshot.NodeDetail{
		ID: stuck.ID, TemplateName: "ng-web", Machine: &world.Machine{ID: stuck.ID, Zone: stuck.Zone, Type: "m5.2xlarge", State: world.MachineInService, Detail: "InService",
			Template: world.Template{ID: "lt-0a1b", Version: 7}, Protected: true, Spot: true},
		Node: &world.Node{Name: stuck.Name, Version: stuck.Version, Ready: true, Unschedulable: true, Created: Moment.Add(-50 * time.Hour), Taints: []world.Taint{taint}},
		Marks: []snapshot.MarkDetail{{What: "tainted " + taint.String(), There: true}, {What: "labelled node.kubernetes.io/exclude-from-external-load-balancers=true"},
			{What: "cordoned", Foreign: true, There: true}},
	}
	pod := func(stage snapshot.PodStage, ref, kind, owner string, change func(*snapshot.PodDetail)) {
		p := &snapshot.PodDetail{Ref: ref, UID: fmt.Sprint("u-", len(s.Node.Pods)+1), OwnerKind: kind, Owner: owner, Stage: stage, Ready: true, Phase: world.PodRunning, Created: Moment.Add(-26 * time.Hour)}
		if change != nil {
			change(p)
		}
		s.Node.Pods = append(s.Node.Pods, p)
	}
	held := func(ref, owner string, kind blockers.BlockerKind, detail, way string) *blockers.Blocker {
		return &blockers.Blocker{Kind: kind, Pod: ref, UID: fmt.Sprint("u-", len(s.Node.Pods)+1), Node: stuck.Name, Machine: stuck.ID, Owner: owner, Detail: detail, WayOut: way}
	}
	pod(snapshot.StageBlocked, b.Pod, "Deployment", "checkout", func(p *snapshot.PodDetail) {
		p.Budgets, p.Tries, p.First, p.Next, p.Blocker, p.Why = b.Budgets, b.Tries, b.Since, b.Next, b, b.Detail
	})
	ref := "payments-and-settlement/nightly-reconciliation-worker-6f7d9c5b84-q2xkz"
	pod(snapshot.StageBlocked, ref, "Deployment", "nightly-reconciliation-worker", func(p *snapshot.PodDetail) {
		p.Budgets = []blockers.BudgetView{{Ref: "payments-and-settlement/all", Expression: "maxUnavailable 1", Allowed: 1, Healthy: 9, Desired: 8, Expected: 9},
			{Ref: "payments-and-settlement/nightly", Expression: "minAvailable 50%", Allowed: 2, Healthy: 4, Desired: 2, Expected: 4}}
		p.Tries, p.First = 1, Moment.Add(-10*time.Second)
		p.Blocker = held(ref, p.Owner, blockers.BlockedByBudgets, text.CoveredByBudgets([]string{"payments-and-settlement/all", "payments-and-settlement/nightly"}), text.NarrowBudgets)
		p.Blocker.Budgets, p.Why = p.Budgets, p.Blocker.Detail
	})
	pod(snapshot.StageAsks, "tools/debug", "", "", func(p *snapshot.PodDetail) {
		p.Reason, p.Why = drain.UnmanagedPod, drain.UnmanagedPod.Sentence()
		p.Blocker = held(p.Ref, "", blockers.BlockedByConsent, p.Why, text.GiveConsent)
	})
	pod(snapshot.StageReturns, "shop/agent-9", "Deployment", "agent", func(p *snapshot.PodDetail) {
		p.Next, p.Why = Moment.Add(40*time.Second), text.CameBack(3, text.ToleratesEverything)
		p.Blocker = held(p.Ref, "agent", blockers.BlockedByReturn, p.Why, text.NarrowTolerations("agent"))
	})
	pod(snapshot.StageForced, "shop/cart-55c-7", "Deployment", "cart", func(p *snapshot.PodDetail) {
		p.Order, p.By, p.Why, p.Tries, p.Grace = "force-1", "ana@laptop", text.ForcedBy("ana@laptop"), 3, Wait("grace period", 25*time.Second, 30*time.Second)
	})
	pod(snapshot.StageTerminating, "shop/search-2", "StatefulSet", "search", func(p *snapshot.PodDetail) {
		p.Tries, p.First, p.Grace, p.Ready = 1, Moment.Add(-100*time.Second), Wait("grace period", 80*time.Second, 180*time.Second), false
	})
	pod(snapshot.StageEvicting, "shop/web-1", "Deployment", "web", func(p *snapshot.PodDetail) {
		p.Tries, p.First, p.Next = 1, Moment.Add(-time.Second), Moment.Add(4*time.Second)
	})
	pod(snapshot.StageToEvict, "shop/web-2", "Deployment", "web", func(p *snapshot.PodDetail) {
		p.Budgets = []blockers.BudgetView{{Ref: "shop/web", Allowed: 1, Healthy: 5, Desired: 4, Expected: 5}}
	})
	pod(snapshot.StageToEvict, "shop/web-3", "Deployment", "web", func(p *snapshot.PodDetail) { p.Ready, p.Crashing = false, true })
	pod(snapshot.StageIgnored, "kube-system/logs-8xk2p", "DaemonSet", "logs", func(p *snapshot.PodDetail) { p.Reason, p.Why = drain.DaemonSetPod, drain.DaemonSetPod.Sentence() })
	pod(snapshot.StageIgnored, "kube-system/proxy", "Node", stuck.Name, func(p *snapshot.PodDetail) { p.Reason, p.Why = drain.MirrorPod, drain.MirrorPod.Sentence() })
	pod(snapshot.StageIgnored, "tools/report-28x", "Job", "report", func(p *snapshot.PodDetail) {
		p.Reason, p.Why, p.Ready, p.Phase = drain.FinishedPod, drain.FinishedPod.Sentence(), false, world.PodSucceeded
	})

	s.Budget = &snapshot.BudgetDetail{
		BudgetView: b.Budgets[0], Current: true, AlwaysAllow: true, Since: Moment.Add(-14 * time.Minute),
		Why: checkout.Never(""), WayOut: b.WayOut, More: 4,
		Pods: []snapshot.BudgetPod{
			{Ref: "shop/checkout-7d9f-p9", UID: "c-1", Unplaced: "0/12 nodes are available: 7 Insufficient cpu, 5 node(s) were unschedulable."},
			{Ref: "shop/checkout-7d9f-c3", UID: "c-2", Node: Host(1, 24), Stage: record.Outdated, Crashing: true},
			{Ref: "shop/checkout-7d9f-c4", UID: "c-3", Node: Host(2, 31), Stage: record.Draining, Terminating: true, Grace: Wait("grace period", 21*time.Second, 30*time.Second)},
			{Ref: b.Pod, UID: b.UID, Node: stuck.Name, Stage: record.Draining, Ready: true},
			{Ref: "shop/checkout-canary-65bd9c8f7d-with-a-name-that-does-not-end-mzxq7", UID: "c-4", Node: "elsewhere", Ready: true, Others: []string{"shop/canaries"}},
			{Ref: "shop/checkout-7d9f-z1", UID: "c-5", Node: Host(3, 81), Stage: record.Outdated},
			{Ref: "shop/checkout-migrate", UID: "c-6", Node: Host(3, 81), Stage: record.Outdated, Finished: true},
		},
	}
	return s
}

// Behind is a budget whose status is behind its rule, on a cluster that is not heard
// from.
func Behind() *snapshot.Snapshot {
	s := Looking()
	s.Sources[0].Stale, s.Sources[0].Fresh = true, Moment.Add(-40*time.Second)
	s.Budget.Current, s.Budget.Pods, s.Budget.More = false, nil, 0
	s.Budget.Why, s.Budget.WayOut = text.BudgetChanged, text.SeeBudgetControl
	return s
}

// Calm is a new node that is looked at, and a machine that has not joined.
func Calm() *snapshot.Snapshot {
	s := Looking()
	r := s.Zones[0].Rows[4]
	s.Zones[0].Rows[0], s.Zones[0].Rows[4] = r, s.Zones[0].Rows[0]
	s.Look.Machine = r.ID
	s.Node = &snapshot.NodeDetail{ID: r.ID, Node: &world.Node{Name: r.Name, Version: r.Version, Unreachable: Moment.Add(-6 * time.Minute), Trouble: "not ready: the kubelet stopped posting"},
		Pods: []*snapshot.PodDetail{
			{Ref: "shop/web-7", UID: "w-7", Stage: snapshot.StageRuns, Ready: true, Phase: world.PodRunning},
			{Ref: "shop/web-8", UID: "w-8", Stage: snapshot.StageRuns, Phase: world.PodRunning},
			{Ref: "shop/web-9", UID: "w-9", Stage: snapshot.StageRuns, Crashing: true, Phase: world.PodRunning},
		}}
	return s
}

// Moment is the moment that all fixtures show.
var Moment = time.Date(2026, 3, 14, 21, 7, 12, 0, time.UTC)

func Wait(what string, left, whole time.Duration, needs ...world.Source) *record.Wait {
	return &record.Wait{For: what, Start: Moment.Add(left - whole), End: Moment.Add(left), Needs: needs}
}

// checkout is the budget that keeps a pod in most fixtures.
var checkout = text.Budget{Ref: "shop/checkout", Expression: "minAvailable 3", Healthy: 3, Desired: 3, Expected: 3}

func Host(zone, n int) string {
	return fmt.Sprintf("ip-10-0-%d-%d.eu-west-1.compute.internal", zone, n)
}

// Busy is a run in the middle: 12 nodes in 3 zones, two drains, one of them
// blocked by a budget, a node that settles, one that goes, two that come.
func Busy() *snapshot.Snapshot {
	old, now := "v1.31.4-eks-a1b2c3d", "v1.32.1-eks-d4c3b2a"
	row := func(zone, n int, stage record.Stage) *snapshot.NodeRow {
		return &snapshot.NodeRow{Pods: 12, PodsLeft: 12, ID: fmt.Sprintf("i-0a1b2c3d4e5f6%d%03d", zone, n), Name: Host(zone, n), Zone: fmt.Sprintf("eu-west-1%c", 'a'+zone-1),
			Stage: stage, Since: Moment.Add(-90 * time.Second), Version: old, Ready: true, Tainted: true}
	}
	fresh := func(zone, n int, stage record.Stage) *snapshot.NodeRow {
		r := row(zone, n, stage)
		r.New, r.Version, r.Tainted, r.Pods, r.PodsLeft = true, now, false, 0, 0
		return r
	}
	replaced := func(zone, n int, ago time.Duration) *snapshot.NodeRow {
		r := row(zone, n, record.Replaced)
		r.Since = Moment.Add(-ago)
		return r
	}
	stuck := row(1, 23, record.Draining)
	stuck.PodsLeft, stuck.Pods, stuck.Blocked, stuck.Cordoned, stuck.Batch = 3, 17, true, true, 4
	stuck.Wait = Wait("drain deadline", 11*time.Minute+42*time.Second, 15*time.Minute, world.Cluster)
	drains := row(2, 31, record.Draining)
	drains.PodsLeft, drains.Pods, drains.Batch = 9, 14, 4
	drains.Wait = Wait("drain deadline", 14*time.Minute+50*time.Second, 15*time.Minute, world.Cluster)
	settles := row(2, 9, record.Settling)
	settles.Wait = Wait("settling", 41*time.Second, time.Minute)
	goes := row(3, 77, record.Terminating)
	goes.Ready, goes.Cordoned = false, true
	comes := fresh(3, 140, record.Launching)
	comes.Name, comes.ID, comes.Version, comes.Ready = "", "i-0a1b2c3d4e5f63140", "", false
	comes.Wait = Wait("ready", 13*time.Minute, 15*time.Minute, world.Cluster, world.Cloud)
	lost := row(3, 80, record.Outdated)
	lost.Ready, lost.Note = false, "kubelet stopped posting node status"

	deadline := stuck.Wait
	return &snapshot.Snapshot{
		At: Moment, Cluster: "prod-eu-1", Group: "ng-web", Provider: "asg", Strategy: "eks", RunID: "r-7f3a",
		From: old, To: now, State: record.Running, Started: Moment.Add(-21*time.Minute - 7*time.Second), TimeLeft: 14 * time.Minute,
		Done: 4, Total: 12, Limit: 2, MaxUnavailable: 2, Bounds: assess.Bounds{Least: 1, Most: 6, Why: text.SurgeLaunched(6)},
		Sizes: world.Sizes{Min: 3, Max: 18, Desired: 18}, Base: world.Sizes{Min: 3, Max: 12, Desired: 12},
		Phases: []snapshot.PhaseView{
			{Name: "setup", Start: Moment.Add(-21*time.Minute - 7*time.Second), End: Moment.Add(-20*time.Minute - 55*time.Second)},
			{Name: "scale up", Start: Moment.Add(-20*time.Minute - 55*time.Second), End: Moment.Add(-18*time.Minute - 14*time.Second)},
			{Name: "upgrade", Start: Moment.Add(-18*time.Minute - 14*time.Second), Done: 4, Total: 12},
			{Name: "scale down"},
		},
		Zones: []snapshot.ZoneView{
			{Name: "eu-west-1a", Done: 1, Total: 4, Rows: []*snapshot.NodeRow{
				stuck, row(1, 24, record.Outdated), row(1, 112, record.Outdated), replaced(1, 201, 12*time.Minute), fresh(1, 88, record.Ready)}},
			{Name: "eu-west-1b", Done: 2, Total: 4, Rows: []*snapshot.NodeRow{
				settles, drains, row(2, 44, record.Outdated), replaced(2, 45, 100*time.Second), replaced(2, 46, 9*time.Minute), fresh(2, 90, record.Ready), fresh(2, 91, record.Ready)}},
			{Name: "eu-west-1c", Done: 1, Total: 4, Rows: []*snapshot.NodeRow{
				goes, lost, row(3, 81, record.Outdated), replaced(3, 82, 6*time.Minute), fresh(3, 150, record.Ready), comes}},
		},
		Blockers: []*blockers.Blocker{{
			Kind: blockers.BlockedByBudget, Pod: "shop/checkout-7d9f-x2", UID: "u-1", Node: stuck.Name, Machine: stuck.ID, Owner: "checkout",
			Budgets: []blockers.BudgetView{{Ref: "shop/checkout", Expression: "minAvailable 3", Allowed: 0, Healthy: 3, Desired: 3, Expected: 3}},
			Tries:   14, Since: Moment.Add(-3 * time.Minute), Next: Moment.Add(4 * time.Second), Deadline: deadline, AtDeadline: record.TimeoutFail,
			Detail: text.OfBudget("shop/checkout", checkout.Never("")), WayOut: checkout.Loosen("checkout", 4),
			Command: text.ScaleCommand("shop", "deploy", "checkout", 4),
		}},
		Evictions: []*snapshot.Eviction{
			{Pod: "shop/cart-55c-2", UID: "u-2", Node: drains.Name, Machine: drains.ID, Owner: "cart", Grace: Wait("grace period", 21*time.Second, 30*time.Second)},
			{Pod: "search/indexer-of-the-catalogue-6f7d9c5b84-q2xkz", UID: "u-3", Node: drains.Name, Machine: drains.ID, Owner: "indexer-of-the-catalogue", Grace: Wait("grace period", 4*time.Second, 60*time.Second)},
		},
		Events: []record.Event{
			{Time: Moment.Add(-200 * time.Second), Type: record.BatchApproved, Batch: 4, Reason: "ana@laptop", Message: text.BatchApproved([]string{stuck.Name, drains.Name})},
			{Time: Moment.Add(-198 * time.Second), Type: record.NodeDraining, Node: stuck.Name, Message: text.PodsToMove(17), Command: "kubectl drain " + stuck.Name},
			{Time: Moment.Add(-180 * time.Second), Type: record.PodBlocked, Node: stuck.Name, Pod: "shop/checkout-7d9f-x2", Budget: "shop/checkout", Message: text.OfBudget("shop/checkout", checkout.Never(""))},
			{Time: Moment.Add(-100 * time.Second), Type: record.NodeReplaced, Node: Host(2, 45), Message: text.Gone},
			{Time: Moment.Add(-19 * time.Second), Type: record.NodeSettling, Node: settles.Name, Message: text.Settling(time.Minute)},
			{Time: Moment.Add(-12 * time.Second), Type: record.NodeTerminating, Node: goes.Name, Command: "aws autoscaling terminate-instance-in-auto-scaling-group --instance-id i-0a1b2c3d4e5f63077 --no-should-decrement-desired-capacity"},
			{Time: Moment.Add(-10 * time.Second), Type: record.NodeDraining, Node: drains.Name, Message: text.PodsToMove(14), Command: "kubectl drain " + drains.Name},
			{Time: Moment.Add(-2 * time.Second), Type: record.PodEvicted, Node: drains.Name, Pod: "shop/cart-55c-1", Command: "kubectl delete --raw /api/v1/namespaces/shop/pods/cart-55c-1/eviction"},
			{Time: Moment, Type: record.PodGone, Node: drains.Name, Pod: "shop/cart-55c-1", Message: text.PodLeft(2 * time.Second)},
		},
		Abilities: []snapshot.AbilityNow{
			{Kind: record.CmdApprove, Why: text.NothingToApprove}, {Kind: record.CmdPause}, {Kind: record.CmdResume, Why: text.NotPaused},
			{Kind: record.CmdForce}, {Kind: record.CmdSkip},
			{Kind: record.CmdReturn, Why: text.NothingToReturn}, {Kind: record.CmdExtend}, {Kind: record.CmdMaxUnavailable}, {Kind: record.CmdAbort},
		},
		Sources: []snapshot.SourceView{{Name: world.Cluster, Fresh: Moment}, {Name: world.Cloud, Fresh: Moment.Add(-5 * time.Second)}},
		AbortPlan: []string{
			text.AbortDraining(2), text.AbortSettling(1), text.AbortTerminating(1), text.AbortSurge(6),
		},
	}
}

// Asking is a run in which a batch waits for approval.
func Asking() *snapshot.Snapshot {
	s := Busy()
	s.Blockers, s.Evictions = nil, nil
	for _, z := range s.Zones {
		for _, r := range z.Rows {
			if scene.IsActive(r) {
				r.Stage, r.Wait, r.Blocked, r.Pods, r.Ready = record.Outdated, nil, false, 0, true
			}
		}
	}
	s.Batch = &snapshot.BatchView{ID: 2, Hash: "h2", Nodes: []string{Host(1, 23), Host(2, 9), Host(2, 31)}, Since: Moment.Add(-134 * time.Second), AsOf: Moment,
		Evict: 41, Ignore: 12, Foreseen: []string{plans.OfNode(Host(1, 23), plans.BudgetNever("shop/checkout-7d9f-x2", "shop/checkout", "minAvailable 3", 3, 3)),
			plans.BudgetTurns("shop/cart", 2, 5, 2, true)}}
	s.Abilities[0].Why = ""
	s.Events = append(s.Events, record.Event{Time: Moment.Add(-134 * time.Second), Type: record.BatchWaiting, Batch: 2, Message: text.BatchWaiting([]string{Host(1, 23), Host(2, 9), Host(2, 31)})})
	return s
}

// Canary is a run that asks for its first node.
func Canary() *snapshot.Snapshot {
	s := Asking()
	b := s.Batch
	b.ID, b.Canary, b.Watch, b.Nodes, b.Evict, b.Ignore, b.Foreseen = 1, true, 2*time.Minute, b.Nodes[:1], 14, 4, nil
	s.Done, s.Phases[2].Done, s.Until = 0, 0, Moment.Add(3*time.Hour)
	return s
}

// Alone is a run without Kubernetes.
func Alone() *snapshot.Snapshot {
	s := Asking()
	s.CloudOnly, s.Batch.Evict, s.Batch.Ignore, s.Batch.Foreseen = true, 0, 0, nil
	return s
}

// Phase is a run that asks for its next phase.
func Phase() *snapshot.Snapshot {
	s := Asking()
	s.Batch = &snapshot.BatchView{ID: 2, Phase: "upgrade", Hash: "h9", Does: systems.EKSUpgrades(2),
		Since: Moment.Add(-20 * time.Second), AsOf: Moment, Evict: 41, Ignore: 12, Foreseen: s.Batch.Foreseen}
	return s
}

// Watching is a run whose canary is replaced and watched, with odd nodes beside: one
// that failed, one that was skipped, one that is not heard from.
func Watching() *snapshot.Snapshot {
	s := Asking()
	s.Batch, s.Canary, s.Until = nil, Wait("canary", 92*time.Second, 2*time.Minute, world.Cluster, world.Cloud), Moment.Add(3*time.Hour)
	s.Abilities[0].Why, s.Abilities[5].Why = text.NothingToApprove, ""
	set := func(zone, row int, stage record.Stage, note string) {
		r := s.Zones[zone].Rows[row]
		r.Stage, r.Note, r.Pods, r.PodsLeft = stage, note, 0, 0
	}
	set(0, 0, record.NodeFail, text.PodsStayed(3, 15*time.Minute))
	set(1, 2, record.Skipped, text.AskedForBy("ana@laptop"))
	set(2, 1, record.Unreachable, text.Silent(6*time.Minute))
	s.Zones[2].Rows[1].Pods, s.Zones[2].Rows[1].PodsLeft = 11, 11
	return s
}

// Sick is a run that its canary's trouble holds.
func Sick() *snapshot.Snapshot {
	s := Watching()
	s.CanaryTrouble = text.CrashesHereOnly("shop/checkout-7d9f8c6b5-x2x4q", Host(3, 150), "checkout")
	s.State, s.Why, s.Canary = record.Paused, text.CanaryPause(s.CanaryTrouble), nil
	s.Abilities = []snapshot.AbilityNow{
		{Kind: record.CmdApprove, Why: text.NothingToApprove}, {Kind: record.CmdPause, Why: text.AlreadyPaused},
		{Kind: record.CmdResume, Why: text.CanaryHolds(s.CanaryTrouble)}, {Kind: record.CmdAccept}, {Kind: record.CmdAbort},
	}
	return s
}

// Accepted is a run that asks for the other nodes although its canary is not well.
func Accepted() *snapshot.Snapshot {
	s := Asking()
	s.CanaryTrouble, s.CanaryAccepted = Sick().CanaryTrouble, "ana@laptop"
	return s
}

// Stale is a paused run whose cluster has not answered for a while.
func Stale() *snapshot.Snapshot {
	s := Busy()
	s.State, s.Why = record.Paused, text.AskedForBy("ana@laptop")
	s.Abilities = []snapshot.AbilityNow{
		{Kind: record.CmdApprove, Why: text.NothingToApprove}, {Kind: record.CmdPause, Why: text.AlreadyPaused}, {Kind: record.CmdResume},
		{Kind: record.CmdForce, Why: text.TooOldToForce}, {Kind: record.CmdSkip}, {Kind: record.CmdAbort},
	}
	s.Sources[0] = snapshot.SourceView{Name: world.Cluster, Fresh: Moment.Add(-34 * time.Second), Stale: true, Problem: "the API answered 401: credentials have expired", Retry: Moment.Add(3 * time.Second)}
	s.Skew = 4200 * time.Millisecond
	return s
}

// ExternalMovers is a run beside which others move nodes of the group.
func ExternalMovers() *snapshot.Snapshot {
	s := Busy()
	s.ExternalMovers = []record.ExternalMover{
		{Kind: record.ExternalRebalance, Who: "AZRebalance", Does: text.Rebalances, Handling: record.HandlingSuspended, How: text.SuspendedMeantime},
		{Kind: record.ExternalUnhealthy, Who: text.HealthReplacement, Does: text.ReplacesSick, Nodes: []string{Host(1, 24)}, Acts: true, Handling: record.HandlingLeft, How: text.NotWaitedFor},
		{Kind: record.ExternalDrain, Who: "Cluster Autoscaler", Does: text.Drains, Nodes: []string{Host(3, 78)}, Mark: "taint ToBeDeletedByClusterAutoscaler:NoSchedule", Acts: true, Handling: record.HandlingWaited, How: text.NotDrainedByUs},
	}
	return s
}

// Opposed is a run that pauses because of another one.
func Opposed() *snapshot.Snapshot {
	s := ExternalMovers()
	s.ExternalMovers = append(s.ExternalMovers[1:2:2], record.ExternalMover{Kind: record.ExternalRefresh, Who: text.InstanceRefresh("r-1"), Does: text.RefreshDoes("InProgress", 40), Acts: true, Handling: record.HandlingRefused, How: text.NoRunBeside})
	s.State, s.Why = record.Paused, systems.PausedBeside(text.RefreshAtWork("r-1", "InProgress", 40, "ng-web"))
	return s
}

// Ended is what a finished run has in common.
func Ended(result record.Result, why string) *snapshot.Snapshot {
	s := Busy()
	s.State, s.Result, s.Why, s.Ended, s.TimeLeft = record.Finished, result, why, Moment, 0
	s.Abilities = nil
	return s
}

// Done is a run that succeeded.
func Done() *snapshot.Snapshot {
	s := Ended(record.Succeeded, "")
	s.Done, s.Blockers, s.Evictions = 12, nil, nil
	s.Phases[2].End, s.Phases[2].Done = Moment.Add(-time.Minute), 12
	s.Phases[3].Start, s.Phases[3].End = Moment.Add(-time.Minute), Moment
	for z := range s.Zones {
		s.Zones[z].Done = 4
		rows := s.Zones[z].Rows[:0:0]
		for i := range 4 {
			rows = append(rows, &snapshot.NodeRow{ID: fmt.Sprint("i-", z, i), Name: Host(z+1, 210+i), Zone: s.Zones[z].Name, Stage: record.Ready, New: true, Ready: true, Version: s.To})
		}
		s.Zones[z].Rows = rows
	}
	s.Notes = []string{text.MaxLeftAsSet(14)}
	s.Events = append(s.Events, record.Event{Time: Moment, Type: record.RunFinished, Result: string(record.Succeeded)})
	return s
}

// Failed is a run that could not evict a pod.
func Failed() *snapshot.Snapshot {
	s := Ended(record.EvictionFail, text.DrainFailed(Host(1, 23), 15*time.Minute, []string{"shop/checkout-7d9f-x2"}))
	s.Zones[0].Rows[0].Stage, s.Zones[0].Rows[0].Wait = record.NodeFail, nil
	s.Zones[0].Rows[0].Note = text.PodsStayed(3, 15*time.Minute)
	s.Phases[2].End = Moment
	s.Events = append(s.Events, record.Event{Time: Moment, Type: record.PhaseFinished, Phase: "upgrade", Message: text.PhaseTook("upgrade", 18*time.Minute+14*time.Second)})
	for _, r := range s.Zones[1].Rows[1:3] {
		r.Stage, r.Wait, r.Note = record.Skipped, nil, text.AskedForBy("ana@laptop")
	}
	s.Unrestored = []string{text.RollbackOffer(text.RollbackCommand("ng-web", 7)), text.MaximumRaised(18, 12, "aws autoscaling update-auto-scaling-group --auto-scaling-group-name ng-web --max-size 12")}
	return s
}

// Aborted is a run that was told to end.
func Aborted() *snapshot.Snapshot {
	s := Failed()
	s.Result, s.Why = record.Aborted, text.AbortedBy("ana@laptop")
	return s
}

// Idle is a group that no run is under way in, as a watching dashboard shows it.
func Idle() *snapshot.Snapshot {
	s := Busy()
	s.State, s.Strategy, s.RunID, s.Phases, s.Blockers, s.Evictions, s.Abilities, s.TimeLeft = record.NoRun, "", "", nil, nil, nil, nil, 0
	s.Started, s.Done, s.Total = time.Time{}, 0, 0
	for z := range s.Zones {
		s.Zones[z].Done, s.Zones[z].Total = 0, 0
		for _, r := range s.Zones[z].Rows {
			r.Stage, r.Wait, r.Blocked, r.Batch, r.Tainted, r.Cordoned = record.Outdated, nil, false, 0, false, false
			if r.New {
				r.Stage, r.Pods, r.PodsLeft = record.Ready, 9, 9
			} else {
				s.Zones[z].Total++
				s.Total++
			}
		}
	}
	s.Events = s.Events[:0]
	return s
}

var Fixtures = []struct {
	Name string
	Make func() *snapshot.Snapshot
}{{"busy", Busy}, {"asking", Asking}, {"canary", Canary}, {"phase", Phase}, {"watching", Watching}, {"stale", Stale}, {"done", Done}, {"failed", Failed}, {"validating", Validating},
	{"moved", Moved}, {"foreseen", Foreseen}, {"sick", Sick}, {"accepted", Accepted}, {"rolling", Rolling}, {"between", Between}, {"rolled", RolledAll}}

// Moved is the busy run whose moved pods are not all Ready again.
func Moved() *snapshot.Snapshot {
	s := Busy()
	since := Moment.Add(-9 * time.Minute)
	s.Workloads = []*record.Workload{
		{Namespace: "payments-and-settlement", Kind: "Deployment", Name: "nightly-reconciliation-worker", Moved: 2, Since: since, Ready: 1, CrashLooping: 1,
			Pod: "payments-and-settlement/nightly-reconciliation-worker-6f7d9c5b84-q2xkz", Node: Host(1, 88), TroubleSince: Moment.Add(-4 * time.Minute), Reported: record.InCrashLoop},
		{Namespace: "shop", Kind: "Deployment", Name: "checkout", Moved: 3, Since: since, Ready: 2, Pending: 1, Pod: "shop/checkout-7d9f8c6b5-p9x4q", TroubleSince: Moment.Add(-192 * time.Second),
			Reason: "0/36 nodes are available: 24 Insufficient cpu, 12 node(s) had untolerated taint {eks.amazonaws.com/nodegroup: unschedulable}.", Budget: "shop/checkout", Short: 1},
		{Namespace: "search", Kind: "StatefulSet", Name: "catalogue-index", Moved: 1, Since: since, Short: 1, Budget: "search/catalogue-index", TroubleSince: Moment.Add(-40 * time.Second)},
		{Namespace: "shop", Kind: "Deployment", Name: "cart", Moved: 4, Since: since, Ready: 3, Starting: 1, Pod: "shop/cart-55c7d9b4f6-8xk2p", Node: Host(2, 90), TroubleSince: Moment.Add(-11 * time.Second)},
		{Namespace: "shop", Kind: "Deployment", Name: "web", Moved: 11, Since: since, Ready: 11},
	}
	s.Zones[0].Rows[4].CrashLooping = s.Workloads[0].Pod
	s.Events = append(s.Events, record.Event{Time: Moment.Add(-time.Second), Type: record.WorkloadCrashing, Node: Host(1, 88), Pod: s.Workloads[0].Pod,
		Message: s.Workloads[0].Sentence()})
	return s
}

// Foreseen is a run that waits for approval and will fail.
func Foreseen() *snapshot.Snapshot {
	s := Asking()
	f := snapshot.ForecastOf(Moment, snapshot.Rehearsal{Took: 21 * time.Minute, Fails: 263 * time.Second, Result: record.EvictionFail, Replaced: 7, Failed: 1, Left: 4,
		Causes: []snapshot.Cause{{Kind: blockers.BlockedByBudget, Node: Host(1, 23), Pod: "shop/checkout-7d9f8c6b5-x2x4q", Budgets: []string{"shop/checkout"}}}}, nil)
	s.Forecast = &f
	return s
}

// Blind is a run that asks for approval of what it cannot see.
func Blind() *snapshot.Snapshot {
	s := Asking()
	s.Batch.Foreseen, s.Batch.NotEvaluated = nil, plans.PodsTooOld(34*time.Second)
	return s
}

// Hostile puts tricks into every string of a snapshot that comes from outside.
func Hostile(s *snapshot.Snapshot, r *rand.Rand) *snapshot.Snapshot {
	soil := func(p *string) {
		for range 1 + r.IntN(3) {
			at := r.IntN(len(*p) + 1)
			*p = (*p)[:at] + Tricks[r.IntN(len(Tricks))] + (*p)[at:]
		}
	}
	own := s.Group
	for _, p := range []*string{&s.Cluster, &s.Group, &s.Strategy, &s.From, &s.To, &s.Why, &s.Gate, &s.CanaryTrouble, &s.CanaryAccepted} {
		soil(p)
	}
	if r := s.Roll; r != nil {
		soil(&r.Stop)
		soil(&r.Again)
		for i := range r.Groups {
			g := &r.Groups[i]
			if soil(&g.Why); g.Name == own {
				g.Name = s.Group
				continue
			}
			soil(&g.Name)
		}
	}
	for i := range s.Phases {
		soil(&s.Phases[i].Name)
	}
	for z := range s.Zones {
		soil(&s.Zones[z].Name)
		for _, n := range s.Zones[z].Rows {
			for _, p := range []*string{&n.ID, &n.Name, &n.Zone, &n.Version, &n.Note} {
				soil(p)
			}
			if n.Wait != nil {
				soil(&n.Wait.For)
			}
		}
	}
	for _, b := range s.Blockers {
		for _, p := range []*string{&b.Pod, &b.Node, &b.Owner, &b.Detail, &b.WayOut} {
			soil(p)
		}
		for i := range b.Budgets {
			soil(&b.Budgets[i].Ref)
			soil(&b.Budgets[i].Expression)
		}
		b.Node = s.Zones[0].Rows[0].Name
	}
	for _, w := range s.Workloads {
		for _, p := range []*string{&w.Namespace, &w.Kind, &w.Name, &w.Pod, &w.Node, &w.Reason, &w.Budget} {
			soil(p)
		}
	}
	for _, e := range s.Evictions {
		for _, p := range []*string{&e.Pod, &e.Node, &e.Owner} {
			soil(p)
		}
	}
	for i := range s.Events {
		e := &s.Events[i]
		for _, p := range []*string{&e.Node, &e.Pod, &e.Budget, &e.Message, &e.Command} {
			soil(p)
		}
	}
	for i := range s.Sources {
		soil(&s.Sources[i].Problem)
	}
	for i := range s.Abilities {
		if s.Abilities[i].Why != "" {
			soil(&s.Abilities[i].Why)
		}
	}
	for _, list := range [][]string{s.Notes, s.Unrestored, s.AbortPlan} {
		for i := range list {
			soil(&list[i])
		}
	}
	if s.Batch != nil {
		for _, list := range [][]string{s.Batch.Nodes, s.Batch.Foreseen} {
			for i := range list {
				soil(&list[i])
			}
		}
	}
	return s
}

// Validating is a kops run that waits for the cluster to be valid after a termination:
// two nodes are detached, one drains, and another group of workers has trouble of its own.
func Validating() *snapshot.Snapshot {
	const own, other = "nodes-eu-west-1.k8s.example.com", "nodes-eu-west-1-spot.k8s.example.com"
	s := Busy()
	s.Group, s.Provider, s.Strategy, s.Limit = "nodes-eu-west-1", "kops", "kops", 3
	s.Phases = []snapshot.PhaseView{
		{Name: "validate", Start: Moment.Add(-21 * time.Minute), End: Moment.Add(-20 * time.Minute)},
		{Name: "taint", Start: Moment.Add(-20 * time.Minute), End: Moment.Add(-20*time.Minute + 2*time.Second)},
		{Name: "surge", Start: Moment.Add(-20*time.Minute + 2*time.Second), End: Moment.Add(-16 * time.Minute)},
		{Name: "roll", Start: Moment.Add(-16 * time.Minute), Done: 4, Total: 12},
	}
	s.Zones[0].Rows[2].Detached, s.Zones[2].Rows[2].Detached = true, true
	leaves := s.Zones[1].Rows[1]
	leaves.Wait = Wait("deregistering", 4*time.Minute, 5*time.Minute, world.Cloud)
	leaves.Cordoned, leaves.Detached = true, true
	s.Blockers, s.Evictions = nil, nil
	s.Validation = &record.Validation{
		After: []string{Host(3, 77)}, Wait: Wait("validation", 12*time.Minute+41*time.Second, 15*time.Minute, world.Cluster, world.Cloud),
		Need: 2, Next: Moment.Add(23 * time.Second), Looked: Moment.Add(-7 * time.Second),
		Failures: []record.Invalid{
			{Kind: "machine", Name: "i-0b19ac0ffee00d001", Group: other, Message: text.NotJoined("i-0b19ac0ffee00d001", other), Ignored: true},
			{Kind: "group", Name: own, Group: own, Message: text.GroupIncomplete(own, 11, 12)},
			{Kind: "node", Name: Host(3, 80), Group: own, Message: text.NodeUnready(Host(3, 80), own, "kubelet stopped posting node status")},
			{Kind: "pod", Name: "kube-system/coredns-autoscaler-7cb5c5b969-zq2l9", Message: text.CriticalPending("kube-system/coredns-autoscaler-7cb5c5b969-zq2l9", "system-cluster-critical", "")},
		},
	}
	return s
}

// Passing is a validation that has found nothing so far.
func Passing() *snapshot.Snapshot {
	s := Validating()
	s.Validation.Failures, s.Validation.Passes, s.Validation.Next = s.Validation.Failures[:1], 1, Moment.Add(9*time.Second)
	return s
}

// Pressed is a validation whose time is nearly up.
func Pressed() *snapshot.Snapshot {
	s := Validating()
	s.Validation.Wait = Wait("validation", 95*time.Second, 15*time.Minute, world.Cluster, world.Cloud)
	return s
}

// Valid is a run between two validations.
func Valid() *snapshot.Snapshot {
	s := Validating()
	s.Validation.Failures, s.Validation.Passes, s.Validation.Passed = nil, 2, Moment.Add(-17*time.Second)
	return s
}

// Interval is a run that waits before its first look.
func Interval() *snapshot.Snapshot {
	s := Validating()
	s.Validation.Failures, s.Validation.Looked, s.Validation.Next = nil, time.Time{}, Moment.Add(12*time.Second)
	return s
}

// Invalid is a run that ended because the cluster did not get valid.
func Invalid() *snapshot.Snapshot {
	s := Validating()
	s.State, s.Result, s.Ended, s.TimeLeft, s.Abilities = record.Finished, record.InvalidFail, Moment, 0, nil
	s.Why = "ClusterValidationFailure: " + text.NotValidInTime(15*time.Minute, text.AfterNodes([]string{Host(3, 77)}), nil)
	s.Validation.Failed = Moment
	s.Phases[3].End = Moment
	return s
}

// Quiet is a run in which nothing wants a person.
func Quiet() *snapshot.Snapshot {
	s := Busy()
	s.Blockers = nil
	held, lost := s.Zones[0].Rows[0], s.Zones[2].Rows[1]
	held.Blocked, held.Problem = false, snapshot.NoProblem
	lost.Ready, lost.Note, lost.Problem = true, "", snapshot.NoProblem
	return s
}

// Driven is a group without a run of ours that kops rolls: a node is drained and held by
// a budget, one is drained, one goes, two are replaced; Karpenter has chosen another, and
// a user has cordoned one.
func Driven() *snapshot.Snapshot {
	s := Idle()
	const kops, cordoned = "kops rolling-update will replace it: new pods avoid it", "kops rolling-update has cordoned it and drains it, then terminates it"
	for _, z := range s.Zones {
		for _, r := range z.Rows {
			if !r.New {
				r.By, r.Note = world.MoverKops, kops
			}
		}
	}
	set := func(zone, row int, stage record.Stage, note string) *snapshot.NodeRow {
		r := s.Zones[zone].Rows[row]
		r.Stage, r.Note, r.Cordoned = stage, note, stage != record.Replaced
		return r
	}
	held := set(0, 0, record.Draining, cordoned)
	held.PodsLeft, held.Pods, held.Blocked, held.Wait = 3, 17, true, Wait("drain limit", 11*time.Minute+42*time.Second, 15*time.Minute)
	set(1, 0, record.Settling, "drained by kops").Pods = 0
	set(2, 0, record.Terminating, "drained by kops").Pods = 0
	set(0, 3, record.Replaced, "").Pods = 0
	set(1, 3, record.Replaced, "").Pods = 0
	chosen := set(2, 2, record.Outdated, "Karpenter will replace it, and drains it once the replacement is Ready: it takes no new pods")
	chosen.By, chosen.Cordoned = world.MoverKarpenter, false
	set(2, 4, record.Ready, "was cordoned by an unknown user or tool: it takes no new pods").By = world.MoverUnknown
	s.Done, s.Zones[0].Done, s.Zones[1].Done = 2, 1, 1
	s.TimeLeft = 31 * time.Minute
	s.External = &snapshot.ExternalView{
		Movers: []snapshot.MoverView{
			{By: world.MoverKops, Roll: true, Nodes: 9, Working: 3, Text: "kops rolling-update is at work here: " + held.Name + " draining, " + s.Zones[1].Rows[0].Name + " drained, " + s.Zones[2].Rows[0].Name + " terminating, 6 to go"},
			{By: world.MoverKarpenter, Roll: true, Nodes: 1, Text: "Karpenter is at work here: " + chosen.Name},
			{By: world.MoverUnknown, Guess: true, Nodes: 1, Text: "cordoned by a user, or by a tool that leaves no mark: " + s.Zones[2].Rows[4].Name},
		},
		From: Moment.Add(-9 * time.Minute), Replaced: 2, Current: 5, Nodes: 15, Pace: "2 nodes in 9m",
	}
	s.Blockers = []*blockers.Blocker{{
		Kind: blockers.BlockedByBudget, Pod: "shop/checkout-7d9f-x2", UID: "u-1", Node: held.Name, Machine: held.ID, Owner: "checkout", Deadline: held.Wait,
		Budgets: []blockers.BudgetView{{Ref: "shop/checkout", Expression: "minAvailable 3", Allowed: 0, Healthy: 3, Desired: 3, Expected: 3}},
		Detail:  text.OfBudget("shop/checkout", checkout.Never("")), WayOut: text.WithoutForce(checkout.Loosen("checkout", 4)),
	}}
	s.Evictions = []*snapshot.Eviction{{Pod: "shop/cart-55c-2", UID: "u-2", Node: held.Name, Machine: held.ID, Owner: "cart", Grace: Wait("grace period", 21*time.Second, 30*time.Second)}}
	s.Events = []record.Event{
		{Time: Moment.Add(-9 * time.Minute), Type: record.NodeTainted, Reason: "kops", Message: "each of 9 nodes: " + kops + " (taint kops.k8s.io/scheduled-for-update:PreferNoSchedule)"},
		{Time: Moment.Add(-4 * time.Minute), Type: record.NodeReplaced, Node: Host(1, 201), Message: text.Gone},
		{Time: Moment.Add(-198 * time.Second), Type: record.NodeDraining, Node: held.Name, Reason: "kops", Message: "17 pods to move: " + cordoned + " (taint kops.k8s.io/scheduled-for-update:PreferNoSchedule, cordoned)"},
		{Time: Moment.Add(-30 * time.Second), Type: record.NodeDrained, Node: s.Zones[1].Rows[0].Name, Message: "drained by kops"},
	}
	return s
}

// Crowded is a run with more nodes, and more pods on their way, than most screens
// have room for.
func Crowded() *snapshot.Snapshot {
	s := Busy()
	for z := range s.Zones {
		zone := &s.Zones[z]
		for n := range 60 {
			r := *zone.Rows[2]
			r.ID, r.Name, r.Stage, r.Pods, r.PodsLeft = fmt.Sprintf("i-%d-%d", z, n), Host(z+1, 100+n), record.Outdated, 7, 7
			zone.Rows = append(zone.Rows, &r)
		}
		zone.Total += 60
	}
	s.Total += 180
	// As the engine sorts them: what takes longest comes first.
	going := s.Evictions[0]
	s.Evictions = s.Evictions[:1]
	for n := range 30 {
		e := *going
		e.Pod, e.UID = fmt.Sprintf("shop/cart-55c-%d", 10+n), fmt.Sprintf("u-cart-%d", n)
		e.Grace = Wait("grace period", time.Duration(20-n/2)*time.Second, 30*time.Second)
		s.Evictions = append(s.Evictions, &e)
	}
	return s
}

// Kinds is a run in which every kind of thing holds a pod.
func Kinds() *snapshot.Snapshot {
	s := Busy()
	budget := s.Blockers[0]
	two := *budget
	two.Kind, two.Pod, two.UID = blockers.BlockedByBudgets, "shop/payments-0", "u-10"
	two.Budgets = append(two.Budgets, blockers.BudgetView{Ref: "shop/all", Expression: "maxUnavailable 1", Allowed: 1, Healthy: 9, Desired: 8, Expected: 9})
	two.Detail, two.WayOut = text.CoveredByBudgets([]string{"shop/checkout", "shop/all"}), text.NarrowBudgets
	s.Blockers = append(s.Blockers, &two)
	for i, k := range []struct {
		kind        blockers.BlockerKind
		detail, way string
	}{
		{blockers.BlockedByWebhook, `admission webhook "guard.example.com" denied the request: not during business hours`, text.SeeWebhook},
		{blockers.BlockedByFinalizer, text.HeldByFinalizers([]string{"example.com/cleanup"}), text.SeeFinalizers},
		{blockers.BlockedByGrace, text.Overdue(2 * time.Minute), text.SeeKubelet},
		{blockers.BlockedByRoom, text.PodPending("shop/search-2", "0/12 nodes are available: 12 Insufficient cpu"), text.MakeRoom},
		{blockers.BlockedByReturn, text.CameBack(3, text.ToleratesEverything), text.NarrowTolerations("agent")},
		{blockers.BlockedByConsent, text.KeepsEmptyDir, text.GiveConsent},
		{blockers.BlockedByRights, "pods/eviction is forbidden for ana in namespace shop", text.GrantEviction("shop")},
		{blockers.BlockedByAPI, "the API answered 500: etcdserver: request timed out", text.TriedAgain},
	} {
		s.Blockers = append(s.Blockers, &blockers.Blocker{
			Kind: k.kind, Pod: fmt.Sprintf("shop/%s-%d", strings.ReplaceAll(string(k.kind), " ", "-"), i), UID: fmt.Sprintf("u-2%d", i), Node: budget.Node, Machine: budget.Machine,
			Tries: i, Since: Moment.Add(-time.Minute), Next: Moment.Add(20 * time.Second), Deadline: budget.Deadline, Detail: k.detail, WayOut: k.way,
		})
	}
	return s
}

// Partial is a watched group whose nodes are known, and of whose pods only those of the
// first two nodes of each zone.
func Partial(of func() *snapshot.Snapshot) func() *snapshot.Snapshot {
	return func() *snapshot.Snapshot {
		s := of()
		s.Partial, s.Blockers, s.Evictions, s.Events, s.TimeLeft = true, nil, nil, nil, 0
		for _, z := range s.Zones {
			for i, r := range z.Rows {
				if i >= 2 {
					r.PodsUnread, r.Pods, r.PodsLeft, r.Blocked = true, 0, 0, false
				}
			}
		}
		if s.External != nil {
			s.External.From, s.External.Replaced, s.External.Pace = Moment, 0, ""
		}
		return s
	}
}

// Pooled is a worker pool that Gardener rolls, as the control cluster has it: a node is
// drained and held by a budget, another's machine ends, one machine cannot be made, one is
// not well; a zone is paused.
func Pooled() *snapshot.Snapshot {
	s := Idle()
	s.Group, s.Provider, s.From, s.To = "web", "gardener", "v1.32.4", "1.33.1"
	const outdated = "Gardener will update or replace it: new pods avoid it"
	for _, z := range s.Zones {
		for _, r := range z.Rows {
			r.Version = "v1.32.4"
			if r.New {
				r.Version = "v1.33.1"
			} else {
				r.By, r.Note = world.MoverGardener, outdated
			}
		}
	}
	held := s.Zones[0].Rows[0]
	held.Stage, held.Cordoned, held.PodsLeft, held.Pods, held.Blocked = record.Draining, true, 3, 17, true
	held.Note = "Gardener is terminating its machine: it is drained; the last attempt failed: pod disruption budget shop/checkout is misconfigured and requires zero voluntary evictions"
	held.Wait = &record.Wait{For: "drain forced", Start: Moment.Add(-2 * time.Minute), End: Moment.Add(118 * time.Minute), Basis: "the Machine's deletion was asked for at 21:05:12 UTC, and 2h0m0s later: its machineDrainTimeout"}
	ends := s.Zones[1].Rows[0]
	ends.Stage, ends.Cordoned, ends.Pods, ends.PodsLeft, ends.Note = record.Terminating, true, 0, 0, "Gardener is terminating its machine: its volumes are detached"
	comes := s.Zones[2].Rows[0]
	*comes = snapshot.NodeRow{ID: "shoot--dev--prod-web-z3-6b9d8-xk2lp", Zone: comes.Zone, Stage: record.Launching, New: true, Since: Moment.Add(-4 * time.Minute), Note: "its machine could not be created, retrying: no capacity",
		Wait: &record.Wait{For: "creation fails", Start: Moment.Add(-4 * time.Minute), End: Moment.Add(16 * time.Minute), Basis: "the Machine was made at 21:03:12 UTC, and 20m0s later: its machineCreationTimeout"}}
	sick := s.Zones[2].Rows[1]
	sick.Ready, sick.Note = false, "is unhealthy: Gardener replaces it once no other machine of shoot--dev--prod-web-z3 comes or goes"
	sick.Wait = &record.Wait{For: "is given up", Start: Moment.Add(-3 * time.Minute), End: Moment.Add(7 * time.Minute)}
	s.External = &snapshot.ExternalView{
		Movers: []snapshot.MoverView{{By: world.MoverGardener, Roll: true, Nodes: 9, Working: 2, Text: "Gardener is at work here: " + held.Name + " draining, " + ends.Name + " terminating, 7 to go"}},
		From:   Moment.Add(-9 * time.Minute), Replaced: 0, Current: 4, Nodes: 14,
	}
	s.Pool = &snapshot.PoolView{
		Name: "web", Shoot: "garden-dev/prod", Update: world.AutoRollingUpdate, Version: "1.33.1", Surge: "2", Unavailable: "0", Control: true,
		Limits: world.DefaultLimits(world.AutoRollingUpdate), InPlace: map[world.InPlaceMark]int{},
		Zones: []snapshot.PoolZone{
			{Name: "eu-west-1a", Deployment: "shoot--dev--prod-web-z1", Desired: 4, Updated: 1, Available: 4, Total: 5, Surge: 1, SurgeAs: "25%", UnavailableAs: "0", Progress: "MachineSetUpdated: machine set is progressing"},
			{Name: "eu-west-1b", Deployment: "shoot--dev--prod-web-z2", Desired: 4, Updated: 2, Available: 4, Total: 5, Surge: 1, SurgeAs: "1", UnavailableAs: "0", Paused: true, Progress: "DeploymentPaused"},
			{Name: "eu-west-1c", Deployment: "shoot--dev--prod-web-z3", Desired: 4, Updated: 1, Available: 3, Total: 4, Unavailable: 1, SurgeAs: "0", UnavailableAs: "0", Frozen: true},
		},
		Opens: Moment.Add(-20 * time.Minute), Closes: Moment.Add(25 * time.Minute), WindowFrom: "the Shoot",
		Failed: []string{"shoot--dev--prod-web-z3-6b9d8-xk2lp: Cloud provider message - no capacity"},
		Notes:  []string{"the Shoot's last operation, Reconcile, is Processing (60 %): Waiting until the worker is ready"},
	}
	s.Pool.Limits.Guessed = false
	s.Blockers = []*blockers.Blocker{{
		Kind: blockers.BlockedByBudget, Pod: "shop/checkout-7d9f-x2", UID: "u-1", Node: held.Name, Machine: held.ID, Owner: "checkout", Deadline: held.Wait, AtDeadline: record.TimeoutForce,
		Budgets: []blockers.BudgetView{{Ref: "shop/checkout", Expression: "minAvailable 3", Allowed: 0, Healthy: 3, Desired: 3, Expected: 3}},
		Detail:  text.OfBudget("shop/checkout", checkout.Never("")),
		WayOut:  text.WithoutForce(checkout.Loosen("checkout", 4)) + systems.DrainBeginsAnew,
	}}
	s.Events = []record.Event{{Time: Moment.Add(-2 * time.Minute), Type: record.NodeDraining, Node: held.Name, Reason: "Gardener", Message: "17 pods to move: " + held.Note}}
	return s
}

// InPlaced is a pool that is updated in place by hand, as its nodes tell.
func InPlaced() *snapshot.Snapshot {
	s := Pooled()
	failed, draining, updating := s.Zones[0].Rows[1], s.Zones[0].Rows[0], s.Zones[1].Rows[0]
	failed.Stage, failed.Note, failed.Cordoned = record.NodeFail, "its in-place update failed: no space left on device", true
	draining.Note = "Gardener drains it, then updates it in place"
	draining.Wait = &record.Wait{For: "drain forced", Start: Moment.Add(-2 * time.Minute), End: Moment.Add(118 * time.Minute), Guess: true, Basis: "it was selected for the update at 21:05:12 UTC, and 2h0m0s later: its machineDrainTimeout, by default"}
	updating.Stage, updating.Note = record.Updating, "Gardener updates it in place"
	updating.Wait = &record.Wait{For: "update fails", Start: Moment.Add(-2 * time.Minute), End: Moment.Add(18 * time.Minute), Guess: true}
	s.Zones[2].Rows = s.Zones[2].Rows[2:]
	p := s.Pool
	p.Control, p.Shoot, p.Version, p.Update, p.Surge, p.Unavailable, p.Failed, p.Notes, p.Opens, p.Closes = false, "", "", "", "", "", nil, nil, Moment.Add(3*time.Hour), Moment.Add(4*time.Hour)
	p.WindowFrom, p.Info = "the ConfigMap kube-system/shoot-info", &world.ShootInfo{Name: "prod", Project: "dev", Version: "1.33.1"}
	s.To, p.Limits.Guessed = "", true
	p.Zones = []snapshot.PoolZone{{Name: "eu-west-1a", Updated: 1, Available: 5, Total: 5, Surge: 2, SurgeAs: "34%", UnavailableAs: "0", Guess: true}, {Name: "eu-west-1b", Updated: 1, Available: 5, Total: 5}, {Name: "eu-west-1c", Updated: 1, Available: 3, Total: 3}}
	p.InPlace = map[world.InPlaceMark]int{world.InPlaceCandidate: 6, world.InPlaceSelected: 2, world.InPlaceFailed: 1}
	p.Failed = []string{failed.Name + ": its in-place update failed: no space left on device"}
	p.Unknown = []string{
		"phases of machines, why a drain fails, orders to force, zones that are paused or frozen, and machines that have not joined are known in the control cluster only (--control-kubeconfig)",
		"the Shoot is not read (--garden-kubeconfig, --shoot): it has the update strategy, how many are replaced at a time, time limits, which are taken for the defaults",
	}
	return s
}

// Tricks are what an attacker could put into a name or a message to reach the
// operator's terminal, or to hide from the operator's eye.
var Tricks = []string{
	"\x1b[2J", "\x1b]0;owned\x07", "\x1b]52;c;cm0gLXJm\x07", "\x1b[6n", "\x1bP$q\"p\x1b\\", "\x1b[31m", "\x1b]8;;http://evil\x1b\\", "\x9b2J", "\u009b2J", "\u0085",
	"\r", "\n", "\t", "\b\b\b", "\x00", "\x7f", "\a", "\x0e", "\u202egnp.exe", "\u2066", "\u200b", "\u200d", "\ufeff", "\u00ad", "\ufe0f", "e\u0301\u0301\u0301",
	"\u2028", "\U000e0041", "\ue000", "\xff\xfe", "👩‍👩‍👧", "🇩🇪", "漢字", "ᄒ\u1161\u11ab", "\u115f", "\u3164", "\u061c",
}

// Judge says of each node of a snapshot which commands it takes and what is wrong with it, as the
// engine does.
func Judge(s *snapshot.Snapshot) *snapshot.Snapshot {
	if s == nil {
		return nil
	}
	follows := s.Instead(record.CmdSkip) != ""
	for _, z := range s.Zones {
		for _, r := range z.Rows {
			takes := assess.NodeCommands{Force: r.Stage == record.Draining || follows && r.Stage == record.Updating}
			takes.Extend = r.Stage == record.Draining && r.Wait != nil && r.Wait.For == record.WaitDrain
			switch r.Stage {
			case record.Outdated, record.Unreachable:
				takes.Skip, takes.Return = !r.New || follows, follows && r.Stage == record.Outdated
			case record.Queued, record.Draining, record.Settling:
				takes.Skip = !r.New && !follows
			case record.Updating:
				takes.Skip = r.Blocked && !follows
			case record.Skipped, record.NodeFail:
				takes.Return = !r.New && !follows
			}
			if r.Takes != takes { // rows are shared between snapshots, and may be read now
				r.Takes = takes
			}
			if p := snapshot.ProblemOf(r); r.Problem == snapshot.NoProblem && p != r.Problem {
				r.Problem = p
			}
		}
	}
	return s
}

// UpdateFailed is a run that waits after an update of EKS's that has failed.
func UpdateFailed() *snapshot.Snapshot {
	s := Busy()
	s.State, s.UpdateFailed = record.Paused, true
	s.Why = systems.EKSAsks(string(record.EvictionFail), systems.EKSStands(9, 12, []string{Host(1, 20), Host(2, 45), Host(3, 150)}),
		text.EKSUpdateFailed("7c1f", []string{text.EKSError("PodEvictionFailure", "Reached max retries while trying to evict pods from nodes in node group", []string{Host(1, 20)}, nil)}))
	s.Abilities = []snapshot.AbilityNow{
		{Kind: record.CmdApprove, Why: text.NothingToApprove}, {Kind: record.CmdPause, Why: text.AlreadyPaused}, {Kind: record.CmdResume},
		{Kind: record.CmdForce, Why: systems.EKSForcesAll, Never: true}, {Kind: record.CmdAbort},
	}
	return s
}
