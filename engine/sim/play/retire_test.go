package play

import (
	"fmt"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/world"
)

// A roll of 1,000 nodes at 50 at once, aborted after 108, has 50 machines too many, and pods that
// came meanwhile on them. They are retired at the end of the run, or by a run of their own: the sizes
// are exactly those before, new machines went for them, and no node that was not drained.
func TestRetireOfManyNodes(t *testing.T) {
	t.Run("abort", func(t *testing.T) {
		t.Parallel()
		c := manyNodes(t)
		before := there(c)
		play(c, t, "operator abort retire\nrun until=end")
		retired(c, t, before)
	})
	t.Run("later", func(t *testing.T) {
		t.Parallel()
		c := manyNodes(t)
		before := there(c)
		play(c, t, "operator abort\nrun until=end")
		if left := c.Driver.Run.RaiseLeft; left == nil || left.Desired < surgeOfMany*9/10 {
			t.Fatalf("the run has left %+v", left)
		}
		aborted := c.Driver.Events
		play(c, t, "retire")
		c.Driver.Audit, c.Driver.Events = 1<<30, aborted
		play(c, t, "run until=end")
		retired(c, t, before)
	})
}

const (
	// surgeOfMany is how many nodes go at once, and how many machines more the group has.
	surgeOfMany = 50
	many        = 1000
)

// manyNodes is a roll of 1,000 nodes of which 108 are replaced, and 50 are on their way.
func manyNodes(t *testing.T) *script.Script {
	t.Helper()
	c := script.New()
	c.Hurried = true
	given := fmt.Sprintf("cluster zones=a,b,c nodes=%d slots=3\nworkload logs kind=daemonset\nsettings max-unavailable=%d post-drain-wait=10s\n", many, surgeOfMany)
	for _, name := range []string{"web", "shop"} {
		given += fmt.Sprintf("workload %s replicas=%d stop=2s\nbudget %s max=10%%\n", name, many, name)
	}
	play(c, t, given+"start")
	c.Driver.Audit = 1 << 30
	for done := 0; done < 108; done, _ = c.Driver.Run.Outdated() {
		play(c, t, "run until=replaced")
	}
	play(c, t, fmt.Sprintf("user scale web=%d\nrun for=15s", many+200))
	return c
}

// play says lines that have to be carried out.
func play(c *script.Script, t *testing.T, lines string) {
	t.Helper()
	if out, err := c.Do(lines); err != nil {
		t.Fatal(err, out)
	}
}

// there are the machines of the group that have a node, by its name.
func there(c *script.Script) map[string]world.Template {
	out := map[string]world.Template{}
	for _, m := range c.Sim.Alive() {
		if out[m.Name] = m.Template; c.Sim.Truth.Node(m.Name) == nil {
			delete(out, m.Name)
		}
	}
	return out
}

// retired checks that the group has its size again, that as many new machines have gone as it
// had too many, and that every machine that has gone was drained.
func retired(c *script.Script, t *testing.T, before map[string]world.Template) {
	t.Helper()
	r, now := &c.Driver.Run, there(c)
	if got, want := c.Sim.Group.Sizes, (world.Sizes{Max: many, Desired: many}); got != want || len(now) != many || r.RaiseLeft != nil || len(r.Unrestored) > 0 {
		t.Errorf("the group has %s and %d machines, before it had %s; left: %+v %v", got, len(now), want, r.RaiseLeft, r.Unrestored)
	}
	drained := map[string]bool{}
	for _, e := range c.Driver.Events {
		drained[e.Node] = drained[e.Node] || e.Type == record.NodeDrained
	}
	fresh := 0
	for name, template := range before {
		if _, stays := now[name]; stays {
			continue
		}
		if template == c.Sim.Group.Template {
			fresh++
		}
		if !drained[name] {
			t.Errorf("%s has gone without a drain", name)
		}
	}
	if fresh < surgeOfMany*9/10 || fresh > surgeOfMany { // a few had just been launched
		t.Errorf("%d new nodes have gone, the group had %d too many", fresh, surgeOfMany)
	}
}
