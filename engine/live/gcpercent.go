package live

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

const (
	// raisedGCPercent is the percentage while a cluster is read, and from then on in a large heap.
	raisedGCPercent = 200
	// largeHeap is how much is in the heap of a large cluster. A collection of it occupies all cores
	// for up to a second, and a key waits: they are kept rare. Of 1,000 nodes and 10,000 pods the
	// whole process takes less.
	largeHeap = 100 << 20
)

// raised counts the callers of RaiseGCPercent: groups of a roll may be read in parallel.
var raised struct {
	mu    sync.Mutex
	count int
	was   int // what the first one found
}

// RaiseGCPercent spends memory to save time until every caller has called restore: reading a
// cluster makes much garbage in a short time. It stays raised for a cluster that is large, unless the
// environment sets the percentage.
func RaiseGCPercent() (restore func()) {
	r := &raised
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count++; r.count == 1 {
		r.was = debug.SetGCPercent(raisedGCPercent)
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.count--; r.count == 0 && (os.Getenv("GOGC") != "" || heap() < largeHeap) {
			debug.SetGCPercent(r.was)
		}
	}
}

// heap is how many bytes are in the heap, with its garbage.
func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
