package api

import "time"

// CommandResult is the result of `pause`, `resume`, `approve` or `abort`.
type CommandResult struct {
	TypeMeta
	Command    string    `json:"command" enum:"command"` // The command
	Group      string    `json:"group"`                  // Name of the group
	Run        string    `json:"run"`                    // ID of its run
	Batch      int       `json:"batch,omitempty"`        // The batch that was to be approved
	Hash       string    `json:"hash,omitempty"`         // Its hash
	Answered   bool      `json:"answered"`               // The driver has answered
	Accepted   bool      `json:"accepted"`               // The driver does it
	Driver     string    `json:"driver,omitempty"`       // Who answered, user and host
	AnsweredAt time.Time `json:"answeredAt,omitzero"`    // When
	Message    string    `json:"message"`                // The answer; without one why there is none, a sentence
}

// Version is what `version -o json` prints.
type Version struct {
	TypeMeta
	Version   string `json:"version"`            // Version of drainboard
	Commit    string `json:"commit,omitempty"`   // Commit that it was built from
	Date      string `json:"date,omitempty"`     // Date of that commit
	Modified  bool   `json:"modified,omitempty"` // Modified: with changes that are in no commit
	GoVersion string `json:"goVersion"`          // GoVersion that it was built with
	Platform  string `json:"platform"`           // Platform is OS/ARCH
}
