package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/kwok"
	"github.com/drainboard/drainboard/lab/machines"
)

// stage is a lab on which a scenario is played. It knows the part of the
// simulator's language that the lab can play, and fails with any other line.
type stage struct {
	*scene
	objects []runtime.Object // made before the start
	flags   []string
	cues    []line // lines for later
	p       *process
	heard   int // events of p that a line has waited for
	others  sync.WaitGroup
	webhook *guard
}

// playInLab plays a scenario on the lab, with drainboard as a script would call it. It
// returns what it told and the stage as it stands then.
func playInLab(t *testing.T, name string, lines []line) (story, *stage) {
	t.Helper()
	if lines[0].name != "cluster" || lines[len(lines)-1].text != "run" {
		t.Fatal("a scenario begins with a cluster and ends with `run`")
	}
	s := &stage{scene: cluster(t, "twin-"+strings.ReplaceAll(name, "_", "-"), lines[0])}
	for _, l := range lines[1:] {
		if !s.play(l) {
			t.Fatalf("the lab cannot play: %s", l.text)
		}
	}
	s.others.Wait()
	told := story{run: s.record(), end: endOf(s.world()), words: wordsOf(lines, s.place.Namespace, s.group.Name, s.group.TemplateID)}
	for l := range strings.SplitSeq(s.p.out(), "\n") {
		var e record.Event
		if err := json.Unmarshal([]byte(l), &e); err != nil {
			t.Fatal(err)
		}
		told.events = append(told.events, e)
	}
	if code := s.p.cmd.ProcessState.ExitCode(); code != told.run.Result.ExitCode() {
		t.Errorf("exit code %d of a run that says %s", code, told.run.Result)
	}
	return told, s
}

// play carries a line out, if the lab can.
func (s *stage) play(l line) bool {
	switch l.name {
	case "workload":
		return s.workload(l)
	case "budget":
		return s.budget(l)
	case "settings":
		for _, w := range strings.Fields(l.text)[1:] {
			s.flags = append(s.flags, "--"+w)
		}
	case "after":
		s.cues = append(s.cues, l)
	case "start":
		s.start()
	case "run":
		return s.goOn(l)
	case "operator":
		if l.words[0] != "abort" || l.pair["why"] != "interrupt" {
			return false
		}
		s.p.signal(syscall.SIGINT)
	case "user":
		return s.user(l)
	case "fault":
		return s.fault(l)
	default:
		return false
	}
	return true
}

// zone is the lab's zone for a letter.
func zone(letter string) string { return zones[letter[0]-'a'] }

// cluster makes the group that the line describes.
func cluster(t *testing.T, name string, l line) *scene {
	t.Helper()
	number := func(key string, otherwise int) int {
		if n, err := strconv.Atoi(l.pair[key]); err == nil {
			return n
		}
		return otherwise
	}
	if !l.has("zones", "nodes", "min", "max", "spec") || l.pair["spec"] != "$Latest" {
		t.Fatalf("the lab cannot play: %s", l.text)
	}
	o := lab.GroupOptions{Nodes: number("nodes", 3), Min: number("min", 0), Max: number("max", 0), NewAMI: "ami-" + name, Version: l.pair["spec"]}
	for letter := range strings.SplitSeq(l.pair["zones"], ",") {
		o.Zones = append(o.Zones, zone(letter))
	}
	return newScene(t, name, o, "read", "upgrade", "force", "events", "hear")
}

// workload makes a workload of pods as fast as the lab's, unless the line says
// how long they take to stop.
func (s *stage) workload(l line) bool {
	name, replicas := l.words[0], int32(1)
	if n, err := strconv.Atoi(l.pair["replicas"]); err == nil {
		replicas = int32(n)
	}
	pod := s.place.PodTemplate(name)
	if stop := l.pair["stop"]; stop != "" {
		pod.Annotations[kwok.StopAfter] = stop
	}
	for _, shape := range l.words[1:] {
		switch shape {
		case "tolerates-all":
			pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
		case "empty-dir":
			pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
		default:
			return false
		}
	}
	if held := l.pair["finalizers"]; held != "" {
		pod.Finalizers = strings.Split(held, ",")
	}
	if node := l.pair["node"]; node != "" {
		pod.Spec.NodeSelector[corev1.LabelHostname] = s.node(node).Name
	}
	meta := metav1.ObjectMeta{Name: name, Namespace: s.place.Namespace}
	selector := &metav1.LabelSelector{MatchLabels: pod.Labels}
	switch l.pair["kind"] {
	case "":
		s.objects = append(s.objects, &appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Replicas: &replicas, Selector: selector, Template: pod}})
	case "statefulset":
		s.objects = append(s.objects, &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{
			Replicas: &replicas, Selector: selector, Template: pod, PodManagementPolicy: appsv1.ParallelPodManagement,
		}})
	case "daemonset":
		s.objects = append(s.objects, &appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Selector: selector, Template: pod}})
	case "bare":
		for i := range replicas {
			one := &corev1.Pod{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}
			one.Namespace, one.Name = s.place.Namespace, fmt.Sprintf("%s-%d", name, i+1)
			s.objects = append(s.objects, one)
		}
	default:
		return false
	}
	return l.has("kind", "replicas", "stop", "node", "finalizers")
}

// node is the lab's node for a name like a1: the first of zone a.
func (s *stage) node(name string) corev1.Node {
	s.t.Helper()
	i, err := strconv.Atoi(name[1:])
	for _, n := range s.nodes() {
		if n.Labels[corev1.LabelTopologyZone] == zone(name) {
			if i--; i == 0 {
				return n
			}
		}
	}
	s.t.Fatalf("there is no node %s: %v", name, err)
	return corev1.Node{}
}

func (s *stage) budget(l line) bool {
	name, app := l.words[0], l.pair["app"]
	if app == "" {
		app = name
	}
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.place.Namespace}}
	budget.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	amount := func(key string) *intstr.IntOrString {
		if l.pair[key] == "" {
			return nil
		}
		return new(intstr.Parse(l.pair[key]))
	}
	budget.Spec.MinAvailable, budget.Spec.MaxUnavailable = amount("min"), amount("max")
	s.objects = append(s.objects, budget)
	return len(l.words) == 1 && l.has("app", "min", "max")
}

// start makes the workloads, and starts drainboard and the others.
func (s *stage) start() {
	s.t.Helper()
	if err := shared.Apply(s.ctx, s.objects...); err != nil {
		s.t.Fatal(err)
	}
	s.settle()
	s.p = s.launch(append([]string{"upgrade", s.group.Name, "--auto", "-o", "json"}, s.flags...)...)
	for _, l := range s.cues {
		s.later(l)
	}
}

// later lets a line happen some time after the driver did something: after 1s of
// refusing BUDGET: ..., after 1s of evicting WORKLOAD: ...
func (s *stage) later(l line) {
	s.t.Helper()
	when, what, _ := strings.Cut(l.text, ":")
	w := strings.Fields(when)
	span, err := time.ParseDuration(w[1])
	if err != nil || len(w) != 5 || w[2] != "of" {
		s.t.Fatalf("the lab cannot play: %s", l.text)
	}
	kind, about := "pod.blocked", func(e Event) bool { return e.Budget == s.place.Namespace+"/"+w[4] }
	if w[3] == "evicting" {
		kind, about = "pod.evicted", ofPod(s.place.Namespace+"/"+w[4]+"-")
	}
	s.others.Go(func() {
		if _, came := s.p.within(endPatience, kind, about); !came {
			s.t.Errorf("nobody came to: %s", l.text)
			return
		}
		time.Sleep(span) // the file says how long they take
		if then := parseLine(strings.TrimSpace(what)); !s.play(then) {
			s.t.Errorf("the lab cannot play: %s", then.text)
		}
	})
}

// goOn waits for what the line waits for.
func (s *stage) goOn(l line) bool {
	s.t.Helper()
	until := l.pair["until"]
	if span, err := time.ParseDuration(l.pair["for"]); err == nil {
		time.Sleep(span) // the file says how long
		return l.has("for")
	}
	if until == "" {
		select {
		case <-s.p.ended:
		case <-time.After(endPatience):
			s.t.Fatalf("it did not end within %s", endPatience)
		}
		return l.has()
	}
	for end := time.After(patience); ; {
		events := s.p.said()
		for i, e := range events[s.heard:] {
			_, last, _ := strings.Cut(e.Type, ".")
			if e.Type == "phase.started" && strings.ReplaceAll(e.Phase, " ", "-") == until || e.Type != "phase.started" && last == until {
				s.heard += i + 1
				return l.has("until")
			}
		}
		s.heard = len(events)
		select {
		case <-s.p.next(s.heard):
		case <-s.p.ended:
			s.t.Fatalf("it ended before %q", until)
		case <-end:
			s.t.Fatalf("it did not come to %q within %s", until, patience)
		}
	}
}

// next is closed when there are more than n events.
func (p *process) next(n int) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.events) > n {
		more := make(chan struct{})
		close(more)
		return more
	}
	return p.news
}

func (s *stage) user(l line) bool {
	s.t.Helper()
	about := strings.Join(l.words[1:], " ")
	switch l.words[0] {
	case "scale":
		return about == "" && s.resize(l.pair)
	case "suspends":
		s.aws("SuspendProcesses", "AutoScalingGroupName", s.group.Name, "ScalingProcesses.member.1", about)
	case "cordon":
		s.patch("nodes", s.node(about).Name, `{"spec":{"unschedulable":true}}`)
	case "taint":
		s.patch("nodes", s.node(about).Name, fmt.Sprintf(`{"spec":{"taints":[{"key":%q,"value":%q,"effect":%q}]}}`, l.pair["key"], l.pair["value"], l.pair["effect"]))
	case "clears":
		pods := shared.Client().CoreV1().Pods(s.place.Namespace)
		if _, err := pods.Patch(s.ctx, l.pair["finalizers"], types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
			s.t.Fatal(err)
		}
	default:
		return false
	}
	return l.has("key", "value", "effect", "finalizers")
}

// resize changes the sizes of workloads, and by how much the group is larger.
func (s *stage) resize(sizes map[string]string) bool {
	s.t.Helper()
	for what, to := range sizes {
		n, err := strconv.Atoi(to)
		switch {
		case err != nil:
			return false
		case what == "group":
			g, _ := shared.Cloud().Group(s.group.Name)
			n += g.Desired
			s.aws("UpdateAutoScalingGroup", "AutoScalingGroupName", g.Name, "DesiredCapacity", strconv.Itoa(n), "MaxSize", strconv.Itoa(max(g.Max, n)))
		default:
			s.scale(what, n)
		}
	}
	return true
}

func (s *stage) fault(l line) bool {
	s.t.Helper()
	switch l.words[0] {
	case "no-room":
		z := zone(l.pair["zone"])
		shared.Cloud().SetCapacity(z, 0)
		s.t.Cleanup(func() { shared.Cloud().SetCapacity(z, -1) })
	case "never-join":
		shared.Cloud().NeverJoin(s.group.Name, 100)
	case "not-ready":
		shared.SetImage("ami-"+s.name, machines.Image{Kubelet: "v1.33.0", NeverReady: true})
	case "webhook":
		if s.webhook == nil {
			s.webhook = s.guard()
		}
		s.webhook.deny(l.words[1]+"-", !slices.Contains(l.words, "over"))
	default:
		return false
	}
	return l.has("zone")
}
