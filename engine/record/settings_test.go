package record_test

import (
	"testing"

	"github.com/drainboard/drainboard/engine/record"
)

func TestAmount(t *testing.T) {
	for _, c := range []struct {
		text     string
		size     int
		down, up int
	}{
		{"3", 7, 3, 3},
		{"0", 7, 0, 0},
		{"34%", 7, 2, 3},
		{"100%", 7, 7, 7},
		{" 25% ", 4, 1, 1},
	} {
		a, err := record.ParseAmount(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if down, up := a.Of(c.size, false), a.Of(c.size, true); down != c.down || up != c.up {
			t.Errorf("%q of %d: %d down, %d up; want %d, %d", c.text, c.size, down, up, c.down, c.up)
		}
		if again, err := record.ParseAmount(a.String()); err != nil || again != a {
			t.Errorf("%q does not read back from %q", c.text, a.String())
		}
	}
	for _, bad := range []string{"", "-1", "x", "101%", "%", "1.5"} {
		if a, err := record.ParseAmount(bad); err == nil {
			t.Errorf("%q passes for %v", bad, a)
		}
	}
}
