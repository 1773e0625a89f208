package present

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// kopsPace returns how many nodes kops's rules replace at once, how long it takes, and the
// surge.
func kopsPace(p snapshot.Plan) string {
	text := fmt.Sprintf("Up to %d at once, %s.", p.Limit, takes(p))
	switch unavailable := p.Limit - p.Extra; {
	case p.Run.Settings.KeepOld:
		return fmt.Sprintf("No node is drained or terminated: drainAndTerminate is false. Surge during the run: %s.", plural(p.Extra, "instance"))
	case p.Extra == 0:
		text += fmt.Sprintf(" No surge: while a node is replaced the group has fewer than its %d instances.", p.Run.Base.Desired)
	case unavailable > 0:
		text += fmt.Sprintf(" Surge during the run: %s; up to %d of the group's %d may be out of service.", plural(p.Extra, "instance"), unavailable, p.Run.Base.Desired)
	default:
		text += fmt.Sprintf(" Surge during the run: %s; the group keeps its %d in service.", plural(p.Extra, "instance"), p.Run.Base.Desired)
	}
	return text
}

// kopsSteps returns what a run by kops's rules does, step by step; nil for other rules.
func kopsSteps(p snapshot.Plan) []string {
	if p.Strategy != StrategyKops || len(p.Nodes) == 0 {
		return nil
	}
	s, bastion := p.Run.Settings, p.Role == world.RoleBastion
	bare := bastion || s.CloudOnly // without nodes, or with nodes that are not read
	var out []string
	if !bare {
		first := "the cluster is validated; if it is not valid the run ends (exit code 7)"
		if s.PassInvalid {
			first = "the cluster is validated; failures are reported and do not end the run"
		}
		out = append(out, first, "the nodes get the taint kops.k8s.io/scheduled-for-update:PreferNoSchedule: new pods avoid them")
	}
	if p.Extra > 0 {
		text := fmt.Sprintf("%s detached from the group, which launches replacements", are(p.Extra, "instance", ""))
		if len(p.Detach) > 0 {
			text += ": " + strings.Join(detached(p), ", ")
		}
		out = append(out, text+"; detached instances are terminated last, without replacement")
	}
	if kopsCanary(p) {
		out = append(out, "no instance has the current spec: one is replaced alone first, the others follow once its replacement is healthy")
	}
	switch {
	case s.KeepOld:
		return append(out, "no node is drained or terminated: drainAndTerminate is false")
	case s.CloudOnly:
		return append(out, fmt.Sprintf("each instance is terminated without a drain; the next one after %s", s.Interval))
	case bastion:
		out = append(out, "each instance is terminated without a drain: it is not a node of the cluster")
	default:
		out = append(out, fmt.Sprintf("each node is cordoned, leaves the load balancers (at most %s) and is drained (at most %s); after %s its instance is terminated", s.DeregisterLimit, s.DrainTimeout, s.Settle))
	}
	end := "else the run ends (exit code 7)"
	if s.PassInvalid {
		end = "else the run continues"
	}
	return append(out, fmt.Sprintf("%s after that the cluster must pass %s in a row (%s apart, %s after a failed one) within %s, %s; only then is its slot free",
		s.Interval, plural(s.ValidateCount, "validation"), s.ValidatePause, s.ValidateRetry, s.ValidateTimeout, end))
}

// detached returns the names of the nodes whose instances are detached.
func detached(p snapshot.Plan) []string {
	names := make([]string, len(p.Detach))
	for i, id := range p.Detach {
		names[i] = id
		if at := slices.IndexFunc(p.Nodes, func(n snapshot.PlannedNode) bool { return n.Machine == id }); at >= 0 {
			names[i] = cmp.Or(p.Nodes[at].Name, id)
		}
	}
	return names
}

// kopsCanary reports whether one node goes first, because none has the current spec.
func kopsCanary(p snapshot.Plan) bool {
	upToDate := slices.ContainsFunc(p.Nodes, func(n snapshot.PlannedNode) bool { return n.Why == assess.AskedFor })
	return !upToDate && len(p.Nodes) >= p.Run.Base.Desired && p.Limit > 1
}

// Undrained returns what a run without Kubernetes means, for the user who confirms it.
func Undrained(run record.Run) []string {
	if !run.Settings.CloudOnly {
		return nil
	}
	return []string{
		"NO NODE IS DRAINED: there is no Kubernetes here (--cloudonly). Pods end with their instances, past their PDBs.",
		"NOTHING IS VALIDATED: the next instance is terminated whether or not the new one has joined the cluster.",
		"A run with Kubernetes in the same group at the same time cannot be detected.",
	}
}

// writeUndrained writes it ahead of a plan.
func writeUndrained(w io.Writer, p snapshot.Plan) {
	for _, line := range Undrained(p.Run) {
		fmt.Fprintln(w, line)
	}
}
