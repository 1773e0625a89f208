package report

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/providers/journal"
)

// A run ends when it is finished, however long its process stays to show that.
func TestARunEndsWhenItIsFinished(t *testing.T) {
	at := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	b := &builder{r: &Report{Started: at, Ended: at}, driven: true, drivers: map[string]int{"": 0}}
	b.take(journal.Line{At: at.Add(time.Hour), Kind: journal.KindEvent, Event: &engine.Event{Time: at.Add(time.Hour), Type: engine.RunFinished, Result: string(engine.Succeeded)}})
	b.take(journal.Line{At: at.Add(3 * time.Hour), Kind: journal.KindGap, Gap: &journal.Gap{}})
	if b.r.Took() != time.Hour {
		t.Errorf("it took %s, and somebody looked at its end for two hours more", b.r.Took())
	}
}
