package shoot

import (
	"maps"
	"slices"
	"strings"
)

// Effect is what a change does to the nodes of a pool.
type Effect string

// The effects of a change.
const (
	// Nothing: the nodes stay as they are, though a kubelet may be restarted.
	Nothing Effect = "nothing"
	// Rolling: each node is drained and replaced by a new one.
	Rolling Effect = "rolling"
	// InPlace: each node is drained and updated, and stays.
	InPlace Effect = "in-place"
	// Forbidden: Gardener's API refuses the change, all of it.
	Forbidden Effect = "forbidden"
	// Unknown: others decide, by rules that are not written down.
	Unknown Effect = "unknown"
	// Added and Removed are of whole pools.
	Added   Effect = "added"
	Removed Effect = "removed"
)

// row is a field of the trigger table: what its change does to the nodes of a pool.
type row struct {
	// field as Gardener's documents write it; workers[] stands for a pool.
	field string
	// rolling is what a change does in a pool that is rolled (AutoRollingUpdate), inPlace in
	// one that is updated in place (AutoInPlaceUpdate, ManualInPlaceUpdate).
	rolling, inPlace Effect
	// when says which changes have this effect, "" if all have it; otherwise what the others
	// do.
	when, otherwise string
	// seed is what the document "Shoot Updates and Upgrades" says where it differs.
	seed string

	// value is the field as this pool has it, key what Gardener compares; without key that is
	// the value.
	value, key func(view) string
	// speaks reports whether the field is the one that counts in this pool; nil is always.
	speaks func(old, new view) bool
	// extension is what the provider's extension hashes of the field, nil where it has no say.
	extension func(extension, view) string
	// against reports whether what happens now is not what the document says; nil is
	// always, where there is a seed.
	against func(old, new view) bool
}

// Names of fields that more than one place speaks of.
const (
	fieldStrategy     = "spec.provider.workers[].updateStrategy"
	fieldDNS          = "spec.systemComponents.nodeLocalDNS.enabled"
	fieldOther        = "spec.provider.workers[] (any other field)"
	fieldMachine      = "spec.provider.workers[].machine.type"
	fieldArchitecture = "spec.provider.workers[].machine.architecture"
	fieldImage        = "spec.provider.workers[].machine.image.version"
	fieldVolumeType   = "spec.provider.workers[].volume.type"
	fieldVersion      = "spec.kubernetes.version"
	fieldOwn          = "spec.provider.workers[].kubernetes.version"
	fieldRollout      = "metadata.annotations[gardener.cloud/operation] (rollout-workers)"
)

const (
	patchOnly   = "the kubelet restarts with the new patch, the nodes stay"
	seedSum     = "does not roll while the sum of kubeReserved and systemReserved stays the same"
	rolloutSeed = "does not name it"
	kubeletOnly = "the kubelet restarts, the nodes stay"
)

// triggers is the table, in the order of Gardener's document. The effects are what the code
// does today: of pools that are rolled by what goes into the name of the node agent's secret,
// whose change makes a new machine class; of those updated in place by the hash of
// CalculateWorkerPoolHashForInPlaceUpdate, and by the API's validation.
var triggers = []row{
	{field: fieldVersion, rolling: Rolling, inPlace: InPlace, when: "another minor version, in pools without one of their own", otherwise: patchOnly,
		value: view.version, key: func(v view) string { return minorOf(v.version()) }, speaks: neither(hasVersion)},
	{field: fieldOwn, rolling: Rolling, inPlace: InPlace, when: "another minor version", otherwise: patchOnly,
		value: view.version, key: func(v view) string { return minorOf(v.version()) }, speaks: either(hasVersion)},
	{field: "spec.provider.workers[].machine.image.name", rolling: Rolling, inPlace: Forbidden,
		value: func(v view) string { return v.Machine.Image.Name }},
	{field: fieldImage, rolling: Rolling, inPlace: InPlace,
		value: func(v view) string { return v.Machine.Image.Version }},
	{field: fieldMachine, rolling: Rolling, inPlace: Forbidden,
		value: func(v view) string { return v.Machine.Type }},
	{field: fieldArchitecture, rolling: Forbidden, inPlace: Forbidden, when: "the machine type stays, or it or the image is of another architecture",
		otherwise: "the machine type decides", value: func(v view) string { return v.field("machine", architecture) }},
	{field: fieldVolumeType, rolling: Rolling, inPlace: Forbidden,
		value: func(v view) string { return v.Volume.Type }},
	{field: "spec.provider.workers[].volume.size", rolling: Rolling, inPlace: Forbidden,
		value: func(v view) string { return v.Volume.Size }},
	{field: "spec.provider.workers[].volume (its other fields)", rolling: Unknown, inPlace: Forbidden, when: "the provider's extension decides",
		value: func(v view) string { return v.without("volume", "type", "size") }, extension: extension.volume},
	{field: "spec.provider.workers[].providerConfig", rolling: Unknown, inPlace: Unknown, when: "the provider's extension picks the fields that count",
		value: func(v view) string { return v.field("providerConfig") }, extension: extension.config},
	{field: "spec.provider.workers[].cri.name", rolling: Rolling, inPlace: Forbidden,
		value: func(v view) string { return v.CRI.Name }},
	{field: fieldDNS, rolling: Rolling, inPlace: Forbidden, when: "the pool's Kubernetes is older than 1.34, or kube-proxy works with IPVS",
		otherwise: "from Kubernetes 1.34 on, without IPVS, running nodes take it", seed: "always rolls, and is never allowed with a pool that is updated in place",
		value: func(v view) string { return text(v.Spec.SystemComponents.NodeLocalDNS.Enabled) }, key: dnsKey,
		against: func(old, new view) bool { return dnsKey(old) == dnsKey(new) }},
	{field: "spec.kubernetes.kubeProxy.mode", rolling: Rolling, inPlace: Nothing, when: "node-local DNS is on and the pool's Kubernetes is 1.34 or newer",
		otherwise: "kube-proxy restarts, the nodes stay", seed: "does not name it", value: func(v view) string { return v.Spec.Kubernetes.KubeProxy.Mode }, key: dnsKey,
		against: func(old, new view) bool { return !new.inPlace() && dnsKey(old) != dnsKey(new) }},
	{field: "status.credentials.rotation.certificateAuthorities.lastInitiationTime", rolling: Rolling, inPlace: InPlace, when: "the pool is not in pendingWorkersRollouts",
		value: func(v view) string { return v.Status.Credentials.Rotation.CertificateAuthorities.of(v.Name) }},
	{field: "status.credentials.rotation.serviceAccountKey.lastInitiationTime", rolling: Rolling, inPlace: InPlace, when: "the pool is not in pendingWorkersRollouts",
		value: func(v view) string { return v.Status.Credentials.Rotation.ServiceAccountKey.of(v.Name) }},

	{field: "spec.kubernetes.kubelet.kubeReserved", rolling: Rolling, inPlace: InPlace, when: "in pools without a kubelet configuration of their own", seed: seedSum,
		value: kubeReserved, speaks: neither(hasKubelet), against: sameSum},
	{field: "spec.kubernetes.kubelet.systemReserved", rolling: Nothing, inPlace: Nothing, otherwise: kubeletOnly, seed: "rolls, unless the sum of kubeReserved and systemReserved stays the same",
		value: systemReserved, speaks: neither(hasKubelet), against: otherSum},
	{field: "spec.kubernetes.kubelet.evictionHard", rolling: Rolling, inPlace: InPlace, when: "in pools without a kubelet configuration of their own",
		value: evictionHard, speaks: neither(hasKubelet)},
	{field: "spec.kubernetes.kubelet.cpuManagerPolicy", rolling: Rolling, inPlace: InPlace, when: "in pools without a kubelet configuration of their own",
		value: cpuManagerPolicy, speaks: neither(hasKubelet)},
	{field: "spec.kubernetes.kubelet (its other fields)", rolling: Nothing, inPlace: Nothing, otherwise: kubeletOnly,
		value: otherKubelet, speaks: neither(hasKubelet)},
	{field: "spec.provider.workers[].kubernetes.kubelet.kubeReserved", rolling: Rolling, inPlace: InPlace, seed: seedSum,
		value: kubeReserved, speaks: either(hasKubelet), against: sameSum},
	{field: "spec.provider.workers[].kubernetes.kubelet.systemReserved", rolling: Nothing, inPlace: Nothing, otherwise: kubeletOnly, seed: "rolls, unless the sum of kubeReserved and systemReserved stays the same",
		value: systemReserved, speaks: either(hasKubelet), against: otherSum},
	{field: "spec.provider.workers[].kubernetes.kubelet.evictionHard", rolling: Rolling, inPlace: InPlace, value: evictionHard, speaks: either(hasKubelet)},
	{field: "spec.provider.workers[].kubernetes.kubelet.cpuManagerPolicy", rolling: Rolling, inPlace: InPlace, value: cpuManagerPolicy, speaks: either(hasKubelet)},
	{field: "spec.provider.workers[].kubernetes.kubelet (its other fields)", rolling: Nothing, inPlace: Nothing, otherwise: kubeletOnly,
		value: otherKubelet, speaks: either(hasKubelet)},

	{field: fieldStrategy, rolling: Forbidden, inPlace: Nothing, when: "between AutoRollingUpdate and the others; the other two may be switched",
		otherwise: "the next update follows the new strategy", value: func(v view) string { return v.UpdateStrategy }},
	quiet("labels", "the labels of running nodes are changed"),
	quiet("annotations", "the annotations of running nodes are changed"),
	quiet("taints", "the taints of running nodes are changed"),
	quiet("minimum", "the pool may be scaled, no node is replaced"),
	quiet("maximum", "the pool may be scaled, no node is replaced"),
	quiet("maxSurge", "holds at once, for a roll under way too"),
	quiet("maxUnavailable", "holds at once, for a roll under way too"),
	{field: "spec.provider.workers[].machineControllerManager", rolling: Nothing, inPlace: Nothing, otherwise: "holds for machines made or changed from then on, not for drains under way",
		value: func(v view) string { return v.without("machineControllerManager") }},
	others("zones", "machines are spread again; which of them go the provider's extension decides"),
	decided("dataVolumes", extension.disks),
	decided("kubeletDataVolumeName", extension.none),
	quiet("sysctls", "the agent on running nodes sets them"),
	quiet("caBundle", "the agent on running nodes installs it"),
	quiet("priority", "the cluster autoscaler takes it"),
	quiet("clusterAutoscaler", "the cluster autoscaler takes it"),
	quiet("systemComponents", "running nodes are labelled"),
	{field: "spec.provider.workers[].cri (its other fields)", rolling: Nothing, inPlace: Nothing, otherwise: "the agent on running nodes installs container runtimes",
		value: func(v view) string { return v.without("cri", "name") }},
	{field: fieldRollout, rolling: Rolling, inPlace: Forbidden, when: "the operation names the pool, or all with *", seed: rolloutSeed,
		value: func(view) string { return "" }}, // operation.go sees to it
	{field: fieldOther, rolling: Unknown, inPlace: Unknown, when: "no document and no rule here speaks of it", value: view.rest},
}

// quiet is a field that never touches a node.
func quiet(name, otherwise string) row {
	return row{field: "spec.provider.workers[]." + name, rolling: Nothing, inPlace: Nothing, otherwise: otherwise, value: func(v view) string { return v.field(name) }}
}

// others is a field of which others decide.
func others(name, when string) row {
	return row{field: "spec.provider.workers[]." + name, rolling: Unknown, inPlace: Unknown, when: when, value: func(v view) string { return v.field(name) }}
}

// decided is a field of which the provider's extension decides, as far as its rules are known.
func decided(name string, hashed func(extension, view) string) row {
	r := others(name, "the provider's extension decides")
	r.extension = hashed
	return r
}

func hasVersion(v view) bool { return v.worker.Kubernetes.Version != "" }
func hasKubelet(v view) bool { return v.worker.Kubernetes.Kubelet != nil }

func neither(has func(view) bool) func(old, new view) bool {
	return func(old, new view) bool { return !has(old) && !has(new) }
}

func either(has func(view) bool) func(old, new view) bool {
	return func(old, new view) bool { return has(old) || has(new) }
}

// dnsKey is what a node is made with for node-local DNS.
func dnsKey(v view) string {
	return text(v.Spec.SystemComponents.NodeLocalDNS.Enabled && v.needsDNS())
}

func kubeReserved(v view) string   { return v.kubelet().KubeReserved.String() }
func systemReserved(v view) string { return v.kubelet().SystemReserved.String() }

func cpuManagerPolicy(v view) string {
	if p := v.kubelet().CPUManagerPolicy; p != nil {
		return *p
	}
	return ""
}

// evictionHard is the hard eviction thresholds; those that are not set count as well, but
// not as much as the whole of them.
func evictionHard(v view) string {
	hard := v.kubelet().EvictionHard
	if hard == nil {
		return ""
	}
	var out []string
	for _, key := range slices.Sorted(maps.Keys(hard)) {
		out = append(out, key+" "+hard[key])
	}
	return strings.TrimSpace("{" + strings.Join(out, ", ") + "}")
}

func reservedSum(v view) string {
	k := v.kubelet()
	return sum(k.KubeReserved, k.SystemReserved).String()
}

func sameSum(old, new view) bool  { return reservedSum(old) == reservedSum(new) }
func otherSum(old, new view) bool { return !sameSum(old, new) }

// otherKubelet is a kubelet's configuration without what has rows of its own.
func otherKubelet(v view) string {
	m, _ := v.kubeletObject().(map[string]any)
	return text(less(m, "kubeReserved", "systemReserved", "evictionHard", "cpuManagerPolicy"))
}

// without is a map of the worker's without some of its fields.
func (v view) without(field string, keys ...string) string {
	m, _ := v.raw[field].(map[string]any)
	return text(less(m, keys...))
}

// less is a map without some keys, nil if nothing is left.
func less(m map[string]any, keys ...string) any {
	m = maps.Clone(m)
	for _, key := range keys {
		delete(m, key)
	}
	if len(m) == 0 {
		return nil
	}
	return m
}

// rest is the worker without every field that has a row.
func (v view) rest() string {
	m := clone(v.raw)
	for _, path := range ownRows {
		under := m
		for _, key := range path[:len(path)-1] {
			under, _ = under[key].(map[string]any)
		}
		delete(under, path[len(path)-1])
	}
	for key, value := range m { // what is left of a map that had rows
		if under, ok := value.(map[string]any); ok {
			prune(under)
			if len(under) == 0 {
				delete(m, key)
			}
		}
	}
	return text(less(m))
}

// prune takes empty maps out of a map.
func prune(m map[string]any) {
	for key, value := range m {
		if under, ok := value.(map[string]any); ok {
			if prune(under); len(under) == 0 {
				delete(m, key)
			}
		}
	}
}

// ownRows are the fields of a worker that have rows, and its name.
var ownRows = [][]string{
	{"name"}, {"updateStrategy"}, {"machine", "type"}, {"machine", "architecture"}, {"machine", "image", "name"}, {"machine", "image", "version"}, {"volume"}, {"providerConfig"}, {"cri"}, {"sysctls"}, {"caBundle"}, {"priority"}, {"clusterAutoscaler"}, {"systemComponents"},
	{"kubernetes", "version"}, {"kubernetes", "kubelet"}, {"labels"}, {"annotations"}, {"taints"}, {"minimum"}, {"maximum"}, {"maxSurge"}, {"maxUnavailable"},
	{"machineControllerManager"}, {"zones"}, {"dataVolumes"}, {"kubeletDataVolumeName"},
}

// Trigger is a row of the table, for documents.
type Trigger struct {
	Field, When, Otherwise, Seed string
	Rolling, InPlace             Effect
}

// Triggers is the trigger table.
func Triggers() []Trigger {
	var out []Trigger
	for _, r := range triggers {
		out = append(out, Trigger{r.field, r.when, r.otherwise, r.seed, r.rolling, r.inPlace})
	}
	return out
}
