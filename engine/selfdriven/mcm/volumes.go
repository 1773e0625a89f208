package mcm

import (
	"time"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// machine-controller-manager takes pods with persistent volumes off a node one after the
// other (its pkg/util/provider/drain, evictPodsWithPVInternal): of each it waits until its
// volume is off the node, for the pod's grace period and detachWait at most, and then until
// it is on another, for attachWait at most, whose end is no error.
const (
	detachWait = 2 * time.Minute
	attachWait = 90 * time.Second
)

// everything leaves a node that Gardener drains: it asks for no consent.
var everything = drain.Consents{Unmanaged: true, EmptyDir: true}

// InTurn lists the pods with volumes on a node.
func (Controller) InTurn(w *world.World, node string) (pods []*world.Pod, takes string) {
	pods, _ = volumePods(w, node)
	if len(pods) > 0 {
		takes = volumeWait(pods)
	}
	return pods, takes
}

// volumePods are the pods of a node that leave one after the other, and how many of them are
// on their way.
func volumePods(w *world.World, node string) (all []*world.Pod, going int) {
	for _, p := range w.PodsOn(node) {
		if !p.Volume || drain.Judge(w, p, everything).Fate == drain.Stays {
			continue
		}
		all = append(all, p)
		if p.Terminating() {
			going++
		}
	}
	return all, going
}

// volumesLeft says of a node that Gardener drains what its pods with volumes mean for it, ""
// without any.
func volumesLeft(w *world.World, node string) string {
	pods, going := volumePods(w, node)
	if len(pods) == 0 {
		return ""
	}
	return systems.VolumesLeave(len(pods), going > 0, volumeWait(pods))
}

// volumeWait says how long such pods take at most, and what of that is waited for.
func volumeWait(pods []*world.Pod) string {
	return systems.VolumeWait(len(pods), volumeTime(pods), detachWait+longestGrace(pods), attachWait)
}

func longestGrace(pods []*world.Pod) (longest time.Duration) {
	for _, p := range pods {
		longest = max(longest, p.Grace)
	}
	return longest
}

// volumeTime is how long pods with volumes take at most, one after the other.
func volumeTime(pods []*world.Pod) (all time.Duration) {
	for _, p := range pods {
		all += p.Grace + detachWait + attachWait
	}
	return all
}
