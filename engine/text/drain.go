package text

// RecreatedByDaemonSet and those below say of a pod why a drain evicts it, or does not.
const (
	RecreatedByDaemonSet = "belongs to a DaemonSet, which would recreate it"
	MirrorsStaticPod     = "mirrors a static pod, which only its kubelet can remove"
	HasFinished          = "has completed"
	HasNoController      = "has no controller: nothing recreates it (allow with --force-unmanaged)"
	DaemonSetGone        = "belonged to a DaemonSet that is gone: nothing recreates it (allow with --force-unmanaged)"
	KeepsEmptyDir        = "has data in an emptyDir, which its eviction deletes (allow with --delete-emptydir-data)"
	CanBeEvicted         = "can be evicted"
)
