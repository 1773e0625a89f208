package live

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// fromElsewhere is a pause that a user at another machine gives.
func fromElsewhere(id string) record.Command {
	now := time.Now()
	return record.Command{Kind: record.CmdPause, ID: id, Run: "run-1", By: "bob@ops", At: now, Expires: now.Add(time.Minute)}
}

// A command from elsewhere is answered when the record says that it was obeyed, and
// not before; and it is obeyed once however often that is tried.
func TestLoopAcknowledgesWhatIsSaved(t *testing.T) {
	b := newBench(t)
	b.failed = 2
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	paused := 0
	b.Loop.Events = func(list []record.Event) {
		for _, e := range list {
			if e.Type == record.RunPaused {
				paused++
			}
		}
	}
	var acks []record.Ack
	b.Loop.Acknowledge = func(list []record.Ack) {
		acks = append(acks, list...)
		if steps := b.seen(); !slices.Equal(steps, []string{"save", "save", "save"}) || b.record.State != record.Paused || len(b.record.HandledCommands) != 1 {
			t.Errorf("answered after %v; the record says %s, taken %v", steps, b.record.State, b.record.HandledCommands)
		}
		stop()
	}
	b.Send(fromElsewhere("p1"))
	if _, err := b.Run(ctx, b.planned()); err != nil {
		t.Fatal(err)
	}
	if len(acks) != 1 || acks[0].ID != "p1" || !acks[0].Accepted || paused != 1 {
		t.Errorf("acks %+v, paused %d times", acks, paused)
	}
}

// While the lock is lost a command from elsewhere is neither obeyed nor refused: when
// it is back it is looked at, and when another process has it, it is for that one to answer.
func TestLoopWithoutTheLockAnswersNobody(t *testing.T) {
	for _, back := range []bool{true, false} {
		b := newBench(t)
		ctx, stop := context.WithCancel(t.Context())
		lock := held{b, make(chan struct{})}
		b.Lock, b.record = lock, b.planned()
		if !back {
			b.regain = ErrLost
		}
		close(b.lost)
		var acks []record.Ack
		b.Loop.Acknowledge = func(list []record.Ack) {
			acks = append(acks, list...)
			stop()
		}
		approve := fromElsewhere("a1")
		approve.Kind = record.CmdApprove
		b.Send(approve)
		heard := make(chan struct{})
		b.Loop.Publish = func(*snapshot.Snapshot) {
			select {
			case <-heard:
			default:
				close(heard)
			}
		}
		go func() {
			<-heard
			b.Queue.changes <- func(*world.World) { close(lock.back) } // another round without the lock
		}()
		_, err := b.Run(ctx, b.planned())
		stop()
		switch {
		case back && (err != nil || len(acks) != 1 || acks[0].Accepted || acks[0].Answer != "approve not possible now: nothing waits for approval"):
			t.Errorf("with the lock: %v, acks %+v", err, acks)
		case !back && (!errors.Is(err, ErrLost) || len(acks) > 0):
			t.Errorf("without: %v, acks %+v", err, acks)
		}
	}
}
