package record

import (
	"strings"

	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// StartUpdateKey is the key of the action that has EKS start an update.
const StartUpdateKey = "start-update"

// UpdateRequest is what EKS is asked to update a managed node group to. What is "" is left to EKS: the
// cluster's Kubernetes version, its recommended release, the version of the user's launch template that the
// group has.
type UpdateRequest struct {
	Cluster    string `json:"cluster"`
	Kubernetes string `json:"kubernetes,omitempty"`
	Release    string `json:"release,omitempty"`
	// Template is the user's own launch template, TemplateVersion its version.
	Template        string `json:"template,omitempty"`
	TemplateVersion string `json:"templateVersion,omitempty"`
	// Force: EKS deletes the pods that PDBs keep.
	Force bool `json:"force,omitempty"`
}

// Command is the aws command that starts the update of a node group.
func (r UpdateRequest) Command(group string) string {
	return text.EKSUpdateCommand(r.Cluster, group, r.Kubernetes, r.Release, r.Template, r.TemplateVersion, r.Force)
}

// Contradicts says what of an update that EKS carries out is not what is asked for, "" if nothing is. What
// one of them does not name contradicts nothing.
func (r UpdateRequest) Contradicts(u *world.ManagedUpdate) string {
	var other []string
	differs := func(what func(has, asked string) string, asked, has string) {
		if asked != "" && has != "" && asked != has && !strings.HasPrefix(asked, "$") {
			other = append(other, what(has, asked))
		}
	}
	differs(text.EKSOtherVersion, r.Kubernetes, u.Version)
	differs(text.EKSOtherRelease, r.Release, u.Release)
	differs(text.EKSOtherTemplate, r.TemplateVersion, u.TemplateVersion)
	return strings.Join(other, "; ")
}
