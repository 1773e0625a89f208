package api

import "time"

// ShootChangePlan is what `plan` of a change of a Shoot prints.
type ShootChangePlan struct {
	TypeMeta
	Shoot        string           `json:"shoot"`                // The Shoot, namespace/name
	AsOf         time.Time        `json:"asOf"`                 // When it was read
	Refused      bool             `json:"refused"`              // Gardener's API takes nothing of the change
	Refusals     []ShootRefusal   `json:"refusals"`             // Why
	Start        ChangeStart      `json:"start"`                // When the change is rolled out
	TimeWindow   *ShootTimeWindow `json:"timeWindow,omitempty"` // The maintenance time window, where it can be read
	Pools        []ChangedPool    `json:"pools"`                // What each worker pool gets
	OtherChanges []string         `json:"otherChanges"`         // Other fields of the spec that change, which are not judged
	Notes        []string         `json:"notes"`                // What to know before it is applied, a sentence each
}

// ShootRefusal is a reason for which Gardener's API refuses a change.
type ShootRefusal struct {
	Rule    string `json:"rule" enum:"shootRule"` // The rule (docs/reference/shoots.md)
	Pool    string `json:"pool,omitempty"`        // The pool it is about; missing where it is about the Shoot
	Field   string `json:"field"`                 // The field
	Old     string `json:"old,omitempty"`         // Its value now
	New     string `json:"new,omitempty"`         // Its value after the change
	Message string `json:"message"`               // Why it is refused
}

// ChangeStart is when a change is rolled out.
type ChangeStart struct {
	When     string    `json:"when" enum:"startWhen"` // now, in the maintenance time window, or never
	OpensAt  time.Time `json:"opensAt,omitzero"`      // When that window opens
	ClosesAt time.Time `json:"closesAt,omitzero"`     // When it closes
	Message  string    `json:"message"`               // Why then
}

// ShootTimeWindow is the maintenance time window of a Shoot.
type ShootTimeWindow struct {
	Begin    string    `json:"begin"`    // As the Shoot has it: 220000+0100
	End      string    `json:"end"`      // As the Shoot has it
	Open     bool      `json:"open"`     // It is open now
	OpensAt  time.Time `json:"opensAt"`  // When it opens, or has opened
	ClosesAt time.Time `json:"closesAt"` // When it closes
}

// ChangedPool is what a change does to a worker pool.
type ChangedPool struct {
	Pool           string          `json:"pool"`                     // Name of the pool
	UpdateStrategy string          `json:"updateStrategy"`           // Its update strategy
	Effect         string          `json:"effect" enum:"effect"`     // What it gets: the gravest of its causes'
	Causes         []ChangeCause   `json:"causes"`                   // The fields that change
	StrategySwitch *StrategySwitch `json:"strategySwitch,omitempty"` // Its update strategy changes
	UpdatePending  bool            `json:"updatePending"`            // An update in place is not finished
	Forced         bool            `json:"forced"`                   // It takes changes all the same
	Minimum        int             `json:"minimum"`                  // How few nodes it may have
	Maximum        int             `json:"maximum"`                  // How many nodes it may have
	Zones          []string        `json:"zones"`                    // Its zones
	Pace           *RollPace       `json:"pace,omitempty"`           // How its nodes are taken, if any is
	Notes          []string        `json:"notes"`                    // What to know of it, a sentence each
}

// ChangeCause is a field that changes, and what that does.
type ChangeCause struct {
	Field         string `json:"field"`                           // The field
	Old           string `json:"old"`                             // Its value now; empty where it is not set
	New           string `json:"new"`                             // Its value after the change; empty where it is not set
	Effect        string `json:"effect" enum:"effect"`            // What that does
	Message       string `json:"message,omitempty"`               // Why
	Rule          string `json:"rule,omitempty" enum:"shootRule"` // The rule that forbids it
	Documentation string `json:"documentation,omitempty"`         // What Gardener's documentation says instead: it …
}

// StrategySwitch is a change of an update strategy.
type StrategySwitch struct {
	From    string `json:"from"`    // The strategy now
	To      string `json:"to"`      // The strategy after the change
	Allowed bool   `json:"allowed"` // Gardener's API takes it
	Message string `json:"message"` // What it does, or why it is forbidden
}

// RollPace is how the nodes of a pool are taken.
type RollPace struct {
	MaxSurge       string            `json:"maxSurge,omitempty"`       // Of the whole pool, a number or a percentage
	MaxUnavailable string            `json:"maxUnavailable,omitempty"` // Of the whole pool, a number or a percentage
	ZoneShares     []ZoneShare       `json:"zoneShares"`               // The share of each zone
	Timeouts       []ControllerLimit `json:"timeouts"`                 // What machine-controller-manager waits for, and how often it tries
	Notes          []string          `json:"notes"`                    // What to know of it, a sentence each
}

// ZoneShare is the share of one zone.
type ZoneShare struct {
	Zone           string `json:"zone"`           // Name of the zone
	MaxSurge       string `json:"maxSurge"`       // A number, or a percentage of the zone's machines
	MaxUnavailable string `json:"maxUnavailable"` // A number, or a percentage of the zone's machines
}

// ControllerLimit is a limit of machine-controller-manager.
type ControllerLimit struct {
	Name          string `json:"name"`                    // As machineControllerManager of the worker has it
	Value         string `json:"value"`                   // A duration or a number
	Default       bool   `json:"default"`                 // The pool does not set it
	Then          string `json:"then"`                    // What happens when it is reached
	Documentation string `json:"documentation,omitempty"` // What Gardener's documentation says instead
}
