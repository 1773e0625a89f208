package present

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// kopsPace is how many nodes at once by kops's rules, how long it takes, and the machines
// beside.
func kopsPace(p snapshot.Plan) string {
	text := fmt.Sprintf("Up to %d at once, %s.", p.Limit, takes(p))
	switch unavailable := p.Limit - p.Extra; {
	case p.Run.Settings.KeepOld:
		return fmt.Sprintf("None is drained or ended: drainAndTerminate is false. While it lasts there are %s.", plural(p.Extra, "extra machine"))
	case p.Extra == 0:
		text += fmt.Sprintf(" There are no extra machines: while a node is replaced the group has fewer than its %d.", p.Run.Base.Desired)
	case unavailable > 0:
		text += fmt.Sprintf(" While it lasts there are %s, and up to %d of the group's %d may be away.", plural(p.Extra, "extra machine"), unavailable, p.Run.Base.Desired)
	default:
		text += fmt.Sprintf(" While it lasts there are %s, and none of the group's %d is missing.", plural(p.Extra, "extra machine"), p.Run.Base.Desired)
	}
	return text
}

// kopsSteps are what a run by kops's rules does, step by step; none for other rules.
func kopsSteps(p snapshot.Plan) []string {
	if p.Strategy != StrategyKops || len(p.Nodes) == 0 {
		return nil
	}
	s, bastion := p.Run.Settings, p.Role == world.RoleBastion
	bare := bastion || s.CloudOnly // nothing of it is in the cluster, as far as is looked
	var out []string
	if !bare {
		first := "the cluster is validated; if something is not valid the run ends there (exit code 7)"
		if s.PassInvalid {
			first = "the cluster is validated; what is not valid is told, and does not end the run"
		}
		out = append(out, first, "the nodes get the taint kops.k8s.io/scheduled-for-update:PreferNoSchedule: new pods avoid them")
	}
	if p.Extra > 0 {
		text := fmt.Sprintf("%s detached from the group, which launches others in their place", are(p.Extra, "machine", ""))
		if len(p.Detach) > 0 {
			text += ": " + strings.Join(detached(p), ", ")
		}
		out = append(out, text+"; detached ones go last, and nothing takes their place")
	}
	if kopsCanary(p) {
		out = append(out, "no machine is of the current spec: one goes alone at first, and the others follow once what replaces it has proved itself")
	}
	switch {
	case s.KeepOld:
		return append(out, "none of the nodes is drained or ended: drainAndTerminate is false")
	case s.CloudOnly:
		return append(out, fmt.Sprintf("each machine is ended without a drain; %s later the next one", s.Interval))
	case bastion:
		out = append(out, "each machine is ended without a drain: it is no node of the cluster")
	default:
		out = append(out, fmt.Sprintf("each node is cordoned, leaves the load balancers (%s at most) and is drained (%s at most); %s later its machine is ended", s.DeregisterLimit, s.DrainTimeout, s.Settle))
	}
	end := "else the run ends (exit code 7)"
	if s.PassInvalid {
		end = "else it goes on all the same"
	}
	return append(out, fmt.Sprintf("%s after that %s in a row must find the cluster valid (%s apart, again %s after one that found something) within %s, %s; only then its slot is free",
		s.Interval, plural(s.ValidateCount, "look"), s.ValidatePause, s.ValidateRetry, s.ValidateTimeout, end))
}

// detached are the names of the nodes whose machines are detached.
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

// kopsCanary reports whether one goes first, because none is of the current spec.
func kopsCanary(p snapshot.Plan) bool {
	upToDate := slices.ContainsFunc(p.Nodes, func(n snapshot.PlannedNode) bool { return n.Why == assess.AskedFor })
	return !upToDate && len(p.Nodes) >= p.Run.Base.Desired && p.Limit > 1
}
