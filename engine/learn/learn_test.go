package learn

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// cluster is a group of nodes and pods that took so long each to be Ready, 0 where that is not known.
func cluster(nodes, pods []time.Duration) *world.World {
	w := world.New()
	var machines []world.Machine
	for i, took := range nodes {
		id, name := fmt.Sprint("i-", i), fmt.Sprint("n", i)
		machines = append(machines, world.Machine{ID: id, Zone: "a", State: world.MachineInService})
		w.SetNode(&world.Node{Name: name, Machine: id, Ready: true, Joining: took})
	}
	w.SetNode(&world.Node{Name: "elsewhere", Machine: "i-x", Ready: true, Joining: 7 * time.Second})
	w.SetMachines(machines)
	for i, took := range pods {
		w.SetPod(&world.Pod{UID: fmt.Sprint(i), Namespace: "shop", Name: fmt.Sprint("p", i), Node: "n0", Owner: world.Owner{Kind: "ReplicaSet", Name: "web", UID: "web"}, Phase: world.PodRunning, Ready: true, Starting: took})
	}
	w.SetPod(&world.Pod{UID: "other", Namespace: "shop", Name: "other", Node: "n0", Owner: world.Owner{Kind: "ReplicaSet", Name: "other", UID: "other"}, Phase: world.PodRunning})
	return w
}

func TestDurations(t *testing.T) {
	const s = time.Second
	w := cluster([]time.Duration{40 * s, 0, 3 * time.Hour, 60 * s}, []time.Duration{9 * s, 11 * s, 10 * s, 2 * time.Hour})
	run := record.Run{
		Measured: record.Measured{}.With(record.TimeEnd, 90*s),
		Earlier: record.Measured{}.With(record.TimeEnd, 70*s).With(record.TimeJoin, 100*s).With(record.TimeServe, 180*s).
			With(record.TimeNotice, 2*s).With(record.TimeNotice, 2*s).With(record.TimeNotice, 2*s).With(record.TimeNotice, 2*s),
		Workloads: map[string]record.Workload{
			"web": {Moved: 3, Stops: 2, StopTime: 8 * s}, "other": {Moved: 1},
		},
	}
	d := Of(w, &run)
	for what, c := range map[string]struct {
		is    Duration
		takes time.Duration
		of    int
		from  snapshot.Basis
	}{
		"join: an earlier run":               {d.Join, 100 * s, 1, snapshot.FromEarlier},
		"end: this run and an earlier one":   {d.End, 80 * s, 2, snapshot.FromEarlier},
		"in service: an earlier run":         {d.Serve, 180 * s, 1, snapshot.FromEarlier},
		"notice: an earlier run":             {d.Notice, 2 * s, 4, snapshot.FromEarlier},
		"ready: those that did not cease":    {d.Ready, 50 * s, 2, snapshot.FromNodes},
		"pods: the median of those":          {d.PodReady["web"], 10 * s, 3, snapshot.FromPods},
		"pods of which nothing is seen":      {d.PodReady["other"], 0, 0, ""},
		"pods of any owner":                  {d.AnyPodReady, 10 * s, 3, snapshot.FromPods},
		"stop: what the workload's pods did": {d.PodStop["web"], 4 * s, 2, snapshot.FromRun},
		"stop of others: not known":          {d.AnyPodStop, 0, 0, snapshot.FromGuess},
	} {
		if c.is.Takes != c.takes || c.is.Of != c.of || c.is.From != c.from {
			t.Errorf("%s: %+v", what, c.is)
		}
	}
	var said []string
	for _, a := range d.Assumptions() {
		said = append(said, a.String())
	}
	for _, want := range []string{
		"node joins: 1m40s (seen once: earlier runs)", "node Ready until its instance is in service: 30s (seen once: earlier runs)", "Ready: 50s (median of 2: the group's nodes)", "gone: 1m20s (median of 2: earlier runs)",
		"pod evicted until it is gone: a third of its grace period (a guess)", "pod placed until it is Ready: 10s (median of 3: pods of the same owners; 1 other pod assumed alike)",
	} {
		if !strings.Contains(strings.Join(said, "\n"), want) {
			t.Errorf("%q is not in\n%s", want, strings.Join(said, "\n"))
		}
	}
}

// What was alike before a run may all be different in it; what it has measured itself is like what is to come.
func TestSpread(t *testing.T) {
	four := record.Measured{}
	for range 4 {
		four = four.With(record.TimeEnd, time.Minute)
	}
	now, then := Of(world.New(), &record.Run{Measured: four}).End, Of(world.New(), &record.Run{Earlier: four}).End
	if now.Spread != least || then.Spread != elsewhen {
		t.Errorf("this run: %+v, an earlier one: %+v", now, then)
	}
}

// A node that is Ready as soon as its instance is in service waits for nothing more.
func TestInService(t *testing.T) {
	join := record.Measured{}.With(record.TimeJoin, time.Minute)
	for serve, want := range map[time.Duration]time.Duration{0: 0, 70 * time.Second: 0, 81 * time.Second: 0, 110 * time.Second: 30 * time.Second} {
		earlier := join
		if serve > 0 {
			earlier = join.With(record.TimeServe, serve)
		}
		d := Of(cluster([]time.Duration{20 * time.Second}, nil), &record.Run{Earlier: earlier})
		if late := d.Late(); late != want {
			t.Errorf("%s: %s, want %s", serve, late, want)
		}
	}
}

// Where the group tells nothing, the cluster does, and then a guess is made.
func TestDurationsOfOthers(t *testing.T) {
	if d := Of(cluster([]time.Duration{0}, nil), &record.Run{}); d.Ready.From != snapshot.FromCluster || d.Ready.Takes != 7*time.Second {
		t.Errorf("%+v", d.Ready)
	}
	d := Of(world.New(), &record.Run{})
	for _, a := range d.Assumptions() {
		if !a.Guessed() {
			t.Errorf("of nothing: %s", a)
		}
	}
	if d.Ready.Takes != Ready || d.Join.Takes != Join || d.End.Takes != End || d.AnyPodReady.Takes != PodReady {
		t.Errorf("%+v", d)
	}
}

// Many durations tell how far they are apart; few do not.
func TestSpreadOfAnEarlierRun(t *testing.T) {
	list := func(of ...int) (out []time.Duration) {
		for _, n := range of {
			out = append(out, time.Duration(n)*time.Second)
		}
		return out
	}
	if d := of(list(60, 60, 60, 60, 60), snapshot.FromRun, 0); d.Spread != least {
		t.Errorf("equal ones: %v", d.Spread)
	}
	if d := of(list(30, 120, 60, 45, 90), snapshot.FromRun, 0); d.Spread < 0.3 || d.Spread > 0.6 {
		t.Errorf("far apart: %v", d.Spread)
	}
	if d := of(list(60, 60), snapshot.FromRun, 0); d.Spread != Unknown/2 {
		t.Errorf("two: %v", d.Spread)
	}
}
