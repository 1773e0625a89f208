package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Place is where an action is carried out.
type Place string

// Places.
const (
	InCluster        Place = "the cluster"
	InCloud          Place = "the cloud"
	InControlCluster Place = "the control cluster" // where a group's own controller has its objects
	InGardenCluster  Place = "the garden cluster"  // where the owner of a group says what it is to be like
	OnThisMachine    Place = "this machine"        // the user's own commands
)

// Kind describes one kind of action: all that the engine, its record, the executors and
// the docs know of it by its kind. A new kind is a constant of ActionKind, one entry in
// Kinds, and the function of the executor that carries it out.
type Kind struct {
	Name ActionKind
	// Means says what the action does, in a few words.
	Means string
	// Place is where it is carried out; a CheckEffect goes where the action goes that it
	// asks about.
	Place Place
	// Needs are the sources that must be fresh before it may be carried out. Reads need
	// none: they are how freshness comes back.
	Needs []world.Source
	// ReadOnly: it changes nothing.
	ReadOnly bool
	// Undo is the kind that takes off what this one puts on a node, "" for all others.
	Undo ActionKind
	// Rights it takes: verbs and resources of the Kubernetes API, IAM actions of AWS.
	Rights []string

	// requires is what the action must name to be looked up and carried out.
	requires []requirement
	// seen reports whether the world shows the effect; nil: only the answer tells it.
	seen func(Action, *world.World) bool
	// on reports whether a node shows the mark; only for kinds with an Undo.
	on func(Action, *world.Node) bool
	// sentence is the action in a few words.
	sentence func(Action) string
	// command is the kubectl or aws command that does the same; nil: no one command does.
	command func(Action) string
	// event, reason and message tell that it was accepted; without an event it is something
	// restored. Without a message it is the sentence.
	Event   EventType
	Reason  string
	Message func(Action) string
}

// requirement is a field that an action must have.
type requirement struct {
	name string
	has  func(Action) bool
}

var (
	hasTaint      = requirement{"taint", func(a Action) bool { return a.Taint != nil }}
	hasLabel      = requirement{"label", func(a Action) bool { return a.Label != "" }}
	hasAnnotation = requirement{"annotation", func(a Action) bool { return a.Annotation != "" }}
	hasTemplate   = requirement{"launch template", func(a Action) bool { return a.Template != nil }}
	hasImage      = requirement{"image", func(a Action) bool { return a.Image != "" }}
	hasSizes      = requirement{"sizes", func(a Action) bool { return a.Sizes != nil && a.From != nil }}
	hasProcess    = requirement{"process", func(a Action) bool { return a.Process != "" }} // without one, AWS would take all
	hasZone       = requirement{"zone", func(a Action) bool { return a.Zone != "" }}
	hasToken      = requirement{"token", func(a Action) bool { return a.Token != "" }}
	hasPod        = requirement{"pod", func(a Action) bool { return a.UID != "" && a.Pod != "" }}
	hasOrder      = requirement{"force order", func(a Action) bool { return a.Order != "" }}
	hasMachine    = requirement{"machine", func(a Action) bool { return a.Machine != "" }}
	hasGroup      = requirement{"group", func(a Action) bool { return a.Group != "" }}
	hasLimit      = requirement{"time limit", func(a Action) bool { return a.Limit > 0 }}
	hasObject     = requirement{"object", func(a Action) bool { return a.Object != "" }}
	hasReplicas   = requirement{"number of replicas", func(a Action) bool { return a.UID != "" && a.Replicas > 0 && a.FromReplicas > 0 }}
	hasPace       = requirement{"pace", func(a Action) bool { return a.Pace != nil && a.FromPace != nil }}
	hasAction     = requirement{"action to look up", func(a Action) bool { return a.Of != nil && a.Of.Kind != CheckEffect }}
)

var (
	needsCluster = []world.Source{world.Cluster}
	needsCloud   = []world.Source{world.Cloud}
)

// Kinds are all kinds of actions.
var Kinds = []Kind{
	{
		Name: CreateTemplate, Means: "create a version of the launch template with another image",
		Place: InCloud, Needs: needsCloud, Rights: []string{"ec2:CreateLaunchTemplateVersion"},
		requires: []requirement{hasGroup, hasTemplate, hasImage, hasToken},
		sentence: func(a Action) string { return text.MakeTemplateVersion(a.Image) },
		command: func(a Action) string {
			return fmt.Sprintf("aws ec2 create-launch-template-version --launch-template-id %s --source-version %d --launch-template-data ImageId=%s", a.Template.ID, a.Template.Version, a.Image)
		},
		Event: CapacityChanged,
	},
	{
		Name: SetTemplate, Means: "point the group at a version of its launch template",
		Place: InCloud, Needs: needsCloud, Rights: []string{"autoscaling:UpdateAutoScalingGroup"},
		requires: []requirement{hasGroup, hasTemplate},
		seen: func(a Action, w *world.World) bool {
			return w.Group.Template == *a.Template && w.Group.TemplateSpec == a.TemplateSpec
		},
		sentence: func(a Action) string {
			return text.SetTemplate(a.Template.ID, a.TemplateSpec)
		},
		command: func(a Action) string {
			if a.Mixed { // --launch-template would put a template in the policy's place
				return fmt.Sprintf(mixedTemplate, a.Group, a.Group, a.Template.ID, a.TemplateSpec)
			}
			return fmt.Sprintf("aws autoscaling update-auto-scaling-group --auto-scaling-group-name %s --launch-template 'LaunchTemplateId=%s,Version=%s'", a.Group, a.Template.ID, a.TemplateSpec)
		},
		Event: CapacityChanged,
	},
	{
		Name: SetSizes, Means: "set those of minimum, maximum and desired size that change, in one request, if all are still what they were",
		Place: InCloud, Needs: needsCloud, Rights: []string{"autoscaling:UpdateAutoScalingGroup"},
		requires: []requirement{hasGroup, hasSizes},
		seen:     func(a Action, w *world.World) bool { return a.SizeChange().IsIn(w.Group.Sizes) },
		sentence: func(a Action) string { return text.SetSizes(a.SizeChange().named()) },
		command: func(a Action) string {
			return "aws autoscaling update-auto-scaling-group --auto-scaling-group-name " + a.Group + a.SizeChange().flags()
		},
		Event: CapacityChanged,
	},
	{
		Name: Suspend, Means: "suspend a process of the group",
		Place: InCloud, Needs: needsCloud, Rights: []string{"autoscaling:SuspendProcesses"},
		requires: []requirement{hasGroup, hasProcess},
		seen:     func(a Action, w *world.World) bool { return w.Group.HasSuspended(a.Process) },
		sentence: func(a Action) string { return text.Suspend(a.Process) },
		command:  func(a Action) string { return processes("suspend", a) },
		Event:    CapacityChanged,
	},
	{
		Name: Resume, Means: "resume a process of the group",
		Place: InCloud, Needs: needsCloud, Rights: []string{"autoscaling:ResumeProcesses"},
		requires: []requirement{hasGroup, hasProcess},
		seen:     func(a Action, w *world.World) bool { return !w.Group.HasSuspended(a.Process) },
		sentence: func(a Action) string { return text.Resume(a.Process) },
		command:  func(a Action) string { return processes("resume", a) },
		Event:    CapacityChanged,
	},
	{
		Name: LaunchIn, Means: "launch one machine in a zone",
		Place: InCloud, Needs: needsCloud, Rights: []string{"autoscaling:LaunchInstances"},
		requires: []requirement{hasGroup, hasZone, hasToken},
		sentence: func(a Action) string { return text.LaunchIn(a.Zone) },
		command: func(a Action) string {
			return fmt.Sprintf("aws autoscaling launch-instances --auto-scaling-group-name %s --requested-capacity 1 --availability-zones %s", a.Group, a.Zone)
		},
		Event: CapacityChanged,
	},
	{
		Name: AddTaint, Means: "taint a node", Undo: RemoveTaint,
		Place: InCluster, Needs: needsCluster, Rights: patchNode,
		requires: []requirement{hasTaint},
		on:       func(a Action, n *world.Node) bool { return n.HasTaint(a.AsTaint()) },
		sentence: func(a Action) string { return text.Taint(a.Node, a.AsTaint().String()) },
		command:  func(a Action) string { return fmt.Sprintf("kubectl taint node %s %s", a.Node, a.AsTaint()) },
		Event:    NodeTainted, Message: func(a Action) string { return text.Tainted(a.AsTaint().String()) },
	},
	{
		Name: RemoveTaint, Means: "remove it",
		Place: InCluster, Needs: needsCluster, Rights: patchNode,
		requires: []requirement{hasTaint},
		sentence: func(a Action) string { return text.RemoveTaint(a.Node, a.AsTaint().String()) },
		command:  func(a Action) string { return fmt.Sprintf("kubectl taint node %s %s-", a.Node, a.AsTaint()) },
	},
	{
		Name: Cordon, Means: "cordon a node", Undo: Uncordon,
		Place: InCluster, Needs: needsCluster, Rights: patchNode,
		on:       func(_ Action, n *world.Node) bool { return n.Unschedulable },
		sentence: func(a Action) string { return text.Cordon(a.Node) },
		command:  func(a Action) string { return "kubectl cordon " + a.Node },
		Event:    NodeCordoned, Message: func(Action) string { return "cordoned" },
	},
	{
		Name: Uncordon, Means: "uncordon it",
		Place: InCluster, Needs: needsCluster, Rights: patchNode,
		sentence: func(a Action) string { return text.Uncordon(a.Node) },
		command:  func(a Action) string { return "kubectl uncordon " + a.Node },
	},
	{
		Name: AddLabel, Means: "label a node", Undo: RemoveLabel,
		Place: InCluster, Needs: needsCluster, Rights: patchNode,
		requires: []requirement{hasLabel},
		on: func(a Action, n *world.Node) bool {
			value, there := n.Labels[a.Label]
			return there && value == a.Value
		},
		sentence: func(a Action) string { return text.Label(a.Node, a.Label, a.Value) },
		command:  func(a Action) string { return fmt.Sprintf("kubectl label node %s %s=%s", a.Node, a.Label, a.Value) },
		Event:    NodeCordoned, Reason: "label", Message: func(a Action) string { return text.Labelled(a.Label, a.Value) },
	},
	{
		Name: RemoveLabel, Means: "remove it, if it still has the value that Drainboard set",
		Place: InCluster, Needs: needsCluster, Rights: patchNode,
		requires: []requirement{hasLabel},
		sentence: func(a Action) string { return text.RemoveLabel(a.Node, a.Label) },
		command:  func(a Action) string { return fmt.Sprintf("kubectl label node %s %s-", a.Node, a.Label) },
	},
	{
		Name: Annotate, Means: "annotate a node", Undo: Unannotate,
		Place: InCluster, Needs: needsCluster, Rights: patchNode,
		requires: []requirement{hasAnnotation},
		on: func(a Action, n *world.Node) bool {
			value, there := n.Annotations[a.Annotation]
			return there && value == a.Value
		},
		sentence: func(a Action) string { return text.Annotate(a.Node, a.Annotation, a.Value) },
		command: func(a Action) string {
			return fmt.Sprintf("kubectl annotate node %s %s=%s", a.Node, a.Annotation, a.Value)
		},
		Event: NodeTainted, Reason: "annotation", Message: func(a Action) string { return text.Annotated(a.Annotation, a.Value) },
	},
	{
		Name: Unannotate, Means: "remove it, if it still has the value that Drainboard set",
		Place: InCluster, Needs: needsCluster, Rights: patchNode,
		requires: []requirement{hasAnnotation},
		sentence: func(a Action) string { return text.RemoveAnnotation(a.Node, a.Annotation) },
		command:  func(a Action) string { return fmt.Sprintf("kubectl annotate node %s %s-", a.Node, a.Annotation) },
	},
	{
		Name: Evict, Means: "evict a pod by its UID",
		Place: InCluster, Needs: needsCluster, Rights: []string{"create pods/eviction"},
		requires: []requirement{hasPod},
		seen: func(a Action, w *world.World) bool {
			p := w.Pod(a.UID)
			return p == nil || p.Terminating()
		},
		sentence: func(a Action) string { return text.Evict(a.Namespace + "/" + a.Pod) },
		command: func(a Action) string {
			return fmt.Sprintf(`kubectl create --raw /api/v1/namespaces/%s/pods/%s/eviction -f - <<<'{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"%s","namespace":"%s"},"deleteOptions":{"preconditions":{"uid":"%s"}}}'`, a.Namespace, a.Pod, a.Pod, a.Namespace, a.UID)
		},
	},
	{
		Name: Delete, Means: "delete a pod by its UID, past its PDBs, by a recorded force order",
		Place: InCluster, Needs: needsCluster, Rights: []string{"delete pods"},
		requires: []requirement{hasPod, hasOrder},
		seen: func(a Action, w *world.World) bool {
			p := w.Pod(a.UID)
			return p == nil || a.Grace == nil && p.Terminating()
		},
		sentence: func(a Action) string { return text.Delete(a.Namespace + "/" + a.Pod) },
		command: func(a Action) string {
			cmd := "kubectl delete pod -n " + a.Namespace + " " + a.Pod
			if a.Grace != nil {
				cmd += fmt.Sprintf(" --grace-period=%d --force", *a.Grace)
			}
			return cmd
		},
	},
	{
		Name: LookAtPods, Means: "read a node and its pods past all caches",
		Place: InCluster, ReadOnly: true, Rights: []string{"get nodes", "list pods"},
		sentence: func(a Action) string { return text.ReadPods(a.Node) },
	},
	{
		Name: LookAtOwner, Means: "read the Deployment behind a pod, and what else decides on its replicas",
		Place: InCluster, ReadOnly: true, Rights: []string{"get replicasets", "get deployments", "list horizontalpodautoscalers"},
		requires: []requirement{hasPod},
		sentence: func(a Action) string { return text.LookAtOwner(a.Namespace + "/" + a.Pod) },
	},
	{
		Name: Scale, Means: "scale a Deployment, if it still has the number of replicas that it had",
		Place: InCluster, Needs: needsCluster, Rights: []string{"get deployments", "update deployments/scale"},
		requires: []requirement{hasObject, hasReplicas},
		sentence: func(a Action) string { return text.Scale(a.Namespace+"/"+a.Object, a.FromReplicas, a.Replicas) },
		command: func(a Action) string {
			return fmt.Sprintf("kubectl scale deployment %s -n %s --current-replicas=%d --replicas=%d", a.Object, a.Namespace, a.FromReplicas, a.Replicas)
		},
		Event: WorkloadScaled,
	},
	{
		Name: LookAtRoutes, Means: "read what routes to a node: its endpoints in EndpointSlices, and load balancers in front of every node",
		Place: InCluster, ReadOnly: true, Rights: []string{"list endpointslices", "list services"},
		sentence: func(a Action) string { return text.ReadRoutes(a.Node) },
	},
	{
		Name: LookAtBalancers, Means: "read which of its group's load balancers have a machine still, or connections to it",
		Place: InCloud, ReadOnly: true, Rights: []string{"elasticloadbalancing:DescribeTargetHealth", "elasticloadbalancing:DescribeInstanceHealth"},
		requires: []requirement{hasMachine},
		sentence: func(a Action) string { return text.ReadBalancers(a.Machine) },
	},
	{
		Name: Terminate, Means: "terminate a machine through its group",
		Place: InCloud, Needs: []world.Source{world.Cluster, world.Cloud}, Rights: []string{"autoscaling:TerminateInstanceInAutoScalingGroup", "ec2:TerminateInstances"},
		requires: []requirement{hasMachine},
		seen: func(a Action, w *world.World) bool {
			m := w.Machine(a.Machine)
			return m == nil || m.Leaving()
		},
		sentence: func(a Action) string { return text.Terminate(a.Machine) },
		command: func(a Action) string {
			if a.Direct {
				return "aws ec2 terminate-instances --instance-ids " + a.Machine
			}
			decrement := "--no-should-decrement-desired-capacity"
			if a.Decrement {
				decrement = strings.Replace(decrement, "--no-", "--", 1)
			}
			return fmt.Sprintf("aws autoscaling terminate-instance-in-auto-scaling-group --instance-id %s %s", a.Machine, decrement)
		},
		Event: NodeTerminating, Message: func(a Action) string {
			return text.TerminationAsked(a.Machine, a.Direct, a.Decrement)
		},
	},
	{
		Name: EndWarm, Means: "terminate a machine of the group's warm pool",
		Place: InCloud, Needs: needsCloud, Rights: []string{"ec2:TerminateInstances"},
		requires: []requirement{hasMachine, hasGroup},
		seen: func(a Action, w *world.World) bool {
			return !slices.ContainsFunc(w.Group.Warm, func(m world.Machine) bool { return m.ID == a.Machine && !m.Leaving() })
		},
		sentence: func(a Action) string { return text.EndWarm(a.Machine) },
		command:  func(a Action) string { return "aws ec2 terminate-instances --instance-ids " + a.Machine },
		Event:    CapacityChanged,
	},
	{
		Name: Detach, Means: "detach a machine from its group, which launches a replacement; tagged first",
		Place: InCloud, Needs: needsCloud, Rights: []string{"autoscaling:DetachInstances", "ec2:CreateTags", "ec2:DeleteTags"},
		requires: []requirement{hasMachine, hasGroup},
		seen: func(a Action, w *world.World) bool {
			m := w.Machine(a.Machine)
			return m != nil && (m.Detached || m.Leaving()) // between the two lists of a cloud it may be on none
		},
		sentence: func(a Action) string { return text.Detach(a.Machine) },
		command: func(a Action) string {
			tag := ""
			if a.Tag != "" {
				tag = fmt.Sprintf("aws ec2 create-tags --resources %s --tags Key=%s,Value=%s && ", a.Machine, a.Tag, a.Group)
			}
			return tag + fmt.Sprintf("aws autoscaling detach-instances --auto-scaling-group-name %s --instance-ids %s --no-should-decrement-desired-capacity", a.Group, a.Machine)
		},
		Event: InstanceDetached, Message: func(a Action) string { return text.Detached(a.Machine) },
	},
	{
		Name: Deregister, Means: "deregister a machine from its group's load balancers, until its connections have drained or a limit is over",
		Place: InCloud, Needs: needsCloud, Rights: []string{"elasticloadbalancing:DeregisterTargets", "elasticloadbalancing:DeregisterInstancesFromLoadBalancer"},
		requires: []requirement{hasMachine, hasGroup, hasLimit},
		sentence: func(a Action) string { return text.Deregister(a.Machine) },
		command: func(a Action) string {
			return atBalancers(a.Machine, a.Balancers, "deregister-targets", "deregister-instances-from-load-balancer")
		},
		Event: InstanceOut, Message: func(Action) string { return text.Deregistered },
	},
	{
		Name: Inspect, Means: "ask the cloud why a machine does not join",
		Place: InCloud, ReadOnly: true, Rights: []string{"ec2:DescribeInstanceStatus", "ec2:GetConsoleOutput"},
		requires: []requirement{hasMachine},
		sentence: func(a Action) string { return text.Inspect(a.Machine) },
	},
	{
		Name: CheckEffect, Means: "a direct read: did an earlier action happen?", ReadOnly: true,
		requires: []requirement{hasAction},
		sentence: func(a Action) string { return text.LookUp(KindOf(a.Of.Kind).sentence(*a.Of)) },
	},
	{
		Name: RunHook, Means: "the user's own commands before or after a node",
		Place:    OnThisMachine,
		sentence: func(a Action) string { return text.RunHooks(a.Side(), a.Node) },
	},
	request(HoldRoll, "pause a part of a group that its own controller rolls", CapacityChanged, "", "patch machinedeployments"),
	request(LetRoll, "resume it", CapacityChanged, "", "patch machinedeployments"),
	request(ForceMachine, "have the controller terminate a machine by force, by a recorded order", NodeTainted, string(ForceMachine), "patch machines"),
	request(Prioritize, "have the controller replace a machine earlier or later", NodeTainted, string(Prioritize), "patch machines"),
	setPace(),
	startUpdate(),
	setUpdateConfig(),
}

var patchNode = []string{"get nodes", "patch nodes"}

// kindsByName is an index of Kinds; undone says what each kind takes off.
var (
	kindsByName map[ActionKind]*Kind
	undone      = map[ActionKind]ActionKind{}
)

// The index is made here because an entry's functions may use it.
func init() {
	kindsByName = make(map[ActionKind]*Kind, len(Kinds))
	for i := range Kinds {
		k := &Kinds[i]
		kindsByName[k.Name] = k
		if k.Undo != "" {
			undone[k.Undo] = k.Name
			k.seen = func(a Action, w *world.World) bool {
				n := w.Node(a.Node)
				return n == nil || k.on(a, n)
			}
		}
	}
	for undo, put := range undone {
		k := kindsByName[put]
		kindsByName[undo].seen = func(a Action, w *world.World) bool {
			n := w.Node(a.Node)
			return n == nil || !k.on(a, n)
		}
	}
}

// KindOf describes a kind, an empty one if there is no such.
func KindOf(name ActionKind) *Kind {
	if k, known := kindsByName[name]; known {
		return k
	}
	return &Kind{Name: name, sentence: func(a Action) string { return string(a.Kind) + " " + a.Node }}
}

// Check reports what an action lacks without which it cannot be looked up.
func (a *Action) Check() error {
	if _, known := kindsByName[a.Kind]; !known {
		return fmt.Errorf("there is no action %q (%q)", a.Kind, a.Key)
	}
	if lacks := a.Lacks(); lacks != "" {
		return fmt.Errorf("the action %q has no %s", a.Key, lacks)
	}
	return nil
}

// Place is where the action is carried out, "" for one that there is not.
func (a Action) Place() Place {
	if a.Kind == CheckEffect && a.Of != nil && a.Of.Kind != CheckEffect {
		return a.Of.Place()
	}
	return KindOf(a.Kind).Place
}

// Needs lists the sources that must be fresh before the action may be carried out.
func (a Action) Needs() []world.Source { return KindOf(a.Kind).Needs }

// ReadOnly reports whether the action changes nothing.
func (a Action) ReadOnly() bool { return KindOf(a.Kind).ReadOnly }

// Lacks says what the action does not name and must, "" if nothing.
func (a Action) Lacks() string {
	for _, r := range KindOf(a.Kind).requires {
		if !r.has(a) {
			return r.name
		}
	}
	if a.Kind == CheckEffect {
		return a.Of.Lacks()
	}
	return ""
}

// Sentence is the action in a few words: "cordon a1".
func (a Action) Sentence() string { return KindOf(a.Kind).sentence(a) }

// Command is the kubectl or aws command that would do the same, "" where no one
// command does.
func (a Action) Command() string {
	if command := KindOf(a.Kind).command; command != nil {
		return command(a)
	}
	return ""
}

// Undoes reports whether the action takes off what another kind puts on a node.
func (a Action) Undoes() bool { return undone[a.Kind] != "" }

// IsSeen reports whether the world shows the action's effect.
func (a Action) IsSeen(w *world.World) bool {
	seen := KindOf(a.Kind).seen
	return seen != nil && seen(a, w)
}

// OnlyAnswered reports whether no picture of the world ever shows the action's effect.
func (a Action) OnlyAnswered() bool {
	k := KindOf(a.Kind)
	return k.seen == nil && !k.ReadOnly
}

// IsOn reports whether a node shows the mark that an action puts there.
func (a Action) IsOn(n *world.Node) bool {
	on := KindOf(a.Kind).on
	return on != nil && on(a, n)
}

// Opposite is the action that puts there what an action takes off; others are left as they are.
func (a Action) Opposite() Action {
	if put := undone[a.Kind]; put != "" {
		a.Kind = put
	}
	return a
}

func processes(verb string, a Action) string {
	return fmt.Sprintf("aws autoscaling %s-processes --auto-scaling-group-name %s --scaling-processes %s", verb, a.Group, a.Process)
}

// setPace describes the request to the owner's object of a group.
func setPace() Kind {
	k := request(SetPace, "set how many nodes of a group its own controller replaces at once, if that is still what it was", CapacityChanged, "", "patch shoots")
	k.Place, k.requires = InGardenCluster, []requirement{hasObject, hasGroup, hasPace}
	return k
}

// request describes a request to a group's own controller, which knows its words, its
// commands and its effects.
func request(name ActionKind, means string, event EventType, reason, right string) Kind {
	return Kind{
		Name: name, Means: means,
		Place: InControlCluster, Needs: needsCloud, Rights: []string{right},
		requires: []requirement{hasObject},
		seen: func(a Action, w *world.World) bool {
			c := selfdriven.Of(&w.Group)
			return c == nil || selfdriven.Seen(c, &w.Group, w.Machine(a.Machine), a.request())
		},
		sentence: func(a Action) string {
			what, _ := a.requested()
			return what
		},
		command: func(a Action) string {
			_, command := a.requested()
			return command
		},
		Event: event, Reason: reason,
	}
}

// startUpdate describes the request that has EKS start an update. Its effect is seen once EKS tells of the
// update by the id that was answered (Action.Value).
func startUpdate() Kind {
	return Kind{
		Name: StartUpdate, Means: "have EKS start an update of a managed node group, once for a token",
		Place: InCloud, Needs: needsCloud, Rights: []string{"eks:UpdateNodegroupVersion"},
		requires: []requirement{hasGroup, hasToken, {"update", func(a Action) bool { return a.Update != nil }}},
		seen: func(a Action, w *world.World) bool {
			return a.Value != "" && w.Group.Managed != nil && w.Group.Managed.Named(a.Value) != nil
		},
		sentence: func(a Action) string { return systems.EKSStart(a.Group, a.Update.Force) },
		command:  func(a Action) string { return a.Update.Command(a.Group) },
		Event:    CapacityChanged, Reason: "update",
		Message: func(a Action) string { return systems.EKSStartedBy(a.Value) },
	}
}

// setUpdateConfig describes the request to EKS for another update configuration of a managed node group. Its effect is
// seen once EKS's update of the configuration is over, however it ended.
func setUpdateConfig() Kind {
	return Kind{
		Name: SetUpdateConfig, Means: "set how EKS updates a managed node group (maxUnavailable, update strategy), if that is still what it was, once for a token",
		Place: InCloud, Needs: needsCloud, Rights: []string{"eks:UpdateNodegroupConfig"},
		requires: []requirement{hasGroup, hasToken, {"update configuration", func(a Action) bool { return a.Update != nil && a.FromConfig != nil }}},
		seen: func(a Action, w *world.World) bool {
			m := w.Group.Managed
			return a.Value != "" && m != nil && !m.ConfigOld && m.Configured != nil && m.Configured.ID != a.Last && m.Configured.Over()
		},
		sentence: func(a Action) string {
			return systems.SetConfig(a.FromConfig.String(), a.Update.Config.String(), a.Group)
		},
		command: func(a Action) string { return a.Update.ConfigCommand(a.Group) },
		Event:   CapacityChanged, Reason: "update configuration",
		Message: func(a Action) string {
			return systems.SetConfig(a.FromConfig.String(), a.Update.Config.String(), a.Group) + ": " + text.EKSUpdate(a.Value)
		},
	}
}
