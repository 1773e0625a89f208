// Package drain judges the pods of one node: which must leave, which stay,
// which may not be touched without consent, and what the budgets would say to
// an eviction. The rules are kubectl drain's (k8s.io/kubectl/pkg/drain/filters.go)
// and the eviction API's (pkg/registry/core/pod/storage/eviction.go); the
// reasons are typed, so that screen, JSON and log all render the same ones.
package drain

import (
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Fate is what a drain means for a pod.
type Fate string

// Fates.
const (
	Leaves Fate = "leaves" // it must go before the node does
	Stays  Fate = "stays"  // it goes with the node, or its node alone can remove it
	Asks   Fate = "asks"   // it must go, but only with the user's consent
)

// Reason is why a pod has its fate.
type Reason string

// Reasons.
const (
	Evictable       Reason = "evictable"
	DaemonSetPod    Reason = "DaemonSet"
	MirrorPod       Reason = "mirror pod"
	FinishedPod     Reason = "finished"
	UnmanagedPod    Reason = "unmanaged"
	OrphanDaemonPod Reason = "DaemonSet is gone"
	EmptyDirPod     Reason = "emptyDir"
)

// Sentence says the reason in words.
func (r Reason) Sentence() string {
	switch r {
	case DaemonSetPod:
		return text.RecreatedByDaemonSet
	case MirrorPod:
		return text.MirrorsStaticPod
	case FinishedPod:
		return text.HasFinished
	case UnmanagedPod:
		return text.HasNoController
	case OrphanDaemonPod:
		return text.DaemonSetGone
	case EmptyDirPod:
		return text.KeepsEmptyDir
	}
	return text.CanBeEvicted
}

// Consents are what the user allowed beforehand, kubectl drain's --force and
// --delete-emptydir-data.
type Consents struct {
	Unmanaged, EmptyDir bool
}

// Verdict is a pod's fate with its reason.
type Verdict struct {
	Fate   Fate
	Reason Reason
}

// Judge decides a pod's fate. The first rule that has an opinion wins; consents
// turn Asks into Leaves.
func Judge(w *world.World, p *world.Pod, c Consents) Verdict {
	for _, rule := range rules {
		if v, ok := rule(w, p, c); ok {
			return v
		}
	}
	return Verdict{Leaves, Evictable}
}

var rules = []func(*world.World, *world.Pod, Consents) (Verdict, bool){mirror, finished, daemon, emptyDir, unmanaged}

func mirror(_ *world.World, p *world.Pod, _ Consents) (Verdict, bool) {
	return Verdict{Stays, MirrorPod}, p.Mirror
}

func finished(_ *world.World, p *world.Pod, _ Consents) (Verdict, bool) {
	return Verdict{Stays, FinishedPod}, p.Finished()
}

func daemon(w *world.World, p *world.Pod, c Consents) (Verdict, bool) {
	if p.Owner.Kind != "DaemonSet" {
		return Verdict{}, false
	}
	if w.HasDaemonSet(p.Owner.UID) {
		return Verdict{Stays, DaemonSetPod}, true
	}
	return Verdict{Asks, OrphanDaemonPod}, !c.Unmanaged
}

func emptyDir(_ *world.World, p *world.Pod, c Consents) (Verdict, bool) {
	return Verdict{Asks, EmptyDirPod}, p.EmptyDir && !c.EmptyDir
}

func unmanaged(_ *world.World, p *world.Pod, c Consents) (Verdict, bool) {
	return Verdict{Asks, UnmanagedPod}, p.Owner.UID == "" && !c.Unmanaged
}

// Gate is what the budgets say to an eviction of a pod, as far as is known.
type Gate struct {
	// Open: an eviction would be let through now.
	Open bool
	// Budgets that cover the pod and count (none when it passes them by).
	Budgets []*world.Budget
}

// Double reports whether more than one budget covers the pod, which the
// eviction API never lets through.
func (g Gate) Double() bool { return len(g.Budgets) > 1 }

// GateOf works out what the budgets say. inFlight tells how many evictions a
// budget ("namespace/name") has let through, or may be letting through, that it
// does not show yet.
func GateOf(w *world.World, p *world.Pod, inFlight func(ref string) int) Gate {
	if p.Phase == world.PodPending || p.Finished() || p.Terminating() {
		return Gate{Open: true}
	}
	budgets := w.BudgetsOf(p)
	if len(budgets) == 0 {
		return Gate{Open: true}
	}
	g := Gate{Budgets: budgets}
	if len(budgets) > 1 {
		return g
	}
	b := budgets[0]
	if !p.Ready && (b.AlwaysAllow || b.Healthy >= b.Desired && b.Desired > 0) {
		g.Open = true
		return g
	}
	g.Open = b.Current && b.Allowed-inFlight(b.Ref()) > 0
	return g
}
