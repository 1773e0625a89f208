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

// offers adds what the CloudProfile says of the versions that a change brings: preview or
// deprecated, and when they expire.
func (p *Plan) offers(c Change) {
	if c.Profile == nil {
		return
	}
	if is := c.New.Spec.Kubernetes.Version; is != c.Old.Spec.Kubernetes.Version {
		for _, v := range c.Profile.spec.Kubernetes.Versions {
			if v.Version == is {
				p.noteVersion(c, "Kubernetes "+is, v)
			}
		}
	}
	for _, w := range c.New.Spec.Provider.Workers {
		is := w.Machine.Image
		if old, known := c.Old.pool(w.Name); known && old.Machine.Image == is {
			continue
		}
		if v, _ := c.Profile.image(is.Name, is.Version); v != nil {
			p.noteVersion(c, "machine image "+is.Name+" "+is.Version, v.expirable)
		}
	}
}

func (p *Plan) noteVersion(c Change, what string, v expirable) {
	var is []string
	if class := v.class(c.Now); class != supported && class != expired {
		is = append(is, world.Clean(string(class)))
	}
	if at := v.expires(); at != nil {
		word := "expires"
		if at.Time.Before(c.Now) {
			word = "expired"
		}
		is = append(is, word+" on "+at.UTC().Format("2006-01-02"))
	}
	if note := show(what) + ": " + strings.Join(is, ", "); len(is) > 0 && !slices.Contains(p.Notes, note) {
		p.Notes = append(p.Notes, note)
	}
}
