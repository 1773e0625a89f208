package objects

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The fields of pods and nodes that are read, all in this file. ToPod and ToNode see
// nothing else, however an object came: from a list, from a watch, or decoded by the API's
// own library (decode.go). A field has the name that it has in the API's Go type, from
// which also its number on the wire is taken.

// PodFields are the fields that are read of a Pod.
type PodFields struct {
	ObjectMeta ObjectFields
	Spec       struct {
		NodeName                      string
		PriorityClassName             string
		TerminationGracePeriodSeconds *int64
		Tolerations                   []tolerationFields
		Volumes                       []volumeFields
		NodeSelector                  map[string]string
		Affinity                      *affinityFields
		TopologySpreadConstraints     []spreadFields
		InitContainers, Containers    []runFields
		Overhead                      amounts
		Resources                     *requestFields
	}
	Status struct {
		Phase                 corev1.PodPhase
		Conditions            []podConditionFields
		InitContainerStatuses []containerFields
		ContainerStatuses     []containerFields
	}
}

// NodeFields are the fields that are read of a Node.
type NodeFields struct {
	ObjectMeta ObjectFields
	Spec       struct {
		ProviderID    string `decode:"unique"`
		Unschedulable bool
		Taints        []taintFields
	}
	Status struct {
		Conditions  []nodeConditionFields
		NodeInfo    struct{ KubeletVersion string }
		Allocatable amounts
	}
}

// ObjectFields are the fields that are read of the metadata of both.
type ObjectFields struct {
	Name                       string `decode:"unique"`
	Namespace                  string
	UID                        types.UID `decode:"unique"`
	CreationTimestamp          metav1.Time
	DeletionTimestamp          *metav1.Time
	DeletionGracePeriodSeconds *int64
	Labels                     map[string]string
	Annotations                annotations
	OwnerReferences            []ownerFields
	Finalizers                 []string
}

// annotations are those that say that a pod is a mirror pod, or what other tools do with
// a node; others are not read.
type annotations map[string]string

func (annotations) reads(name string) bool {
	return name == corev1.MirrorPodAnnotationKey || tells(name)
}

type ownerFields struct {
	Kind, Name string
	UID        types.UID
	Controller *bool
}

type tolerationFields struct {
	Key      string
	Value    string
	Operator corev1.TolerationOperator
	Effect   corev1.TaintEffect
}

// runFields tell what a container asks for.
type runFields struct {
	Resources     requestFields
	RestartPolicy *corev1.ContainerRestartPolicy
}

type requestFields struct{ Requests amounts }

type affinityFields struct {
	NodeAffinity *struct {
		RequiredDuringSchedulingIgnoredDuringExecution *struct{ NodeSelectorTerms []nodeTermFields }
	}
	PodAffinity, PodAntiAffinity *struct {
		RequiredDuringSchedulingIgnoredDuringExecution []nearFields
	}
}

type nodeTermFields struct {
	MatchExpressions, MatchFields []nodeRequirementFields
}

type nodeRequirementFields struct {
	Key      string
	Operator corev1.NodeSelectorOperator
	Values   []string
}

type nearFields struct {
	LabelSelector, NamespaceSelector *selectorFields
	Namespaces                       []string
	TopologyKey                      string
}

type spreadFields struct {
	MaxSkew           int32
	TopologyKey       string
	WhenUnsatisfiable corev1.UnsatisfiableConstraintAction
	LabelSelector     *selectorFields
	MatchLabelKeys    []string
}

type selectorFields struct {
	MatchLabels      map[string]string
	MatchExpressions []labelRequirementFields
}

type labelRequirementFields struct {
	Key      string
	Operator metav1.LabelSelectorOperator
	Values   []string
}

// volumeFields tell only of what kind a volume is.
type volumeFields struct {
	VolumeSource struct{ EmptyDir, PersistentVolumeClaim, Ephemeral *struct{} }
}

type podConditionFields struct {
	Type               corev1.PodConditionType
	Status             corev1.ConditionStatus
	LastTransitionTime metav1.Time
	Reason, Message    string
}

type containerFields struct {
	Name  string
	Ready bool
	State struct {
		Waiting *struct{ Reason string }
	}
}

type taintFields struct {
	Key, Value string
	Effect     corev1.TaintEffect
	TimeAdded  *metav1.Time
}

type nodeConditionFields struct {
	Type               corev1.NodeConditionType
	Status             corev1.ConditionStatus
	LastTransitionTime metav1.Time
	Reason, Message    string
}

// PodDecoder and NodeDecoder read these fields.
var (
	PodDecoder  = NewDecoder[PodFields, corev1.Pod]()
	NodeDecoder = NewDecoder[NodeFields, corev1.Node]()
)

func (p *PodFields) Object() *ObjectFields  { return &p.ObjectMeta }
func (n *NodeFields) Object() *ObjectFields { return &n.ObjectMeta }
