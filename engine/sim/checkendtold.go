package sim

import (
	"strings"

	"github.com/drainboard/drainboard/engine/record"
)

// endings are how often the end of each machine was granted, and how often it was told, by whichever process.
type endings struct{ granted, told map[string]int }

// answered notes that a machine's end was granted, whether anybody hears of it or not.
func (e *endings) answered(a record.Action, o record.Outcome) {
	if a.Kind == record.Terminate && o.Verdict == record.Done {
		e.granted[a.Machine]++
	}
}

// endsTold checks that no end of a machine is told twice, also where another process has told it before.
func (c *checker) endsTold(events []record.Event) {
	e := &c.endings
	for _, event := range events {
		if event.Type != record.NodeTerminating || c.d.failing { // what is told without a record, no other process can know
			continue
		}
		ended, ours := strings.CutPrefix(event.Message, "terminating ")
		if !ours {
			continue // a controller's own, which it may do again
		}
		id, _, _ := strings.Cut(ended, ",")
		if e.told[id]++; e.told[id] > max(1, e.granted[id]) {
			c.d.breaks("one end of %s is told %d times: %s", id, e.told[id], event.Message)
		}
	}
}
