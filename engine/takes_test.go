package engine

import (
	"testing"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
)

// noRules is a strategy that leaves everything to the shared parts.
type noRules struct{ assess.Base }

func (noRules) Name() string { return "none" }

func (noRules) Defaults() record.Settings { return record.Common() }

func (noRules) Phases() []string { return nil }

func (noRules) Step(*Step) {}

func (noRules) End(*Step) bool { return true }

func (noRules) Progress(string, *world.World, *record.Run) (int, int) { return 0, 0 }

func (noRules) Abilities() []record.Ability { return nil }

// What a snapshot says a node takes is what obeying it goes by.
func TestTakes(t *testing.T) {
	for _, stage := range []record.Stage{record.Outdated, record.Queued, record.Draining, record.Settling, record.Terminating, record.Replaced, record.Launching, record.Ready, record.Surplus, record.Updating, record.NodeFail, record.Skipped} {
		for _, fresh := range []bool{false, true} {
			for _, blocked := range []bool{false, true} {
				n := record.Node{Name: "a", Stage: stage, New: fresh, Blocked: blocked}
				s := &Step{Reader: assess.Reader{W: world.New(), Rules: noRules{}, Run: record.Run{Nodes: shards.Of(map[string]record.Node{"i-a": n})}}}
				takes := s.Conduct().Takes(n)
				handleSkip(s, record.Command{Kind: record.CmdSkip, Node: "a"})
				if takes.Skip == s.declined {
					t.Errorf("%s, new %v, blocked %v: takes a skip: %v, refused: %v", stage, fresh, blocked, takes.Skip, s.declined)
				}
			}
		}
	}
}
