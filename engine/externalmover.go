package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// ExternalKind says what somebody else does who moves nodes of the group, or changes it.
type ExternalKind string

// Kinds of rivals; docs/rivals.md has a line for each.
const (
	ExternalRefresh    ExternalKind = "instance refresh"
	ExternalTemplate   ExternalKind = "template"
	ExternalRebalance  ExternalKind = "rebalancing"
	ExternalUnhealthy  ExternalKind = "unhealthy machine"
	ExternalPolicy     ExternalKind = "scaling policy"
	ExternalSchedule   ExternalKind = "scheduled action"
	ExternalAutoscaler ExternalKind = "autoscaler"
	ExternalRoll       ExternalKind = "roll"        // another tool replaces nodes to update them
	ExternalDrain      ExternalKind = "drain"       // somebody takes single nodes out of service
	ExternalCordon     ExternalKind = "cordon"      // somebody has cordoned nodes, and no more
	ExternalMark       ExternalKind = "mark"        // a tool has announced, or given up, to move nodes
	ExternalRepair     ExternalKind = "node repair" // nodes look unhealthy to whoever repairs them
)

// Handling is what a run does about a rival.
type Handling string

// Ways to handle a rival.
const (
	HandlingRefused   Handling = "refused"    // no run starts beside it, and one that goes on pauses
	HandlingSuspended Handling = "suspended"  // it is kept from acting, and acts again after the run
	HandlingWaited    Handling = "waited for" // its nodes are not drained meanwhile, and count as out of service
	HandlingLeft      Handling = "left alone"
	HandlingWarned    Handling = "warned of" // it may do harm, and nothing keeps it from that
)

// ExternalMover is somebody else who moves nodes of the group, or may, while a run does.
type ExternalMover struct {
	Kind ExternalKind `json:"kind"`
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

// shownMovers are rivals without what a run only keeps for itself, which changes all
// the time.
func shownMovers(list []ExternalMover) []ExternalMover {
	list = slices.Clone(list)
	for i := range list {
		list[i].Seen = time.Time{}
	}
	return list
}

// Sentence says who does what, on which nodes, and how it is handled.
func (r ExternalMover) Sentence() string { return r.Action() + ": " + r.How }

// Action says who does what, on which nodes.
func (r ExternalMover) Action() string {
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
func (r ExternalMover) is(other ExternalMover) bool {
	return r.Kind == other.Kind && r.Who == other.Who && r.Handling == other.Handling
}

// persists reports whether another is what has become of this one: the same, or handled in
// another way by now.
func (r ExternalMover) persists(other ExternalMover) bool {
	return r.Kind == other.Kind && r.Who == other.Who
}

// same reports whether nothing has changed that is worth a record.
func (r ExternalMover) same(other ExternalMover) bool {
	return r.is(other) && r.Does == other.Does && slices.Equal(r.Nodes, other.Nodes) && r.More == other.More && r.Mark == other.Mark &&
		r.Acts == other.Acts && r.How == other.How && r.WayOut == other.WayOut && r.Since.Equal(other.Since)
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
func (r ExternalMover) short() ExternalMover {
	if more := len(r.Nodes) - fewest; more > 0 && r.Handling != HandlingWaited {
		r.Nodes, r.More = slices.Clone(r.Nodes[:fewest]), more
	}
	return r
}

// externalMovers lists who else moves nodes of the group now, as the world shows it. What cannot
// be seen now is as it was.
func (s *Reader) externalMovers() []ExternalMover {
	var out []ExternalMover
	add := func(fresh bool, ofNodes bool, find func() []ExternalMover) {
		if fresh {
			out = append(out, find()...)
			return
		}
		for _, r := range s.Run.ExternalMovers {
			if r.ofNodes() == ofNodes {
				out = append(out, r)
			}
		}
	}
	add(s.Fresh(world.Cloud), false, s.groupMovers)
	add(s.Fresh(world.Cloud) && s.Fresh(world.Cluster), true, s.nodeMovers)
	for i := range out {
		r := &out[i]
		*r = r.short()
		if !r.Since.IsZero() {
			continue
		}
		if old, known := s.knownMover(*r); known {
			r.Since = old.Since
		} else if r.Since.IsZero() && !s.Run.Started.IsZero() {
			r.Since = s.Now
		}
	}
	return out
}

// ofNodes reports whether the cluster's nodes tell of such a rival, rather than the cloud.
func (r ExternalMover) ofNodes() bool {
	switch r.Kind {
	case ExternalRoll, ExternalDrain, ExternalCordon, ExternalMark, ExternalRepair:
		return true
	}
	return false
}

// knownMover finds what is known of a rival.
func (s *Reader) knownMover(r ExternalMover) (ExternalMover, bool) {
	if i := slices.IndexFunc(s.Run.ExternalMovers, r.is); i >= 0 {
		return s.Run.ExternalMovers[i], true
	}
	return ExternalMover{}, false
}

// moverNews compares what was known of rivals with what is: those that are over, and those
// that have come; of one that was there the nodes that are waited for by now as well.
// Processes are told of when they are suspended.
func moverNews(was, is []ExternalMover) (over, come []ExternalMover) {
	for _, old := range was {
		if old.Handling != HandlingSuspended && !slices.ContainsFunc(is, old.persists) {
			over = append(over, old)
		}
	}
	for _, r := range is {
		i := slices.IndexFunc(was, r.is)
		switch {
		case r.Handling == HandlingSuspended:
			continue
		case i < 0:
		case r.Handling == HandlingWaited:
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

// goneEvent and appearedEvent tell of them.
func (r ExternalMover) goneEvent() Event {
	return Event{Type: Warning, Reason: "rival gone", Message: "over: " + r.Action()}
}

func (r ExternalMover) appearedEvent() Event {
	e := Event{Type: Warning, Reason: "rival", Message: r.Sentence()}
	if len(r.Nodes) == 1 && r.More == 0 {
		e.Node = r.Nodes[0]
	}
	return e
}

// watchExternalMovers keeps the run's list of rivals, and tells who has come and who has gone.
func (s *Step) watchExternalMovers() {
	now, was := s.externalMovers(), s.Run.ExternalMovers
	over, come := moverNews(was, now)
	for _, r := range over {
		s.Report(r.goneEvent())
	}
	for _, r := range come {
		s.Report(r.appearedEvent())
	}
	if !slices.EqualFunc(was, now, ExternalMover.same) {
		s.changed = true
	}
	s.Run.ExternalMovers, s.theirs = now, nil
	if s.deferrals != nil {
		s.Run.Deferrals, s.deferrals = s.deferrals, nil
	}
}

// Opposed says which rival is at work that no run goes on beside, or what else keeps one
// from touching the group, "" if nothing does.
func (s *Reader) Opposed() string {
	for _, r := range s.Run.ExternalMovers {
		if r.Handling == HandlingRefused {
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
			if r.Handling == HandlingWaited {
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
func (s *Reader) takenOut() int {
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
		if r.Handling == HandlingWaited {
			parts = append(parts, r.Action())
		}
	}
	return strings.Join(parts, "; ") + ": waited for"
}
