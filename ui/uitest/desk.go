package uitest

import (
	"sync"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// Desk is what a person in a test has in common, at the dashboard or at the plain mode:
// a clock, the snapshots that come, the commands that go out, and how it was left.
type Desk struct {
	T         *testing.T
	Snapshots chan *snapshot.Snapshot
	Commands  chan record.Command
	LeftAs    chan string
	Changed   chan struct{} // of one: something was shown

	Mu    sync.Mutex
	clock time.Time
}

// Patience is how long a person waits for something that should happen at once.
const Patience = 10 * time.Second

func NewDesk(t *testing.T, snapshots int) *Desk {
	return &Desk{
		T: t, clock: Moment, Snapshots: make(chan *snapshot.Snapshot, snapshots),
		Commands: make(chan record.Command, 16), LeftAs: make(chan string, 1), Changed: make(chan struct{}, 1),
	}
}

func (d *Desk) Now() time.Time {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	return d.clock
}

// Pass lets time pass on the local clock.
func (d *Desk) Pass(by time.Duration) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	d.clock = d.clock.Add(by)
}

func (d *Desk) TellChanged() {
	select {
	case d.Changed <- struct{}{}:
	default:
	}
}

// Gets waits for a command.
func (d *Desk) Gets(want record.Command, seen func() string) {
	d.T.Helper()
	select {
	case c := <-d.Commands:
		if c != want {
			d.T.Fatalf("sent %+v, want %+v", c, want)
		}
	case <-time.After(Patience):
		d.T.Fatalf("no command was sent, want %+v\n%s", want, seen())
	}
}

// GetsNothing checks that no command went out so far.
func (d *Desk) GetsNothing() {
	d.T.Helper()
	select {
	case c := <-d.Commands:
		d.T.Fatalf("sent %+v, want nothing", c)
	default:
	}
}

// IsLeft waits until it was left.
func (d *Desk) IsLeft(want string, seen func() string) {
	d.T.Helper()
	select {
	case got := <-d.LeftAs:
		if got != want {
			d.T.Fatalf("left as %q, want %q", got, want)
		}
	case <-time.After(Patience):
		d.T.Fatalf("did not leave\n%s", seen())
	}
	d.LeftAs <- want
}
