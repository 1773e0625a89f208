package systems

import (
	"fmt"
	"github.com/drainboard/drainboard/engine/text"
)

const (
	KopsTaints  = "taints outdated nodes, which new pods avoid where others have room; terminates outdated instances of the warm pool"
	KopsNoSurge = "no instance is detached: the group keeps its size, old nodes go before their replacements come"
)

func KopsSurges(machines int) string {
	return fmt.Sprintf("detaches %s, for which the group launches replacements; then validates the cluster", text.Plural(machines, "instance"))
}

func KopsRolls(atOnce int) string {
	return fmt.Sprintf("drains and terminates up to %s at once, without further approval; validates the cluster after each", text.Plural(atOnce, "node"))
}

// QuorumHeld says why no machine of a control plane of n goes: so many would be left.
func QuorumHeld(left, n int) string {
	return fmt.Sprintf("%d of the control plane's %d machines would be up, a majority is %d (--allow-quorum-loss)", left, n, n/2+1)
}

// MajorityStays is why no more machines of a control plane may go at once.
const MajorityStays = "a majority of the control plane stays (--allow-quorum-loss)"

// QuorumCapped says that fewer machines of a control plane of n go at once than asked for.
func QuorumCapped(asked, n, most int) string {
	return fmt.Sprintf("%d of the control plane's %d machines at once would leave no majority of etcd: %d at once without --allow-quorum-loss", asked, n, most)
}

// QuorumLossAllowed says what an operator has allowed.
func QuorumLossAllowed(asked, n int) string {
	return fmt.Sprintf("etcd loses its majority and the API stops answering: %d of the control plane's %d machines go at once (--allow-quorum-loss)", asked, n)
}

// NoSpareMember warns of a control plane of one or two machines.
func NoSpareMember(n int) string {
	if n == 1 {
		return "the control plane has 1 machine: the API does not answer until its replacement has started; the run waits for it"
	}
	return fmt.Sprintf("the control plane has %d machines: etcd has no majority, and the API may not answer, while one of them is replaced; the run waits for it", n)
}

// FewerDetached says that fewer machines than planned could be detached.
func FewerDetached(have, want int) string {
	return fmt.Sprintf("%d of %d instances could be detached: fewer nodes go at once", have, want)
}

const (
	DetachedBefore   = "detached by an earlier roll"
	NeedsUpdate      = "needs-update annotation"
	KeepsOldMachines = "drainAndTerminate is false"
)
