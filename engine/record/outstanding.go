package record

import (
	"maps"
	"slices"

	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/world"
)

// controller is the ID of the controller that drives the run's group.
func (r *Run) controller() string {
	if c := selfdriven.Of(&world.Group{Provider: r.Provider}); c != nil {
		return c.ID()
	}
	return ""
}

// Outstanding lists what the run has changed and not restored, each with the
// command that would.
func (r *Run) Outstanding() []string { return r.outstanding(false) }

// Abandoned is the same of a run whose record no later run goes by.
func (r *Run) Abandoned() []string { return r.outstanding(true) }

func (r *Run) outstanding(abandoned bool) []string {
	var out []string
	for _, m := range r.AllMarks() {
		if n := r.Nodes.Get(m.Put.Machine); !m.Foreign && !n.Ends && n.Stage != Replaced {
			undo := m.Undo()
			out = append(out, undo.Sentence()+": "+undo.Command())
		}
	}
	for _, name := range r.PausedDeployments {
		a := Action{Kind: LetRoll, Controller: r.controller(), Namespace: r.PausedIn, Object: name}
		out = append(out, a.Sentence()+": "+a.Command())
	}
	for _, a := range r.heldSettings() {
		out = append(out, a.Sentence()+": "+a.Command())
	}
	for _, owner := range slices.Sorted(maps.Keys(r.Singles)) {
		if x := r.Singles[owner]; x.Open() {
			what, command := x.Left()
			out = append(out, what+": "+command)
		}
	}
	for _, process := range r.Suspended {
		a := Action{Kind: Resume, Group: r.Group, Process: process}
		out = append(out, a.Sentence()+": "+a.Command())
	}
	if r.movedTemplate() {
		a := r.TemplateBack()
		out = append(out, a.Sentence()+": "+a.Command())
	}
	for _, id := range slices.Sorted(r.Nodes.Keys()) {
		n := r.Nodes.Get(id)
		_, leaving := r.Pending[DeregisterKey(id)]
		n.OffBalancers = n.OffBalancers || leaving
		if p, asked := r.Pending[DetachKey(id)]; asked && p.Action.Kind == Detach {
			n.Detached = true // it may be
		}
		what, command := r.LeaveOff(id)
		if n.Detached {
			what, command = r.LeaveDetached(id)
		}
		if (n.Detached || n.OffBalancers) && n.Stage != Replaced && n.Stage != Terminating {
			out = append(out, what+": "+command)
		}
	}
	return append(out, r.grown(abandoned)...)
}

// heldSettings are the actions that restore the settings of the group's own controller which the run has set.
func (r *Run) heldSettings() (actions []Action) {
	if h := r.Pace; h != nil {
		actions = append(actions, h.Restore(h.Set))
	}
	if h := r.UpdateConfig; h != nil {
		actions = append(actions, h.Restore("", "", h.Set))
	}
	return actions
}

// movedTemplate reports whether the run has pointed the group at another template. EKS does so by itself.
func (r *Run) movedTemplate() bool {
	t := r.Target.Templates
	return r.Target.Update == nil && len(t) > 0 && t[0] != r.BaseTemplate && !r.Phases[0].End.IsZero()
}
