package words

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/check"
	"github.com/drainboard/drainboard/engine/world"
)

// Record checks what a process that resumes a run finds in its record, and what it makes of it: the sizes
// are ones that a group can have, unless they were edited by hand. What does not fit is named as it was
// recorded, and is not restored.
func (c *Check) Record(saved record.Run) {
	clear(c.suspended)
	maps.DeleteFunc(c.drains, func(id string, began time.Time) bool { return !saved.Nodes.Peek(id).Since.Equal(began) }) // it began again, and that was lost
	w := c.d.Sim.Truth
	if saved.State == record.NoRun || saved.State == record.Finished || w.Group.Pool != nil {
		return
	}
	before := c.d.Encode(saved)
	if _, unfit := check.Reconcile(saved, w, nil); slices.ContainsFunc(unfit, func(why string) bool { return strings.Contains(why, "sizes") }) {
		c.d.Breaks("record: nobody has edited it, and %q", unfit)
	}
	edited := saved
	edited.Base.Min = edited.Base.Max + max(0, saved.Raise) + 100
	fitted, unfit := check.Reconcile(edited, w, nil)
	c.unrestored(unfit, fmt.Sprintf("will not restore the group's sizes min %d, max %d, desired %d: ", edited.Base.Min, edited.Base.Max, edited.Base.Desired), fitted)
	if fitted.Base != w.Group.Sizes || fitted.Raise != 0 {
		c.d.Breaks("record: sizes that no group can have: %+v, raised by %d, are to be restored", fitted.Base, fitted.Raise)
	}
	if t := (world.Template{ID: "lt-of-another", Version: 7}); w.Group.Template.ID != "" && saved.BaseTemplate != (world.Template{}) {
		edited = saved
		edited.BaseTemplate = t
		fitted, unfit = check.Reconcile(edited, w, nil)
		c.unrestored(unfit, "will not restore the group's launch template "+t.String()+": ", fitted)
		if fitted.BaseTemplate == t {
			c.d.Breaks("record: the template of another group is to be restored")
		}
	}
	c.editedMarks(saved)
	if edited = saved; saved.Lowering == nil {
		edited.Suspended = append(slices.Clone(saved.Suspended), "Launch")
		if fitted, _ = check.Reconcile(edited, w, nil); slices.Contains(fitted.Suspended, "Launch") {
			c.d.Breaks("record: a process is to be resumed that no run suspends: %q", fitted.Suspended)
		}
	}
	if !bytes.Equal(before, c.d.Encode(saved)) {
		c.d.Breaks("record: a look at it has changed it")
	}
}

// editedMarks checks that a record is refused whose marks do not say where they are and what takes them off.
func (c *Check) editedMarks(saved record.Run) {
	for machine, marks := range saved.Marks {
		for what, edit := range map[string]func(*record.Action){
			"machine": func(a *record.Action) { a.Machine = "i-another" }, "node": func(a *record.Action) { a.Node = "" }, "key": func(a *record.Action) { a.Key = "" },
		} {
			edited, list := saved, slices.Clone(marks)
			edit(&list[0].Put)
			edited.Marks = maps.Clone(saved.Marks)
			if edited.Marks[machine] = list; check.Run(&edited) == nil {
				c.d.Breaks("record: a mark of %s has no %s of its own, and nobody minds: %+v", machine, what, list[0].Put)
			}
		}
		return // one is enough
	}
}

// unrestored checks that what is not restored is named, with the reason, and once more at the run's end, with the command
// that would.
func (c *Check) unrestored(unfit []string, begins string, fitted record.Run) {
	i := slices.IndexFunc(unfit, func(why string) bool { return strings.HasPrefix(why, begins) && len(why) > len(begins) })
	if i < 0 {
		c.d.Breaks("record: %q is not said: %q", begins, unfit)
		return
	}
	if !slices.ContainsFunc(fitted.Unrestored, func(what string) bool {
		command, is := strings.CutPrefix(what, unfit[i]+": ")
		return is && strings.Contains(command, " ")
	}) {
		c.d.Breaks("record: %q is not named at the end: %q", unfit[i], fitted.Unrestored)
	}
}
