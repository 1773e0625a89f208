package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/kops"
)

// Our own rules with four nodes ahead: the waves are of 1, 2 and 4 nodes, a node goes once nothing leads to it
// and not at the end of the wait, one pod at most moves twice, and at no time does the group have fewer nodes than it is
// to have.
func TestOwnRules(t *testing.T) {
	const surge, wait = 4, 45 * time.Second
	s := newScene(t, "own", lab.GroupOptions{Nodes: 12, Min: 3, Max: 14}, "read", "upgrade", "routes", "scale", "events", "hear")
	s.deploy("web", "api", "batch", "db", "agent", "single").serve("web")
	capacity := s.watchCapacity()

	routed, unroute := s.nodes()[0].Name, s.routeTo(s.nodes()[0].Name)
	p := s.upgrade("--strategy", "drainboard", "--max-surge", "4", "--order", "apart", "--post-drain-wait", wait.String())
	waits := p.await("node.settling", onNode(routed))
	time.Sleep(time.Until(waits.Time.Add(8 * time.Second))) // longer than a node waits that nothing routes to
	if gone := p.all("node.terminating", onNode(routed)); len(gone) > 0 {
		t.Errorf("%s is terminated, and an EndpointSlice leads to it", routed)
	}
	unroute()
	p.exits(0)

	capacity.check(s, 0, surge)
	checkEvents(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	checkWaves(t, p.said(), surge)
	for _, e := range p.all("node.settling") {
		if e.Until == nil { // told when the wait is over: what it was for
			if e.Node == routed && !strings.Contains(e.Message, "routed to it no more") {
				t.Errorf("%s does not say what routed to it: %s", routed, e.Message)
			}
			continue
		}
		end := p.await("node.terminating", onNode(e.Node))
		if waited := end.Time.Sub(e.Time); waited < 5*time.Second || !end.Time.Before(*e.Until) {
			t.Errorf("%s waited %s of %s: it was to end with the evidence, and not before 5 s", e.Node, waited, wait)
		}
	}
	// One pod may have moved twice: on a new node that goes at the end, since its zone has one too many.
	if end := p.await("run.finished"); !strings.Contains(end.Message, "1.00 moves per pod") && !strings.Contains(end.Message, "1.06 moves per pod") {
		t.Errorf("pods have moved more than once: %s", end.Message)
	}
	if most := s.mostDesired(); most != s.before.Desired+surge {
		t.Errorf("desired was %d, want %d and %d more", most, s.before.Desired, surge)
	}
	s.checkRolled()
}

// Nodes behind a target group: one whose connections drain goes once they are over, and not before. One that stays
// registered waits to the end, and its target group is named.
func TestOwnRulesBehindTargetGroup(t *testing.T) {
	const wait, draining = 60 * time.Second, 15 * time.Second
	arn := shared.Cloud().CreateBalancer(cloud.Balancer{Name: "own-targets", Draining: draining})
	s := newScene(t, "own-targets", lab.GroupOptions{Nodes: 2, Zones: oneZone, Max: 3, Balancers: []string{arn}}, "read", "upgrade", "routes", "scale", "events", "hear")
	s.deploy("batch")

	p := s.upgrade("--strategy", "drainboard", "--max-surge", "1", "--max-unavailable", "1", "--post-drain-wait", wait.String())
	leaves := p.await("node.settling")
	nodes := s.nodes()
	i := slices.IndexFunc(nodes, func(n corev1.Node) bool { return n.Name == leaves.Node })
	if i < 0 {
		t.Fatalf("no node %s", leaves.Node)
	}
	id := nodes[i].Spec.ProviderID
	id = id[strings.LastIndex(id, "/")+1:]
	targets := elasticloadbalancingv2.NewFromConfig(shared.AWSConfig())
	deregistered := time.Now()
	if _, err := targets.DeregisterTargets(s.ctx, &elasticloadbalancingv2.DeregisterTargetsInput{
		TargetGroupArn: &arn, Targets: []elbtypes.TargetDescription{{Id: &id}},
	}); err != nil {
		t.Fatal(err)
	}
	p.exits(0)

	checkFinished(t, p.said(), "succeeded", 0)
	settled := 0
	for _, e := range p.all("node.settling") {
		if e.Until != nil {
			continue
		}
		settled++
		want := "target group own-targets still routed to it"
		if e.Node == leaves.Node {
			want = "target group own-targets routed to it no more"
			if at := e.Time.Sub(deregistered); at < draining {
				t.Errorf("%s goes %s after it was deregistered, and its connections take %s", e.Node, at, draining)
			}
			if waited := e.Time.Sub(leaves.Time); waited >= wait {
				t.Errorf("%s waited %s, though its connections were over", e.Node, waited)
			}
		}
		if !strings.Contains(e.Message, want) {
			t.Errorf("%s: %q, want %q", e.Node, e.Message, want)
		}
	}
	if settled != 2 {
		t.Errorf("%d nodes have settled", settled)
	}
	s.checkRolled()
}

// A Deployment with one replica gets a second one while its pod moves. Who may not scale is told before anything is
// touched, with the flag that does without.
func TestOwnRulesWithSingle(t *testing.T) {
	s := newScene(t, "own-single", lab.GroupOptions{Nodes: 2, Zones: oneZone, Max: 3}, "read", "upgrade", "routes", "events", "hear")
	s.deploy("batch", "lone")
	s.singles = []string{"lone"}
	was := s.pods("lone")[0].Name
	flags := []string{"--strategy", "drainboard", "--max-surge", "1", "--post-drain-wait", "6s"}

	refused := s.upgrade(flags...).exits(11).says("deployments/scale", "--singles=false")
	checkSentence(t, refused.errOut())
	s.checkReadOnly()
	s.checkAsBefore()

	s.as("own-single-scales", published(t, "read", "upgrade", "routes", "scale", "events", "hear"))
	s.mark()
	p := s.upgrade(flags...).exits(0)
	checkFinished(t, p.said(), "succeeded", 0)
	told := p.all("workload.scaled")
	if len(told) < 2 || len(told)%2 != 0 || !strings.Contains(told[0].Message, "1 → 2") || !strings.Contains(told[1].Message, "2 → 1") { // it may move to the other old node first
		t.Errorf("told: %v", told)
	}
	s.eventually(func() error {
		if now := s.pods("lone"); len(now) != 1 || now[0].Name == was {
			return fmt.Errorf("%s has not moved: %d pods", was, len(now))
		}
		return nil
	})
	s.checkRolled()
}

// A group of kops rolled by our own rules: its cluster is validated before anything is touched, and once more after
// the last node went.
func TestOwnRulesOfKops(t *testing.T) { // not beside others: what names no cluster has to find one of kops at most
	s := kopsSceneOf(t, "own-kops", kops.Group{Name: "masters", Role: kops.ControlPlane, Size: 1}, kops.Group{Name: "nodes", Role: kops.Node, Size: 3})
	s.outdate("nodes")
	roll := func(flags ...string) *process {
		return s.launch(append([]string{"upgrade", "nodes", "--provider", "kops", "--auto", "-o", "json", "--strategy", "drainboard", "--singles=false",
			"--post-drain-wait", "6s", "--validate-pause", "1s", "--validate-retry", "1s"}, flags...)...)
	}
	nodes, worker := s.at("nodes"), s.at("nodes").nodes()[0].Name

	s.must(shared.UnreadyNode(s.ctx, worker))
	p := roll("--validation-timeout", "2s").exits(7)
	p.await("validation.failed", saying("node "+worker+" of "+nodes.group.Name+" is not Ready"))
	s.checkUntouched()
	s.must(shared.ReadyNode(s.ctx, worker))
	s.nodesReady("nodes", 3)

	s.begin()
	p = roll().exits(0)
	checkFinished(t, p.said(), "succeeded", 0)
	var order []string
	for _, e := range p.said() {
		if e.Type == "validation.passed" || e.Type == "node.draining" || e.Type == "node.terminating" {
			order = append(order, strings.TrimPrefix(e.Type, "node."))
		}
	}
	if len(order) == 0 || order[0] != "validation.passed" || order[len(order)-1] != "validation.passed" {
		t.Errorf("the cluster is not validated before and after: %v", order)
	}
	for _, n := range nodes.nodes() {
		if n.Name == worker {
			t.Errorf("%s is still there", worker)
		}
	}
	nodes.checkReleased()
}

// routeTo makes an EndpointSlice of the user's own that leads to a node, until it is called off.
func (s *scene) routeTo(node string) (off func()) {
	s.t.Helper()
	slices := shared.Client().DiscoveryV1().EndpointSlices(s.place.Namespace)
	if _, err := slices.Create(s.ctx, &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: "web-by-hand", Labels: map[string]string{discoveryv1.LabelServiceName: "web"}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{"10.1.2.3"}, NodeName: &node}},
	}, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	return func() {
		s.t.Helper()
		if err := slices.Delete(s.ctx, "web-by-hand", metav1.DeleteOptions{}); err != nil {
			s.t.Error(err)
		}
	}
}

// serve gives a workload a Service, and waits until all its pods are endpoints.
func (s *scene) serve(app string) {
	s.t.Helper()
	services := shared.Client().CoreV1().Services(s.place.Namespace)
	if _, err := services.Create(s.ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: app},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": app}, Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	s.eventually(func() error {
		pods, err := shared.Client().CoreV1().Pods(s.place.Namespace).List(s.ctx, metav1.ListOptions{LabelSelector: "app=" + app})
		if err != nil {
			return err
		}
		lists, err := shared.Client().DiscoveryV1().EndpointSlices(s.place.Namespace).List(s.ctx, metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=" + app})
		if err != nil {
			return err
		}
		ends := 0
		for _, list := range lists.Items {
			ends += len(list.Endpoints)
		}
		if ends == 0 || ends != len(pods.Items) {
			return fmt.Errorf("Service %s has %d endpoints of %d pods", app, ends, len(pods.Items))
		}
		return nil
	})
}

// checkWaves sees that nodes begin in waves of 1, 2, 4, ... up to limit, each once those of the one before are
// empty, and that as many as limit drain or settle or end at some time.
func checkWaves(t *testing.T, events []Event, limit int) {
	t.Helper()
	began, empty, underWay, most := 0, 0, 0, 0
	for _, e := range events {
		switch e.Type {
		case "node.draining":
			before, wave := 0, 1 // nodes of the waves before this one's
			for ; before+wave <= began && wave < limit; wave *= 2 {
				before += wave
			}
			if began++; empty < before {
				t.Errorf("%s was node %d, and only %d of the %d before its wave were empty", e.Node, began, empty, before)
			}
			underWay++
			most = max(most, underWay)
		case "node.drained":
			empty++
		case "node.replaced":
			underWay--
		}
	}
	if most != limit {
		t.Errorf("at most %d nodes were under way at once, want %d", most, limit)
	}
}

// A process is killed (kill -9) while the waves grow, before a request and after it, and each time another one
// continues with the wave that it finds.
func TestKilledInAWave(t *testing.T) {
	s := twelve(t, "killed-wave", lab.GroupOptions{Max: 16}, "read", "upgrade", "scale", "events", "hear")
	killedWithin(s, []point{
		patch("outdated", `drainboard.dev/outdated`),
		patch("closed", `drainboard.dev/closed`),
		patch("cordon", `"unschedulable":true`),
		s.call("terminate", terminateOne),
	}, 0, 4, "--strategy", "drainboard", "--max-surge", "4", "--post-drain-wait", "10s")
}
