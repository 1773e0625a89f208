package shoot

import (
	"fmt"
	"slices"
	"strings"
)

// extension is what a provider's extension hashes of a pool that is rolled, beside Gardener's own
// hash (its pkg/controller/worker/machines.go, generateWorkerPoolHash). Of a pool that is updated
// in place none of the four hashes anything that such a pool may change.
type extension struct {
	name string
	// since is the minor version of Kubernetes from which it picks fields of providerConfig;
	// before it hashes all of it but nodeTemplate.virtualCapacity. "" is always.
	since string
	// fields are those that it picks; [] is every item of a list.
	fields []string
	// volumes are the fields that it hashes of each data volume, sorted by name where sorted.
	volumes []string
	sorted  bool
	// encrypted: it hashes volume.encrypted.
	encrypted bool
}

// extensions are those whose rules are known, by spec.provider.type.
var extensions = map[string]extension{
	"aws": {name: "provider-aws", since: "1.34", encrypted: true, volumes: []string{"size", "type", "encrypted"}, fields: []string{
		"nodeTemplate.capacity", "volume.iops", "volume.throughput", "dataVolumes[].name", "dataVolumes[].iops", "dataVolumes[].throughput", "dataVolumes[].snapshotID",
		"iamInstanceProfile.name", "iamInstanceProfile.arn", "instanceMetadataOptions.httpTokens", "instanceMetadataOptions.httpPutResponseHopLimit",
		"cpuOptions.coreCount", "cpuOptions.threadsPerCore", "capacityReservation.capacityReservationPreference", "capacityReservation.capacityReservationId", "capacityReservation.capacityReservationResourceGroupArn",
		"instanceMarketOptions.marketType", "networkInterfaces[].type", "networkInterfaces[].deviceIndex", "networkInterfaces[].networkCardIndex", "networkInterfaces[].networkCardIndexRange", "networkInterfaces[].subnetID",
		"placement.groupId", "placement.tenancy", "placement.hostId", "placement.partitionNumber", "placement.affinity"}},
	"azure": {name: "provider-azure", since: "1.35", volumes: []string{"size", "type"}, fields: []string{
		"nodeTemplate.capacity", "volume.caching", "dataVolumes[].name", "dataVolumes[].imageRef", "diagnosticsProfile.enabled", "diagnosticsProfile.storageURI", "capacityReservation.capacityReservationGroupID"}},
	"gcp": {name: "provider-gcp", since: "1.35", volumes: []string{"name", "size", "type"}, sorted: true, fields: []string{
		"nodeTemplate.capacity", "gpu.acceleratorType", "gpu.count", "volume.interface", "volume.encryption", "bootVolume.provisionedIops", "bootVolume.provisionedThroughput", "bootVolume.storagePool",
		"dataVolumes[].name", "dataVolumes[].provisionedIops", "dataVolumes[].provisionedThroughput", "dataVolumes[].sourceImage", "minCpuPlatform", "serviceAccount.email", "serviceAccount.scopes"}},
	"openstack": {name: "provider-openstack", fields: []string{"serverGroup.policy", "additionalSecurityGroups", "machineLabels[rolling]"}},
}

// extension is the pool's provider's.
func (v view) extension() (extension, bool) {
	e, known := extensions[v.Spec.Provider.Type]
	return e, known
}

// config is what the extension hashes of providerConfig.
func (e extension) config(v view) string {
	m, _ := v.raw["providerConfig"].(map[string]any)
	if ver, err := versionOf(v.version()); e.since != "" && (err != nil || ver.before(1, minorNumber(e.since))) {
		all := clone(m)
		if node, is := all["nodeTemplate"].(map[string]any); is {
			delete(node, "virtualCapacity")
		}
		return text(less(all))
	}
	var out []string
	for _, field := range e.fields {
		if value := picked(m, field); value != "" {
			out = append(out, field+" "+value)
		}
	}
	return strings.Join(out, ", ")
}

func minorNumber(version string) uint {
	v, err := versionOf(version)
	if err != nil {
		return 0
	}
	return v.Minor()
}

// picked is a field of a providerConfig as text, "" where it is not there.
func picked(m map[string]any, field string) string {
	name, rest, list := strings.Cut(field, "[")
	if !list {
		x, _ := at(m, strings.Split(field, ".")...)
		if items, is := x.([]any); is { // the order of what is a set to the extension does not count
			var out []string
			for _, item := range items {
				out = append(out, text(item))
			}
			slices.Sort(out)
			return strings.Join(out, " ")
		}
		return text(x)
	}
	items, _ := m[name].([]any)
	var out []string
	for _, item := range items {
		of, _ := item.(map[string]any)
		switch {
		case rest != "rolling]":
			out = append(out, text(of[strings.TrimPrefix(rest, "].")]))
		case of["triggerRollingOnUpdate"] == true:
			out = append(out, fmt.Sprintf("%s=%s", text(of["name"]), text(of["value"])))
		}
	}
	if rest == "rolling]" {
		slices.Sort(out)
	}
	return strings.Join(out, " ")
}

// disks is what the extension hashes of the data volumes.
func (e extension) disks(v view) string {
	items, _ := v.raw["dataVolumes"].([]any)
	items = slices.Clone(items)
	if e.sorted {
		slices.SortFunc(items, func(a, b any) int {
			x, _ := a.(map[string]any)
			y, _ := b.(map[string]any)
			return strings.Compare(text(x["name"]), text(y["name"]))
		})
	}
	var out []string
	for _, item := range items {
		of, _ := item.(map[string]any)
		for _, field := range e.volumes {
			if value := text(of[field]); value != "" {
				out = append(out, value)
			}
		}
	}
	return strings.Join(out, " ")
}

// volume is what the extension hashes of the volume beside Gardener.
func (e extension) volume(v view) string {
	x, _ := at(v.raw, "volume", "encrypted")
	if !e.encrypted {
		return ""
	}
	return text(x)
}

// none is a field that the extension hashes nothing of.
func (extension) none(view) string { return "" }

// decide is what the change of a field does that the extension of the provider decides about.
func (r row) decide(old, new view) (effect Effect, why string) {
	e, known := new.extension()
	switch {
	case !known:
		return Unknown, r.when
	case old.inPlace():
		return Nothing, e.name + " hashes nothing of it in a pool that is updated in place: the nodes stay"
	case r.extension(e, old) == r.extension(e, new):
		return Nothing, e.name + " does not hash what changes: the nodes stay"
	}
	return Rolling, e.name + " hashes it"
}

// Extension is a row of the table of extensions, for documents.
type Extension struct {
	Provider, Since, Config, Volumes string
	Encrypted                        bool
}

// Extensions is that table.
func Extensions() []Extension {
	var out []Extension
	for _, provider := range []string{"aws", "azure", "gcp", "openstack"} {
		e := extensions[provider]
		out = append(out, Extension{provider, e.since, strings.Join(e.fields, ", "), strings.Join(e.volumes, ", "), e.encrypted})
	}
	return out
}
