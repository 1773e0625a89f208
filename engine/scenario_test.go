package engine_test

import (
	"bytes"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/api/apitest"
	"github.com/drainboard/drainboard/engine/sim/script"
)

// TestScenario runs the files of testdata, each a lesson on what the engine and
// its strategies do: a cluster in a few lines, and below each command what
// happened. go test ./engine -run Scenario -rewrite rewrites them. What programs get of
// the events is as their schema has it.
func TestScenario(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		script := script.New()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			text := d.Input
			if d.Cmd != "given" {
				text = d.FullCmd() + "\n" + d.Input
			}
			out, err := script.Do(text)
			if err != nil {
				t.Errorf("%s: %s\n%v", d.Pos, out, err)
				return out + "ERROR: " + err.Error() + "\n"
			}
			return out
		})
		if script.Driver == nil || len(script.Driver.Events) == 0 {
			return
		}
		var printed bytes.Buffer
		for _, e := range script.Driver.Events {
			printed.Write(api.Marshal(api.EventOf(e)))
		}
		apitest.Valid(t, printed.Bytes())
	})
}
