package world

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/text"
)

// Mover is a controller or user that takes nodes out of service, under the name that people know.
type Mover string

// Movers.
const (
	MoverEKS        Mover = "EKS"
	MoverEKSRepair  Mover = "EKS node repair"
	MoverKops       Mover = "kops"
	MoverGardener   Mover = "Gardener"
	MoverKarpenter  Mover = "Karpenter"
	MoverAutoscaler Mover = "Cluster Autoscaler"
	MoverClusterAPI Mover = "Cluster API"
	MoverHandler    Mover = "Node Termination Handler"
	MoverTwiN       Mover = "aws-eks-asg-rolling-update-handler"
	MoverCyclops    Mover = "Cyclops"
	MoverKured      Mover = "kured"
	MoverMedik8s    Mover = "Node Maintenance Operator"
	// MoverDrainboard left its own marks behind, or another Drainboard put them.
	MoverDrainboard Mover = "Drainboard"
	// MoverCloud is the cloud's own controller.
	MoverCloud Mover = "the cloud"
	// MoverUnknown is a user, or a tool that leaves no mark of its own (kubectl
	// cordon and drain, eksctl drain, upgrade-manager).
	MoverUnknown Mover = text.UserOrTool
)

// MoveStep is how far a move has come, as far as its mark tells.
type MoveStep string

// Steps, the furthest last.
const (
	MoveForeseen MoveStep = "foreseen" // the node is going to be moved, or may be, and still serves
	MoveCordoned MoveStep = "cordoned" // it takes no new pods, and no mark says what comes next
	MoveDraining MoveStep = "draining" // its pods are being moved, or will be at once
	MoveUpdating MoveStep = "updating" // it is drained, and updated or rebooted in place
	MoveEnding   MoveStep = "ending"   // it is drained, and its machine ends
	MoveFailed   MoveStep = "failed"   // its mover gave up, and says so
)

var moveSteps = []MoveStep{MoveForeseen, MoveCordoned, MoveDraining, MoveUpdating, MoveEnding, MoveFailed}

// Compare sorts steps, the furthest last.
func (s MoveStep) Compare(other MoveStep) int {
	return cmp.Compare(slices.Index(moveSteps, s), slices.Index(moveSteps, other))
}

// Move is what a mark on a node tells: who moves it, and how far that has come.
type Move struct {
	By   Mover
	Step MoveStep
	// Mark is what says so, as kubectl shows it: a taint, a label, a condition, a cordon.
	Mark string
	// Since is when the mark for this step was put, zero where nothing says when.
	Since time.Time
	// SinceCordon: Since is the cordon's, which may be older than the move.
	SinceCordon bool
	// Means is one sentence about the node, without its name.
	Means string
	// Limit is how long the mover drains a node at most, by its documented default; 0
	// where it has none, or it cannot be known. Told: it is not the default, but what the
	// mover goes by here.
	Limit time.Duration
	Told  bool
	// Guess: the mark is not the mover's alone, so it may be another.
	Guess bool
	// Roll: what leaves this mark replaces nodes to update them. The others take single
	// nodes out of service for reasons of their own.
	Roll bool

	// cordons is what the move means once the node is cordoned as well, "" where a
	// cordon has nothing to do with it.
	cordons string
}

// annotationMark begins the mark of a move that an annotation tells of.
const annotationMark = "annotation "

// The other kinds of marks, as a Move names them.
const (
	labelMark     = "label "
	conditionMark = "condition "
	taintedMark   = "taint "
	andCordoned   = ", cordoned"
)

// Asked reports whether a move was asked for by an annotation and has not begun.
func (m Move) Asked() bool {
	return m.Step == MoveForeseen && strings.HasPrefix(m.Mark, annotationMark)
}

// Moves lists what the marks on a node tell, what has come furthest first; nil if
// nobody moves it. It knows nothing of whose marks they are: those that a run has put
// are to be taken off a copy of the node before.
func (n *Node) Moves() []Move { return n.MovesWith(nil) }

// MovesWith is Moves, and what a controller tells of the node's machine: it knows more than its
// marks.
func (n *Node) MovesWith(told []Move) []Move {
	out := slices.Clone(told)
	for _, read := range []func(*Node) []Move{taintMoves, gardenerMoves, annotationMoves, labelMoves, repairMoves} {
		out = append(out, read(n)...)
	}
	out = cordoned(n, merge(out))
	slices.SortStableFunc(out, func(a, b Move) int {
		return cmp.Or(b.Step.Compare(a.Step), boolean(a.Guess)-boolean(b.Guess), cmp.Compare(a.By, b.By))
	})
	return out
}

// merge keeps of each mover what has come furthest.
func merge(moves []Move) []Move {
	var out []Move
	for _, m := range moves {
		i := slices.IndexFunc(out, func(o Move) bool { return o.By == m.By })
		switch {
		case i < 0:
			out = append(out, m)
		case m.Step.Compare(out[i].Step) > 0:
			m.Roll = m.Roll || out[i].Roll
			out[i] = m
		case m.Step == out[i].Step:
			out[i].cordons, out[i].Roll = cmp.Or(out[i].cordons, m.cordons), out[i].Roll || m.Roll
			if strings.HasPrefix(m.Means, out[i].Means) { // the same, and why
				out[i].Means = m.Means
			}
		}
	}
	return out
}

// cordoned takes the cordon into account: one that has announced to move the node has
// begun to, and without such a one a user has cordoned it.
func cordoned(n *Node, moves []Move) []Move {
	if !n.Unschedulable {
		return moves
	}
	explained := false
	for i := range moves {
		m := &moves[i]
		switch {
		case m.cordons != "" && m.Step == MoveForeseen:
			m.Step, m.Means, m.Since, m.SinceCordon = MoveDraining, m.cordons, n.Cordoned(), true
			m.Mark += andCordoned
			explained = true
		case m.Step.Compare(MoveCordoned) > 0:
			explained = true
		}
	}
	if explained {
		return moves
	}
	return append(moves, cordonMove(n))
}

// cordonMove is the move of a node that is cordoned without any mark that says by whom.
func cordonMove(n *Node) Move {
	m := Move{By: MoverUnknown, Step: MoveCordoned, Mark: "cordoned", Since: n.Cordoned(), SinceCordon: true, Guess: true,
		Means: text.CordonedByNobody}
	value, excluded := n.Labels[excludeLabel]
	switch {
	case excluded && value == "aws-node-termination-handler":
		m.By, m.Step, m.Guess, m.Limit = MoverHandler, MoveDraining, false, handlerLimit
		m.Mark += ", " + labelMark + excludeLabel + "=" + value
		m.Means = text.CordonedByHandler(MoverHandler.Name())
	case excluded && n.Labels[EKSGroupKey] != "":
		// The update's newer form: a cordon and this label instead of the taint (the
		// user guide's "Understand each phase of node updates").
		m.By, m.Step, m.Limit, m.Roll = MoverEKS, MoveDraining, EKSDrainLimit, true
		m.Mark += ", " + labelMark + excludeLabel
		m.Means = text.CordonedAsEKSDoes
	}
	return m
}

// Cordoned is since when the node takes no new pods; zero if it does, or if nothing
// says when: the control plane puts a taint on a cordoned node, with the time.
func (n *Node) Cordoned() time.Time {
	if !n.Unschedulable {
		return time.Time{}
	}
	return n.Tainted[cordonTaint]
}

// Telling reports whether an annotation of a node is one that Moves reads.
func Telling(annotation string) bool { return slices.Contains(tellingAnnotations, annotation) }

// TellingCondition reports whether a condition of a node is one that Moves reads.
func TellingCondition(kind string) bool { return slices.Contains(tellingConditions, kind) }

// HealthConditions make a node's machine unhealthy for Gardener's machine controller unless
// they are False (the default of its flag node-conditions).
var HealthConditions = []string{"KernelDeadlock", "ReadonlyFilesystem", "DiskPressure", "NetworkUnavailable"}

// HealthCondition reports whether a condition of a node is one of HealthConditions.
func HealthCondition(kind string) bool { return slices.Contains(HealthConditions, kind) }

// Condition is a condition of the node, the zero one if it has none.
func (n *Node) Condition(kind string) Condition {
	for _, c := range n.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return Condition{}
}

// unix is the time that a mark's value gives in seconds since 1970, zero if it does not.
func unix(value string) time.Time {
	s, err := strconv.ParseInt(value, 10, 64)
	if err != nil || s < 1e9 { // before Kubernetes
		return time.Time{}
	}
	return time.Unix(s, 0).UTC()
}

// rfc3339 is the time that a mark's value gives, zero if it does not.
func rfc3339(value string) time.Time {
	t, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Does says in a few words what a mover does with a group: at work, or about to be.
func (m Mover) Does(atWork, guess bool) string {
	switch m {
	case MoverUnknown:
		if atWork {
			return text.DrainedByHand
		}
		return text.CordonedByHand
	case MoverAutoscaler, MoverEKSRepair:
		if !atWork {
			return text.MayAct(m.Name())
		}
	case MoverDrainboard:
		return text.DrainboardLeftMarks
	case MoverCloud:
		return text.CloudShutDown
	case MoverKops:
		m = kopsRoll
	case MoverEKS:
		m = eksUpdate
	}
	return text.IsAtWork(m.Name(), guess)
}

// Name is the mover as a sentence has it.
func (m Mover) Name() string {
	switch m {
	case MoverAutoscaler, MoverMedik8s:
		return text.The(string(m))
	case MoverHandler:
		return text.TheAWS(string(m))
	}
	return string(m)
}
