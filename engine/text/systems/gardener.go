package systems

import (
	"fmt"
	"github.com/drainboard/drainboard/engine/text"
	"strings"
	"time"
)

const GardenerTaints = "taints outdated nodes, which new pods avoid where others have room"

// GardenerRolls is of shares that GardenerShares lists.
func GardenerRolls(shares string) string {
	return "rolls the zones side by side, without further approval: " + shares
}

const GardenerFinishes = "terminates surplus nodes, emptiest first, until the group has its size again"

func GardenerSelects(atOnce int) string {
	return fmt.Sprintf("selects up to %s at once for their update, without further approval; Gardener drains and updates them", text.Plural(atOnce, "node"))
}

func GardenerSelectsByZone(shares string) string {
	return "selects nodes of all zones side by side for their update, without further approval; then drains and terminates surplus nodes: " + shares
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
		when = fmt.Sprintf("after %d refused evictions, %s apart, or %s", retries, pause, when)
	}
	return "a pod is deleted past its PDB " + when + ", as by Gardener; --on-drain-timeout=fail respects PDBs"
}

func EndsUnreachable(after time.Duration) string {
	return fmt.Sprintf("a draining node that is unreachable for %s is terminated with its pods, as by Gardener; --unreachable=wait waits", after)
}

// GardenerForces warns what Gardener does to the pods of a node that was selected.
func GardenerForces(drain time.Duration) string {
	return fmt.Sprintf("Gardener drains selected nodes; after %s, or too many refused evictions, it deletes their pods past their PDBs", drain)
}

func SelectedWhileBudgetsAllow(drain time.Duration) string {
	return GardenerForces(drain) + ": a node is selected only while PDBs allow its evictions"
}

// FailedUpdateCounts warns what a node counts as whose update has failed; twice: as Gardener's
// controller counts, not as its document says.
func FailedUpdateCounts(twice bool) string {
	how := "counts as out of service until repaired"
	if twice {
		how = "counts as two out of service until repaired, as Gardener counts"
	}
	return "a node whose update failed " + how + ": its zone may stall"
}

const WithoutControlCluster = "without the control cluster (--control-kubeconfig), the roll can be followed and pods forced, but not paused or reordered"

// ZoneOut and those below say why no further node of a zone goes now.
func ZoneOut(zone string, out, most int) string {
	return fmt.Sprintf("zone %s has %d of %d nodes out of service", zone, out, most)
}

func ZoneServes(zone string, serve, floor int) string {
	return fmt.Sprintf("zone %s has %s in service, and %d must stay", zone, text.Plural(serve, "node"), floor)
}

func ZoneComplete(zone string) string {
	return fmt.Sprintf("zone %s has enough new and selected nodes: its old ones go once all are updated", zone)
}

func ZonesTakeTurns(zone string, updating int) string {
	return fmt.Sprintf("zone %s has %s updating: the zones take turns", zone, text.Plural(updating, "node"))
}

func GardenerWouldDelete(why string) string {
	return why + ", and Gardener would finally delete it past its PDB"
}

const (
	UpdateCandidate = "candidate for an in-place update"
	NoCandidateYet  = "no node is a candidate for an update yet"
	NoNodeLeft      = "no node is left to update"
)

// NotInPlace says that a group has not the update strategy that a run needs.
func NotInPlace(update string) string {
	return "the group is not a worker pool with the update strategy " + update
}

func RepairUpdate(node, why string) string {
	return "the update of " + node + " failed: " + why + ". It stays cordoned until updated: repair it, and Gardener's node agent retries; then resume. Or skip it, which leaves it to Gardener"
}
