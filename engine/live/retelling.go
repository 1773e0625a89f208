package live

import (
	"slices"

	"github.com/drainboard/drainboard/engine/record"
)

// retelling keeps what was told and is in no record yet: a run that resumes from its record
// after the lock was lost finds it out a second time, and it is not told a second time.
type retelling struct {
	unsaved []record.Event // told since the last record
	known   []record.Event // told before the run was read again, and not found out again so far
}

// note notes what is told without a record. Warnings are told as often as there is reason to.
func (r *retelling) note(events []record.Event) {
	for _, e := range events {
		if e.Type != record.Warning {
			r.unsaved = append(r.unsaved, e)
		}
	}
}

// begin is called when the run continues from its record.
func (r *retelling) begin() { r.known, r.unsaved = r.unsaved, nil }

// first returns the events without those that were told before.
func (r *retelling) first(events []record.Event) []record.Event {
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
