package shoot

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/drainboard/drainboard/engine/world"
)

// Pace is how the nodes of a pool are taken.
type Pace struct {
	MaxSurge       string
	MaxUnavailable string
	// Zones are both for each zone: a zone has a machine deployment of its own, and all of them
	// are rolled side by side.
	Zones []ZonePace
	// Timeouts are what machine-controller-manager waits for, and how often it tries.
	Timeouts []Timeout
	Notes    []string
}

// ZonePace is one zone's share: numbers of machines, or percentages of those that the zone has.
type ZonePace struct {
	Zone           string
	MaxSurge       intstr.IntOrString
	MaxUnavailable intstr.IntOrString
}

// Timeout is a limit of machine-controller-manager's.
type Timeout struct {
	// Name as spec.provider.workers[].machineControllerManager has it.
	Name  string
	Value string
	// Default: the pool does not set it.
	Default bool
	// Then is what happens when it is reached.
	Then string
	// Seed is what Gardener's document says instead.
	Seed string
}

// pace says how the nodes are taken, if they are. The limits hold at once; the timeouts of a
// node that is drained are those that its machine was made with.
func (p *Pool) pace(old, new view) {
	if p.Effect != Rolling && p.Effect != InPlace {
		return
	}
	pace := &Pace{Timeouts: drainLimits(old)}
	p.Pace = pace
	manual := new.UpdateStrategy == world.ManualInPlaceUpdate
	if !manual {
		pace.MaxSurge, pace.MaxUnavailable = limit(new.MaxSurge), limit(new.MaxUnavailable)
		pace.split(new)
	}
	if p.Effect == Rolling {
		pace.Timeouts = append(pace.Timeouts, creation(new), health(new))
	} else {
		pace.Timeouts = append(pace.Timeouts, duration("inPlaceUpdateTimeout", old.limits().InPlace, old.Settings.InPlaceUpdateTimeout, "an update of a node has failed"), health(old))
	}
	switch {
	case manual:
		pace.Notes = append(pace.Notes, "a node is updated as soon as it is labelled node.machine.sapcloud.io/selected-for-update=true, without a limit")
	case p.Effect == InPlace && !zero(new.MaxSurge):
		pace.Notes = append(pace.Notes, "up to maxSurge new nodes are created and as many old ones deleted at the end; the others are updated in place")
	}
	if text(old.raw["machineControllerManager"]) != text(new.raw["machineControllerManager"]) {
		pace.Notes = append(pace.Notes, "drains of this roll use the old machineControllerManager settings: change these first, separately")
	}
}

// limit is a number or a percentage as text.
func limit(n *intstr.IntOrString) string {
	if n == nil {
		return "0"
	}
	return world.Clean(n.String())
}

// zero reports whether a limit is nothing, whatever it is of.
func zero(n *intstr.IntOrString) bool { return limit(n) == "0" || limit(n) == "0%" }

// split shares the limits out over the zones.
func (p *Pace) split(v view) {
	n := len(v.Zones)
	if n < 2 || v.MaxSurge == nil || v.MaxUnavailable == nil {
		return
	}
	var none []string
	for i, zone := range v.Zones {
		z := ZonePace{world.Clean(zone), ofZone(*v.MaxSurge, i, n, v.Maximum), ofZone(*v.MaxUnavailable, i, n, v.Minimum)}
		if zero(&z.MaxSurge) && zero(&z.MaxUnavailable) {
			none = append(none, z.Zone)
		}
		p.Zones = append(p.Zones, z)
	}
	if len(none) > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("no share of the limits for %s: each node is drained before its replacement joins (maxUnavailable counts as 1)", strings.Join(none, ", ")))
	}
}

// ofZone is a zone's share of a limit, as Gardener's providers split it (gardener,
// extensions/pkg/controller/worker/machines.go, DistributePositiveIntOrPercent): a number
// goes to the zones in turn; a percentage is one of the zone, higher where the zone has more of
// all machines than others.
func ofZone(of intstr.IntOrString, zone, zones, all int) intstr.IntOrString {
	if of.Type == intstr.Int {
		return intstr.FromInt32(int32(world.PartOfZone(int(of.IntVal), zone, zones)))
	}
	percent, err := strconv.Atoi(strings.TrimSuffix(of.StrVal, "%"))
	if err != nil || all%zones == 0 {
		return intstr.FromString(world.Clean(of.StrVal))
	}
	// In Gardener's order of operations: what is rounded up hangs on it.
	weight := 100 / (float64(all) / float64(zones)) * float64(world.PartOfZone(all, zone, zones))
	return intstr.FromString(strconv.Itoa(int(math.Ceil(weight*float64(percent)/100))) + "%")
}

// drainLimits are those of the drain of a node.
func drainLimits(v view) []Timeout {
	l := v.limits()
	drain := duration("machineDrainTimeout", l.Drain, v.Settings.DrainTimeout, "remaining pods are deleted past all PDBs, then the machine")
	if v.inPlace() {
		drain.Then = "remaining pods are deleted past all PDBs"
	}
	tries := Timeout{Name: "maxEvictRetries", Then: "a pod blocked by PDBs is deleted past them, about " + short(world.RetryEvery) + " per attempt"}
	given, fits := l.EvictRetries, int(l.Drain/world.RetryEvery)
	if n := v.Settings.MaxEvictRetries; n != nil {
		given = *n
	} else {
		tries.Default, tries.Seed = true, "10"
	}
	if !tries.Default && given > fits {
		tries.Then += fmt.Sprintf(" (Shoot: %d, the drain timeout allows %d)", given, fits)
	}
	tries.Value = strconv.Itoa(min(given, fits))
	return []Timeout{drain, tries}
}

func creation(v view) Timeout {
	t := duration("machineCreationTimeout", v.limits().Creation, v.Settings.CreationTimeout, "a new machine that has not joined is replaced")
	if t.Default {
		t.Seed = "10m"
	}
	return t
}

func health(v view) Timeout {
	l := v.limits()
	t := duration("machineHealthTimeout", l.Health, v.Settings.HealthTimeout, "an unhealthy node is replaced, once no other machine of its zone comes or goes")
	if l.NoHealth {
		t.Value, t.Then = "off", "a node that is not well is never replaced (disableHealthTimeout)"
	}
	return t
}

// duration is a limit, and whether the Shoot gives it.
func duration(name string, is time.Duration, given *metav1.Duration, then string) Timeout {
	return Timeout{Name: name, Value: short(is), Default: given == nil, Then: then}
}

// short is a duration without zeros at its end: 2h, 1h30m.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return cmp.Or(s, "0s")
}
