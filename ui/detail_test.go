package ui

import (
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/world"
)

// looking is the busy run while somebody looks at the node that is blocked, and at
// the budget that blocks it.
func looking() *engine.Snapshot {
	s := busy()
	stuck, b := s.Zones[0].Rows[0], s.Blockers[0]
	taint := world.Taint{Key: "eks.amazonaws.com/nodegroup", Value: "unschedulable", Effect: "NoSchedule"}
	s.Look = engine.Look{Machine: stuck.ID, Budget: b.Budgets[0].Ref}
	s.Node = &engine.NodeDetail{
		ID: stuck.ID, TemplateName: "ng-web", Machine: &world.Machine{ID: stuck.ID, Zone: stuck.Zone, Type: "m5.2xlarge", State: world.MachineInService, Detail: "InService",
			Template: world.Template{ID: "lt-0a1b", Version: 7}, Protected: true, Spot: true},
		Node: &world.Node{Name: stuck.Name, Version: stuck.Version, Ready: true, Unschedulable: true, Created: at.Add(-50 * time.Hour), Taints: []world.Taint{taint}},
		Marks: []engine.MarkDetail{{What: "tainted " + taint.String(), There: true}, {What: "labelled node.kubernetes.io/exclude-from-external-load-balancers=true"},
			{What: "cordoned", Foreign: true, There: true}},
	}
	pod := func(stage engine.PodStage, ref, kind, owner string, change func(*engine.PodDetail)) {
		p := &engine.PodDetail{Ref: ref, UID: fmt.Sprint("u-", len(s.Node.Pods)+1), OwnerKind: kind, Owner: owner, Stage: stage, Ready: true, Phase: world.PodRunning, Created: at.Add(-26 * time.Hour)}
		if change != nil {
			change(p)
		}
		s.Node.Pods = append(s.Node.Pods, p)
	}
	held := func(ref, owner string, kind engine.BlockerKind, detail, way string) *engine.Blocker {
		return &engine.Blocker{Kind: kind, Pod: ref, UID: fmt.Sprint("u-", len(s.Node.Pods)+1), Node: stuck.Name, Machine: stuck.ID, Owner: owner, Detail: detail, WayOut: way}
	}
	pod(engine.StageBlocked, b.Pod, "Deployment", "checkout", func(p *engine.PodDetail) {
		p.Budgets, p.Tries, p.First, p.Next, p.Blocker, p.Why = b.Budgets, b.Tries, b.Since, b.Next, b, b.Detail
	})
	ref := "payments-and-settlement/nightly-reconciliation-worker-6f7d9c5b84-q2xkz"
	pod(engine.StageBlocked, ref, "Deployment", "nightly-reconciliation-worker", func(p *engine.PodDetail) {
		p.Budgets = []engine.BudgetView{{Ref: "payments-and-settlement/all", Expression: "maxUnavailable 1", Allowed: 1, Healthy: 9, Desired: 8, Expected: 9},
			{Ref: "payments-and-settlement/nightly", Expression: "minAvailable 50%", Allowed: 2, Healthy: 4, Desired: 2, Expected: 4}}
		p.Tries, p.First = 1, at.Add(-10*time.Second)
		p.Blocker = held(ref, p.Owner, engine.BlockedByBudgets, "covered by 2 budgets (payments-and-settlement/all,payments-and-settlement/nightly), which the eviction API never lets through", "delete or narrow one of the budgets, or force with f")
		p.Blocker.Budgets, p.Why = p.Budgets, p.Blocker.Detail
	})
	pod(engine.StageAsks, "tools/debug", "", "", func(p *engine.PodDetail) {
		p.Reason, p.Why = drain.UnmanagedPod, drain.UnmanagedPod.Sentence()
		p.Blocker = held(p.Ref, "", engine.BlockedByConsent, p.Why, "give the consent and start again, delete the pod yourself, or force it with f")
	})
	pod(engine.StageReturns, "shop/agent-9", "Deployment", "agent", func(p *engine.PodDetail) {
		p.Next, p.Why = at.Add(40*time.Second), "came back 3 times: it tolerates every taint"
		p.Blocker = held(p.Ref, "agent", engine.BlockedByReturn, p.Why, "narrow its tolerations, scale agent to 0, or force the node with f")
	})
	pod(engine.StageForced, "shop/cart-55c-7", "Deployment", "cart", func(p *engine.PodDetail) {
		p.Order, p.By, p.Why, p.Tries, p.Grace = "force-1", "ana@laptop", "deleted past its budgets by order of ana@laptop", 3, wait("grace period", 25*time.Second, 30*time.Second)
	})
	pod(engine.StageTerminating, "shop/search-2", "StatefulSet", "search", func(p *engine.PodDetail) {
		p.Tries, p.First, p.Grace, p.Ready = 1, at.Add(-100*time.Second), wait("grace period", 80*time.Second, 180*time.Second), false
	})
	pod(engine.StageEvicting, "shop/web-1", "Deployment", "web", func(p *engine.PodDetail) {
		p.Tries, p.First, p.Next = 1, at.Add(-time.Second), at.Add(4*time.Second)
	})
	pod(engine.StageToEvict, "shop/web-2", "Deployment", "web", func(p *engine.PodDetail) {
		p.Budgets = []engine.BudgetView{{Ref: "shop/web", Allowed: 1, Healthy: 5, Desired: 4, Expected: 5}}
	})
	pod(engine.StageToEvict, "shop/web-3", "Deployment", "web", func(p *engine.PodDetail) { p.Ready, p.Crashing = false, true })
	pod(engine.StageIgnored, "kube-system/logs-8xk2p", "DaemonSet", "logs", func(p *engine.PodDetail) { p.Reason, p.Why = drain.DaemonSetPod, drain.DaemonSetPod.Sentence() })
	pod(engine.StageIgnored, "kube-system/proxy", "Node", stuck.Name, func(p *engine.PodDetail) { p.Reason, p.Why = drain.MirrorPod, drain.MirrorPod.Sentence() })
	pod(engine.StageIgnored, "tools/report-28x", "Job", "report", func(p *engine.PodDetail) {
		p.Reason, p.Why, p.Ready, p.Phase = drain.FinishedPod, drain.FinishedPod.Sentence(), false, world.PodSucceeded
	})

	s.Budget = &engine.BudgetDetail{
		BudgetView: b.Budgets[0], Current: true, AlwaysAllow: true, Since: at.Add(-14 * time.Minute),
		Why: "allows 0: 3 healthy, 3 required, so it never allows any", WayOut: b.WayOut, More: 4,
		Pods: []engine.BudgetPod{
			{Ref: "shop/checkout-7d9f-p9", UID: "c-1", Unplaced: "0/12 nodes are available: 7 Insufficient cpu, 5 node(s) were unschedulable."},
			{Ref: "shop/checkout-7d9f-c3", UID: "c-2", Node: host(1, 24), Stage: engine.Outdated, Crashing: true},
			{Ref: "shop/checkout-7d9f-c4", UID: "c-3", Node: host(2, 31), Stage: engine.Draining, Terminating: true, Grace: wait("grace period", 21*time.Second, 30*time.Second)},
			{Ref: b.Pod, UID: b.UID, Node: stuck.Name, Stage: engine.Draining, Ready: true},
			{Ref: "shop/checkout-canary-65bd9c8f7d-with-a-name-that-does-not-end-mzxq7", UID: "c-4", Node: "elsewhere", Ready: true, Others: []string{"shop/canaries"}},
			{Ref: "shop/checkout-7d9f-z1", UID: "c-5", Node: host(3, 81), Stage: engine.Outdated},
			{Ref: "shop/checkout-migrate", UID: "c-6", Node: host(3, 81), Stage: engine.Outdated, Finished: true},
		},
	}
	return s
}

// behind is a budget whose status is behind its rule, on a cluster that is not heard
// from.
func behind() *engine.Snapshot {
	s := looking()
	s.Sources[0].Stale, s.Sources[0].Fresh = true, at.Add(-40*time.Second)
	s.Budget.Current, s.Budget.Pods, s.Budget.More = false, nil, 0
	s.Budget.Why, s.Budget.WayOut = "was changed, and its controller has not counted by the new rule yet", "opens by itself once it has; if it does not, look at kube-controller-manager, or force with f"
	return s
}

// calm is a new node that is looked at, and a machine that has not joined.
func calm() *engine.Snapshot {
	s := looking()
	r := s.Zones[0].Rows[4]
	s.Zones[0].Rows[0], s.Zones[0].Rows[4] = r, s.Zones[0].Rows[0]
	s.Look.Machine = r.ID
	s.Node = &engine.NodeDetail{ID: r.ID, Node: &world.Node{Name: r.Name, Version: r.Version, Unreachable: at.Add(-6 * time.Minute), Trouble: "not ready: the kubelet stopped posting"},
		Pods: []*engine.PodDetail{
			{Ref: "shop/web-7", UID: "w-7", Stage: engine.StageRuns, Ready: true, Phase: world.PodRunning},
			{Ref: "shop/web-8", UID: "w-8", Stage: engine.StageRuns, Phase: world.PodRunning},
			{Ref: "shop/web-9", UID: "w-9", Stage: engine.StageRuns, Crashing: true, Phase: world.PodRunning},
		}}
	return s
}
