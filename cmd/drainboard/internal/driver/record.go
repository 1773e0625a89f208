package driver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/check"
)

// Values of --record, for an unfinished run that cannot simply be resumed. Without it
// such a run is refused.
const (
	RecordFitting = "fitting" // resume, and leave what does not match unchanged
	RecordDiscard = "discard" // discard the record and start a new run
)

// CheckRecordChoice refuses unknown values of --record.
func CheckRecordChoice(choice string) error {
	switch choice {
	case "", RecordFitting, RecordDiscard:
		return nil
	}
	return exitcode.Usage(fmt.Errorf("--record: %q is not one of fitting, discard", choice))
}

// fit compares the record of an unfinished run with the group, and applies --record: it
// returns the run to resume, or an error with the choices.
func (d *driver) fit(ctx context.Context, run record.Run) (record.Run, error) {
	w, again := d.view.World, d.Line.Command("upgrade", d.Group)
	if why := check.OtherGroup(&run, w); why != "" {
		return run, exitcode.Usage(fmt.Errorf("the record of the unfinished run %s is not of this group: %s\nNothing was changed. Run:\n  %s", run.ID, why, session.DiscardChoice(again)))
	}
	if pool := w.Group.Pool; len(run.PausedDeployments) > 0 && d.Abort == nil && (pool == nil || !pool.Control) {
		return run, exitcode.Usage(fmt.Errorf("the unfinished run %s has paused %s, which can only be resumed in the control cluster: give --control-kubeconfig and --control-namespace\nNothing was changed. Without it, run one of:\n  %s   aborts the run, and shows the command that resumes them\n  %s",
			run.ID, strings.Join(run.PausedDeployments, ", "), d.Line.Command("abort", d.Group), session.DiscardChoice(again)))
	}
	gone, err := d.at.Gone(ctx, run, w)
	if err != nil {
		return run, exitcode.Usage(err)
	}
	fitted, unfit := check.Reconcile(run, w, gone)
	if len(unfit) == 0 {
		return run, nil
	}
	lines := "\n  - " + strings.Join(unfit, "\n  - ")
	if d.RecordChoice != RecordFitting && d.Abort == nil { // an abort restores what it can, and names the rest
		return run, exitcode.Usage(fmt.Errorf("the record of the unfinished run %s no longer matches the group:%s\nNothing was changed. Run one of:\n  %s --record fitting   resumes, leaves these unchanged, and names them at the end\n  %s",
			run.ID, lines, again, session.DiscardChoice(again)))
	}
	d.warn(run.ID, "record", "not restored, because the record no longer matches the group:"+lines)
	return fitted, nil
}

// discard keeps a copy of an unfinished run's record, and warns of what the run has left
// changed by the record (run is nil if it cannot be read), and of what it may have left.
func (d *driver) discard(ctx context.Context, run *record.Run, why string) error {
	name, err := d.keepRecord(ctx, fmt.Sprintf("discarded by %s: %s", session.User(), why))
	if err != nil {
		return err
	}
	d.warn("", "record", present.SetAside(d.session.RecordName(name), why))
	var changed []string
	if run != nil && check.OtherGroup(run, d.view.World) == "" {
		changed = run.Abandoned()
	}
	for _, what := range changed {
		d.warn("", "trace", "changed by run "+run.ID+" and not restored: "+what)
	}
	sure, unsure := check.Traces(d.view.World)
	tell := func(traces []check.Trace, words string) (told int) {
		for _, t := range traces {
			if what := t.What + ": " + t.Command; !slices.Contains(changed, what) {
				d.warn("", "trace", words+what)
				told++
			}
		}
		return told
	}
	if len(changed)+tell(sure, "left by an earlier run: ")+tell(unsure, "may be left by an earlier run, or set by another user: ") > 0 {
		d.warn("", "trace", "the new run treats existing marks, sizes and launch template as set by other users, and keeps them: undo those of the earlier run before it starts")
	}
	return nil
}

// warn reports something to the user and the listeners before the run is driven.
func (d *driver) warn(run, reason, message string) {
	d.events(record.Event{Time: d.session.Clock().Now(), Run: run, Group: d.Group, Type: record.Warning, Reason: reason, Message: message})
	if !d.Auto {
		fmt.Fprintln(d.Out, message)
	}
}
