package record

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/text"
)

// ExternalKind says what another controller or a user does that moves nodes of the group, or changes it.
type ExternalKind string

// Kinds of external movers; docs/reference/external-movers.md has a line for each.
const (
	ExternalRefresh    ExternalKind = "instance refresh"
	ExternalTemplate   ExternalKind = "template"
	ExternalRebalance  ExternalKind = "rebalancing"
	ExternalUnhealthy  ExternalKind = "unhealthy machine"
	ExternalPolicy     ExternalKind = "scaling policy"
	ExternalSchedule   ExternalKind = "scheduled action"
	ExternalAutoscaler ExternalKind = "autoscaler"
	ExternalRoll       ExternalKind = "roll"        // another tool replaces nodes to update them
	ExternalDrain      ExternalKind = "drain"       // a user takes single nodes out of service
	ExternalCordon     ExternalKind = "cordon"      // a user has cordoned nodes, and no more
	ExternalMark       ExternalKind = "mark"        // a tool has announced, or given up, to move nodes
	ExternalRepair     ExternalKind = "node repair" // nodes look unhealthy to what repairs them
)

// Handling is what a run does about an external mover.
type Handling string

// Ways to handle an external mover.
const (
	HandlingRefused   Handling = "refused"    // no run starts beside it, and one that continues pauses
	HandlingSuspended Handling = "suspended"  // it is kept from acting, and acts again after the run
	HandlingWaited    Handling = "waited for" // its nodes are not drained meanwhile, and count as out of service
	HandlingLeft      Handling = "left alone"
	HandlingWarned    Handling = "warned of" // it may do harm, and nothing keeps it from that
)

// ExternalMover is another controller or a user that moves nodes of the group, or may, while a run does.
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

// Sentence says who does what, on which nodes, and how it is handled.
func (r ExternalMover) Sentence() string { return text.MoverHandled(r.Action(), r.How) }

// Action says who does what, on which nodes.
func (r ExternalMover) Action() string {
	return text.MoverActs(r.Who, r.Does, r.Nodes, r.More, r.Mark)
}

// Is reports whether two are the same mover, at two times.
func (r ExternalMover) Is(other ExternalMover) bool {
	return r.Kind == other.Kind && r.Who == other.Who && r.Handling == other.Handling
}

// persists reports whether another is what has become of this one: the same, or handled in
// another way by now.
func (r ExternalMover) persists(other ExternalMover) bool {
	return r.Kind == other.Kind && r.Who == other.Who
}

// Same reports whether nothing has changed that is worth a record.
func (r ExternalMover) Same(other ExternalMover) bool {
	return r.Is(other) && r.Does == other.Does && slices.Equal(r.Nodes, other.Nodes) && r.More == other.More && r.Mark == other.Mark &&
		r.Acts == other.Acts && r.How == other.How && r.WayOut == other.WayOut && r.Since.Equal(other.Since)
}

// Short is a mover whose nodes need not all be known.
func (r ExternalMover) Short() ExternalMover {
	if more := len(r.Nodes) - text.Few; more > 0 && r.Handling != HandlingWaited {
		r.Nodes, r.More = slices.Clone(r.Nodes[:text.Few]), more
	}
	return r
}

// OfNodes reports whether the cluster's nodes tell of such a mover, rather than the cloud.
func (r ExternalMover) OfNodes() bool {
	switch r.Kind {
	case ExternalRoll, ExternalDrain, ExternalCordon, ExternalMark, ExternalRepair:
		return true
	}
	return false
}

// MoverNews compares what was known of movers with what is: those that are over, and those
// that have come; of one that was there the nodes that are waited for by now as well.
// Suspended processes are reported when they are suspended, and not here.
func MoverNews(was, is []ExternalMover) (over, come []ExternalMover) {
	for _, old := range was {
		if old.Handling != HandlingSuspended && !slices.ContainsFunc(is, old.persists) {
			over = append(over, old)
		}
	}
	for _, r := range is {
		i := slices.IndexFunc(was, r.Is)
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

// GoneEvent and AppearedEvent tell of them.
func (r ExternalMover) GoneEvent() Event {
	return Event{Type: Warning, Reason: reasonMoverGone, Message: text.MoverGone(r.Action())}
}

func (r ExternalMover) AppearedEvent() Event {
	e := Event{Type: Warning, Reason: "rival", Message: r.Sentence()}
	if len(r.Nodes) == 1 && r.More == 0 {
		e.Node = r.Nodes[0]
	}
	return e
}
