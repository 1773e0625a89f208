package record

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/world"
)

// ActionKind says what an action asks for.
type ActionKind string

// The actions; Kinds describes each.
const (
	CreateTemplate  ActionKind = "create-template" // a new version of the launch template with Image
	SetTemplate     ActionKind = "set-template"    // point the group at Template (or at TemplateSpec)
	SetSizes        ActionKind = "set-sizes"       // set those of min, max and desired that differ from From, if they are still From
	Suspend         ActionKind = "suspend"         // stop a process of the group
	Resume          ActionKind = "resume"          // let a process of the group act again
	LaunchIn        ActionKind = "launch-in"       // launch one machine in Zone
	AddTaint        ActionKind = "taint"
	RemoveTaint     ActionKind = "untaint"
	Cordon          ActionKind = "cordon"
	Uncordon        ActionKind = "uncordon"
	AddLabel        ActionKind = "label"
	RemoveLabel     ActionKind = "unlabel"
	Annotate        ActionKind = "annotate"
	Unannotate      ActionKind = "unannotate"
	Evict           ActionKind = "evict"      // through the eviction API, with the pod's UID
	Delete          ActionKind = "delete"     // past the budgets; only by a recorded force order
	LookAtPods      ActionKind = "look"       // a consistent read of the pods on a node
	LookAtOwner     ActionKind = "look-owner" // a read of the Deployment behind a pod
	Scale           ActionKind = "scale"      // set the Deployment Object to Replicas, if it still has FromReplicas
	LookAtRoutes    ActionKind = "routes"     // a read of what routes to a node
	LookAtBalancers ActionKind = "balancers"  // a read of which of the group's load balancers have a machine
	Terminate       ActionKind = "terminate"  // end a machine through its group
	EndWarm         ActionKind = "end-warm"   // end a machine of the group's warm pool
	Detach          ActionKind = "detach"     // take a machine out of its group, which launches another in its place; tagged first
	Deregister      ActionKind = "deregister" // take a machine out of the group's load balancers, until their connections are over or Limit is
	Inspect         ActionKind = "inspect"    // ask the cloud what is wrong with a machine that does not join
	CheckEffect     ActionKind = "check"      // a direct read: did the action Of happen?
	RunHook         ActionKind = "run-hook"   // the user's own commands before or after a node

	// Of the controller that drives the group by itself, on its own objects (selfdriven.Request).
	HoldRoll     ActionKind = "hold-roll"     // its part Object begins with no further node
	LetRoll      ActionKind = "let-roll"      // it continues
	ForceMachine ActionKind = "force-machine" // the machine Object goes by force
	Prioritize   ActionKind = "prioritize"    // the machine Object goes earlier or later, by Priority

	// Of the owner of a group that its own controller rolls (selfdriven.Paced).
	SetPace ActionKind = "set-pace" // how many nodes of Group go at once: Pace, if it is still FromPace

	// Of EKS, for a managed node group.
	StartUpdate     ActionKind = "start-update"      // EKS updates Group to Update, once for a Token
	SetUpdateConfig ActionKind = "set-update-config" // EKS updates Group by Update.Config, if that is still FromConfig, once for a Token
)

// Action is one change (or direct read) that a decision asks for. It is a plain
// value: the run keeps it while it is pending.
type Action struct {
	Kind ActionKind `json:"kind"`
	// Key names the action: no two with one key are ever under way together.
	Key     string `json:"key"`
	Node    string `json:"node,omitempty"`
	Machine string `json:"machine,omitempty"`
	Zone    string `json:"zone,omitempty"`

	// Namespace, Pod and UID name the pod of an eviction or a delete.
	Namespace string `json:"namespace,omitempty"`
	Pod       string `json:"pod,omitempty"`
	UID       string `json:"uid,omitempty"`
	// Grace overrides the pod's own grace period, in seconds; nil leaves it.
	Grace *int64 `json:"grace,omitempty"`
	// Order is the force order that allows a Delete.
	Order string `json:"order,omitempty"`

	Taint *world.Taint `json:"taint,omitempty"`
	// Label and Value of AddLabel and RemoveLabel, Annotation and Value of Annotate and
	// Unannotate.
	Label      string `json:"label,omitempty"`
	Annotation string `json:"annotation,omitempty"`
	Value      string `json:"value,omitempty"`

	Group        string          `json:"group,omitempty"`
	Process      string          `json:"process,omitempty"`
	Template     *world.Template `json:"template,omitempty"`
	TemplateSpec string          `json:"templateSpec,omitempty"`
	Image        string          `json:"image,omitempty"`
	// Mixed: the group of a SetTemplate has a mixed instances policy, which has to be sent
	// with the template in it.
	Mixed bool `json:"mixed,omitempty"`
	// Token makes a CreateTemplate, LaunchIn, StartUpdate or SetUpdateConfig that is asked twice happen once.
	Token string `json:"token,omitempty"`
	// Sizes are to be set, if the group still has From; see SizeChange for what is sent.
	Sizes *world.Sizes `json:"sizes,omitempty"`
	From  *world.Sizes `json:"from,omitempty"`
	// Decrement: the group does not replace the machine it ends.
	Decrement bool `json:"decrement,omitempty"`
	// Direct: the machine is ended without asking its group, which then replaces it unless
	// it is detached.
	Direct bool `json:"direct,omitempty"`

	// Replicas are to be set for the Deployment Object of Namespace (with UID), if it still has FromReplicas.
	Replicas     int `json:"replicas,omitempty"`
	FromReplicas int `json:"fromReplicas,omitempty"`

	// Object is what is changed of the objects of a Controller (selfdriven.Controller.ID), in
	// Namespace there; Priority decides which machine goes first, the lowest.
	Controller string `json:"controller,omitempty"`
	Object     string `json:"object,omitempty"`
	Priority   int    `json:"priority,omitempty"`
	// Pace is to be set in Object, if it is still FromPace there.
	Pace     *world.Pace `json:"pace,omitempty"`
	FromPace *world.Pace `json:"fromPace,omitempty"`

	// Update is what a StartUpdate asks for. Last is the latest update of the group's nodes that was known then: one
	// that is known later is newer. Value is the id of the one that was started, once it was answered.
	// A SetUpdateConfig asks for the Config of Update, if the group still has FromConfig; Last and Value are then of
	// updates of the configuration.
	Update     *UpdateRequest      `json:"update,omitempty"`
	FromConfig *world.UpdateConfig `json:"fromConfig,omitempty"`
	Last       string              `json:"last,omitempty"`

	// Balancers that a Deregister takes the machine out of, as far as they were known, and those that a
	// LookAtBalancers asks.
	Balancers []string `json:"balancers,omitempty"`
	// Tag is what a Detach puts on the machine first, with the group's name.
	Tag string `json:"tag,omitempty"`

	// Phase of a RunHook; Limit is how long its hooks, or a Deregister, may take.
	Phase HookPhase     `json:"phase,omitempty"`
	Limit time.Duration `json:"limit,omitempty"`

	// Of is the action that a CheckEffect asks about.
	Of *Action `json:"of,omitempty"`
}

// request is what an action asks of a controller.
func (a Action) request() selfdriven.Request {
	r := selfdriven.Request{Kind: selfdriven.Kind(a.Kind), Namespace: a.Namespace, Object: a.Object, Priority: a.Priority}
	if a.Pace != nil && a.FromPace != nil {
		r.Group, r.Pace, r.From = a.Group, *a.Pace, *a.FromPace
	}
	return r
}

// requested says what an action asks of a controller in a few words, and as a command.
func (a Action) requested() (what, command string) {
	if c := selfdriven.Named(a.Controller); c != nil {
		return c.Describe(a.request())
	}
	return string(a.Kind) + " " + a.Object, ""
}

// mixedTemplate sends a mixed instances policy back as it is, with another template version.
// Descriptions have both id and name of each template; a request may have only one.
const mixedTemplate = `aws autoscaling update-auto-scaling-group --auto-scaling-group-name %s --mixed-instances-policy "$(aws autoscaling describe-auto-scaling-groups --auto-scaling-group-names %s --output json` +
	` | jq '.AutoScalingGroups[0].MixedInstancesPolicy | .LaunchTemplate.LaunchTemplateSpecification = {LaunchTemplateId: "%s", Version: "%s"} | del(.LaunchTemplate.Overrides[]?.LaunchTemplateSpecification.LaunchTemplateName)')"`

// atBalancers is the command that takes a machine out of load balancers, or registers it
// with them; "" without any.
func atBalancers(machine string, balancers []string, target, classic string) string {
	var out []string
	for _, b := range balancers {
		if strings.HasPrefix(b, "arn:") {
			out = append(out, fmt.Sprintf("aws elbv2 %s --target-group-arn %s --targets Id=%s", target, b, machine))
		} else {
			out = append(out, fmt.Sprintf("aws elb %s --load-balancer-name %s --instances %s", classic, b, machine))
		}
	}
	return strings.Join(out, " && ")
}

// Verdict is what became of an action.
type Verdict string

const (
	// Done: the API accepted it (for a look or a check: it was answered).
	Done Verdict = "done"
	// Refused: the API said no, and nothing happened.
	Refused Verdict = "refused"
	// Unknown: the answer was lost; it may have happened.
	Unknown Verdict = "unknown"
)

// Refusal says what kind of no it was.
type Refusal string

// Refusals. What each leads to is decided where the action came from.
const (
	RefusedBudget    Refusal = "budget"      // 429: the budget allows no eviction now
	RefusedBudgets   Refusal = "two budgets" // 500: more than one budget covers the pod
	RefusedWebhook   Refusal = "webhook"     // an admission webhook denied it
	RefusedForbidden Refusal = "forbidden"   // our rights do not allow it
	RefusedGone      Refusal = "gone"        // the object is not there (any more)
	RefusedConflict  Refusal = "conflict"    // it changed under us: look again
	RefusedInvalid   Refusal = "invalid"     // the request itself cannot be served
	RefusedBusy      Refusal = "busy"        // throttled, or the API is in trouble: later
	RefusedStale     Refusal = "stale"       // our own executor: what we know is too old to act on
	RefusedCapacity  Refusal = "capacity"    // the cloud has no machine of this kind now
	RefusedJournal   Refusal = "journal"     // our own executor: what is forced could not be written down first
	RefusedHook      Refusal = "hook"        // a hook said no, failed, or took too long
)

// Outcome is what came of an action. The executor makes it, the engine takes it
// as input.
type Outcome struct {
	Key     string    `json:"key"`
	At      time.Time `json:"at"`
	Verdict Verdict   `json:"verdict"`
	Refusal Refusal   `json:"refusal,omitempty"`
	// Message is the API's own words, or the error's.
	Message string `json:"message,omitempty"`
	// After is how long the API asks us to wait before trying again.
	After time.Duration `json:"after,omitempty"`

	// Pods answers a LookAtPods: what is on the node by a consistent read.
	Pods []*world.Pod `json:"pods,omitempty"`
	// Unschedulable answers a LookAtPods: the node was cordoned at that read.
	Unschedulable bool `json:"unschedulable,omitempty"`
	// Happened answers a CheckEffect.
	Happened bool `json:"happened,omitempty"`
	// Shrunk answers a CheckEffect of a Terminate with decrement: by the group's own history
	// a request took its desired size down with the machine.
	Shrunk bool `json:"shrunk,omitempty"`
	// Already answers a Terminate: the machine was ending before, so that this
	// request took nothing down; and a Deregister: it was in no load balancer.
	Already bool `json:"already,omitempty"`
	// Lines answer an Inspect: the machine's state, why it is so, and the last lines
	// of its console as far as we may read them.
	Lines []string `json:"lines,omitempty"`
	// Deployment answers a LookAtOwner, nil where no Deployment owns the pod.
	Deployment *world.Deployment `json:"deployment,omitempty"`
	// Routes answer a LookAtRoutes: what routes to the node.
	Routes []Route `json:"routes,omitempty"`
	// Balancers answer a LookAtBalancers: those that have the machine still, or connections to it.
	Balancers []string `json:"balancers,omitempty"`
	// Template answers a CreateTemplate.
	Template *world.Template `json:"template,omitempty"`
	// Update answers a StartUpdate and a SetUpdateConfig: the id of EKS's update.
	Update string `json:"update,omitempty"`
}

// Route leads traffic to a node.
type Route struct {
	// Service and Pod are "namespace/name"; a pod is what an endpoint stands for, "" where none is named.
	Service string `json:"service"`
	Pod     string `json:"pod,omitempty"`
	// EveryNode: a load balancer uses a port of every node.
	EveryNode bool `json:"everyNode,omitempty"`
}

// Cleaned is the outcome with all that others have worded clean.
func (o Outcome) Cleaned() Outcome {
	o.Message = world.Clean(o.Message)
	if o.Deployment != nil {
		o.Deployment = o.Deployment.Clean()
	}
	o.Lines = slices.Clone(o.Lines)
	for i, line := range o.Lines {
		o.Lines[i] = world.Clean(line)
	}
	o.Routes = slices.Clone(o.Routes)
	for i, r := range o.Routes {
		o.Routes[i].Service, o.Routes[i].Pod = world.Clean(r.Service), world.Clean(r.Pod)
	}
	o.Balancers = slices.Clone(o.Balancers)
	for i, name := range o.Balancers {
		o.Balancers[i] = world.Clean(name)
	}
	o.Pods = slices.Clone(o.Pods)
	for i, p := range o.Pods {
		o.Pods[i] = p.Clean()
	}
	return o
}

// giveUp is how many times a change may be refused for a reason that does not pass by
// itself before the run ends. Troubles in between, which pass, do not count for or
// against.
const giveUp = 3

// Hopeless reports whether asking again will not help.
func (r Retry) Hopeless() bool { return r.Denied >= giveUp }

// RaiseKey is the key of the action that raises the group.
const RaiseKey = "raise"

// PaceKey is the key of the action that sets the pace of a group's own controller, and
// RestorePaceKey of the one that restores it.
const (
	PaceKey        = "pace"
	RestorePaceKey = "restore-pace"
)

// RestoreMaxKey is the key of the action that gives the group its maximum size back.
const RestoreMaxKey = "restore-max"

// LowerKey is the key of the action that sets the desired size to the machines that there are,
// and KeepKey of the one that sets it back where there are more.
const (
	LowerKey = "lower"
	KeepKey  = "keep"
)

// RestoreTemplate is the key of the action that gives the group its template back.
const RestoreTemplate = "restore-template"

// DeferralKey names a yield: the machine, and who takes it out of service.
func DeferralKey(machine, who string) string { return machine + "/" + who }

func DetachKey(machine string) string { return "detach/" + machine }

func EvictKey(uid string) string { return "evict/" + uid }

func DeleteKey(uid string) string { return "delete/" + uid }

func HookKey(phase HookPhase, machine string) string { return "hook/" + string(phase) + "/" + machine }

func BalancersKey(machine string) string { return "balancers/" + machine }

func RoutesKey(machine string) string { return "routes/" + machine }

func DeregisterKey(machine string) string { return "deregister/" + machine }

// ExcludeLabel takes a node out of the load balancers that Kubernetes' service
// controller keeps (k8s.io/api/core/v1 LabelNodeExcludeBalancers).
const ExcludeLabel = "node.kubernetes.io/exclude-from-external-load-balancers"
