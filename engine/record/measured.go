package record

import (
	"maps"
	"slices"
	"time"
)

// Timed is a kind of duration that a run measures, for what is foreseen of it and of later runs.
type Timed string

// Kinds of measured durations.
const (
	TimeJoin  Timed = "join"  // from when a new instance was first seen until its node joined
	TimeServe Timed = "serve" // from when a new instance was first seen until it took pods: its node is Ready, and its group has it in service
	TimeEnd   Timed = "end"   // from the request to terminate an instance until it was gone
	// TimeNotice is from the request to terminate an instance past its group until the group launches another one.
	TimeNotice Timed = "notice"
	TimeStop   Timed = "stop" // from an accepted eviction until the pod was gone
)

// MostMeasured is how many durations of a kind a run keeps, the last ones.
const MostMeasured = 32

// Measured are durations that were seen, by kind, the last one last.
type Measured map[Timed][]time.Duration

// With is m with another duration of a kind. m is not changed.
func (m Measured) With(kind Timed, took time.Duration) Measured {
	out := maps.Clone(m)
	if out == nil {
		out = Measured{}
	}
	list := append(slices.Clone(m[kind]), max(0, took).Round(time.Millisecond))
	out[kind] = list[max(0, len(list)-MostMeasured):]
	return out
}

// After is m and, before it, what an earlier run has measured.
func (m Measured) After(earlier Measured) Measured {
	for kind, list := range earlier {
		for _, took := range slices.Backward(list) {
			if len(m[kind]) >= MostMeasured {
				break
			}
			m = m.before(kind, took)
		}
	}
	return m
}

// before is m with a duration of a kind before those that it has.
func (m Measured) before(kind Timed, took time.Duration) Measured {
	out := maps.Clone(m)
	if out == nil {
		out = Measured{}
	}
	out[kind] = append([]time.Duration{took}, m[kind]...)
	return out
}
