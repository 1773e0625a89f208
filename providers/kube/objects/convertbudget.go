package objects

import (
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine/world"
)

// ToBudget follows policy/v1: no selector covers no pod, an empty one every pod
// of the namespace, and a broken one (which the eviction API skips) none.
func ToBudget(b *policyv1.PodDisruptionBudget) *world.Budget {
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	if err != nil {
		selector = labels.Nothing()
	}
	out := &world.Budget{
		Namespace: b.Namespace,
		Name:      b.Name,
		Selector:  selector,
		Allowed:   int(b.Status.DisruptionsAllowed),
		Healthy:   int(b.Status.CurrentHealthy),
		Desired:   int(b.Status.DesiredHealthy),
		Expected:  int(b.Status.ExpectedPods),
		Current:   b.Status.ObservedGeneration >= b.Generation,
	}
	switch {
	case b.Spec.MinAvailable != nil:
		out.Expression = "minAvailable " + b.Spec.MinAvailable.String()
	case b.Spec.MaxUnavailable != nil:
		out.Expression = "maxUnavailable " + b.Spec.MaxUnavailable.String()
	}
	for _, c := range b.Status.Conditions {
		if c.Type == policyv1.DisruptionAllowedCondition {
			out.Since = c.LastTransitionTime.Time
		}
	}
	policy := b.Spec.UnhealthyPodEvictionPolicy
	out.AlwaysAllow = policy != nil && *policy == policyv1.AlwaysAllow
	return out
}
