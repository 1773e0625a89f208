package objects

import (
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/drainboard/drainboard/engine/world"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Until when Gardener keeps a machine is read from its node's condition, whether it could
// drain the node or not; other words are no time.
func TestPreservedNode(t *testing.T) {
	until := time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC)
	for message, want := range map[string]time.Time{
		"Machine preserved until 2026-03-05 12:00:00 +0000 UTC.":                                                    until,
		"Preserved node could not be drained. Machine preserved until 2026-03-05 13:00:00 +0100 CET.":               until,
		"Preserved node drained successfully. Machine preserved until 2026-03-05 12:00:00 +0000 UTC m=+345600.100.": until,
		"Machine preserved until later": {},
		"":                              {},
	} {
		n := &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: "Preserved", Status: "True", Message: message}}}}
		if got := ToNode(n); !got.Preserved.Equal(want) || got.Trouble != "not ready: its kubelet has not reported yet" {
			t.Errorf("%q: preserved until %s, %q", message, got.Preserved, got.Trouble)
		}
	}
	other := &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: "Ready", Message: "Machine preserved until 2026-03-05 12:00:00 +0000 UTC."}}}}
	if got := ToNode(other).Preserved; !got.IsZero() {
		t.Errorf("another condition preserves it until %s", got)
	}
}

func TestNode(t *testing.T) {
	in := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: "ip-10-0-1-23", CreationTimestamp: metav1.Time{Time: noon},
			DeletionTimestamp: &metav1.Time{Time: noon.Add(time.Hour)},
			Labels:            map[string]string{"topology.kubernetes.io/zone": "eu-west-1a"},
			Annotations:       map[string]string{"kops.k8s.io/needs-update": "", "cluster-autoscaler.kubernetes.io/scale-down-disabled": "true", "csi.volume.kubernetes.io/nodeid": "long"},
			ManagedFields:     []metav1.ManagedFieldsEntry{{Manager: "kubelet"}},
		},
		Spec: corev1.NodeSpec{
			ProviderID: "aws:///eu-west-1a/i-0abc", Unschedulable: true,
			Taints: []corev1.Taint{
				{Key: "k", Value: "v", Effect: "NoSchedule"},
				{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule", TimeAdded: &metav1.Time{Time: noon.Add(time.Minute)}},
			},
		},
		Status: corev1.NodeStatus{
			NodeInfo: corev1.NodeSystemInfo{KubeletVersion: "v1.32.1"},
			Images:   []corev1.ContainerImage{{Names: []string{"big"}}},
			Conditions: []corev1.NodeCondition{
				{Type: "DiskPressure", Status: "True", Message: "kubelet has disk\npressure"},
				{Type: "MemoryPressure", Status: "False", Message: "fine"},
				{Type: "Ready", Status: "True", Message: "kubelet is posting ready status"},
				{Type: "InPlaceUpdate", Status: "True", Reason: "ReadyForUpdate", LastTransitionTime: metav1.Time{Time: noon}},
				{Type: "KernelReady", Status: "False", Reason: "SoftLockup"},
			},
		},
	}
	want := &world.Node{
		Name: "ip-10-0-1-23", Machine: "i-0abc", Zone: "eu-west-1a", Version: "v1.32.1",
		Labels: in.Labels, Taints: []world.Taint{{Key: "k", Value: "v", Effect: "NoSchedule"}, {Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"}},
		Unschedulable: true, Ready: true, Trouble: "DiskPressure: kubelet has disk pressure", Created: noon, Deleted: noon.Add(time.Hour),
		Tainted:     map[string]time.Time{"node.kubernetes.io/unschedulable": noon.Add(time.Minute)},
		Annotations: map[string]string{"kops.k8s.io/needs-update": "", "cluster-autoscaler.kubernetes.io/scale-down-disabled": "true"},
		Conditions:  []world.Condition{{Type: "DiskPressure", On: true}, {Type: "InPlaceUpdate", Reason: "ReadyForUpdate", On: true, Since: noon}, {Type: "KernelReady", Reason: "SoftLockup", Off: true}},
	}
	if got := ToNode(in); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestNodeHealth(t *testing.T) {
	for _, tt := range []struct {
		name      string
		in        []corev1.NodeCondition
		ready     bool
		trouble   string
		noNetwork bool
	}{
		{name: "new", trouble: "not ready: its kubelet has not reported yet"},
		{name: "ready", in: []corev1.NodeCondition{{Type: "Ready", Status: "True"}}, ready: true},
		{name: "silent", in: []corev1.NodeCondition{{Type: "Ready", Status: "Unknown", Message: "Kubelet stopped posting node status."}},
			trouble: "not ready: Kubelet stopped posting node status."},
		{name: "reason only", in: []corev1.NodeCondition{{Type: "Ready", Status: "False", Reason: "KubeletNotReady"}}, trouble: "not ready: KubeletNotReady"},
		{name: "no network", in: []corev1.NodeCondition{{Type: "Ready", Status: "True"}, {Type: "NetworkUnavailable", Status: "True", Message: "no route"}},
			ready: true, trouble: "NetworkUnavailable: no route", noNetwork: true},
		{name: "network", in: []corev1.NodeCondition{{Type: "Ready", Status: "True"}, {Type: "NetworkUnavailable", Status: "False"}}, ready: true},
		{name: "network unknown", in: []corev1.NodeCondition{{Type: "Ready", Status: "True"}, {Type: "NetworkUnavailable", Status: "Unknown"}}, ready: true},
	} {
		if got := ToNode(&corev1.Node{Status: corev1.NodeStatus{Conditions: tt.in}}); got.Ready != tt.ready || got.Trouble != tt.trouble || got.NoNetwork != tt.noNetwork {
			t.Errorf("%s: got %v, %q, %v", tt.name, got.Ready, got.Trouble, got.NoNetwork)
		}
	}
}

func TestUnreachable(t *testing.T) {
	ready := func(status corev1.ConditionStatus) corev1.NodeCondition {
		return corev1.NodeCondition{Type: "Ready", Status: status, LastTransitionTime: metav1.Time{Time: noon}}
	}
	for _, tt := range []struct {
		name string
		in   []corev1.NodeCondition
		want time.Time
	}{
		{name: "new"},
		{name: "ready", in: []corev1.NodeCondition{ready("True")}},
		{name: "not ready, but heard", in: []corev1.NodeCondition{ready("False")}},
		{name: "silent", in: []corev1.NodeCondition{{Type: "DiskPressure", Status: "Unknown"}, ready("Unknown")}, want: noon},
		{name: "another condition", in: []corev1.NodeCondition{{Type: "DiskPressure", Status: "Unknown", LastTransitionTime: metav1.Time{Time: noon}}, ready("True")}},
	} {
		n := &corev1.Node{Status: corev1.NodeStatus{Conditions: tt.in}}
		if got := ToNode(n).Unreachable; !got.Equal(tt.want) {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestMachineOf(t *testing.T) {
	for id, want := range map[string]string{
		"": "", "aws:///eu-west-1a/i-0abc": "i-0abc", "openstack:///9f3c": "9f3c", "i-0abc": "i-0abc",
	} {
		if got := MachineOf(nil, id); got != want {
			t.Errorf("%q: got %q, want %q", id, got, want)
		}
	}
}

func TestPod(t *testing.T) {
	in := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: "cart-1", UID: "u1", CreationTimestamp: metav1.Time{Time: noon},
			Labels:     map[string]string{"app": "cart"},
			Finalizers: []string{"example.com/hold"},
			OwnerReferences: []metav1.OwnerReference{
				{Kind: "Other", Name: "x", UID: "o0"},
				{Kind: "ReplicaSet", Name: "cart", UID: "o1", Controller: new(true)},
			},
			Annotations: map[string]string{"kubernetes.io/config.mirror": "abc", "other": "long"},
		},
		Spec: corev1.PodSpec{
			NodeName:                      "n1",
			Containers:                    []corev1.Container{{Name: "big"}},
			TerminationGracePeriodSeconds: new(int64(45)),
			Volumes: []corev1.Volume{
				{Name: "cfg", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{}}},
				{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
				{Name: "disk", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "disk"}}},
			},
			Tolerations:       []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			PriorityClassName: "system-node-critical",
		},
		Status: corev1.PodStatus{
			Phase:      corev1.PodRunning,
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
			ContainerStatuses: []corev1.ContainerStatus{
				{Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}},
			},
		},
	}
	want := &world.Pod{
		UID: "u1", Namespace: "shop", Name: "cart-1", Node: "n1",
		Owner: world.Owner{Kind: "ReplicaSet", Name: "cart", UID: "o1"}, Labels: in.Labels,
		Phase: world.PodRunning, Ready: true, Created: noon, Grace: 45 * time.Second,
		Mirror: true, EmptyDir: true, Volume: true, ToleratesAll: true, Finalizers: []string{"example.com/hold"}, Crashing: true, Critical: world.NodeCritical, Unready: []string{"main"},
		Needs: &world.Needs{Tolerations: []world.Toleration{{Exists: true}}},
	}
	if got := ToPod(in); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestPodEnds(t *testing.T) {
	in := &corev1.Pod{Spec: corev1.PodSpec{TerminationGracePeriodSeconds: new(int64(45))}}
	if got := ToPod(in); got.Terminating() || got.Grace != 45*time.Second {
		t.Errorf("living: %+v", got)
	}
	in.DeletionTimestamp, in.DeletionGracePeriodSeconds = &metav1.Time{Time: noon}, new(int64(5))
	if got := ToPod(in); got.Ends != noon || got.Grace != 5*time.Second {
		t.Errorf("terminating: %+v", got)
	}
	if got := ToPod(&corev1.Pod{}); got.Grace != 30*time.Second {
		t.Errorf("default: %+v", got)
	}
}

func TestPodCritical(t *testing.T) {
	for class, want := range map[string]string{"": "", "high": "", "system-cluster-critical": world.ClusterCritical, "system-node-critical": world.NodeCritical} {
		in := &corev1.Pod{Spec: corev1.PodSpec{PriorityClassName: class}}
		if got := ToPod(in).Critical; got != want {
			t.Errorf("%q: got %q", class, got)
		}
	}
}

func TestPodTolerations(t *testing.T) {
	for _, tt := range []struct {
		in   corev1.Toleration
		want bool
	}{
		{corev1.Toleration{Operator: "Exists"}, true},
		{corev1.Toleration{Operator: "Exists", Effect: "NoSchedule"}, false},
		{corev1.Toleration{Operator: "Exists", Key: "k"}, false},
		{corev1.Toleration{Key: "k", Value: "v"}, false},
	} {
		if got := ToPod(&corev1.Pod{Spec: corev1.PodSpec{Tolerations: []corev1.Toleration{tt.in}}}); got.ToleratesAll != tt.want {
			t.Errorf("%+v: got %v", tt.in, got.ToleratesAll)
		}
	}
}

func TestPodUnplaced(t *testing.T) {
	in := &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/3 nodes are available:\x1b[31m 3 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod."},
	}}}
	if got, want := ToPod(in).Unplaced, "0/3 nodes are available:[31m 3 Insufficient cpu."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBudget(t *testing.T) {
	in := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "checkout", Generation: 3},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable:               new(intstr.FromInt32(3)),
			Selector:                   &metav1.LabelSelector{MatchLabels: map[string]string{"app": "checkout"}},
			UnhealthyPodEvictionPolicy: new(policyv1.AlwaysAllow),
		},
		Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: 1, CurrentHealthy: 4, DesiredHealthy: 3, ExpectedPods: 5, ObservedGeneration: 3,
			Conditions: []metav1.Condition{{Type: "Other", LastTransitionTime: metav1.Time{Time: noon.Add(time.Hour)}}, {Type: policyv1.DisruptionAllowedCondition, LastTransitionTime: metav1.Time{Time: noon}}}},
	}
	got := ToBudget(in)
	want := &world.Budget{
		Namespace: "shop", Name: "checkout", Selector: got.Selector, Expression: "minAvailable 3",
		Allowed: 1, Healthy: 4, Desired: 3, Expected: 5, AlwaysAllow: true, Current: true, Since: noon,
	}
	if !reflect.DeepEqual(got, want) || got.Selector.String() != "app=checkout" {
		t.Errorf("got %+v", got)
	}
	in.Generation = 4
	in.Spec.MinAvailable, in.Spec.MaxUnavailable = nil, new(intstr.FromString("10%"))
	in.Spec.UnhealthyPodEvictionPolicy = new(policyv1.IfHealthyBudget)
	if got := ToBudget(in); got.Current || got.AlwaysAllow || got.Expression != "maxUnavailable 10%" {
		t.Errorf("got %+v", got)
	}
}

func TestBudgetSelector(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   *metav1.LabelSelector
		want bool
	}{
		{"none covers nothing", nil, false},
		{"empty covers all", &metav1.LabelSelector{}, true},
		{"broken covers nothing", &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Nonsense"}}}, false},
	} {
		b := ToBudget(&policyv1.PodDisruptionBudget{Spec: policyv1.PodDisruptionBudgetSpec{Selector: tt.in}})
		if got := b.Selector.Matches(labels.Set{"a": "b"}); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}
