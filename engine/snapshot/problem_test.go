package snapshot

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

func TestProblemOf(t *testing.T) {
	const id, name = "i-0a1b2c3d4e5f60718", "ip-10-0-12-131.eu-central-1.compute.internal"
	now := time.Date(2026, 11, 26, 3, 0, 0, 0, time.UTC)
	wait := func(left, whole time.Duration) *record.Wait {
		return &record.Wait{For: "any", Start: now.Add(left - whole), End: now.Add(left)}
	}
	for _, c := range []struct {
		what     string
		n        record.Node
		node     *world.Node
		row      NodeRow
		foreseen bool
		want     Problem
	}{
		{"well", record.Node{Stage: record.Outdated}, nil, NodeRow{Ready: true}, false, NoProblem},
		{"failed", record.Node{Stage: record.NodeFail}, nil, NodeRow{}, false, NodeFailed},
		{"blocked and overdue", record.Node{Stage: record.Draining, Wait: wait(-time.Minute, time.Hour)}, nil, NodeRow{Blocked: true, Ready: true}, true, PodBlocked},
		{"overdue", record.Node{Stage: record.Draining, Wait: wait(-time.Minute, time.Hour)}, nil, NodeRow{Ready: true}, false, Overdue},
		{"terminates for too long", record.Node{Stage: record.Terminating, Wait: wait(-time.Minute, time.Hour)}, nil, NodeRow{}, false, Overdue},
		{"its time is just up", record.Node{Stage: record.Draining, Wait: wait(-time.Second, time.Hour)}, nil, NodeRow{Ready: true}, false, NoProblem},
		{"settling for too long is no deadline", record.Node{Stage: record.Settling, Wait: wait(-time.Minute, time.Hour)}, nil, NodeRow{Ready: true}, false, NoProblem},
		{"joins", record.Node{Stage: record.Launching, Wait: wait(13*time.Minute, 15*time.Minute)}, nil, NodeRow{}, false, NoProblem},
		{"does not join", record.Node{Stage: record.Launching, Wait: wait(7*time.Minute, 15*time.Minute)}, nil, NodeRow{}, false, NotJoining},
		{"crash-loops", record.Node{Stage: record.Ready, New: true}, nil, NodeRow{Ready: true, CrashLooping: "shop/checkout-7d9f8c6b5-x2x4q"}, false, CrashLoops},
		{"silent while it drains", record.Node{Stage: record.Draining}, &world.Node{Unreachable: now.Add(-time.Minute)}, NodeRow{}, false, NotHeard},
		{"silent while it goes", record.Node{Stage: record.Terminating}, &world.Node{Unreachable: now.Add(-time.Minute)}, NodeRow{}, false, NoProblem},
		{"not Ready", record.Node{Stage: record.Outdated}, nil, NodeRow{}, true, NodeNotReady},
		{"foreseen", record.Node{Stage: record.Outdated}, nil, NodeRow{Ready: true}, true, ForeseenStuck},
		{"foreseen, and replaced meanwhile", record.Node{Stage: record.Replaced}, nil, NodeRow{}, true, NoProblem},
		{"its update failed", record.Node{Stage: record.Updating}, &world.Node{Labels: map[string]string{"node.machine.sapcloud.io/update-result": "failed"}}, NodeRow{Ready: true}, false, FailedInPlace},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := world.New()
			c.n.Name, c.row.Name, c.row.Stage, c.row.Wait = name, name, c.n.Stage, c.n.Wait
			if c.node != nil {
				c.node.Name, c.node.Machine = name, id
				w.SetNode(c.node)
			}
			if got := problemOf(&assess.Reader{Now: now, W: w}, id, c.n, &c.row, c.foreseen); got != c.want {
				t.Errorf("it is %q, want %q", got, c.want)
			}
		})
	}
}
