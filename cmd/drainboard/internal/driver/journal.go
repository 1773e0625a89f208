package driver

import (
	"os"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/providers/hooks"
	"github.com/drainboard/drainboard/providers/journal"
)

// runJournal keeps the journal of the run that this process drives, and announces the run in
// the cluster.
type runJournal struct {
	writer    *journal.RunWriter
	announcer session.Announcer
	notices   notices
}

// keep starts the journal of a run and its announcements. plan is nil for a resumed
// run.
func (d *driver) keep(run record.Run, plan *snapshot.Plan) {
	a := &runJournal{}
	a.writer = journal.Begin(journal.Options{
		Dir: journal.Dir, Drainboard: d.Options.Version, By: session.User(), Args: hooks.CommandLine(os.Args[1:]),
		Run: run, Resumed: plan == nil, Plan: plan, Now: d.session.Clock().Now, Warn: a.notices.add,
	})
	d.journal = a
	d.listeners = append(d.listeners, a.writer.Events)
	a.announcer = d.session.Announce(d.Group, func(why string) {
		a.notices.add(record.Event{Type: record.Warning, Reason: "events", Message: why})
	})
	d.listeners = append(d.listeners, a.announcer.Events)
}

// attend connects the journal to the loop: it receives events and decisions, and writes each
// action before it is carried out.
func (a *runJournal) attend(loop *live.Loop) {
	loop.Heard, loop.Decided = a.writer.Heard, a.writer.Decided
	loop.Executor, loop.Lock = a.writer.Executor(loop.Executor), a.writer.Lock(loop.Lock)
	a.notices.to(loop.Tell)
}

// close closes both after the loop has ended.
func (a *runJournal) close(run record.Run, err error) {
	a.writer.Close(run, err)
	a.announcer.Close()
}
