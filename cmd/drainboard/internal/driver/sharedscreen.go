package driver

import (
	"context"
	"sync"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
)

// sharedScreen is where the runs of a roll sit behind one screen: it shows one of them at a time,
// and what the operator says goes to that one.
type sharedScreen struct {
	// snapshots are those of the run that is shown, each with the roll.
	snapshots chan *engine.Snapshot

	mu     sync.Mutex
	roll   roll.Roll
	seats  map[string]*screenRun       // of the runs that are under way, by group
	last   map[string]*engine.Snapshot // by group
	shown  string                      // the group that is, "" as long as none was
	closed bool
	// word is what was said of the whole roll, for a run that has begun and has no seat yet:
	// an abort, or a pause of one that is held; nil for neither.
	word *record.Command
}

// screenRun is where one run is driven from.
type screenRun struct {
	loop *live.Loop
	from *operator
	// paused: the operator has paused it, and not resumed it since.
	paused bool
}

func newSharedScreen(r roll.Roll) *sharedScreen {
	return &sharedScreen{snapshots: make(chan *engine.Snapshot, 1), roll: r, seats: map[string]*screenRun{}, last: map[string]*engine.Snapshot{}}
}

// sit drives a group's loop behind the screen.
func (t *sharedScreen) sit(ctx context.Context, group string, loop *live.Loop, run record.Run, from *operator) (record.Run, error) {
	loop.Publish = func(s *engine.Snapshot) {
		if from.see != nil {
			from.see(s)
		}
		t.publish(group, s)
	}
	t.mu.Lock()
	t.seats[group] = &screenRun{loop: loop, from: from}
	if t.word != nil {
		t.seats[group].paused = t.word.Kind == record.CmdPause
		from.send(loop, *t.word)
	}
	t.mu.Unlock()
	run, err := loop.Run(ctx, run)
	t.leave(group)
	return run, err
}

// leave takes a run that is no longer under way off the table: one that goes on side by
// side is shown in its place.
func (t *sharedScreen) leave(group string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.seats, group)
	if t.shown == group {
		t.next()
	}
}

// publish takes a snapshot of a group's run.
func (t *sharedScreen) publish(group string, s *engine.Snapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last[group] = s
	if t.seats[t.shown] == nil {
		t.shown = group
	}
	if t.shown == group {
		t.push()
	}
}

// decided takes the roll as it was decided on.
func (t *sharedScreen) decided(r roll.Roll) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.roll = r
	t.push()
}

// push shows the newest of the run that is shown; whoever holds mu calls it.
func (t *sharedScreen) push() {
	s := t.last[t.shown]
	if s == nil || t.closed {
		return
	}
	with, r := *s, t.roll // what was published is never changed
	r.Groups = append([]roll.Group(nil), r.Groups...)
	for i := range r.Groups {
		if g := &r.Groups[i]; g.State == roll.Running && t.last[g.Name] != nil {
			g.Run, g.Done, g.Total = t.last[g.Name].RunID, t.last[g.Name].Done, t.last[g.Name].Total
		}
	}
	with.Roll = &r
	select {
	case <-t.snapshots: // the newest only
	default:
	}
	t.snapshots <- &with
}

// turn shows the next of the runs that go side by side.
func (t *sharedScreen) turn() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next()
}

// next goes on to the next run in the order of the roll that has something to show, if
// there is one; whoever holds mu calls it.
func (t *sharedScreen) next() {
	at := 0
	for i, g := range t.roll.Groups {
		if g.Name == t.shown {
			at = i
		}
	}
	n := len(t.roll.Groups)
	for i := range n {
		if g := t.roll.Groups[(at+1+i)%n]; g.Name != t.shown && t.seats[g.Name] != nil && t.last[g.Name] != nil {
			t.shown = g.Name
			t.push()
			return
		}
	}
}

// saw reports whether anything was shown.
func (t *sharedScreen) saw() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.shown != ""
}

// close: there will be no more snapshots.
func (t *sharedScreen) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	close(t.snapshots)
}

// look tells the run that is shown what the operator looks at.
func (t *sharedScreen) look(at engine.Look) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.seats[t.shown]; p != nil {
		p.loop.Look(at)
	}
}

// send gives a command to the run that is shown; everyone gets it where it is for the roll.
func (t *sharedScreen) send(c record.Command, everyone bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if everyone {
		t.word = &c
	}
	for group, p := range t.seats {
		if everyone || group == t.shown {
			p.paused = c.Kind == record.CmdPause || p.paused && c.Kind != record.CmdResume
			p.from.send(p.loop, c)
		}
	}
}

// pause holds the roll: it pauses the runs that are under way and are not paused or ending
// already.
func (t *sharedScreen) pause(reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := record.Command{Kind: record.CmdPause, Reason: reason}
	if t.word == nil { // what is aborted stays so
		t.word = &c
	}
	for group, p := range t.seats {
		if s := t.last[group]; !p.paused && (s == nil || s.State == record.Running) {
			p.paused = true
			p.from.send(p.loop, c)
		}
	}
}
