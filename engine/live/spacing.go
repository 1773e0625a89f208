package live

import "time"

// Decisions and snapshots of a large group take milliseconds each, and changes come all the
// time: back to back they would occupy a core, and who looks at the run would wait.
const (
	decideShare = 10                     // decisions take at most one of so many parts of the time
	decideRest  = 25 * time.Millisecond  // after one, at most: what a change waits for
	viewShare   = 20                     // the same of snapshots
	viewRest    = 300 * time.Millisecond // after one, at most
)

// spacing spaces out work that is costly, so that it takes a share of the time.
type spacing struct{ next time.Time }

// did notes work that began at a time and has just ended.
func (p *spacing) did(began time.Time, share int, most time.Duration) {
	now := time.Now()
	p.next = now.Add(min(now.Sub(began)*time.Duration(share-1), most))
}

// rest is how long the next work is to wait.
func (p *spacing) rest() time.Duration { return max(0, time.Until(p.next)) }
