package text

import "fmt"

// What is said of an update of a managed node group that Drainboard starts.
const (
	// EKSNotStarted is why a run waits that has not had EKS start its update.
	EKSNotStarted = "the update has not started"
	// EKSRunsNoHook warns of hooks that are not called.
	EKSRunsNoHook = "hooks before and after nodes do not run: EKS drains the nodes itself"
)

// EKSStart is the request that starts an update.
func EKSStart(group string, force bool) string {
	out := "start an EKS update of managed node group " + group
	if force {
		out += " with --force"
	}
	return out
}

// EKSStartedBy says that EKS has started the update that was asked for.
func EKSStartedBy(id string) string { return EKSUpdate(id) + " started" }

// EKSAttached says that a run follows an update that was under way.
func EKSAttached(id, does string) string {
	return fmt.Sprintf("%s is under way, so none is started: it %s", EKSUpdate(id), does)
}

// EKSOtherTarget says that an update which is under way is not the one that is asked for.
func EKSOtherTarget(id, contradicts string) string {
	return fmt.Sprintf("%s is under way and goes elsewhere (%s); EKS carries out one at a time: wait for its end, then start again", EKSUpdate(id), contradicts)
}

// EKSAborted says what an abort leaves: the update with an id, or "" where EKS has started none.
func EKSAborted(id string) string {
	if id == "" {
		return "EKS has started no update"
	}
	return "EKS continues with " + EKSUpdate(id) + ", which cannot be cancelled; drainboard watch follows it"
}

// EKSUpdateCommand starts an update of a node group; what is "" is left to EKS.
func EKSUpdateCommand(cluster, group, version, release, template, templateVersion string, force bool) string {
	out := "aws eks update-nodegroup-version --cluster-name " + cluster + " --nodegroup-name " + group
	if version != "" {
		out += " --kubernetes-version " + version
	}
	if release != "" {
		out += " --release-version " + release
	}
	if templateVersion != "" {
		out += fmt.Sprintf(" --launch-template 'name=%s,version=%s'", template, templateVersion)
	}
	if force {
		out += " --force"
	}
	return out
}

// What an update has, and what was asked for.

func EKSOtherVersion(has, asked string) string { return "Kubernetes " + has + ", not " + asked }

func EKSOtherRelease(has, asked string) string { return "release " + has + ", not " + asked }

func EKSOtherTemplate(has, asked string) string {
	return "launch template version " + has + ", not " + asked
}
