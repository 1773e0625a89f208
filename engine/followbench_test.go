package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// pooled is a run of gardener-follow in a worker pool of that many nodes with 30 pods each, of
// which every twentieth is drained and the last half is new.
func pooled(nodes int) (*world.World, record.Run, time.Time) {
	w, now := world.New(), noon
	g := world.Group{Name: "web", Provider: "gardener", Zones: []string{"a", "b", "c"}, Template: world.Template{ID: "web-z1", Version: 2}, Sizes: world.Sizes{Desired: nodes}}
	g.Pool = &world.Pool{Name: "web", Control: true, Namespace: "shoot--dev--prod", Update: world.AutoRollingUpdate, Limits: world.DefaultLimits("")}
	g.Pool.Deployments = []world.MachineDeployment{{Name: "web-z1", Zone: "a", Desired: nodes, Total: nodes, MaxSurge: nodes / 20}}
	w.SetGroup(g)
	var machines []world.Machine
	for i := range nodes {
		name, zone := fmt.Sprintf("n%04d", i), g.Zones[i%3]
		m := world.Machine{ID: "m-" + name, Zone: zone, State: world.MachineInService, Template: world.Template{ID: "web-z1", Version: 1}}
		n := &world.Node{Name: name, Machine: m.ID, Zone: zone, Version: "v1.31.4", Ready: true, Created: now.Add(-time.Hour)}
		mind := &world.ManagedMachine{Name: m.ID, Deployment: "web-z1", Phase: world.PhaseRunning, Priority: world.UsualPriority, Limits: world.DefaultLimits("")}
		switch {
		case i >= nodes/2:
			m.Template.Version = 2
		case i%20 == 0:
			mind.Phase, mind.Deleted, mind.Description = world.PhaseTerminating, now, "Initiate node drain"
		default:
			n.Taints = []world.Taint{{Key: "deployment.machine.sapcloud.io/prefer-no-schedule", Value: "True", Effect: "PreferNoSchedule"}}
		}
		m.Managed = mind
		machines = append(machines, m)
		w.SetNode(n)
		for p := range 30 {
			uid := fmt.Sprint(name, "-", p)
			w.SetPod(&world.Pod{UID: uid, Namespace: "shop", Name: uid, Node: name, Phase: world.PodRunning, Ready: true, Grace: 30 * time.Second, Owner: world.Owner{Kind: "ReplicaSet", Name: name, UID: name}})
		}
	}
	w.SetMachines(machines)
	fresh := world.Health{Fresh: now}
	w.SetHealth(world.Cluster, fresh)
	w.SetHealth(world.Cloud, fresh)
	rules := strategy.GardenerFollow{}
	r := engine.Start(assess.NewRun(rules, "r", 1, w, rules.Defaults(), record.Target{}), now, "me@here")
	r = engine.Decide(rules, now, w, r, engine.Inputs{}).Run
	return w, r, now
}

// BenchmarkFollow is a decision, and a look from elsewhere, in a pool of 1,000 nodes.
func BenchmarkFollow(b *testing.B) {
	w, r, now := pooled(1000)
	rules := strategy.GardenerFollow{}
	b.Run("decision", func(b *testing.B) {
		for b.Loop() {
			r = engine.Decide(rules, now, w, r, engine.Inputs{}).Run
		}
	})
	record := r
	record.External = nil
	b.Run("from elsewhere", func(b *testing.B) {
		var v *snapshot.Snapshot
		for b.Loop() {
			v = snapshot.View(rules, now, w, record, snapshot.Look{}, v)
		}
	})
}
