package watch

import (
	"os"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/hooks"
	"github.com/drainboard/drainboard/providers/journal"
)

// kept is the journal of an update that is followed: a file of this machine, from which its report
// is made. Nothing is written elsewhere.
type kept struct {
	writer *journal.RunWriter // nil before an update is followed
	run    record.Run
}

// keep has what a watch follows written down, each update in a journal of its own.
func (a *Watch) keep(w *live.Watch, clock live.Clock) *kept {
	k := &kept{}
	w.Began = func(run record.Run) {
		k.close()
		k.run = run
		k.writer = journal.Begin(journal.Options{
			Dir: journal.Dir, Drainboard: a.Options.Version, By: session.User(), Args: hooks.CommandLine(os.Args[1:]), Run: run, Now: clock.Now,
		})
	}
	w.Decided = func(before record.Run, d engine.Decision) {
		k.run = d.Run
		k.writer.Decided(before, d)
	}
	tell := w.Events
	w.Events = func(list []record.Event) {
		if tell != nil {
			tell(list)
		}
		var own []record.Event
		for _, e := range list {
			if k.writer != nil && e.Run == k.run.ID {
				own = append(own, e)
			}
		}
		if len(own) > 0 {
			k.writer.Events(own)
		}
		if k.run.State == record.Finished {
			k.close()
		}
	}
	return k
}

// close ends the journal, if one is open.
func (k *kept) close() {
	if k.writer != nil {
		k.writer.Close(k.run, nil)
		k.writer = nil
	}
}
