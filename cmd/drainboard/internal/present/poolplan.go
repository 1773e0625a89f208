package present

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// PlannedPool is the plan of a worker pool, all of it of one look: how it stands, what a roll
// meets, and what a run of it would do. Gardener begins a roll when the Shoot changes, whether a
// run looks or not.
type PlannedPool struct {
	Look PoolLook
	Roll snapshot.PoolPlan
	Run  snapshot.Plan
}

// JSON is the plan for programs.
func (p PlannedPool) JSON() api.GroupPlan {
	out, pool := PlanOf(p.Run), p.Look.Status()
	out.Pool, out.ControllerRoll = &pool, controllerRollOf(p.Roll, p.Look.Others)
	return out
}

// Write shows it to people. What is said of the pool is not said once more of the run.
func (p PlannedPool) Write(w io.Writer) {
	WritePool(w, p.Look)
	if p.Roll.All && len(p.Run.Nodes) == 0 {
		p.writeAtRest(w)
		return
	}
	p.writeMeets(w, "the roll")
	fmt.Fprintln(w)
	said := slices.Concat(p.Look.Seen.Pool.Unknown, p.Roll.Said)
	if len(p.Run.Nodes) == 0 && len(p.Run.Run.Target.Only) == 0 {
		fmt.Fprintf(w, "%s: to be updated still: %s, and none that a run could take now.\n", p.Look.Stands.Name, plural(len(p.Roll.Nodes), "node"))
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
	WritePlan(w, run, said)
}

// writeAtRest shows what a roll would meet while there is none.
func (p PlannedPool) writeAtRest(w io.Writer) {
	pool := p.Look.Seen.Pool
	starts := "Gardener begins a roll when the Shoot changes, in an order of its own"
	if pool.Update == world.ManualInPlaceUpdate {
		starts = "when the Shoot changes its nodes become candidates, and drainboard upgrade " + pool.Name + " selects them in batches"
	}
	fmt.Fprintf(w, "\n%s: nothing is outdated as of %s; %s.\n", pool.Name, p.Roll.AsOf.Local().Format("15:04:05"), starts)
	List(w, "Note:", p.Run.Warnings)
	if len(p.Roll.Nodes) == 0 {
		fmt.Fprintln(w, "No node of the pool has joined: nothing is known that a roll would meet.")
	} else {
		fmt.Fprint(w, "It would take all nodes:\n\n")
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "NODE\tZONE\tVERSION\tEVICT\tVOLUMES\tSTAY\tFORESEEN")
		for _, n := range p.Roll.Nodes {
			fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%d\t%s\n", n.Name, dash(n.Zone), dash(n.Version), n.Evict, n.Volumes, n.Stay, foreseenText(snapshot.PlannedNode{Foreseen: n.Foreseen, NotEvaluated: n.NotEvaluated}))
		}
		t.Flush()
	}
	p.writeMeets(w, "a roll")
	List(w, "\nNot evaluated, so that nothing is said of it above:", slices.DeleteFunc(slices.Clone(p.Roll.NotEvaluated), func(line string) bool { return slices.Contains(pool.Unknown, line) }))
	fmt.Fprintf(w, "\nWhat a change of the Shoot would do: drainboard plan --provider gardener --shoot %s --garden-kubeconfig FILE --change NEW.yaml\n", cmp.Or(pool.Shoot, "NAMESPACE/NAME"))
}

// writeMeets shows what is in the way of a roll.
func (p PlannedPool) writeMeets(w io.Writer, roll string) {
	var meets []string
	for _, o := range p.Roll.Meets {
		meets = append(meets, o.Text)
	}
	List(w, "\nIn the way of "+roll+", or down for a while:", short(meets))
	unclear := slices.ContainsFunc(p.Roll.Nodes, func(n snapshot.PoolNode) bool { return len(n.Foreseen) > 0 || n.NotEvaluated != "" })
	if len(meets) == 0 && len(p.Roll.Nodes) > 0 && !unclear && len(Foreseen(p.Run)) == 0 {
		fmt.Fprintln(w, "\nNothing is in the way of "+roll+", as far as is known.")
	}
}
