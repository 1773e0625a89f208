package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Check reports what a run that was read lacks to be gone on with: a record may have
// been cut off, or edited by hand. What it says of the group is for Fit.
func (r *Run) Check() error {
	switch {
	case r.ID == "":
		return fmt.Errorf("the run has no id")
	case r.Group == "" || r.Provider == "":
		return fmt.Errorf("it does not say of which group it is")
	case !slices.Contains([]State{Planned, Running, Paused, Ending, Finished}, r.State):
		return fmt.Errorf("there is no state %q", r.State)
	case r.State != Finished && len(r.Phases) == 0:
		return fmt.Errorf("the run has no phases")
	case r.Limit < 0 || r.Limit == 0 && r.State != Finished && !r.Phases[0].End.IsZero(): // the first phase resolves it
		return fmt.Errorf("the limit of nodes out of service is %d", r.Limit)
	case r.State == Ending && r.PhaseWait == nil:
		return fmt.Errorf("the run ends and has no deadline for it")
	case r.State == Ending && r.Result == "":
		return fmt.Errorf("the run ends and does not say how")
	case r.Canary != nil && r.Canary.Wait == nil:
		return fmt.Errorf("the watch over the canary has no end")
	case r.Validation != nil && r.Validation.Wait == nil:
		return fmt.Errorf("the validation has no end")
	}
	return cmp.Or(r.checkNodes(), r.checkMarks(), r.checkPending())
}

// checkNodes reports what nodes, deferrals and batches lack.
func (r *Run) checkNodes() error {
	for _, id := range slices.Sorted(r.Nodes.Keys()) {
		if !slices.Contains(Stages, r.Nodes.Peek(id).Stage) {
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

// checkMarks reports what the marks on nodes lack.
func (r *Run) checkMarks() error {
	for _, machine := range slices.Sorted(maps.Keys(r.Marks)) {
		for _, m := range r.Marks[machine] {
			if err := m.Check(machine); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPending reports what the actions under way lack.
func (r *Run) checkPending() error {
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

// Stages are all stages of a node.
var Stages = []Stage{Outdated, Queued, Draining, Settling, Terminating, Replaced, Launching, Ready, Surplus, Updating, Unreachable, NodeFail, Skipped}

// Check reports what a mark lacks to be taken off again.
func (m Mark) Check(machine string) error {
	a := m.Put
	switch {
	case KindOf(a.Kind).Undo == "":
		return fmt.Errorf("%s is no mark (%q)", a.Kind, a.Key)
	case a.Machine != machine || a.Node == "" || a.Key == "":
		return fmt.Errorf("the mark %q of machine %s is on node %q of machine %q", a.Key, machine, a.Node, a.Machine)
	}
	return a.Check()
}

// Check reports what an action lacks without which it cannot be looked up.
func (a *Action) Check() error {
	if _, known := kindsByName[a.Kind]; !known {
		return fmt.Errorf("there is no action %q (%q)", a.Kind, a.Key)
	}
	if lacks := a.Lacks(); lacks != "" {
		return fmt.Errorf("the action %q has no %s", a.Key, lacks)
	}
	return nil
}
