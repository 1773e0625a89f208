package lab

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// The tags and labels of kops (kops: pkg/model/context.go, pkg/nodelabels, and
// pkg/nodeidentity/aws, by which a node gets the labels that its instance's tags say).
const (
	kopsGroupKey    = "kops.k8s.io/instancegroup" // tag and label
	kopsClusterTag  = "KubernetesCluster"
	kopsRoleTag     = "k8s.io/role/"
	kopsTemplateTag = "k8s.io/cluster-autoscaler/node-template/"
)

// kopsRoles is what kops says of each role: how specs name it, what comes between the
// names of instance group and cluster, the labels of its nodes, and the taint.
var kopsRoles = map[KopsRole]struct {
	spec, infix string
	labels      []string
	taint       string
}{
	KopsBastion: {spec: "Bastion"},
	KopsControlPlane: {spec: "Master", infix: "masters.", taint: "node-role.kubernetes.io/control-plane", labels: []string{
		"node-role.kubernetes.io/control-plane", "kops.k8s.io/kops-controller-pki", "node.kubernetes.io/exclude-from-external-load-balancers",
	}},
	KopsAPIServer: {spec: "APIServer", infix: "apiservers.", taint: "node-role.kubernetes.io/api-server", labels: []string{"node-role.kubernetes.io/api-server"}},
	KopsNode:      {spec: "Node", labels: []string{"node-role.kubernetes.io/node"}},
}

// groupName is the name of the Auto Scaling group (kops: pkg/model/names.go).
func (g KopsGroup) groupName(cluster string) string {
	return g.Name + "." + kopsRoles[g.Role].infix + cluster
}

// tags are those of the Auto Scaling group, which its instances get too.
func (g KopsGroup) tags(cluster string) map[string]string {
	tags := map[string]string{
		kopsClusterTag:                     cluster,
		"kubernetes.io/cluster/" + cluster: "owned",
		"Name":                             g.groupName(cluster),
		kopsGroupKey:                       g.Name,
		kopsRoleTag + string(g.Role):       "1",

		"aws-node-termination-handler/managed": "",
	}
	if g.Role == KopsControlPlane {
		tags[kopsRoleTag+"master"] = "1"
	}
	for _, label := range kopsRoles[g.Role].labels {
		tags[kopsTemplateTag+"label/"+label] = ""
	}
	for label, value := range g.Labels {
		tags[kopsTemplateTag+"label/"+label] = value
	}
	for _, taint := range g.Taints {
		key, value, _ := strings.Cut(taint, "=")
		tags[kopsTemplateTag+"taint/"+key] = value
	}
	return tags
}

// kopsLabels are the labels and taints of a node that kops manages, by the tags of its
// instance; none for another node.
func kopsLabels(tags map[string]string) (map[string]string, []corev1.Taint) {
	if tags[kopsGroupKey] == "" {
		return nil, nil
	}
	labels := map[string]string{kopsGroupKey: tags[kopsGroupKey]}
	var taints []corev1.Taint
	for tag, value := range tags {
		if label, ok := strings.CutPrefix(tag, kopsTemplateTag+"label/"); ok {
			labels[label] = value
		}
		if key, ok := strings.CutPrefix(tag, kopsTemplateTag+"taint/"); ok {
			if taint, err := kopsTaint(key + "=" + value); err == nil {
				taints = append(taints, taint)
			}
		}
	}
	for role, is := range kopsRoles {
		if is.taint != "" && tags[kopsRoleTag+string(role)] != "" {
			taints = append(taints, corev1.Taint{Key: is.taint, Effect: corev1.TaintEffectNoSchedule})
		}
	}
	return labels, taints
}

// kopsTaint reads a taint as specs have it: key=value:Effect.
func kopsTaint(s string) (corev1.Taint, error) {
	key, rest, found := strings.Cut(s, "=")
	value, effect, effective := strings.Cut(rest, ":")
	if !found || !effective || key == "" {
		return corev1.Taint{}, fmt.Errorf("taint %q is not key=value:Effect", s)
	}
	return corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)}, nil
}

// bastion says whether a machine is one that never becomes a node.
func bastion(tags map[string]string) bool { return tags[kopsRoleTag+string(KopsBastion)] != "" }
