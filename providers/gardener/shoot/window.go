package shoot

import (
	"errors"
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Window is a maintenance time window, which opens once a day.
type Window struct {
	// Begin and End are as the Shoot writes them: 220000+0100.
	Begin string
	End   string
	// begin and length are of the day in UTC; the length is what is used of it.
	begin, length time.Duration
}

// spare is what Gardener leaves unused at a window's end, so as to be done by then.
const spare = 15 * time.Minute

// WindowOf reads spec.maintenance.timeWindow.
func WindowOf(begin, end string) (Window, error) {
	b, err := timeOfDay(begin)
	if err != nil {
		return Window{}, err
	}
	e, err := timeOfDay(end)
	if err != nil {
		return Window{}, err
	}
	length := (e - b + 24*time.Hour) % (24 * time.Hour)
	if length < 30*time.Minute || length > 6*time.Hour {
		return Window{}, fmt.Errorf("a window is 30 minutes to 6 hours, this one %s", length)
	}
	return Window{world.Clean(begin), world.Clean(end), b, length - spare}, nil
}

// timeOfDay reads a time of day with its zone, as HHMMSS+ZZZZ, into the time since midnight
// in UTC.
func timeOfDay(text string) (time.Duration, error) {
	t, err := time.Parse("150405-0700", text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a time of day with a zone, such as 220000+0100", world.Clean(text))
	}
	t = t.UTC()
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second, nil
}

// At is the window that is open, or else the next one. It closes when the last operation
// starts, 15 minutes before its end.
func (w Window) At(now time.Time) (opens, closes time.Time, open bool) {
	y, m, d := now.UTC().Date()
	for day := -1; ; day++ {
		opens = time.Date(y, m, d+day, 0, 0, 0, 0, time.UTC).Add(w.begin)
		closes = opens.Add(w.length)
		if !now.After(closes) {
			return opens, closes, !now.Before(opens)
		}
	}
}

// ErrNoWindow means that a Shoot has no window of its own.
var ErrNoWindow = errors.New("the Shoot has no spec.maintenance.timeWindow: Gardener chooses one")

// Window is the Shoot's maintenance time window.
func (s *Shoot) Window() (Window, error) {
	tw := s.Spec.Maintenance.TimeWindow
	if tw == nil {
		return Window{}, ErrNoWindow
	}
	return WindowOf(tw.Begin, tw.End)
}
