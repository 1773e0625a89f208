package e2e

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awseks "github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"
	corev1 "k8s.io/api/core/v1"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/eks"
	"github.com/drainboard/drainboard/lab/machines"
)

// startUpdate starts an update as the console does, and returns its id.
func startUpdate(s *scene, group string) string {
	s.t.Helper()
	out, err := shared.EKSClient().UpdateNodegroupVersion(s.ctx, &awseks.UpdateNodegroupVersionInput{ClusterName: aws.String(lab.EKSCluster), NodegroupName: aws.String(group)})
	if err != nil {
		s.t.Fatal(err)
	}
	return *out.Update.Id
}

// worked is what the service's worker did in an update, by its own log.
func worked(service *eks.Service, update string, steps ...string) (found []eks.Entry) {
	for _, e := range service.Log() {
		if e.Update == update && slices.Contains(steps, e.Step) {
			found = append(found, e)
		}
	}
	return found
}

// phases of the worker's log.
var eksPhases = []string{eks.SetUp, eks.ScaleUp, eks.Upgrade, eks.ScaleDown}

// seenWithin is how much later than the worker does it a phase or a pick is seen: the Auto Scaling
// group is read every few seconds.
const seenWithin = 12 * time.Second

// oneLook is for how long a phase may last and not be seen: between two reads of the group.
const oneLook = 3 * time.Second

// later is the later of two times.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// began is when a process first told anything: on a busy machine the worker is ahead of it.
func (p *process) began() (at time.Time) {
	if all := p.said(); len(all) > 0 {
		at = all[0].Time
	}
	return at
}

// checkFollowed holds what was told of an update against the worker's own log: the phases in
// their order, none before its time and each soon after it, but those that were over before it
// told anything; and no node as drained that the worker had not picked by then.
func (s *scene) checkFollowed(p *process, service *eks.Service, update string) {
	s.t.Helper()
	var told []string
	started := p.all("phase.started")
	for _, e := range started {
		told = append(told, e.Phase)
	}
	var did []string
	steps := worked(service, update, eksPhases...)
	began := p.began()
	for n, e := range steps {
		i := len(did)
		known := later(e.Time, began)
		short := n+1 < len(steps) && steps[n+1].Time.Sub(known) < oneLook
		if short && (i >= len(told) || told[i] != e.Step) {
			continue // the lab's nodes are Ready at once
		}
		if did = append(did, e.Step); i < len(started) && e.Step == started[i].Phase {
			if late := started[i].Time.Sub(known); late < -time.Second || late > seenWithin {
				s.t.Errorf("%s began at %s, and was told at %s", e.Step, e.Time.Format(time.StampMilli), started[i].Time.Format(time.StampMilli))
			}
		}
	}
	if !slices.Equal(told, did) {
		s.t.Errorf("phases %q, the worker's %q", told, did)
	}
	picked := map[string]time.Time{}
	for _, e := range service.Log() { // what the Auto Scaling group ends in the scale down is drained as well
		if _, was := picked[e.Node]; !was && (e.Step == eks.Picked && e.Update == update || e.Step == eks.Evicted && e.Update == "") {
			picked[e.Node] = e.Time
		}
	}
	for _, e := range p.all("node.draining") {
		if at, was := picked[e.Node]; !was || e.Time.Before(at.Add(-time.Second)) {
			s.t.Errorf("%s is told to drain at %s, and was picked at %s", e.Node, e.Time.Format(time.StampMilli), at.Format(time.StampMilli))
		}
	}
}

// checkReplaced holds that each node which the worker terminated is told as replaced once: not before it was, and
// soon after it was gone.
func (s *scene) checkReplaced(p *process, service *eks.Service, update string) {
	s.t.Helper()
	gone := map[string]time.Time{}
	for _, e := range worked(service, update, eks.Gone) {
		gone[e.Node] = e.Time
	}
	for _, e := range worked(service, update, eks.Terminated) {
		told := p.all("node.replaced", func(o Event) bool { return o.Node == e.Node })
		if len(told) != 1 {
			s.t.Errorf("%s is told %d times to be replaced", e.Node, len(told))
			continue
		}
		if at := told[0].Time; at.Before(e.Time.Add(-time.Second)) || at.After(later(gone[e.Node], p.began()).Add(seenWithin)) {
			s.t.Errorf("%s was terminated at %s, gone at %s, and told to be replaced at %s", e.Node, e.Time.Format(time.StampMilli), gone[e.Node].Format(time.StampMilli), at.Format(time.StampMilli))
		}
	}
}

// A script starts an update as the console does, and follows it to its end: its phases and drains
// are those of the worker's own log, and nothing but reads is sent. Its report can be read after. Meanwhile
// `status` tells phase and counts as they are in the log at each moment.
func TestFollowManagedUpdate(t *testing.T) {
	for name, how := range map[string]types.NodegroupUpdateStrategies{"followed": types.NodegroupUpdateStrategiesDefault, "followed-minimal": types.NodegroupUpdateStrategiesMinimal} {
		t.Run(string(how), func(t *testing.T) {
			zone := zones[5]
			s, service := managedIn(t, loneScene, lab.Nodegroup{Name: name, Nodes: 3, Zones: []string{zone}, Update: &types.NodegroupUpdateConfig{UpdateStrategy: how, MaxUnavailable: aws.Int32(1)}})
			s.deploy("batch")
			if how == types.NodegroupUpdateStrategiesDefault { // the lab's nodes are Ready at once
				shared.Cloud().SetCapacity(zone, 0)
				t.Cleanup(func() { shared.Cloud().SetCapacity(zone, -1) })
			}
			service.SetTimes(slowEKSPace()) // to be looked at
			t.Cleanup(func() { service.SetTimes(atEKSPace) })
			id := startUpdate(s, name)
			looks := s.looks(name)
			p := s.launch("watch", name, "--auto", "-o", "json")
			if how == types.NodegroupUpdateStrategiesDefault {
				p.await("phase.started", func(e Event) bool { return e.Phase == eks.ScaleUp })
				shared.Cloud().SetCapacity(zone, -1)
			}
			p.exits(0)
			looked := looks()
			s.checkLooks(looked, service, id, 3)
			s.checkLookedAtAll(looked, service, id)
			s.checkFollowed(p, service, id)
			s.checkReplaced(p, service, id)
			last := p.said()[len(p.said())-1]
			if last.Type != "run.finished" || last.ExitCode == nil || *last.ExitCode != 0 || !strings.Contains(last.Message, "3 of 3") {
				t.Errorf("the end: %s", last)
			}
			if report := s.run("report", last.Run).exits(0).out(); !strings.Contains(report, id) || !strings.Contains(report, "eks-managed") {
				t.Errorf("its report:\n%s", report)
			}
			s.checkReadOnly()
			s.checkManagedActions()
		})
	}
}

// Several zones, labels and taints of the group's own, and two nodes at a time: the surge is the
// plan's, phases and drains are the worker's, and what the nodes carry passes for no mark.
func TestFollowManagedUpdateInZones(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]types.NodegroupUpdateStrategies{"zonal": types.NodegroupUpdateStrategiesDefault, "zonal-minimal": types.NodegroupUpdateStrategiesMinimal} {
		t.Run(string(how), func(t *testing.T) {
			s, service := managed(t, lab.Nodegroup{Name: name, Nodes: 5, Zones: zones[:3], Labels: map[string]string{"team": "shop"},
				Taints: []types.Taint{{Key: aws.String("dedicated"), Value: aws.String("shop"), Effect: types.TaintEffectPreferNoSchedule}},
				Update: &types.NodegroupUpdateConfig{UpdateStrategy: how, MaxUnavailable: aws.Int32(2)}})
			s.deploy("batch")
			want := []string{"5 nodes to replace", "Up to 2 at once"}
			if how == types.NodegroupUpdateStrategiesDefault { // twice the zones
				want = append(want, "Surge during the run: 6 instances, desired 5 → 11, max 5 → 11", `EC2 quota "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances": `, " of 20000 vCPUs in use, 12 more for the surge.")
			}
			plan := s.run("plan", name).exits(0).out()
			for _, w := range want {
				if !strings.Contains(plan, w) {
					t.Errorf("the plan does not say %q:\n%s", w, plan)
				}
			}
			if asked := len(calls(s.calls(), "ListServiceQuotas")); (asked > 0) != (how == types.NodegroupUpdateStrategiesDefault) {
				t.Errorf("quotas were asked for %d times", asked)
			}
			s.checkManagedActions()
			s.mark()
			id := startUpdate(s, name)
			looks := s.looks(name)
			p := s.launch("watch", name, "--auto", "-o", "json")
			p.exits(0)
			s.checkLooks(looks(), service, id, 5)
			s.checkFollowed(p, service, id)
			if shrunk := len(worked(service, id, eks.Shrunk)); how == types.NodegroupUpdateStrategiesDefault && shrunk != 6 {
				t.Errorf("the worker took %d instances away", shrunk)
			}
			replaced := p.all("node.replaced")
			s.checkReplaced(p, service, id)
			if last := p.said()[len(p.said())-1]; len(replaced) != 5 || !strings.Contains(last.Message, "5 of 5") {
				t.Errorf("%d nodes are told to be replaced; the end: %s", len(replaced), last)
			}
			s.checkReadOnly()
			s.checkManagedActions()
			s.checkManagedRights()
		})
	}
}

// A PDB keeps all pods of both nodes: which one EKS has picked cannot be seen, so both are named with
// what is held there soon after EKS began to try, and neither is told to drain. When EKS gives
// up, the pods are named that were held on its node.
func TestFollowedUpdateIsAtOneOf(t *testing.T) {
	s, service := managed(t, lab.Nodegroup{Name: "either", Nodes: 2, Zones: oneZone})
	s.deploy("checkout")
	id := startUpdate(s, "either")
	p := s.launch("watch", "either", "--auto", "-o", "json")
	one := p.await("warning", func(e Event) bool { return e.Reason == "candidates" })
	refused := worked(service, id, eks.Refused)
	known := p.await("phase.started", func(e Event) bool { return e.Phase == eks.Upgrade }).Time // the watch may come later
	if len(refused) > 0 {
		known = later(known, refused[0].Time)
	}
	if len(refused) == 0 || one.Time.Sub(known) > 5*time.Second {
		t.Errorf("told at %s: %v", one.Time, refused)
	}
	for _, node := range s.nodes() {
		if old := node.Labels["eks.amazonaws.com/nodegroup"] == "either" && node.Spec.Unschedulable; old && !strings.Contains(one.Message, node.Name) {
			t.Errorf("%s is not named: %s", node.Name, one.Message)
		}
	}
	for _, pod := range s.pods("checkout") {
		if !strings.Contains(one.Message, pod.Name+" of ") {
			t.Errorf("%s is not named: %s", pod.Name, one.Message)
		}
	}
	status := s.run("status", "either").exits(0).out()
	for _, want := range []string{id, "running  upgrade  0 of 2 nodes replaced", "EKS drains probably one of: ", "drainboard watch either follows it"} {
		if !strings.Contains(status, want) {
			t.Errorf("the status does not say %q:\n%s", want, status)
		}
	}
	for _, refused := range []string{"update-nodegroup-version", "drainboard plan", "drainboard upgrade"} {
		if strings.Contains(status, refused) || refused != "drainboard plan" && strings.Contains(s.run("groups").exits(0).out(), refused+" --cluster-name lab --nodegroup-name either") {
			t.Errorf("%s is recommended while EKS refuses it:\n%s", refused, status)
		}
	}
	p.exits(4)
	if told := p.all("node.draining"); len(told) > 0 {
		t.Errorf("told as if it were known: %s", told[0])
	}
	last, stuck := p.said()[len(p.said())-1], worked(service, id, eks.Picked)[0]
	for _, want := range []string{"PodEvictionFailure", stuck.Node, "held there: ", refused[0].Pod, "PDB " + s.place.Namespace + "/checkout"} {
		if !strings.Contains(last.Message, want) {
			t.Errorf("it does not say %q: %s", want, last.Message)
		}
	}
	if report := s.run("report", last.Run).exits(0).out(); !strings.Contains(report, "PodEvictionFailure") || !strings.Contains(report, refused[0].Pod) {
		t.Errorf("its report:\n%s", report)
	}
	s.checkReadOnly()
	s.checkManagedActions()
}

// A PDB keeps one pod of a node that others leave: the node is known, and the pod is named. What a plan for a
// named release then replaces is what has another AMI.
func TestFollowedUpdateIsBlocked(t *testing.T) {
	s, service := managed(t, lab.Nodegroup{Name: "beside", Nodes: 2, Zones: oneZone})
	s.deploy("checkout", "batch")
	id := startUpdate(s, "beside")
	p := s.launch("watch", "beside", "--auto", "-o", "json")
	blocked := p.await("node.blocked")
	if picked := worked(service, id, eks.Picked); len(picked) != 1 || blocked.Node != picked[0].Node || !strings.Contains(blocked.Pod, "checkout") || !strings.HasSuffix(blocked.Budget, "/checkout") {
		t.Errorf("%s; picked %v", blocked, picked)
	}
	p.exits(4)
	s.checkFollowed(p, service, id)
	var old, planned []string
	for _, node := range s.nodes() {
		if node.Labels["eks.amazonaws.com/nodegroup-image"] != machines.NewAMI {
			old = append(old, node.Name)
		}
	}
	var plan api.GroupPlan
	if err := json.Unmarshal([]byte(s.run("plan", "beside", "--release-version", "1.32.1-20250203", "-o", "json").exits(0).out()), &plan); err != nil {
		t.Fatal(err)
	}
	for _, node := range plan.Nodes {
		planned = append(planned, node.Node)
	}
	slices.Sort(planned)
	if len(old) == 0 || len(old) == len(s.nodes()) || !slices.Equal(planned, old) {
		t.Errorf("the plan replaces %q, and %q of %d have another AMI", planned, old, len(s.nodes()))
	}
	s.checkReadOnly()
	s.checkManagedActions()
}

// With maxUnavailable 2 EKS is at a node from which a pod was seen to leave, and at one where a PDB keeps all pods:
// that one is named soon after EKS can do no more at the first, and is not told to drain. When EKS gives
// up, what is held on both is told.
func TestFollowedUpdateMayBeAtMore(t *testing.T) {
	s, service := managed(t, lab.Nodegroup{Name: "more", Nodes: 2, Zones: oneZone, Update: &types.NodegroupUpdateConfig{MaxUnavailable: aws.Int32(2)}})
	if err := shared.Apply(s.ctx, s.place.Deployment("solo", 1)); err != nil {
		t.Fatal(err)
	}
	s.deploy("checkout")
	solo := s.pods("solo")[0]
	id := startUpdate(s, "more")
	p := s.launch("watch", "more", "--auto", "-o", "json")
	more := p.await("warning", func(e Event) bool {
		return e.Reason == "candidates" && strings.Contains(e.Message, "EKS may also drain ")
	})
	other := ""
	for _, e := range worked(service, id, eks.Picked) {
		if e.Node != solo.Spec.NodeName {
			other = e.Node
		}
	}
	if other == "" || !strings.Contains(more.Message, other) || strings.Contains(more.Message, solo.Spec.NodeName) || !strings.Contains(more.Message, "maxUnavailable allows 1 more node") {
		t.Errorf("%s is the other one: %s", other, more.Message)
	}
	for _, e := range worked(service, id, eks.Evicted) {
		if late := more.Time.Sub(e.Time); e.Pod == solo.Namespace+"/"+solo.Name && late > 10*time.Second { // it takes a moment to go
			t.Errorf("told %s after the last eviction", late)
		}
	}
	p.exits(4)
	for _, e := range p.all("node.draining") {
		if e.Node == other {
			t.Errorf("told as if it were known: %s", e)
		}
	}
	last := p.said()[len(p.said())-1]
	for _, pod := range s.pods("checkout") {
		if on := pod.Spec.NodeName; (on == other || on == solo.Spec.NodeName) && !strings.Contains(last.Message, pod.Name) {
			t.Errorf("it does not name %s: %s", pod.Name, last.Message)
		}
	}
	s.checkFollowed(p, service, id)
	s.checkReadOnly()
	s.checkManagedActions()
}

// No instance can be launched: EKS's error is joined with the words of the scaling activity. That the
// account's quota is used up is foreseen, unless quotas may not be read, which is said.
func TestFollowedUpdateGetsNoNodes(t *testing.T) {
	for _, name := range []string{"nocapacity", "noquota"} {
		t.Run(name, func(t *testing.T) {
			zone := zones[5]
			s, _ := managedIn(t, loneScene, lab.Nodegroup{Name: name, Nodes: 1, Zones: []string{zone}})
			s.deploy("batch")
			word := zone
			if name == "nocapacity" {
				shared.Cloud().SetCapacity(zone, 0)
				t.Cleanup(func() { shared.Cloud().SetCapacity(zone, -1) })
			} else {
				word = "current vCPU limit of 1 allows"
				shared.Cloud().SetQuota(1)
				t.Cleanup(func() { shared.Cloud().SetQuota(0) })
				plan := s.run("plan", name).exits(0).out()
				shared.Cloud().DenyKey(s.key, "servicequotas:ListServiceQuotas", true)
				plan += s.run("plan", name).exits(0).out()
				for _, want := range []string{"admits 0 of 2 more instances", " of 1 vCPU in use, 4 more for the surge",
					"whether the account's EC2 quota admits 2 more instances: AWS does not allow the IAM action servicequotas:ListServiceQuotas"} {
					if !strings.Contains(plan, want) {
						t.Errorf("the plans do not say %q:\n%s", want, plan)
					}
				}
			}
			startUpdate(s, name)
			p := s.launch("watch", name, "--auto", "-o", "json").exits(5)
			last := p.said()[len(p.said())-1]
			if !strings.Contains(last.Message, "NodeCreationFailure") || !strings.Contains(last.Message, "the scaling activity says: ") || !strings.Contains(last.Message, word) {
				t.Errorf("the end: %s", last)
			}
			s.checkReadOnly()
			s.checkManagedActions()
		})
	}
}

// Who comes in the middle sees the update, and nothing that AWS does to the watch ends it.
func TestFollowedUpdateThroughFaults(t *testing.T) {
	s, service := managed(t, lab.Nodegroup{Name: "faulty", Nodes: 8, Zones: oneZone})
	s.deploy("batch", "web")
	id := startUpdate(s, "faulty")
	s.eventually(func() error {
		if len(worked(service, id, eks.Terminated)) == 0 {
			return errors.New("no node was terminated")
		}
		return nil
	})
	p := s.launch("watch", "faulty", "--auto", "-o", "json")
	if first := p.await("phase.started"); first.Phase != eks.Upgrade {
		t.Errorf("it begins with %s", first)
	}
	service.SetUpdateStatus("faulty", id, "Hibernating")
	p.await("warning", func(e Event) bool { return strings.Contains(e.Message, `"Hibernating"`) })
	shared.Cloud().ThrottleKey(s.key, 0.5)
	shared.Cloud().DenyKey(s.key, "eks:DescribeUpdate", true)
	s.eventually(func() error {
		if len(worked(service, id, eks.Terminated)) < 3 {
			return errors.New("three were not terminated")
		}
		return nil
	})
	shared.Cloud().ThrottleKey(s.key, 0)
	for _, fault := range []func(string, bool){shared.Cloud().ExpireKey, shared.Cloud().BreakKey} {
		fault(s.key, true)
		refused := len(calls(s.calls(), "DescribeAutoScalingGroups"))
		s.eventually(func() error {
			if len(calls(s.calls(), "DescribeAutoScalingGroups")) < refused+2 {
				return errors.New("nothing was tried")
			}
			return nil
		})
		fault(s.key, false)
	}
	shared.Cloud().DenyKey(s.key, "eks:DescribeUpdate", false)
	p.exits(0)
	if last := p.said()[len(p.said())-1]; !strings.Contains(last.Message, "8 of 8") {
		t.Errorf("what was replaced before the watch began is not counted: %s", last)
	}
	s.checkReadOnly()
	s.checkManagedActions()
}

// While EKS waits for a PDB, an autoscaler ends nodes of one zone and AZRebalance evens the zones out:
// who ends a node is told, and none of these is taken for the update's own.
func TestFollowedUpdateBesideOthers(t *testing.T) {
	s, service := managed(t, lab.Nodegroup{Name: "others", Nodes: 6, Zones: zones[:2]})
	s.deploy("checkout", "batch")
	id := startUpdate(s, "others")
	p := s.launch("watch", "others", "--auto", "-o", "json")
	s.eventually(func() error {
		if len(worked(service, id, eks.Refused)) == 0 {
			return errors.New("no eviction was refused")
		}
		return nil
	})
	picked := worked(service, id, eks.Picked)
	at := picked[len(picked)-1].Node
	var ended []string // by node and instance
	for _, node := range s.nodes() {
		held := slices.ContainsFunc(s.pods("checkout"), func(pod corev1.Pod) bool { return pod.Spec.NodeName == node.Name })
		if node.Labels["eks.amazonaws.com/nodegroup"] == "others" && node.Labels["topology.kubernetes.io/zone"] == zones[0] && node.Name != at && !held && len(ended) < 2 {
			id := node.Spec.ProviderID[strings.LastIndex(node.Spec.ProviderID, "/")+1:]
			s.aws("TerminateInstanceInAutoScalingGroup", "InstanceId", id, "ShouldDecrementDesiredCapacity", "true")
			ended = append(ended, node.Name+" "+id)
		}
	}
	if len(ended) != 2 {
		t.Fatalf("%q were ended", ended)
	}
	for _, name := range ended {
		p.await("warning", func(e Event) bool {
			told, _, _ := strings.Cut(e.Message, ": ")
			return strings.Contains(name, told) && strings.Contains(e.Message, "as the Cluster Autoscaler does")
		})
	}
	p.await("warning", func(e Event) bool {
		return strings.Contains(e.Message, "by AZRebalance of the Auto Scaling group, not by EKS's update")
	})
	p.exits(4)
	s.checkFollowed(p, service, id)
	s.checkReadOnly()
	s.checkManagedActions()
}
