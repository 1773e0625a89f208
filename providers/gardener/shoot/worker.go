package shoot

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/drainboard/drainboard/engine/world"
)

// worker is a pool as spec.provider.workers has it.
type worker struct {
	Name           string              `json:"name"`
	UpdateStrategy string              `json:"updateStrategy"`
	Minimum        int                 `json:"minimum"`
	Maximum        int                 `json:"maximum"`
	MaxSurge       *intstr.IntOrString `json:"maxSurge"`
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable"`
	Zones          []string            `json:"zones"`
	Machine        struct {
		Type  string `json:"type"`
		Image struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"image"`
	} `json:"machine"`
	Volume struct {
		Type string `json:"type"`
		Size string `json:"size"`
	} `json:"volume"`
	CRI struct {
		Name string `json:"name"`
	} `json:"cri"`
	Kubernetes struct {
		Version string   `json:"version"`
		Kubelet *kubelet `json:"kubelet"`
	} `json:"kubernetes"`
	Settings settings `json:"machineControllerManager"`
}

// settings are what a pool tells machine-controller-manager.
type settings struct {
	DrainTimeout         *metav1.Duration `json:"machineDrainTimeout"`
	HealthTimeout        *metav1.Duration `json:"machineHealthTimeout"`
	CreationTimeout      *metav1.Duration `json:"machineCreationTimeout"`
	InPlaceUpdateTimeout *metav1.Duration `json:"inPlaceUpdateTimeout"`
	DisableHealthTimeout *bool            `json:"disableHealthTimeout"`
	MaxEvictRetries      *int             `json:"maxEvictRetries"`
	NodeConditions       []string         `json:"nodeConditions"`
}

// kubelet has the fields of a kubelet's configuration that decide whether nodes are replaced.
type kubelet struct {
	KubeReserved     *reserved         `json:"kubeReserved"`
	SystemReserved   *reserved         `json:"systemReserved"`
	EvictionHard     map[string]string `json:"evictionHard"`
	CPUManagerPolicy *string           `json:"cpuManagerPolicy"`
}

type reserved struct {
	CPU              *quantity `json:"cpu"`
	Memory           *quantity `json:"memory"`
	PID              *quantity `json:"pid"`
	EphemeralStorage *quantity `json:"ephemeralStorage"`
}

// quantity is a quantity of Kubernetes. One like 1e-99999999, which its own reader works on
// for minutes, is none.
type quantity struct{ resource.Quantity }

var endless = regexp.MustCompile(`[eE][+-]?\d{3,}`)

func (q *quantity) UnmarshalJSON(text []byte) error {
	if len(text) > 64 || endless.Match(text) {
		return fmt.Errorf("%s is not a quantity, such as 100m or 1Gi", show(string(text)))
	}
	if err := q.Quantity.UnmarshalJSON(text); err != nil {
		return fmt.Errorf("%s is not a quantity, such as 100m or 1Gi", show(string(text)))
	}
	return nil
}

// sum adds two reservations, as the kubelet does; nil is none.
func sum(a, b *reserved) *reserved {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	add := func(a, b *quantity) *quantity {
		if a == nil || b == nil {
			return cmp.Or(a, b)
		}
		both := quantity{a.DeepCopy()}
		both.Add(b.Quantity)
		return &both
	}
	return &reserved{add(a.CPU, b.CPU), add(a.Memory, b.Memory), add(a.PID, b.PID), add(a.EphemeralStorage, b.EphemeralStorage)}
}

// String is a reservation in one way only, however its quantities are written.
func (r *reserved) String() string {
	if r == nil {
		return ""
	}
	var out []string
	for _, q := range []struct {
		name string
		of   *quantity
	}{{"cpu", r.CPU}, {"memory", r.Memory}, {"pid", r.PID}, {"ephemeralStorage", r.EphemeralStorage}} {
		if q.of != nil {
			out = append(out, q.name+" "+q.of.String())
		}
	}
	return cmp.Or(strings.Join(out, ", "), "{}")
}

// rotation is the state of a rotation of credentials that nodes have.
type rotation struct {
	Phase                  string       `json:"phase"`
	LastInitiationTime     *metav1.Time `json:"lastInitiationTime"`
	PendingWorkersRollouts []struct {
		Name               string       `json:"name"`
		LastInitiationTime *metav1.Time `json:"lastInitiationTime"`
	} `json:"pendingWorkersRollouts"`
}

// of is the rotation that a pool's nodes take part in: the last one, or for a pool whose
// rollout is pending the one before.
func (r rotation) of(pool string) string {
	at := r.at(pool)
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// pending reports whether a pool waits for its rollout.
func (r rotation) pending(pool string) bool {
	for _, p := range r.PendingWorkersRollouts {
		if p.Name == pool {
			return true
		}
	}
	return false
}

// view is one pool of a Shoot.
type view struct {
	*Shoot
	*worker
	raw map[string]any // of the worker
}

// pool returns one pool, false if the Shoot has none of that name.
func (s *Shoot) pool(name string) (view, bool) {
	for i := range s.Spec.Provider.Workers {
		if w := &s.Spec.Provider.Workers[i]; w.Name == name {
			return view{s, w, workers(s.object)[i]}, true
		}
	}
	return view{}, false
}

// inPlace reports whether a pool's nodes are updated and not replaced.
func (v view) inPlace() bool { return inPlace(v.UpdateStrategy) }

func inPlace(strategy string) bool {
	return strategy == world.AutoInPlaceUpdate || strategy == world.ManualInPlaceUpdate
}

// version is the pool's Kubernetes: its own, or the Shoot's.
func (v view) version() string {
	return cmp.Or(v.worker.Kubernetes.Version, v.Spec.Kubernetes.Version)
}

// kubelet is the configuration that the pool's kubelets have: its own, which replaces the
// Shoot's as a whole, or that.
func (v view) kubelet() kubelet {
	if own := v.worker.Kubernetes.Kubelet; own != nil {
		return *own
	}
	if all := v.Spec.Kubernetes.Kubelet; all != nil {
		return *all
	}
	return kubelet{}
}

// kubeletObject is kubelet with every field.
func (v view) kubeletObject() any {
	if own, _ := at(v.raw, "kubernetes", "kubelet"); own != nil {
		return own
	}
	all, _ := at(v.object, "spec", "kubernetes", "kubelet")
	return all
}

// proxiesByIPVS reports whether kube-proxy works with IPVS.
func (v view) proxiesByIPVS() bool { return v.Spec.Kubernetes.KubeProxy.Mode == "IPVS" }

// needsDNS reports whether node-local DNS is something that a node of the pool is made with:
// from Kubernetes 1.34 on only where kube-proxy works with IPVS.
func (v view) needsDNS() bool {
	ver, err := versionOf(v.version())
	return err == nil && ver.before(1, 34) || v.proxiesByIPVS()
}

// field is one of the worker's, as text; "" if it is not there.
func (v view) field(path ...string) string {
	x, _ := at(v.raw, path...)
	return text(x)
}

// text is a value as a person would write it, in one way only.
func text(x any) string {
	switch x := x.(type) {
	case nil:
		return ""
	case string:
		return x
	case bool, float64:
		return fmt.Sprint(x)
	}
	b, err := json.Marshal(x) // maps in the order of their keys
	if err != nil {
		return fmt.Sprint(x)
	}
	return string(b)
}
