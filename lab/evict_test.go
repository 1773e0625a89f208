package lab

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/drainboard/drainboard/lab/workload"
)

func TestEvictions(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	addGroup(ctx, t, GroupOptions{Name: "ng-evict", Nodes: 6})
	place := workload.Place{Namespace: "evict", Group: "ng-evict"}
	deploy(ctx, t, place)
	config, err := clientcmd.BuildConfigFromFlags("", shared.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	config.UserAgent = "evictor/1"
	client := kubernetes.NewForConfigOrDie(config)

	tests := []struct {
		app  string
		uid  types.UID // empty: the pod's
		code int
	}{
		{app: "web", code: http.StatusCreated},
		{app: "batch", uid: "another", code: http.StatusConflict},
		{app: "checkout", code: http.StatusTooManyRequests},
		{app: "twice", code: http.StatusInternalServerError},
		{app: "slow", code: http.StatusCreated},
	}
	var uids []string
	for _, test := range tests {
		pod := podOf(ctx, t, place.Namespace, test.app)
		if test.uid == "" {
			test.uid = pod.UID
		}
		uids = append(uids, string(test.uid))
		err := client.PolicyV1().Evictions(place.Namespace).Evict(ctx, &policyv1.Eviction{
			ObjectMeta:    metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace},
			DeleteOptions: &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &test.uid}},
		})
		if code := statusCode(err); code != test.code {
			t.Errorf("evict a pod of %s with UID %s: %d (%v), want %d", test.app, test.uid, code, err, test.code)
		}
	}
	pods, err := client.CoreV1().Pods(place.Namespace).List(ctx, metav1.ListOptions{LabelSelector: "app=slow"})
	if err != nil {
		t.Fatal(err)
	}
	terminating := func(pod corev1.Pod) bool { return pod.DeletionTimestamp != nil }
	if !slices.ContainsFunc(pods.Items, terminating) {
		t.Error("the evicted slow pod is gone at once")
	}

	audit, err := shared.AuditSync(ctx)
	if err != nil {
		t.Fatal(err)
	}
	evictions := audit.Where(By("evictor/"), By("admin"), Request.Eviction, Complete)
	var codes []int
	var sent []string
	for _, request := range evictions {
		codes, sent = append(codes, request.Code), append(sent, request.UID())
		if request.Received.IsZero() || request.Done.Before(request.Received) || !request.Write() {
			t.Errorf("request %v makes no sense", request)
		}
	}
	if want := []int{201, 409, 429, 500, 201}; !slices.Equal(codes, want) {
		t.Errorf("codes of evictions in the audit log %v, want %v", codes, want)
	}
	if !slices.Equal(sent, uids) {
		t.Errorf("UIDs in the audit log %v, want %v", sent, uids)
	}
	if counts := audit.Where(By("evictor/")).Count(); counts["create pods/eviction"] != 5 || counts["list pods"] != 1 || len(counts) != 2 {
		t.Errorf("counts %v", counts)
	}
	if deletes := audit.Where(By("admin"), Request.PodDelete); len(deletes) != 0 {
		t.Errorf("deletes by admin: %v", deletes)
	}
	deletes := audit.Where(By("lab"), Request.PodDelete)
	for _, request := range deletes {
		if request.UID() == "" {
			t.Errorf("delete without UID: %v", request)
		}
	}
}

// podOf returns a pod of an app that is not terminating.
func podOf(ctx context.Context, t *testing.T, namespace, app string) *corev1.Pod {
	t.Helper()
	pods, err := shared.Client().CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "app=" + app})
	if err != nil {
		t.Fatal(err)
	}
	for i := range pods.Items {
		if pods.Items[i].DeletionTimestamp == nil {
			return &pods.Items[i]
		}
	}
	t.Fatalf("no pod of %s", app)
	return nil
}

// statusCode is that of an eviction's answer.
func statusCode(err error) int {
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return http.StatusCreated
	case errors.As(err, &status):
		return int(status.Status().Code)
	default:
		return 0
	}
}
