package realtime

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/podlog"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/world"
)

// Paces of a World.
const (
	pulse = 20 * time.Millisecond  // how often the world moves
	step  = time.Second            // of the world's time at most in one move
	doze  = 100 * time.Millisecond // a driver that has not looked for so long does not look
	catch = 5 * pulse              // what is made up for after a pause: no more
)

// World lets a Sim move with the wall clock, some times as fast, so that
// engine/live's loop drives it as it drives a real cluster: it is its Feed,
// Executor and Clock, and a Store and a Lock that keep nothing.
//
// Its time is the Sim's. A machine that cannot keep up makes it slower: the world
// waits until the driver has seen the last move.
type World struct {
	// Heard is called with what others did, on the goroutine of the driver's loop;
	// nil for nobody.
	Heard func(at time.Time, what string)

	speed float64

	mu      sync.Mutex // guards the Sim
	sim     *sim.Sim
	changes []live.Change // of the View, since the last move
}

var (
	_ live.Feed     = (*World)(nil)
	_ live.Executor = (*World)(nil)
	_ live.Store    = (*World)(nil)
	_ live.Lock     = (*World)(nil)
	_ live.Clock    = (*World)(nil)
)

// New takes a Sim over; speed is how many of its seconds pass in a real one.
func New(s *sim.Sim, speed float64) *World {
	w := &World{speed: speed, sim: s}
	s.Tell(func(change func(*world.World)) { w.changes = append(w.changes, change) })
	return w
}

// Run moves the world until ctx ends. Every move tells the driver how fresh its
// sources are, and so wakes it: its own timers count real seconds.
func (w *World) Run(ctx context.Context, post func(live.Change)) error {
	w.mu.Lock()
	all := picture(w.sim)
	w.mu.Unlock()
	post(all)
	tick := time.NewTicker(pulse)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		now := time.Now()
		due := time.Duration(float64(min(now.Sub(last), catch)) * w.speed)
		for last = now; due > 0 && ctx.Err() == nil; due -= step {
			change := w.move(min(due, step))
			seen := make(chan struct{})
			post(func(to *world.World) {
				change(to)
				close(seen)
			})
			select {
			case <-seen:
			case <-time.After(doze):
				due = 0
			case <-ctx.Done():
			}
		}
	}
}

// move lets the world continue, and returns what the driver sees of that.
func (w *World) move(by time.Duration) live.Change {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.sim
	s.Advance(s.Now().Add(by))
	s.Health()
	changes, cluster, cloud := w.changes, s.View.Health[world.Cluster], s.View.Health[world.Cloud]
	now, news := s.Now(), s.Heard()
	w.changes = nil
	return func(to *world.World) {
		for _, change := range changes {
			change(to)
		}
		for _, what := range news {
			if w.Heard != nil {
				w.Heard(now, what)
			}
		}
		to.SetHealth(world.Cluster, cluster)
		to.SetHealth(world.Cloud, cloud)
	}
}

// picture is the View as a change that makes another one like it.
func picture(s *sim.Sim) live.Change {
	v := s.View
	machines, group, fill := v.Machines(), v.Group, s.ClusterOf(v)
	cluster, cloud := v.Health[world.Cluster], v.Health[world.Cloud]
	return func(to *world.World) {
		to.SetGroup(group)
		to.KeepMachines(machines)
		fill(to)
		to.SetHealth(world.Cluster, cluster)
		to.SetHealth(world.Cloud, cloud)
	}
}

// Do carries out an action: it arrives after half its latency, and its answer
// after the other half, in the world's time.
func (w *World) Do(ctx context.Context, a record.Action) record.Outcome {
	answer := make(chan record.Outcome, 1)
	w.mu.Lock()
	w.sim.Send(a, func(o record.Outcome) { answer <- o })
	w.mu.Unlock()
	select {
	case o := <-answer:
		return o
	case <-ctx.Done():
		return record.Outcome{Key: a.Key, At: w.Now(), Verdict: record.Unknown, Message: context.Cause(ctx).Error()}
	}
}

// Now is the world's time.
func (w *World) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sim.Now()
}

// Skew is zero: there is one clock.
func (w *World) Skew() time.Duration { return 0 }

// Save keeps nothing: the run ends with its process.
func (w *World) Save(context.Context, record.Run) error { return nil }

// Lost is never closed: nobody else can get here.
func (w *World) Lost() <-chan struct{} { return nil }

// Sure is always so.
func (w *World) Sure() bool { return true }

// Regain never has to.
func (w *World) Regain(context.Context) (record.Run, error) { return record.Run{}, live.ErrLost }

// Scale lets another user change how many pods a workload wants, and returns how
// many that are then.
func (w *World) Scale(name string, to func(replicas int) int) (replicas int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, known := range w.sim.Workloads() {
		if known.Name == name {
			replicas = max(0, to(known.Replicas))
			return replicas, w.sim.Scale(name, replicas)
		}
	}
	return 0, fmt.Errorf("there is no workload %q", name)
}

// Log is the end of a pod's log, as a program may write it that runs there.
func (w *World) Log(_ context.Context, of podlog.Pod) (podlog.Log, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.sim.AllPods() {
		if p.Ref() == of.Ref() && (of.UID == "" || of.UID == p.UID) {
			return w.sim.LogOf(p)
		}
	}
	return podlog.Log{}, podlog.ErrGone
}
