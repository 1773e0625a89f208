package live

import (
	"errors"
	"testing"
)

// A panic is told as a crash, and its absence not at all.
func TestGuarded(t *testing.T) {
	var crash *Crash
	tell := func(err error) {
		if !errors.As(err, &crash) {
			t.Errorf("told %v", err)
		}
	}
	done := false
	Guarded(func() { done = true }, tell)()
	if crash != nil || !done {
		t.Errorf("done %v, told %v", done, crash)
	}
	Guarded(func() { panic("a fault") }, tell)()
	if crash == nil || crash.Value != "a fault" {
		t.Errorf("told %v", crash)
	}
	Guarded(func() { panic("a fault") }, nil)()
}
