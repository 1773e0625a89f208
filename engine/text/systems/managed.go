package systems

import (
	"fmt"
	"github.com/drainboard/drainboard/engine/text"
	"strings"
	"time"
)

// What is said of EKS's update of a managed node group.
const (
	EKSNoWayBack     = "an update of a managed node group has no way back to an earlier version; a failed one is started again"
	EKSPicksAtRandom = "EKS picks nodes at random, and none can be left out"
	EKSForcesAll     = "EKS forces all nodes of an update or none (--force when it starts); kubectl delete pod deletes one, as f does with upgrade --help-along"
	EKSCannotPause   = "an update of a managed node group cannot be paused or cancelled"
	// EKSFailsThen continues after the way out of a pod.
	EKSFailsThen = "; else the whole update fails, or EKS deletes the pod if the update was started with --force, which EKS does not tell"

	EKSMarked      = "marked by EKS, which was not seen to drain it"
	EKSMarkedEmpty = "marked by EKS, and has no pod that must leave"
	// EKSCandidateEmpty is what is known of a node that EKS may be at.
	EKSCandidateEmpty = "EKS may be at it: no pod has to leave it, and EKS waits a while before it terminates a node"
	EKSMarkLeft       = "marked by an EKS update that is no longer under way"
	EKSWindow         = "estimated: 15 minutes from the first eviction that was seen (EKS user guide)"
	// The drain itself is inferred.
	EKSWindowUnseen  = "estimated, at the latest: 15 minutes (EKS user guide) from when the drain was inferred; no eviction was seen"
	EKSWindowsUnseen = "estimated, at the latest: 45 minutes, as updates were reported to fail, from when the drain was inferred; no eviction was seen"
	// Countdowns of a drain: what happens then depends on how the update was started, for the first one.
	EKSWindowEnds = "EKS's window"
	EKSGivesUp    = "EKS gives up"
	EKSSettles    = "EKS waits 60 s between the last pod and the termination (user guide)"
	EKSWindows    = "estimated: updates were reported to fail after about 45 minutes"
)

// What EKS's update does about those who move nodes beside it (user guide, "Understand each phase of node
// updates").
const (
	EKSRebalanceDoes  = "moves instances between zones, and terminates those of the fuller ones"
	EKSRebalanceLeft  = "EKS does not suspend it: it brings the new nodes to their zones"
	EKSAutoscalerLeft = "EKS does not protect new nodes from its scale-down; while it adds nodes, EKS leaves the sizes raised"
)

// EKSUpdatesReadAgain says that EKS's updates are known again.
const EKSUpdatesReadAgain = "EKS's updates of the node group are read again"

// EKSUpdatesUnread says that EKS's updates cannot be read; known: what was read before still stands.
func EKSUpdatesUnread(problem string, known bool) string {
	if known {
		return problem + "; what was read before is shown, and it is tried again"
	}
	return problem + ": whether an update is under way is not known; it is tried again"
}

// EKSConfigures says that EKS changes the configuration of a node group.
func EKSConfigures(id, status string) string {
	return fmt.Sprintf("%s changes the configuration of the node group (%s): it replaces no node, and no other update can start before it is over", text.EKSUpdate(id), status)
}

// EKSRelease names what an update goes to: the version of Kubernetes that an AMI release begins with, as those of
// Amazon Linux do (1.32.1-20250203), else both.
func EKSRelease(version, release string) string {
	exact, _, _ := strings.Cut(release, "-")
	switch {
	case version == "" || release == "":
		return version
	case strings.HasPrefix(exact, version+"."):
		return exact
	}
	return version + ", release " + release
}

// EKSBusy says why EKS refuses to start an update now.
func EKSBusy(id string) string {
	return "EKS refuses another update (ResourceInUseException) until " + text.EKSUpdate(id) + " is over"
}

// EKSSkew says how far the nodes of a group are behind their cluster, in minor versions of Kubernetes.
// The version skew policy of Kubernetes lets kubelets be up to three behind.
func EKSSkew(behind int) string {
	switch {
	case behind == 0:
		return "the nodes' Kubernetes version is the cluster's"
	case behind > 3:
		return fmt.Sprintf("the nodes are %s behind the cluster: Kubernetes supports 3 at most", text.Plural(behind, "minor version"))
	}
	return fmt.Sprintf("the nodes are %s behind the cluster (3 at most are supported)", text.Plural(behind, "minor version"))
}

// EKSQuotaUnread says that the account's quota was not compared with the machines that an update adds, and why.
func EKSQuotaUnread(extra int, why string) string {
	return fmt.Sprintf("whether the account's EC2 quota admits %s: %s; aws service-quotas list-service-quotas --service-code ec2 shows the quotas", text.Plural(extra, "more instance"), why)
}

// EKSQuotaShort warns of a quota that admits fewer machines than an update adds.
func EKSQuotaShort(name string, room, extra int) string {
	return fmt.Sprintf("the EC2 quota %q admits %d of %s: EKS waits for new nodes in every zone, and the update may fail with NodeCreationFailure", name, room, text.Plural(extra, "more instance"))
}

// EKSQuota is how much of a quota is in use, and what an update takes of it.
func EKSQuota(name string, used, limit, takes int) string {
	return fmt.Sprintf("EC2 quota %q: %d of %s in use, %d more for the surge.", name, used, text.Plural(limit, "vCPU"), takes)
}

// EKSCandidates says which nodes EKS may be at; each of nodes has its pods and their PDBs.
func EKSCandidates(nodes []string, quiet time.Duration) string {
	which := "one of: " + strings.Join(nodes, "; ")
	if len(nodes) == 1 {
		which = nodes[0]
	}
	return fmt.Sprintf("EKS drains probably %s; inferred, because nothing was evicted for %s and these PDBs allow none", which, text.Span(quiet))
}

// EKSDeadlines says what happens to a node that EKS is at, and when by estimate: force is until it deletes pods if it
// was asked to when it started, fails until it gives up.
func EKSDeadlines(force, fails time.Duration) string {
	switch {
	case force > 0:
		return fmt.Sprintf("; estimated: with --force their pods are deleted in %s (15 minutes, user guide), else the update fails in %s (45 minutes, reports)", text.Span(force), text.Span(fails))
	case fails > 0:
		return fmt.Sprintf("; estimated: the update fails in %s (45 minutes, reports)", text.Span(fails))
	}
	return ""
}

// EKSMoreCandidates says which nodes EKS may be at beside those that it is seen to drain, at most more of them;
// each of nodes has its pods and their PDBs.
func EKSMoreCandidates(nodes []string, more int) string {
	which := fmt.Sprintf("up to %d of: %s", more, strings.Join(nodes, "; "))
	if len(nodes) == 1 {
		which = nodes[0]
	}
	return fmt.Sprintf("EKS may also drain %s; inferred, because maxUnavailable allows %s and these PDBs allow no eviction", which, text.Plural(more, "more node"))
}

// EKSCandidateMore says of one of so many nodes why it is one.
func EKSCandidateMore(more, of int) string {
	if of == 1 {
		return "EKS may drain it: maxUnavailable allows 1 more node, and PDBs keep all pods of this one"
	}
	return fmt.Sprintf("EKS may drain it: maxUnavailable allows up to %d of %d such nodes, whose pods PDBs keep", more, of)
}

// EKSNodeWith is a node with the pods that are held on it.
func EKSNodeWith(node string, held []string) string {
	if len(held) == 0 {
		return node + " (no pod has to leave it)"
	}
	return node + " (" + strings.Join(held, ", ") + ")"
}

// EKSStatus says that an update has a status that is not known here.
func EKSStatus(id, status string) string {
	return fmt.Sprintf("%s has the status %q, which is not known here: it is followed as one in progress", text.EKSUpdate(id), status)
}

// EKSEnded says that an update was followed by another one before its end was read.
func EKSEnded(id, next string) string {
	return fmt.Sprintf("%s is over and %s has begun; how the first one ended was not read: aws eks describe-update tells it", text.EKSUpdate(id), text.EKSUpdate(next))
}

// EKSStarted is an update with what it does.
func EKSStarted(id, does string) string { return text.EKSUpdate(id) + " " + does }

// EKSLaunches adds to why no nodes came what the scaling activity and the nodes say.
func EKSLaunches(activity string, machines []string) (out []string) {
	if activity != "" {
		out = append(out, "the scaling activity says: "+activity)
	}
	return append(out, machines...)
}

// EKSNotReplaced says which old nodes an update that succeeded has left.
func EKSNotReplaced(nodes []string) string {
	return "EKS reports success, and these nodes are not replaced: " + strings.Join(nodes, ", ")
}

// EKSEnds says who ends a machine and why, by the cause that the Auto Scaling group tells.
func EKSEnds(why, cause string) string {
	switch why {
	case "request":
		return "its termination was asked for, as EKS does after a drain"
	case "request, desired size-1":
		return "terminated on request with a smaller desired size, as the Cluster Autoscaler does; not by EKS's update"
	case "scale-in":
		return "terminated by the Auto Scaling group, whose desired size was lowered"
	case "rebalance":
		return "terminated by AZRebalance of the Auto Scaling group, not by EKS's update"
	case "unhealthy":
		return "replaced by the Auto Scaling group as unhealthy, not by EKS's update"
	}
	return "terminated by the Auto Scaling group, not by EKS's update: " + cause
}

// EKSEndedBefore says that a machine had been terminated when the watch began.
const EKSEndedBefore = "terminated before the watch began, by the activities of the Auto Scaling group"
