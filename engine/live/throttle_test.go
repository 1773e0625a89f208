package live

import (
	"testing"
	"time"
)

func TestSparing(t *testing.T) {
	var s Throttle
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	for _, look := range []struct {
		after time.Duration
		want  bool
	}{{0, true}, {0, false}, {time.Second, false}, {tellAgain - 1, false}, {tellAgain, true}, {tellAgain + time.Minute, false}, {2 * tellAgain, true}} {
		if got := s.Tell(at.Add(look.after)); got != look.want {
			t.Errorf("after %s: %v", look.after, got)
		}
	}
}
