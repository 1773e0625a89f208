package workload

import (
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drainboard/drainboard/lab/kwok"
)

// catalog is the workload of an ordinary cluster with everything that makes a
// drain interesting. Each entry is named like its pods' app label.
var catalog = map[string]func(Place) []runtime.Object{
	"web":      web,
	"api":      api,
	"batch":    func(p Place) []runtime.Object { return []runtime.Object{p.Deployment("batch", 4)} },
	"checkout": checkout,
	"twice":    twice,
	"db":       database,
	"agent":    agent,
	"bare":     bare,
	"scratch":  scratch,
	"sticky":   sticky,
	"slow":     slow,
	"single":   func(p Place) []runtime.Object { return []runtime.Object{p.Deployment("single", 1)} },
	"finished": finished,
	"lone":     lone,
}

// Names are the workloads of the catalog, as Lab.Deploy takes them:
//
//	web       6 replicas spread over zones, budget maxUnavailable 1
//	api       4 replicas, budget minAvailable 3
//	batch     4 replicas, no budget
//	checkout  3 replicas, budget minAvailable 3: allows nothing
//	twice     2 replicas with two budgets: the eviction API answers 500
//	db        a StatefulSet of 3, budget maxUnavailable 1
//	agent     a DaemonSet
//	bare      a pod that nobody replaces
//	scratch   2 replicas with an emptyDir volume
//	sticky    2 replicas that tolerate every taint and may come back
//	slow      2 replicas that take 20 of their 30 seconds of grace to stop
//	single    1 replica, no budget
//	finished  a pod that is done, of a Job
//	lone      1 replica, budget minAvailable 1: allows nothing
func Names() []string { return slices.Sorted(maps.Keys(catalog)) }

// Objects is the objects of a workload of the catalog, by its name.
func (p Place) Objects(name string) ([]runtime.Object, error) {
	objects, ok := catalog[name]
	if !ok {
		return nil, fmt.Errorf("no workload %q; there are %v", name, Names())
	}
	return objects(p), nil
}

func web(p Place) []runtime.Object {
	d := p.Deployment("web", 6)
	d.Spec.Template.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone,
		WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: Selector("web"),
	}}
	return []runtime.Object{p.MaxUnavailable("web", 1), d}
}

func api(p Place) []runtime.Object {
	return []runtime.Object{p.MinAvailable("api", 3), p.Deployment("api", 4)}
}

func checkout(p Place) []runtime.Object {
	return []runtime.Object{p.MinAvailable("checkout", 3), p.Deployment("checkout", 3)}
}

func lone(p Place) []runtime.Object {
	return []runtime.Object{p.MinAvailable("lone", 1), p.Deployment("lone", 1)}
}

func twice(p Place) []runtime.Object {
	other := p.MaxUnavailable("twice", 1)
	other.Name = "twice-again"
	return []runtime.Object{p.MaxUnavailable("twice", 1), other, p.Deployment("twice", 2)}
}

func database(p Place) []runtime.Object {
	return []runtime.Object{p.MaxUnavailable("db", 1), &appsv1.StatefulSet{
		ObjectMeta: p.meta("db"),
		Spec: appsv1.StatefulSetSpec{
			Replicas: new(int32(3)), Selector: Selector("db"), Template: p.PodTemplate("db"),
			PodManagementPolicy: appsv1.ParallelPodManagement,
		},
	}}
}

func agent(p Place) []runtime.Object {
	return []runtime.Object{&appsv1.DaemonSet{
		ObjectMeta: p.meta("agent"),
		Spec:       appsv1.DaemonSetSpec{Selector: Selector("agent"), Template: p.PodTemplate("agent")},
	}}
}

func bare(p Place) []runtime.Object {
	template := p.PodTemplate("bare")
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Name, pod.Namespace = "bare", p.Namespace
	return []runtime.Object{pod}
}

func scratch(p Place) []runtime.Object {
	d := p.Deployment("scratch", 2)
	spec := &d.Spec.Template.Spec
	spec.Volumes = []corev1.Volume{{
		Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
	}}
	spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "scratch", MountPath: "/scratch"}}
	return []runtime.Object{d}
}

func sticky(p Place) []runtime.Object {
	d := p.Deployment("sticky", 2)
	d.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	return []runtime.Object{d}
}

func slow(p Place) []runtime.Object {
	d := p.Deployment("slow", 2)
	d.Spec.Template.Annotations[kwok.StopAfter] = "20s"
	d.Spec.Template.Spec.TerminationGracePeriodSeconds = new(int64(30))
	return []runtime.Object{d}
}

func finished(p Place) []runtime.Object {
	template := p.PodTemplate("finished")
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	return []runtime.Object{&batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "finished", Namespace: p.Namespace},
		Spec:       batchv1.JobSpec{Template: template},
	}}
}
