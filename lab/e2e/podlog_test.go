package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/kwok"
)

// A replacement that crash-loops on a new node is seen, and the last lines of its container that ended are read from
// the node's kubelet without leaving; nothing of them is kept. A user who may not read logs is told which right is missing.
func TestPodLog(t *testing.T) {
	s := newScene(t, "logs", lab.GroupOptions{Nodes: 2, Zones: oneZone}, "read", "upgrade", "logs")
	s.deploy("batch", "agent")
	old := s.nodes()
	p := s.interactive("--yes")
	p.expect("Batch 1 waits for approval")
	p.pressUntil("a", "Approve batch 1")
	p.pressUntil("y", "batch 1 approved")
	p.expect("Batch 2 waits for approval")

	pod := s.moved("batch", old)
	if err := shared.CrashLoop(s.ctx, pod.Namespace, pod.Name); err != nil {
		t.Fatal(err)
	}
	came := time.Now()
	p.expect("1 workload crash-loops")
	t.Logf("on the screen %s after the cluster's word", time.Since(came).Round(time.Millisecond))
	p.pressUntil("L", "log of "+pod.Namespace+"/"+pod.Name, "exit code 2 (Error), 4 restarts", kwok.LogBefore[1], "--previous --tail=20")
	p.press("esc")

	other := s.other("logs-denied", "read", "watch")
	w := other.sit("watch", s.group.Name)
	w.expect("1 workload crash-loops")
	w.pressUntil("L", "may not get pods/log")
	w.quits(0)

	if err := shared.ReadyAgain(s.ctx, pod.Namespace, pod.Name); err != nil {
		t.Fatal(err)
	}
	p.pressUntil("a", "Approve batch 2")
	p.pressUntil("y", "batch 2 approved")
	p.expect("exit code", "0: done")
	p.quits(0)
	s.checkRolled()
	for what, kept := range map[string]string{"report": s.run("report", s.group.Name).exits(0).out(), "journal": s.journalText(), "record": fmt.Sprint(s.record())} {
		if !strings.Contains(kept, s.group.Name) || strings.Contains(kept, "panic") || strings.Contains(kept, kwok.LogBefore[0]) {
			t.Errorf("the %s has the log, or is empty:\n%s", what, kept)
		}
	}
}

// moved is a pod of a workload that has come to a node which is not of these.
func (s *scene) moved(app string, old []corev1.Node) (pod corev1.Pod) {
	s.t.Helper()
	s.eventually(func() error {
		list, err := shared.Client().CoreV1().Pods(s.place.Namespace).List(context.Background(), metav1.ListOptions{LabelSelector: "app=" + app})
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list.Items, func(p corev1.Pod) bool {
			return p.Spec.NodeName != "" && !slices.ContainsFunc(old, func(n corev1.Node) bool { return n.Name == p.Spec.NodeName }) && p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil
		})
		if i < 0 {
			return errors.New("no pod of " + app + " runs on a new node")
		}
		pod = list.Items[i]
		return nil
	})
	return pod
}
