package text

import (
	"testing"
	"time"
)

func TestRetireFinished(t *testing.T) {
	for _, c := range []struct {
		done, total, empty int
		want               string
	}{
		{3, 3, 0, "succeeded (3 of 3 surplus nodes retired in 8s)"},
		{0, 0, 4, "succeeded (no surplus node, desired capacity lowered by 4 that had no instance, in 8s)"},
		{1, 2, 3, "succeeded (1 of 2 surplus nodes retired, desired capacity lowered by 3 more that had no instance, in 8s)"},
	} {
		if got := RetireFinished("succeeded", "", c.done, c.total, c.empty, 8*time.Second); got != c.want {
			t.Errorf("%d of %d, %d without an instance: %s, want %s", c.done, c.total, c.empty, got, c.want)
		}
	}
}
