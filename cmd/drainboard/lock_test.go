package main

import (
	"errors"
	"testing"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
)

// TestTenureGoesOnOnlyWithItsOwnRun: what a record read after a lost lock means.
func TestTenureGoesOnOnlyWithItsOwnRun(t *testing.T) {
	mine := engine.Run{ID: "mine", State: engine.Running}
	for _, c := range []struct {
		name   string
		saved  bool
		loaded engine.Run
		found  bool
		want   string // the run to go on with, "" for none
	}{
		{"our own record", true, engine.Run{ID: "mine", State: engine.Paused}, true, "mine"},
		{"lost before the first save, no record", false, engine.Run{}, false, "mine"},
		{"lost before the first save, an old record", false, engine.Run{ID: "old", State: engine.Finished}, true, "mine"},
		{"lost before the first save, somebody is at it", false, engine.Run{ID: "theirs", State: engine.Running}, true, ""},
		{"somebody took over and started anew", true, engine.Run{ID: "theirs", State: engine.Running}, true, ""},
		{"somebody took over and finished", true, engine.Run{ID: "theirs", State: engine.Finished}, true, ""},
		{"somebody took over and ended it", true, engine.Run{ID: "mine", State: engine.Finished}, true, ""},
		{"the record was deleted", true, engine.Run{}, false, ""},
	} {
		h := &tenure{run: mine, saved: c.saved}
		run, err := h.goOn(c.loaded, c.found)
		if c.want == "" && !errors.Is(err, live.ErrLost) || c.want != "" && (err != nil || run.ID != c.want) {
			t.Errorf("%s: goes on with %q, %v; want %q", c.name, run.ID, err, c.want)
		}
	}
}
