package main

import (
	"os"
	"sync"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/journal"
)

// audit keeps the journal of the run that this process drives, and announces the run in
// the cluster.
type audit struct {
	scribe    *journal.RunWriter
	announcer announcer
	notices   notices
}

// keep begins the journal of a run and its announcements. plan is what it is going to
// do, nil for a run that goes on.
func (d *driver) keep(run record.Run, plan *engine.Plan) {
	a := &audit{}
	a.scribe = journal.Begin(journal.Options{
		Dir: journal.Dir, Drainboard: version, By: who(), Args: os.Args[1:],
		Run: run, Resumed: plan == nil, Plan: plan, Now: d.session.Clock().Now, Warn: a.notices.add,
	})
	d.audit = a
	d.listeners = append(d.listeners, a.scribe.Events)
	a.announcer = d.session.Announce(d.group, func(why string) {
		a.notices.add(record.Event{Type: record.Warning, Reason: "events", Message: why})
	})
	d.listeners = append(d.listeners, a.announcer.Events)
}

// attend has the loop tell the journal what is said and decided, and write down what it
// does before it does it.
func (a *audit) attend(loop *live.Loop) {
	loop.Heard, loop.Decided = a.scribe.Heard, a.scribe.Decided
	loop.Executor, loop.Lock = a.scribe.Executor(loop.Executor), a.scribe.Lock(loop.Lock)
	a.notices.to(loop.Tell)
}

// close ends both when the loop has ended.
func (a *audit) close(run record.Run, err error) {
	a.scribe.Close(run, err)
	a.announcer.Close()
}

// notices are what is to be told in a run's log, also before there is one.
type notices struct {
	mu      sync.Mutex
	tell    func(record.Event) bool
	waiting []record.Event
}

func (n *notices) add(e record.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.tell == nil {
		n.waiting = append(n.waiting, e)
		return
	}
	n.tell(e)
}

// hold keeps what comes for whoever it is told to next.
func (n *notices) hold() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tell = nil
}

// to tells from here on what there is.
func (n *notices) to(tell func(record.Event) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range n.waiting {
		tell(e)
	}
	n.tell, n.waiting = tell, nil
}
