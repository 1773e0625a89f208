package api

import "time"

// PlanComparison is what `plan GROUP --compare` prints: the same run by several settings, rehearsed side by
// side.
type PlanComparison struct {
	TypeMeta
	Group string             `json:"group"` // Name of the group
	AsOf  time.Time          `json:"asOf"`  // When the cluster was read
	Items []ComparedSettings `json:"items"` // The settings; those of the command line come first
}

// ComparedSettings are settings of a run, and the result they would have.
type ComparedSettings struct {
	Flags             []string   `json:"flags"`                  // The flags for it, beside those of the command line; none: as given
	Strategy          string     `json:"strategy"`               // The rules by which it would go
	NodesAtOnce       int        `json:"nodesAtOnce"`            // How many nodes may be out of service at once: maxUnavailable resolved
	SurgeNodes        int        `json:"surgeNodes"`             // How many more nodes there will be for a while
	EstimatedDuration Duration   `json:"estimatedDuration"`      // How long the run takes, or until it would make no further progress
	Forecast          *Forecast  `json:"forecast,omitempty"`     // How it would end, and when; missing where it was not rehearsed
	Rehearsal         *Rehearsal `json:"rehearsal,omitempty"`    // The result of the rehearsal
	Load              *RunLoad   `json:"load,omitempty"`         // What it does to the workloads and to the bill
	NotEvaluated      string     `json:"notEvaluated,omitempty"` // Why there is no forecast
}

// RunLoad is what a run does to the workloads and to the bill, as far as it was rehearsed.
type RunLoad struct {
	PodsMoved         int      `json:"podsMoved"`                   // How many pods are evicted or deleted
	Moves             int      `json:"moves"`                       // How often, in all: a pod that lands on a node that has to go too moves again
	LowestHeadroom    int      `json:"lowestHeadroom"`              // The fewest healthy pods that a PDB has above the number that it requires; negative: below it
	LowestHeadroomPDB string   `json:"lowestHeadroomPDB,omitempty"` // Which PDB, namespace/name; missing where there is none, or no pod moves
	PodsWaiting       int      `json:"podsWaiting"`                 // How many pods at most find no room at once while it lasts, for more than 20 s
	LongestWaiting    Duration `json:"longestWaiting"`              // For how long one of them does
	ExtraInstanceTime Duration `json:"extraInstanceTime"`           // Time of all instances above the number before the run, terminating ones included
}
