package scene

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui/style"
)

// ShownMovers are those that move nodes of the group now, but those that the reason of a pause
// or of the gate names.
func (sc *Scene) ShownMovers() (out []record.ExternalMover) {
	if sc.Over() {
		return nil
	}
	for _, r := range sc.ExternalMovers {
		told := sc.State == record.Paused && r.Handling == record.HandlingRefused || sc.State != record.Paused && sc.Gate != "" && r.Handling == record.HandlingWaited
		if r.Acts && !told {
			out = append(out, r)
		}
	}
	return out
}

// MoverText says who moves nodes of the group, without their marks, which the log has.
func (sc *Scene) MoverText(r record.ExternalMover) string {
	r.Mark = ""
	return sc.Brief(r.Sentence())
}

// Outdated is how many nodes are outdated, present how many the group has.
func (sc *Scene) Outdated() int { return sc.Total - sc.Done }

func (sc *Scene) present() int { return len(sc.Rows) - sc.Done }

// OthersWord says in two words who moves the nodes of a group without a run, "" if nobody
// does, or nobody has begun to.
func (sc *Scene) OthersWord() string {
	if sc.State != record.NoRun || sc.External == nil || len(sc.External.Movers) == 0 {
		return ""
	}
	switch first := sc.External.Movers[0]; {
	case first.By == world.MoverUnknown && first.Working > 0:
		return "drained manually"
	case first.By == world.MoverUnknown, first.By == world.MoverDrainboard, !first.Roll && first.Working == 0:
		return ""
	default:
		return string(first.By) + " busy"
	}
}

// OthersTexts are who is at work on a group without a run beside the first, "" for nobody,
// and how far all of them have come.
func (sc *Scene) OthersTexts() (texts [2]string) {
	o := sc.External
	if o == nil || sc.State != record.NoRun {
		return texts
	}
	var rest []string
	for i, mover := range o.Movers {
		if i > 0 {
			rest = append(rest, mover.Text)
		}
	}
	texts[0] = sc.Brief(strings.Join(rest, "; "))
	from := o.From.In(sc.Clock().Location()).Format("15:04")
	text := fmt.Sprintf("since %s: %s replaced (before: not known); %d of %d up to date", from, style.Count(o.Replaced, "node"), o.Current, o.Nodes)
	switch {
	case sc.Foreseen() != nil: // the header says it
	case o.Pace != "":
		text += "; time left at the pace of " + o.Pace
	case len(o.Movers) > 0 && o.Movers[0].Roll && sc.Outdated() > 0:
		text += "; time left: not known yet"
	}
	texts[1] = text
	return texts
}

// driverBlind names what the driver of a watched run does not see although it is seen
// here, "" for nothing.
func (sc *Scene) driverBlind() string {
	var names []string
	for _, src := range sc.Blind {
		if here := sc.source(src); here != nil && !here.Stale {
			names = append(names, string(src))
		}
	}
	return strings.Join(names, " and the ")
}
