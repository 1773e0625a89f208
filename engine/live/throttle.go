package live

import "time"

// tellAgain is how long trouble that was told is not told again, even if it has been
// over in between: where every fifth request fails, each of them would be news.
const tellAgain = 10 * time.Minute

// Throttle keeps the same trouble from being told over and over. Its zero value has told
// nothing yet. One goroutine uses it.
type Throttle struct{ told time.Time }

// Tell reports whether trouble is to be told now, and counts it as told then.
func (s *Throttle) Tell(now time.Time) bool {
	if !s.told.IsZero() && now.Sub(s.told) < tellAgain {
		return false
	}
	s.told = now
	return true
}
