package e2e

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/workload"
)

const (
	clusterCritical = "system-cluster-critical"
	nodeCritical    = "system-node-critical"
)

// tellTroubleBefore has each kind of trouble that validation knows there before the roll
// begins, so that it comes with the first list: the roll names it, does nothing, and ends
// in 7. A pod that its kubelet has rejected is there all the time, and stays for the
// stories after this one: it is no trouble. Nor is one that only waits for its readiness gate.
func (s *kopsScene) tellTroubleBefore() {
	s.outdate("batch", "nodes")
	masters, batch := s.at("masters"), s.at("batch")
	worker := batch.nodes()[0].Name
	harmless := []string{s.reject("rejected", s.master()), s.gated("gated", batch.nodes()[1].Name)}
	var unjoined string
	for _, c := range []struct {
		name    string
		trouble func() (want string)
		mend    func()
	}{
		{"a pod of the cluster waits for a node", func() string {
			s.criticalPod("no-node", clusterCritical, "")
			return "pod kube-system/no-node (system-cluster-critical) is pending: "
		}, func() { s.removePod("no-node") }},
		{"a pod of the cluster waits on its node", func() string {
			s.criticalPod("waits", clusterCritical, worker)
			return "pod kube-system/waits (system-cluster-critical) is pending"
		}, func() { s.removePod("waits") }},
		{"a pod of a node waits on it", func() string {
			s.criticalPod("waits-too", nodeCritical, worker)
			return "pod kube-system/waits-too (system-node-critical) is pending"
		}, func() { s.removePod("waits-too") }},
		{"a pod of the cluster is not ready", func() string {
			s.must(shared.Unready(s.ctx, metav1.NamespaceSystem, "coredns-"))
			return "(system-cluster-critical) is not ready"
		}, func() { s.must(shared.ReadyAgain(s.ctx, metav1.NamespaceSystem, "coredns-")) }},
		{"a pod of a node is not ready", func() string {
			s.must(shared.Unready(s.ctx, metav1.NamespaceSystem, "kube-proxy-"+worker))
			return "pod kube-system/kube-proxy-" + worker + " (system-node-critical) is not ready"
		}, func() { s.must(shared.ReadyAgain(s.ctx, metav1.NamespaceSystem, "kube-proxy-"+worker)) }},
		{"a node is not Ready", func() string {
			s.must(shared.UnreadyNode(s.ctx, worker))
			return "node " + worker + " of " + batch.group.Name + " is not Ready"
		}, func() { s.must(shared.ReadyNode(s.ctx, worker)); s.nodesReady("batch", 4) }},
		{"a node is Ready without a network", func() string {
			s.network(worker, corev1.ConditionTrue)
			return "node " + worker + " of " + batch.group.Name + " is not Ready: NetworkUnavailable"
		}, func() { s.network(worker, corev1.ConditionFalse) }},
		{"the control plane has too few machines", func() string {
			s.aws("SuspendProcesses", "AutoScalingGroupName", masters.group.Name, "ScalingProcesses.member.1", "Launch")
			s.endMaster(masters.instances()[0].ID, 1)
			return "group " + masters.group.Name + " has 1 of 2 machines"
		}, func() {}},
		{"a machine has not joined", func() string {
			shared.Cloud().NeverJoin(masters.group.Name, 1)
			known := masters.instances()[0].ID
			s.aws("ResumeProcesses", "AutoScalingGroupName", masters.group.Name, "ScalingProcesses.member.1", "Launch")
			masters.eventually(func() error {
				for _, i := range masters.instances() {
					if unjoined = i.ID; i.ID != known && i.State == cloud.InService {
						return nil
					}
				}
				return fmt.Errorf("no machine in service has come for %s", known)
			})
			return "machine " + unjoined + " of " + masters.group.Name + " has not joined the cluster"
		}, func() {
			s.endMaster(unjoined, 2)
			s.nodesReady("masters", 2)
		}},
	} {
		want := c.trouble()
		time.Sleep(2 * cloudLag) // until describe calls tell of it
		s.begin()
		p := s.roll("--validation-timeout", "2s").exits(7)
		c.mend()

		failed := p.await("validation.failed", saying(want))
		for _, pod := range harmless {
			if strings.Contains(failed.Message, pod) {
				s.t.Errorf("%s: %s is named too: %s", c.name, pod, failed.Message)
			}
		}
		s.checkBecame(p, "bastions left-out", "masters left-out", "batch running", "batch finished", "nodes not-started")
		s.checkUntouched()
		batch.checkReleased()
	}
	s.removePod("gated")
	s.begin()
}

func (s *kopsScene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// criticalPod creates a pod of the system that is Pending for good: on a node, or, for
// "", without one.
func (s *kopsScene) criticalPod(name, class, node string) {
	s.t.Helper()
	template := workload.Place{}.PodTemplate(name)
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Namespace, pod.Name, pod.Spec.PriorityClassName = metav1.NamespaceSystem, name, class
	pod.Annotations["lab.drainboard.dev/ready-after"] = "never"
	if pod.Spec.NodeName = node; node != "" {
		pod.Spec.NodeSelector = nil
	}
	_, err := shared.Client().CoreV1().Pods(pod.Namespace).Create(s.ctx, pod, metav1.CreateOptions{})
	s.must(err)
	s.t.Cleanup(func() {
		_ = shared.Client().CoreV1().Pods(pod.Namespace).Delete(context.Background(), name, metav1.DeleteOptions{})
	})
}

func (s *kopsScene) removePod(name string) {
	s.t.Helper()
	s.must(shared.Client().CoreV1().Pods(metav1.NamespaceSystem).Delete(s.ctx, name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}))
}

// reject creates a pod of the system that its kubelet does not admit, and says what names
// it: it is Failed, and its containers have no status.
func (s *kopsScene) reject(name, node string) string {
	s.t.Helper()
	s.criticalPod(name, clusterCritical, node)
	pod, err := shared.Client().CoreV1().Pods(metav1.NamespaceSystem).Get(s.ctx, name, metav1.GetOptions{})
	s.must(err)
	pod.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "NodeAffinity", Message: "Pod was rejected: Predicate NodeAffinity failed"}
	_, err = shared.Client().CoreV1().Pods(metav1.NamespaceSystem).UpdateStatus(s.ctx, pod, metav1.UpdateOptions{})
	s.must(err)
	return metav1.NamespaceSystem + "/" + name
}

// gated creates a pod of the system whose containers are ready, and which is not Ready because a
// readiness gate is closed. It says what names it.
func (s *kopsScene) gated(name, node string) string {
	s.t.Helper()
	s.criticalPod(name, clusterCritical, node)
	api := shared.Client().CoreV1().Pods(metav1.NamespaceSystem)
	pod, err := api.Get(s.ctx, name, metav1.GetOptions{})
	s.must(err)
	pod.Annotations["lab.drainboard.dev/unready"] = "true" // the fake kubelet opens no gate
	pod, err = api.Update(s.ctx, pod, metav1.UpdateOptions{})
	s.must(err)
	pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{
		{Type: corev1.ContainersReady, Status: corev1.ConditionTrue},
		{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "ReadinessGatesNotReady"},
	}}
	for _, c := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{Name: c.Name, Ready: true})
	}
	_, err = api.UpdateStatus(s.ctx, pod, metav1.UpdateOptions{})
	s.must(err)
	return metav1.NamespaceSystem + "/" + name
}

// network has a node say that it has no network, or that it has.
func (s *kopsScene) network(node string, unavailable corev1.ConditionStatus) {
	s.t.Helper()
	patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"NetworkUnavailable","status":%q,"reason":"NoRouteCreated","message":"no route"}]}}`, unavailable)
	_, err := shared.Client().CoreV1().Nodes().Patch(s.ctx, node, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	s.must(err)
}

// endMaster ends a machine of the control plane, and waits until n are left.
func (s *kopsScene) endMaster(id string, n int) {
	s.t.Helper()
	at := s.at("masters")
	s.aws("TerminateInstanceInAutoScalingGroup", "InstanceId", id, "ShouldDecrementDesiredCapacity", "false")
	at.eventually(func() error {
		all := at.instances()
		for _, i := range all {
			if i.ID == id {
				return fmt.Errorf("%s is there still", id)
			}
		}
		if len(all) != n {
			return fmt.Errorf("the control plane has %d machines, not %d", len(all), n)
		}
		return nil
	})
}

// nodesReady waits until a group has n nodes, all Ready.
func (s *kopsScene) nodesReady(group string, n int) {
	s.t.Helper()
	s.must(shared.WaitNodes(s.ctx, s.kops.Groups[group].Name, n))
}
