package scene

import (
	"fmt"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/ui/style"
)

// BlockerKey tells blockers apart.
func BlockerKey(b *blockers.Blocker) string { return b.Pod + "\x00" + b.UID }

// BlockedPods counts the pods that are kept and the budgets that keep them.
func (sc *Scene) BlockedPods() (pods, budgets int) {
	refs := map[string]bool{}
	for _, b := range sc.Blockers {
		for _, v := range b.Budgets {
			refs[v.Ref] = true
		}
	}
	return len(sc.Blockers), len(refs)
}

// WayOut is a way out for those who read it here: a watcher has no key to force with,
// and what is not possible now is not offered.
func (sc *Scene) WayOut(wayOut string) string {
	wayOut = sc.Brief(wayOut)
	if sc.ReadOnly {
		return text.ForceWhereDriven(wayOut)
	}
	if _, able := sc.Able(record.CmdForce); !able {
		return text.ForceNotNow(wayOut)
	}
	return wayOut
}

// DeadlineWord says what happens to a node when its drain's time is up, in words that
// continue with when.
func DeadlineWord(b *blockers.Blocker) string {
	about := ""
	if b.Deadline != nil && b.Deadline.Guess {
		about = "about "
	}
	if b.Deadline != nil && b.Deadline.For == blockers.UntilPodForced {
		if b.Refusals > 0 {
			return "forced after " + style.Count(b.Refusals, "more refusal") + ", in " + about
		}
		return "the pod is forced in " + about
	}
	if b.Deadline != nil && b.Deadline.For == systems.EKSWindowEnds { // whether it was started so is not known
		return "with --force deleted in " + about
	}
	if b.Deadline != nil && b.Deadline.For == systems.EKSGivesUp {
		return "the update fails in " + about
	}
	switch b.AtDeadline {
	case record.TimeoutFail:
		return "fails in " + about
	case record.TimeoutSkip:
		return "is skipped in " + about
	case record.TimeoutForce:
		return "is forced in " + about
	}
	return "deadline in " + about
}

// KeptText says which pod is kept where, and by which budgets.
func (sc *Scene) KeptText(b *blockers.Blocker) string {
	text := b.Pod + " on " + sc.NodeName(b.Node)
	for _, v := range b.Budgets {
		text += fmt.Sprintf(", PDB %s allows %d: %d healthy, %d required", v.Ref, v.Allowed, v.Healthy, v.Desired)
	}
	return text
}

// DeadlineText is how long a blocked pod's node may still take, "" if for ever.
func (sc *Scene) DeadlineText(b *blockers.Blocker) string {
	if b.Deadline == nil {
		return ""
	}
	left, still := sc.Remaining(b.Deadline, sc.Clock())
	text := DeadlineWord(b) + style.Countdown(left)
	if still {
		text += ", stopped"
	}
	return text
}
