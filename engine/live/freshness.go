package live

import (
	"cmp"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Reasons of warnings of the loop.
const (
	reasonOutOfSight = "out of sight"
	reasonInSight    = "in sight"
	reasonLockLost   = "lock lost"
	reasonLockHeld   = "lock held"
)

// stillTold is how often it is told again that a source, or the lock, is lost.
const stillTold = 5 * time.Minute

// freshness remembers what is out of sight, so that each loss and each return is
// told, and from time to time that it lasts: where nobody looks at a screen, a run that only
// waits must say why.
type freshness struct {
	lost map[world.Source]loss
	lock loss
	why  string // the lock was lost, as far as is known
}

// loss is since when something is lost, zero while it is not, and when that was told last.
type loss struct{ since, told time.Time }

// lookRound tells of sources that have become stale, or are fresh again. One
// that is stale and does not know why yet is given as much time again.
func (l *Loop) lookRound() {
	now := l.Clock.Now()
	for _, source := range l.run.Sources() {
		limit := l.run.Settings.ClusterMaxAge
		if source == world.Cloud {
			limit = l.run.Settings.CloudMaxAge
		}
		lost, known := l.freshness.lost[source]
		stale, why := l.World.Stale(source, now, limit), l.World.Health[source].Problem
		switch {
		case stale && !known && why == "" && !l.World.Stale(source, now, 2*limit):
		case stale && !known:
			if l.freshness.lost == nil {
				l.freshness.lost = map[world.Source]loss{}
			}
			l.freshness.lost[source] = loss{now, now}
			why = cmp.Or(why, text.NoAnswerFor(2*limit))
			l.warn(reasonOutOfSight, text.SourceLost(string(source), why))
		case stale && now.Sub(lost.told) >= stillTold:
			l.freshness.lost[source] = loss{lost.since, now}
			l.warn(reasonOutOfSight, text.SourceStillLost(string(source), now.Sub(lost.since), cmp.Or(why, text.NoAnswer)))
		case !stale && known:
			delete(l.freshness.lost, source)
			l.warn(reasonInSight, text.SourceBack(string(source), now.Sub(lost.since)))
		}
	}
}

// loseLock tells that the lock is lost, and why as far as is known.
func (l *Loop) loseLock() {
	now := l.Clock.Now()
	l.freshness.lock = loss{now, now}
	why := ""
	l.freshness.why = text.LockNotRenewed
	if problem := l.World.Health[l.run.Sources()[0]].Problem; problem != "" {
		why, l.freshness.why = problem, problem
	}
	l.warn(reasonLockLost, text.LockLost(why))
}

// stillLockless tells again that the lock is lost, unless a blind run tells more than that.
func (l *Loop) stillLockless() {
	if now, lost := l.Clock.Now(), &l.freshness.lock; l.run.Blindness == nil && now.Sub(lost.told) >= stillTold {
		lost.told = now
		l.warn(reasonLockLost, text.LockStillLost(now.Sub(lost.since), l.freshness.why))
	}
}

// refuse drops the commands that came while the lock is lost and that are about what
// the run does at that moment, and says so. The others are obeyed when it is back. Those
// from elsewhere are not ours to refuse: who gets the lock answers them, and they expire.
func (l *Loop) refuse() {
	l.in.Commands = slices.DeleteFunc(l.in.Commands, func(c record.Command) bool {
		if c.ID != "" {
			return false
		}
		if c.Kind.NeedsLock() {
			l.warn(reasonLockLost, text.CommandRefused(string(c.Kind), c.Node, "", record.WithoutLock))
		}
		return c.Kind.NeedsLock()
	})
}

// holdLock tells that the lock is held again.
func (l *Loop) holdLock() {
	away := l.Clock.Now().Sub(l.freshness.lock.since)
	l.freshness.lock = loss{}
	l.warn(reasonLockHeld, text.LockBack(away))
}

func (l *Loop) warn(reason, message string) {
	l.tell([]record.Event{{Time: l.Clock.Now(), Run: l.run.ID, Group: l.run.Group, Type: record.Warning, Reason: reason, Message: message}})
}
