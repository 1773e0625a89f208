package live

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// The last one that is done restores what the first one found, unless the heap is large and the
// environment says nothing.
func TestGCPercentSideBySide(t *testing.T) {
	for _, c := range []struct {
		gogc string
		size int
		left int
	}{{"", 1, 100}, {"", largeHeap, raisedGCPercent}, {"100", largeHeap, 100}} {
		t.Setenv("GOGC", c.gogc)
		runtime.GC()
		was := debug.SetGCPercent(100)
		large := make([]byte, c.size)
		first, second := RaiseGCPercent(), RaiseGCPercent()
		first()
		second()
		runtime.KeepAlive(large)
		if got := debug.SetGCPercent(was); got != c.left {
			t.Errorf("GOGC=%q and %d bytes: the garbage collector is left at %d, not at %d", c.gogc, c.size, got, c.left)
		}
	}
}
