package systems

import (
	"fmt"
	"github.com/drainboard/drainboard/engine/text"
	"strings"
)

// What is said of an update of a managed node group that Drainboard starts.
const (
	// EKSNotStarted is why a run waits that has not had EKS start its update.
	EKSNotStarted = "the update has not started"
	// EKSQuotaAtOnce is why no more nodes may go at once.
	EKSQuotaAtOnce = "EKS's own bound on maxUnavailable"
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
func EKSStartedBy(id string) string { return text.EKSUpdate(id) + " started" }

// EKSAttached says that a run follows an update that was under way.
func EKSAttached(id, does string) string {
	return fmt.Sprintf("%s is under way, so none is started: it %s", text.EKSUpdate(id), does)
}

// EKSOtherTarget says that an update which is under way is not the one that is asked for.
func EKSOtherTarget(id, contradicts string) string {
	return fmt.Sprintf("%s is under way and goes elsewhere (%s); EKS carries out one at a time: wait for its end, then start again", text.EKSUpdate(id), contradicts)
}

// EKSAborted says what an abort leaves: the update with an id, or "" where EKS has started none.
func EKSAborted(id string) string {
	if id == "" {
		return "EKS has started no update"
	}
	return "EKS continues with " + text.EKSUpdate(id) + ", which cannot be cancelled; drainboard watch follows it"
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

// EKSConfigCommand sets how EKS updates a node group; what is "" is left as it is.
func EKSConfigCommand(cluster, group, maxUnavailable, strategy string) string {
	var set []string
	if n, percent := strings.CutSuffix(maxUnavailable, "%"); n != "" && percent {
		set = append(set, "maxUnavailablePercentage="+n)
	} else if n != "" {
		set = append(set, "maxUnavailable="+n)
	}
	if strategy != "" {
		set = append(set, "updateStrategy="+strategy)
	}
	return "aws eks update-nodegroup-config --cluster-name " + cluster + " --nodegroup-name " + group + " --update-config " + strings.Join(set, ",")
}

// What an update has, and what was asked for.

func EKSOtherVersion(has, asked string) string { return "Kubernetes " + has + ", not " + asked }

func EKSOtherRelease(has, asked string) string { return "release " + has + ", not " + asked }

func EKSOtherTemplate(has, asked string) string {
	return "launch template version " + has + ", not " + asked
}

// SetConfig is the request for another update configuration of a node group.
func SetConfig(from, to, group string) string {
	return fmt.Sprintf("set the update configuration of managed node group %s: %s → %s", group, from, to)
}

// ConfigHeld says what a run has set, and what it restores.
func ConfigHeld(set, was, group string) string {
	return fmt.Sprintf("update configuration of %s: %s, set by this run, which restores %s", group, set, was)
}

// ConfigStays names an update configuration that was not restored.
func ConfigStays(set, was, group string) string {
	return fmt.Sprintf("managed node group %s keeps the update configuration that this run has set (%s); the next drainboard upgrade restores %s", group, set, was)
}

// ConfigLeft says in a plan what becomes of what an earlier run has left.
func ConfigLeft(set, was string) string {
	return fmt.Sprintf("an earlier run has left the update configuration %s: it is restored to %s", set, was)
}

// ConfigPlanned says in a plan what a run does with the update configuration.
func ConfigPlanned(was, set string) string {
	return fmt.Sprintf("sets the update configuration %s → %s, and restores it at the end", was, set)
}

// ConfigChanged tells that another user has changed what a run had set.
func ConfigChanged(now, set, was string) string {
	return fmt.Sprintf("another user has set the update configuration %s after this run had asked for %s: it stays, and is not restored to %s", now, set, was)
}

// ConfigFailed says that EKS did not carry out an update of the configuration.
func ConfigFailed(id, status string, why []string) string {
	return strings.Join(append([]string{text.EKSUpdate(id) + " of the update configuration ended as " + status}, why...), "; ")
}

// EKSOtherConfig says that an update which is under way has another update configuration than is asked for.
func EKSOtherConfig(id, now, asked string) string {
	return fmt.Sprintf("%s is under way with %s, not %s; EKS takes no other update configuration before it is over: wait for its end, or omit the flags to follow it", text.EKSUpdate(id), now, asked)
}

// ConfigNotRestored is why a run waits at its end.
const ConfigNotRestored = "the update configuration is not restored"

// EKSWaitCommand waits until no update of a node group is under way.
func EKSWaitCommand(cluster, group string) string {
	return "aws eks wait nodegroup-active --cluster-name " + cluster + " --nodegroup-name " + group
}

// ConfigRestores says what a run does that only restores an update configuration.
func ConfigRestores(set, was string) string {
	return fmt.Sprintf("no node to replace; restores the update configuration: %s → %s", set, was)
}

// EKSStands says what an update that has failed leaves.
func EKSStands(replaced, total int, old []string) string {
	out := fmt.Sprintf("%d of %s replaced", replaced, text.Plural(total, "node"))
	if len(old) > 0 {
		out += "; old: " + strings.Join(old, ", ")
	}
	return out
}

// EKSAsks says why a run waits after an update that has failed.
func EKSAsks(result, stands, why string) string { return result + ", " + stands + "; " + why }

// EKSFailedAlready is what an abort does after that.
const EKSFailedAlready = "EKS has ended the update; the run ends as failed"

// EKSStartsAgain says that a failed update is followed by another one.
func EKSStartsAgain(n, of int) string {
	return fmt.Sprintf("the update starts again: retry %d of %d", n, of)
}

// EvictedToHelp says of an eviction that it helps the group's own controller along.
func EvictedToHelp(by string) string {
	return "evicted, as its PDB has opened; " + by + " itself would try again only later"
}

// HelpsAlong says who consented to help an update along, and what that does.
func HelpsAlong(by string) string {
	return "helps EKS along (consent of " + by + "): on nodes that EKS has picked, pods are evicted when their PDB opens, and f deletes them"
}
