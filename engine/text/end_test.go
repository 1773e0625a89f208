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

func TestKeepsMinimum(t *testing.T) {
	for least, want := range map[int]string{1: "minimum size is 1: the group keeps 1 machine, not 0", 3: "minimum size is 3: the group keeps 3 machines, not 0"} {
		if got := KeepsMinimum(least, 0); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
