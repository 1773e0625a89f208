package shoot

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Profile is what a CloudProfile, or a NamespacedCloudProfile, offers.
type Profile struct {
	Kind, Name string
	spec       profileSpec
}

type profileSpec struct {
	Kubernetes struct {
		Versions []expirable `json:"versions"`
	} `json:"kubernetes"`
	MachineImages []struct {
		Name     string         `json:"name"`
		Versions []imageVersion `json:"versions"`
	} `json:"machineImages"`
	MachineTypes []machineType `json:"machineTypes"`
	VolumeTypes  []struct {
		Name   string `json:"name"`
		Usable *bool  `json:"usable"`
	} `json:"volumeTypes"`
	Regions []struct {
		Name  string     `json:"name"`
		Zones []zoneLack `json:"zones"`
	} `json:"regions"`
	// MachineCapabilities are those that machine types and images may name, each with all of
	// its values. Where there are none, only architectures count.
	MachineCapabilities []struct {
		Name   string   `json:"name"`
		Values []string `json:"values"`
	} `json:"machineCapabilities"`
}

type imageVersion struct {
	expirable
	Architectures     []string       `json:"architectures"`
	CapabilityFlavors []capabilities `json:"capabilityFlavors"`
	InPlaceUpdates    struct {
		Supported           bool   `json:"supported"`
		MinVersionForUpdate string `json:"minVersionForUpdate"`
	} `json:"inPlaceUpdates"`
}

// Kinds of profiles, as spec.cloudProfile.kind has them.
const (
	CloudProfile           = "CloudProfile"
	NamespacedCloudProfile = "NamespacedCloudProfile"
)

// DecodeProfile reads a CloudProfile or a NamespacedCloudProfile, as YAML or JSON.
func DecodeProfile(file string, data []byte) (*Profile, error) {
	object, err := decode(file, data, CloudProfile, NamespacedCloudProfile)
	if err != nil {
		return nil, err
	}
	var p struct {
		Kind     string `json:"kind"`
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Spec   profileSpec `json:"spec"`
		Status struct {
			// Spec is that of the parent with the own one laid over it.
			Spec profileSpec `json:"cloudProfileSpec"`
		} `json:"status"`
	}
	if err := convert(object, &p); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	out := &Profile{Kind: p.Kind, Name: world.Clean(p.Metadata.Name), spec: p.Spec}
	if p.Kind == NamespacedCloudProfile {
		out.spec = p.Status.Spec
	}
	if len(out.spec.MachineImages) == 0 && len(out.spec.Kubernetes.Versions) == 0 {
		return nil, fmt.Errorf("%s: the %s offers neither Kubernetes versions nor machine images", file, p.Kind)
	}
	return out, nil
}

// ProfileRef is the kind and name of the profile that a Shoot is made by, "" where it names
// none.
func (s *Shoot) ProfileRef() (kind, name string) {
	if s.Spec.CloudProfile.Name == "" {
		return CloudProfile, world.Clean(s.Spec.CloudProfileName)
	}
	if s.Spec.CloudProfile.Kind == NamespacedCloudProfile {
		return NamespacedCloudProfile, world.Clean(s.Spec.CloudProfile.Name)
	}
	return CloudProfile, world.Clean(s.Spec.CloudProfile.Name)
}

// lacksKubernetes says that a version is not offered, "" if it is, or if nobody knows. A new pool
// takes no version that has expired, and a version without a patch is made of supported ones.
func (p *Profile) lacksKubernetes(version string, fresh bool, now time.Time) string {
	if p == nil || len(p.spec.Kubernetes.Versions) == 0 {
		return ""
	}
	ver, err := versionOf(version)
	part := err == nil && !ver.whole
	var has []string
	for _, v := range p.spec.Kubernetes.Versions {
		is := v.class(now)
		switch {
		case part && is == supported && minorOf(v.Version) == minorOf(version), !part && v.Version == version && (!fresh || is.active()):
			return ""
		case part && is == supported, !part && (!fresh || is.active()):
			has = append(has, v.Version)
		}
	}
	if part {
		return fmt.Sprintf("no supported version of it in %s %s, which has %s", p.Kind, p.Name, few(has))
	}
	return fmt.Sprintf("not offered by %s %s, which has %s", p.Kind, p.Name, few(has))
}

// image is a version of a machine image, or why there is none.
func (p *Profile) image(name, version string) (*imageVersion, string) {
	if p == nil {
		return nil, ""
	}
	var names []string
	for _, image := range p.spec.MachineImages {
		if image.Name != name {
			names = append(names, image.Name)
			continue
		}
		var has []string
		for i := range image.Versions {
			if image.Versions[i].Version == version {
				return &image.Versions[i], ""
			}
			has = append(has, image.Versions[i].Version)
		}
		return nil, fmt.Sprintf("%s %s has no such version of %s; it has %s", p.Kind, p.Name, world.Clean(name), few(has))
	}
	return nil, fmt.Sprintf("%s %s has no image %s; it has %s", p.Kind, p.Name, world.Clean(name), few(names))
}

// noneOf says that Gardener finds no machine image for what a pool names of one.
func (p *Profile) noneOf(v view) string {
	what, with := "machine image", ""
	if image := v.Machine.Image; image.Name != "" {
		what = "version of " + world.Clean(image.Name)
		if image.Version != "" {
			what = "version " + world.Clean(image.Version) + ".* of " + world.Clean(image.Name)
		}
	}
	if v.inPlace() {
		with = " with in-place updates"
	}
	return fmt.Sprintf("%s %s has no %s for %s%s, previews aside", p.Kind, p.Name, what, p.architectureOf(v), with)
}

// few is a list for people, the last ones of a long one.
func few(list []string) string {
	const most = 8
	list = slices.Clone(list)
	for i := range list {
		list[i] = world.Clean(list[i])
	}
	if len(list) == 0 {
		return "none"
	}
	if more := len(list) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), more)
	}
	return strings.Join(list, ", ")
}
