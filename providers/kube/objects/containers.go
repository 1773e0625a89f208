package objects

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/drainboard/drainboard/engine/podlog"
	"github.com/drainboard/drainboard/engine/world"
)

// defaultContainer names the container of a pod that kubectl logs reads.
const defaultContainer = "kubectl.kubernetes.io/default-container"

// LogOf says which log of a pod tells why it is not well: of the container that crashed, as it was
// before it was started again; of a pod that is well the one that kubectl reads. crashes: the pod
// is known to crash-loop, though it may run at this moment.
func LogOf(p *corev1.Pod, crashes bool) podlog.Log {
	var worst *corev1.ContainerStatus
	rank := 0
	for _, list := range [][]corev1.ContainerStatus{p.Status.InitContainerStatuses, p.Status.ContainerStatuses} {
		for i := range list {
			if r := unwell(&list[i], crashes); worst == nil || r > rank {
				worst, rank = &list[i], r
			}
		}
	}
	usual := p.Annotations[defaultContainer]
	if !slices.ContainsFunc(p.Spec.Containers, func(c corev1.Container) bool { return c.Name == usual }) {
		usual = ""
		if len(p.Spec.Containers) > 0 {
			usual = p.Spec.Containers[0].Name
		}
	}
	if rank == 0 {
		for i := range p.Status.ContainerStatuses {
			if c := &p.Status.ContainerStatuses[i]; c.Name == usual {
				worst = c
			}
		}
	}
	if worst == nil {
		return podlog.Log{Container: world.Clean(usual)}
	}
	log := podlog.Log{Container: world.Clean(worst.Name), Restarts: int(worst.RestartCount)}
	ended := worst.State.Terminated
	if last := worst.LastTerminationState.Terminated; ended == nil && last != nil && (crashes || !worst.Ready) {
		log.Previous, ended = true, last
	}
	if ended != nil {
		log.Ended, log.At = howEnded(ended), ended.FinishedAt.Time
	}
	return log
}

// unwell ranks a container: the more, the more its log has to tell.
func unwell(c *corev1.ContainerStatus, crashes bool) int {
	last := c.LastTerminationState.Terminated
	switch {
	case c.State.Waiting != nil && c.State.Waiting.Reason == "CrashLoopBackOff":
		return 5
	case c.State.Terminated != nil && c.State.Terminated.ExitCode != 0:
		return 4
	case last != nil && last.ExitCode != 0 && (crashes || !c.Ready):
		return 3
	case last != nil && crashes:
		return 2
	case !c.Ready && c.State.Terminated == nil:
		return 1
	}
	return 0
}

// howEnded is how a container ended.
func howEnded(t *corev1.ContainerStateTerminated) string {
	how := fmt.Sprintf("exit code %d", t.ExitCode)
	if t.Signal != 0 {
		how = fmt.Sprintf("signal %d", t.Signal)
	}
	if t.Reason != "" {
		how += " (" + Sentence(t.Reason) + ")"
	}
	return how
}
