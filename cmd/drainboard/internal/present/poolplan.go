package present

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// PlannedPool is the plan of a worker pool, all of it of one moment: its state, what blocks a
// roll, and what a run would do. Gardener starts a roll when the Shoot changes, with or without
// a run.
type PlannedPool struct {
	At   PoolState
	Roll snapshot.PoolPlan
	Run  snapshot.Plan
}

// JSON returns the plan as a JSON document.
func (p PlannedPool) JSON() api.GroupPlan {
	out, pool := PlanOf(p.Run), p.At.Status()
	out.Pool, out.ControllerRoll = &pool, controllerRollOf(p.Roll, p.At.Others)
	return out
}

// Write writes it as text, with wide all nodes however many there are. Sentences on the pool
// are not repeated for the run.
func (p PlannedPool) Write(w io.Writer, wide bool) {
	WritePool(w, p.At)
	if p.Roll.All && len(p.Run.Nodes) == 0 {
		p.writeAtRest(w, wide)
		return
	}
	p.writeMeets(w, "the roll")
	fmt.Fprintln(w)
	said := slices.Concat(p.At.Seen.Pool.Unknown, p.Roll.Said)
	if len(p.Run.Nodes) == 0 && len(p.Run.Run.Target.Only) == 0 {
		fmt.Fprintf(w, "%s: %s left to update, none of which a run could take now.\n", p.At.Stands.Name, plural(len(p.Roll.Nodes), "node"))
		List(w, "Note:", p.Run.Warnings)
		return
	}
	run := p.Run
	run.NotEvaluated = slices.Clone(run.NotEvaluated)
	for _, line := range p.Roll.NotEvaluated {
		if !slices.Contains(run.NotEvaluated, line) {
			run.NotEvaluated = append(run.NotEvaluated, line)
		}
	}
	WritePlan(w, run, said, wide)
}

// writeAtRest writes what would block a roll while there is none.
func (p PlannedPool) writeAtRest(w io.Writer, wide bool) {
	pool := p.At.Seen.Pool
	starts := "Gardener starts a roll when the Shoot changes, in its own order"
	if pool.Update == world.ManualInPlaceUpdate {
		starts = "when the Shoot changes, its nodes become candidates, and drainboard upgrade " + pool.Name + " selects them in batches"
	}
	fmt.Fprintf(w, "\n%s: nothing is outdated as of %s; %s.\n", pool.Name, p.Roll.AsOf.Local().Format("15:04:05"), starts)
	List(w, "Note:", p.Run.Warnings)
	if len(p.Roll.Nodes) == 0 {
		fmt.Fprintln(w, "No node of the pool has joined: what would block a roll is unknown.")
	} else {
		fmt.Fprint(w, "A roll would update all nodes:\n\n")
		writePoolNodes(w, p.Roll.Nodes, wide)
	}
	p.writeMeets(w, "a roll")
	List(w, "\nNot evaluated:", slices.DeleteFunc(slices.Clone(p.Roll.NotEvaluated), func(line string) bool { return slices.Contains(pool.Unknown, line) }))
	fmt.Fprintf(w, "\nWhat a change of the Shoot would do: drainboard plan --provider gardener --shoot %s --garden-kubeconfig FILE --change NEW.yaml\n", cmp.Or(pool.Shoot, "NAMESPACE/NAME"))
}

// writeMeets writes what blocks a roll.
func (p PlannedPool) writeMeets(w io.Writer, roll string) {
	var meets []string
	for _, o := range p.Roll.Meets {
		meets = append(meets, o.Text)
	}
	List(w, "\nForeseen blockers and downtime of "+roll+":", meets)
	unclear := slices.ContainsFunc(p.Roll.Nodes, func(n snapshot.PoolNode) bool { return len(n.Foreseen) > 0 || n.NotEvaluated != "" })
	if len(meets) == 0 && len(p.Roll.Nodes) > 0 && !unclear && len(Foreseen(p.Run)) == 0 {
		fmt.Fprintln(w, "\nNo known blocker of "+roll+".")
	}
}
