package text_test

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/text"
)

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{2 * time.Hour: "2h", 90 * time.Minute: "1h30m", 20 * time.Minute: "20m", 200 * time.Second: "3m20s", 45 * time.Second: "45s", 0: "0s"} {
		if got := text.Span(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}
