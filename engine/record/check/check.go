package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/drainboard/drainboard/engine/record"
)

// Run returns an error that says what a run that was read lacks to be continued, nil for a
// run that lacks nothing: a record may have been cut off, or edited by hand. It does not
// look at the group: that is OtherGroup and Reconcile.
func Run(r *record.Run) error {
	switch {
	case r.ID == "":
		return fmt.Errorf("the run has no id")
	case r.Group == "" || r.Provider == "":
		return fmt.Errorf("it does not say of which group it is")
	case !slices.Contains([]record.State{record.Planned, record.Running, record.Paused, record.Ending, record.Finished}, r.State):
		return fmt.Errorf("there is no state %q", r.State)
	case r.State != record.Finished && len(r.Phases) == 0:
		return fmt.Errorf("the run has no phases")
	case r.Limit < 0 || r.Limit == 0 && r.State != record.Finished && !r.Phases[0].End.IsZero(): // the first phase resolves it
		return fmt.Errorf("the limit of nodes out of service is %d", r.Limit)
	case r.State == record.Ending && r.PhaseWait == nil:
		return fmt.Errorf("the run ends and has no deadline for it")
	case r.State == record.Ending && r.Result == "":
		return fmt.Errorf("the run ends and does not say how")
	case r.Canary != nil && r.Canary.Wait == nil:
		return fmt.Errorf("the watch over the canary has no end")
	case r.Validation != nil && r.Validation.Wait == nil:
		return fmt.Errorf("the validation has no end")
	}
	return cmp.Or(nodes(r), marks(r), pending(r))
}

// nodes reports what nodes, deferrals and batches lack.
func nodes(r *record.Run) error {
	for _, id := range slices.Sorted(r.Nodes.Keys()) {
		if !slices.Contains(record.Stages, r.Nodes.Peek(id).Stage) {
			return fmt.Errorf("there is no stage %q (node %s)", r.Nodes.Peek(id).Stage, id)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.Deferrals)) {
		if r.Deferrals[key].Wait == nil {
			return fmt.Errorf("the wait for others on %s has no end", key)
		}
	}
	for _, b := range r.Batches {
		if b.Approved.IsZero() && len(b.Machines) != len(b.Names) {
			return fmt.Errorf("batch %d has %d machines and %d names", b.ID, len(b.Machines), len(b.Names))
		}
	}
	return nil
}

// marks reports what the marks on nodes lack.
func marks(r *record.Run) error {
	for _, machine := range slices.Sorted(maps.Keys(r.Marks)) {
		for _, m := range r.Marks[machine] {
			if err := mark(m, machine); err != nil {
				return err
			}
		}
	}
	return nil
}

// pending reports what the actions under way lack.
func pending(r *record.Run) error {
	for _, key := range slices.Sorted(maps.Keys(r.Pending)) {
		a := r.Pending[key].Action
		if a.Key != key {
			return fmt.Errorf("the action %q is kept as %q", a.Key, key)
		}
		if err := a.Check(); err != nil {
			return err
		}
	}
	return nil
}

// mark reports what one lacks to be taken off again.
func mark(m record.Mark, machine string) error {
	a := m.Put
	switch {
	case record.KindOf(a.Kind).Undo == "":
		return fmt.Errorf("%s is no mark (%q)", a.Kind, a.Key)
	case a.Machine != machine || a.Node == "" || a.Key == "":
		return fmt.Errorf("the mark %q of machine %s is on node %q of machine %q", a.Key, machine, a.Node, a.Machine)
	}
	return a.Check()
}
