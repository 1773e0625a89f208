package live

import (
	"context"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Followable is a strategy that follows an update by the group's own controller.
type Followable interface {
	engine.Strategy
	// Update is the controller's name for the update to follow, "" where there is none: one that
	// is under way, or that ended after a time.
	Update(w *world.World, after time.Time) string
	// Tells says what that update does.
	Tells(w *world.World) string
	// Followed is a run that follows it.
	Followed(w *world.World, id string, now time.Time) record.Run
}

// Roller is a strategy that follows rolls which a group's own controller begins by itself.
type Roller interface {
	engine.Strategy
	// Rolls is a run that would follow the roll which the controller is at, false where it is at none.
	Rolls(w *world.World, now time.Time) (record.Run, bool)
}

// foreseeRoll foresees a roll of a group without a run, and shows that.
func (w *Watch) foreseeRoll(ctx context.Context, s *snapshot.Snapshot, idle *record.Run, now time.Time) {
	if w.Roller == nil || w.Foresee == nil || w.World.Partial() {
		return
	}
	if replaced, total := idle.Outdated(); replaced == total {
		w.roll = record.Run{}
		return
	}
	if w.foreseer.awaits() {
		run, rolls := w.Roller.Rolls(w.World, now)
		if !rolls {
			w.roll = record.Run{}
			return
		}
		run.Foreseen = w.roll.Foreseen
		w.roll = run
		w.foreseer.foresees(ctx, w.Foresee(w.Roller), &w.running, w.World, now, run)
	}
	w.foreseer.foreshow(s, now, &w.roll)
}

// follow takes what follows an update one decision further, and begins to follow one. Nothing it
// decides is carried out: there is no executor, and what follows asks for nothing.
func (w *Watch) follow(now time.Time) {
	if w.Follow == nil || w.World.Partial() {
		return
	}
	w.tellManaged(now)
	if w.update.State != record.Running && w.update.State != record.Ending {
		update := w.Follow.Update(w.World, now.Add(-recently))
		if update == "" || update == w.update.Update {
			return
		}
		w.update = w.Follow.Followed(w.World, w.NewID(now), now)
		w.update.Cluster = w.Cluster
		if w.Began != nil {
			w.Began(w.update)
		}
		w.tell([]record.Event{{Time: now, Run: w.update.ID, Group: w.update.Group, Type: record.RunStarted, Reason: w.update.By, Message: systems.Follows(w.Follow.Tells(w.World), now.Sub(w.update.Started))}})
	}
	before := w.update
	d := engine.Decide(w.Follow, now, w.World, before, engine.Inputs{})
	w.update = d.Run
	if w.Decided != nil {
		w.Decided(before, d)
	}
	w.tell(d.Events)
}

// unreadFor is for how long what was read before may not be read again until that is told.
const unreadFor = 30 * time.Second

// tellManaged tells, once each, when EKS's updates cannot be read and when they can again, and that an
// update of the configuration is under way: until it is over no other one can start.
func (w *Watch) tellManaged(now time.Time) {
	m := w.World.Group.Managed
	if m == nil {
		return
	}
	if m.UpdatesUnread == "" {
		if w.unread.told {
			w.managed(now, systems.EKSUpdatesReadAgain)
		}
		w.unread = unread{}
	} else {
		if w.unread.since.IsZero() {
			w.unread.since = now
		}
		if !w.unread.told && (!m.UpdatesKnown || now.Sub(w.unread.since) >= unreadFor) {
			w.unread.told = true
			w.managed(now, systems.EKSUpdatesUnread(m.UpdatesUnread, m.UpdatesKnown))
		}
	}
	if u := m.Configuring(); u != nil && u.ID != w.configured {
		w.configured = u.ID
		w.managed(now, systems.EKSConfigures(u.ID, u.Status))
	}
}

// managed tells something of the node group.
func (w *Watch) managed(now time.Time, message string) {
	w.tell([]record.Event{{Time: now, Group: w.World.Group.Name, Run: w.update.ID, Type: record.Warning, Reason: record.ReasonEKS, Message: message}})
}

// unread is since when EKS's updates are not read, and whether that was told.
type unread struct {
	since time.Time
	told  bool
}

// shows reports whether what follows an update is what there is to see.
func (w *Watch) shows(now time.Time) bool {
	return w.update.ID != "" && (w.update.State != record.Finished || now.Sub(w.update.Finished) < recently)
}

// Followed is the run that follows an update, as it was decided on last. It may be called once
// Run has returned.
func (w *Watch) Followed() record.Run { return w.update }
