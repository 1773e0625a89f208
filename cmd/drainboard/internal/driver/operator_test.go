package driver

import (
	"bytes"
	"os"
	"testing"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/sim/realtime"
)

// A signal to a run that puts things back says so, and asks for nothing: the engine would
// refuse an abort. The next one stops at once either way.
func TestSignalToARunThatEnds(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to record.State
		says     string
	}{
		{"it continues", record.Running, record.Running, "drainboard: interrupt: aborting; once more stops at once\n"},
		{"it has failed since", record.Running, record.Ending, "drainboard: interrupt: already restoring; once more stops at once\n"},
		{"it was resumed to end", record.Ending, record.Ending, "drainboard: interrupt: already restoring; once more stops at once\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			heard := 0
			loop := &live.Loop{Decided: func(record.Run, engine.Decision) { heard++ }}
			d := &operator{clock: realtime.New(sim.New(sim.Defaults()), 1), err: &out}
			run := record.Run{State: c.from}
			ending := notingEnd(loop, run)
			if c.to != c.from {
				loop.Decided(run, engine.Decision{Run: record.Run{State: c.to}})
			}
			d.abort(loop, os.Interrupt, ending.Load(), true)
			if out.String() != c.says || (heard == 1) != (c.to != c.from) {
				t.Errorf("it says %q, want %q; the journal heard of %d decisions", out.String(), c.says, heard)
			}
		})
	}
}
