package gardener

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// shootResource is where Shoots are.
var shootResource = schema.GroupVersionResource{Group: "core.gardener.cloud", Version: "v1beta1", Resource: "shoots"}

// A shootObject is what the lab reads and writes of a Shoot.
type shootObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              shootSpec   `json:"spec"`
	Status            shootStatus `json:"status,omitzero"`
}

type shootSpec struct {
	Region           string           `json:"region"`
	Kubernetes       shootKubernetes  `json:"kubernetes"`
	Provider         shootProvider    `json:"provider"`
	Maintenance      shootMaintenance `json:"maintenance,omitzero"`
	SystemComponents struct {
		NodeLocalDNS struct {
			Enabled bool `json:"enabled"`
		} `json:"nodeLocalDNS,omitzero"`
	} `json:"systemComponents,omitzero"`
}

type shootKubernetes struct {
	Version   string        `json:"version,omitempty"`
	Kubelet   *shootKubelet `json:"kubelet,omitempty"`
	KubeProxy struct {
		Mode string `json:"mode,omitempty"`
	} `json:"kubeProxy,omitzero"`
}

// workerKubernetes is what a pool has in place of the Shoot's.
type workerKubernetes struct {
	Version string        `json:"version,omitempty"`
	Kubelet *shootKubelet `json:"kubelet,omitempty"`
}

// shootKubelet is what of a kubelet's configuration may replace nodes.
type shootKubelet struct {
	KubeReserved     json.RawMessage `json:"kubeReserved,omitempty"`
	EvictionHard     json.RawMessage `json:"evictionHard,omitempty"`
	CPUManagerPolicy string          `json:"cpuManagerPolicy,omitempty"`
}

type shootProvider struct {
	Type    string        `json:"type"`
	Workers []shootWorker `json:"workers"`
}

type shootMaintenance struct {
	Confine    bool `json:"confineSpecUpdateRollout,omitempty"`
	TimeWindow struct {
		Begin string `json:"begin"`
		End   string `json:"end"`
	} `json:"timeWindow"`
}

type shootWorker struct {
	Name           string              `json:"name"`
	Minimum        int                 `json:"minimum"`
	Maximum        int                 `json:"maximum"`
	MaxSurge       *intstr.IntOrString `json:"maxSurge,omitempty"`
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
	UpdateStrategy string              `json:"updateStrategy"`
	Zones          []string            `json:"zones"`
	Machine        shootMachine        `json:"machine"`
	Volume         *shootVolume        `json:"volume,omitempty"`
	CRI            *struct {
		Name string `json:"name"`
	} `json:"cri,omitempty"`
	Kubernetes     *workerKubernetes `json:"kubernetes,omitempty"`
	Limits         *shootLimits      `json:"machineControllerManager,omitempty"`
	Labels         map[string]string `json:"labels,omitempty"`
	Annotations    map[string]string `json:"annotations,omitempty"`
	Taints         []corev1.Taint    `json:"taints,omitempty"`
	ProviderConfig json.RawMessage   `json:"providerConfig,omitempty"`
}

type shootMachine struct {
	Type  string `json:"type"`
	Image struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"image"`
}

type shootVolume struct {
	Type string `json:"type,omitempty"`
	Size string `json:"size,omitempty"`
}

// shootLimits is machineControllerManager of a worker.
type shootLimits struct {
	Drain           *metav1.Duration `json:"machineDrainTimeout,omitempty"`
	Health          *metav1.Duration `json:"machineHealthTimeout,omitempty"`
	Creation        *metav1.Duration `json:"machineCreationTimeout,omitempty"`
	InPlace         *metav1.Duration `json:"inPlaceUpdateTimeout,omitempty"`
	NoHealth        *bool            `json:"disableHealthTimeout,omitempty"`
	MaxEvictRetries *int32           `json:"maxEvictRetries,omitempty"`
	NodeConditions  []string         `json:"nodeConditions,omitempty"`
}

type shootStatus struct {
	TechnicalID        string              `json:"technicalID,omitempty"`
	Gardener           shootGardener       `json:"gardener,omitzero"`
	ObservedGeneration int64               `json:"observedGeneration,omitempty"`
	Conditions         []shootCondition    `json:"conditions"`
	Constraints        []shootCondition    `json:"constraints"`
	LastOperation      *shootOperation     `json:"lastOperation"`
	LastErrors         []shootError        `json:"lastErrors"`
	InPlaceUpdates     *shootInPlaceStatus `json:"inPlaceUpdates"`
	Rollout            *shootRollout       `json:"manualWorkerPoolRollout"`
}

// shootGardener is which Gardener works on the Shoot.
type shootGardener struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version string `json:"version"`
}

// shootRollout are the pools that are rolled as they are.
type shootRollout struct {
	Pending []shootRolloutOfPool `json:"pendingWorkersRollouts"`
}

type shootRolloutOfPool struct {
	Name               string      `json:"name"`
	LastInitiationTime metav1.Time `json:"lastInitiationTime"`
}

type shootInPlaceStatus struct {
	Pending struct {
		Auto   []string `json:"autoInPlaceUpdate,omitempty"`
		Manual []string `json:"manualInPlaceUpdate,omitempty"`
	} `json:"pendingWorkerUpdates"`
}

type shootOperation struct {
	Type           string      `json:"type"`
	State          string      `json:"state"`
	Progress       int         `json:"progress"`
	Description    string      `json:"description"`
	LastUpdateTime metav1.Time `json:"lastUpdateTime"`
}

type shootCondition struct {
	Type               string      `json:"type"`
	Status             string      `json:"status"`
	Reason             string      `json:"reason"`
	Message            string      `json:"message"`
	LastTransitionTime metav1.Time `json:"lastTransitionTime"`
	LastUpdateTime     metav1.Time `json:"lastUpdateTime"`
}

type shootError struct {
	Description    string      `json:"description"`
	LastUpdateTime metav1.Time `json:"lastUpdateTime"`
}
