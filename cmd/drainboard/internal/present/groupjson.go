package present

import (
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// Group is a group for programs (docs/json.md).
type Group struct {
	Name string `json:"name"`
	// InstanceGroup is what kops calls it, "" for a group that is none of kops's.
	InstanceGroup string     `json:"instanceGroup,omitempty"`
	ID            string     `json:"id,omitempty"`
	Provider      string     `json:"provider"`
	Role          world.Role `json:"role,omitempty"`
	Zones         []string   `json:"zones"`
	// Template and Image are what it launches from now, Suspended its processes that do not
	// act. A worker pool has none of these, but Pool.
	Template  *Template `json:"template,omitempty"`
	Image     string    `json:"image,omitempty"`
	Suspended []string  `json:"suspended,omitempty"`
	Pool      *Pool     `json:"pool,omitempty"`
	// Min, Max and Desired are its sizes, the first two missing where they are not known.
	Min     *int `json:"min,omitempty"`
	Max     *int `json:"max,omitempty"`
	Desired int  `json:"desired"`
	// Machines are those that count, Outdated those of them to be replaced or updated.
	Machines int `json:"machines"`
	Outdated int `json:"outdated"`
	// Detached are the ids of machines that were taken out of the group and still run.
	Detached []string `json:"detached,omitempty"`
	// Running is the state of its unfinished run, "" if it has none.
	Running string             `json:"running,omitempty"`
	Others  []engine.MoverView `json:"others,omitempty"`
	// Refused says why no run can start on it now.
	Refused string `json:"refused,omitempty"`
}

// Template is a launch template's version; Spec is as the group has it: a number, $Latest
// or $Default.
type Template struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Version int64  `json:"version"`
	Spec    string `json:"spec,omitempty"`
}

// GroupsOf are groups for programs.
func GroupsOf(rows []GroupRow) []Group {
	out := make([]Group, len(rows))
	for i, g := range rows {
		of := Group{
			Name: g.Name, InstanceGroup: g.InstanceGroup, ID: g.ID, Provider: g.Provider, Role: g.Role, Zones: append([]string{}, g.Zones...),
			Image: g.Image, Suspended: g.Suspended, Pool: g.Worker, Desired: g.Sizes.Desired, Machines: g.Machines, Outdated: g.Outdated,
			Detached: g.Detached, Running: g.Running, Others: g.Others, Refused: Refused(g),
		}
		if g.Template.ID != "" {
			of.Template = &Template{ID: g.Template.ID, Name: g.TemplateName, Version: g.Template.Version, Spec: g.TemplateSpec}
		}
		if g.bounded() {
			of.Min, of.Max = &g.Sizes.Min, &g.Sizes.Max
		}
		out[i] = of
	}
	return out
}
