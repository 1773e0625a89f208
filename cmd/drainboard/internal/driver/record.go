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
)

// What --record may say of an unfinished run's record that cannot just be gone on
// with. Nothing is guessed: without it such a run is refused.
const (
	RecordFitting = "fitting" // go on, and leave what does not fit as it is
	RecordDiscard = "discard" // put the record aside and start anew
)

// CheckRecordChoice refuses what --record does not know.
func CheckRecordChoice(choice string) error {
	switch choice {
	case "", RecordFitting, RecordDiscard:
		return nil
	}
	return exitcode.Usage(fmt.Errorf("--record %s: it is fitting or discard", choice))
}

// fit compares the record of an unfinished run with the group as it is, and decides
// as --record says: the run to go on with, or an error with the choices there are.
func (d *driver) fit(ctx context.Context, run record.Run) (record.Run, error) {
	w, again := d.view.World, d.Line.Command("upgrade", d.Group)
	if why := run.OtherGroup(w); why != "" {
		return run, exitcode.Usage(fmt.Errorf("the record of the unfinished run %s is not of this group: %s\nNothing was changed. Choose:\n  %s", run.ID, why, session.DiscardChoice(again)))
	}
	if pool := w.Group.Pool; len(run.PausedDeployments) > 0 && d.Abort == nil && (pool == nil || !pool.Control) {
		return run, exitcode.Usage(fmt.Errorf("the unfinished run %s has paused %s, and only the control cluster can let that go on: give --control-kubeconfig and --control-namespace\nNothing was changed. Without it there is only:\n  %s   ends the run, and names the command that lets it go on\n  %s",
			run.ID, strings.Join(run.PausedDeployments, ", "), d.Line.Command("abort", d.Group), session.DiscardChoice(again)))
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
	if d.RecordChoice != RecordFitting && d.Abort == nil { // an abort puts back what it can, and names the rest
		return run, exitcode.Usage(fmt.Errorf("the record of the unfinished run %s does not fit the group any more:%s\nNothing was changed. Choose:\n  %s --record fitting   goes on, leaves these as they are, and names them at the end\n  %s",
			run.ID, lines, again, session.DiscardChoice(again)))
	}
	d.warn(run.ID, "record", "not put back, because it does not fit the group any more:"+lines)
	return fitted, nil
}

// discard puts the record of an unfinished run aside, and tells what it has left, as far
// as the record says (run is nil if it cannot be read), and what it may have left.
func (d *driver) discard(ctx context.Context, run *record.Run, why string) error {
	name, err := d.keepRecord(ctx, fmt.Sprintf("put aside by %s: %s", session.User(), why))
	if err != nil {
		return err
	}
	d.warn("", "record", present.PutAside(d.session.RecordName(name), why))
	var changed []string
	if run != nil && run.OtherGroup(d.view.World) == "" {
		changed = run.Outstanding()
	}
	for _, what := range changed {
		d.warn("", "trace", "changed by the run "+run.ID+" and not put back: "+what)
	}
	sure, unsure := record.Traces(d.view.World)
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
	d.events(record.Event{Time: d.session.Clock().Now(), Run: run, Group: d.Group, Type: record.Warning, Reason: reason, Message: message})
	if !d.Auto {
		fmt.Fprintln(d.Out, message)
	}
}
