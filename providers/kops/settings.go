package kops

import (
	"context"
	"fmt"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// RollingUpdate says how an instance group is rolled: as its own spec says, else as the
// cluster's does, else as kops does by default.
type RollingUpdate struct {
	// MaxSurge is how many nodes more there may be for a while, MaxUnavailable how many
	// fewer. Of a percentage kops rounds the first up, the second down, but to 1 at
	// least. Both are 0 where two specs say so together: then nothing can be rolled.
	MaxSurge, MaxUnavailable record.Amount
	// KeepOld: old nodes are neither drained nor ended (drainAndTerminate: false).
	KeepOld bool
	// Origin is where each comes from: "InstanceGroup NAME", "Cluster NAME" or "kops", by
	// the names max-surge, max-unavailable and drain-and-terminate.
	Origin map[string]string
	// Notes are for the reader of a plan, a sentence each.
	Notes []string
}

// Settings reads what the state store says of a group's rolling update. An error says
// which file and field is wrong; it wraps fs.ErrNotExist where a spec is missing.
func (c *Client) Settings(ctx context.Context, g Group) (RollingUpdate, error) {
	if c.store == nil {
		u := resolve(g.Role, spec{}, spec{})
		u.Notes = append(u.Notes, "no state store given (--state or KOPS_STATE_STORE): kops's defaults apply, not its specs")
		return u, nil
	}
	cluster, err := load(ctx, c.store, clusterFile(c.cluster), "Cluster", c.cluster)
	if err != nil {
		return RollingUpdate{}, err
	}
	group, err := load(ctx, c.store, groupFile(c.cluster, g.InstanceGroup), "InstanceGroup", g.InstanceGroup)
	if err != nil {
		return RollingUpdate{}, err
	}
	u := resolve(g.Role, group, cluster)
	if err := c.unlisted(ctx); err != nil {
		u.Notes = append(u.Notes, err.Error()+"; an instance group that has a spec and no Auto Scaling group is not noticed")
	}
	return u, nil
}

// resolve lays the group's spec over the cluster's, and both over kops's defaults
// (resolveSettings in pkg/instancegroups/settings.go; the control plane is in
// rollingUpdateInstanceGroup). Either spec may be the zero one.
func resolve(role world.Role, group, cluster spec) RollingUpdate {
	const byDefault = "kops"
	u := RollingUpdate{MaxSurge: record.Amount{N: 1}, Origin: map[string]string{"max-surge": byDefault, "max-unavailable": byDefault, "drain-and-terminate": byDefault}}
	unavailableSet := false
	for _, s := range []spec{cluster, group} {
		if s.update.maxSurge != nil {
			u.MaxSurge, u.Origin["max-surge"] = *s.update.maxSurge, s.String()
		}
		if s.update.maxUnavailable != nil {
			u.MaxUnavailable, u.Origin["max-unavailable"] = *s.update.maxUnavailable, s.String()
			unavailableSet = true
		}
		if s.update.drainAndTerminate != nil {
			u.KeepOld, u.Origin["drain-and-terminate"] = !*s.update.drainAndTerminate, s.String()
		}
	}
	if role == world.RoleControlPlane || group.role == world.RoleControlPlane {
		if from := u.Origin["max-surge"]; from != byDefault && u.MaxSurge.N > 0 {
			u.Notes = append(u.Notes, fmt.Sprintf("maxSurge %s of %s ignored: the control plane cannot surge", u.MaxSurge, from))
		}
		u.MaxSurge, u.Origin["max-surge"] = record.Amount{}, byDefault
		unavailableSet = unavailableSet && u.MaxUnavailable.N > 0 // kops takes one at a time all the same
	}
	if !unavailableSet {
		u.MaxUnavailable, u.Origin["max-unavailable"] = record.Amount{}, byDefault
		if u.MaxSurge.N == 0 {
			u.MaxUnavailable.N = 1
		}
	}
	return u
}
