package driver

import (
	"context"
	"sync"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// sharedScreen lets the runs of a roll share one dashboard: it shows one of them at a time,
// which gets the operator's commands.
type sharedScreen struct {
	// snapshots are those of the displayed run, each with the roll.
	snapshots chan *snapshot.Snapshot

	mu     sync.Mutex
	roll   roll.Roll
	runs   map[string]*screenRun         // the runs in progress, by group
	last   map[string]*snapshot.Snapshot // by group
	shown  string                        // the displayed group, "" before the first
	closed bool
	// word is a command for the whole roll, for runs that have begun and are not here yet:
	// an abort, or a pause while the roll is held; nil for none.
	word *record.Command
}

// screenRun is one run behind the dashboard.
type screenRun struct {
	loop *live.Loop
	from *operator
	// paused: the operator has paused it, and not resumed it since.
	paused bool
}

func newSharedScreen(r roll.Roll) *sharedScreen {
	return &sharedScreen{snapshots: make(chan *snapshot.Snapshot, 1), roll: r, runs: map[string]*screenRun{}, last: map[string]*snapshot.Snapshot{}}
}

// drive drives a group's loop behind the dashboard.
func (sc *sharedScreen) drive(ctx context.Context, group string, loop *live.Loop, run record.Run, from *operator) (record.Run, error) {
	loop.Publish = func(s *snapshot.Snapshot) {
		if from.see != nil {
			from.see(s)
		}
		sc.publish(group, s)
	}
	sc.mu.Lock()
	sc.runs[group] = &screenRun{loop: loop, from: from}
	if sc.word != nil {
		sc.runs[group].paused = sc.word.Kind == record.CmdPause
		from.send(loop, *sc.word)
	}
	sc.mu.Unlock()
	run, err := loop.Run(ctx, run)
	sc.leave(group)
	return run, err
}

// leave takes a run that has ended off the dashboard, which then shows another one in
// progress.
func (sc *sharedScreen) leave(group string) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	delete(sc.runs, group)
	if sc.shown == group {
		sc.next()
	}
}

// publish takes a snapshot of a group's run.
func (sc *sharedScreen) publish(group string, s *snapshot.Snapshot) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	sc.last[group] = s
	if sc.runs[sc.shown] == nil {
		sc.shown = group
	}
	if sc.shown == group {
		sc.push()
	}
}

// decided takes a new decision on the roll.
func (sc *sharedScreen) decided(r roll.Roll) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	sc.roll = r
	sc.push()
}

// push shows the newest snapshot of the displayed run. The caller holds mu.
func (sc *sharedScreen) push() {
	s := sc.last[sc.shown]
	if s == nil || sc.closed {
		return
	}
	with, r := *s, sc.roll // a published snapshot is never changed
	r.Groups = append([]roll.Group(nil), r.Groups...)
	for i := range r.Groups {
		if g := &r.Groups[i]; g.State == roll.Running && sc.last[g.Name] != nil {
			g.Run, g.Done, g.Total = sc.last[g.Name].RunID, sc.last[g.Name].Done, sc.last[g.Name].Total
		}
	}
	with.Roll = &r
	select {
	case <-sc.snapshots: // the newest only
	default:
	}
	sc.snapshots <- &with
}

// turn shows the next of the runs in progress.
func (sc *sharedScreen) turn() {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	sc.next()
}

// next switches to the next run in the order of the roll that has a snapshot, if there is
// one. The caller holds mu.
func (sc *sharedScreen) next() {
	at := 0
	for i, g := range sc.roll.Groups {
		if g.Name == sc.shown {
			at = i
		}
	}
	n := len(sc.roll.Groups)
	for i := range n {
		if g := sc.roll.Groups[(at+1+i)%n]; g.Name != sc.shown && sc.runs[g.Name] != nil && sc.last[g.Name] != nil {
			sc.shown = g.Name
			sc.push()
			return
		}
	}
}

// saw reports whether anything was shown.
func (sc *sharedScreen) saw() bool {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	return sc.shown != ""
}

// close: there will be no more snapshots.
func (sc *sharedScreen) close() {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	sc.closed = true
	close(sc.snapshots)
}

// look passes the operator's selection to the displayed run.
func (sc *sharedScreen) look(at snapshot.Look) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if p := sc.runs[sc.shown]; p != nil {
		p.loop.Look(at)
	}
}

// send passes a command to the displayed run, or to all runs if it is for the roll.
func (sc *sharedScreen) send(c record.Command, everyone bool) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if everyone {
		sc.word = &c
	}
	for group, p := range sc.runs {
		if everyone || group == sc.shown {
			p.paused = c.Kind == record.CmdPause || p.paused && c.Kind != record.CmdResume
			p.from.send(p.loop, c)
		}
	}
}

// pause holds the roll: it pauses the runs in progress that are neither paused nor ending.
func (sc *sharedScreen) pause(reason string) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	c := record.Command{Kind: record.CmdPause, Reason: reason}
	if sc.word == nil { // an abort takes precedence
		sc.word = &c
	}
	for group, p := range sc.runs {
		if s := sc.last[group]; !p.paused && (s == nil || s.State == record.Running) {
			p.paused = true
			p.from.send(p.loop, c)
		}
	}
}
