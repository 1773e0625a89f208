package ui

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/rehearse"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// What goes wrong in a run is on the screen within a second of the engine knowing it: with the
// snapshot of that moment, before the dashboard's clock has moved, whatever the window's size.
func TestTroubleIsSeenAtOnce(t *testing.T) {
	event := func(kind record.EventType) func(*snapshot.Snapshot) bool {
		return func(s *snapshot.Snapshot) bool {
			return slices.ContainsFunc(s.Events, func(e record.Event) bool { return e.Type == kind })
		}
	}
	problem := func(p snapshot.Problem) func(*snapshot.Snapshot) bool {
		return func(s *snapshot.Snapshot) bool {
			for _, z := range s.Zones {
				if slices.ContainsFunc(z.Rows, func(r *snapshot.NodeRow) bool { return r.Problem == p }) {
					return true
				}
			}
			return false
		}
	}
	scenario := func(name string) func(t *testing.T) *script.Script {
		return func(t *testing.T) *script.Script {
			s, err := script.Named(name)
			if err != nil {
				t.Fatal(err)
			}
			script, err := s.Open(1, true)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := script.Do("start"); err != nil {
				t.Fatal(err)
			}
			return script
		}
	}
	given := func(lines string, then ...string) func(t *testing.T) *script.Script {
		return func(t *testing.T) *script.Script {
			script := script.New()
			for _, line := range append([]string{lines, "start"}, then...) {
				if _, err := script.Do(line); err != nil {
					t.Fatal(err)
				}
			}
			return script
		}
	}
	for name, c := range map[string]struct {
		plays    func(t *testing.T) *script.Script
		foresees bool // the run's end, at each look
		knows    func(*snapshot.Snapshot) bool
		sees     []string
	}{
		"a PDB that never opens, before the first approval": {given("cluster zones=a,b nodes=4\nworkload web replicas=8\nbudget web min=8\nsettings approve=batch"), true,
			func(s *snapshot.Snapshot) bool { return s.Batch != nil && s.Forecast != nil && s.Forecast.Alarms() },
			[]string{"will fail in", "PDB app/web never opens", "Batch 1 waits for approval"}},
		"a replacement that is Pending": {given("cluster zones=a,b nodes=4\nworkload quorum replicas=2 apart=zone grace=5m stop=4m\nbudget quorum max=1\nsettings max-unavailable=2 pending-limit=1m"), false,
			event(record.WorkloadPending), []string{"app/quorum-3 is Pending"}},
		"a replacement that crash-loops": {scenario("sick"), false,
			event(record.WorkloadCrashing), []string{"crash-loops", "app/web"}},
		"a node that failed in place": {scenario("inplace"), false,
			problem(snapshot.FailedInPlace), []string{"ip-10-0-16-41 blocked: update failed: no space left on device", "!"}},
		"a machine that does not join": {given("cluster zones=a,b nodes=4\nworkload web replicas=4\nsettings node-ready-timeout=15m\nfault never-join count=1"), false,
			problem(snapshot.NotJoining), []string{"●!○○", "joining"}},
		"data that is stale": {given("cluster zones=a,b nodes=4\nworkload web replicas=4", "run for=1m\nfault away source=cluster for=10m"), false,
			func(s *snapshot.Snapshot) bool {
				return slices.ContainsFunc(s.Sources, func(v snapshot.SourceView) bool { return v.Name == world.Cluster && v.Stale })
			}, []string{"s old", "No changes on"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := c.plays(t)
			d := script.Driver
			var last *snapshot.Snapshot
			look := func() *snapshot.Snapshot {
				s := snapshot.View(d.Rules, script.Sim.Now(), script.Sim.View, d.Run, snapshot.Look{}, nil)
				s.Cluster, s.Events = "simulated", slices.Clone(d.Events)
				if _, waits := d.Run.Waiting(); c.foresees && waits {
					f := rehearse.Foresee(context.Background(), d.Rules, script.Sim.View, script.Sim.Now(), d.Run)
					s.Forecast = &f
				}
				return s
			}
			before := look()
			d.Advance(script.Sim.Now().Add(2*time.Hour), func() bool {
				last = look()
				return c.knows(last)
			})
			if last == nil || !c.knows(last) {
				t.Fatalf("the engine never knew it; rules broken: %v", d.Broken)
			}
			for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 50}} {
				ui := sit(t, size[0], size[1], before)
				ui.Expect("q quit").Gone(c.sees[0])
				ui.Show(last).Expect(c.sees...)
			}
		})
	}
}
