package text

// PutBackByDaemonSet and those below say of a pod why a drain evicts it, or does not.
func PutBackByDaemonSet() string { return "belongs to a DaemonSet, which would put it back" }

func MirrorsStaticPod() string { return "mirrors a static pod, which only its node can remove" }

func HasFinished() string { return "has run to its end" }

func HasNoController() string {
	return "has no controller: nothing puts it back (consent with --force-unmanaged)"
}

func DaemonSetGone() string {
	return "belonged to a DaemonSet that is gone: nothing puts it back (consent with --force-unmanaged)"
}

func KeepsEmptyDir() string {
	return "keeps data in an emptyDir, lost with the pod (consent with --delete-emptydir-data)"
}

func CanBeEvicted() string { return "can be evicted" }
