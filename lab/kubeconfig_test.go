package lab

import (
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/drainboard/drainboard/lab/try"
)

func TestRestrictedUser(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	path, err := shared.KubeconfigFor(ctx, "reader", Rights{
		Cluster: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"list"}}},
		Namespaces: map[string][]rbacv1.PolicyRule{
			"records": {{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"create"}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	api := kubernetes.NewForConfigOrDie(config).CoreV1()
	// A new role takes a moment to reach the authorizer.
	err = try.Until(ctx, 50*time.Millisecond, func() (bool, error) {
		_, err := api.Nodes().List(ctx, metav1.ListOptions{})
		return err == nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.Pods("").List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("list pods: %v, want forbidden", err)
	}
	record := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "run"}}
	if _, err := api.ConfigMaps("records").Create(ctx, record, metav1.CreateOptions{}); err != nil {
		t.Errorf("create a ConfigMap: %v", err)
	}
	unknown := filepath.Join(t.TempDir(), "kubeconfig")
	if err := shared.WriteKubeconfig(unknown, "no-such-token"); err != nil {
		t.Fatal(err)
	}
	if config, err = clientcmd.BuildConfigFromFlags("", unknown); err != nil {
		t.Fatal(err)
	}
	if _, err := kubernetes.NewForConfigOrDie(config).CoreV1().Nodes().List(ctx, metav1.ListOptions{}); !apierrors.IsUnauthorized(err) {
		t.Errorf("with an unknown token: %v, want unauthorized", err)
	}
}
