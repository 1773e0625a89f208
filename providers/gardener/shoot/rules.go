package shoot

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Rule names why Gardener's API refuses a change.
type Rule string

// Rules of Gardener's API (gardener, pkg/api/core/validation and plugin/pkg/shoot/validator).
const (
	RuleFixed           Rule = "fixed-field"
	RuleSwitch          Rule = "strategy-switch"
	RuleStrategy        Rule = "unknown-strategy"
	RuleManualLimits    Rule = "manual-limits"
	RulePending         Rule = "pool-pending"
	RuleDNS             Rule = "node-local-dns"
	RuleDowngrade       Rule = "kubernetes-downgrade"
	RuleSkip            Rule = "kubernetes-skip"
	RuleNewer           Rule = "pool-ahead"
	RuleBehind          Rule = "pool-behind"
	RuleImageDowngrade  Rule = "image-downgrade"
	RuleNotOffered      Rule = "not-offered"
	RuleExpired         Rule = "image-expired"
	RuleArchitecture    Rule = "architecture"
	RuleNoInPlace       Rule = "image-not-in-place"
	RuleImageTooOld     Rule = "image-too-old"
	RuleWorkerless      Rule = "workerless"
	RuleDeleting        Rule = "deleting"
	RuleImmutable       Rule = "immutable"
	RuleWindow          Rule = "time-window"
	RuleNoSuchPool      Rule = "no-such-pool"
	RuleRolloutInPlace  Rule = "rollout-in-place"
	RuleRotationPending Rule = "rotation-while-pending"
	RuleRotationPhase   Rule = "rotation-phase"
	RuleBothZero        Rule = "surge-and-unavailable-0"
	RuleSizes           Rule = "pool-sizes"
	RuleTimeouts        Rule = "negative-limit"
	RuleOnlyInPlace     Rule = "in-place-only"
	RuleRolloutTwice    Rule = "rollout-duplicate"
	RuleSystemReserved  Rule = "system-reserved"
)

// Rules are all rules, each with what it forbids.
func Rules() map[Rule]string {
	return map[Rule]string{
		RuleFixed:           "a field that a pool which is updated in place cannot change",
		RuleSwitch:          "from AutoRollingUpdate to one of the others, or back",
		RuleStrategy:        "an update strategy that there is not",
		RuleManualLimits:    "maxSurge or maxUnavailable in a pool with ManualInPlaceUpdate",
		RulePending:         "any change to a pool whose update in place is not finished, unless the Shoot is annotated with gardener.cloud/operation=force-in-place-update",
		RuleDNS:             "node-local DNS switched in a Shoot with a pool that is updated in place, where that pool's Kubernetes is older than 1.34 or kube-proxy works with IPVS",
		RuleDowngrade:       "an older Kubernetes",
		RuleSkip:            "a minor version of Kubernetes left out, by the Shoot or by a pool that is updated in place; a pool that is rolled may",
		RuleNewer:           "a pool with a newer Kubernetes than the control plane's",
		RuleBehind:          "a pool more than three minor versions behind the control plane",
		RuleImageDowngrade:  "an older machine image in a pool that is updated in place",
		RuleNotOffered:      "a version, machine type or volume type that the CloudProfile does not offer, or not in all zones of the pool",
		RuleArchitecture:    "an architecture other than that of the machine type, or than those of the machine image",
		RuleExpired:         "a machine image that has expired, in a new pool or if it is older than the pool's",
		RuleNoInPlace:       "a machine image whose version does not have inPlaceUpdates.supported, in a pool that is updated in place",
		RuleImageTooOld:     "an update in place from a machine image older than inPlaceUpdates.minVersionForUpdate",
		RuleWorkerless:      "all pools taken away, or the first one added",
		RuleDeleting:        "any change to a Shoot that is being deleted",
		RuleImmutable:       "another region, provider or networking type",
		RuleWindow:          "a maintenance time window that is none, or not of 30 minutes to 6 hours",
		RuleNoSuchPool:      "an operation on a pool that there is not",
		RuleRolloutInPlace:  "rollout-workers for a pool that is updated in place",
		RuleRotationPending: "a rotation of the CA or the service account key while an update in place is not finished",
		RuleBothZero:        "maxSurge and maxUnavailable both 0, in a pool without ManualInPlaceUpdate",
		RuleSizes:           "a pool's minimum above its maximum, or one of them negative",
		RuleTimeouts:        "a negative timeout or maxEvictRetries of machineControllerManager",
		RuleOnlyInPlace:     "inPlaceUpdateTimeout, or disableHealthTimeout, in a pool that is rolled",
		RuleRolloutTwice:    "rollout-workers that names a pool twice, or * beside others",
		RuleSystemReserved:  "systemReserved, from Kubernetes 1.31 on",
		RuleRotationPhase:   "a rotation begun before the last one is completed, or rotate-rollout-workers when none waits for it",
	}
}

// Refusal is why Gardener's API refuses a change as a whole.
type Refusal struct {
	Rule Rule
	// Pool it is about, "" if it is about the Shoot.
	Pool  string
	Field string
	Old   string
	New   string
	Why   string
}

// shootRefusals are those that are about the Shoot.
func (c Change) shootRefusals() []Refusal {
	old, new := c.Old.Spec, c.New.Spec
	var out []Refusal
	refuse := func(rule Rule, field, was, is, why string) {
		out = append(out, Refusal{Rule: rule, Field: field, Old: show(was), New: show(is), Why: why})
	}
	if c.Old.Metadata.DeletionTimestamp != nil && text(c.Old.object["spec"]) != text(c.New.object["spec"]) {
		refuse(RuleDeleting, "spec", "", "", "the Shoot is being deleted")
	}
	for _, f := range []struct{ field, was, is string }{{"spec.region", old.Region, new.Region}, {"spec.provider.type", old.Provider.Type, new.Provider.Type}, {"spec.networking.type", old.Networking.Type, new.Networking.Type}} {
		if f.was != "" && f.was != f.is {
			refuse(RuleImmutable, f.field, f.was, f.is, "cannot be changed")
		}
	}
	if had, has := len(old.Provider.Workers) > 0, len(new.Provider.Workers) > 0; had != has {
		refuse(RuleWorkerless, "spec.provider.workers", fmt.Sprint(len(old.Provider.Workers)), fmt.Sprint(len(new.Provider.Workers)), "pools cannot be added to a Shoot without any, nor all be removed")
	}
	was, is := old.Kubernetes.Version, new.Kubernetes.Version
	switch {
	case older(is, was):
		refuse(RuleDowngrade, fieldVersion, was, is, "Kubernetes cannot be downgraded")
	case ahead(is, was) > 1:
		refuse(RuleSkip, fieldVersion, was, is, "the control plane is upgraded one minor version at a time")
	}
	if why := c.Profile.lacksKubernetes(is, false, c.Now); was != is && why != "" {
		refuse(RuleNotOffered, fieldVersion, was, is, why)
	}
	if old.SystemComponents.NodeLocalDNS.Enabled != new.SystemComponents.NodeLocalDNS.Enabled {
		var fixed []string
		for i := range old.Provider.Workers {
			if v, ok := c.Old.pool(old.Provider.Workers[i].Name); ok && v.inPlace() && v.needsDNS() {
				fixed = append(fixed, world.Clean(v.Name))
			}
		}
		if len(fixed) > 0 {
			refuse(RuleDNS, fieldDNS, text(old.SystemComponents.NodeLocalDNS.Enabled), text(new.SystemComponents.NodeLocalDNS.Enabled),
				"nodes with in-place updates cannot apply it ("+strings.Join(fixed, ", ")+")")
		}
	}
	if tw := new.Maintenance.TimeWindow; tw != nil {
		if _, err := WindowOf(tw.Begin, tw.End); err != nil {
			refuse(RuleWindow, "spec.maintenance.timeWindow", "", tw.Begin+" to "+tw.End, err.Error())
		}
	}
	return out
}

// poolRefusals are those that are about one pool; old is nil for a new one.
func (c Change) poolRefusals(old *view, new view, forced bool) []Refusal {
	var out []Refusal
	refuse := func(rule Rule, field, was, is, why string) {
		out = append(out, Refusal{Rule: rule, Pool: world.Clean(new.Name), Field: inPool(field, new.Name), Old: show(was), New: show(is), Why: why})
	}
	switch new.UpdateStrategy {
	case world.AutoRollingUpdate, world.AutoInPlaceUpdate, world.ManualInPlaceUpdate:
		if old == nil {
			break
		}
		if s := switched(old.UpdateStrategy, new.UpdateStrategy); s != nil && !s.Allowed {
			refuse(RuleSwitch, fieldStrategy, s.From, s.To, s.Why)
		}
	default:
		refuse(RuleStrategy, fieldStrategy, "", new.UpdateStrategy, "choose AutoRollingUpdate, AutoInPlaceUpdate or ManualInPlaceUpdate")
	}
	c.manualLimits(old, new, refuse)
	new.invalid(refuse)
	c.versionRefusals(old, new, refuse)
	if machine := c.machineRefusals(old, new, refuse); !machine || old == nil || old.Machine.Image != new.Machine.Image {
		c.imageRefusals(old, new, refuse)
	}
	c.volumeRefusals(old, new, refuse)
	if old != nil && !forced && old.pending() && old.touched(new) {
		refuse(RulePending, "spec.provider.workers[]", "", "", "its update in place is not finished: until then it takes no change, unless the Shoot is annotated with "+operationKey+"=force-in-place-update")
	}
	return out
}

type refuseFunc func(rule Rule, field, was, is, why string)

// manualLimits: a user who updates by hand sets the limits by hand. What an older Gardener has
// filled in stays.
func (c Change) manualLimits(old *view, new view, refuse refuseFunc) {
	if new.UpdateStrategy != world.ManualInPlaceUpdate || old != nil && !old.inPlace() {
		return
	}
	for _, name := range []string{"maxSurge", "maxUnavailable"} {
		is, was := new.field(name), ""
		if old != nil && old.UpdateStrategy == new.UpdateStrategy {
			was = old.field(name)
		}
		if is != "" && is != was {
			refuse(RuleManualLimits, "spec.provider.workers[]."+name, was, is, "has no effect: with ManualInPlaceUpdate nodes are selected by hand")
		}
	}
}

func (c Change) versionRefusals(old *view, new view, refuse refuseFunc) {
	field := fieldVersion
	if hasVersion(new) || old != nil && hasVersion(*old) {
		field = fieldOwn
	}
	is := new.version()
	if old != nil {
		was := old.version()
		switch {
		case older(is, was):
			refuse(RuleDowngrade, field, was, is, "Kubernetes cannot be downgraded")
		case old.inPlace() && ahead(is, was) > 1:
			refuse(RuleSkip, field, was, is, "a pool with in-place updates is upgraded one minor version at a time")
		}
	}
	if own := new.worker.Kubernetes.Version; own != "" {
		was := c.Old.Spec.Kubernetes.Version
		if old != nil {
			was = old.version()
		}
		if why := c.Profile.lacksKubernetes(own, old == nil, c.Now); own != was && why != "" {
			refuse(RuleNotOffered, fieldOwn, was, own, why)
		}
	}
	control := new.Spec.Kubernetes.Version
	switch {
	case older(control, is):
		refuse(RuleNewer, fieldOwn, "", is, "newer than the control plane's "+world.Clean(control))
	case ahead(control, is) > 3:
		refuse(RuleBehind, fieldOwn, "", is, "more than three minor versions behind the control plane's "+world.Clean(control))
	}
}

func (c Change) imageRefusals(old *view, new view, refuse refuseFunc) {
	is, was := new.Machine.Image, new.Machine.Image
	was.Version, was.Name = "", ""
	arch, same := new.field("machine", architecture), false
	if old != nil {
		was, same = old.Machine.Image, old.field("machine", architecture) == arch
	}
	if is == was && same {
		return
	}
	if old != nil && new.inPlace() && is.Name == was.Name && older(is.Version, was.Version) {
		refuse(RuleImageDowngrade, fieldImage, was.Version, is.Version, "a machine image cannot be downgraded in place")
	}
	if c.Profile == nil {
		return
	}
	version, why := c.Profile.image(is.Name, is.Version)
	if version == nil {
		if strings.Count(is.Version, ".") < 2 {
			why = c.Profile.noneOf(new)
		}
		refuse(RuleNotOffered, fieldImage, was.Version, is.Version, why)
		return
	}
	of := c.Profile.architectures(*version)
	switch can := slices.Contains(of, arch); {
	case is == was && !can:
		refuse(RuleArchitecture, fieldArchitecture, old.field("machine", architecture), arch, fmt.Sprintf("machine image %s %s is offered for %s", show(is.Name), show(is.Version), few(of)))
		return
	case is == was:
		return
	case !can:
		refuse(RuleArchitecture, fieldImage, was.Version, is.Version, fmt.Sprintf("offered for %s, the pool is %s", few(of), arch))
	}
	switch class := version.class(c.Now); {
	case class == unavailable:
		refuse(RuleNotOffered, fieldImage, was.Version, is.Version, "not available yet")
	case class == expired && (old == nil || older(is.Version, was.Version)):
		why := "expired"
		if at := version.expires(); at != nil {
			why += " on " + at.UTC().Format(time.DateOnly)
		}
		refuse(RuleExpired, fieldImage, was.Version, is.Version, why)
	}
	if !new.inPlace() || old != nil && is.Name != was.Name {
		return // another image is forbidden as such
	}
	least := version.InPlaceUpdates.MinVersionForUpdate
	switch {
	case !version.InPlaceUpdates.Supported:
		refuse(RuleNoInPlace, fieldImage, was.Version, is.Version, "the CloudProfile has no inPlaceUpdates.supported for it")
	case old == nil:
	case least == "":
		refuse(RuleImageTooOld, fieldImage, was.Version, is.Version, "the CloudProfile has no inPlaceUpdates.minVersionForUpdate for it")
	case older(was.Version, least):
		refuse(RuleImageTooOld, fieldImage, was.Version, is.Version, "in-place updates to it start from "+world.Clean(least))
	}
}

// pending reports whether an update in place of the pool is not finished.
func (v view) pending() bool {
	p := v.Status.InPlaceUpdates.PendingWorkerUpdates
	return v.inPlace() && (slices.Contains(p.Auto, v.Name) || slices.Contains(p.Manual, v.Name))
}

// touched reports whether a change touches a pool: the pool itself, its Kubernetes (a patch
// as well), or the configuration of its kubelets.
func (v view) touched(new view) bool {
	return text(v.raw) != text(new.raw) || v.version() != new.version() || text(v.kubeletObject()) != text(new.kubeletObject())
}

// inPool writes a field with the pool's name.
func inPool(field, pool string) string {
	return strings.Replace(field, "workers[]", "workers["+world.Clean(pool)+"]", 1)
}

// show is a value for people, cleaned and not too long.
func show(value string) string {
	const most = 120
	runes := []rune(world.Clean(value))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}
