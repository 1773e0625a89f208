package record

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Raise is what runs of a group have added to its sizes and not taken back.
type Raise struct {
	// Run raised them, At that time; a later one that inherits the raise keeps both.
	Run string    `json:"run"`
	At  time.Time `json:"at"`
	// Desired and Max are by how much.
	Desired int `json:"desired,omitempty"`
	Max     int `json:"max,omitempty"`
	// Sizes are the group's, as the run that left it knew them.
	Sizes world.Sizes `json:"sizes"`
	// Unsure: nobody knows whether it happened, the answer was lost; Sizes are then those
	// before it.
	Unsure bool `json:"unsure,omitempty"`
	// OpenEnds are the terminations with decrement of which nobody knows whether they took
	// the desired size down: Desired is without them.
	OpenEnds int `json:"openEnds,omitempty"`
	// Doubtful is how much more of the desired size may be ours, or others'. It is named,
	// and not taken back.
	Doubtful int `json:"doubtful,omitempty"`
}

// Lowering is how far the desired size is lowered to the machines that there are.
type Lowering struct {
	Began time.Time `json:"began"`
	// Stopped is since when nothing launches or ends, zero before.
	Stopped time.Time `json:"stopped,omitzero"`
	// Sizes and Machines are what the group had at Read, the first of two reads after that
	// which have to be alike; Read is zero before.
	Sizes    world.Sizes `json:"sizes,omitzero"`
	Machines []string    `json:"machines,omitempty"`
	Read     time.Time   `json:"read,omitzero"`
	// By is by how much the desired size was lowered: as many machines had never come, or were
	// gone.
	By int `json:"by,omitempty"`
	// SetAt is when the desired size was set, zero before. Over: nothing more is set.
	SetAt time.Time `json:"setAt,omitzero"`
	Over  bool      `json:"over,omitempty"`
	// Unsure is by how much it may have been lowered: the answer was lost.
	Unsure int `json:"unsure,omitempty"`
}

// Emptied is by how much the run has lowered the desired size where no machine stood for it.
func (r *Run) Emptied() int {
	if r.Lowering == nil {
		return 0
	}
	return r.Lowering.By
}

// Holds reports whether the run knows of a raise of the group's, its own or an inherited
// one.
func (r *Run) Holds() bool { return r.Raised || r.Inherited != nil }

// Surge is how much of the group's desired size is ours.
func (r *Run) Surge() int {
	switch {
	case r.Raised:
		return r.Raise + len(r.AskedZones) - r.Lowered
	case r.Inherited != nil:
		return r.Inherited.Desired - r.Lowered
	}
	return 0
}

// Goal is the desired size that the group returns to: the one before the first run, and what
// others have changed since, but no less than the group's minimum.
func (r *Run) Goal(least int) int { return max(r.Base.Desired+r.Others, least) }

// Expected is the group's desired size as our changes left it.
func (r *Run) Expected() int { return r.Base.Desired + r.Others + r.Surge() }

// Excess is how much of the desired size the run takes back, in a group with that minimum.
func (r *Run) Excess(least int) int {
	if !r.Holds() {
		return 0
	}
	return max(0, r.Expected()-r.Goal(least))
}

// Inherit takes over what an earlier run of the group has left of its raise, as far as the
// group shows it now: the desired size is what that run left, and what others have changed
// since. Where they have lowered it, it may be ours that they took: then only what is ours
// in any case is inherited, and the rest is in doubt.
func (r *Run) Inherit(left Raise, now world.Sizes) {
	changed := now.Desired - left.Sizes.Desired
	switch {
	case left.Unsure && changed == left.Desired && now.Max == left.Sizes.Max+left.Max:
	case left.Unsure:
		if changed != 0 {
			left.Doubtful += left.Desired
		}
		left.Desired, left.Max = 0, 0
	case changed > 0 && changed <= left.OpenEnds: // these took nothing down, or others raised it
		left.Doubtful += changed
	case changed < 0 && -changed >= left.Desired && (left.Max == 0 || now.Max != left.Sizes.Max): // as the command does that takes it back
		left.Desired = 0
	case changed < 0:
		sure := max(0, left.Desired+changed)
		left.Doubtful += left.Desired - sure
		left.Desired = sure
	}
	if !left.Unsure && now.Max != left.Sizes.Max { // others have set it
		left.Max = 0
	}
	left.Unsure, left.OpenEnds, left.Sizes = false, 0, now
	if left.none() {
		return
	}
	r.Base = world.Sizes{Min: now.Min, Max: now.Max - left.Max, Desired: now.Desired - left.Desired}
	r.Inherited, r.MaxSet = &left, now.Max
}

// RemainingRaise is what the run leaves of its raise, in a group with these sizes; nil for
// nothing.
func (r *Run) RemainingRaise(g world.Sizes) *Raise {
	left := Raise{Run: r.ID, At: r.RaisedAt, Desired: r.Excess(g.Min), Sizes: g}
	if r.Inherited != nil {
		left.Run, left.At, left.Doubtful = r.Inherited.Run, r.Inherited.At, r.Inherited.Doubtful
	}
	left.Doubtful += r.Doubtful
	switch {
	case !r.Raised && r.RaiseUnsure && r.Inherited == nil:
		left.Unsure, left.Desired, left.Max, left.Sizes = true, r.Raise, r.MaxSet-r.RaisedFrom.Max, r.RaisedFrom
		return &left
	case !r.Holds():
		return nil
	}
	left.Sizes.Desired = r.Expected()
	last := time.Time{}
	for _, p := range r.Pending { // it may not show yet
		if a := p.Action; a.Kind == SetSizes && a.Sizes.Max != a.From.Max && !p.Accepted.IsZero() && p.Asked.After(last) {
			left.Sizes.Max, last = a.Sizes.Max, p.Asked
		}
	}
	if left.Sizes.Max == r.MaxSet {
		left.Max = max(0, r.MaxSet-r.Base.Max)
	}
	left.OpenEnds = r.Doubted
	if r.RaiseUnsure && !r.Raised {
		left.OpenEnds += r.Raise - r.Inherited.Desired
	}
	left.OpenEnds += r.OpenEnds()
	if left.none() {
		return nil
	}
	return &left
}

// OpenEnds counts the ends with decrement that nobody knows to be granted.
func (r *Run) OpenEnds() (n int) {
	for _, p := range r.Pending {
		if p.Action.Kind == Terminate && p.Action.Decrement && p.Accepted.IsZero() {
			n++
		}
	}
	return n
}

// none reports whether nothing of a raise can be taken back, nor has to be named: a maximum
// that is not above what the group is to have stays.
func (left *Raise) none() bool {
	return left.Desired == 0 && left.Doubtful == 0 && min(left.Max, left.Sizes.Max-left.Sizes.Desired) <= 0
}

// TemplateBack is the action that gives the group its template back.
func (r *Run) TemplateBack() Action {
	to, spec := r.BaseTemplate, r.BaseTemplateSpec
	if spec == "$Latest" && r.Target.Image != "" { // which the version that we made is now
		spec = strconv.FormatInt(to.Version, 10)
	}
	return Action{Kind: SetTemplate, Key: RestoreTemplate, Group: r.Group, Template: &to, TemplateSpec: spec, Mixed: r.Mixed}
}

// Shrink is the command that takes so many machines of the surge away again, each drained
// first: none is ended that was not. Those that nothing was to run on go first. It sets no size,
// because others may have changed those since. Where so many nodes of the surge are not known,
// it is the command unknown.
func (r *Run) Shrink(count int, unknown string) string {
	var spare []string
	for _, id := range slices.Sorted(r.Nodes.Keys()) {
		if n := r.Nodes.Get(id); n.New && n.Name != "" && !n.Detached && n.Stage != Replaced && n.Stage != Terminating {
			spare = append(spare, id)
		}
	}
	if len(spare) < count {
		return unknown
	}
	slices.SortStableFunc(spare, func(a, b string) int {
		rank := func(id string) int { return slices.Index([]Stage{Launching, Surplus}, r.Nodes.Peek(id).Stage) }
		return cmp.Compare(rank(b), rank(a))
	})
	var out []string
	for _, id := range spare[:count] {
		out = append(out, "kubectl drain "+r.Nodes.Peek(id).Name+" --ignore-daemonsets", Action{Kind: Terminate, Machine: id, Decrement: true}.Command())
	}
	return strings.Join(out, " && ")
}

// RaiseText says of a raise that a run has left, or inherits, what it is, and the command that
// takes it back.
func (r *Run) RaiseText(left *Raise) (what, command string) {
	if left.Unsure {
		return text.RaiseMaybe(left.Desired, left.Run), text.ActivitiesCommand(r.Group)
	}
	return text.RaiseLeft(left.Desired, left.Max, left.Doubtful, left.Run), text.TakesBack(r.Group)
}

// grown lists what the run has made of the group's sizes and not taken back, each with
// the command that does: it ends the run, or where the record is given up does without it.
func (r *Run) grown(abandoned bool) (out []string) {
	shrink, lower := text.AbortsRetiring(r.Group), text.Aborts(r.Group)
	n := r.Surge()
	if abandoned {
		shrink, lower = r.Shrink(n, text.GroupCommand(r.Group)), text.LowerMax(r.Group, r.Base.Max)
	}
	if n > 0 {
		out = append(out, text.Larger(r.Group, n, r.Base.String(), shrink))
	}
	if r.RaiseUnsure && !r.Raised {
		out = append(out, text.MaybeLarger(r.Group, r.Raise, r.Base.String(), text.ActivitiesCommand(r.Group)))
	}
	if n <= 0 && r.Raised && r.MaxSet > r.Base.Max {
		out = append(out, text.MaximumRaised(r.MaxSet, r.Base.Max, lower))
	}
	return out
}
