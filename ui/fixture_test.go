package ui

import (
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// at is the moment that all fixtures show.
var at = time.Date(2026, 3, 14, 21, 7, 12, 0, time.UTC)

func wait(what string, left, whole time.Duration, needs ...world.Source) *engine.Wait {
	return &engine.Wait{For: what, Start: at.Add(left - whole), End: at.Add(left), Needs: needs}
}

func host(zone, n int) string {
	return fmt.Sprintf("ip-10-0-%d-%d.eu-west-1.compute.internal", zone, n)
}

// busy is a run in the middle: 12 nodes in 3 zones, two drains, one of them
// blocked by a budget, a node that settles, one that goes, two that come.
func busy() *engine.Snapshot {
	old, now := "v1.31.4-eks-a1b2c3d", "v1.32.1-eks-d4c3b2a"
	row := func(zone, n int, stage engine.Stage) *engine.NodeRow {
		return &engine.NodeRow{Pods: 12, PodsLeft: 12, ID: fmt.Sprintf("i-0%d%03d", zone, n), Name: host(zone, n), Zone: fmt.Sprintf("eu-west-1%c", 'a'+zone-1),
			Stage: stage, Since: at.Add(-90 * time.Second), Version: old, Ready: true, Tainted: true}
	}
	fresh := func(zone, n int, stage engine.Stage) *engine.NodeRow {
		r := row(zone, n, stage)
		r.New, r.Version, r.Tainted, r.Pods, r.PodsLeft = true, now, false, 0, 0
		return r
	}
	stuck := row(1, 23, engine.Draining)
	stuck.PodsLeft, stuck.Pods, stuck.Blocked, stuck.Cordoned, stuck.Batch = 3, 17, true, true, 4
	stuck.Wait = wait("drain deadline", 11*time.Minute+42*time.Second, 15*time.Minute, world.Cluster)
	drains := row(2, 31, engine.Draining)
	drains.PodsLeft, drains.Pods, drains.Batch = 9, 14, 4
	drains.Wait = wait("drain deadline", 14*time.Minute+50*time.Second, 15*time.Minute, world.Cluster)
	settles := row(2, 9, engine.Settling)
	settles.Wait = wait("settling", 41*time.Second, time.Minute)
	goes := row(3, 77, engine.Terminating)
	goes.Ready, goes.Cordoned = false, true
	comes := fresh(3, 140, engine.Launching)
	comes.Name, comes.ID, comes.Version, comes.Ready = "", "i-0c3b1f99aa", "", false
	comes.Wait = wait("ready", 13*time.Minute, 15*time.Minute, world.Cluster, world.Cloud)
	lost := row(3, 80, engine.Outdated)
	lost.Ready, lost.Note = false, "kubelet stopped posting node status"

	deadline := stuck.Wait
	return &engine.Snapshot{
		At: at, Cluster: "prod-eu-1", Group: "ng-web", Provider: "asg", Strategy: "eks", RunID: "r-7f3a",
		From: old, To: now, State: engine.Running, Started: at.Add(-21*time.Minute - 7*time.Second), Left: 14 * time.Minute,
		Done: 4, Total: 12, Limit: 2,
		Sizes: world.Sizes{Min: 3, Max: 18, Desired: 18}, Base: world.Sizes{Min: 3, Max: 12, Desired: 12},
		Phases: []engine.PhaseView{
			{Name: "setup", Start: at.Add(-21*time.Minute - 7*time.Second), End: at.Add(-20*time.Minute - 55*time.Second)},
			{Name: "scale up", Start: at.Add(-20*time.Minute - 55*time.Second), End: at.Add(-18*time.Minute - 14*time.Second)},
			{Name: "upgrade", Start: at.Add(-18*time.Minute - 14*time.Second), Done: 4, Total: 12},
			{Name: "scale down"},
		},
		Zones: []engine.ZoneView{
			{Name: "eu-west-1a", Done: 1, Total: 4, Rows: []*engine.NodeRow{
				stuck, row(1, 24, engine.Outdated), row(1, 112, engine.Outdated), row(1, 201, engine.Replaced), fresh(1, 88, engine.Ready)}},
			{Name: "eu-west-1b", Done: 2, Total: 4, Rows: []*engine.NodeRow{
				settles, drains, row(2, 44, engine.Outdated), row(2, 45, engine.Replaced), row(2, 46, engine.Replaced), fresh(2, 90, engine.Ready), fresh(2, 91, engine.Ready)}},
			{Name: "eu-west-1c", Done: 1, Total: 4, Rows: []*engine.NodeRow{
				goes, lost, row(3, 81, engine.Outdated), row(3, 82, engine.Replaced), fresh(3, 150, engine.Ready), comes}},
		},
		Blockers: []*engine.Blocker{{
			Kind: engine.BlockedByBudget, Pod: "shop/checkout-7d9f-x2", UID: "u-1", Node: stuck.Name, Machine: stuck.ID, Owner: "checkout",
			Budgets: []engine.BudgetView{{Ref: "shop/checkout", Expression: "minAvailable 3", Allowed: 0, Healthy: 3, Desired: 3, Expected: 3}},
			Tries:   14, Since: at.Add(-3 * time.Minute), Next: at.Add(4 * time.Second), Deadline: deadline, AtDeadline: engine.TimeoutFail,
			Detail: "shop/checkout allows 0: 3 healthy, 3 required, so it never allows any", WayOut: "scale checkout to 4, loosen minAvailable 3, or force with f",
		}},
		Evictions: []*engine.Eviction{
			{Pod: "shop/cart-55c-2", UID: "u-2", Node: drains.Name, Machine: drains.ID, Owner: "cart", Grace: wait("grace period", 21*time.Second, 30*time.Second)},
			{Pod: "search/indexer-of-the-catalogue-6f7d9c5b84-q2xkz", UID: "u-3", Node: drains.Name, Machine: drains.ID, Owner: "indexer-of-the-catalogue", Grace: wait("grace period", 4*time.Second, 60*time.Second)},
		},
		Events: []engine.Event{
			{Time: at.Add(-200 * time.Second), Type: engine.BatchApproved, Batch: 4, Reason: "ana@laptop", Message: "2 nodes approved: " + stuck.Name + ", " + drains.Name},
			{Time: at.Add(-198 * time.Second), Type: engine.NodeDraining, Node: stuck.Name, Message: "17 pods to move", Command: "kubectl drain " + stuck.Name},
			{Time: at.Add(-180 * time.Second), Type: engine.PodBlocked, Node: stuck.Name, Pod: "shop/checkout-7d9f-x2", Budget: "shop/checkout", Message: "shop/checkout allows 0: 3 healthy, 3 required, so it never allows any"},
			{Time: at.Add(-100 * time.Second), Type: engine.NodeReplaced, Node: host(2, 45), Message: "gone"},
			{Time: at.Add(-19 * time.Second), Type: engine.NodeSettling, Node: settles.Name, Message: "waits 1m0s before its termination"},
			{Time: at.Add(-12 * time.Second), Type: engine.NodeTerminating, Node: goes.Name, Command: "aws autoscaling terminate-instance-in-auto-scaling-group --instance-id i-03077 --no-should-decrement-desired-capacity"},
			{Time: at.Add(-10 * time.Second), Type: engine.NodeDraining, Node: drains.Name, Message: "14 pods to move", Command: "kubectl drain " + drains.Name},
			{Time: at.Add(-2 * time.Second), Type: engine.PodEvicted, Node: drains.Name, Pod: "shop/cart-55c-1", Command: "kubectl delete --raw /api/v1/namespaces/shop/pods/cart-55c-1/eviction"},
			{Time: at, Type: engine.PodGone, Node: drains.Name, Pod: "shop/cart-55c-1", Message: "left after 2s"},
		},
		Abilities: []engine.AbilityNow{
			{Kind: engine.CmdApprove, Why: "No batch waits"}, {Kind: engine.CmdPause}, {Kind: engine.CmdResume, Why: "the run is not paused"},
			{Kind: engine.CmdForce}, {Kind: engine.CmdSkip},
			{Kind: engine.CmdReturn, Why: "no node was skipped or has failed"}, {Kind: engine.CmdAbort},
		},
		Sources: []engine.SourceView{{Name: world.Cluster, Fresh: at}, {Name: world.Cloud, Fresh: at.Add(-5 * time.Second)}},
		AbortPlan: []string{
			"ip-10-0-2-9 and ip-10-0-3-77 are terminated: they are empty",
			"ip-10-0-1-23 and ip-10-0-2-31 are uncordoned and keep the pods they have",
			"6 new nodes stay as long as they hold pods; max goes back to 12",
		},
	}
}

// asking is a run in which a batch waits for approval.
func asking() *engine.Snapshot {
	s := busy()
	s.Blockers, s.Evictions = nil, nil
	for _, z := range s.Zones {
		for _, r := range z.Rows {
			if active(r) {
				r.Stage, r.Wait, r.Blocked, r.Pods, r.Ready = engine.Outdated, nil, false, 0, true
			}
		}
	}
	s.Batch = &engine.BatchView{ID: 2, Hash: "h2", Nodes: []string{host(1, 23), host(2, 9), host(2, 31)}, Since: at.Add(-134 * time.Second), AsOf: at,
		Evict: 41, Ignore: 12, Foreseen: []string{host(1, 23) + ": shop/checkout-7d9f-x2: budget shop/checkout never allows an eviction (minAvailable 3, 3 of 3 healthy)",
			"budget shop/cart lets 2 go at once, and covers 5 pods on 2 nodes that drain together: they take turns"}}
	s.Abilities[0].Why = ""
	s.Events = append(s.Events, engine.Event{Time: at.Add(-134 * time.Second), Type: engine.BatchWaiting, Batch: 2, Message: "3 nodes wait for approval: " + host(1, 23) + ", " + host(2, 9) + ", " + host(2, 31)})
	return s
}

// canary is a run that asks for its first node.
func canary() *engine.Snapshot {
	s := asking()
	b := s.Batch
	b.ID, b.Canary, b.Watch, b.Nodes, b.Evict, b.Ignore, b.Foreseen = 1, true, 2*time.Minute, b.Nodes[:1], 14, 4, nil
	s.Done, s.Phases[2].Done, s.Until = 0, 0, at.Add(3*time.Hour)
	return s
}

// alone is a run without Kubernetes.
func alone() *engine.Snapshot {
	s := asking()
	s.CloudOnly, s.Batch.Evict, s.Batch.Ignore, s.Batch.Foreseen = true, 0, 0, nil
	return s
}

// phase is a run that asks for its next phase.
func phase() *engine.Snapshot {
	s := asking()
	s.Batch = &engine.BatchView{ID: 2, Phase: "upgrade", Hash: "h9", Does: "the nodes are drained and their machines ended, up to 2 at once, with no further question",
		Since: at.Add(-20 * time.Second), AsOf: at, Evict: 41, Ignore: 12, Foreseen: s.Batch.Foreseen}
	return s
}

// watching is a run whose canary is replaced and watched, with odd nodes beside: one
// that failed, one that was skipped, one that is not heard from.
func watching() *engine.Snapshot {
	s := asking()
	s.Batch, s.Canary, s.Until = nil, wait("canary", 92*time.Second, 2*time.Minute, world.Cluster, world.Cloud), at.Add(3*time.Hour)
	s.Abilities[0].Why, s.Abilities[5].Why = "nothing waits for approval", ""
	set := func(zone, row int, stage engine.Stage, note string) {
		r := s.Zones[zone].Rows[row]
		r.Stage, r.Note, r.Pods, r.PodsLeft = stage, note, 0, 0
	}
	set(0, 0, engine.NodeFail, "3 pods left after 15m0s")
	set(1, 2, engine.Skipped, "asked for by ana@laptop")
	set(2, 1, engine.Unreachable, "not heard from for 6m0s")
	s.Zones[2].Rows[1].Pods, s.Zones[2].Rows[1].PodsLeft = 11, 11
	return s
}

// stale is a paused run whose cluster has not answered for a while.
func stale() *engine.Snapshot {
	s := busy()
	s.State, s.Why = engine.Paused, "ana@laptop asked"
	s.Abilities = []engine.AbilityNow{
		{Kind: engine.CmdApprove, Why: "no batch waits"}, {Kind: engine.CmdPause, Why: "the run is paused"}, {Kind: engine.CmdResume},
		{Kind: engine.CmdForce, Why: "the data is stale"}, {Kind: engine.CmdSkip}, {Kind: engine.CmdAbort},
	}
	s.Sources[0] = engine.SourceView{Name: world.Cluster, Fresh: at.Add(-34 * time.Second), Stale: true, Problem: "the API answered 401: credentials have expired", Retry: at.Add(3 * time.Second)}
	s.Skew = 4200 * time.Millisecond
	return s
}

// rivalled is a run beside which others move nodes of the group.
func rivalled() *engine.Snapshot {
	s := busy()
	s.Rivals = []engine.Rival{
		{Kind: engine.RivalRebalance, Who: "AZRebalance", Does: "moves machines between zones, and ends them undrained", Handling: engine.RivalSuspended, How: "suspended while nodes are replaced, and acts again after"},
		{Kind: engine.RivalUnhealthy, Who: "the group (ReplaceUnhealthy)", Does: "finds unhealthy, and ends undrained,", Nodes: []string{host(1, 24)}, Acts: true, Handling: engine.RivalLeft, How: "it is not waited for, and such a node counts as replaced, not by us"},
		{Kind: engine.RivalDrain, Who: "Cluster Autoscaler", Does: "drains", Nodes: []string{host(3, 78)}, Mark: "taint ToBeDeletedByClusterAutoscaler:NoSchedule", Acts: true, Handling: engine.RivalWaited, How: "not drained by us meanwhile, and counts as out of service"},
	}
	return s
}

// opposed is a run that pauses because of another one.
func opposed() *engine.Snapshot {
	s := rivalled()
	s.Rivals = append(s.Rivals[1:2:2], engine.Rival{Kind: engine.RivalRefresh, Who: "instance refresh r-1", Does: "replaces the group's machines by itself (InProgress, 40 %)", Acts: true, Handling: engine.RivalRefused, How: "no run starts beside it, and one that goes on pauses"})
	s.State, s.Why = engine.Paused, "instance refresh r-1 replaces the group's machines by itself (InProgress, 40 %): wait for it, or stop it with aws autoscaling cancel-instance-refresh --auto-scaling-group-name ng-web; then resume, or abort"
	return s
}

// ended is what a finished run has in common.
func ended(result engine.Result, why string) *engine.Snapshot {
	s := busy()
	s.State, s.Result, s.Why, s.Ended, s.Left = engine.Finished, result, why, at, 0
	s.Abilities = nil
	return s
}

// done is a run that succeeded.
func done() *engine.Snapshot {
	s := ended(engine.Succeeded, "")
	s.Done, s.Blockers, s.Evictions = 12, nil, nil
	s.Phases[2].End, s.Phases[2].Done = at.Add(-time.Minute), 12
	s.Phases[3].Start, s.Phases[3].End = at.Add(-time.Minute), at
	for z := range s.Zones {
		s.Zones[z].Done = 4
		rows := s.Zones[z].Rows[:0:0]
		for i := range 4 {
			rows = append(rows, &engine.NodeRow{ID: fmt.Sprint("i-", z, i), Name: host(z+1, 210+i), Stage: engine.Ready, New: true, Ready: true, Version: s.To})
		}
		s.Zones[z].Rows = rows
	}
	s.Notes = []string{"somebody raised the group to 14 meanwhile; it was left at that"}
	s.Events = append(s.Events, engine.Event{Time: at, Type: engine.RunFinished, Result: string(engine.Succeeded)})
	return s
}

// failed is a run that could not evict a pod.
func failed() *engine.Snapshot {
	s := ended(engine.EvictionFail, "shop/checkout-7d9f-x2 could not be evicted from ip-10-0-1-23 within 15m0s: budget shop/checkout allows 0, 3 healthy, 3 required")
	s.Zones[0].Rows[0].Stage, s.Zones[0].Rows[0].Wait = engine.NodeFail, nil
	s.Zones[0].Rows[0].Note = "pods left after 15m0s"
	s.Phases[2].End = at
	s.Events = append(s.Events, engine.Event{Time: at, Type: engine.PhaseFinished, Phase: "upgrade", Message: "upgrade took 18m14s"})
	for _, r := range s.Zones[1].Rows[1:3] {
		r.Stage, r.Wait, r.Note = engine.Skipped, nil, "asked for by ana@laptop"
	}
	s.LeftBehind = []string{"the nodes that run it can be rolled back: drainboard upgrade ng-web --launch-template-version 7", "max of ng-web is still 18: aws autoscaling update-auto-scaling-group --auto-scaling-group-name ng-web --max-size 12"}
	return s
}

// aborted is a run that was told to end.
func aborted() *engine.Snapshot {
	s := failed()
	s.Result, s.Why = engine.Aborted, "aborted by ana@laptop"
	return s
}

// idle is a group that no run is under way in, as a watching dashboard shows it.
func idle() *engine.Snapshot {
	s := busy()
	s.State, s.Strategy, s.RunID, s.Phases, s.Blockers, s.Evictions, s.Abilities, s.Left = engine.NoRun, "", "", nil, nil, nil, nil, 0
	s.Started, s.Done, s.Total = time.Time{}, 0, 0
	for z := range s.Zones {
		s.Zones[z].Done, s.Zones[z].Total = 0, 0
		for _, r := range s.Zones[z].Rows {
			r.Stage, r.Wait, r.Blocked, r.Batch, r.Tainted, r.Cordoned = engine.Outdated, nil, false, 0, false, false
			if r.New {
				r.Stage, r.Pods, r.PodsLeft = engine.Ready, 9, 9
			} else {
				s.Zones[z].Total++
				s.Total++
			}
		}
	}
	s.Events = s.Events[:0]
	return s
}
