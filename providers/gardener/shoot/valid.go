package shoot

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/drainboard/drainboard/engine/world"
)

// invalid refuses what Gardener's API takes of no pool, whatever it was before
// (gardener/gardener pkg/api/core/validation, ValidateWorker and
// ValidateMachineControllerManagerSettingsOptions).
func (v view) invalid(refuse refuseFunc) {
	const worker, settings = "spec.provider.workers[].", "spec.provider.workers[].machineControllerManager."
	switch {
	case v.Minimum < 0:
		refuse(RuleSizes, worker+"minimum", "", fmt.Sprint(v.Minimum), "is negative")
	case v.Maximum < v.Minimum:
		refuse(RuleSizes, worker+"maximum", "", fmt.Sprint(v.Maximum), fmt.Sprintf("less than the minimum %d", v.Minimum))
	}
	if v.UpdateStrategy != world.ManualInPlaceUpdate && allowsNone(v.MaxSurge) && allowsNone(v.MaxUnavailable) {
		refuse(RuleBothZero, worker+"maxUnavailable", "", v.field("maxUnavailable"), "may not be 0 while maxSurge is 0")
	}
	set := v.Settings
	for _, d := range []struct {
		name string
		of   *metav1.Duration
	}{{"machineDrainTimeout", set.DrainTimeout}, {"machineHealthTimeout", set.HealthTimeout}, {"machineCreationTimeout", set.CreationTimeout}, {"inPlaceUpdateTimeout", set.InPlaceUpdateTimeout}} {
		if d.of != nil && d.of.Duration < 0 {
			refuse(RuleTimeouts, settings+d.name, "", d.of.Duration.String(), "is negative")
		}
	}
	if n := set.MaxEvictRetries; n != nil && *n < 0 {
		refuse(RuleTimeouts, settings+"maxEvictRetries", "", fmt.Sprint(*n), "is negative")
	}
	if !v.inPlace() && set.InPlaceUpdateTimeout != nil {
		refuse(RuleOnlyInPlace, settings+"inPlaceUpdateTimeout", "", set.InPlaceUpdateTimeout.Duration.String(), "is for pools with in-place updates")
	}
	if !v.inPlace() && set.DisableHealthTimeout != nil && *set.DisableHealthTimeout {
		refuse(RuleOnlyInPlace, settings+"disableHealthTimeout", "", "true", "is for pools with in-place updates")
	}
	if ver, err := versionOf(v.version()); err == nil && !ver.before(1, 31) && v.kubelet().SystemReserved != nil {
		field := "spec.kubernetes.kubelet.systemReserved"
		if hasKubelet(v) {
			field = "spec.provider.workers[].kubernetes.kubelet.systemReserved"
		}
		refuse(RuleSystemReserved, field, "", systemReserved(v), "is no longer supported from Kubernetes 1.31 on: add it to kubeReserved")
	}
}

// allowsNone reports whether a limit allows nothing.
func allowsNone(limit *intstr.IntOrString) bool {
	return limit == nil || strings.TrimSuffix(limit.String(), "%") == "0"
}

// resolveImages puts the newest version that is offered in the place of those of machine images
// that leave numbers out, as Gardener's API does before it compares, and says which.
func (c *Change) resolveImages() (notes []string) {
	become := *c.New
	become.object = clone(c.New.object)
	for _, w := range workers(become.object) {
		image, _ := at(w, "machine", "image")
		of, _ := image.(map[string]any)
		name, version := text(of["name"]), text(of["version"])
		newest := c.Profile.newest(name, version)
		if newest == "" {
			continue
		}
		of["version"] = newest
		notes = append(notes, fmt.Sprintf("pool %s: machine image %s %s is %s, the newest that is offered", show(text(w["name"])), show(name), show(version), show(newest)))
	}
	if len(notes) == 0 {
		return nil
	}
	if new, err := c.New.with(become.object); err == nil {
		c.New = new
	}
	return notes
}

// newest is the newest version of a machine image that begins with the numbers of a version which
// is not offered itself, without preview versions; "" where that is none.
func (p *Profile) newest(name, version string) (best string) {
	if p == nil || version == "" {
		return ""
	}
	for _, image := range p.spec.MachineImages {
		if image.Name != name {
			continue
		}
		if slices.ContainsFunc(image.Versions, func(v imageVersion) bool { return v.Version == version }) {
			return ""
		}
		for _, v := range image.Versions {
			if strings.HasPrefix(v.Version, version+".") && v.Classification != preview && (best == "" || older(best, v.Version)) {
				best = v.Version
			}
		}
	}
	return best
}

// preview is the classification of a version that no default is made of.
const preview = "preview"

// offers adds what the CloudProfile says of the versions that a change brings: preview or
// deprecated, and when they expire.
func (p *Plan) offers(c Change) {
	if c.Profile == nil {
		return
	}
	if is := c.New.Spec.Kubernetes.Version; is != c.Old.Spec.Kubernetes.Version {
		for _, v := range c.Profile.spec.Kubernetes.Versions {
			if v.Version == is {
				p.noteVersion(c, "Kubernetes "+is, v.Classification, v.Expiration)
			}
		}
	}
	for _, w := range c.New.Spec.Provider.Workers {
		is := w.Machine.Image
		if old, known := c.Old.pool(w.Name); known && old.Machine.Image == is {
			continue
		}
		if v, _ := c.Profile.image(is.Name, is.Version); v != nil {
			p.noteVersion(c, "machine image "+is.Name+" "+is.Version, v.Classification, v.Expiration)
			new, _ := c.New.pool(w.Name)
			if arch := new.field("machine", "architecture"); len(v.Architectures) > 0 && !slices.Contains(v.Architectures, arch) {
				p.Notes = append(p.Notes, fmt.Sprintf("machine image %s %s is offered for %s, pool %s has %s", show(is.Name), show(is.Version), few(v.Architectures), show(w.Name), show(arch)))
			}
		}
	}
}

func (p *Plan) noteVersion(c Change, what, classification string, expires *metav1.Time) {
	var is []string
	if classification != "" && classification != "supported" {
		is = append(is, classification)
	}
	if expires != nil {
		word := "expires"
		if expires.Time.Before(c.Now) {
			word = "expired"
		}
		is = append(is, word+" on "+expires.UTC().Format("2006-01-02"))
	}
	if note := show(what) + ": " + strings.Join(is, ", "); len(is) > 0 && !slices.Contains(p.Notes, note) {
		p.Notes = append(p.Notes, note)
	}
}
