package session

import (
	"runtime/debug"
	"sync"
)

// raised counts the callers of RaiseGCPercent: groups of a roll may be read in parallel.
var raised struct {
	mu    sync.Mutex
	count int
	was   int // what the first one found
}

// RaiseGCPercent spends memory to save time until every caller has called restore: reading a
// cluster makes much garbage in a short time.
func RaiseGCPercent() (restore func()) {
	r := &raised
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count++; r.count == 1 {
		r.was = debug.SetGCPercent(200)
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.count--; r.count == 0 {
			debug.SetGCPercent(r.was)
		}
	}
}
