package live

import (
	"slices"

	"github.com/drainboard/drainboard/engine/record"
)

// repeats keeps events that were reported and are in no record yet. A run that resumes from its
// record after the lock was lost finds them again, and does not report them again.
type repeats struct {
	unsaved []record.Event // reported since the last record
	known   []record.Event // reported before the run was read again, and not found again so far
}

// note notes what is reported without a record. Warnings are reported as often as there is reason to.
func (r *repeats) note(events []record.Event) {
	for _, e := range events {
		if e.Type != record.Warning {
			r.unsaved = append(r.unsaved, e)
		}
	}
}

// begin is called when the run continues from its record, perhaps more than once before it is written.
func (r *repeats) begin() { r.known = slices.Clone(r.unsaved) }

// first returns the events without those that were reported before.
func (r *repeats) first(events []record.Event) []record.Event {
	if len(r.known) == 0 {
		return events
	}
	return slices.DeleteFunc(slices.Clone(events), func(e record.Event) bool {
		i := slices.IndexFunc(r.known, func(k record.Event) bool {
			return k.Type == e.Type && k.Node == e.Node && k.Pod == e.Pod && k.Reason == e.Reason && k.Message == e.Message
		})
		if i >= 0 {
			r.known = slices.Delete(r.known, i, i+1)
		}
		return i >= 0
	})
}
