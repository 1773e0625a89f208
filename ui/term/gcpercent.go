package term

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// sparsePercent is the GC percentage while a program has the terminal and much is alive in the heap. A collection
	// of 5,000 nodes occupies two cores for about a second, and a key waits meanwhile, so there are fewer of them. It
	// costs as much memory again as is alive.
	sparsePercent = 200
	// largeHeap is how many bytes are alive in the heap of a large cluster: of 1,000 nodes and 10,000 pods it is less.
	largeHeap = 100 << 20
	// gcLook is how often that is looked up.
	gcLook = 5 * time.Second
)

// sparseGC has garbage collected less often as long as the heap is large, until restore is called. What the
// environment sets stays.
func sparseGC() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		look := time.NewTicker(gcLook)
		defer look.Stop()
		was := sparsePercent
		for {
			select {
			case <-look.C:
				was = min(was, spareGC())
			case <-stop:
				if was != sparsePercent {
					debug.SetGCPercent(was)
				}
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}

// spareGC raises the GC percentage to sparsePercent where the last collection left a large heap. It returns the
// percentage before, or sparsePercent where it changed nothing.
func spareGC() (was int) {
	samples := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	if percent, alive := samples[0].Value.Uint64(), samples[1].Value.Uint64(); percent >= sparsePercent || alive < largeHeap {
		return sparsePercent
	}
	return debug.SetGCPercent(sparsePercent)
}
