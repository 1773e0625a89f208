package objects

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/podlog"
)

func TestLogOf(t *testing.T) {
	ended := func(code int32) *corev1.ContainerStateTerminated {
		return &corev1.ContainerStateTerminated{ExitCode: code, Reason: "Error"}
	}
	run := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	wait := func(reason string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
	}
	last := func(code int32) corev1.ContainerState { return corev1.ContainerState{Terminated: ended(code)} }
	well := corev1.ContainerStatus{Name: "a", Ready: true, State: run}
	for _, c := range []struct {
		name       string
		init, main []corev1.ContainerStatus
		crashes    bool
		want       podlog.Log
	}{
		{"well", nil, []corev1.ContainerStatus{well, {Name: "b", Ready: true, State: run}}, false, podlog.Log{Container: "b"}},
		{"no status yet", nil, nil, false, podlog.Log{Container: "b"}},
		{"crash-looping", nil, []corev1.ContainerStatus{{Name: "a", State: wait("CrashLoopBackOff"), LastTerminationState: last(1), RestartCount: 3}, {Name: "b", Ready: true, State: run}}, false,
			podlog.Log{Container: "a", Previous: true, Ended: "exit code 1 (Error)", Restarts: 3}},
		{"runs between two crashes", nil, []corev1.ContainerStatus{{Name: "a", Ready: true, State: run, LastTerminationState: last(1)}, {Name: "b", Ready: true, State: run}}, true,
			podlog.Log{Container: "a", Previous: true, Ended: "exit code 1 (Error)"}},
		{"was restarted once, and is well", nil, []corev1.ContainerStatus{{Name: "a", Ready: true, State: run, LastTerminationState: last(1)}, {Name: "b", Ready: true, State: run}}, false, podlog.Log{Container: "b"}},
		{"has just ended", nil, []corev1.ContainerStatus{{Name: "a", State: last(2), LastTerminationState: last(1)}, {Name: "b", Ready: true, State: run}}, true,
			podlog.Log{Container: "a", Ended: "exit code 2 (Error)"}},
		{"crashes in its init container", []corev1.ContainerStatus{{Name: "init", State: wait("CrashLoopBackOff"), LastTerminationState: last(1)}}, []corev1.ContainerStatus{{Name: "a", State: wait("PodInitializing")}}, true,
			podlog.Log{Container: "init", Previous: true, Ended: "exit code 1 (Error)"}},
		{"not Ready beside one that is", []corev1.ContainerStatus{{Name: "init", State: last(0)}}, []corev1.ContainerStatus{{Name: "a", State: run}, {Name: "b", Ready: true, State: run}}, false, podlog.Log{Container: "a"}},
		{"ended without an error, again and again", nil, []corev1.ContainerStatus{well, {Name: "b", Ready: true, State: run, LastTerminationState: last(0)}}, true,
			podlog.Log{Container: "b", Previous: true, Ended: "exit code 0 (Error)"}},
	} {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{defaultContainer: "b"}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a"}, {Name: "b"}}}}
		p.Status.InitContainerStatuses, p.Status.ContainerStatuses = c.init, c.main
		if got := LogOf(p, c.crashes); got.Container != c.want.Container || got.Previous != c.want.Previous || got.Ended != c.want.Ended || got.Restarts != c.want.Restarts {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
