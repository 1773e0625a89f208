package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// RivalKind says what somebody else does who moves nodes of the group, or changes it.
type RivalKind string

// Kinds of rivals; docs/rivals.md has a line for each.
const (
	RivalRefresh    RivalKind = "instance refresh"
	RivalTemplate   RivalKind = "template"
	RivalRebalance  RivalKind = "rebalancing"
	RivalUnhealthy  RivalKind = "unhealthy machine"
	RivalPolicy     RivalKind = "scaling policy"
	RivalSchedule   RivalKind = "scheduled action"
	RivalAutoscaler RivalKind = "autoscaler"
	RivalRoll       RivalKind = "roll"        // another tool replaces nodes to update them
	RivalDrain      RivalKind = "drain"       // somebody takes single nodes out of service
	RivalCordon     RivalKind = "cordon"      // somebody has cordoned nodes, and no more
	RivalMark       RivalKind = "mark"        // a tool has announced, or given up, to move nodes
	RivalRepair     RivalKind = "node repair" // nodes look unhealthy to whoever repairs them
)

// Handling is what a run does about a rival.
type Handling string

// Ways to handle a rival.
const (
	RivalRefused   Handling = "refused"    // no run starts beside it, and one that goes on pauses
	RivalSuspended Handling = "suspended"  // it is kept from acting, and acts again after the run
	RivalWaited    Handling = "waited for" // its nodes are not drained meanwhile, and count as out of service
	RivalLeft      Handling = "left alone"
	RivalWarned    Handling = "warned of" // it may do harm, and nothing keeps it from that
)

// Rival is somebody else who moves nodes of the group, or may, while a run does.
type Rival struct {
	Kind RivalKind `json:"kind"`
	// Who it is, under the name that people know; Does what it does, so that both make a
	// sentence.
	Who  string `json:"who"`
	Does string `json:"does"`
	// Since is when it began, or was first seen; zero in a plan that cannot know.
	Since time.Time `json:"since,omitzero"`
	// Nodes are the names of those that it is about; none means the group. Of those that
	// are not waited for it is the first few, and More is how many there are beside them.
	Nodes []string `json:"nodes,omitempty"`
	More  int      `json:"more,omitempty"`
	// Mark is what tells of it on the first of these, as kubectl shows it.
	Mark string `json:"mark,omitempty"`
	// Acts: it is at work now. The others may be at any time.
	Acts     bool     `json:"acts,omitempty"`
	Handling Handling `json:"handling"`
	// How says what that means here; WayOut what the operator can do, with the command
	// where there is one, "" where nothing is to be done.
	How    string `json:"how"`
	WayOut string `json:"wayOut,omitempty"`
	// Seen is when a process was last seen suspended.
	Seen time.Time `json:"seen,omitzero"`
}

// shownRivals are rivals without what a run only keeps for itself, which changes all
// the time.
func shownRivals(list []Rival) []Rival {
	list = slices.Clone(list)
	for i := range list {
		list[i].Seen = time.Time{}
	}
	return list
}

// Sentence says who does what, on which nodes, and how it is handled.
func (r Rival) Sentence() string { return r.Deed() + ": " + r.How }

// Deed says who does what, on which nodes.
func (r Rival) Deed() string {
	s := r.Who + " " + r.Does
	if len(r.Nodes) > 0 {
		s += " " + andMore(r.Nodes, fewest, r.More)
	}
	if r.Mark != "" {
		s += " (" + r.Mark + ")"
	}
	return s
}

// is reports whether two are the same rival, at two times.
func (r Rival) is(other Rival) bool {
	return r.Kind == other.Kind && r.Who == other.Who && r.Handling == other.Handling
}

// still reports whether another is what has become of this one: the same, or handled in
// another way by now.
func (r Rival) still(other Rival) bool { return r.Kind == other.Kind && r.Who == other.Who }

// same reports whether nothing has changed that is worth a record.
func (r Rival) same(other Rival) bool {
	return r.is(other) && r.Does == other.Does && slices.Equal(r.Nodes, other.Nodes) && r.More == other.More && r.Mark == other.Mark &&
		r.Acts == other.Acts && r.Handling == other.Handling && r.Since.Equal(other.Since)
}

// fewest is how many names a sentence lists.
const fewest = 5

// few lists names, the first of many.
func few(names []string) string { return andMore(names, fewest, 0) }

// andMore lists the first names, and says how many there are beside these: more than the
// list has, too.
func andMore(names []string, first, more int) string {
	if len(names) > first {
		names, more = names[:first], more+len(names)-first
	}
	list := strings.Join(names, ", ")
	if more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// short is a rival whose nodes need not all be known.
func (r Rival) short() Rival {
	if more := len(r.Nodes) - fewest; more > 0 && r.Handling != RivalWaited {
		r.Nodes, r.More = slices.Clone(r.Nodes[:fewest]), more
	}
	return r
}

// rivals lists who else moves nodes of the group now, as the world shows it. What cannot
// be seen now is as it was.
func (s *Step) rivals() []Rival {
	var out []Rival
	add := func(fresh bool, ofNodes bool, find func() []Rival) {
		if fresh {
			out = append(out, find()...)
			return
		}
		for _, r := range s.Run.Rivals {
			if r.ofNodes() == ofNodes {
				out = append(out, r)
			}
		}
	}
	add(s.Fresh(world.Cloud), false, s.groupRivals)
	add(s.Fresh(world.Cloud) && s.Fresh(world.Cluster), true, s.nodeRivals)
	for i := range out {
		r := &out[i]
		*r = r.short()
		if !r.Since.IsZero() {
			continue
		}
		if old, known := s.rival(*r); known {
			r.Since = old.Since
		} else if r.Since.IsZero() && !s.Run.Started.IsZero() {
			r.Since = s.Now
		}
	}
	return out
}

// ofNodes reports whether the cluster's nodes tell of such a rival, rather than the cloud.
func (r Rival) ofNodes() bool {
	switch r.Kind {
	case RivalRoll, RivalDrain, RivalCordon, RivalMark, RivalRepair:
		return true
	}
	return false
}

// rival finds what is known of a rival.
func (s *Step) rival(r Rival) (Rival, bool) {
	if i := slices.IndexFunc(s.Run.Rivals, r.is); i >= 0 {
		return s.Run.Rivals[i], true
	}
	return Rival{}, false
}

// rivalNews compares what was known of rivals with what is: those that are over, and those
// that have come; of one that was there the nodes that are waited for by now as well.
// Processes are told of when they are suspended.
func rivalNews(was, is []Rival) (over, come []Rival) {
	for _, old := range was {
		if old.Handling != RivalSuspended && !slices.ContainsFunc(is, old.still) {
			over = append(over, old)
		}
	}
	for _, r := range is {
		i := slices.IndexFunc(was, r.is)
		switch {
		case r.Handling == RivalSuspended:
			continue
		case i < 0:
		case r.Handling == RivalWaited:
			r.Nodes = slices.DeleteFunc(slices.Clone(r.Nodes), func(n string) bool { return slices.Contains(was[i].Nodes, n) })
			if len(r.Nodes) == 0 {
				continue
			}
		default:
			continue
		}
		come = append(come, r)
	}
	return over, come
}

// overEvent and cameEvent tell of them.
func (r Rival) overEvent() Event {
	return Event{Type: Warning, Reason: "rival gone", Message: "over: " + r.Deed()}
}

func (r Rival) cameEvent() Event {
	e := Event{Type: Warning, Reason: "rival", Message: r.Sentence()}
	if len(r.Nodes) == 1 && r.More == 0 {
		e.Node = r.Nodes[0]
	}
	return e
}

// watchRivals keeps the run's list of rivals, and tells who has come and who has gone.
func (s *Step) watchRivals() {
	now, was := s.rivals(), s.Run.Rivals
	over, come := rivalNews(was, now)
	for _, r := range over {
		s.Report(r.overEvent())
	}
	for _, r := range come {
		s.Report(r.cameEvent())
	}
	if !slices.EqualFunc(was, now, Rival.same) {
		s.changed = true
	}
	s.Run.Rivals, s.theirs = now, nil
}

// Opposed says which rival is at work that no run goes on beside, or what else keeps one
// from touching the group, "" if nothing does.
func (s *Step) Opposed() string {
	for _, r := range s.Run.Rivals {
		if r.Handling == RivalRefused {
			return r.Deed() + ": " + r.WayOut
		}
	}
	if s.W.Group.Refused != "" && s.Fresh(world.Cloud) {
		return s.W.Group.Refused
	}
	return ""
}

// takenBy is who takes a node out of service, so that it is not drained meanwhile, "" if
// nobody does.
func (s *Step) takenBy(node string) string { return s.takenNodes()[node] }

// takenNodes are the nodes that others take out of service, each with who does.
func (s *Step) takenNodes() map[string]string {
	if s.theirs == nil {
		s.theirs = map[string]string{}
		for _, r := range s.Run.Rivals {
			if r.Handling == RivalWaited {
				for _, node := range r.Nodes {
					s.theirs[node] = r.Who
				}
			}
		}
	}
	return s.theirs
}

// takenOut counts the nodes that others take out of service and that the run has yet to
// do something with.
func (s *Step) takenOut() int {
	if len(s.takenNodes()) == 0 {
		return 0
	}
	count := 0
	for _, id := range s.In(Outdated, Queued, Ready, Surplus) {
		if s.takenBy(s.Run.Nodes[id].Name) != "" {
			count++
		}
	}
	return count
}

// slots is how many nodes more may be taken out of service. Those that others take out
// count like our own.
func (s *Step) slots() int { return s.atOnce() - s.Unavailable() - s.takenOut() }

// crowded says that only what others take out of service keeps the next drain from
// starting, "" if it is not so.
func (s *Step) crowded() string {
	if s.slots() > 0 || s.atOnce() <= s.Unavailable() {
		return ""
	}
	return s.waitsFor()
}

// waitsFor says which nodes are waited for, and who takes them out of service.
func (s *Step) waitsFor() string {
	var parts []string
	for _, r := range s.Run.Rivals {
		if r.Handling == RivalWaited {
			parts = append(parts, r.Deed())
		}
	}
	return strings.Join(parts, "; ") + ": waited for"
}
