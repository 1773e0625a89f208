package term

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// A large heap is collected less often, a small one as before, and collections that are off stay off.
func TestSpareGC(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	for _, c := range []struct{ size, before, was, after int }{
		{1, 50, sparsePercent, 50}, {largeHeap, 50, 50, sparsePercent}, {largeHeap, 300, sparsePercent, 300}, {largeHeap, -1, sparsePercent, -1},
	} {
		debug.SetGCPercent(c.before)
		large := make([]byte, c.size)
		runtime.GC()
		was := spareGC()
		runtime.KeepAlive(large)
		if after := debug.SetGCPercent(50); was != c.was || after != c.after {
			t.Errorf("%d bytes at %d: the percentage was %d and is %d, want %d and %d", c.size, c.before, was, after, c.was, c.after)
		}
		large = nil
		runtime.GC()
	}
}

// What the environment sets stays, and what was before is restored.
func TestSparseGCIsRestored(t *testing.T) {
	for _, gogc := range []string{"", "80"} {
		t.Setenv("GOGC", gogc)
		was := debug.SetGCPercent(80)
		sparseGC()()
		if got := debug.SetGCPercent(was); got != 80 {
			t.Errorf("GOGC=%q: the percentage is left at %d", gogc, got)
		}
	}
}
