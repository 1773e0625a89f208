package ui

import (
	"testing"

	"github.com/drainboard/drainboard/engine"
)

// Beside the time that a node still has stands what happens to it then.
func TestADeadlineSaysWhatHappensThen(t *testing.T) {
	for policy, want := range map[engine.TimeoutPolicy]string{
		engine.TimeoutFail: "fails in 11:42", engine.TimeoutSkip: "is skipped in 11:42", engine.TimeoutForce: "is forced in 11:42",
	} {
		t.Run(string(policy), func(t *testing.T) {
			s := busy()
			s.Blockers[0].AtDeadline = policy
			sit(t, 120, 36, s).Expect(want).Press("tab", "down", "enter").Expect("way out", want)
		})
	}
}
