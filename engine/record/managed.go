package record

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// StartUpdateKey is the key of the action that has EKS start an update. UpdateConfigKey is that of the one that sets how
// EKS updates the group, RestoreConfigKey of the one that restores it.
const (
	StartUpdateKey   = "start-update"
	UpdateConfigKey  = "update-config"
	RestoreConfigKey = "restore-update-config"
)

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
	// Config is how EKS is to update the group while the run lasts; what is "" stays as it is.
	Config world.UpdateConfig `json:"config,omitzero"`
	// Retry is how often EKS is asked again at most after an update has failed.
	Retry int `json:"retry,omitempty"`
	// Asks: an update that has failed for good waits for a user, who resumes the run to have EKS start it again.
	Asks bool `json:"asks,omitempty"`
	// HelpAlong: pods on nodes that EKS has picked are evicted when their PDB opens, and deleted by force orders.
	// HelpedBy is who consented to that.
	HelpAlong bool   `json:"helpAlong,omitempty"`
	HelpedBy  string `json:"helpedBy,omitempty"`
	// OnlyRestores: nothing is updated. What an earlier run has set and not restored is restored.
	OnlyRestores bool `json:"onlyRestores,omitempty"`
}

// Command is the aws command that starts the update of a node group.
func (r UpdateRequest) Command(group string) string {
	return systems.EKSUpdateCommand(r.Cluster, group, r.Kubernetes, r.Release, r.Template, r.TemplateVersion, r.Force)
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
	differs(systems.EKSOtherVersion, r.Kubernetes, u.Version)
	differs(systems.EKSOtherRelease, r.Release, u.Release)
	differs(systems.EKSOtherTemplate, r.TemplateVersion, u.TemplateVersion)
	return strings.Join(other, "; ")
}

// HeldConfig is an update configuration that a run has set in a managed node group. It is recorded before it is asked
// for.
type HeldConfig struct {
	// Was is what the run found and restores, Set what it asks for, From what that takes the place of.
	Was  world.UpdateConfig `json:"was"`
	From world.UpdateConfig `json:"from"`
	Set  world.UpdateConfig `json:"set"`
	// Cluster is EKS's name of the cluster, Group that of the node group.
	Cluster string `json:"cluster"`
	Group   string `json:"group"`
	// Restoring: Was was asked for again. Asked counts the requests that differ: each has a token of its own.
	Restoring bool `json:"restoring,omitempty"`
	Asked     int  `json:"asked,omitempty"`
	// Update is EKS's id of the update that carries out the last of them, "" before EKS has answered.
	Update string `json:"update,omitempty"`
	// Last is the latest update of the configuration that was seen when Was was last asked for.
	Last string `json:"last,omitempty"`
}

// Change is the action that sets the configuration, for a run. last is the latest update of the group's configuration.
func (h HeldConfig) Change(run, last string) Action {
	return h.action(UpdateConfigKey, run, last, h.From, h.Set)
}

// Restore is the action that restores it from what it is now.
func (h HeldConfig) Restore(run, last string, now world.UpdateConfig) Action {
	return h.action(RestoreConfigKey, run, last, now, h.Was)
}

func (h HeldConfig) action(key, run, last string, from, to world.UpdateConfig) Action {
	return Action{
		Kind: SetUpdateConfig, Key: key, Group: h.Group, Token: fmt.Sprintf("%s-config-%d", run, h.Asked), Last: last,
		FromConfig: &from, Update: &UpdateRequest{Cluster: h.Cluster, Config: to},
	}
}

// Sentence says what is set, and what will be restored; "" for none.
func (h *HeldConfig) Sentence() string {
	if h == nil {
		return ""
	}
	return systems.ConfigHeld(h.Set.String(), h.Was.String(), h.Group)
}

// Left is what stays of it after a run, with the command that restores it.
func (h *HeldConfig) Left() (what, command string) {
	return systems.ConfigStays(h.Set.String(), h.Was.String(), h.Group), h.Restore("", "", h.Set).Command()
}

// ConfigCommand is the aws command that sets how EKS updates a node group.
func (r UpdateRequest) ConfigCommand(group string) string {
	return systems.EKSConfigCommand(r.Cluster, group, r.Config.MaxUnavailable, r.Config.Strategy)
}

// FailedUpdate is an update that EKS has failed, and after which the run has asked for another one. Template is what the
// group launched from then.
type FailedUpdate struct {
	ID       string         `json:"id"`
	Result   Result         `json:"result"`
	Why      string         `json:"why"`
	Template world.Template `json:"template,omitzero"`
}

// HelpsAlong reports whether the run helps an update of EKS along, by consent.
func (r *Run) HelpsAlong() bool { return r.Target.Update != nil && r.Target.Update.HelpAlong }

// UpdateToken is the token of the request that starts the run's next update: one for each try.
func (r *Run) UpdateToken() string {
	if n := len(r.FailedUpdates); n > 0 {
		return fmt.Sprintf("%s-retry-%d", r.ID, n)
	}
	return r.ID
}
