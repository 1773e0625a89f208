package sim_test

import (
	"fmt"
	"testing"

	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// The panel of a pool counts the nodes that were updated in place beside the new ones, and has
// the limits that such a pool has by default.
func TestPanelOfAPoolUpdatedInPlace(t *testing.T) {
	c := script.New()
	if _, err := c.Do(`cluster provider=gardener update=AutoInPlaceUpdate zones=a,b nodes=6
settings strategy=gardener-inplace max-surge=1 order=name
fault update b1 fails why=bad-image
start
run for=20m`); err != nil {
		t.Fatal(err)
	}
	v := snapshot.View(c.Driver.Rules, c.Sim.Now(), c.Sim.View, c.Driver.Run, snapshot.Look{}, nil)
	var got string
	for _, z := range v.Pool.Zones {
		got += fmt.Sprintf("%s %d of %d updated; ", z.Name, z.Updated, z.Total)
	}
	if want := "a 3 of 3 updated; b 0 of 3 updated; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if want := "[b1: in-place update failed: bad image; out of service until updated]"; fmt.Sprint(v.Pool.Failed) != want {
		t.Errorf("%v, want %s", v.Pool.Failed, want)
	}
	if l, want := v.Pool.Limits, world.DefaultLimits(world.AutoInPlaceUpdate); l.Drain != want.Drain || !l.NoHealth || !l.Guessed {
		t.Errorf("limits: %+v", l)
	}
}
