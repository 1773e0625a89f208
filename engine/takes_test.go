package engine

import (
	"testing"

	"github.com/drainboard/drainboard/engine/world"
)

// noRules is a strategy that leaves everything to the shared parts.
type noRules struct{ Base }

func (noRules) Name() string                                   { return "none" }
func (noRules) Defaults() Settings                             { return Common() }
func (noRules) Phases() []string                               { return nil }
func (noRules) Step(*Step)                                     {}
func (noRules) End(*Step) bool                                 { return true }
func (noRules) Progress(string, *world.World, *Run) (int, int) { return 0, 0 }
func (noRules) Abilities() []Ability                           { return nil }

// What a snapshot says a node takes is what obeying it goes by.
func TestTakes(t *testing.T) {
	for _, stage := range []Stage{Outdated, Queued, Draining, Settling, Terminating, Replaced, Launching, Ready, Surplus, Updating, NodeFail, Skipped} {
		for _, fresh := range []bool{false, true} {
			for _, blocked := range []bool{false, true} {
				n := Node{Name: "a", Stage: stage, New: fresh, Blocked: blocked}
				s := &Step{Reader: Reader{W: world.New(), Rules: noRules{}, Run: Run{Nodes: map[string]Node{"i-a": n}}}}
				takes := s.conduct().takes(n)
				s.handleSkip(Command{Kind: CmdSkip, Node: "a"})
				if takes.Skip == s.declined {
					t.Errorf("%s, new %v, blocked %v: takes a skip: %v, refused: %v", stage, fresh, blocked, takes.Skip, s.declined)
				}
			}
		}
	}
}
