package report

import (
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/journal"
)

// A run ends when it is finished, however long its process stays to show that.
func TestARunEndsWhenItIsFinished(t *testing.T) {
	at := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	b := &builder{r: &Report{Started: at, Ended: at}, driven: true, drivers: map[string]int{"": 0}}
	b.take(journal.Line{At: at.Add(time.Hour), Kind: journal.KindEvent, Event: &record.Event{Time: at.Add(time.Hour), Type: record.RunFinished, Result: string(record.Succeeded)}})
	b.take(journal.Line{At: at.Add(3 * time.Hour), Kind: journal.KindGap, Gap: &journal.Gap{}})
	if b.r.Took() != time.Hour {
		t.Errorf("it took %s, and a user looked at its end for two hours more", b.r.Took())
	}
}

// How the cluster was validated is told where it was, in both forms.
func TestValidations(t *testing.T) {
	r := night(t).report(true)
	if len(r.Validations) != 0 {
		t.Fatalf("validations: %v", r.Validations)
	}
	at := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	b := &builder{r: r, driven: true, drivers: map[string]int{"": 0}}
	for _, e := range []record.Event{
		{Time: at, Type: record.ValidationPassed, Message: "2 looks found nothing"},
		{Time: at.Add(time.Hour), Type: record.ValidationFailed, Message: "node a1 is not <Ready>"},
	} {
		b.take(journal.Line{At: e.Time, Kind: journal.KindEvent, Event: &e})
	}
	page := pageOf(t, r)
	selfContained(t, page)
	for form, text := range map[string]string{"page": string(page), "Markdown": markdownOf(t, r)} {
		for _, want := range []string{"Validations", "22:00:00", "passed", "2 looks found nothing", "23:00:00", "failed", "node a1 is not"} {
			if !strings.Contains(text, want) {
				t.Errorf("the %s does not say %q", form, want)
			}
		}
	}
}
