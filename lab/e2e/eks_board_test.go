package e2e

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/eks"
)

// A person at a dashboard, and one in a small terminal, see an update that a user starts: its phases, the pod
// that its PDB keeps with how long EKS tries, and its end. The keys that change something do nothing.
func TestBoardShowsManagedUpdate(t *testing.T) {
	s, _ := managed(t, lab.Nodegroup{Name: "shown", Nodes: 2, Zones: oneZone})
	s.deploy("checkout", "batch")
	wide, small := s.sit("watch", "shown"), s.sitBefore(80, 24, "watch", "shown")
	for _, p := range []*person{wide, small} {
		p.expect("READ-ONLY", "no run is under way")
	}
	startUpdate(s, "shown")
	wide.expect("eks-managed", "upgrade", "blocked", "allows 0", "EKS's window")
	small.expect("upgrade", "blocked", "allows 0")
	wide.press("p").expect("an update cannot be paused")
	wide.press("x").expect("an update cannot be cancelled")
	for _, key := range []string{"a", "s", "f"} {
		wide.press(key)
	}
	s.scale("checkout", 5)
	for _, p := range []*person{wide, small} {
		p.expect("exit code", "0: done", "2 of 2 nodes replaced")
		p.quits(0)
	}
	s.checkReadOnly()
	s.checkManagedActions()
}

// Nodes that EKS taints, as in former years, are seen as its marks like those that it cordons.
func TestFollowTaintedUpdate(t *testing.T) {
	s, service := managedIn(t, loneScene, lab.Nodegroup{Name: "tainted", Nodes: 3, Zones: oneZone, Update: &types.NodegroupUpdateConfig{MaxUnavailable: aws.Int32(2)}})
	service.SetTaints(true)
	t.Cleanup(func() { service.SetTaints(false) })
	s.deploy("batch", "web")
	id := startUpdate(s, "tainted")
	p := s.launch("watch", "tainted", "--auto", "-o", "json")
	tainted := 0
	s.eventually(func() error {
		for _, node := range s.nodes() {
			for _, taint := range node.Spec.Taints {
				if taint.Key == "eks.amazonaws.com/nodegroup" && !node.Spec.Unschedulable {
					tainted++
				}
			}
		}
		if tainted == 0 {
			return errors.New("no node is tainted")
		}
		return nil
	})
	p.exits(0)
	s.checkFollowed(p, service, id)
	s.checkReplaced(p, service, id)
	if replaced := p.all("node.replaced"); len(replaced) != 3 {
		t.Errorf("%d nodes are told to be replaced", len(replaced))
	}
	s.checkReadOnly()
	s.checkManagedActions()
}

// An update that is cancelled, or fails with an error of another kind or none, ends a watch with exit code 1 and in
// EKS's words.
func TestFollowedUpdateEndsOtherwise(t *testing.T) {
	s, service := managed(t, lab.Nodegroup{Name: "otherwise", Nodes: 1, Zones: oneZone})
	s.deploy("checkout")
	id := startUpdate(s, "otherwise")
	for status, want := range map[types.UpdateStatus]string{types.UpdateStatusCancelled: "cancelled", types.UpdateStatusFailed: "failed"} {
		service.SetUpdateStatus("otherwise", id, types.UpdateStatusInProgress)
		p := s.launch("watch", "otherwise", "--auto", "-o", "json")
		p.await("phase.started", func(e Event) bool { return e.Phase == eks.Upgrade })
		service.SetUpdateStatus("otherwise", id, status)
		p.exits(1)
		last := p.said()[len(p.said())-1]
		if last.Type != "run.finished" || last.ExitCode == nil || *last.ExitCode != 1 || !like(last.Message, id+".*"+want) {
			t.Errorf("%s: %s", status, last)
		}
	}
	s.checkReadOnly()
	s.checkManagedActions()
}
