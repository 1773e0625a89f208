package ui

import (
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// inRoll puts a run in the middle of a roll: of what came before one group failed, and one
// was left out.
func inRoll(s *engine.Snapshot) *engine.Snapshot {
	ago := func(minutes int) time.Time { return at.Add(time.Duration(-minutes) * time.Minute) }
	s.Roll = &engine.Roll{ID: "roll-1", Started: ago(70), Again: "drainboard upgrade --all", Groups: []engine.RollGroup{
		{Name: "bastions", Role: world.RoleBastion, State: engine.RollFinished, Started: ago(70), Ended: ago(66), Done: 2, Total: 2, Result: engine.Succeeded, Run: "r-1"},
		{Name: "masters", Role: world.RoleControlPlane, State: engine.RollFinished, Started: ago(66), Ended: ago(50), Done: 2, Total: 3, Result: engine.NodesLeft, Code: 8, Why: "1 node skipped: asked for by ana@laptop", Run: "r-2"},
		{Name: "ng-batch", Role: world.RoleNode, State: engine.RollFinished, Started: ago(50), Ended: ago(21), Done: 1, Total: 3, Result: engine.EvictionFail, Code: 4, Why: "PodEvictionFailure: jobs/import-x stays on " + host(1, 4), Run: "r-3"},
		{Name: "ng-idle", Role: world.RoleNode, State: engine.RollLeftOut, Why: "nothing is outdated"},
		{Name: "ng-web", Role: world.RoleNode, State: engine.RollRunning, Started: ago(21), Done: 4, Total: 12, Run: "r-7f3a"},
		{Name: "ng-web-b", Role: world.RoleNode, State: engine.RollWaiting, Total: 6},
		{Name: "ng-web-c", Role: world.RoleNode, State: engine.RollWaiting, Total: 4},
	}}
	return s
}

// rolling is the run of a group in the middle of a roll.
func rolling() *engine.Snapshot { return inRoll(busy()) }

// ofRoll is what a roll knows of a group.
func ofRoll(s *engine.Snapshot, name string) *engine.RollGroup {
	for i := range s.Roll.Groups {
		if s.Roll.Groups[i].Name == name {
			return &s.Roll.Groups[i]
		}
	}
	return nil
}

// between is a roll whose next group is read.
func between() *engine.Snapshot {
	s := inRoll(done())
	g := ofRoll(s, "ng-web")
	g.State, g.Ended, g.Done, g.Result = engine.RollFinished, at, 12, engine.Succeeded
	g = ofRoll(s, "ng-web-b")
	g.State, g.Started = engine.RollRunning, at
	return s
}

// rolledAll is a roll that is over.
func rolledAll() *engine.Snapshot {
	s := between()
	for _, name := range []string{"ng-web-b", "ng-web-c"} {
		g := ofRoll(s, name)
		g.State, g.Started, g.Ended, g.Done, g.Result = engine.RollFinished, at, at, g.Total, engine.Succeeded
	}
	s.Roll.Ended = at
	return s
}

// rollStopped is a roll that an error has ended.
func rollStopped() *engine.Snapshot {
	s := inRoll(failed())
	s.Roll.Stop = "ng-web ended in ClusterValidationFailure, which stops the roll"
	g := ofRoll(s, "ng-web")
	g.State, g.Ended, g.Result, g.Code, g.Why = engine.RollFinished, at, engine.InvalidFail, 7, "the cluster did not validate within 15m0s"
	g.Left = s.LeftBehind[1:]
	for _, name := range []string{"ng-web-b", "ng-web-c"} {
		g := ofRoll(s, name)
		g.State, g.Why = engine.RollNotStarted, s.Roll.Stop
	}
	s.Roll.Ended = at
	return s
}

// manyGroups is a roll of more groups than a line has room for.
func manyGroups() *engine.Snapshot {
	s := rolling()
	for i := range 20 {
		s.Roll.Groups = append(s.Roll.Groups, engine.RollGroup{Name: fmt.Sprintf("nodes-of-team-%02d-eu-west-1a", i), Role: world.RoleNode, State: engine.RollWaiting, Total: 3})
	}
	return s
}

// nextGroup is the run of the group after ng-web, at its beginning.
func nextGroup() *engine.Snapshot {
	s := between()
	next := asking()
	next.Group, next.RunID, next.Roll, next.Done = "ng-web-b", "r-8", s.Roll, 0
	next.Batch.ID, next.Batch.Hash = 1, "h-b"
	return next
}
