package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
)

// What --record may say of an unfinished run's record that cannot just be gone on
// with. Nothing is guessed: without it such a run is refused.
const (
	recordFitting = "fitting" // go on, and leave what does not fit as it is
	recordDiscard = "discard" // put the record aside and start anew
)

const recordHelp = "what to do with an unfinished run whose record is damaged, or does not fit the group any more: fitting or discard (docs/resume.md)"

// checkRecord refuses what --record does not know.
func (u *upgrade) checkRecord() error {
	switch u.record {
	case "", recordFitting, recordDiscard:
		return nil
	}
	return exitcode.Usage(fmt.Errorf("--record %s: it is fitting or discard", u.record))
}

// unreadable is the error for a record that cannot be read, with what can be done. again
// goes on with its run.
func unreadable(err error, again string) error {
	var newer *live.NewerError
	var damaged *live.DamagedError
	var away *awayError
	if errors.As(err, &away) {
		err = fmt.Errorf("%w\nNothing was changed. Go on with it there, or, if that machine is gone for good, choose:\n  %s", err, discardChoice(again))
	}
	if errors.As(err, &newer) || errors.As(err, &damaged) {
		err = fmt.Errorf("%w\nNothing was changed. Repair it (a newer one: use the newer drainboard), or choose:\n  %s", err, discardChoice(again))
	}
	return exitcode.Usage(err)
}

func discardChoice(again string) string {
	return again + " --record discard   puts it aside, starts anew, and lists what it may have left behind"
}

// fit compares the record of an unfinished run with the group as it is, and decides
// as --record says: the run to go on with, or an error with the choices there are.
func (d *driver) fit(ctx context.Context, run record.Run) (record.Run, error) {
	w, again := d.view.world, d.line.Command("upgrade", d.group)
	if why := run.OtherGroup(w); why != "" {
		return run, exitcode.Usage(fmt.Errorf("the record of the unfinished run %s is not of this group: %s\nNothing was changed. Choose:\n  %s", run.ID, why, discardChoice(again)))
	}
	if pool := w.Group.Pool; len(run.PausedDeployments) > 0 && d.abort == nil && (pool == nil || !pool.Control) {
		return run, exitcode.Usage(fmt.Errorf("the unfinished run %s has paused %s, and only the control cluster can let that go on: give --control-kubeconfig and --control-namespace\nNothing was changed. Without it there is only:\n  %s   ends the run, and names the command that lets it go on\n  %s",
			run.ID, strings.Join(run.PausedDeployments, ", "), d.line.Command("abort", d.group), discardChoice(again)))
	}
	gone, err := d.at.Gone(ctx, run, w)
	if err != nil {
		return run, exitcode.Usage(err)
	}
	fitted, unfit := record.Reconcile(run, w, gone)
	if len(unfit) == 0 {
		return run, nil
	}
	lines := "\n  - " + strings.Join(unfit, "\n  - ")
	if d.record != recordFitting && d.abort == nil { // an abort puts back what it can, and names the rest
		return run, exitcode.Usage(fmt.Errorf("the record of the unfinished run %s does not fit the group any more:%s\nNothing was changed. Choose:\n  %s --record fitting   goes on, leaves these as they are, and names them at the end\n  %s",
			run.ID, lines, again, discardChoice(again)))
	}
	d.warn(run.ID, "record", "not put back, because it does not fit the group any more:"+lines)
	return fitted, nil
}

// discard puts the record of an unfinished run aside, and tells what it has left, as far
// as the record says (run is nil if it cannot be read), and what it may have left.
func (d *driver) discard(ctx context.Context, run *record.Run, why string) error {
	name, err := d.lease.record.Keep(ctx, fmt.Sprintf("put aside by %s: %s", who(), why))
	if err != nil {
		return exitcode.Usage(err)
	}
	d.warn("", "record", present.PutAside(d.session.RecordName(name), why))
	var changed []string
	if run != nil && run.OtherGroup(d.view.world) == "" {
		changed = run.Outstanding()
	}
	for _, what := range changed {
		d.warn("", "trace", "changed by the run "+run.ID+" and not put back: "+what)
	}
	sure, unsure := record.Traces(d.view.world)
	tell := func(traces []record.Trace, words string) (told int) {
		for _, t := range traces {
			if what := t.What + ": " + t.Command; !slices.Contains(changed, what) {
				d.warn("", "trace", words+what)
				told++
			}
		}
		return told
	}
	if len(changed)+tell(sure, "left by an earlier run: ")+tell(unsure, "may be left by an earlier run, or somebody's: ") > 0 {
		d.warn("", "trace", "what is there before the new run begins counts as somebody's and stays, the group's sizes and template too: undo what is not, before it starts")
	}
	return nil
}

// warn tells people and listeners something before the run is under way.
func (d *driver) warn(run, reason, message string) {
	d.events(record.Event{Time: d.session.Clock().Now(), Run: run, Group: d.group, Type: record.Warning, Reason: reason, Message: message})
	if !d.Auto {
		fmt.Fprintln(d.app.Out, message)
	}
}
