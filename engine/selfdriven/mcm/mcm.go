// Package mcm is Gardener's machine-controller-manager: what it does next with the machines of a
// worker pool, when, and what can be asked of it. Its limits are in the Machine, where the
// control cluster is read; else they are those of the Shoot, or defaults, and so are the
// countdowns estimates.
package mcm

import (
	"fmt"
	"slices"

	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Controller is machine-controller-manager.
type Controller struct{}

func init() { selfdriven.Register(Controller{}) }

// How sentences name what the controller has.
const (
	part     = "machine deployment"
	where    = "the control cluster"
	turnName = "deletion priority"
	program  = "machine-controller-manager"
)

// ID is empty.
func (Controller) ID() string { return "" }

// Mover is Gardener.
func (Controller) Mover() world.Mover { return world.MoverGardener }

// Words are those of Gardener.
func (Controller) Words() selfdriven.Words {
	return selfdriven.Words{
		Part: part, Where: where, Flags: []string{"--control-kubeconfig", "--control-namespace"},
		Back: systems.ChangeShootBack,
	}
}

// Drives reports whether the group is a worker pool.
func (Controller) Drives(g *world.Group) bool { return g.Provider == "gardener" }

// Limits are those of the Machine, or of the pool.
func (Controller) Limits(g *world.Group, m *world.Machine) selfdriven.Limits {
	l, _ := limitsOf(g.Pool, m)
	return selfdriven.Limits{Drain: l.Drain, Update: l.InPlace, Guess: l.Guessed}
}

// Object is the machine's Machine.
func (Controller) Object(m *world.Machine) (selfdriven.Object, bool) {
	g := m.Managed
	if g == nil {
		return selfdriven.Object{}, false
	}
	return selfdriven.Object{Name: g.Name, Ends: !g.Deleted.IsZero(), Forced: g.Forced, Priority: g.Priority}, true
}

// Unfinished is what the Shoot and the machine deployments show.
func (Controller) Unfinished(g *world.Group) []world.Unfinished { return unfinished(g.Pool) }

// Unproven is what only the Shoot tells.
func (Controller) Unproven(g *world.Group) []world.Unfinished { return unproven(g.Pool) }

// Proof is the Machines, or the Shoot, where the hash of the nodes is none.
func (Controller) Proof(g *world.Group) string { return proof(g.Pool) }

// Unstarted is true as long as the Shoot shows anything: a machine deployment alone is at work.
func (Controller) Unstarted(left []world.Unfinished) bool {
	return slices.ContainsFunc(left, func(u world.Unfinished) bool { return u.Kind != world.UnfinishedDeployment })
}

// AtOnce is what the machine deployments, or the zones' shares, come to.
func (Controller) AtOnce(g *world.Group) (out int) {
	if p := g.Pool; p != nil {
		for _, d := range p.Deployments {
			out += max(d.MaxUnavailable, min(1, d.MaxSurge))
		}
		for _, z := range p.Shares {
			out += max(z.MaxUnavailable, min(1, z.MaxSurge))
		}
	}
	return out
}

// Controls reports whether the control cluster is given.
func (Controller) Controls(g *world.Group) bool { return g.Pool != nil && g.Pool.Control }

// Parts are the machine deployments.
func (Controller) Parts(g *world.Group) (out []selfdriven.Part) {
	if g.Pool == nil {
		return nil
	}
	for i := range g.Pool.Deployments {
		d := &g.Pool.Deployments[i]
		out = append(out, selfdriven.Part{Name: d.Name, Paused: d.Paused, Complete: d.Complete()})
	}
	return out
}

// Namespace is where the Machines are in the control cluster.
func (Controller) Namespace(g *world.Group) string {
	if g.Pool == nil {
		return ""
	}
	return g.Pool.Namespace
}

// Refuses another order where Gardener selects the nodes.
func (Controller) Refuses(g *world.Group, kind selfdriven.Kind) string {
	if kind == selfdriven.Turn && g.Pool.Update == world.AutoInPlaceUpdate {
		return systems.NoOrderInPlace
	}
	return ""
}

// Turns are deletion priorities of Machines. 1 is the cluster autoscaler's mark.
func (Controller) Turns() selfdriven.Turns {
	return selfdriven.Turns{First: 2, Usual: world.UsualPriority, Last: 4, Name: turnName, Mark: "machinepriority", Among: systems.OthersOfZone}
}

// Describe says a request in words, and as kubectl in the control cluster.
func (Controller) Describe(r selfdriven.Request) (what, command string) {
	switch r.Kind {
	case selfdriven.Pause:
		what = systems.PauseDeployment(r.Object)
	case selfdriven.Resume:
		what = systems.ResumeDeployment(r.Object)
	case selfdriven.SetPace:
		return setPace(r)
	case selfdriven.Force:
		return systems.ForceMachine(r.Object), fmt.Sprintf("kubectl -n %s label machine %s %s=true", r.Namespace, r.Object, world.ForceDeletion)
	case selfdriven.Turn:
		return systems.PrioritizeMachine(r.Object, r.Priority),
			fmt.Sprintf("kubectl -n %s annotate --overwrite machine %s %s=%d", r.Namespace, r.Object, world.MachinePriority, r.Priority)
	}
	return what, fmt.Sprintf(`kubectl -n %s patch machinedeployment %s --type merge -p '{"spec":{"paused":%t}}'`, r.Namespace, r.Object, r.Kind == selfdriven.Pause)
}
