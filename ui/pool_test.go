package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/themes"
)

// pooled is a worker pool that Gardener rolls, as the control cluster has it: a node is
// drained and held by a budget, another's machine ends, one machine cannot be made, one is
// not well; a zone is paused.
func pooled() *engine.Snapshot {
	s := idle()
	s.Group, s.Provider, s.From, s.To = "web", "gardener", "v1.32.4", "1.33.1"
	const outdated = "Gardener is going to update or replace it: new pods avoid it"
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
	held.Stage, held.Cordoned, held.PodsLeft, held.Pods, held.Blocked = engine.Draining, true, 3, 17, true
	held.Note = "Gardener is ending its machine: it is drained; the last try failed: pod disruption budget shop/checkout is misconfigured and requires zero voluntary evictions"
	held.Wait = &engine.Wait{For: "drain forced", Start: at.Add(-2 * time.Minute), End: at.Add(118 * time.Minute), Basis: "the Machine's deletion was asked for at 21:05:12 UTC, and 2h0m0s later: its machineDrainTimeout"}
	ends := s.Zones[1].Rows[0]
	ends.Stage, ends.Cordoned, ends.Pods, ends.PodsLeft, ends.Note = engine.Terminating, true, 0, 0, "Gardener is ending its machine: its volumes are detached"
	comes := s.Zones[2].Rows[0]
	*comes = engine.NodeRow{ID: "shoot--dev--prod-web-z3-6b9d8-xk2lp", Zone: comes.Zone, Stage: engine.Launching, New: true, Since: at.Add(-4 * time.Minute), Note: "its machine could not be created, and is tried again: no capacity",
		Wait: &engine.Wait{For: "creation fails", Start: at.Add(-4 * time.Minute), End: at.Add(16 * time.Minute), Basis: "the Machine was made at 21:03:12 UTC, and 20m0s later: its machineCreationTimeout"}}
	sick := s.Zones[2].Rows[1]
	sick.Ready, sick.Note = false, "is not healthy: Gardener gives it up and replaces it, but not while another machine of shoot--dev--prod-web-z3 comes or goes"
	sick.Wait = &engine.Wait{For: "is given up", Start: at.Add(-3 * time.Minute), End: at.Add(7 * time.Minute)}
	s.Others = &engine.OthersView{
		Movers: []engine.MoverView{{By: world.MoverGardener, Roll: true, Nodes: 9, Working: 2, Text: "Gardener is at work here: " + held.Name + " draining, " + ends.Name + " terminating, 7 to go"}},
		From:   at.Add(-9 * time.Minute), Replaced: 0, Current: 4, Nodes: 14,
	}
	s.Pool = &engine.PoolView{
		Name: "web", Shoot: "garden-dev/prod", Update: world.AutoRollingUpdate, Version: "1.33.1", Surge: "2", Unavailable: "0", Control: true,
		Limits: world.DefaultLimits(world.AutoRollingUpdate), InPlace: map[world.InPlaceMark]int{},
		Zones: []engine.PoolZone{
			{Name: "eu-west-1a", Deployment: "shoot--dev--prod-web-z1", Desired: 4, Updated: 1, Available: 4, Total: 5, Surge: 1, SurgeAs: "25%", UnavailableAs: "0", Progress: "MachineSetUpdated: machine set is progressing"},
			{Name: "eu-west-1b", Deployment: "shoot--dev--prod-web-z2", Desired: 4, Updated: 2, Available: 4, Total: 5, Surge: 1, SurgeAs: "1", UnavailableAs: "0", Paused: true, Progress: "DeploymentPaused"},
			{Name: "eu-west-1c", Deployment: "shoot--dev--prod-web-z3", Desired: 4, Updated: 1, Available: 3, Total: 4, Unavailable: 1, SurgeAs: "0", UnavailableAs: "0", Frozen: true},
		},
		Opens: at.Add(-20 * time.Minute), Closes: at.Add(25 * time.Minute), WindowFrom: "the Shoot",
		Failed: []string{"shoot--dev--prod-web-z3-6b9d8-xk2lp: Cloud provider message - no capacity"},
		Notes:  []string{"the Shoot's last operation, Reconcile, is Processing (60 %): Waiting until the worker is ready"},
	}
	s.Pool.Limits.Guessed = false
	s.Blockers = []*engine.Blocker{{
		Kind: engine.BlockedByBudget, Pod: "shop/checkout-7d9f-x2", UID: "u-1", Node: held.Name, Machine: held.ID, Owner: "checkout", Deadline: held.Wait, AtDeadline: engine.TimeoutForce,
		Budgets: []engine.BudgetView{{Ref: "shop/checkout", Expression: "minAvailable 3", Allowed: 0, Healthy: 3, Desired: 3, Expected: 3}},
		Detail:  "shop/checkout allows 0: 3 healthy, 3 required, so it never allows any",
		WayOut:  "scale checkout to 4, loosen minAvailable 3, or delete the pod; Gardener's drain fails at it and begins anew every 5 s, so its retries never end and only the drain timeout passes it",
	}}
	s.Events = []engine.Event{{Time: at.Add(-2 * time.Minute), Type: engine.NodeDraining, Node: held.Name, Reason: "Gardener", Message: "17 pods to move: " + held.Note}}
	return s
}

// inPlaced is a pool that is updated in place by hand, as its nodes tell.
func inPlaced() *engine.Snapshot {
	s := pooled()
	failed, draining, updating := s.Zones[0].Rows[1], s.Zones[0].Rows[0], s.Zones[1].Rows[0]
	failed.Stage, failed.Note, failed.Cordoned = engine.NodeFail, "its update in place failed: no space left on device", true
	draining.Note = "Gardener drains it, and then updates it in place"
	draining.Wait = &engine.Wait{For: "drain forced", Start: at.Add(-2 * time.Minute), End: at.Add(118 * time.Minute), Guess: true, Basis: "it was selected for the update at 21:05:12 UTC, and 2h0m0s later: its machineDrainTimeout, by default"}
	updating.Stage, updating.Note = engine.Updating, "Gardener updates it in place"
	updating.Wait = &engine.Wait{For: "update fails", Start: at.Add(-2 * time.Minute), End: at.Add(18 * time.Minute), Guess: true}
	s.Zones[2].Rows = s.Zones[2].Rows[2:]
	p := s.Pool
	p.Control, p.Shoot, p.Version, p.Update, p.Surge, p.Unavailable, p.Failed, p.Notes, p.Opens, p.Closes = false, "", "", "", "", "", nil, nil, at.Add(3*time.Hour), at.Add(4*time.Hour)
	p.WindowFrom, p.Info = "the ConfigMap kube-system/shoot-info", &world.ShootInfo{Name: "prod", Project: "dev", Version: "1.33.1"}
	s.To, p.Limits.Guessed = "", true
	p.Zones = []engine.PoolZone{{Name: "eu-west-1a", Updated: 1, Available: 5, Total: 5, Surge: 2, SurgeAs: "34%", UnavailableAs: "0", Guess: true}, {Name: "eu-west-1b", Updated: 1, Available: 5, Total: 5}, {Name: "eu-west-1c", Updated: 1, Available: 3, Total: 3}}
	p.InPlace = map[world.InPlaceMark]int{world.InPlaceCandidate: 6, world.InPlaceSelected: 2, world.InPlaceFailed: 1}
	p.Failed = []string{failed.Name + ": its update in place failed: no space left on device"}
	p.Unknown = []string{
		"phases of machines, why a drain fails, orders to force, zones that are paused or frozen, and machines that have not joined are known in the control cluster only (--control-kubeconfig)",
		"the Shoot is not read (--garden-kubeconfig, --shoot): it has the update strategy, how many are replaced at a time, time limits, which are taken for the defaults",
	}
	return s
}

func TestScreensOfAPool(t *testing.T) {
	for _, f := range []struct {
		name string
		make func() *engine.Snapshot
	}{{"pooled", pooled}, {"in_place", inPlaced}} {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s_%dx%d", f.name, size[0], size[1]), func(t *testing.T) {
				m, _ := watcher(f.make(), size[0], size[1])
				if size[0] < stackedWidth {
					press(m, "tab")
				}
				frame := m.View().Content
				checkFrame(t, frame, size[0], size[1])
				golden.RequireEqual(t, ansi.Strip(frame)+"\n")
			})
		}
	}
}

// Its details have everything, those of a node what its countdown rests on.
func TestDetailsOfAPool(t *testing.T) {
	for _, f := range []struct {
		name string
		keys []string
	}{{"pool", []string{"v"}}, {"node", []string{"enter"}}} {
		t.Run(f.name, func(t *testing.T) {
			s := pooled()
			row := s.Zones[0].Rows[0]
			limits := world.DefaultLimits("")
			limits.Guessed = false
			s.Look = engine.Look{Machine: row.ID}
			s.Node = &engine.NodeDetail{ID: row.ID, Machine: &world.Machine{ID: "shoot--dev--prod-web-z1-7c6f5-abcde", Type: "m5.large", Zone: "eu-west-1a", Detail: "Terminating", Gardener: &world.GardenerMachine{
				Phase: "Terminating", Since: at.Add(-2 * time.Minute), Set: "shoot--dev--prod-web-z1-7c6f5", Priority: 1, Limits: limits, Operation: "Delete, Failed", Description: "Drain failed due to - budget. Initiate node drain",
			}}, Moves: []world.Move{{By: world.MoverGardener, Step: world.MoveDraining, Mark: "Machine shoot--dev--prod-web-z1-7c6f5-abcde is Terminating", Since: at.Add(-2 * time.Minute), Means: "Gardener is ending its machine: it is drained", Limit: 2 * time.Hour, Told: true}}}
			m, _ := watcher(s, 120, 40)
			m.nodes.cursor = row.ID
			press(m, f.keys...)
			frame := m.View().Content
			checkFrame(t, frame, 120, 40)
			golden.RequireEqual(t, ansi.Strip(frame)+"\n")
		})
	}
}

// Every size holds; a control cluster that is away is named so.
func TestPoolInEverySize(t *testing.T) {
	for _, s := range []*engine.Snapshot{pooled(), inPlaced()} {
		for w := leastWidth; w <= 210; w += 7 {
			for h := leastHeight; h <= 50; h += 9 {
				m := board(s, w, h, themes.Dark)
				m.opts.ReadOnly = true
				for m.focus = nodesPane; m.focus <= logPane; m.focus++ {
					checkFrame(t, m.View().Content, w, h)
				}
			}
		}
	}
	s := pooled()
	s.Sources[1] = engine.SourceView{Name: world.Cloud, Fresh: at.Add(-time.Minute), Stale: true, Problem: "the control cluster: does not answer"}
	m, _ := watcher(s, 120, 36)
	if frame := ansi.Strip(m.View().Content); !strings.Contains(frame, "control cluster data 60 s old, retrying: does not answer. What Gardener does meanwhile") {
		t.Errorf("a stale control cluster is not told:\n%s", frame)
	}
}
