package scene

import (
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/ui/style"
)

// A dashboard of a roll goes from the run of one group to that of the next. Between two
// of them the last one stays on the screen.

// AllOver reports whether a scene's run has ended, and no run of its roll is to follow.
func (sc *Scene) AllOver() bool {
	return sc != nil && sc.State == record.Finished && (sc.Roll == nil || sc.Roll.Over())
}

// Between reports whether the run has ended and its roll continues.
func (sc *Scene) Between() bool { return sc.Over() && !sc.AllOver() }

// AbortEndsText says what of a roll an abort of the run ends, "" if nothing.
func (sc *Scene) AbortEndsText() string {
	if sc.Roll == nil {
		return ""
	}
	return strings.TrimSuffix("the roll ends with it: "+sc.notToStart(), ": ")
}

// HeldText says what of a roll waits when its dashboard is left, "" if nothing.
func (sc *Scene) HeldText() string {
	if sc.Roll == nil || sc.notToStart() == "" {
		return ""
	}
	return "The roll is held: " + sc.notToStart() + "."
}

// notToStart says which groups of a roll would not be started any more, "" if none.
func (sc *Scene) notToStart() string {
	names := sc.Roll.Names(roll.Waiting)
	if sc.State == record.Finished {
		names = append(sc.NextGroups(), names...) // they are read, and have not begun
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0] + " is not started"
	}
	return style.List(names) + " are not started"
}

// NextGroups are the groups whose turn has come beside the one that is shown.
func (sc *Scene) NextGroups() (names []string) {
	for _, name := range sc.Roll.Names(roll.Running) {
		if name != sc.Group {
			names = append(names, name)
		}
	}
	return names
}

// BetweenText says what comes next, and how the run ended.
func (sc *Scene) BetweenText() string {
	text := sc.GroupOfRoll().Sentence()
	if next := sc.NextGroups(); len(next) > 0 {
		return "Next: " + style.List(next) + ", being read. " + text
	}
	return text
}

// GroupOfRoll is what the roll knows of the group that is shown.
func (sc *Scene) GroupOfRoll() roll.Group {
	for _, g := range sc.Roll.Groups {
		if g.Name == sc.Group {
			return g
		}
	}
	return roll.Group{Name: sc.Group}
}
