package shoot

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilversion "k8s.io/apimachinery/pkg/util/version"

	"github.com/drainboard/drainboard/engine/world"
)

// expirable is a version of Kubernetes or of a machine image with its life, as a profile has it.
type expirable struct {
	Version        string       `json:"version"`
	Classification class        `json:"classification"`
	Expiration     *metav1.Time `json:"expirationDate"`
	// Lifecycle stands in the place of the two above.
	Lifecycle []struct {
		Classification class        `json:"classification"`
		Start          *metav1.Time `json:"startTime"`
	} `json:"lifecycle"`
}

// class is where a version is in its life.
type class string

const (
	unavailable class = "unavailable"
	preview     class = "preview"
	supported   class = "supported"
	deprecated  class = "deprecated"
	expired     class = "expired"
)

// active reports whether a version may be taken by a new pool.
func (c class) active() bool { return c != expired && c != unavailable }

// class is where the version is in its life at a time (gardener/gardener
// pkg/api/core/helper/cloudprofile.go, CurrentLifecycleClassification).
func (v expirable) class(now time.Time) class {
	if len(v.Lifecycle) == 0 {
		if v.Expiration != nil && v.Expiration.Time.Before(now) {
			return expired
		}
		return cmp.Or(v.Classification, supported)
	}
	is := unavailable
	for _, stage := range v.Lifecycle {
		if stage.Start == nil || stage.Start.Time.Before(now) {
			is = stage.Classification
		}
	}
	return is
}

// expires is when the version expires, nil where that is not known.
func (v expirable) expires() *metav1.Time {
	for _, stage := range v.Lifecycle {
		if stage.Classification == expired {
			return stage.Start
		}
	}
	return v.Expiration
}

// machineType is one that a profile offers.
type machineType struct {
	Name         string       `json:"name"`
	Architecture string       `json:"architecture"`
	Usable       *bool        `json:"usable"`
	Capabilities capabilities `json:"capabilities"`
}

// zoneLack is a zone of a region, with what it does not have of what the profile offers.
type zoneLack struct {
	Name         string   `json:"name"`
	MachineTypes []string `json:"unavailableMachineTypes"`
	VolumeTypes  []string `json:"unavailableVolumeTypes"`
}

// lacking are the zones of a pool that do not have something (gardener/gardener
// plugin/pkg/shoot/validator/admission.go, isUnavailableInAtleastOneZone).
func (p *Profile) lacking(v view, of func(zoneLack) []string, what string) (zones []string) {
	for _, r := range p.spec.Regions {
		if r.Name != v.Shoot.Spec.Region {
			continue
		}
		for _, z := range r.Zones {
			if slices.Contains(v.Zones, z.Name) && slices.Contains(of(z), what) {
				zones = append(zones, z.Name)
			}
		}
	}
	return zones
}

// unavailableIn says where a profile does not have something.
func (p *Profile) unavailableIn(zones []string) string {
	zone := "zone "
	if len(zones) > 1 {
		zone = "zones "
	}
	return fmt.Sprintf("%s %s says that it is unavailable in %s", p.Kind, p.Name, zone+few(zones))
}

// capabilities are values by the name of a capability, such as amd64 by architecture.
type capabilities map[string][]string

const (
	amd64 = "amd64"
	arm64 = "arm64"
	// architecture is the name of the capability.
	architecture = "architecture"
)

// machine is a machine type, nil where the profile does not have it.
func (p *Profile) machine(name string) *machineType {
	if p == nil {
		return nil
	}
	i := slices.IndexFunc(p.spec.MachineTypes, func(t machineType) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &p.spec.MachineTypes[i]
}

// architecture is that of a machine type, amd64 where the profile names none.
func (p *Profile) architecture(t *machineType) string {
	if len(p.spec.MachineCapabilities) == 0 {
		return cmp.Or(t.Architecture, amd64)
	}
	if is := p.spec.values(t.Capabilities, architecture); len(is) == 1 {
		return is[0]
	}
	return t.Architecture
}

// architectures are those of a machine image, amd64 where the profile names none.
func (p *Profile) architectures(v imageVersion) (out []string) {
	if len(v.CapabilityFlavors) == 0 {
		out = p.spec.values(nil, architecture)
	}
	for _, f := range v.CapabilityFlavors {
		out = append(out, f[architecture]...)
	}
	switch {
	case len(out) > 0:
	case len(v.Architectures) == 0 && len(p.spec.MachineCapabilities) == 0:
		out = []string{amd64}
	default:
		out = v.Architectures
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// values are those of a capability: of the ones given, else all there are.
func (s profileSpec) values(given capabilities, name string) []string {
	if values, has := given[name]; has {
		return values
	}
	for _, c := range s.MachineCapabilities {
		if c.Name == name {
			return slices.Clone(c.Values)
		}
	}
	return nil
}

// runs reports whether a machine image has a flavor with all that a machine type is capable of.
// Of a type that is not offered nothing is asked.
func (p *Profile) runs(v imageVersion, t *machineType) bool {
	if t == nil || len(v.CapabilityFlavors) == 0 {
		return true
	}
	return slices.ContainsFunc(v.CapabilityFlavors, func(flavor capabilities) bool {
		for _, c := range p.spec.MachineCapabilities {
			of := p.spec.values(t.Capabilities, c.Name)
			if !slices.ContainsFunc(p.spec.values(flavor, c.Name), func(value string) bool { return slices.Contains(of, value) }) {
				return false
			}
		}
		return true
	})
}

// architectureOf is a pool's architecture: its own, else that of its machine type, else amd64.
func (p *Profile) architectureOf(v view) string {
	if own := v.field("machine", architecture); own != "" {
		return own
	}
	if t := p.machine(v.Machine.Type); t != nil {
		return cmp.Or(p.architecture(t), amd64)
	}
	return amd64
}

// newest is the machine image that Gardener takes for a pool whose image leaves its name out, or
// numbers of its version: the newest version of the pool's architecture, of what its machine type
// is capable of, and with in-place updates where the pool has them; of these the newest that is
// not deprecated, and never a preview. An expired one is not left out. taken is false where the
// image is not completed: it is whole, or there is none.
func (p *Profile) newest(v view, now time.Time) (name, best string, taken bool) {
	name, asked := v.Machine.Image.Name, v.Machine.Image.Version
	arch, machine := p.architectureOf(v), p.machine(v.Machine.Type)
	var versions []imageVersion
	for _, image := range p.spec.MachineImages {
		if image.Name == name || name == "" && slices.ContainsFunc(image.Versions, func(o imageVersion) bool {
			return slices.Contains(p.architectures(o), arch) || machine != nil && p.runs(o, machine)
		}) {
			name, versions = image.Name, image.Versions
			break
		}
	}
	parts := strings.Split(strings.TrimPrefix(asked, "v"), ".")
	if len(parts) == 3 || slices.ContainsFunc(versions, func(o imageVersion) bool { return o.Version == asked }) {
		return name, asked, false
	}
	var numbers []uint // that the version has to begin with
	for i, part := range parts[:min(len(parts), 2)] {
		if i == 1 && len(parts) > 2 || part == "" {
			break
		}
		n, err := strconv.ParseUint(part, 10, 0)
		if err != nil {
			return name, "", false
		}
		numbers = append(numbers, uint(n))
	}
	var last, lastDeprecated *utilversion.Version
	for _, o := range versions {
		of, err := semantic(o.Version)
		is := o.class(now)
		if err != nil || is == preview || !slices.Contains(p.architectures(o), arch) || !p.runs(o, machine) || v.inPlace() && !o.InPlaceUpdates.Supported ||
			len(of.Components()) < len(numbers) || !slices.Equal(of.Components()[:len(numbers)], numbers) {
			continue
		}
		if is == deprecated {
			if lastDeprecated == nil || lastDeprecated.LessThan(of) {
				lastDeprecated = of
			}
			if last == nil && lastDeprecated == of {
				best = o.Version
			}
			continue
		}
		if last == nil || last.LessThan(of) {
			last, best = of, o.Version
		}
	}
	return name, best, best != ""
}

// semantic is a version with what follows a dash, which counts when versions are put in order.
func semantic(text string) (*utilversion.Version, error) {
	if v, err := utilversion.ParseSemantic(text); err == nil {
		return v, nil
	}
	return utilversion.ParseGeneric(text)
}

// complete puts into both Shoots what Gardener's API fills in by the profile before it compares:
// the architecture of machines, and the versions of machine images that leave numbers out. It
// tells which.
func (c *Change) complete() (notes []string) {
	c.Old = c.Old.each(func(v view) { architect(v, c.Profile) })
	c.New = c.New.each(func(v view) {
		architect(v, c.Profile)
		image := v.Machine.Image
		old, known := c.Old.pool(v.Name)
		if c.Profile == nil || known && old.Machine.Image == image {
			return
		}
		name, version, taken := c.Profile.newest(v, c.Now)
		machine, has := v.raw["machine"].(map[string]any)
		if !taken || !has {
			return // what is not offered is refused
		}
		all := under(machine, "image")
		all["name"], all["version"] = name, version
		machine["image"] = all
		which := strings.Join(strings.Fields(image.Name+" "+image.Version), " ")
		if which != "" {
			which = " " + show(which)
		}
		notes = append(notes, fmt.Sprintf("pool %s: of machine image%s Gardener takes %s %s", show(v.Name), which, show(name), show(version)))
	})
	return notes
}

func architect(v view, p *Profile) {
	if machine, has := v.raw["machine"].(map[string]any); has {
		machine[architecture] = p.architectureOf(v)
	}
}

// each is the Shoot with every pool changed.
func (s *Shoot) each(change func(view)) *Shoot {
	object := clone(s.object)
	for i, w := range workers(object) {
		change(view{s, &s.Spec.Provider.Workers[i], w})
	}
	out, err := read(object)
	if err != nil {
		return s // it was read before: only versions of images have changed
	}
	out.given = s.given
	return out
}

// machineRefusals are those about a pool's machine type and architecture, true if there are any
// (gardener/gardener plugin/pkg/shoot/validator/admission.go, validateMachineTypes).
func (c Change) machineRefusals(old *view, new view, refuse refuseFunc) bool {
	is, arch := new.Machine.Type, new.field("machine", architecture)
	was, archWas := "", ""
	if old != nil {
		was, archWas = old.Machine.Type, old.field("machine", architecture)
	}
	field, from, to := fieldArchitecture, archWas, arch
	if arch == archWas || old == nil {
		field, from, to = fieldMachine, was, is
	}
	of := c.Profile.machine(is)
	var lacking []string
	if c.Profile != nil {
		lacking = c.Profile.lacking(new, func(z zoneLack) []string { return z.MachineTypes }, is)
	}
	switch {
	case arch != amd64 && arch != arm64:
		refuse(RuleArchitecture, fieldArchitecture, archWas, arch, "Gardener has amd64 and arm64")
	case is == was && arch == archWas:
		return false
	case c.Profile == nil || len(c.Profile.spec.MachineTypes) == 0:
		if is != was {
			return false
		}
		refuse(RuleArchitecture, field, from, to, "machine type "+show(is)+" is "+archWas+": change the machine type, too")
	case of == nil:
		refuse(RuleNotOffered, fieldMachine, was, is, fmt.Sprintf("%s %s has no such machine type", c.Profile.Kind, c.Profile.Name))
	case of.Usable != nil && !*of.Usable:
		refuse(RuleNotOffered, fieldMachine, was, is, fmt.Sprintf("%s %s says that it cannot be used", c.Profile.Kind, c.Profile.Name))
	case len(lacking) > 0:
		refuse(RuleNotOffered, fieldMachine, was, is, c.Profile.unavailableIn(lacking))
	case c.Profile.architecture(of) != arch:
		refuse(RuleArchitecture, field, from, to, "machine type "+show(is)+" is "+world.Clean(c.Profile.architecture(of))+", the pool "+arch)
	default:
		return false
	}
	return true
}

// volumeRefusals are those about a pool's volume type (gardener/gardener
// plugin/pkg/shoot/validator/admission.go, validateVolumeTypes).
func (c Change) volumeRefusals(old *view, new view, refuse refuseFunc) {
	is, was := new.Volume.Type, ""
	if old != nil {
		was = old.Volume.Type
	}
	p := c.Profile
	if is == "" || is == was || p == nil || len(p.spec.VolumeTypes) == 0 {
		return
	}
	why := fmt.Sprintf("%s %s has no such volume type", p.Kind, p.Name)
	for _, t := range p.spec.VolumeTypes {
		if t.Name == is {
			why = ""
			if t.Usable != nil && !*t.Usable {
				why = fmt.Sprintf("%s %s says that it cannot be used", p.Kind, p.Name)
			}
		}
	}
	if zones := p.lacking(new, func(z zoneLack) []string { return z.VolumeTypes }, is); why == "" && len(zones) > 0 {
		why = p.unavailableIn(zones)
	}
	if why != "" {
		refuse(RuleNotOffered, fieldVolumeType, was, is, why)
	}
}
