package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// poolPlan is a plan of a worker pool for programs: with how the pool stands, and what a roll
// of it would meet.
type poolPlan struct {
	planJSON
	Pool poolStatus      `json:"pool"`
	Roll engine.PoolPlan `json:"roll"`
}

// plannedPool is the plan of a worker pool, all of it of one look: how it stands, what a roll
// meets, and what a run of it would do. Gardener begins a roll when the Shoot changes, whether a
// run looks or not.
type plannedPool struct {
	look poolLook
	roll engine.PoolPlan
	run  engine.Plan
}

// planPool shows how a worker pool stands, what a roll of it meets, and what a run would do.
func (a *app) planPool(cmd *cobra.Command, s *session, pool string, f *rollFlags, auto, asJSON bool) error {
	p, err := s.planPool(cmd.Context(), cmd, pool, f, auto)
	if err != nil {
		return err
	}
	if asJSON {
		return indented(a.out, poolPlan{jsonOf(p.run), p.look.status(), p.roll})
	}
	p.write(a.out)
	return nil
}

// planPool looks at a pool once, and plans its run.
func (s *session) planPool(ctx context.Context, cmd *cobra.Command, pool string, f *rollFlags, auto bool) (plannedPool, error) {
	at, err := s.find(ctx, pool, f.where)
	if err != nil {
		return plannedPool{}, err
	}
	rules, settings, err := f.rulesAt(ctx, cmd, auto, s, &at)
	if err != nil {
		return plannedPool{}, usage(err)
	}
	f.into(&settings)
	look, err := s.lookAtPool(ctx, at)
	if err != nil {
		return plannedPool{}, err
	}
	roll := engine.PlanPool(poolRules, look.seen.At, look.world, look.run)
	run, err := s.makePlan(ctx, rules, settings, f, at, look.world)
	return plannedPool{look, roll, run}, err
}

// write shows it to people. What is said of the pool is not said once more of the run.
func (p plannedPool) write(w io.Writer) {
	writePool(w, p.look)
	if p.roll.All && len(p.run.Nodes) == 0 {
		p.writeAtRest(w)
		return
	}
	p.writeMeets(w, "the roll")
	fmt.Fprintln(w)
	said := slices.Concat(p.look.seen.Pool.Unknown, p.roll.Said)
	if len(p.run.Nodes) == 0 && len(p.run.Run.Target.Only) == 0 {
		fmt.Fprintf(w, "%s: to be updated still: %s, and none that a run could take now.\n", p.look.stands.Name, plural(len(p.roll.Nodes), "node"))
		list(w, "Note:", p.run.Warnings)
		return
	}
	run := p.run
	run.NotEvaluated = slices.Clone(run.NotEvaluated)
	for _, line := range p.roll.NotEvaluated {
		if !slices.Contains(run.NotEvaluated, line) {
			run.NotEvaluated = append(run.NotEvaluated, line)
		}
	}
	writePlan(w, run, said)
}

// writeAtRest shows what a roll would meet while there is none.
func (p plannedPool) writeAtRest(w io.Writer) {
	pool := p.look.seen.Pool
	starts := "Gardener begins a roll when the Shoot changes, in an order of its own"
	if pool.Update == world.ManualInPlaceUpdate {
		starts = "when the Shoot changes its nodes become candidates, and drainboard upgrade " + pool.Name + " selects them in batches"
	}
	fmt.Fprintf(w, "\n%s: nothing is outdated as of %s; %s.\n", pool.Name, p.roll.AsOf.Local().Format("15:04:05"), starts)
	list(w, "Note:", p.run.Warnings)
	if len(p.roll.Nodes) == 0 {
		fmt.Fprintln(w, "No node of the pool has joined: nothing is known that a roll would meet.")
	} else {
		fmt.Fprint(w, "It would take all nodes:\n\n")
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "NODE\tZONE\tVERSION\tEVICT\tVOLUMES\tSTAY\tFORESEEN")
		for _, n := range p.roll.Nodes {
			fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%d\t%s\n", n.Name, dash(n.Zone), dash(n.Version), n.Evict, n.Volumes, n.Stay, foreseenText(engine.PlannedNode{Foreseen: n.Foreseen, NotEvaluated: n.NotEvaluated}))
		}
		t.Flush()
	}
	p.writeMeets(w, "a roll")
	list(w, "\nNot evaluated, so that nothing is said of it above:", slices.DeleteFunc(slices.Clone(p.roll.NotEvaluated), func(line string) bool { return slices.Contains(pool.Unknown, line) }))
	fmt.Fprintf(w, "\nWhat a change of the Shoot would do: drainboard plan --provider gardener --shoot %s --garden-kubeconfig FILE --change NEW.yaml\n", cmp.Or(pool.Shoot, "NAMESPACE/NAME"))
}

// writeMeets shows what is in the way of a roll.
func (p plannedPool) writeMeets(w io.Writer, roll string) {
	var meets []string
	for _, o := range p.roll.Meets {
		meets = append(meets, o.Text)
	}
	list(w, "\nIn the way of "+roll+", or down for a while:", short(meets))
	unclear := slices.ContainsFunc(p.roll.Nodes, func(n engine.PoolNode) bool { return len(n.Foreseen) > 0 || n.NotEvaluated != "" })
	if len(meets) == 0 && len(p.roll.Nodes) > 0 && !unclear && len(foreseen(p.run)) == 0 {
		fmt.Fprintln(w, "\nNothing is in the way of "+roll+", as far as is known.")
	}
}
