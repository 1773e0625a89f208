package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/lab"
)

// Others are at work on the group. Beside an instance refresh no run starts, and nothing
// is touched. A node that the Cluster Autoscaler is removing is waited for; new nodes are
// kept from it until the end.
func TestOthersAtWork(t *testing.T) {
	s := newScene(t, "rivals", lab.GroupOptions{Nodes: 3, Zones: oneZone, Tags: map[string]string{"k8s.io/cluster-autoscaler/enabled": "true"}})
	s.deploy("web")

	s.aws("StartInstanceRefresh", "AutoScalingGroupName", s.group.Name)
	s.eventually(func() error { // the cloud is seen a moment late
		if rivals := s.rivals(); !slices.Contains(rivals, "instance-refresh: refused") || !slices.Contains(rivals, "autoscaler: left-alone") || !slices.Contains(rivals, "rebalancing: suspended") {
			return fmt.Errorf("the plan names %v", rivals)
		}
		return nil
	})
	p := s.upgrade().exits(2)
	p.says("an external mover is active in this group", "instance refresh ", "(InProgress, 0 %)", "aws autoscaling cancel-instance-refresh --auto-scaling-group-name "+s.group.Name)
	s.checkUntouched()
	s.aws("CancelInstanceRefresh", "AutoScalingGroupName", s.group.Name)
	s.eventually(func() error {
		if rivals := s.rivals(); slices.Contains(rivals, "instance-refresh: refused") {
			return fmt.Errorf("the plan names %v", rivals)
		}
		return nil
	})

	s.mark()
	old := s.nodes()
	taken := old[len(old)-1].Name
	p = s.upgrade("--order", "name", "--post-drain-wait", "10s") // the first node takes longer than it takes to see the taint of the other
	p.await("warning", because("external-mover"), saying("scales the group (tag k8s.io/cluster-autoscaler/enabled)"))
	p.await("node.draining", onNode(old[0].Name))
	s.taints(taken, func(list []corev1.Taint) []corev1.Taint {
		return append(list, corev1.Taint{Key: autoscalerTaint, Value: fmt.Sprint(time.Now().Unix()), Effect: corev1.TaintEffectNoSchedule})
	})
	p.await("warning", because("external-mover"), onNode(taken), saying("Cluster Autoscaler drains "+taken))
	p.await("node.replaced", onNode(old[0].Name))
	p.await("warning", because("drain-gate"), saying("Cluster Autoscaler drains "+taken))
	if drains := p.all("node.draining"); len(drains) != 1 {
		t.Errorf("%d drains beside the autoscaler's: %v", len(drains), drains)
	}
	s.eventually(func() error {
		for _, n := range s.nodes() {
			isOld := slices.ContainsFunc(old, func(o corev1.Node) bool { return o.Name == n.Name })
			if kept := n.Annotations[keepFromScaleDown] == "true"; kept == isOld {
				return fmt.Errorf("%s: kept from the autoscaler: %t, outdated: %t", n.Name, kept, isOld)
			}
		}
		return nil
	})
	s.taints(taken, func(list []corev1.Taint) []corev1.Taint {
		return slices.DeleteFunc(list, func(t corev1.Taint) bool { return t.Key == autoscalerTaint })
	})
	p.exits(0)

	p.await("warning", because("external-mover-gone"), saying("Cluster Autoscaler drains "+taken))
	p.await("node.replaced", onNode(taken))
	checkEvents(t, p.said())
	s.checkRolled()
}

// autoscalerTaint is what the Cluster Autoscaler puts on a node that it removes.
const autoscalerTaint = "ToBeDeletedByClusterAutoscaler"

// rivals are those that a plan of the group names, as "type: handling".
func (s *scene) rivals() (out []string) {
	s.t.Helper()
	var plan api.GroupPlan
	text := s.run("plan", s.group.Name, "-o", "json").exits(0).out()
	if err := json.Unmarshal([]byte(text), &plan); err != nil {
		s.t.Fatalf("plan: %v\n%s", err, text)
	}
	for _, r := range plan.ExternalMovers {
		out = append(out, r.Type+": "+r.Handling)
	}
	return out
}

// taints changes a node's taints as another user.
func (s *scene) taints(node string, change func([]corev1.Taint) []corev1.Taint) {
	s.t.Helper()
	s.eventually(func() error {
		n, err := shared.Client().CoreV1().Nodes().Get(s.ctx, node, metav1.GetOptions{})
		if err != nil {
			return err
		}
		n.Spec.Taints = change(n.Spec.Taints)
		_, err = shared.Client().CoreV1().Nodes().Update(s.ctx, n, metav1.UpdateOptions{})
		return err
	})
}
