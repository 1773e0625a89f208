package kops

import (
	"strings"

	"github.com/drainboard/drainboard/engine/world"
)

// Tags that kops puts on Auto Scaling groups and their machines
// (upup/pkg/fi/cloudup/awsup/aws_cloud.go, pkg/nodeidentity/aws/identify.go).
const (
	// TagCluster has the cluster's name, TagInstanceGroup the instance group's.
	TagCluster       = "KubernetesCluster"
	TagInstanceGroup = world.KopsGroup
	// TagDetached is on machines that a rolling update has taken out of their group; its
	// value is the Auto Scaling group's name.
	TagDetached = "kops.k8s.io/detached-from-asg"
	// rolePrefix comes before each role in a key of its own.
	rolePrefix = "k8s.io/role/"
)

// roleTag is a role by the rest of its tag's key.
type roleTag struct {
	key  string
	role world.Role
}

// roles are all there are, those that say more first. A group with a part of the control
// plane only is one of the control plane, except for the API server alone.
var roles = []roleTag{
	{"bastion", world.RoleBastion},
	{"control-plane", world.RoleControlPlane},
	{"controlplane", world.RoleControlPlane},
	{"master", world.RoleControlPlane}, // until kops 1.26, and beside the new one since
	{"etcd", world.RoleControlPlane},
	{"scheduler", world.RoleControlPlane},
	{"kubecontrollermanager", world.RoleControlPlane},
	{"cloudcontrollermanager", world.RoleControlPlane},
	{"apiserver", world.RoleAPIServer},
	{"node", world.RoleNode},
}

// roleOf is what the machines of an instance group do, "" for a group that is none: the
// cluster's name is on groups of others too.
func roleOf(tags map[string]string) world.Role {
	if tags[TagCluster] == "" {
		return ""
	}
	for _, r := range roles {
		if _, ok := tags[rolePrefix+r.key]; ok {
			return r.role
		}
	}
	if tags[TagInstanceGroup] != "" {
		return world.RoleNode
	}
	return ""
}

// aliasOf is nameOf of an Auto Scaling group with a name and tags.
func aliasOf(name string, tags map[string]string) string {
	return nameOf(world.Group{Name: name, Tags: tags})
}

// nameOf is the name of a group in kops: as its tag says, which groups made before kops
// 1.18 lack, else without what kops adds to it for AWS (pkg/model/names.go).
func nameOf(g world.Group) string {
	if name := g.Tags[TagInstanceGroup]; name != "" {
		return name
	}
	cluster := g.Tags[TagCluster]
	for _, middle := range []string{".masters.", ".apiservers.", "."} {
		if name, ok := strings.CutSuffix(g.Name, middle+cluster); ok && name != "" {
			return name
		}
	}
	return g.Name
}
