package live

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/check"
	"github.com/drainboard/drainboard/engine/world"
)

// mismatch is ErrLost if a record that was read again speaks of another group, or was
// written by another process meanwhile with what does not fit the group: the process that resumes
// it is asked about that. What did not fit before either is no news.
func (l *Loop) mismatch(loaded record.Run) error {
	if !known(l.World, &loaded) {
		return nil
	}
	if why := check.OtherGroup(&loaded, l.World); why != "" {
		return fmt.Errorf("%w: the record is not of this group: %s", ErrLost, why)
	}
	_, before := check.Reconcile(l.run, l.World, nil)
	_, unfit := check.Reconcile(loaded, l.World, nil)
	unfit = slices.DeleteFunc(unfit, func(why string) bool { return slices.Contains(before, why) })
	if len(unfit) > 0 {
		return fmt.Errorf("%w: the record does not fit the group any more: %s", ErrLost, strings.Join(unfit, "; "))
	}
	return nil
}

// known reports whether what a run looks at was seen.
func known(w *world.World, run *record.Run) bool {
	return !slices.ContainsFunc(run.Sources(), func(s world.Source) bool { return w.Health[s].Fresh.IsZero() })
}
