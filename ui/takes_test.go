package ui

import (
	"testing"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/uitest"
)

// Which commands a node takes is the engine's judgement: the board offers what the
// snapshot says, whatever the stage, and nothing else.
func TestNodesTakeWhatTheEngineSays(t *testing.T) {
	for _, c := range []struct {
		takes assess.NodeCommands
		key   string
		opens bool
	}{
		{assess.NodeCommands{Skip: true}, "s", true},
		{assess.NodeCommands{Force: true, Return: true}, "s", false},
		{assess.NodeCommands{Return: true}, "r", true},
		{assess.NodeCommands{Force: true, Skip: true}, "r", false},
		{assess.NodeCommands{Extend: true}, "e", true},
		{assess.NodeCommands{Force: true, Skip: true}, "e", false},
		{assess.NodeCommands{Force: true}, "f", true},
		{assess.NodeCommands{Skip: true, Return: true}, "f", false},
	} {
		for _, stage := range []record.Stage{record.Updating, record.Draining, record.Ready} {
			s := uitest.Busy()
			for i := range s.Abilities {
				s.Abilities[i].Why = ""
			}
			r := *s.Zones[0].Rows[0]
			r.Stage = stage
			s.Zones[0].Rows[0] = &r
			m := board(s, 200, 50, themes.None)
			m.Nodes.Cursor = r.ID
			r.Takes = c.takes // not what the stage would say
			m.settle()
			press(m, c.key)
			if opened := m.Dialog != nil; opened != c.opens {
				t.Errorf("a node that is %s and takes %+v: %s opened a dialog: %v", stage, c.takes, c.key, opened)
			}
		}
	}
}
