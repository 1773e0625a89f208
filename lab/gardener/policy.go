package gardener

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"

	"github.com/drainboard/drainboard/lab/try"
)

//go:embed shoot_policy.yaml
var shootPolicy []byte

// refuseWrong has the API server refuse what Gardener's would, and returns when it does.
func (s *Shoot) refuseWrong(ctx context.Context) error {
	var policy admissionregistrationv1.ValidatingAdmissionPolicy
	var binding admissionregistrationv1.ValidatingAdmissionPolicyBinding
	first, second, _ := bytes.Cut(shootPolicy, []byte("\n---\n"))
	if err := yaml.UnmarshalStrict(first, &policy); err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict(second, &binding); err != nil {
		return err
	}
	api := s.client.AdmissionregistrationV1()
	if _, err := api.ValidatingAdmissionPolicies().Create(ctx, &policy, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	if _, err := api.ValidatingAdmissionPolicyBindings().Create(ctx, &binding, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	anything, err := dynamic.NewForConfig(s.host.Config)
	if err != nil {
		return err
	}
	wrong := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": shootResource.GroupVersion().String(), "kind": "Shoot", "metadata": map[string]any{"name": "refused"},
		"spec": map[string]any{
			"kubernetes": map[string]any{"version": FirstVersion},
			"provider": map[string]any{"type": "aws", "workers": []any{map[string]any{
				"name": "manual", "minimum": int64(1), "maximum": int64(1), "maxSurge": int64(1), "updateStrategy": ManualInPlaceUpdate,
				"machine": map[string]any{"type": "m5.large"},
			}}},
		},
	}}
	var last error
	err = try.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		_, last = anything.Resource(shootResource).Namespace(metav1.NamespaceDefault).Create(ctx, wrong, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return apierrors.IsInvalid(last), nil
	})
	if err != nil {
		return fmt.Errorf("a Shoot that is wrong is not refused: %w: %w", err, last)
	}
	return nil
}
