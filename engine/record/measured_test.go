package record

import (
	"testing"
	"time"
)

// A run keeps the last durations of a kind, and takes over those of the run before as far as there
// is room.
func TestMeasured(t *testing.T) {
	var m Measured
	for i := range MostMeasured + 3 {
		m = m.With(TimeEnd, time.Duration(i)*time.Second)
	}
	if list := m[TimeEnd]; len(list) != MostMeasured || list[0] != 3*time.Second || list[MostMeasured-1] != (MostMeasured+2)*time.Second {
		t.Errorf("%v", list)
	}
	few := Measured{}.With(TimeEnd, time.Minute)
	all := few.After(m)
	if list := all[TimeEnd]; len(list) != MostMeasured || list[MostMeasured-1] != time.Minute || list[0] != 4*time.Second || len(few[TimeEnd]) != 1 {
		t.Errorf("%v", list)
	}
	if got := Measured(nil).After(few); len(got[TimeEnd]) != 1 || len(Measured(nil).With(TimeStop, -time.Second)[TimeStop]) != 1 {
		t.Errorf("%v", got)
	}
}
