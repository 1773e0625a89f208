package term

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// rarePercent is the GC percentage while a program has the terminal and much is alive in the heap. A collection
	// of 5,000 nodes occupies two cores for about a second, and a key waits meanwhile, so there are fewer of them. The
	// heap may then grow to three times what is alive, with 50 % to one and a half times.
	rarePercent = 200
	// largeHeap is how many bytes are alive in the heap of a large cluster: of 1,000 nodes and 10,000 pods it is less.
	largeHeap = 100 << 20
	// gcLook is how often that is looked up.
	gcLook = 5 * time.Second
)

// rarerGC has garbage collected less often as long as the heap is large, until restore is called. What the
// environment sets stays.
func rarerGC() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		look := time.NewTicker(gcLook)
		defer look.Stop()
		was := rarePercent
		for {
			select {
			case <-look.C:
				was = min(was, raiseOnce())
			case <-stop:
				if was != rarePercent {
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

// raiseOnce raises the GC percentage to rarePercent where the last collection left a large heap. It returns the
// percentage before, or rarePercent where it changed nothing.
func raiseOnce() (was int) {
	if percent, alive := heap(); percent >= rarePercent || alive < largeHeap {
		return rarePercent
	}
	return debug.SetGCPercent(rarePercent)
}

// heap tells the GC percentage, and how many bytes the last collection left.
func heap() (percent, alive uint64) {
	samples := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64(), samples[1].Value.Uint64()
}
