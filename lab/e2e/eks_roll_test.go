package e2e

import (
	"strings"
	"testing"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/eks"
)

// startedTwo makes two managed node groups of one node each, and drainboard a user who may have EKS update them. Pods are
// on the first one.
func startedTwo(t *testing.T, one, two string, pods ...string) (*scene, *eks.Service) {
	t.Helper()
	s, service := started(t, lab.Nodegroup{Name: one, Nodes: 1, Zones: oneZone})
	claim(t, two)
	asg, err := shared.AddNodegroup(s.ctx, lab.Nodegroup{Name: two, Nodes: 1, Zones: oneZone})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shared.Cloud().DeleteGroup(asg) })
	s.deploy(pods...)
	return s, service
}

// Several managed node groups are updated one after the other. An error of one stops the rest, unless --keep-going is given;
// a group that is up to date is left out.
func TestRollOfManagedGroups(t *testing.T) {
	s, _ := startedTwo(t, "rolled-a", "rolled-b", "checkout")
	p := s.launch("upgrade", "rolled-a", "rolled-b", "--auto", "-o", "json").exits(4)
	if n := len(s.updates("rolled-b")); n > 0 {
		t.Errorf("EKS carried out %d updates of the second one", n)
	}
	if told := p.all("roll.group", saying("rolled-b: not started")); len(told) != 1 {
		t.Errorf("it tells %v", told)
	}
	s.launch("upgrade", "rolled-a", "rolled-b", "--auto", "-o", "json", "--keep-going").exits(4)
	if a, b := s.updates("rolled-a"), s.updates("rolled-b"); len(a) != 2 || len(b) != 1 || b[0].Status != "Successful" {
		t.Errorf("EKS carried out %v and %v", a, b)
	}
	s.scale("checkout", 5)
	plan := s.run("plan", "rolled-a", "rolled-b").exits(0).out()
	if !strings.Contains(plan, "rolled-b: no node is outdated") {
		t.Errorf("its plan:\n%s", plan)
	}
	s.launch("upgrade", "rolled-a", "rolled-b", "--auto", "-o", "json").exits(0)
	if a, b := s.updates("rolled-a"), s.updates("rolled-b"); len(a) != 3 || len(b) != 1 {
		t.Errorf("EKS carried out %v and %v", a, b)
	}
}

// Side by side both are under way at once.
func TestRollOfManagedGroupsSideBySide(t *testing.T) {
	s, service := startedTwo(t, "beside-a", "beside-b", "batch")
	s.launch("upgrade", "beside-a", "beside-b", "--auto", "-o", "json", "--node-groups-at-once", "2").exits(0)
	var work [2][]eks.Entry
	for i, group := range []string{"beside-a", "beside-b"} {
		all := s.updates(group)
		if len(all) != 1 {
			t.Fatalf("EKS carried out %d updates of %s", len(all), group)
		}
		work[i] = worked(service, *all[0].Id, eks.SetUp, eks.ScaleUp, eks.Upgrade, eks.ScaleDown, eks.Terminated)
	}
	a, b := work[0], work[1]
	if len(a) == 0 || len(b) == 0 || a[0].Time.After(b[len(b)-1].Time) || b[0].Time.After(a[len(a)-1].Time) {
		t.Errorf("one after the other: %v, %v", a, b)
	}
}
