package text

// PutBackByDaemonSet and those below say of a pod why a drain evicts it, or does not.
const (
	PutBackByDaemonSet = "belongs to a DaemonSet, which would put it back"
	MirrorsStaticPod   = "mirrors a static pod, which only its node can remove"
	HasFinished        = "has run to its end"
	HasNoController    = "has no controller: nothing puts it back (consent with --force-unmanaged)"
	DaemonSetGone      = "belonged to a DaemonSet that is gone: nothing puts it back (consent with --force-unmanaged)"
	KeepsEmptyDir      = "keeps data in an emptyDir, lost with the pod (consent with --delete-emptydir-data)"
	CanBeEvicted       = "can be evicted"
)
