package check

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// OtherGroup says why a record is not one of the group that it is kept for, "" if it
// is: then nothing in it speaks of what is there now.
func OtherGroup(r *record.Run, w *world.World) string {
	g := &w.Group
	switch {
	case r.Provider != g.Provider || r.Group != g.Name:
		return text.OfGroup(r.Provider, r.Group)
	case r.GroupID != "" && g.ID != "" && r.GroupID != g.ID:
		return text.GroupRecreated(r.GroupID, g.ID)
	}
	return ""
}

// Reconcile compares what a run is to restore with the group and the nodes as they are,
// after a look at both: a record may have been edited by hand, and much may have
// changed while nobody drove the run. unfit says what does not fit, a sentence each.
// fitted is the run without it: nothing of that is restored, and the run names it at
// its end, each with the command that would have. gone are templates of the run that
// do not exist (any more). It changes neither r nor w.
func Reconcile(r record.Run, w *world.World, gone []world.Template) (fitted record.Run, unfit []string) {
	f := reconciler{r: r, w: w}
	f.r.Unrestored = slices.Clip(r.Unrestored)
	f.r.Marks, f.r.Suspended = maps.Clone(r.Marks), slices.Clone(r.Suspended)
	if w.Group.Pool == nil { // sizes and templates of a worker pool are the Shoot's, and no run changes them
		f.sizes()
		f.template(gone)
	}
	f.processes()
	f.marks()
	return f.r, f.mismatch
}

// reconciler takes out of a run what does not fit.
type reconciler struct {
	r        record.Run
	w        *world.World
	mismatch []string
}

// drop notes that something is not restored, and the command that would.
func (f *reconciler) drop(what, command string) {
	f.mismatch = append(f.mismatch, what)
	f.r.Unrestored = append(f.r.Unrestored, what+": "+command)
}

// Sizes says why the sizes that the run is to restore are none, or none that it can have
// found; "" if they are.
func Sizes(r *record.Run) string {
	b, least, most := r.Base, r.Base.Desired, r.Base.Max
	if left := r.Inherited; left != nil { // worked out: what others raised since counts in it
		most += left.Max
		least = most
	}
	switch {
	case b.Min < 0 || b.Min > least || b.Desired > most:
		return text.SizesImpossible
	case r.Raise < 0 || r.Lowered < 0 || r.MaxSet > 0 && r.MaxSet < b.Max:
		return text.SizesUnreachable(r.Raise, r.Lowered, r.MaxSet)
	}
	return ""
}

// sizes takes the sizes out if they are none, or the group could not have them.
func (f *reconciler) sizes() {
	r, g := &f.r, &f.w.Group
	b, why := r.Base, Sizes(r)
	if why == "" {
		return
	}
	f.drop(text.SizesMismatch(b.String(), why), text.DescribeGroup(r.Group)) // to set them might end machines that serve
	r.Base, r.Raise, r.Lowered, r.Doubted, r.MaxSet, r.AskedZones = g.Sizes, 0, 0, 0, 0, nil
	r.Raised, r.RaiseUnsure, r.Inherited, r.Others = !r.Phases[0].End.IsZero(), false, nil, 0
	r.RaisedFrom, r.RaisedAt = world.Sizes{}, time.Time{}
	r.Pending = maps.Clone(r.Pending)
	maps.DeleteFunc(r.Pending, func(_ string, p record.Pending) bool { return p.Action.Kind == record.SetSizes })
}

// template takes the template to restore out if it does not exist, or is not a
// version of what the group launches from.
func (f *reconciler) template(gone []world.Template) {
	r, g := &f.r, &f.w.Group
	base, spec := r.BaseTemplate, r.BaseTemplateSpec
	why := ""
	switch {
	case g.Template.ID == "" || base == g.Template && spec == g.TemplateSpec:
		return
	case base.ID != g.Template.ID:
		why = text.OtherTemplate(g.Template.String())
	case !slices.Contains([]string{"", "$Latest", "$Default"}, spec) && spec != strconv.FormatInt(base.Version, 10):
		why = text.SetAsVersion(spec)
	case slices.Contains(gone, base):
		why = text.NoSuchVersion
	default:
		return
	}
	back := record.Action{Kind: record.SetTemplate, Group: r.Group, Template: &base, TemplateSpec: cmp.Or(spec, strconv.FormatInt(base.Version, 10)), Mixed: g.Mixed}
	f.drop(text.TemplateMismatch(base.String(), why), back.Command())
	r.BaseTemplate, r.BaseTemplateSpec = g.Template, g.TemplateSpec
}

// needed are processes of a group without which no run works: none suspends them, but the first
// two while it lowers the desired size at its end.
var needed = []string{"Launch", "Terminate", "AddToLoadBalancer"}

// processes takes out what no run suspends.
func (f *reconciler) processes() {
	r := &f.r
	for _, process := range slices.Clone(r.Suspended) {
		if !slices.Contains(needed, process) && process != "" || r.Lowering != nil && slices.Contains(needed[:2], process) {
			continue
		}
		r.Suspended = slices.DeleteFunc(r.Suspended, func(p string) bool { return p == process })
		if f.w.Group.HasSuspended(process) {
			a := record.Action{Kind: record.Resume, Group: r.Group, Process: process}
			f.drop(text.NotSuspendedByRuns(process), a.Command())
		}
	}
}

// marks takes out marks on nodes of machines that neither the group nor the run
// knows, and on nodes that are another machine's.
func (f *reconciler) marks() {
	r := &f.r
	for _, machine := range slices.Sorted(maps.Keys(r.Marks)) {
		ours := r.Nodes.Has(machine)
		ours = ours || f.w.Machine(machine) != nil
		r.Marks[machine] = slices.DeleteFunc(slices.Clone(r.Marks[machine]), func(m record.Mark) bool {
			node := f.w.Node(m.Put.Node)
			why := ""
			switch {
			case m.Foreign || node == nil:
				return false
			case !ours:
				why = text.NotOfGroup(machine)
			case node.Machine != machine && f.w.NodeOf(machine) != nil:
				why = text.NodeOfOther(node.Machine, machine)
			default:
				return false
			}
			undo := m.Undo()
			if !undo.IsSeen(f.w) {
				f.drop(text.NotDone(undo.Sentence(), why), undo.Command())
			}
			return true
		})
		if len(r.Marks[machine]) == 0 {
			delete(r.Marks, machine)
		}
	}
}
