package text

import (
	"fmt"
	"strings"
	"time"
)

const GardenerTaints = "new pods avoid the outdated nodes, as far as others have room"

// GardenerRolls is of shares that GardenerShares lists.
func GardenerRolls(shares string) string {
	return "the zones are rolled side by side, with no further question: " + shares
}

const GardenerFinishes = "machines that are too many are ended, emptiest first, until the group has its size again"

func GardenerSelects(atOnce int) string {
	return fmt.Sprintf("the nodes are selected for their update, up to %d at once, with no further question; Gardener drains and updates them", atOnce)
}

func GardenerSelectsByZone(shares string) string {
	return "the nodes of the zones are selected for their update side by side, with no further question, and what is too many in the end is drained and ended: " + shares
}

// ZoneShare says how many machines a zone may have more, and how many may be unavailable.
func ZoneShare(zone string, surge, unavailable int) string {
	return fmt.Sprintf("%s up to %d more and %d unavailable", zone, surge, unavailable)
}

func ByZone(shares []string) string { return "by zone: " + ZoneShares(shares) }

func ZoneShares(shares []string) string { return strings.Join(shares, ", ") }

// DeletesPastBudget warns after how many refused evictions, one a pause, or after what time of
// a drain a pod is deleted; 0 retries: after that time only.
func DeletesPastBudget(retries int, pause, drain time.Duration) string {
	when := fmt.Sprintf("when its node's drain has taken %s", drain)
	if retries > 0 {
		when = fmt.Sprintf("after %d refused tries, %s apart, or %s", retries, pause, when)
	}
	return "a pod is deleted past its budget " + when + ", as Gardener does it; --on-drain-timeout=fail keeps the budgets"
}

func EndsUnreachable(after time.Duration) string {
	return fmt.Sprintf("a node that drains and is not heard from for %s is ended with the pods on it, as Gardener does it; --unreachable=wait waits", after)
}

// GardenerForces warns what Gardener does to the pods of a node that was selected.
func GardenerForces(drain time.Duration) string {
	return fmt.Sprintf("Gardener drains the nodes that are selected, and after %s, or when a budget has refused for too long, deletes their pods past their budgets", drain)
}

func SelectedWhileBudgetsAllow(drain time.Duration) string {
	return GardenerForces(drain) + ": a node is selected only while the budgets of its pods let them go"
}

// FailedUpdateCounts warns what a node counts as whose update has failed; twice: as Gardener's
// controller counts, not as its document says.
func FailedUpdateCounts(twice bool) string {
	how := "counts as out of service until it is repaired"
	if twice {
		how = "counts as two that are out of service until it is repaired, as Gardener counts"
	}
	return "a node whose update has failed " + how + ": its zone may come to a halt"
}

const WithoutControlCluster = "without the control cluster (--control-kubeconfig) the roll can be followed and pods can be forced, but nothing can pause it or change its order"

// ZoneOut and those below say why no further node of a zone goes now.
func ZoneOut(zone string, out, most int) string {
	return fmt.Sprintf("zone %s has %d of %d nodes out of service", zone, out, most)
}

func ZoneServes(zone string, serve, floor int) string {
	return fmt.Sprintf("zone %s has %d nodes in service, and %d have to stay", zone, serve, floor)
}

func ZoneComplete(zone string) string {
	return fmt.Sprintf("zone %s has as many new and selected nodes as it is to have: its old ones go once all are updated", zone)
}

func ZonesTakeTurns(zone string, updating int) string {
	return fmt.Sprintf("zone %s has %d nodes in their update, the zones take turns", zone, updating)
}

func GardenerWouldDelete(why string) string {
	return why + ", and Gardener would delete it past that in the end"
}

const (
	UpdateCandidate = "candidate for an update in place"
	NoCandidateYet  = "no node is a candidate for an update yet"
	NoNodeLeft      = "no node is left to update"
)

// NotInPlace says that a group is not updated as a strategy wants it: by hand or by itself.
func NotInPlace(byHand bool) string {
	how := "by itself (AutoInPlaceUpdate)"
	if byHand {
		how = "by hand (ManualInPlaceUpdate)"
	}
	return "the group is no worker pool that is updated in place " + how
}

func RepairUpdate(node, why string) string {
	return "the update of " + node + " failed: " + why + ". It stays cordoned until it is updated: repair it, and Gardener's node agent tries again; then resume. Or leave it to Gardener and skip it"
}
