package uitest

import (
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// inRoll puts a run in the middle of a roll: of what came before one group failed, and one
// was left out.
func inRoll(s *snapshot.Snapshot) *snapshot.Snapshot {
	ago := func(minutes int) time.Time { return Moment.Add(time.Duration(-minutes) * time.Minute) }
	s.Roll = &roll.Roll{ID: "roll-1", Started: ago(70), Again: "drainboard upgrade --all", Groups: []roll.Group{
		{Name: "bastions", Role: world.RoleBastion, State: roll.Finished, Started: ago(70), Ended: ago(66), Done: 2, Total: 2, Result: record.Succeeded, Run: "r-1"},
		{Name: "masters", Role: world.RoleControlPlane, State: roll.Finished, Started: ago(66), Ended: ago(50), Done: 2, Total: 3, Result: record.NodesLeft, Code: 8, Why: "1 node skipped: asked for by ana@laptop", Run: "r-2"},
		{Name: "ng-batch", Role: world.RoleNode, State: roll.Finished, Started: ago(50), Ended: ago(21), Done: 1, Total: 3, Result: record.EvictionFail, Code: 4, Why: "PodEvictionFailure: jobs/import-x stays on " + Host(1, 4), Run: "r-3"},
		{Name: "ng-idle", Role: world.RoleNode, State: roll.LeftOut, Why: "nothing is outdated"},
		{Name: "ng-web", Role: world.RoleNode, State: roll.Running, Started: ago(21), Done: 4, Total: 12, Run: "r-7f3a"},
		{Name: "ng-web-b", Role: world.RoleNode, State: roll.Waiting, Total: 6},
		{Name: "ng-web-c", Role: world.RoleNode, State: roll.Waiting, Total: 4},
	}}
	return s
}

// Rolling is the run of a group in the middle of a roll.
func Rolling() *snapshot.Snapshot { return inRoll(Busy()) }

// OfRoll is what a roll knows of a group.
func OfRoll(s *snapshot.Snapshot, name string) *roll.Group {
	for i := range s.Roll.Groups {
		if s.Roll.Groups[i].Name == name {
			return &s.Roll.Groups[i]
		}
	}
	return nil
}

// Between is a roll whose next group is read.
func Between() *snapshot.Snapshot {
	s := inRoll(Done())
	g := OfRoll(s, "ng-web")
	g.State, g.Ended, g.Done, g.Result = roll.Finished, Moment, 12, record.Succeeded
	g = OfRoll(s, "ng-web-b")
	g.State, g.Started = roll.Running, Moment
	return s
}

// RolledAll is a roll that is over.
func RolledAll() *snapshot.Snapshot {
	s := Between()
	for _, name := range []string{"ng-web-b", "ng-web-c"} {
		g := OfRoll(s, name)
		g.State, g.Started, g.Ended, g.Done, g.Result = roll.Finished, Moment, Moment, g.Total, record.Succeeded
	}
	s.Roll.Ended = Moment
	return s
}

// RollStopped is a roll that an error has ended.
func RollStopped() *snapshot.Snapshot {
	s := inRoll(Failed())
	s.Roll.Stop = "ng-web ended in ClusterValidationFailure, which stops the roll"
	g := OfRoll(s, "ng-web")
	g.State, g.Ended, g.Result, g.Code, g.Why = roll.Finished, Moment, record.InvalidFail, 7, "the cluster did not validate within 15m0s"
	g.Left = s.Unrestored[1:]
	for _, name := range []string{"ng-web-b", "ng-web-c"} {
		g := OfRoll(s, name)
		g.State, g.Why = roll.NotStarted, s.Roll.Stop
	}
	s.Roll.Ended = Moment
	return s
}

// ManyGroups is a roll of more groups than a line has room for.
func ManyGroups() *snapshot.Snapshot {
	s := Rolling()
	for i := range 20 {
		s.Roll.Groups = append(s.Roll.Groups, roll.Group{Name: fmt.Sprintf("nodes-of-team-%02d-eu-west-1a", i), Role: world.RoleNode, State: roll.Waiting, Total: 3})
	}
	return s
}

// NextGroup is the run of the group after ng-web, at its beginning.
func NextGroup() *snapshot.Snapshot {
	s := Between()
	next := Asking()
	next.Group, next.RunID, next.Roll, next.Done = "ng-web-b", "r-8", s.Roll, 0
	next.Batch.ID, next.Batch.Hash = 1, "h-b"
	return next
}
