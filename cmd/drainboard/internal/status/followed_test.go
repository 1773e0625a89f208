package status

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// An update is looked at for eight seconds from when it is seen, however long a slow API took until then,
// and no longer than it takes to know what it is at.
func TestLookAtAnUpdate(t *testing.T) {
	unknown := record.Run{ID: "ng-web-1", State: record.Running}
	waits := unknown
	waits.Candidates = []string{"i-1"}
	for name, c := range map[string]struct {
		seen, known time.Duration // after how long, 0 for never
		takes       time.Duration
	}{
		"never seen":           {0, 0, readsFor},
		"seen late":            {40 * time.Second, 0, 40*time.Second + looksFor},
		"seen, and soon known": {40 * time.Second, 41 * time.Second, 41 * time.Second},
		"known at once":        {0, time.Second, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				ctx, sees := untilKnown(t.Context())
				if c.seen > 0 {
					time.AfterFunc(c.seen, func() { sees(unknown) })
					time.AfterFunc(c.seen+3*time.Second, func() { sees(unknown) })
				}
				if c.known > 0 {
					time.AfterFunc(c.known, func() { sees(waits) })
				}
				<-ctx.Done()
				if took := time.Since(begin); took != c.takes {
					t.Errorf("it was looked at for %s, want %s", took, c.takes)
				}
			})
		})
	}
}
