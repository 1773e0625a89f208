package ui

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
)

// A lost lock is on the screen with its reason; deadlines stand still, what needs the
// lock is refused, and the run may still be paused.
func TestALostLockIsSeen(t *testing.T) {
	s := busy()
	s.LoseLock("no answer in time")
	p := sit(t, 120, 36, s)
	p.Expect("the lock of this run is lost: no answer in time; nothing is done until it is back", "11:42")
	p.Later(2 * time.Second).Press("f").Expect("cannot force now: the lock of this run is lost")
	p.Press("s").Expect("cannot skip now: the lock of this run is lost", "11:42")
	p.SentNothing()
	p.Press("p").Sent(engine.Command{Kind: engine.CmdPause})
	p.Show(busy()).Gone("the lock of this run is lost")
}
