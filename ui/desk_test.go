package ui

import (
	"sync"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
)

// desk is what a person in a test has in common, at the dashboard or at the plain mode:
// a clock, the snapshots that come, the commands that go out, and how it was left.
type desk struct {
	t       *testing.T
	show    chan *engine.Snapshot
	sent    chan engine.Command
	left    chan Exit
	changed chan struct{} // of one: something was shown

	mu    sync.Mutex
	clock time.Time
}

// patience is how long a person waits for something that should happen at once.
const patience = 10 * time.Second

func newDesk(t *testing.T, snapshots int) *desk {
	return &desk{
		t: t, clock: at, show: make(chan *engine.Snapshot, snapshots),
		sent: make(chan engine.Command, 16), left: make(chan Exit, 1), changed: make(chan struct{}, 1),
	}
}

// options are those that every person has.
func (d *desk) options() Options {
	return Options{Snapshots: d.show, Send: func(c engine.Command) { d.sent <- c }, Now: d.now}
}

func (d *desk) now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.clock
}

// wait lets time pass on the local clock.
func (d *desk) wait(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clock = d.clock.Add(by)
}

func (d *desk) tellChanged() {
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

// got waits for a command.
func (d *desk) got(want engine.Command, seen func() string) {
	d.t.Helper()
	select {
	case c := <-d.sent:
		if c != want {
			d.t.Fatalf("sent %+v, want %+v", c, want)
		}
	case <-time.After(patience):
		d.t.Fatalf("no command was sent, want %+v\n%s", want, seen())
	}
}

// gotNothing checks that no command went out so far.
func (d *desk) gotNothing() {
	d.t.Helper()
	select {
	case c := <-d.sent:
		d.t.Fatalf("sent %+v, want nothing", c)
	default:
	}
}

// isLeft waits until it was left.
func (d *desk) isLeft(want Exit, seen func() string) {
	d.t.Helper()
	select {
	case got := <-d.left:
		if got != want {
			d.t.Fatalf("left as %q, want %q", got, want)
		}
	case <-time.After(patience):
		d.t.Fatalf("did not leave\n%s", seen())
	}
	d.left <- want
}
