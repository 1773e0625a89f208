package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/kops"
	"github.com/drainboard/drainboard/lab/kopsorder"
	"github.com/drainboard/drainboard/lab/workload"
)

// kopsRoles are the lab's roles as the order knows them.
var kopsRoles = map[kops.Role]kopsorder.Role{
	kops.Bastion: kopsorder.Bastion, kops.ControlPlane: kopsorder.ControlPlane, kops.APIServer: kopsorder.APIServer, kops.Node: kopsorder.Node,
}

// The groups of the kops cluster, in the order in which kops rolls them.
var kopsGroups = []kops.Group{
	{Name: "bastions", Role: kops.Bastion, Size: 1, Balancer: "classic"},
	{Name: "masters", Role: kops.ControlPlane, Size: 2, Balancer: "network"},
	{Name: "batch", Role: kops.Node, Size: 4},
	{Name: "nodes", Role: kops.Node, Size: 8},
}

// The waits of the stories: kops's, shortened.
var kopsWaits = kopsorder.Group{PostDrain: time.Second, Interval: time.Second, Looks: 2, Pause: time.Second}

var kopsFlags = []string{
	"--auto", "-o", "json", "--eviction-retry", "1s", "--post-drain-wait", kopsWaits.PostDrain.String(),
	"--bastion-interval", kopsWaits.Interval.String(), "--control-plane-interval", kopsWaits.Interval.String(), "--node-interval", kopsWaits.Interval.String(),
	"--validate-pause", kopsWaits.Pause.String(), "--validate-retry", "1s",
}

// kopsScene is a scene of a whole kops cluster. Its group, of which the checks of other
// stories speak, is one after the other of the cluster's.
type kopsScene struct {
	*scene
	kops lab.KopsCluster
}

// newKopsScene makes the cluster. Its spec says maxSurge 2 and maxUnavailable 0.
func newKopsScene(t *testing.T, name string) *kopsScene {
	t.Helper()
	t.Parallel()
	s := kopsSceneOf(t, name, kopsGroups...)
	for _, group := range []string{"batch", "nodes"} {
		if err := shared.Deploy(s.ctx, s.in(group), "web", "agent"); err != nil {
			t.Fatal(err)
		}
		if err := shared.WaitReady(s.ctx, s.in(group).Namespace); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// kopsSceneOf makes a cluster of some groups, with nothing on its nodes.
func kopsSceneOf(t *testing.T, name string, groups ...kops.Group) *kopsScene {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Minute)
	t.Cleanup(cancel)
	s := &kopsScene{scene: &scene{t: t, ctx: ctx, name: name, home: t.TempDir(), key: name}}
	o := kops.Options{Name: name + ".k8s.local", Bucket: name + "-state", Rolling: kops.Rolling{MaxSurge: "2", MaxUnavailable: "0"}}
	for _, g := range groups {
		g.Zones = zones[:3]
		o.Groups = append(o.Groups, g)
	}
	var err error
	if s.kops, err = shared.AddKopsCluster(ctx, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, g := range s.kops.Groups {
			shared.Cloud().DeleteGroup(g.Name)
		}
	})
	s.extra = s.kops.Env()
	rights := []string{"read", "upgrade", "events", "hear"}
	s.as(name, published(t, rights...))
	shared.Cloud().Grant(s.key, granted(t, append(rights, "kops read", "kops upgrade", "cloudonly")...)...)
	return s
}

// in is the place of a group's workload.
func (s *kopsScene) in(group string) workload.Place {
	return workload.Place{Namespace: s.name + "-" + group, Group: s.kops.Groups[group].Name}
}

// at is the scene with one of the cluster's groups.
func (s *kopsScene) at(group string) *scene {
	at := *s.scene
	at.group, at.place = s.kops.Groups[group], s.in(group)
	return &at
}

// begin makes now the beginning: what the checks look back to.
func (s *kopsScene) begin() {
	s.t.Helper()
	s.from = time.Now()
}

// roll rolls all groups of the cluster.
func (s *kopsScene) roll(flags ...string) *process {
	s.t.Helper()
	return s.launch(slices.Concat([]string{"upgrade", "--all", "--provider", "kops"}, kopsFlags, flags)...)
}

// outdate gives groups a template version that no machine of theirs has.
func (s *kopsScene) outdate(groups ...string) {
	s.t.Helper()
	for _, name := range groups {
		g := s.kops.Groups[name]
		s.ec2("CreateLaunchTemplateVersion", "LaunchTemplateId", g.TemplateID, "SourceVersion", fmt.Sprint(g.New), "VersionDescription", "another "+s.name)
		g.New++
		s.kops.Groups[name] = g
	}
	time.Sleep(2 * cloudLag) // until describe calls tell of it: a roll would find nothing to do
	s.begin()
}

// order is what was asked for of groups, for the check of the order: with maxSurge and
// maxUnavailable as they are resolved for each.
func (s *kopsScene) order(surge int, unavailable map[string]int, groups ...string) (out []kopsorder.Group) {
	for _, g := range kopsGroups {
		if !slices.Contains(groups, g.Name) {
			continue
		}
		o := kopsWaits
		o.Name, o.Role, o.Size = s.kops.Groups[g.Name].Name, kopsRoles[g.Role], g.Size
		o.Surge, o.Unavailable, o.Balanced = surge, unavailable[g.Name], g.Balancer != "" && g.Role != kops.Bastion
		out = append(out, o)
	}
	return out
}

// checkOrder holds what processes said, one after the other, against kops's order. What
// was under way when one died the next looks up and tells again: that counts once, and
// checkKopsCalls sees that it was done once.
func (s *kopsScene) checkOrder(groups []kopsorder.Group, processes ...*process) {
	s.t.Helper()
	var events []kopsorder.Event
	for i, p := range processes {
		for _, e := range p.said() {
			again := func(o Event) bool {
				return o.Type == e.Type && o.Node == e.Node && o.Pod == e.Pod && o.Reason == e.Reason
			}
			if i > 0 && e.Node != "" && slices.ContainsFunc(processes[i-1].said(), again) {
				continue
			}
			events = append(events, kopsorder.Event{Time: e.Time, Group: e.Group, Type: e.Type, Node: e.Node, Pod: e.Pod, Reason: e.Reason})
		}
	}
	for _, broken := range kopsorder.Check(events, groups) {
		s.t.Error(broken)
	}
	for _, g := range groups {
		if n := len(slices.DeleteFunc(slices.Clone(events), func(e kopsorder.Event) bool { return e.Group != g.Name || e.Type != "node.terminating" })); n != g.Size {
			s.t.Errorf("%d machines of %s were ended, it had %d", n, g.Name, g.Size)
		}
	}
}

// checkEnd holds groups at the end of a roll that succeeded against what "done" means.
func (s *kopsScene) checkEnd(groups ...string) {
	s.t.Helper()
	for _, name := range groups {
		at, spec := s.at(name), kopsGroups[slices.IndexFunc(kopsGroups, func(g kops.Group) bool { return g.Name == name })]
		at.eventually(func() error {
			serving := at.instances()
			for _, i := range serving {
				if i.TemplateVersion != at.group.New {
					return fmt.Errorf("%s of %s is of version %d, not %d", i.ID, name, i.TemplateVersion, at.group.New)
				}
			}
			if g, _ := shared.Cloud().Group(at.group.Name); len(serving) != spec.Size || g.Desired != spec.Size {
				return fmt.Errorf("%s has %d machines in service and desires %d, not %d", name, len(serving), g.Desired, spec.Size)
			}
			return nil
		})
		at.checkKopsMarks()
		if spec.Role == kops.Node {
			at.checkPods()
			at.checkBudgets()
		}
		at.checkReleased()
	}
	s.checkNoneOutside()
	s.checkKopsCalls()
}

// checkNoneOutside sees that no machine runs that was detached.
func (s *kopsScene) checkNoneOutside() {
	s.t.Helper()
	s.eventually(func() error {
		if out := s.outside(); len(out) > 0 {
			return fmt.Errorf("%v run outside their groups", out)
		}
		return nil
	})
}

// outside are the machines that were detached since the story began, and run still.
func (s *kopsScene) outside() (out []string) {
	for _, c := range calls(s.calls(), "DetachInstances") {
		id := c.Params.Get("InstanceIds.member.1")
		if i, there := shared.Cloud().Instance(id); there && c.Code == "" && i.State == cloud.Detached {
			out = append(out, id)
		}
	}
	return out
}

// checkKopsCalls sees that machines were ended as kops does it, each once; that none was
// detached before it had its tag; and that nothing was asked for that docs/reference/rights.md does not
// list for groups of kops.
func (s *kopsScene) checkKopsCalls() {
	s.t.Helper()
	allowed := granted(s.t, "read", "upgrade", "kops read", "kops upgrade")
	tagged, detached, ended := map[string]bool{}, map[string]int{}, map[string]int{}
	for _, c := range s.calls() {
		if name := c.Service + ":" + c.Action; !slices.Contains(allowed, name) && name != "sts:GetCallerIdentity" {
			s.t.Errorf("IAM action %s is used and not in docs/reference/rights.md", name)
		}
		if c.Code != "" {
			continue
		}
		switch c.Action {
		case "CreateTags":
			tagged[c.Params.Get("ResourceId.1")] = true
		case "DetachInstances":
			id := c.Params.Get("InstanceIds.member.1")
			if !tagged[id] {
				s.t.Errorf("%s was detached without a tag", id)
			}
			if c.Params.Get("ShouldDecrementDesiredCapacity") != "false" {
				s.t.Errorf("%s was detached for good", id)
			}
			detached[id]++
		case "TerminateInstances":
			ended[c.Params.Get("InstanceId.1")]++
		case "TerminateInstanceInAutoScalingGroup", "UpdateAutoScalingGroup":
			s.t.Errorf("%s: kops does not", c.Action)
		}
	}
	for what, times := range map[string]map[string]int{"detached": detached, "ended": ended} {
		for id, n := range times {
			if n > 1 {
				s.t.Errorf("%s was %s %d times", id, what, n)
			}
		}
	}
}

// checkKopsMarks sees that no node of the group has a mark of ours: that of the control
// plane is not.
func (s *scene) checkKopsMarks() {
	s.t.Helper()
	for _, n := range s.nodes() {
		for _, mark := range marksOf(n) {
			if _, master := n.Labels["node-role.kubernetes.io/control-plane"]; !master || mark != "label "+excluded {
				s.t.Errorf("node %s still has %s", n.Name, mark)
			}
		}
		if taints := scheduledForUpdate(n); len(taints) > 0 {
			s.t.Errorf("node %s still has the taint %s", n.Name, taints)
		}
	}
}

func scheduledForUpdate(n corev1.Node) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(n.Spec.Taints), func(t corev1.Taint) bool { return t.Key != "kops.k8s.io/scheduled-for-update" })
}

// master is the name of a node of the control plane.
func (s *kopsScene) master() string {
	s.t.Helper()
	return s.at("masters").nodes()[0].Name
}

// checkBecame sees what became of which group, in which order.
func (s *kopsScene) checkBecame(p *process, want ...string) {
	s.t.Helper()
	for i, w := range want {
		name, what, _ := strings.Cut(w, " ")
		want[i] = s.kops.Groups[name].Name + " " + what
	}
	if got := p.became(); !slices.Equal(got, want) {
		s.t.Errorf("the groups became %q, want %q", got, want)
	}
}

// everyGroup is the whole cluster.
var everyGroup = []string{"bastions", "masters", "batch", "nodes"}

// A kops cluster is rolled with one command, in kops's order and within its limits: with
// maxSurge 2 and maxUnavailable 0, as its spec says; with 0 and 25 %, as flags say;
// killed in the surge and gone on with by another process; stopped by a cluster that does
// not validate, with each kind of trouble before the start; and without the Kubernetes
// API. One cluster for all, and one story after the other: the pods that a cluster cannot
// do without are those of the whole lab. A sample tells the first one and two others.
func TestKops(t *testing.T) {
	s := newKopsScene(t, "kops")
	tell := func(name string, story func()) {
		t.Helper()
		from := time.Now()
		if story(); t.Failed() {
			t.Fatalf("%s: those after it are not told", name)
		}
		t.Logf("%s took %s", name, time.Since(from).Round(time.Second))
	}
	others := map[string]func(){
		"killed in the surge":                   s.tellKilled,
		"maxSurge 0, maxUnavailable 25 %":       s.tellShare,
		"does not validate at first":            s.tellInvalidAtFirst,
		"does not validate in the middle":       s.tellInvalid,
		"trouble of each kind before the start": s.tellTroubleBefore,
		"without Kubernetes":                    s.tellCloudOnly, // leaves no Kubernetes API to those after it
	}
	s.begin()
	tell("maxSurge 2, maxUnavailable 0", s.tellSurge)
	for _, name := range sample(slices.Sorted(maps.Keys(others)), 2) {
		tell(name, others[name])
	}
}

func (s *kopsScene) tellSurge() {
	p := s.roll().exits(0)

	var want []string
	for _, name := range everyGroup {
		want = append(want, name+" running", name+" finished")
	}
	s.checkBecame(p, want...)
	checkRollEvents(s.t, p.said())
	s.checkOrder(s.order(2, nil, everyGroup...), p)
	for name, n := range map[string]int{"bastions": 1, "masters": 0, "batch": 2, "nodes": 2} {
		if got := len(p.all("instance.detached", ofGroup(s.kops.Groups[name].Name))); got != n {
			s.t.Errorf("%d machines of %s were detached, want %d", got, name, n)
		}
	}
	if n := len(p.all("instance.deregistered", ofGroup(s.kops.Groups["masters"].Name))); n != 2 {
		s.t.Errorf("%d machines of the control plane left its load balancer, want 2", n)
	}
	s.checkEnd(everyGroup...)
}

// Everything is outdated again. A quarter of four is one, of eight two: the first goes
// alone, and then two at once.
func (s *kopsScene) tellShare() {
	s.outdate(everyGroup...)

	p := s.roll("--max-surge", "0", "--max-unavailable", "25%").exits(0)

	s.checkOrder(s.order(0, map[string]int{"bastions": 1, "masters": 1, "batch": 1, "nodes": 2}, everyGroup...), p)
	if n := len(p.all("instance.detached")); n != 0 {
		s.t.Errorf("%d machines were detached without a surge", n)
	}
	if most := p.atOnce(s.kops.Groups["nodes"].Name); most != 2 {
		s.t.Errorf("%d nodes went at once at most, want 2", most)
	}
	s.checkEnd(everyGroup...)
}

// atOnce is the most nodes of a group that were between their cordon and their end.
func (p *process) atOnce(group string) (most int) {
	out := map[string]bool{}
	for _, e := range p.said() {
		switch {
		case e.Group != group:
		case e.Type == "node.cordoned":
			out[e.Node] = true
		case e.Type == "node.terminating":
			delete(out, e.Node)
		}
		most = max(most, len(out))
	}
	return most
}

// The process dies when the second machine of the surge is detached. The next one finds
// both, detaches no other, and replaces them last.
func (s *kopsScene) tellKilled() {
	s.outdate("nodes")
	nodes := s.kops.Groups["nodes"].Name

	first := s.roll()
	one := first.await("instance.detached", ofGroup(nodes))
	first.await("instance.detached", ofGroup(nodes), func(e Event) bool { return e.Node != one.Node })
	first.crash()
	if n := len(s.outside()); n != 2 {
		s.t.Errorf("%d machines are detached when the process is dead, want 2", n)
	}
	second := s.roll().exits(0)

	second.await("run.started", because("resumed"))
	if n := slices.DeleteFunc(calls(s.calls(), "DetachInstances"), func(c cloud.Call) bool { return c.Code != "" }); len(n) != 2 {
		s.t.Errorf("%d machines were detached by both processes, want 2", len(n))
	}
	s.checkOrder(s.order(2, nil, "nodes"), first, second)
	s.checkEnd("nodes")
}

// A node of the control plane is not Ready when the roll is to begin.
func (s *kopsScene) tellInvalidAtFirst() {
	s.outdate("batch", "nodes")
	master := s.master()
	if err := shared.UnreadyNode(s.ctx, master); err != nil {
		s.t.Fatal(err)
	}

	p := s.roll("--validation-timeout", "3s").exits(7)

	if err := shared.ReadyNode(s.ctx, master); err != nil {
		s.t.Fatal(err)
	}
	p.await("validation.failed", saying(master))
	s.checkBecame(p, "bastions left-out", "masters left-out", "batch running", "batch finished", "nodes not-started")
	s.checkUntouched()
	s.at("batch").checkReleased()
}

// The pods of the control plane turn unready while the surge is to be proved: the roll
// stops, with nothing of ours on the nodes, and names the machines that are detached.
// Once they are well again the same command continues.
func (s *kopsScene) tellInvalid() {
	s.outdate("batch", "nodes")
	batch := s.kops.Groups["batch"].Name

	first := s.roll("--validation-timeout", "20s", "--node-interval", "5s")
	first.await("instance.detached", ofGroup(batch))
	if err := shared.Unready(s.ctx, metav1.NamespaceSystem, "kube-apiserver-"+s.master()); err != nil {
		s.t.Fatal(err)
	}
	first.exits(7)

	first.await("validation.failed", saying("kube-apiserver-"))
	first.await("run.finished", func(e Event) bool { return e.Result == "ClusterValidationFailure" })
	s.checkBecame(first, "bastions left-out", "masters left-out", "batch running", "batch finished", "nodes not-started")
	s.at("batch").checkKopsMarks()
	s.at("batch").checkReleased()
	out := s.outside()
	if len(out) != 1 {
		s.t.Fatalf("%d machines are detached, want 1", len(out))
	}
	first.says("detached", "aws ec2 terminate-instances --instance-ids "+out[0])
	if n := len(first.all("node.cordoned")); n != 0 {
		s.t.Errorf("%d marks of a drain although the surge was not proved", n)
	}

	if err := shared.ReadyAgain(s.ctx, metav1.NamespaceSystem, "kube-apiserver-"); err != nil {
		s.t.Fatal(err)
	}
	second := s.roll().exits(0)
	last := second.all("node.terminating", ofGroup(batch))
	if len(last) != 4 || !slices.ContainsFunc(last[2:], func(e Event) bool { return strings.Contains(e.Message, out[0]) }) {
		s.t.Errorf("%s, which was detached before, was not among the last: %v", out[0], last)
	}
	s.checkOrder(s.order(2, nil, "batch", "nodes"), first, second)
	s.checkEnd("batch", "nodes")
}

// Without the Kubernetes API machines of a small group are ended and replaced one after
// the other, and nothing is asked of it.
func (s *kopsScene) tellCloudOnly() {
	s.outdate("bastions")
	s.kubeconfig = s.file("nowhere", "")

	p := s.launch("upgrade", "bastions", "--cloudonly", "--auto", "-o", "json", "--bastion-interval", kopsWaits.Interval.String()).exits(0)

	if n := len(p.all("node.terminating")); n != 1 {
		s.t.Errorf("%d machines were ended, want 1", n)
	}
	for _, kind := range []string{"validation.passed", "node.cordoned", "node.tainted", "pod.evicted", "instance.detached"} {
		if got := p.all(kind); len(got) > 0 {
			s.t.Errorf("without Kubernetes: %v", got)
		}
	}
	if rs := s.requests(); len(rs) > 0 {
		s.t.Errorf("the Kubernetes API was asked: %v", rs[0])
	}
	at := s.at("bastions")
	at.eventually(func() error {
		if i := at.instances(); len(i) != 1 || i[0].TemplateVersion != at.group.New {
			return fmt.Errorf("machines %v, want one of version %d", i, at.group.New)
		}
		return nil
	})
}
