package api

import (
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// Event is one line of `upgrade --auto -o json`, and of an abort without a driver.
type Event struct {
	TypeMeta
	EventFields
}

// HookEvent is what a hook gets on standard input, and a webhook with format json.
type HookEvent struct {
	TypeMeta
	Hook     string `json:"hook" enum:"hook"`   // The moment that the hook is called for
	Cluster  string `json:"cluster"`            // Name of the kubeconfig context or the cluster
	Instance string `json:"instance,omitempty"` // ID of the node's instance, of before-node and after-node
	EventFields
}

// EventFields describe something that happened.
type EventFields struct {
	Time              time.Time  `json:"time"`                               // When it happened, by the cluster's clock
	Run               string     `json:"run"`                                // ID of the run; empty where the group has none, or a roll as a whole is meant
	Group             string     `json:"group"`                              // Name of the group; empty where a roll as a whole is meant
	Roll              string     `json:"roll,omitempty"`                     // ID of the roll that the run belongs to
	Type              string     `json:"type" enum:"eventType"`              // What happened (docs/reference/events.md)
	Phase             string     `json:"phase,omitempty"`                    // Phase of the run
	Node              string     `json:"node,omitempty"`                     // Name of the node
	Zone              string     `json:"zone,omitempty"`                     // Zone of the node
	Pod               string     `json:"pod,omitempty"`                      // Pod, namespace/name
	Budget            string     `json:"budget,omitempty"`                   // PDB, namespace/name; two are joined by a comma
	By                string     `json:"by,omitempty"`                       // Who did it, where that is not the run (pod.forced by the group's own controller)
	Inferred          bool       `json:"inferred,omitempty"`                 // It follows from what was seen: nothing that is read says so
	Batch             int        `json:"batch,omitempty"`                    // Number of the batch
	Reason            string     `json:"reason,omitempty"`                   // A word for programs, such as a type of blocker; or who or what asked for it
	Until             *time.Time `json:"until,omitempty"`                    // When the wait ends that begins now
	Message           string     `json:"message,omitempty"`                  // A sentence for people
	Result            string     `json:"result,omitempty" enum:"result"`     // How the run ended, of run.finished and roll.group
	ExitCode          *int       `json:"exitCode,omitempty" enum:"exitCode"` // Exit code of run.finished, roll.group and roll.finished
	EquivalentCommand string     `json:"equivalentCommand,omitempty"`        // The kubectl or aws command that makes the same change
}

// EventOf is an event for programs.
func EventOf(e record.Event) Event { return Event{EventFields: FieldsOf(e)} }

// FieldsOf are the fields of an event for programs.
func FieldsOf(e record.Event) EventFields {
	return EventFields{
		Time: e.Time, Run: e.Run, Group: e.Group, Roll: e.Roll, Type: string(e.Type), Phase: e.Phase, Node: e.Node, Zone: e.Zone,
		Pod: e.Pod, Budget: e.Budget, By: e.By, Inferred: e.Inferred, Batch: e.Batch, Reason: Reason(e.Reason), Until: e.Until, Message: e.Message,
		Result: Word(e.Result), ExitCode: e.ExitCode, EquivalentCommand: e.Command,
	}
}
