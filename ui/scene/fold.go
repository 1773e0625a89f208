package scene

import (
	"fmt"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// foldWithin is how soon an event must follow an equal one to be told with it.
const foldWithin = 10 * time.Second

// foldable are the events of nodes that many nodes have at once.
var foldable = []record.EventType{record.NodeOutdated, record.NodeTainted, record.NodeCordoned, record.NodeReady, record.NodeLaunching, record.NodeSettling, record.NodeReplaced, record.NodeSkipped}

// Folds reports whether an event, by its index, is told in the line of the one before it: it says
// the same of another node, or of the node what the line before says of its pod.
func (sc *Scene) Folds(i int) bool {
	if i <= 0 || i >= len(sc.Events) {
		return false
	}
	a, b := &sc.Events[i-1], &sc.Events[i]
	if a.Type == record.PodBlocked && b.Type == record.NodeBlocked {
		return a.Node == b.Node && a.Pod == b.Pod && a.Message == b.Message && b.Time.Sub(a.Time) < foldWithin
	}
	return a.Type == b.Type && slices.Contains(foldable, b.Type) && a.Node != "" && b.Node != "" && a.Node != b.Node && a.Message == b.Message && a.Reason == b.Reason &&
		a.Batch == b.Batch && b.Time.Sub(a.Time) < foldWithin
}

// Folded are the events, by index, that are told in the line of one: it, and those that fold into it.
func (sc *Scene) Folded(i int) []record.Event {
	end := i + 1
	for sc.Folds(end) {
		end++
	}
	if sc.Events[i].Type == record.PodBlocked {
		end = i + 1 // its node's line adds nothing
	}
	return sc.Events[i:end]
}

// FoldedText is the line of events that say the same of many nodes.
func (sc *Scene) FoldedText(list []record.Event) string {
	e := list[0]
	if len(list) == 1 {
		return sc.EventText(&e)
	}
	e.Node, e.Phase = "", ""
	return fmt.Sprintf("%d nodes %s", len(list), sc.EventText(&e))
}
