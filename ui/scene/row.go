package scene

import (
	"fmt"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/style"
)

// ShownFirst reports whether a node is shown before others when not all fit.
func ShownFirst(r *snapshot.NodeRow) bool {
	return IsActive(r) || IsProblem(r)
}

// IsActive reports whether something is happening on a node.
func IsActive(r *snapshot.NodeRow) bool {
	switch r.Stage {
	case record.Draining, record.Settling, record.Terminating, record.Launching, record.Updating:
		return true
	}
	return r.Blocked || hooksAsked(r)
}

// CordonedNote says that nothing new is scheduled on a node that is not on its way out,
// where the stage does not say so.
func CordonedNote(r *snapshot.NodeRow) string {
	switch r.Stage {
	case record.Outdated, record.Queued, record.Ready, record.Surplus, record.Skipped, record.NodeFail:
		if r.Cordoned {
			return "cordoned"
		}
	}
	return ""
}

// StageWord is where a node stands; a queued one may have its hooks asked, and one that
// still has its turn to come may be detached.
func StageWord(r *snapshot.NodeRow) string {
	switch {
	case hooksAsked(r):
		return "hooks asked"
	case r.Detached && (r.Stage == record.Outdated || r.Stage == record.Queued):
		return "detached"
	}
	return string(r.Stage)
}

// hooksAsked reports whether the hooks before a node are asked now.
func hooksAsked(r *snapshot.NodeRow) bool {
	return r.Wait != nil && r.Wait.For == string(record.BeforeNode)
}

// PodsCell is how many pods have still to leave; where there is room, also how
// many a node will have to lose when its turn comes.
func PodsCell(r *snapshot.NodeRow, words bool) string {
	switch {
	case r.Pods == 0:
	case IsLeaving(r):
		return fmt.Sprintf("%d/%d", r.PodsLeft, r.Pods)
	case ShowsPods(r, words):
		return style.Count(r.Pods, "pod")
	}
	return ""
}

// ShowsPods reports whether there is something to say of a node's pods.
func ShowsPods(r *snapshot.NodeRow, words bool) bool {
	switch r.Stage {
	case record.Ready, record.Outdated, record.Queued, record.Unreachable:
		return words
	}
	return IsLeaving(r)
}

// IsNotReady reports whether a node is down that should be up.
func IsNotReady(r *snapshot.NodeRow) bool {
	return r.Name != "" && !r.Ready && r.Stage != record.Terminating && r.Stage != record.Replaced && r.Stage != record.Launching
}

// IsLeaving reports whether pods are being moved off a node.
func IsLeaving(r *snapshot.NodeRow) bool {
	return r.Stage == record.Draining || r.Stage == record.Updating || r.Stage == record.NodeFail
}
