package live

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// The end of a run gets into its record although the API fails for half a minute.
func TestLoopWritesTheEndDownAllTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.Loop.Events = func(list []record.Event) {
			for _, e := range list {
				switch e.Type {
				case record.RunFinished:
					b.mu.Lock()
					b.failed = 30
					b.mu.Unlock()
				case record.Warning:
					if e.Reason != "record unwritten" && e.Reason != "record written" {
						t.Error(e.Message)
					}
				}
			}
		}
		if r, err := b.Run(t.Context(), b.planned()); err != nil || r.Result != record.Succeeded {
			t.Fatalf("ended %s: %v", r.Result, err)
		}
		if b.failed != 0 || b.record.State != record.Finished {
			t.Errorf("%d writes are still to fail, and the record says %s", b.failed, b.record.State)
		}
	})
}

// Who leaves while the API fails now and then leaves a record that knows it.
func TestLoopWritesDownThatItIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.hold = make(chan struct{})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		left := false
		b.Loop.Publish = func(s *snapshot.Snapshot) {
			if s.State == record.Running && count(b.seen(), "suspend") == 1 && !left {
				left = true
				b.mu.Lock()
				b.failed = 3
				b.mu.Unlock()
				b.Send(record.Command{Kind: record.CmdPause, By: "ann@laptop"})
				stop()
				close(b.hold)
			}
		}
		if r, err := b.Run(ctx, b.planned()); err != nil || r.State != record.Paused {
			t.Fatalf("left as %s: %v", r.State, err)
		}
		if b.failed != 0 || b.record.State != record.Paused {
			t.Errorf("%d writes are still to fail, and the record says %s", b.failed, b.record.State)
		}
	})
}

// suspendInTurn asks for each process when the one before was answered, whatever is seen.
type suspendInTurn struct{ suspendOnce }

func (suspendInTurn) Step(s *engine.Step) {
	s.Enter("only")
	for _, process := range wanted {
		s.SuspendProcess(process)
		if s.Run.Pending["suspend/"+process].Accepted.IsZero() {
			return
		}
	}
}

// Who leaves records nothing as asked for that it does not ask for any more.
func TestLoopRecordsNoActionAsItLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.Rules = suspendInTurn{}
		b.hold = make(chan struct{})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		left := false
		b.Loop.Publish = func(*snapshot.Snapshot) {
			if count(b.seen(), "suspend") == 1 && !left {
				left = true
				stop()
				close(b.hold)
			}
		}
		r, err := b.Run(ctx, b.planned())
		if err != nil || r.State != record.Running || count(b.seen(), "suspend") != 1 {
			t.Fatalf("left as %s after %v: %v", r.State, b.seen(), err)
		}
		for key := range b.record.Pending {
			if key != "suspend/"+wanted[0] {
				t.Errorf("the record has %s as asked for", key)
			}
		}
	})
}
