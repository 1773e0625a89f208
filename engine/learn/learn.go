package learn

import (
	"math"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Guesses of what nothing is known of.
const (
	// Join is from an instance's launch until its node joins, Ready from then until it is Ready,
	// End until an instance is gone.
	Join  = 70 * time.Second
	Ready = 20 * time.Second
	End   = time.Minute
	// Notice is how long a group takes to find that an instance of its was ended past it.
	Notice = 10 * time.Second
	// PodReady is how long a pod takes to be Ready once it has a node. It stops within a part of
	// its grace period.
	PodReady  = 15 * time.Second
	StopShare = 1.0 / 3
)

const (
	// implausible is how long a node or a pod does not take to get Ready: one that has been
	// Ready since later has ceased to be so in between.
	implausible = 15 * time.Minute
	// lateLeast is the least time between a Ready node and its instance in service that is no rounding.
	lateLeast = 2 * time.Second
	// fewest is how many durations are needed to tell how far they are apart.
	fewest = 4
	// Unknown is how far durations are apart of which little is known: two in three are between
	// the likeliest one divided by 1.6 and it times 1.6. least is how far all are at least, and elsewhen how
	// far those are that were seen before this run: what was alike then may all be different in it.
	Unknown  = 0.5
	least    = 0.1
	elsewhen = 0.2
	// AtAGuess is how far durations are from a guess of which nothing is known: two in three are
	// between half and twice as long.
	AtAGuess = 0.7
)

// Duration is how long something takes.
type Duration struct {
	Takes time.Duration
	// Spread is the standard deviation of its logarithm.
	Spread float64
	// Of is how many were seen, 0 for a guess, and From where.
	Of   int
	From snapshot.Basis
}

// Guessed reports whether nothing is known of it.
func (d Duration) Guessed() bool { return d.Of == 0 }

// Durations are how long things take in a group and its cluster.
type Durations struct {
	// Join is from an instance's launch until its node joins, Ready until that is Ready, End from
	// the request to terminate an instance until it is gone.
	Join, Ready, End Duration
	// Serve is from an instance's launch until it takes pods, which is later than its node is Ready where
	// its group has it in service later. Nothing is guessed of it.
	Serve Duration
	// Notice is from the request to terminate an instance past its group until that launches another one.
	Notice Duration
	// PodReady is how long a pod takes to be Ready once it has a node, by the UID of its owner;
	// AnyPodReady that of the pods of other owners.
	PodReady    map[string]Duration
	AnyPodReady Duration
	// PodStop is how long a pod takes to stop, by the UID of its owner; AnyPodStop that of others,
	// where it is not a guess: those take a part of their grace period.
	PodStop    map[string]Duration
	AnyPodStop Duration

	pods, known int // of the group's nodes: pods with an owner, and those whose owner is in PodReady
}

// Of learns how long things take, from what is there and what runs have measured.
func Of(w *world.World, run *record.Run) Durations {
	d := Durations{PodReady: map[string]Duration{}, PodStop: map[string]Duration{}}
	d.Join = measured(run, record.TimeJoin, Join)
	d.End = measured(run, record.TimeEnd, End)
	d.Serve, d.Notice = measured(run, record.TimeServe, 0), measured(run, record.TimeNotice, Notice)
	if d.Join.Guessed() {
		d.Join = of(joins(w), snapshot.FromLaunches, Join)
	}
	if lately := w.Group.Lately; d.End.Guessed() && lately != nil {
		d.End = of(lately.Ends, snapshot.FromActivities, End)
	}
	d.nodes(w, run)
	d.podsReady(w)
	d.podsStop(run)
	return d
}

// joins are how long the nodes of the group's machines took to join from their launches.
func joins(w *world.World) (out []time.Duration) {
	for _, m := range w.Machines() {
		var launched time.Time
		switch {
		case m.Managed != nil:
			launched = m.Managed.Created
		case w.Group.Lately != nil:
			launched = w.Group.Lately.Launched[m.ID]
		}
		n := w.NodeOf(m.ID)
		if n == nil || launched.IsZero() {
			continue
		}
		if took := n.Created.Sub(launched); took > 0 && took <= implausible { // else it was stopped in between
			out = append(out, took)
		}
	}
	return out
}

// measured is what runs have measured of a kind: this one, if it has enough, else earlier ones
// beside it.
func measured(run *record.Run, kind record.Timed, guess time.Duration) Duration {
	list, from := run.Measured[kind], snapshot.FromRun
	if len(list) < fewest && len(run.Earlier[kind]) > 0 {
		list, from = slices.Concat(list, run.Earlier[kind]), snapshot.FromEarlier
	}
	return of(list, from, guess)
}

// of is the median of durations, and how far they are apart.
func of(list []time.Duration, from snapshot.Basis, guess time.Duration) Duration {
	if len(list) == 0 {
		return Duration{Takes: guess, Spread: AtAGuess, From: snapshot.FromGuess}
	}
	list = slices.Sorted(slices.Values(list))
	d := Duration{Takes: median(list), Spread: Unknown / 2, Of: len(list), From: from}
	if len(list) >= fewest {
		d.Spread = spread(list)
	}
	if from != snapshot.FromRun {
		d.Spread = max(d.Spread, elsewhen)
	}
	return d
}

// median of a sorted list that is not empty.
func median(list []time.Duration) time.Duration {
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// spread is the standard deviation of the logarithms.
func spread(list []time.Duration) float64 {
	var sum, squares float64
	for _, took := range list {
		x := math.Log(max(took.Seconds(), 0.1))
		sum, squares = sum+x, squares+x*x
	}
	n := float64(len(list))
	return min(max(math.Sqrt(max(0, squares/n-sum/n*sum/n)), least), 2*Unknown)
}

// nodes learns how long the group's nodes take to be Ready; without one of them, those of the
// cluster tell.
func (d *Durations) nodes(w *world.World, run *record.Run) {
	var new, own, all []time.Duration
	for _, n := range w.Nodes() {
		if n.Joining <= 0 || n.Joining > implausible {
			continue
		}
		all = append(all, n.Joining)
		if w.Machine(n.Machine) == nil {
			continue
		}
		own = append(own, n.Joining)
		if run.Nodes.Peek(n.Machine).New {
			new = append(new, n.Joining)
		}
	}
	switch {
	case len(new) >= fewest:
		d.Ready = of(new, snapshot.FromRun, Ready)
	case len(own) > 0:
		d.Ready = of(own, snapshot.FromNodes, Ready)
	default:
		d.Ready = of(all, snapshot.FromCluster, Ready)
	}
}

// podsReady learns how long pods take to be Ready, by their owners.
func (d *Durations) podsReady(w *world.World) {
	by := map[string][]time.Duration{}
	owners := map[string]bool{}
	for _, m := range w.Machines() {
		n := w.NodeOf(m.ID)
		if n == nil {
			continue
		}
		for _, p := range w.PodsOn(n.Name) {
			if p.Owner.UID != "" && p.Owner.Kind != "DaemonSet" && !p.Mirror && !p.Finished() {
				owners[p.Owner.UID] = true
				d.pods++
			}
		}
	}
	for uid := range owners {
		for _, p := range w.PodsOf(uid) {
			if p.Starting > 0 && p.Starting <= implausible {
				by[uid] = append(by[uid], p.Starting)
			}
		}
	}
	var all []time.Duration
	for uid, list := range by {
		d.PodReady[uid] = of(list, snapshot.FromPods, PodReady)
		all = append(all, list...)
		for _, p := range w.PodsOf(uid) {
			if n := w.Node(p.Node); n != nil && w.Machine(n.Machine) != nil && !p.Finished() {
				d.known++
			}
		}
	}
	d.AnyPodReady = of(all, snapshot.FromPods, PodReady)
}

// podsStop learns how long pods take to stop.
func (d *Durations) podsStop(run *record.Run) {
	for uid, w := range run.Workloads {
		if w.Stops > 0 {
			d.PodStop[uid] = Duration{Takes: w.StopTime / time.Duration(w.Stops), Spread: Unknown / 2, Of: w.Stops, From: snapshot.FromRun}
		}
	}
	d.AnyPodStop = measured(run, record.TimeStop, 0)
}

// Late is how long after its node is Ready a group has an instance in service, 0 where that is not known.
func (d *Durations) Late() time.Duration {
	if late := d.Serve.Takes - d.Join.Takes - d.Ready.Takes; !d.Serve.Guessed() && late >= lateLeast {
		return late
	}
	return 0
}

// Assumptions lists what a rehearsal by these durations rests on.
func (d *Durations) Assumptions() []snapshot.Assumption {
	list := []snapshot.Assumption{
		{What: snapshot.NodeJoins, Takes: d.Join.Takes, Basis: d.Join.From, Of: d.Join.Of},
		{What: snapshot.NodeGetsReady, Takes: d.Ready.Takes, Basis: d.Ready.From, Of: d.Ready.Of},
		{What: snapshot.InstanceEnds, Takes: d.End.Takes, Basis: d.End.From, Of: d.End.Of},
		{What: snapshot.PodStops, Takes: d.AnyPodStop.Takes, Basis: d.AnyPodStop.From, Of: d.AnyPodStop.Of},
		{What: snapshot.PodGetsReady, Takes: d.AnyPodReady.Takes, Basis: d.AnyPodReady.From, Of: d.AnyPodReady.Of},
	}
	if d.AnyPodStop.Guessed() {
		list[3].Note = text.ThirdOfGrace
	}
	if late := d.Late(); late > 0 {
		list = append(list, snapshot.Assumption{What: snapshot.InService, Takes: late, Basis: d.Serve.From, Of: d.Serve.Of})
	}
	if rest := d.pods - d.known; rest > 0 && !d.AnyPodReady.Guessed() {
		list[4].Note = text.OtherOwners(rest)
	}
	return list
}
