package strategy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// A zone goes unavailable first where its share of the surge is elsewhere and nothing is still to be launched. By how
// much others have raised the group the run may have yet to count: that is still to be launched, too.
func TestZoneWaitsForWhatOthersLaunch(t *testing.T) {
	now := time.Date(2026, 11, 27, 21, 0, 0, 0, time.UTC)
	for desired, holds := range map[int]string{7: "", 8: "zone a has 2 nodes in service, and 3 must stay"} {
		w := world.New()
		w.SetGroup(world.Group{Name: "pool", Zones: []string{"a", "b"}, Sizes: world.Sizes{Min: 3, Max: 9, Desired: desired}})
		settings := strategy.Gardener{}.Defaults()
		settings.MaxSurge, settings.MaxUnavailable = record.Amount{N: 50, Percent: true}, record.Amount{}
		run := record.Run{
			Settings: settings, State: record.Running, Base: world.Sizes{Min: 3, Max: 5, Desired: 5},
			Zones: map[string]int{"a": 3, "b": 2}, Raised: true, Raise: 3, Lowered: 1, Nodes: shards.Of(map[string]record.Node{}),
		}
		var list []world.Machine
		for id, stage := range map[string]record.Stage{
			"a1": record.Terminating, "a2": record.Queued, "a3": record.Ready, "a4": record.Ready,
			"b1": record.Terminating, "b2": record.Queued, "b3": record.Ready, "b4": record.Ready, "b5": record.Launching,
		} {
			zone, state := id[:1], world.MachineInService
			switch {
			case stage == record.Terminating:
				state = world.MachineTerminating
			case stage == record.Launching:
				state = world.MachinePending
			}
			list = append(list, world.Machine{ID: id, Zone: zone, State: state})
			w.SetNode(&world.Node{Name: id, Machine: id, Zone: zone, Ready: stage != record.Launching && (holds == "" || id != "a4")})
			run.Nodes = run.Nodes.With(id, record.Node{Name: id, Zone: zone, Stage: stage, New: id[1] > '2', Decrement: id == "b1"})
		}
		w.SetMachines(list)
		s := assess.NewReader(strategy.Gardener{}, now, w, run)
		if why := (strategy.Gardener{}).Holds(&s, "a2", nil); why != holds {
			t.Errorf("desired %d: a2 waits for %q, want %q", desired, why, holds)
		}
	}
}

// A node that is updated in place takes its place in its zone until it has been, also where more serve than have to.
func TestUpdatingNodeTakesItsPlace(t *testing.T) {
	for stage, holds := range map[record.Stage]string{record.Updating: "zone a has 1 of 1 nodes out of service", record.Replaced: ""} {
		w := world.New()
		w.SetGroup(world.Group{Name: "pool", Zones: []string{"a"}, Sizes: world.Sizes{Min: 3, Max: 5, Desired: 5}})
		settings := strategy.GardenerInPlace{}.Defaults()
		settings.MaxSurge, settings.MaxUnavailable = record.Amount{}, record.Amount{N: 1}
		run := record.Run{
			Settings: settings, State: record.Running, Base: world.Sizes{Min: 3, Max: 3, Desired: 3},
			Zones: map[string]int{"a": 3}, Nodes: shards.Of(map[string]record.Node{}),
		}
		var list []world.Machine
		for id, at := range map[string]record.Stage{"a1": stage, "a2": record.Queued, "a3": record.Queued, "a4": record.Queued, "a5": record.Queued} {
			list = append(list, world.Machine{ID: id, Zone: "a", State: world.MachineInService})
			w.SetNode(&world.Node{Name: id, Machine: id, Zone: "a", Ready: true})
			run.Nodes = run.Nodes.With(id, record.Node{Name: id, Zone: "a", Stage: at})
		}
		w.SetMachines(list)
		s := assess.NewReader(strategy.GardenerInPlace{}, time.Date(2026, 11, 27, 21, 0, 0, 0, time.UTC), w, run)
		if why := (strategy.GardenerInPlace{}).Holds(&s, "a2", nil); why != holds {
			t.Errorf("a1 is %s: a2 waits for %q, want %q", stage, why, holds)
		}
	}
}

// A pool that had no machine when its run began has no zones in the run, and its record has none: a watcher
// expects the same surge as the driver.
func TestNoZonesInTheRecord(t *testing.T) {
	w := world.New()
	w.SetGroup(world.Group{Name: "pool", Zones: []string{"a"}, Sizes: world.Sizes{Max: 1, Desired: 1}})
	w.SetMachines([]world.Machine{{ID: "a1", Zone: "a", State: world.MachineInService}})
	run := record.Run{Settings: strategy.Gardener{}.Defaults(), Zones: map[string]int{}}
	text, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	var read record.Run
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if driver, watcher := (strategy.Gardener{}).Extra(w, &run), (strategy.Gardener{}).Extra(w, &read); driver != watcher || driver != 1 {
		t.Errorf("the driver expects %d machines more, a watcher %d, want 1", driver, watcher)
	}
}

// The end of an old machine takes the size down once as many new ones are there, or about to be, as the zone is to have.
// In the place of one that ends with the size, none comes.
func TestZoneDecrements(t *testing.T) {
	for fresh, want := range map[string]bool{"34": false, "234": true} {
		w := world.New()
		w.SetGroup(world.Group{Name: "pool", Zones: []string{"a"}, Sizes: world.Sizes{Min: 3, Max: 5, Desired: 4}})
		run := record.Run{
			Settings: strategy.Gardener{}.Defaults(), State: record.Running, Base: world.Sizes{Min: 3, Max: 3, Desired: 3},
			Zones: map[string]int{"a": 3}, Raised: true, Raise: 2, Lowered: 1, Nodes: shards.Of(map[string]record.Node{}),
		}
		var list []world.Machine
		for _, n := range "01234" {
			id, node, state := "a"+string(n), record.Node{Zone: "a", Stage: record.Queued}, world.MachineInService
			switch {
			case n == '0':
				node.Stage, node.Decrement, state = record.Terminating, true, world.MachineTerminating
			case strings.ContainsRune(fresh, n):
				node.Stage, node.New = record.Ready, true
			}
			node.Name = id
			list = append(list, world.Machine{ID: id, Zone: "a", State: state})
			w.SetNode(&world.Node{Name: id, Machine: id, Zone: "a", Ready: true})
			run.Nodes = run.Nodes.With(id, node)
		}
		w.SetMachines(list)
		s := assess.NewReader(strategy.Gardener{}, time.Date(2026, 11, 27, 21, 0, 0, 0, time.UTC), w, run)
		if got := (strategy.Gardener{}).Decrements(&s, "a1"); got != want {
			t.Errorf("%d new ones: the end of a1 takes the size down: %v, want %v", len(fresh), got, want)
		}
	}
}

// Where a default comes from names the default.
func TestOriginNamesTheDefault(t *testing.T) {
	for _, seed := range []bool{false, true} {
		d := strategy.Gardener{Seed: seed}.Defaults()
		for flag, value := range map[string]string{"node-ready-timeout": fmt.Sprintf("%d minutes", d.NodeReadyTimeout/time.Minute), "max-evict-retries": fmt.Sprint(d.EvictRetries)} {
			if from := d.Origin[flag]; !strings.Contains(from, " "+value) {
				t.Errorf("seed %v: --%s is %s, from %q", seed, flag, value, from)
			}
		}
	}
}
