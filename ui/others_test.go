package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/themes"
)

// driven is a group without a run of ours that kops rolls: a node is drained and held by
// a budget, one is drained, one goes, two are replaced; Karpenter has chosen another, and
// somebody has cordoned one.
func driven() *engine.Snapshot {
	s := idle()
	const kops, cordoned = "kops rolling-update is going to replace it: new pods avoid it", "kops rolling-update has cordoned it: it is drained, and then its machine ends"
	for _, z := range s.Zones {
		for _, r := range z.Rows {
			if !r.New {
				r.By, r.Note = world.MoverKops, kops
			}
		}
	}
	set := func(zone, row int, stage engine.Stage, note string) *engine.NodeRow {
		r := s.Zones[zone].Rows[row]
		r.Stage, r.Note, r.Cordoned = stage, note, stage != engine.Replaced
		return r
	}
	held := set(0, 0, engine.Draining, cordoned)
	held.PodsLeft, held.Pods, held.Blocked, held.Wait = 3, 17, true, wait("drain limit", 11*time.Minute+42*time.Second, 15*time.Minute)
	set(1, 0, engine.Settling, "drained by kops").Pods = 0
	set(2, 0, engine.Terminating, "drained by kops").Pods = 0
	set(0, 3, engine.Replaced, "").Pods = 0
	set(1, 3, engine.Replaced, "").Pods = 0
	chosen := set(2, 2, engine.Outdated, "Karpenter has chosen to replace it, and drains it once the replacement is Ready: it takes no new pods")
	chosen.By, chosen.Cordoned = world.MoverKarpenter, false
	set(2, 4, engine.Ready, "was cordoned, and nothing says by whom: it takes no new pods").By = world.MoverSomebody
	s.Done, s.Zones[0].Done, s.Zones[1].Done = 2, 1, 1
	s.Left = 31 * time.Minute
	s.Others = &engine.OthersView{
		Movers: []engine.MoverView{
			{By: world.MoverKops, Roll: true, Nodes: 9, Working: 3, Text: "kops rolling-update is at work here: " + held.Name + " draining, " + s.Zones[1].Rows[0].Name + " drained, " + s.Zones[2].Rows[0].Name + " terminating, 6 to go"},
			{By: world.MoverKarpenter, Roll: true, Nodes: 1, Text: "Karpenter is at work here: " + chosen.Name},
			{By: world.MoverSomebody, Guess: true, Nodes: 1, Text: "cordoned by hand, or by a tool that leaves no mark: " + s.Zones[2].Rows[4].Name},
		},
		From: at.Add(-9 * time.Minute), Replaced: 2, Current: 5, Nodes: 15, Pace: "2 nodes in 9m",
	}
	s.Blockers = []*engine.Blocker{{
		Kind: engine.BlockedByBudget, Pod: "shop/checkout-7d9f-x2", UID: "u-1", Node: held.Name, Machine: held.ID, Owner: "checkout", Deadline: held.Wait,
		Budgets: []engine.BudgetView{{Ref: "shop/checkout", Expression: "minAvailable 3", Allowed: 0, Healthy: 3, Desired: 3, Expected: 3}},
		Detail:  "shop/checkout allows 0: 3 healthy, 3 required, so it never allows any", WayOut: "scale checkout to 4, loosen minAvailable 3, or delete the pod",
	}}
	s.Evictions = []*engine.Eviction{{Pod: "shop/cart-55c-2", UID: "u-2", Node: held.Name, Machine: held.ID, Owner: "cart", Grace: wait("grace period", 21*time.Second, 30*time.Second)}}
	s.Events = []engine.Event{
		{Time: at.Add(-9 * time.Minute), Type: engine.NodeTainted, Reason: "kops", Message: "each of 9 nodes: " + kops + " (taint kops.k8s.io/scheduled-for-update:PreferNoSchedule)"},
		{Time: at.Add(-4 * time.Minute), Type: engine.NodeReplaced, Node: host(1, 201), Message: "gone"},
		{Time: at.Add(-198 * time.Second), Type: engine.NodeDraining, Node: held.Name, Reason: "kops", Message: "17 pods to move: " + cordoned + " (taint kops.k8s.io/scheduled-for-update:PreferNoSchedule, cordoned)"},
		{Time: at.Add(-30 * time.Second), Type: engine.NodeDrained, Node: s.Zones[1].Rows[0].Name, Message: "drained by kops"},
	}
	return s
}

// Who opens a node that others move is told who does, by which mark, since when, and what
// is not known.
func TestNodeOfOthers(t *testing.T) {
	s := driven()
	row := s.Zones[0].Rows[0]
	s.Look = engine.Look{Machine: row.ID}
	s.Node = &engine.NodeDetail{ID: row.ID, Moves: []world.Move{
		{By: world.MoverKops, Step: world.MoveDraining, Mark: "taint kops.k8s.io/scheduled-for-update:PreferNoSchedule, cordoned", Since: at.Add(-198 * time.Second), Means: row.Note, Limit: 15 * time.Minute},
		{By: world.MoverKarpenter, Step: world.MoveForeseen, Mark: "taint karpenter.sh/disrupted:NoSchedule", Means: "Karpenter has chosen to replace it"},
	}}
	m, _ := watcher(s, 120, 40)
	m.nodes.cursor = row.ID
	press(m, "enter")
	frame := m.View().Content
	checkFrame(t, frame, 120, 40)
	golden.RequireEqual(t, ansi.Strip(frame)+"\n")
}

// Every size holds, and the title names who is at work.
func TestDrivenByOthersInEverySize(t *testing.T) {
	s := driven()
	m, _ := watcher(s, 120, 36)
	if title := windowTitle(m.sc, m.st); !strings.Contains(title, "kops at work") || !strings.Contains(title, "1 blocked") {
		t.Errorf("the title is %q", title)
	}
	for w := leastWidth; w <= 210; w += 7 {
		for h := leastHeight; h <= 50; h += 9 {
			m := board(s, w, h, themes.Dark)
			m.opts.ReadOnly = true
			checkFrame(t, m.View().Content, w, h)
		}
	}
}
