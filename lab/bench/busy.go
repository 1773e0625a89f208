package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/realtime"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// simulated is a roll of a simulated cluster: pods take half a minute to stop and as
// long to be ready elsewhere, and a budget lets a tenth of an application go at once.
type simulated struct {
	nodes, limit int // limit: in work at once
	apps, pods   int // and as many pods of each
}

var (
	// busyRoll has a table with countdowns in most of its rows.
	busyRoll = simulated{nodes: 60, limit: 45, apps: 12, pods: 60}
	// largeRoll is of the largest cluster that Kubernetes is made for.
	largeRoll = simulated{nodes: 5000, limit: 100, apps: 100, pods: 1500}
)

// script is its cluster.
func (r simulated) script() string {
	var s strings.Builder
	fmt.Fprintf(&s, "cluster name=ng-busy zones=a,b,c nodes=%d slots=%d min=3\ntiming launch=5s boot=10s ready=5s jitter=0.3\n", r.nodes, r.apps*r.pods/r.nodes+2)
	for i := range r.apps {
		fmt.Fprintf(&s, "workload app%d replicas=%d grace=60s stop=%ds ready=20s\nbudget app%d max=10%%\n", i, r.pods, 20+2*(i%busyRoll.apps), i)
	}
	fmt.Fprintf(&s, "workload logs kind=daemonset\nsettings max-unavailable=%d approve=none post-drain-wait=60s\n", r.limit)
	return s.String()
}

// run lets the engine's loop roll it.
func (r simulated) run(ctx context.Context, publish func(*snapshot.Snapshot), busy func()) error {
	scenario := script.Scenario{Name: "busy", Script: r.script()}
	played, err := scenario.Open(1, true)
	if err != nil {
		return err
	}
	plan := played.Plan("bench-busy")
	wall := realtime.New(played.Sim, 1)
	rules, err := strategy.Named(plan.Strategy)
	if err != nil {
		return err
	}
	queue := live.Open(ctx, wall)
	defer queue.Close()
	w := world.New()
	if err := queue.Fill(ctx, w, time.Minute, world.Cluster, world.Cloud); err != nil {
		return err
	}
	var once sync.Once
	loop := &live.Loop{Rules: rules, Cluster: "bench", World: w, Queue: queue, Executor: wall, Store: wall, Lock: wall, Clock: wall}
	loop.Publish = func(s *snapshot.Snapshot) {
		publish(s)
		if draining(s) >= r.limit*9/10 {
			once.Do(busy)
		}
	}
	run, err := loop.Run(ctx, engine.Start(plan.Run, wall.Now(), "bench"))
	if run.State == record.Finished {
		err = errors.Join(err, errors.New("it was over before it was measured: "+run.Why))
	}
	return err
}

// draining is how many nodes of a snapshot drain.
func draining(s *snapshot.Snapshot) (n int) {
	for _, z := range s.Zones {
		for _, r := range z.Rows {
			if r.Stage == record.Draining {
				n++
			}
		}
	}
	return n
}
