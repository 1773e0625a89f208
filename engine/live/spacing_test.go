package live

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// large is a strategy whose decisions and snapshots take as long as those of a large group.
type large struct{ suspendOnce }

const (
	largeDecision = 2 * time.Millisecond
	largeView     = 12 * time.Millisecond
)

func (large) Step(*engine.Step) { time.Sleep(largeDecision) }

func (l large) Abilities() []record.Ability {
	time.Sleep(largeView)
	return l.suspendOnce.Abilities()
}

// Changes of a large group that come all the time are decided on and shown together: the loop rests
// most of the time. A command is decided on at once, and shown with the next tick.
func TestLoopRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.Rules = large{}
		decisions, views := 0, 0
		var paused, shown time.Time
		b.Took = func(time.Duration) { decisions++ }
		b.Decided = func(_ record.Run, d engine.Decision) {
			if paused.IsZero() && d.Run.State == record.Paused {
				paused = time.Now()
			}
		}
		b.Publish = func(s *snapshot.Snapshot) {
			if views++; shown.IsZero() && s.State == record.Paused {
				shown = time.Now()
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, err := b.Run(ctx, b.planned())
			ended <- err
		}()
		change := func(span time.Duration) {
			for end := time.Now().Add(span); time.Now().Before(end); time.Sleep(time.Millisecond) {
				b.Queue.changes <- func(*world.World) {}
			}
		}
		const span = 10 * time.Second
		change(span)
		if most := int(span / (largeDecision * decideShare)); decisions > most+1 || decisions < most/2 {
			t.Errorf("%d decisions in %s, at most %d", decisions, span, most)
		}
		if most := int(span / (3 * publishEvery)); views > most+1 || views < most/2 {
			t.Errorf("%d snapshots in %s, at most %d", views, span, most)
		}
		asked := time.Now()
		b.Send(record.Command{Kind: record.CmdPause, By: "ann@laptop"})
		change(time.Second)
		if late := paused.Sub(asked); late < 0 || late > 2*largeDecision+2*largeView {
			t.Errorf("a command is decided on after %s", late)
		}
		if late := shown.Sub(asked); late < 0 || late > publishEvery+2*largeDecision+2*largeView {
			t.Errorf("a command is shown after %s", late)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
