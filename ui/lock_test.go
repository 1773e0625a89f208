package ui

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/uitest"
)

// A lost lock is on the screen with its reason; deadlines stand still, what needs the
// lock is refused, and the run may still be paused.
func TestALostLockIsSeen(t *testing.T) {
	s := uitest.Busy()
	s.LoseLock("no answer in time")
	p := sit(t, 120, 36, s)
	p.Expect("lost the lock of this run: no answer in time; no changes until it is held again", "11:42")
	p.Later(2 * time.Second).Press("f").Expect("cannot force now: the lock of this run is lost")
	p.Press("s").Expect("cannot skip now: the lock of this run is lost", "11:42")
	p.SentNothing()
	p.Press("p").Sent(record.Command{Kind: record.CmdPause})
	p.Show(uitest.Busy()).Gone("lost the lock of this run")
}

// What an alarm says last is what follows from it: one that does not fit has a second
// line on a wide screen too.
func TestALongAlarmIsSeenWhole(t *testing.T) {
	s := uitest.Busy()
	s.LoseLock("https://0123456789abcdef.gr7.eu-west-1.eks.amazonaws.com (context prod-eu-1) does not answer: check the network and the VPN")
	sit(t, 140, 40, s).Expect("lost the lock of this run: https://0123456789abcdef", "until it is held again")
}

// That the run record cannot be written is on the screen with the reason, commands that need
// it are refused, and countdowns stand still.
func TestRecordUnwritten(t *testing.T) {
	s := uitest.Busy()
	s.LoseRecord("this user may not update configmaps", uitest.Moment.Add(-42*time.Second))
	p := sit(t, 160, 40, s)
	p.Expect("the run record cannot be written for 42 s: nothing new starts. this user may not update configmaps")
	p.Press("f").Expect("cannot force now: the run record cannot be written")
	p.Show(uitest.Busy()).Gone("the run record cannot be written for")
}
