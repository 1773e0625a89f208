package gardener

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/drainboard/drainboard/engine/selfdriven/mcm"
	"github.com/drainboard/drainboard/engine/world"
)

// Labels and annotations of machine-controller-manager.
const (
	forceDrain = "force-drain" // pkg/util/provider/machineutils
	// effectiveCreation wins over the creation timeout (newer versions).
	effectiveCreation = "/effective-creation-timeout"
	revision          = "deployment.kubernetes.io/revision"
	freeze            = "freeze"
)

// machine is a Machine.
type machine struct {
	name string
	// node is the name of its Node, "" before there is one.
	node string
	is   world.ManagedMachine
}

func toMachine(u *unstructured.Unstructured) *machine {
	o, labels := u.Object, u.GetLabels()
	m := &machine{name: world.Clean(u.GetName()), node: world.Clean(labels["node"])}
	m.is = world.ManagedMachine{
		Name: m.name, Phase: textAt(o, "status", "currentStatus", "phase"), Since: at(o, "status", "currentStatus", "lastUpdateTime"),
		Description: textAt(o, "status", "lastOperation", "description"),
		Failed:      textAt(o, "status", "lastOperation", "state") == "Failed",
		Deployment:  world.Clean(labels["name"]), Set: owner(u, "MachineSet"), Created: u.GetCreationTimestamp().UTC(),
		Priority: world.UsualPriority, Preserved: at(o, "status", "currentStatus", "preserveExpiryTime"),
		Limits: limits(within(o, "spec"), u.GetAnnotations()),
	}
	if kind := textAt(o, "status", "lastOperation", "type"); kind != "" {
		m.is.Operation = kind + ", " + textAt(o, "status", "lastOperation", "state")
	}
	if t := u.GetDeletionTimestamp(); t != nil {
		m.is.Deleted = t.UTC()
	}
	for _, c := range entries(o, "status", "conditions") {
		kind, status := textAt(c, "type"), textAt(c, "status")
		if since := at(c, "lastTransitionTime"); (kind == "Ready" && status != "True" || kind == "ReadonlyFilesystem" && status != "False") && (m.is.Sick.IsZero() || since.Before(m.is.Sick)) {
			m.is.Sick = since
		}
	}
	forced, _ := strconv.ParseBool(labels[world.ForceDeletion])
	m.is.Forced = forced || labels[forceDrain] == "True"
	if n, err := strconv.Atoi(u.GetAnnotations()[world.MachinePriority]); err == nil {
		m.is.Priority = n
	}
	return m
}

// limits are those of a Machine's spec; what it does not say is the controller's default.
func limits(spec map[string]any, annotations map[string]string) world.MachineLimits {
	l := world.DefaultLimits("")
	l.Guessed = false
	for _, f := range []struct {
		name string
		into *time.Duration
	}{{"drainTimeout", &l.Drain}, {"healthTimeout", &l.Health}, {"creationTimeout", &l.Creation}, {"inPlaceUpdateTimeout", &l.InPlace}} {
		if d, ok := duration(spec, f.name); ok {
			*f.into = d
		}
	}
	for key, value := range annotations {
		if d, err := time.ParseDuration(value); err == nil && strings.HasSuffix(key, effectiveCreation) {
			l.Creation = d
		}
	}
	if n := number(spec, "maxEvictRetries"); n > 0 {
		l.EvictRetries = n
	}
	l.NoHealth = truth(spec, "disableHealthTimeout")
	if list := textAt(spec, "nodeConditions"); list != "" {
		l.Conditions = strings.Split(list, ",")
	}
	return l
}

// state is the machine as the engine acts on machines: in service as long as it is drained.
func (m *machine) state() string {
	switch _, drained := mcm.Ending(&m.is); m.is.Phase {
	case world.PhaseCreating, world.PhasePending, world.PhaseCrashLoop:
		return world.MachinePending
	case world.PhaseTerminating:
		if drained || m.node == "" {
			return world.MachineTerminating
		}
	}
	return world.MachineInService
}

// set is a MachineSet.
type set struct {
	name, deployment string
	revision         int64
}

func toSet(u *unstructured.Unstructured) *set {
	n, _ := strconv.ParseInt(u.GetAnnotations()[revision], 10, 64)
	return &set{name: world.Clean(u.GetName()), deployment: cmp.Or(owner(u, "MachineDeployment"), world.Clean(u.GetLabels()["name"])), revision: n}
}

// deployment is a MachineDeployment: one zone of a pool.
type deployment struct {
	pool, update string
	is           world.MachineDeployment
}

func toDeployment(u *unstructured.Unstructured) *deployment {
	o := u.Object
	template := within(o, "spec", "template", "spec", "nodeTemplate", "metadata", "labels")
	d := &deployment{
		pool:   cmp.Or(world.Clean(u.GetLabels()[world.GardenerPool]), textAt(template, world.GardenerPool)),
		update: updateOf(within(o, "spec", "strategy")),
		is: world.MachineDeployment{
			Name: world.Clean(u.GetName()), Generation: u.GetGeneration(), Observed: int64(number(o, "status", "observedGeneration")),
			Zone: textAt(template, "topology.kubernetes.io/zone"), Desired: number(o, "spec", "replicas"),
			Updated: number(o, "status", "updatedReplicas"), Available: number(o, "status", "availableReplicas"), Total: number(o, "status", "replicas"),
			Preserved: number(o, "status", "preservedFailedReplicas"),
			Paused:    truth(o, "spec", "paused"), Frozen: u.GetLabels()[freeze] == "True",
		},
	}
	d.is.Surge, d.is.Unavailable = asWritten(within(o, "spec", "strategy"))
	d.is.MaxSurge, d.is.MaxUnavailable = atOnce(d.is.Surge, d.is.Unavailable, d.is.Desired)
	if d.update == world.ManualInPlaceUpdate { // nothing of them counts there
		d.is.Surge, d.is.Unavailable, d.is.MaxSurge, d.is.MaxUnavailable = "", "", 0, 0
	}
	for _, c := range entries(o, "status", "conditions") {
		switch on := textAt(c, "status") == "True"; textAt(c, "type") {
		case "Frozen":
			d.is.Frozen = d.is.Frozen || on
		case "Progressing":
			d.is.Progress = textAt(c, "reason")
			if message := textAt(c, "message"); message != "" {
				d.is.Progress += ": " + message
			}
		}
	}
	for _, f := range entries(o, "status", "failedMachines") {
		d.is.Failed = append(d.is.Failed, textAt(f, "name")+": "+textAt(f, "lastOperation", "description"))
	}
	slices.Sort(d.is.Failed)
	return d
}

// updateOf is the Shoot's word for a machine deployment's strategy, "" for another.
func updateOf(strategy map[string]any) string {
	switch textAt(strategy, "type") {
	case "RollingUpdate":
		return world.AutoRollingUpdate
	case "InPlaceUpdate":
		if textAt(strategy, "inPlaceUpdate", "orchestrationType") == "Manual" {
			return world.ManualInPlaceUpdate
		}
		return world.AutoInPlaceUpdate
	}
	return ""
}

// asWritten are maxSurge and maxUnavailable of a machine deployment's strategy.
func asWritten(strategy map[string]any) (surge, unavailable string) {
	block := within(strategy, "rollingUpdate")
	if textAt(strategy, "type") == "InPlaceUpdate" {
		block = within(strategy, "inPlaceUpdate")
	}
	return share(block, "maxSurge"), share(block, "maxUnavailable")
}

// atOnce are how many machines may be too many and too few at a time. Where both come to
// nothing the controller lets one be missing (pkg/controller/deployment_util.go,
// ResolveFenceposts).
func atOnce(surge, unavailable string, desired int) (more, fewer int) {
	more, fewer = resolved(surge, desired, true), resolved(unavailable, desired, false)
	if more == 0 && fewer == 0 {
		fewer = 1
	}
	return more, fewer
}
