package e2e

import (
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awseks "github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/eks"
)

// managed makes the lab an EKS cluster and a managed node group of its own, which are gone
// with the test, and drainboard a user who may only read.
func managed(t *testing.T, o lab.Nodegroup) (*scene, *eks.Service) {
	t.Helper()
	return managedIn(t, newScene, o)
}

// managedIn is managed in a scene that is made in this way.
func managedIn(t *testing.T, make func(*testing.T, string, lab.GroupOptions, ...string) *scene, o lab.Nodegroup) (*scene, *eks.Service) {
	t.Helper()
	claim(t, o.Name)
	s := make(t, "around-"+o.Name, lab.GroupOptions{Zones: oneZone}, "read", "watch") // it has no node
	service, err := theEKS()
	if err != nil {
		t.Fatal(err)
	}
	asg, err := shared.AddNodegroup(s.ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shared.Cloud().DeleteGroup(asg) })
	s.group.Name, s.place.Group = asg, asg
	shared.Cloud().Grant(s.key, granted(t, "read", "eks read")...)
	s.mark()
	return s, service
}

// theEKS is the lab's EKS, once for all tests, with times for tests that wait for it.
var theEKS = sync.OnceValues(func() (*eks.Service, error) {
	return shared.ServeEKS(eks.Options{Version: "1.32", Times: atEKSPace, Seed: 7})
})

var atEKSPace = eks.Times{
	Poll: 100 * time.Millisecond, Setup: time.Second, Join: time.Minute, Window: 10 * time.Second,
	Retry: 300 * time.Millisecond, Settle: time.Second, Shrink: 300 * time.Millisecond, Delete: time.Second, Config: time.Second,
}

// slowEKSPace leaves time to look at each phase.
func slowEKSPace() eks.Times {
	slow := atEKSPace
	slow.Setup, slow.Settle, slow.Shrink = 4*time.Second, 4*time.Second, 3*time.Second
	return slow
}

// A managed node group is found by its own name, with what EKS tells of it; its plan says
// what EKS's update would do and the command that starts it; nothing is written, and no run
// starts without the right to it.
func TestManagedGroup(t *testing.T) {
	s, service := managed(t, lab.Nodegroup{Name: "web", Nodes: 2, Zones: oneZone, Update: &types.NodegroupUpdateConfig{MaxUnavailablePercentage: aws.Int32(50)}})
	s.deploy("web", "checkout")
	service.SetIssues("web", types.Issue{Code: types.NodegroupIssueCodeInsufficientFreeAddresses, Message: aws.String("no room"), ResourceIds: []string{"subnet-1"}})
	service.SetInsights(types.Insight{Id: aws.String("1"), Name: aws.String("Kubelet version skew"), Category: types.CategoryUpgradeReadiness,
		InsightStatus: &types.InsightStatus{Status: types.InsightStatusValueWarning, Reason: aws.String("nodes are behind")}})
	says := func(out string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("it does not say %q:\n%s", w, out)
			}
		}
	}

	groups := s.run("groups").exits(0).out()
	says(groups, "web ", " eks ", "1.31 1.31.4-20250203")
	if strings.Contains(groups, s.group.Name) {
		t.Errorf("it is listed by its Auto Scaling group:\n%s", groups)
	}
	says(s.run("groups", "-o", "json").exits(0).out(), `"provider": "eks"`, `"outdated": 2`, `"recommendedRelease": "1.32.1-20250203"`, `"InsufficientFreeAddresses"`)
	says(s.run("status", "web").exits(0).out(), "web: a managed node group of EKS cluster lab, ACTIVE", "Kubernetes 1.32, recommended release 1.32.1-20250203",
		"DEFAULT (new nodes come first), maxUnavailable 50%", "InsufficientFreeAddresses: no room (subnet-1)", "WARNING: Kubelet version skew (nodes are behind)")

	plan := s.run("plan", "web").exits(0).out()
	says(plan, "EC2 quota \"Running On-Demand Standard", "left alone: AZRebalance moves instances between zones", "EKS does not suspend it", "2 nodes to replace", "Up to 1 at once", "Surge during the run: 2 instances", "PDB checkout never allows a disruption", "EKS picks nodes at random",
		"  aws eks update-nodegroup-version --cluster-name lab --nodegroup-name web\n", "drainboard watch web")
	says(s.run("plan", "web", "--force").exits(0).out(), "--nodegroup-name web --force\n")
	says(s.run("plan", s.group.Name, "--provider", "eks", "-o", "json").exits(0).out(), `"startCommand": "aws eks update-nodegroup-version --cluster-name lab --nodegroup-name web"`)
	says(s.run("plan", "web", "--kubernetes-version", "1.32").exits(0).out(), "2 nodes to replace", "--nodegroup-name web --kubernetes-version 1.32\n")
	says(s.run("plan", "web", "--kubernetes-version", "1.31").exits(0).out(), "nothing to do")
	says(s.run("plan", "web", "--release-version", "1.32.0-20250101").exits(0).out(), "2 nodes to replace", "the AMI of the version or release that is asked for is not known", "--nodegroup-name web --release-version 1.32.0-20250101\n")
	says(s.run("plan", "web", "--release-version", "1.32.1-20250203", "-o", "json").exits(0).out(), `"EKS picks nodes at random: the order of this plan is one of many"`, "--release-version 1.32.1-20250203")
	says(s.run("plan", "web", "--release-version", "1.31.4-20250203").exits(0).out(), "nothing to do")
	s.run("plan", "web", "--kubernetes-version", "1.33").exits(2).says("the cluster runs 1.32")
	s.run("plan", "web", "--kubernetes-version", "1.30").exits(2).says("has 1.31 and cannot go back")
	says(s.run("plan", "web", "--max-unavailable", "2").exits(0).out(), "Up to 2 at once",
		"sets the update configuration maxUnavailable 50%, updateStrategy DEFAULT → maxUnavailable 2, updateStrategy DEFAULT, and restores it at the end", "eks:UpdateNodegroupConfig on ")
	s.checkReadOnly()
	s.checkManagedActions()

	// Nor does a user start anything who may do everything. What EKS does not offer is refused in the words of
	// the table of what an operator can do, with what comes nearest.
	w := s.other("web-operator", "read", "upgrade", "eks read")
	abilities := (strategy.EKSManaged{}).Abilities()
	for _, kind := range []record.CommandKind{record.CmdPause, record.CmdResume, record.CmdApprove, record.CmdAbort} {
		args := []string{string(kind), "web"}
		if kind == record.CmdApprove || kind == record.CmdAbort {
			args = append(args, "--yes")
		}
		i := slices.IndexFunc(abilities, func(a record.Ability) bool { return a.Kind == kind && a.Answer == record.No })
		w.run(args...).exits(2).says("group web has no run", abilities[i].How)
	}
	w.run("upgrade", "web", "--auto").exits(11).says("eks:UpdateNodegroupVersion")
	w.checkUntouched()
}

// checkManagedActions checks that no more was asked of AWS than is documented, and nothing
// but reads.
func (s *scene) checkManagedActions() {
	s.t.Helper()
	allowed := map[string]bool{}
	for _, action := range granted(s.t, "read", "eks read") {
		allowed[action] = action != "ec2:DescribeImages" // of --ami
	}
	for _, call := range s.calls() {
		if !call.Reads() || !allowed[call.Service+":"+call.Action] && call.Service != "sts" {
			s.t.Errorf("%s:%s was called", call.Service, call.Action)
		}
	}
}

// checkManagedRights holds that a watch needs each of the actions that docs/reference/rights.md lists for
// managed node groups, but for those of a plan's quota.
func (s *scene) checkManagedRights() {
	s.t.Helper()
	called := map[string]bool{}
	for _, call := range s.calls() {
		called[call.Service+":"+call.Action] = true
	}
	for _, action := range granted(s.t, "eks read") {
		if !called[action] && action != "servicequotas:ListServiceQuotas" && action != "ec2:DescribeInstances" {
			s.t.Errorf("%s is in docs/reference/rights.md, and was not called", action)
		}
	}
}

// A user watches while EKS updates a node group and a PDB holds the only pod of a node:
// the update is named, the pod is, and when EKS gives up its error is told with the pod.
// Throttled, refused and expired in between, the watch continues. It only reads.
func TestWatchManagedUpdate(t *testing.T) {
	s, _ := managed(t, lab.Nodegroup{Name: "held", Nodes: 1, Zones: oneZone})
	s.deploy("checkout")
	lines := s.launch("watch", "held")
	lines.tells("READ-ONLY", "no run is under way")
	if _, err := shared.EKSClient().UpdateNodegroupVersion(s.ctx, &awseks.UpdateNodegroupVersionInput{ClusterName: aws.String(lab.EKSCluster), NodegroupName: aws.String("held")}); err != nil {
		t.Fatal(err)
	}
	lines.tells("replaces the group's nodes to Kubernetes 1.32, release 1.32.1-20250203 (InProgress)", "blocked: ", "checkout")
	late := s.launch("watch", "held")
	late.tells("eks-managed, upgrading", "blocked: ", "checkout")
	shared.Cloud().ThrottleKey(s.key, 0.5)
	shared.Cloud().DenyKey(s.key, "eks:DescribeUpdate", true)
	time.Sleep(4 * time.Second)
	shared.Cloud().DenyKey(s.key, "eks:DescribeUpdate", false)
	shared.Cloud().ThrottleKey(s.key, 0)
	for _, p := range []*process{lines, late} {
		p.tells("failed: PodEvictionFailure: Reached max retries while trying to evict pods from nodes in node group held", "held there: ", "checkout")
		p.signal(syscall.SIGTERM)
		p.exits(0)
	}
	s.checkReadOnly()
	s.checkManagedActions()
}
