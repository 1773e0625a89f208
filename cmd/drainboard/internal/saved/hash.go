package saved

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine/world"
)

// kept are the fields whose texts are no names: words of an API, versions, zones and amounts. All
// other texts of type string are hashed. Named string types are words of ours.
var kept = fields(`
File.Program File.Provider File.Rules
Settings.NodeConditions Pace.MaxSurge Pace.MaxUnavailable
UpdateRequest.Kubernetes UpdateRequest.Release UpdateRequest.TemplateVersion UpdateConfig.MaxUnavailable UpdateConfig.Strategy
Node.Version Node.Zone Taint.Effect Condition.Type Condition.Reason
ManagedMachine.Phase ManagedMachine.Operation MachineLimits.Conditions
Group.Provider Group.Zones Group.TemplateSpec Group.Suspended Activity.Zone Subnet.Zone
Machine.Zone Machine.State Machine.Detail Machine.Type Refresh.Status Policy.Kind Scheduled.Recurs
Pool.Update Pool.Version Pool.MaxSurge Pool.MaxUnavailable MachineDeployment.Zone MachineDeployment.Surge MachineDeployment.Unavailable
ZoneShare.Zone ZoneShare.Surge ZoneShare.Unavailable ShootInfo.Version ShootProgress.Operation ShootProgress.State
ManagedGroup.Status ManagedGroup.Version ManagedGroup.Release ManagedGroup.AMIType ManagedGroup.ClusterVersion ManagedGroup.Recommended
ManagedGroup.TemplateVersion ManagedGroup.MaxUnavailable ManagedIssue.Code Insight.Status
ManagedUpdate.Kind ManagedUpdate.Status ManagedUpdate.Version ManagedUpdate.Release ManagedUpdate.TemplateVersion
Owner.Kind Pod.Phase Pod.Critical Toleration.Effect Requirement.Operator Budget.Expression`)

// keys are the fields that hold keys of labels or taints; domains are those of keys that are the
// same in every cluster, and plainValues the keys whose values are, too.
var (
	keys        = fields(`Taint.Key Toleration.Key Requirement.Key Near.Topology Spread.Topology Pod.Finalizers`)
	domains     = []string{"kubernetes.io", "k8s.io", "amazonaws.com", "gardener.cloud", "sapcloud.io", "karpenter.sh", "k8s.aws"}
	plainValues = []string{
		"topology.kubernetes.io/zone", "topology.kubernetes.io/region", "node.kubernetes.io/instance-type", "kubernetes.io/arch", "kubernetes.io/os",
		"eks.amazonaws.com/capacityType", "karpenter.sh/capacity-type", world.GardenerInPlace,
	}
	namespaces = []string{"default", "kube-system", "kube-public", "kube-node-lease"}
)

func fields(list string) map[string]bool {
	out := map[string]bool{}
	for _, name := range strings.Fields(list) {
		out[name] = true
	}
	return out
}

// Hash returns the file with all names and texts replaced by hashes. Equal names stay equal. The
// key of the hashes is random and kept nowhere, so no list of names finds them.
func (f *File) Hash() (*File, error) {
	data, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	out := new(File)
	if err := json.Unmarshal(data, out); err != nil {
		return nil, err
	}
	h := hasher{key: make([]byte, 32), seen: map[any]bool{}}
	if _, err := rand.Read(h.key); err != nil {
		return nil, err
	}
	out.Hashed, out.Notes, out.Rights, out.Settings.Origin = true, nil, nil, nil
	for _, p := range out.World.Pods {
		h.nameOf(p)
	}
	for i := range out.World.Budgets {
		if err := h.selector(&out.World.Budgets[i]); err != nil {
			return nil, err
		}
	}
	h.walk(reflect.ValueOf(out).Elem(), "")
	return out, nil
}

// hasher replaces names.
type hasher struct {
	key  []byte
	seen map[any]bool // pointers that were walked
	done map[string]bool
}

// name is the hash of a name, "" for "".
func (h *hasher) name(s string) string {
	if s == "" || slices.Contains(namespaces, s) || h.done[s] {
		return s
	}
	sum := hmac.New(sha256.New, h.key)
	sum.Write([]byte(s))
	return "h" + hex.EncodeToString(sum.Sum(nil))[:12]
}

// hashed marks a text as hashed already.
func (h *hasher) hashed(s string) string {
	if h.done == nil {
		h.done = map[string]bool{}
	}
	h.done[s] = true
	return s
}

// label is the hash of a label's key, which stays if its domain is common to all clusters, and of
// its value.
func (h *hasher) label(key, value string) (string, string) {
	if !slices.Contains(plainValues, key) && value != "true" && value != "false" && !number(value) {
		value = h.name(value)
	}
	return h.labelKey(key), value
}

// labelKey is the hash of a key: what follows node-role.kubernetes.io/ and the like are words of a
// cluster's owner only where the domain is theirs.
func (h *hasher) labelKey(key string) string {
	domain, _, _ := strings.Cut(key, "/")
	for _, common := range domains {
		if domain == common || strings.HasSuffix(domain, "."+common) {
			return key
		}
	}
	return h.name(key)
}

// number reports whether a text is a small number, which tells nothing.
func number(s string) bool {
	return s != "" && len(s) <= 6 && strings.Trim(s, "0123456789") == ""
}

// nameOf hashes the name of a pod of a StatefulSet, whose number stays: its volume goes with it.
func (h *hasher) nameOf(p *world.Pod) {
	i := strings.LastIndexByte(p.Name, '-')
	if p.Owner.Kind != "StatefulSet" || i < 0 || !number(p.Name[i+1:]) {
		return
	}
	p.Name = h.hashed(h.name(p.Name[:i]) + p.Name[i:])
}

// selector hashes the selector of a budget.
func (h *hasher) selector(b *world.BudgetContents) error {
	parsed, err := labels.Parse(b.Selector)
	if err != nil {
		return fmt.Errorf("PDB %s: %w", b.Ref(), err)
	}
	list, _ := parsed.Requirements()
	out := labels.NewSelector()
	for _, r := range list {
		var values []string
		for _, v := range r.ValuesUnsorted() {
			_, value := h.label(r.Key(), v)
			values = append(values, value)
		}
		hashed, err := labels.NewRequirement(h.labelKey(r.Key()), r.Operator(), values)
		if err != nil {
			return fmt.Errorf("PDB %s: %w", b.Ref(), err)
		}
		out = out.Add(*hashed)
	}
	b.Selector = h.hashed(out.String())
	return nil
}

// walk hashes the texts of a value that is a field, by its type and name.
func (h *hasher) walk(v reflect.Value, field string) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || h.seen[v.Interface()] {
			return
		}
		h.seen[v.Interface()] = true
		h.walk(v.Elem(), field)
	case reflect.Slice:
		for i := range v.Len() {
			h.walk(v.Index(i), field)
		}
	case reflect.Map:
		h.walkMap(v, field)
	case reflect.Struct:
		h.walkStruct(v)
	case reflect.String:
		switch {
		case v.Type() != reflect.TypeFor[string]() || kept[field]:
		case keys[field]:
			v.SetString(h.labelKey(v.String()))
		default:
			v.SetString(h.name(v.String()))
		}
	}
}

// walkStruct hashes the fields of a struct.
func (h *hasher) walkStruct(v reflect.Value) {
	if v.Type().PkgPath() == "time" {
		return
	}
	switch of := v.Addr().Interface().(type) { // whose key says what the values are
	case *world.Taint:
		of.Key, of.Value = h.label(of.Key, of.Value)
		return
	case *world.Toleration:
		of.Key, of.Value = h.label(of.Key, of.Value)
		return
	case *world.Requirement:
		key := of.Key
		for i, value := range of.Values {
			of.Key, of.Values[i] = h.label(key, value)
		}
		of.Key = h.labelKey(key)
		return
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() {
			h.walk(v.Field(i), v.Type().Name()+"."+f.Name)
		}
	}
}

// walkMap hashes a map: labels by their keys, of others the values.
func (h *hasher) walkMap(v reflect.Value, field string) {
	texts, is := v.Interface().(map[string]string)
	switch {
	case v.Len() == 0:
	case is && field != "Group.SuspensionReasons":
		out := make(map[string]string, len(texts))
		for key, value := range texts {
			key, value = h.label(key, value)
			out[key] = value
		}
		v.Set(reflect.ValueOf(out))
	case is:
		for key, value := range texts {
			texts[key] = h.name(value)
		}
	case v.Type().Key() == reflect.TypeFor[string](): // keys of taints
		out := reflect.MakeMap(v.Type())
		for at := v.MapRange(); at.Next(); {
			out.SetMapIndex(reflect.ValueOf(h.labelKey(at.Key().String())), at.Value())
		}
		v.Set(out)
	default: // by source
		for at := v.MapRange(); at.Next(); {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(at.Value())
			h.walk(value, field)
			v.SetMapIndex(at.Key(), value)
		}
	}
}
