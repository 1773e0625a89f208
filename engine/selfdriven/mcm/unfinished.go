package mcm

import (
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// succeeded is the state of an operation that is done (LastOperationStateSucceeded).
const succeeded = "Succeeded"

// unfinished lists what shows that Gardener is not done with the pool, by the Shoot and the
// machine deployments as far as they are read: nothing where neither is.
func unfinished(p *world.Pool) (out []world.Unfinished) {
	if p == nil {
		return nil
	}
	add := func(kind world.UnfinishedKind, what string) {
		out = append(out, world.Unfinished{Kind: kind, Text: what})
	}
	if p.Unread != "" {
		add(world.UnfinishedUnread, systems.ShootCannotBeRead(p.Unread))
	}
	if s := p.Progress; s != nil {
		switch {
		case s.Observed < s.Generation:
			add(world.UnfinishedGeneration, systems.GenerationNotStarted(p.Shoot, s.Generation, s.Observed))
		case s.State == "":
			add(world.UnfinishedOperation, systems.NoOperation(p.Shoot))
		case s.State != succeeded:
			add(world.UnfinishedOperation, systems.OperationIs(p.Shoot, s.Operation, s.State, s.Percent))
		}
		if p.Pending {
			add(world.UnfinishedInPlace, systems.PendingInPlace(p.Name))
		}
		if s.Rollout {
			add(world.UnfinishedRollout, systems.PendingRollout(p.Name))
		}
	}
	if len(p.Behind) > 0 {
		waits := ""
		if s := p.Progress; s != nil && s.Confined && s.Observed >= s.Generation {
			waits = systems.WaitsForWindow(p.Opens, p.Closes)
		}
		add(world.UnfinishedHash, systems.HashBehind(p.Behind, p.Name, p.Progress != nil, waits))
	}
	if len(p.Unmarked) > 0 && !p.Control {
		add(world.UnfinishedHash, systems.HashMissing(p.Unmarked, p.Name, world.GardenerSecret))
	}
	if p.Control && len(p.Deployments) == 0 {
		add(world.UnfinishedDeployment, systems.NoDeployment(p.Namespace, p.Name))
	}
	for i := range p.Deployments {
		if d := &p.Deployments[i]; !d.Complete() {
			add(world.UnfinishedDeployment, missing(d))
		}
	}
	return out
}

// unproven is what cannot be known of a pool in which nothing is outdated: whether an update of
// it is due that Gardener has not begun.
func unproven(p *world.Pool) []world.Unfinished {
	if what := Unseen(p); what != "" {
		return []world.Unfinished{{Kind: world.UnfinishedUnseen, Text: what}}
	}
	return nil
}

// missing says what keeps the machine deployment from being complete.
func missing(d *world.MachineDeployment) string {
	is := systems.Deployment{Name: d.Name, Updated: d.Updated, Available: d.Available, Total: d.Total, Desired: d.Desired, Preserved: d.Preserved, Paused: d.Paused, Frozen: d.Frozen}
	if d.Observed < d.Generation {
		is.Unobserved = d.Generation
	}
	return is.Incomplete()
}

// Unseen says which update of the pool could be due without any sign of it here, "" for none.
func Unseen(p *world.Pool) string {
	switch {
	case p == nil:
		return ""
	case p.Progress == nil && !p.Control:
		return systems.UnseenWithoutBoth
	case p.Progress == nil:
		return systems.UnseenWithoutShoot
	case p.Progress.Confined:
		return systems.UnseenBeforeMaintenance(p.Opens, p.Closes)
	case p.Disproved && !p.Control:
		return systems.UnseenWithoutHash
	}
	return ""
}

// proof is what proves that a pool which is done is up to date where the hash of its nodes does not,
// "" where it does, or where nothing does.
func proof(p *world.Pool) string {
	switch {
	case p == nil || p.Disproved && !p.Control:
		return ""
	case p.Unhashed != "":
		return systems.ProvedWithoutHash(p.Unhashed, p.Control)
	case len(p.Unmarked) > 0 && p.Control:
		return systems.ProvedWithoutHash(systems.HashMissing(p.Unmarked, p.Name, world.GardenerSecret), true)
	}
	return ""
}
