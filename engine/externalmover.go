package engine

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// shownMovers are rivals without what a run only keeps for itself, which changes all
// the time.
func shownMovers(list []record.ExternalMover) []record.ExternalMover {
	list = slices.Clone(list)
	for i := range list {
		list[i].Seen = time.Time{}
	}
	return list
}

// externalMovers lists who else moves nodes of the group now, as the world shows it. What cannot
// be seen now is as it was. The deferrals are the run's from now on, nil if the nodes cannot be seen.
func (s *Reader) externalMovers() (out []record.ExternalMover, deferrals map[string]record.Deferral) {
	add := func(fresh bool, ofNodes bool, find func() []record.ExternalMover) {
		if fresh {
			out = append(out, find()...)
			return
		}
		for _, r := range s.Run.ExternalMovers {
			if r.OfNodes() == ofNodes {
				out = append(out, r)
			}
		}
	}
	add(s.Fresh(world.Cloud), false, s.groupMovers)
	add(s.Fresh(world.Cloud) && s.Fresh(world.Cluster), true, func() (of []record.ExternalMover) {
		of, deferrals = s.nodeMovers()
		return of
	})
	for i := range out {
		r := &out[i]
		*r = r.Short()
		if !r.Since.IsZero() {
			continue
		}
		if old, known := s.knownMover(*r); known {
			r.Since = old.Since
		} else if r.Since.IsZero() && !s.Run.Started.IsZero() {
			r.Since = s.Now
		}
	}
	return out, deferrals
}

// knownMover finds what is known of a rival.
func (s *Reader) knownMover(r record.ExternalMover) (record.ExternalMover, bool) {
	if i := slices.IndexFunc(s.Run.ExternalMovers, r.Is); i >= 0 {
		return s.Run.ExternalMovers[i], true
	}
	return record.ExternalMover{}, false
}

// watchExternalMovers keeps the run's list of rivals, and tells who has come and who has gone.
func (s *Step) watchExternalMovers() {
	was := s.Run.ExternalMovers
	now, deferrals := s.externalMovers()
	over, come := record.MoverNews(was, now)
	for _, r := range over {
		s.Report(r.GoneEvent())
	}
	for _, r := range come {
		s.Report(r.AppearedEvent())
	}
	if !slices.EqualFunc(was, now, record.ExternalMover.Same) {
		s.changed = true
	}
	s.Run.ExternalMovers = now
	s.forgetMovers()
	if deferrals != nil {
		s.Run.Deferrals = deferrals
	}
}

// Opposed says which rival is at work that no run continues beside, or what else keeps one
// from touching the group, "" if nothing does.
func (s *Reader) Opposed() string {
	for _, r := range s.Run.ExternalMovers {
		if r.Handling == record.HandlingRefused {
			return r.Action() + ": " + r.WayOut
		}
	}
	if s.W.Group.Refused != "" && s.Fresh(world.Cloud) {
		return s.W.Group.Refused
	}
	return ""
}

// takenBy is who takes a node out of service, so that it is not drained meanwhile, "" if
// nobody does.
func (s *Reader) takenBy(node string) string { return s.takenNodes()[node] }

// takenNodes are the nodes that others take out of service, each with who does.
func (s *Reader) takenNodes() map[string]string {
	if s.theirs == nil {
		s.theirs = map[string]string{}
		for _, r := range s.Run.ExternalMovers {
			if r.Handling == record.HandlingWaited {
				for _, node := range r.Nodes {
					s.theirs[node] = r.Who
				}
			}
		}
	}
	return s.theirs
}

// forgetMovers forgets who takes which nodes, because the run's movers have changed.
func (s *Reader) forgetMovers() { s.theirs = nil }

// takenOut counts the nodes that others take out of service and that the run has yet to
// do something with.
func (s *Reader) takenOut() int {
	if len(s.takenNodes()) == 0 {
		return 0
	}
	count := 0
	for _, id := range s.In(record.Outdated, record.Queued, record.Ready, record.Surplus) {
		if s.takenBy(s.Run.Nodes[id].Name) != "" {
			count++
		}
	}
	return count
}

// slots is how many nodes more may be taken out of service. Those that others take out
// count like our own.
func (s *Reader) slots() int { return s.atOnce() - s.Unavailable() - s.takenOut() }

// noRoom says that only what others take out of service keeps the next drain from
// starting, "" if it is not so.
func (s *Reader) noRoom() string {
	if s.slots() > 0 || s.atOnce() <= s.Unavailable() {
		return ""
	}
	return s.waitsFor()
}

// waitsFor says which nodes are waited for, and who takes them out of service.
func (s *Reader) waitsFor() string {
	var parts []string
	for _, r := range s.Run.ExternalMovers {
		if r.Handling == record.HandlingWaited {
			parts = append(parts, r.Action())
		}
	}
	return text.WaitedFor(parts)
}
