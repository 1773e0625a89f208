package objects

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/world"
)

// asks is what a container asks for.
func asks(cpu, memory string) corev1.Container {
	return corev1.Container{Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: quantity.MustParse(cpu), corev1.ResourceMemory: quantity.MustParse(memory)}}}
}

// A pod asks for what its containers ask for together, or an init container if that is more; one that
// keeps running counts beside them.
func TestRequests(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	sidecar := asks("50m", "10Mi")
	sidecar.RestartPolicy = &always
	for name, c := range map[string]struct {
		spec corev1.PodSpec
		want world.Room
	}{
		"nothing":         {corev1.PodSpec{Containers: []corev1.Container{{}}}, world.Room{}},
		"together":        {corev1.PodSpec{Containers: []corev1.Container{asks("100m", "64Mi"), asks("0.5", "1Gi")}}, world.Room{CPU: 600, Memory: 1088}},
		"a part of a MiB": {corev1.PodSpec{Containers: []corev1.Container{asks("1", "1k")}}, world.Room{CPU: 1000, Memory: 1}},
		"init":            {corev1.PodSpec{InitContainers: []corev1.Container{asks("1", "32Mi")}, Containers: []corev1.Container{asks("100m", "64Mi")}}, world.Room{CPU: 1000, Memory: 64}},
		"sidecar":         {corev1.PodSpec{InitContainers: []corev1.Container{sidecar, asks("100m", "1Mi")}, Containers: []corev1.Container{asks("100m", "64Mi")}}, world.Room{CPU: 150, Memory: 74}},
		"overhead":        {corev1.PodSpec{Containers: []corev1.Container{asks("100m", "64Mi")}, Overhead: corev1.ResourceList{corev1.ResourceCPU: quantity.MustParse("20m")}}, world.Room{CPU: 120, Memory: 64}},
		"of the pod": {corev1.PodSpec{Containers: []corev1.Container{asks("100m", "64Mi")}, Resources: &corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: quantity.MustParse("2")}}},
			world.Room{CPU: 2000, Memory: 64}},
	} {
		got := ToPod(&corev1.Pod{Spec: c.spec}).Needs
		if got == nil {
			got = &world.Needs{}
		}
		if got.Room != c.want {
			t.Errorf("%s: %+v, not %+v", name, got.Room, c.want)
		}
	}
}

// What a pod requires of its node is read, and what it only prefers is not; nor what every pod has.
func TestNeeds(t *testing.T) {
	web := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	term := corev1.PodAffinityTerm{TopologyKey: "zone", LabelSelector: web}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"pod-template-hash": "7d"}},
		Spec: corev1.PodSpec{
			Tolerations: []corev1.Toleration{{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}, {Key: "gpu", Value: "a"}},
			Affinity: &corev1.Affinity{
				NodeAffinity: &corev1.NodeAffinity{
					RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "cores", Operator: corev1.NodeSelectorOpGt, Values: []string{"3"}}}}}},
				},
				PodAffinity:     &corev1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 1, PodAffinityTerm: term}}},
				PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}},
			},
			TopologySpreadConstraints: []corev1.TopologySpreadConstraint{
				{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: web},
				{MaxSkew: 2, TopologyKey: "zone", WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: web, MatchLabelKeys: []string{"pod-template-hash"}},
			},
		},
	}
	isWeb := world.Requirement{Key: "app", Operator: "In", Values: []string{"web"}}
	want := &world.Needs{
		Tolerations: []world.Toleration{{Key: "gpu", Value: "a"}},
		Nodes:       [][]world.Requirement{{{Key: "cores", Operator: "Gt", Values: []string{"3"}}}},
		Apart:       []world.Near{{Topology: "zone", Selector: []world.Requirement{isWeb}}},
		Spread:      []world.Spread{{Topology: "zone", MaxSkew: 2, Selector: []world.Requirement{isWeb, {Key: "pod-template-hash", Operator: "In", Values: []string{"7d"}}}}},
	}
	got := ToPod(pod).Needs
	if !reflect.DeepEqual(got, want) || !got.Same(want) {
		t.Errorf("read %+v\nnot  %+v", got, want)
	}
	node := ToNode(&corev1.Node{Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{corev1.ResourceCPU: quantity.MustParse("1930m"), corev1.ResourceMemory: quantity.MustParse("7000000Ki"), corev1.ResourcePods: quantity.MustParse("29")}}})
	if (node.Room != world.Room{CPU: 1930, Memory: 6835, Pods: 29}) {
		t.Errorf("the node has room for %+v", node.Room)
	}
	s := &Shared{}
	a, b := s.Pod(&world.Pod{Owner: world.Owner{UID: "rs"}, Needs: ToPod(pod).Needs}), s.Pod(&world.Pod{Owner: world.Owner{UID: "rs"}, Needs: ToPod(pod).Needs})
	if a.Needs != b.Needs {
		t.Error("pods of an owner that ask for the same do not share it")
	}
	if c := s.Pod(&world.Pod{Owner: world.Owner{UID: "rs"}}); c.Needs != nil {
		t.Errorf("a pod that asks for nothing asks for %+v", c.Needs)
	}
}
