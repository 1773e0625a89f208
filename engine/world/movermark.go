package world

import (
	"cmp"
	"time"

	"github.com/drainboard/drainboard/engine/text"
)

// The marks, each with where it is from.
const (
	// cordonTaint is put by the node lifecycle controller on a node that is cordoned, with
	// the time (k8s.io/api/core/v1 TaintNodeUnschedulable).
	cordonTaint = "node.kubernetes.io/unschedulable"
	// ExcludeLabel is put by EKS, kops, Karpenter and the Node Termination Handler
	// (k8s.io/api/core/v1 LabelNodeExcludeBalancers).
	excludeLabel = "node.kubernetes.io/exclude-from-external-load-balancers"
	// EKSGroupKey is the key of a label on every node of an EKS managed node group, and of
	// the taint that EKS puts on a node that it is going to replace (EKS user guide).
	EKSGroupKey = "eks.amazonaws.com/nodegroup"
	// SurplusTaint is the key of the taint that our runs put on new nodes which they mean
	// to end at the end (engine/strategy/eks.go).
	SurplusTaint = "drainboard.dev/surplus"
	// OutdatedTaint and ClosedTaint are the keys of the taints that our runs put on nodes which they are
	// going to replace: new pods avoid them, and then take no place there (engine/strategy/drainboard.go).
	OutdatedTaint = "drainboard.dev/outdated"
	ClosedTaint   = "drainboard.dev/closed"

	// Gardener's machine controller (machine-controller-manager pkg/apis/machine/v1alpha1
	// and pkg/util/provider/machineutils; Gardener docs, "Shoot Worker Nodes Settings").
	// GardenerTaint is the key of the taint on the nodes of old machine sets
	// (pkg/controller/deployment_util.go, PreferNoScheduleKey).
	GardenerTaint     = "deployment.machine.sapcloud.io/prefer-no-schedule"
	gardenerCandidate = "node.machine.sapcloud.io/candidate-for-update"
	gardenerSelected  = "node.machine.sapcloud.io/selected-for-update"
	gardenerResult    = "node.machine.sapcloud.io/update-result"
	gardenerWhy       = "node.machine.sapcloud.io/update-failed-reason"
	gardenerEnds      = "Terminating"
	gardenerInPlace   = GardenerInPlace
	// GardenerPreserved is the condition of a node whose machine Gardener keeps for a while
	// (pkg/apis/machine/v1alpha1, NodePreserved).
	GardenerPreserved = "Preserved"

	// KopsTaint is the key of the taint on nodes that a kops rolling update is going to
	// replace (kops pkg/instancegroups/instancegroups.go, rollingUpdateTaintKey).
	KopsTaint = "kops.k8s.io/scheduled-for-update"
	// KopsNeedsUpdate asks kops to replace a node in its next rolling update (kops
	// pkg/cloudinstances/cloud_instance_group.go).
	KopsNeedsUpdate = "kops.k8s.io/needs-update"
	// kuredReboots is put with --annotate-nodes (kured main.go), with the time.
	kuredReboots = "weave.works/kured-reboot-in-progress"
	// The rolling update handler's annotations, with the time (TwiN/
	// aws-eks-asg-rolling-update-handler k8s/util.go).
	twinStarted    = "aws-eks-asg-rolling-update-handler/started-at"
	twinDrained    = "aws-eks-asg-rolling-update-handler/drained-at"
	twinTerminated = "aws-eks-asg-rolling-update-handler/terminated-at"
	// cyclopsLabel names the request (atlassian-labs/cyclops
	// pkg/controller/cyclenoderequest/transitioner/transitioner.go).
	cyclopsLabel = "cyclops.atlassian.com/terminate"
	// KeepFromScaleDown is put by a user or a tool that wants the Cluster Autoscaler to leave a node
	// (its FAQ, "How can I prevent Cluster Autoscaler from scaling down a particular
	// node?"). It tells of no move.
	KeepFromScaleDown = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
	// handlerAction is put by the Node Termination Handler for events that outlive it,
	// beside the time (aws-node-termination-handler pkg/node/node.go).
	handlerAction     = "aws-node-termination-handler/action"
	handlerActionTime = "aws-node-termination-handler/action-time"
)

const (
	// EKSDrainLimit is for how long an EKS managed update drains a node before it fails,
	// or with force deletes the pods (EKS user guide, "Understand each phase of node
	// updates").
	EKSDrainLimit = 15 * time.Minute
	// kopsLimit is kops's --drain-timeout (kops cmd/kops/rolling-update_cluster.go).
	kopsLimit = 15 * time.Minute
	// gardenerLimit is machineDrainTimeout (Gardener docs, "Shoot Worker Nodes Settings").
	gardenerLimit = 2 * time.Hour
	// handlerLimit is NODE_TERMINATION_GRACE_PERIOD (aws-node-termination-handler
	// README).
	handlerLimit = 120 * time.Second
	// twinLimit is the rolling update handler's drain timeout (its k8s/client.go).
	twinLimit = 5 * time.Minute
)

var tellingAnnotations = []string{gardenerWhy, KopsNeedsUpdate, kuredReboots, twinStarted, twinDrained, twinTerminated}

var tellingConditions = []string{gardenerEnds, gardenerInPlace, GardenerPreserved, "AcceleratedHardwareReady", "ContainerRuntimeReady", "KernelReady", "NetworkingReady", "StorageReady"}

// taintMark is a taint that tells of a move.
type taintMark struct {
	key, value string // value "" for any
	tells      Move
	// stamped: the value is when it was put, in seconds since 1970.
	stamped bool
}

// How sentences name what moves nodes, where that is no mover's own name.
const (
	kopsRoll  = "kops rolling-update"
	eksUpdate = text.EKSManagedUpdate
	twin      = text.RollingUpdateHandler
)

var taintMarks = []taintMark{
	// kops; PreferNoSchedule.
	{key: KopsTaint, tells: Move{By: MoverKops, Roll: true, Limit: kopsLimit,
		Means:   text.WillReplace(kopsRoll),
		cordons: text.CordonedToEnd(kopsRoll)}},
	// EKS user guide, "Understand each phase of node updates"; NoSchedule.
	{key: EKSGroupKey, value: "unschedulable", tells: Move{By: MoverEKS, Roll: true, Limit: EKSDrainLimit,
		Means:   text.WillReplaceNoPods(eksUpdate),
		cordons: text.CordonedToEndLater(eksUpdate)}},
	// Gardener's machine controller (pkg/controller/deployment_util.go,
	// PreferNoScheduleKey), on the nodes of old machine sets.
	{key: GardenerTaint, tells: Move{By: MoverGardener, Roll: true, Limit: gardenerLimit,
		Means:   text.WillUpdateOrReplace(MoverGardener.Name()),
		cordons: text.CordonedToDrain(MoverGardener.Name())}},
	// Cluster API (api/core common_types.go, NodeOutdatedRevisionTaint); PreferNoSchedule.
	{key: "node.cluster.x-k8s.io/outdated-revision", tells: Move{By: MoverClusterAPI, Roll: true,
		Means:   text.WillReplace(MoverClusterAPI.Name()),
		cordons: text.CordonedToEnd(MoverClusterAPI.Name())}},
	// Karpenter (sigs.k8s.io/karpenter pkg/apis/v1/taints.go): put first, then the
	// replacement gets Ready, and the node is deleted, which begins the drain.
	{key: "karpenter.sh/disrupted", tells: Move{By: MoverKarpenter, Roll: true,
		Means: text.ReplacedOnceReady(MoverKarpenter.Name())}},
	// Cluster Autoscaler (utils/taints/taints.go).
	{key: "ToBeDeletedByClusterAutoscaler", stamped: true, tells: Move{By: MoverAutoscaler, Step: MoveDraining,
		Means: text.IsRemoving(MoverAutoscaler.Name())}},
	{key: "DeletionCandidateOfClusterAutoscaler", stamped: true, tells: Move{By: MoverAutoscaler,
		Means: text.NotNeeded(MoverAutoscaler.Name())}},
	// AWS Node Termination Handler (pkg/node/node.go), with TAINT_NODE; NoSchedule.
	{key: "aws-node-termination-handler/spot-itn", tells: Move{By: MoverHandler, Limit: handlerLimit,
		Means:   text.SpotTakenBack,
		cordons: text.HandlerDrains(text.SpotTakenBack, MoverHandler.Name())}},
	{key: "aws-node-termination-handler/scheduled-maintenance", tells: Move{By: MoverHandler, Limit: handlerLimit,
		Means:   text.MaintenanceScheduled,
		cordons: text.HandlerDrains(text.MaintenanceScheduled, MoverHandler.Name())}},
	{key: "aws-node-termination-handler/asg-lifecycle-termination", tells: Move{By: MoverHandler, Limit: handlerLimit,
		Means:   text.GroupEndsMachine,
		cordons: text.HandlerDrains(text.GroupEndsMachine, MoverHandler.Name())}},
	{key: "aws-node-termination-handler/rebalance-recommendation", tells: Move{By: MoverHandler, Limit: handlerLimit,
		Means:   text.SpotAtRisk,
		cordons: text.HandlerDrains(text.SpotAtRisk, MoverHandler.Name())}},
	// medik8s node-maintenance-operator (controllers/taint.go).
	{key: "medik8s.io/drain", tells: Move{By: MoverMedik8s, Step: MoveDraining,
		Means: text.MaintenanceDrains(MoverMedik8s.Name())}},
	// Kubernetes (k8s.io/api/core/v1 TaintNodeOutOfService): put by hand, by medik8s or by
	// the Node Termination Handler.
	{key: "node.kubernetes.io/out-of-service", tells: Move{By: MoverUnknown, Step: MoveEnding, Guess: true,
		Means: text.OutOfService}},
	// k8s.io/cloud-provider/api TaintNodeShutdown.
	{key: "node.cloudprovider.kubernetes.io/shutdown", tells: Move{By: MoverCloud, Step: MoveEnding,
		Means: text.MachineShutDown}},
	{key: SurplusTaint, tells: Move{By: MoverDrainboard,
		Means: text.SurplusOfRun}},
	{key: OutdatedTaint, tells: Move{By: MoverDrainboard,
		Means: text.OutdatedOfRun}},
	{key: ClosedTaint, tells: Move{By: MoverDrainboard,
		Means: text.ClosedOfRun}},
}

// taintMoves reads the taints.
func taintMoves(n *Node) (out []Move) {
	for _, t := range n.Taints {
		for _, mark := range taintMarks {
			if mark.key != t.Key || mark.value != "" && mark.value != t.Value {
				continue
			}
			m := mark.tells
			m.Step, m.Mark, m.Since = cmp.Or(m.Step, MoveForeseen), taintedMark+t.String(), n.Tainted[t.Key]
			if mark.stamped && m.Since.IsZero() {
				m.Since = unix(t.Value)
			}
			if m.By == MoverKarpenter && !n.Deleted.IsZero() {
				m.Step, m.Since = MoveDraining, n.Deleted
				m.Means = text.IsReplacing(m.By.Name())
			}
			out = append(out, m)
		}
	}
	return out
}

// gardenerMoves reads the conditions and labels of Gardener's machine controller.
func gardenerMoves(n *Node) (out []Move) {
	add := func(step MoveStep, mark string, since time.Time, means string) {
		out = append(out, Move{By: MoverGardener, Roll: true, Step: step, Mark: mark, Since: since, Means: means, Limit: gardenerLimit})
	}
	if c := n.Condition(gardenerEnds); c.On {
		means := text.IsReplacing(MoverGardener.Name())
		if c.Reason == "Unhealthy" {
			means = text.IsReplacingUnhealthy(MoverGardener.Name())
		}
		add(MoveDraining, conditionMark+gardenerEnds+" ("+c.Reason+")", c.Since, means)
	}
	if n.Labels[gardenerResult] == "failed" {
		add(MoveFailed, labelMark+gardenerResult+"=failed", time.Time{}, text.InPlaceFailed(n.Annotations[gardenerWhy]))
		return out
	}
	switch c := n.Condition(gardenerInPlace); {
	case n.Labels[gardenerResult] == "successful":
		add(MoveUpdating, labelMark+gardenerResult+"=successful", time.Time{}, text.InPlaceTakenBack(MoverGardener.Name()))
	case c.On && c.Reason == "UpdateFailed":
		add(MoveFailed, conditionMark+gardenerInPlace+" ("+c.Reason+")", c.Since, text.InPlaceFailed(n.Annotations[gardenerWhy]))
	case c.On && (c.Reason == "ReadyForUpdate" || c.Reason == "DrainSuccessful"):
		add(MoveUpdating, conditionMark+gardenerInPlace+" ("+c.Reason+")", c.Since, text.InPlaceUpdates(MoverGardener.Name()))
	case c.On && c.Reason == "SelectedForUpdate":
		add(MoveDraining, conditionMark+gardenerInPlace+" ("+c.Reason+")", c.Since, text.InPlaceDrains(MoverGardener.Name()))
	case n.Labels[gardenerSelected] == "true":
		add(MoveForeseen, labelMark+gardenerSelected+"=true", time.Time{}, text.InPlaceSelected)
	case n.Labels[gardenerCandidate] == "true":
		add(MoveForeseen, labelMark+gardenerCandidate+"=true", time.Time{}, text.InPlaceCandidate)
	}
	return out
}

// annotationMoves reads the annotations of the others.
func annotationMoves(n *Node) (out []Move) {
	if _, on := n.Annotations[KopsNeedsUpdate]; on {
		out = append(out, Move{By: MoverKops, Roll: true, Step: MoveForeseen, Mark: annotationMark + KopsNeedsUpdate, Limit: kopsLimit,
			Means:   text.ReplacedNextRoll(MoverKops.Name()),
			cordons: text.CordonedToEnd(kopsRoll)})
	}
	if at, on := n.Annotations[kuredReboots]; on {
		out = append(out, Move{By: MoverKured, Step: MoveUpdating, Mark: annotationMark + kuredReboots, Since: rfc3339(at),
			Means: text.Reboots(MoverKured.Name())})
	}
	handler := Move{By: MoverTwiN, Roll: true, Limit: twinLimit}
	step := func(annotation string, step MoveStep, means string) {
		if at, on := n.Annotations[annotation]; on {
			handler.Step, handler.Mark, handler.Since, handler.Means = step, annotationMark+annotation, rfc3339(at), means
		}
	}
	step(twinStarted, MoveDraining, text.HandlerReplaces(twin))
	step(twinDrained, MoveEnding, text.HandlerHasDrained(twin))
	step(twinTerminated, MoveEnding, text.HandlerHasEnded(twin))
	if handler.Step != "" {
		out = append(out, handler)
	}
	return out
}

// labelMoves reads the labels of the others.
func labelMoves(n *Node) (out []Move) {
	if request, on := n.Labels[cyclopsLabel]; on {
		out = append(out, Move{By: MoverCyclops, Roll: true, Step: MoveForeseen, Mark: labelMark + cyclopsLabel + "=" + request,
			Means:   text.WillReplaceSomeTime(MoverCyclops.Name()),
			cordons: text.CordonedToEnd(MoverCyclops.Name())})
	}
	if action, on := n.Labels[handlerAction]; on && action != "uncordon" && action != "UncordonAfterReboot" {
		out = append(out, Move{By: MoverHandler, Step: MoveForeseen, Mark: labelMark + handlerAction + "=" + action, Since: unix(n.Labels[handlerActionTime]), Limit: handlerLimit,
			Means:   text.ActsOnEvent(MoverHandler.Name()),
			cordons: text.CordonedForEvent(MoverHandler.Name())})
	}
	return out
}

// repairMoves reads the conditions of EKS's node monitoring agent: node repair, where it
// is on, replaces the node (EKS user guide, "Automatically repair nodes"), and leaves no
// mark of its own.
func repairMoves(n *Node) (out []Move) {
	for _, c := range n.Conditions {
		after := 30 * time.Minute
		switch c.Type {
		case "AcceleratedHardwareReady":
			after = 10 * time.Minute
		case "ContainerRuntimeReady", "KernelReady", "NetworkingReady", "StorageReady":
		default:
			continue
		}
		if !c.Off || n.Labels[EKSGroupKey] == "" {
			continue
		}
		out = append(out, Move{By: MoverEKSRepair, Step: MoveForeseen, Guess: true, Mark: conditionMark + c.Type + "=False", Since: c.Since,
			Means: text.RepairAfter(MoverEKSRepair.Name(), int(after.Minutes()))})
	}
	return out
}
