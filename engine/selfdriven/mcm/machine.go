package mcm

import (
	"strings"

	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Told are the moves that the control cluster tells of.
func (Controller) Told(of *world.Machine, _ *world.Node) []world.Move {
	g := of.Managed
	if g == nil {
		return nil
	}
	m := world.Move{By: world.MoverGardener, Roll: true, Since: g.Since, Limit: g.Limits.Drain, Told: true, Mark: systems.MachinePhase(g.Name, g.Phase)}
	switch {
	case g.Phase == world.PhaseTerminating || !g.Deleted.IsZero():
		step, drained := Ending(g)
		m.Step, m.Since, m.Means = world.MoveDraining, g.Deleted, systems.MachineEnds(step, g.Forced)
		if drained {
			m.Step = world.MoveEnding
		}
	case g.Phase == world.PhaseFailed:
		m.Step, m.Means = world.MoveFailed, systems.MachineGivenUp
		if !g.Preserved.IsZero() {
			m.Means, m.Roll = systems.MachineGivenUpKept, false // it stays as it is
		}
	case g.Phase == world.PhaseInPlaceUpdating:
		m.Step, m.Means = world.MoveUpdating, text.InPlaceUpdates(world.MoverGardener.Name())
	case g.Phase == world.PhaseInPlaceFailed:
		m.Step, m.Means = world.MoveFailed, text.InPlaceFailed("")
	default:
		return nil
	}
	if why := Trouble(g); why != "" {
		m.Means = systems.LastTryFailed(m.Means, why)
	}
	return []world.Move{m}
}

// Steps of a machine's end, as the description of its last operation names them
// (machine-controller-manager pkg/util/provider/machineutils), with words for people.
var endSteps = []struct{ told, words string }{
	{"finalizer removal", systems.StepMachineObject},
	{"Initiate node object deletion", systems.StepNodeObject},
	{"Initiate VM deletion", systems.StepMachine},
	{"Delete Volume Attachments", systems.StepVolumes},
	{"Initiate node drain", systems.StepDrain},
	{"getting VM Status", systems.StepLookUp},
}

// drainEnds is the first of endSteps, from the end, that comes before a drain is over.
const drainEnds = 4

// Ending says what step of its end a machine is at, in words that continue after a colon, and
// whether its drain is over; "" while nothing is told.
func Ending(g *world.ManagedMachine) (step string, drained bool) {
	for i, s := range endSteps {
		if strings.Contains(g.Description, s.told) {
			return s.words, i < drainEnds
		}
	}
	return "", false
}

// Trouble is why its last operation failed, as far as its description tells, "" if it did
// not.
func Trouble(g *world.ManagedMachine) string {
	const due = "failed due to - "
	_, why, told := strings.Cut(g.Description, due)
	if !told {
		if g.Failed {
			return g.Description
		}
		return ""
	}
	for _, rest := range []string{". Will retry", ". However", ". Aborting"} {
		why, _, _ = strings.Cut(why, rest)
	}
	return why
}
