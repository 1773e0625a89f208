package present

import (
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// All that EKS tells of a managed node group is shown, also what is not known.
func TestManagedNodeGroup(t *testing.T) {
	since := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	m := world.ManagedGroup{Cluster: "prod", Name: "web", Status: "DEGRADED", Version: "1.30", Release: "1.30.1-1", AMIType: "AL2023_x86_64_STANDARD", ClusterVersion: "1.32", Recommended: "1.32.1-9",
		TemplateName: "mine", TemplateVersion: "4", MaxUnavailable: "33%", Minimal: true, Repairs: true, RepairSettings: "maxParallelNodesRepaired 2", WarmPool: true,
		Issues:     []world.ManagedIssue{{Code: "AsgInstanceLaunchFailures", Message: "no capacity", Resources: []string{"eks-web"}}},
		Insights:   []world.Insight{{Name: "Kubelet version skew", Status: "ERROR", Reason: "behind"}},
		Update:     &world.ManagedUpdate{ID: "u-1", Kind: world.VersionUpdate, Status: world.UpdateFailed, Since: since, Version: "1.31", Release: "1.31.1-1", Errors: []world.ManagedIssue{{Code: "PodEvictionFailure", Message: "Reached max retries", Resources: []string{"ip-1"}}}},
		Configured: &world.ManagedUpdate{ID: "c-1", Kind: "ConfigUpdate", Status: world.UpdateSucceeded, Since: since.Add(time.Hour)}, Unread: "the insights cannot be read: no"}
	var b strings.Builder
	WriteManaged(&b, &m)
	for _, want := range []string{
		"web: a managed node group of EKS cluster prod, DEGRADED", "nodes: Kubernetes 1.30, release 1.30.1-1", "cluster: Kubernetes 1.32, recommended release 1.32.1-9",
		"skew: the nodes are 2 minor versions behind the cluster", "launch template: mine:4",
		"updates: MINIMAL (old nodes go first), maxUnavailable 33%, node repair on (maxParallelNodesRepaired 2), warm pool on\n",
		"latest update: VersionUpdate to Kubernetes 1.31, release 1.31.1-1: Failed", "PodEvictionFailure: Reached max retries (ip-1)", "latest update of the configuration: ConfigUpdate: Successful",
		"AsgInstanceLaunchFailures: no capacity (eks-web)", "ERROR: Kubelet version skew (behind)", "not known: the insights cannot be read: no",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, b.String())
		}
	}
}

// A plan says how much of the account's quota is in use. While EKS carries out an update, of the configuration too,
// it refuses another one, and none is recommended.
func TestPlanOfManagedNodeGroup(t *testing.T) {
	p := PlannedManaged{Group: world.ManagedGroup{Cluster: "prod", Name: "web"}, Run: snapshot.Plan{Group: "web", Extra: 2, Nodes: []snapshot.PlannedNode{{Name: "a"}, {Name: "b"}},
		Quota: &snapshot.Quota{Name: "Running On-Demand X instances", Limit: 64, Used: 60, Each: 4}}}
	says := func() string {
		var b strings.Builder
		p.Write(&b, false)
		return b.String()
	}
	const command = "aws eks update-nodegroup-version --cluster-name prod --nodegroup-name web"
	if out := says(); !strings.Contains(out, `EC2 quota "Running On-Demand X instances": 60 of 64 vCPUs in use, 8 more for the surge.`) || !strings.Contains(out, command) || !strings.Contains(out, "one of many") {
		t.Error(out)
	}
	if p.JSON().StartCommand != command {
		t.Errorf("%q", p.JSON().StartCommand)
	}
	if told := p.JSON().Warnings; len(told) != 1 || !strings.Contains(told[0], "EKS picks nodes at random") || len(p.Run.Warnings) > 0 {
		t.Errorf("%q", told)
	}
	p.Group.Configured = &world.ManagedUpdate{ID: "c-1", Kind: "ConfigUpdate", Status: world.UpdateRuns}
	if out := says(); strings.Contains(out, command) || !strings.Contains(out, "EKS refuses another update (ResourceInUseException) until EKS update c-1 is over") {
		t.Error(out)
	}
	if told := p.JSON().StartCommand; told != "" {
		t.Errorf("%q is recommended", told)
	}
	if q := p.JSON().Quota; q == nil || q.Needed != 8 || q.Used != 60 || q.Limit != 64 {
		t.Errorf("%+v", q)
	}
}
