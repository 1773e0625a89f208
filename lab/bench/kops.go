package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/drive"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/kops"
	"github.com/drainboard/drainboard/lab/kopsorder"
	"github.com/drainboard/drainboard/lab/workload"
)

// The roll by kops's rules, with the waits that kops has by default: 24 nodes in 3
// zones, one more than there are for a while (maxSurge 1), none unavailable. It takes
// most of an hour, so the engine rolls a simulated cluster, on a virtual clock.
const kopsNodes = 24

// kopsTimes are those of a machine that a group launches: until its node is Ready, and
// until it is gone. notice is how long a group takes to find one ended that was not ended
// by it. A pod takes 2 s to stop.
var kopsTimes = machineTimes{notice: 5 * time.Second, launch: 10 * time.Second, boot: 65 * time.Second, ready: 5 * time.Second, end: 30 * time.Second, stop: 2 * time.Second}

type machineTimes struct{ notice, launch, boot, ready, end, stop time.Duration }

// joins is from a launch until the node is Ready.
func (t machineTimes) joins() time.Duration { return t.launch + t.boot + t.ready }

// kopsWaits are the fixed waits of a rolling update.
type kopsWaits struct {
	postDrain, interval time.Duration
	looks               int           // in a row
	pause, retry        time.Duration // after a look that passed, and one that did not
}

// kopsDefaults are those of kops rolling-update cluster (kops: cmd/kops/rolling-update_cluster.go).
var kopsDefaults = kopsWaits{postDrain: 5 * time.Second, interval: 15 * time.Second, looks: 2, pause: 10 * time.Second, retry: 30 * time.Second}

// proof is the least time from the end of a machine, or its detachment, until the cluster
// has validated, if it is valid again after so long. kops looks at the end of the
// interval and then with every retry; it does not learn of what happens in between.
func (w kopsWaits) proof(valid time.Duration) time.Duration {
	first := w.interval
	for first < valid {
		first += w.retry
	}
	return first + time.Duration(w.looks-1)*w.pause
}

// kopsBound is the sum of the waits that kops's rules force on a roll of a group whose
// machines are all outdated, with one detached and one node at a time: docs/internals/speed.md
// derives it.
func kopsBound(nodes int, t machineTimes, w kopsWaits) (surge, roll time.Duration) {
	drain := t.stop + w.postDrain
	surge = w.proof(t.joins())
	roll = time.Duration(nodes-1)*(drain+w.proof(t.notice+t.joins())) + drain + w.proof(0)
	return surge, roll
}

// kops compares a roll by kops's rules and defaults with the sum of the waits that they
// force, and with the same roll by our own defaults, the strategy eks. Then it rolls a
// real instance group on the lab, with smaller waits.
func (b *bench) kops(ctx context.Context) error {
	surge, roll := kopsBound(kopsNodes, kopsTimes, kopsDefaults)
	by, err := simulateRoll("cluster provider=kops role=node name=nodes", "settings strategy=kops")
	if err != nil {
		return err
	}
	own, err := simulateRoll("cluster name=nodes")
	if err != nil {
		return err
	}
	b.compareKops(fmt.Sprintf("kops's rules and defaults, simulated: roll of %d nodes in 3 zones", kopsNodes), by.took, surge+roll)
	b.compareKops("  of it surge", by.phases["validate"]+by.phases["taint"]+by.phases["surge"], surge)
	b.compareKops("  of it roll", by.phases["roll"], roll)
	broken := kopsorder.Check(by.events, []kopsorder.Group{{
		Name: "nodes", Role: kopsorder.Node, Size: kopsNodes, Surge: 1,
		PostDrain: kopsDefaults.postDrain, Interval: kopsDefaults.interval, Looks: kopsDefaults.looks, Pause: kopsDefaults.pause,
	}})
	for _, rule := range broken {
		fmt.Fprintln(os.Stderr, "bench:", rule)
	}
	b.add("  constraints of kops's order that it fits", fmt.Sprint(len(kopsorder.Rules)-len(broken)), fmt.Sprintf("all: %d", len(kopsorder.Rules)), "")
	b.add("  fewest nodes in service", fmt.Sprint(by.least), fmt.Sprintf("desired: %d", kopsNodes), "")
	b.add("the same by our own defaults (strategy eks)", minutes(own.took), "kops's rules: "+minutes(by.took), fmt.Sprintf("%.3f", own.took.Seconds()/by.took.Seconds()))
	b.add("  fewest nodes in service", fmt.Sprint(own.least), fmt.Sprintf("desired: %d", kopsNodes), "")
	return b.kopsInLab(ctx)
}

func (b *bench) compareKops(what string, took, forced time.Duration) {
	b.add(what, minutes(took), "waits that the rules force: "+minutes(forced), fmt.Sprintf("%.3f", took.Seconds()/forced.Seconds()))
}

func minutes(d time.Duration) string {
	return fmt.Sprintf("%d:%02d min", int(d.Minutes()), int(d.Seconds())%60)
}

// simulatedRoll is what came of one.
type simulatedRoll struct {
	took   time.Duration
	phases map[string]time.Duration
	events []kopsorder.Event
	least  int // nodes in service
	most   int // machines above desired, those that end among them

	moves, pods int // how often pods have moved, and how many these were
}

// simulateRoll rolls kopsNodes nodes with two Deployments of 90 pods and their budgets on
// a virtual clock, every step checked against the rules of docs/design.md.
func simulateRoll(cluster string, settings ...string) (simulatedRoll, error) {
	return simulate(cluster, append([]string{
		fmt.Sprintf("workload web replicas=60 stop=%s", kopsTimes.stop), "workload api replicas=30", "workload logs kind=daemonset",
		"budget web max=10%", "budget api max=3",
	}, settings...))
}

// simulate rolls kopsNodes nodes with what lines put on them.
func simulate(cluster string, lines []string) (simulatedRoll, error) {
	got := simulatedRoll{phases: map[string]time.Duration{}, least: kopsNodes}
	t := kopsTimes
	s := script.New()
	lines = append([]string{
		fmt.Sprintf("timing notice=%s launch=%s boot=%s ready=%s terminate=%s", t.notice, t.launch, t.boot, t.ready, t.end),
		fmt.Sprintf("%s zones=a,b,c nodes=%d slots=8", cluster, kopsNodes),
	}, lines...)
	if out, err := s.Do(strings.Join(append(lines, "start"), "\n")); err != nil {
		return got, fmt.Errorf("%w\n%s", err, out)
	}
	d := s.Driver
	d.Audit = 20
	d.Witness = &serving{d: d, roll: &got}
	if out, err := s.Do("run until=end"); err != nil || d.Run.Result != record.Succeeded {
		return got, fmt.Errorf("the simulated roll ended with %s %w\n%s", d.Run.Result, err, out[max(0, len(out)-2000):])
	}
	started := map[string]time.Time{}
	for _, e := range d.Events {
		switch e.Type {
		case record.PhaseStarted:
			started[e.Phase] = e.Time
		case record.PhaseFinished:
			got.phases[e.Phase] = e.Time.Sub(started[e.Phase])
		}
		got.events = append(got.events, kopsorder.Event{Time: e.Time, Group: "nodes", Type: string(e.Type), Node: e.Node, Pod: e.Pod, Reason: e.Reason})
	}
	got.moves, got.pods = d.Run.PodMoves()
	got.took = d.Events[len(d.Events)-1].Time.Sub(d.Run.Started)
	return got, nil
}

// serving watches how many nodes are in service (Ready, and not being drained or ended), and how many
// machines there are.
type serving struct {
	d    *drive.Driver
	roll *simulatedRoll
}

// Decided counts, after each decision, as things are and not as the driver knows them.
func (s *serving) Decided(record.Run, engine.Decision) {
	n := 0
	for _, m := range s.d.Sim.Truth.Machines() {
		node := s.d.Sim.Truth.NodeOf(m.ID)
		switch s.d.Run.Nodes.Peek(m.ID).Stage {
		case record.Draining, record.Settling, record.Terminating:
			continue
		}
		if node != nil && node.Ready && !node.Unschedulable && !m.Leaving() {
			n++
		}
	}
	s.roll.least = min(s.roll.least, n)
	there := len(s.d.Sim.Truth.Machines())
	for _, n := range s.d.Sim.Truth.Nodes() {
		if s.d.Sim.Truth.Machine(n.Machine) == nil { // it is detached
			there++
		}
	}
	s.roll.most = max(s.roll.most, there-kopsNodes)
}

func (*serving) Heard([]record.Command)                 {}
func (*serving) Events([]record.Event)                  {}
func (*serving) Asked(record.Action)                    {}
func (*serving) Answered(record.Action, record.Outcome) {}
func (*serving) Resumed(record.Run)                     {}

// The check on the lab: six nodes, and every wait a fifth of what kops has.
const (
	kopsScale    = 5
	kopsLabNodes = 6
)

var (
	kopsLabWaits = kopsWaits{
		postDrain: kopsDefaults.postDrain / kopsScale, interval: kopsDefaults.interval / kopsScale, looks: kopsDefaults.looks,
		pause: kopsDefaults.pause / kopsScale, retry: kopsDefaults.retry / kopsScale,
	}
	kopsLabTimes = lab.Times{Boot: 10 * time.Second, Ready: 2 * time.Second, Terminate: 6 * time.Second, PodReady: time.Second, PodStop: 400 * time.Millisecond}
)

// kopsInLab rolls an instance group on a real control plane.
func (b *bench) kopsInLab(ctx context.Context) error {
	return b.inLab(ctx, kopsLabTimes, func(ctx context.Context) error {
		k, err := b.lab.AddKopsCluster(ctx, kops.Options{Groups: []kops.Group{{Name: "nodes", Size: kopsLabNodes}}})
		if err != nil {
			return err
		}
		p := workload.Place{Namespace: "roll", Group: k.Groups["nodes"].Name}
		if err := b.lab.Apply(ctx, p.MaxUnavailable("web", 6), p.Deployment("web", 24)); err != nil {
			return err
		}
		if err := b.lab.WaitReady(ctx, p.Namespace); err != nil {
			return err
		}
		from, w := time.Now(), kopsLabWaits
		run, err := b.drainboard(ctx, "nodes", "--cluster-name", k.Name, "--state", "s3://"+k.Bucket, "--post-drain-wait", w.postDrain.String(),
			"--node-interval", w.interval.String(), "--validate-pause", w.pause.String(), "--validate-retry", w.retry.String())
		if err != nil {
			return err
		}
		for range run.events {
		}
		if err := <-run.done; err != nil {
			return err
		}
		t := kopsLabTimes
		surge, roll := kopsBound(kopsLabNodes, machineTimes{boot: t.Boot, ready: t.Ready, stop: t.PodStop}, w)
		b.compareKops(fmt.Sprintf("kops's rules on the lab: roll of %d nodes, waits of a %dth", kopsLabNodes, kopsScale), time.Since(from), surge+roll)
		return nil
	})
}
