package script_test

import (
	"fmt"

	"github.com/drainboard/drainboard/engine/sim/script"
)

// A script makes a cluster in a few lines, plans a run and plays it on a virtual clock. Every
// step is checked against the rules. Do returns what happened, as the scenarios of
// engine/testdata show it.
func ExampleScript() {
	script := script.New()
	for _, line := range []string{
		"cluster zones=a,b nodes=2",
		"workload web replicas=2",
		"budget web min=1",
		"start",
		"run until=end",
	} {
		if out, err := script.Do(line); err != nil {
			fmt.Println(out, err)
			return
		}
	}
	fmt.Println(len(script.Planned.Nodes), "nodes:", script.Driver.Run.Result)
	// Output: 2 nodes: succeeded
}
