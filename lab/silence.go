package lab

import (
	"context"
	"fmt"
	"math"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// silencer holds the lease of a node whose kubelet is silent, and never renews
// it: KWOK leaves nodes alone whose lease another client holds.
const silencer = "lab-silence"

// Silence kills the kubelet of a node: no sign of life comes from it, pods on it
// neither start nor stop. After Times.NodeGrace the node lifecycle controller
// sets the node to Unknown and taints it as unreachable. The machine stays; to
// end it as well see cloud.Kill.
func (l *Lab) Silence(ctx context.Context, node string) error {
	if err := l.holdLease(ctx, node, silencer, math.MaxInt32); err != nil {
		return fmt.Errorf("silence the kubelet of %s: %w", node, err)
	}
	return nil
}

// Revive starts the kubelet of a silent node again, which takes up to 10 s.
func (l *Lab) Revive(ctx context.Context, node string) error {
	// A lease that ran out long ago is anybody's.
	if err := l.holdLease(ctx, node, silencer, 1); err != nil {
		return fmt.Errorf("revive the kubelet of %s: %w", node, err)
	}
	return nil
}

// holdLease makes another client the holder of a node's lease, last renewed at the
// kubelet's last renewal, for so many seconds.
func (l *Lab) holdLease(ctx context.Context, node, holder string, seconds int32) error {
	patch := fmt.Sprintf(`{"spec":{"holderIdentity":%q,"leaseDurationSeconds":%d}}`, holder, seconds)
	_, err := l.client.CoordinationV1().Leases(corev1.NamespaceNodeLease).Patch(ctx, node, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// Instance is the id of the machine that a node runs on.
func (l *Lab) Instance(ctx context.Context, node string) (string, error) {
	n, err := l.client.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return n.Spec.ProviderID[strings.LastIndex(n.Spec.ProviderID, "/")+1:], nil
}
