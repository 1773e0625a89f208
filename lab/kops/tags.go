package kops

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// The tags and labels of kops (kops: pkg/model/context.go, pkg/nodelabels, and
// pkg/nodeidentity/aws, by which a node gets the labels that its instance's tags say).
const (
	GroupKey    = "kops.k8s.io/instancegroup" // tag and label
	clusterTag  = "KubernetesCluster"
	roleTag     = "k8s.io/role/"
	templateTag = "k8s.io/cluster-autoscaler/node-template/"
)

// roles is what kops says of each role: how specs name it, what comes between the
// names of instance group and cluster, the labels of its nodes, and the taint.
var roles = map[Role]struct {
	spec, infix string
	labels      []string
	taint       string
}{
	Bastion: {spec: "Bastion"},
	ControlPlane: {spec: "Master", infix: "masters.", taint: "node-role.kubernetes.io/control-plane", labels: []string{
		"node-role.kubernetes.io/control-plane", "kops.k8s.io/kops-controller-pki", "node.kubernetes.io/exclude-from-external-load-balancers",
	}},
	APIServer: {spec: "APIServer", infix: "apiservers.", taint: "node-role.kubernetes.io/api-server", labels: []string{"node-role.kubernetes.io/api-server"}},
	Node:      {spec: "Node", labels: []string{"node-role.kubernetes.io/node"}},
}

// AutoScalingGroup is the name of the Auto Scaling group (kops: pkg/model/names.go).
func (g Group) AutoScalingGroup(cluster string) string {
	return g.Name + "." + roles[g.Role].infix + cluster
}

// Tags are those of the Auto Scaling group, which its instances get too.
func (g Group) Tags(cluster string) map[string]string {
	tags := map[string]string{
		clusterTag:                         cluster,
		"kubernetes.io/cluster/" + cluster: "owned",
		"Name":                             g.AutoScalingGroup(cluster),
		GroupKey:                           g.Name,
		roleTag + string(g.Role):           "1",

		"aws-node-termination-handler/managed": "",
	}
	if g.Role == ControlPlane {
		tags[roleTag+"master"] = "1"
	}
	for _, label := range roles[g.Role].labels {
		tags[templateTag+"label/"+label] = ""
	}
	for label, value := range g.Labels {
		tags[templateTag+"label/"+label] = value
	}
	for _, taint := range g.Taints {
		key, value, _ := strings.Cut(taint, "=")
		tags[templateTag+"taint/"+key] = value
	}
	return tags
}

// NodeOf are the labels and taints of a node that kops manages, by the tags of its
// instance; none for another node.
func NodeOf(tags map[string]string) (map[string]string, []corev1.Taint) {
	if tags[GroupKey] == "" {
		return nil, nil
	}
	labels := map[string]string{GroupKey: tags[GroupKey]}
	var taints []corev1.Taint
	for tag, value := range tags {
		if label, ok := strings.CutPrefix(tag, templateTag+"label/"); ok {
			labels[label] = value
		}
		if key, ok := strings.CutPrefix(tag, templateTag+"taint/"); ok {
			if taint, err := parseTaint(key + "=" + value); err == nil {
				taints = append(taints, taint)
			}
		}
	}
	for role, is := range roles {
		if is.taint != "" && tags[roleTag+string(role)] != "" {
			taints = append(taints, corev1.Taint{Key: is.taint, Effect: corev1.TaintEffectNoSchedule})
		}
	}
	return labels, taints
}

// parseTaint reads a taint as specs have it: key=value:Effect.
func parseTaint(s string) (corev1.Taint, error) {
	key, rest, found := strings.Cut(s, "=")
	value, effect, effective := strings.Cut(rest, ":")
	if !found || !effective || key == "" {
		return corev1.Taint{}, fmt.Errorf("taint %q is not key=value:Effect", s)
	}
	return corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)}, nil
}

// Nodeless says whether a machine is one that never becomes a node.
func Nodeless(tags map[string]string) bool { return tags[roleTag+string(Bastion)] != "" }
