package api

import "time"

// NodeGroup is EKS's description of a managed node group.
type NodeGroup struct {
	Cluster               string           `json:"cluster"`                         // Name of the EKS cluster
	AutoScalingGroup      string           `json:"autoScalingGroup"`                // Name of its Auto Scaling group
	Status                string           `json:"status,omitempty"`                // EKS's word for its state: ACTIVE, UPDATING, DEGRADED, …
	KubernetesVersion     string           `json:"kubernetesVersion,omitempty"`     // Version that its nodes are to have by its last update
	ReleaseVersion        string           `json:"releaseVersion,omitempty"`        // AMI release that its nodes are to have by its last update
	AMIType               string           `json:"amiType,omitempty"`               // EKS's word for the kind of AMI
	ClusterVersion        string           `json:"clusterVersion,omitempty"`        // Kubernetes version of the control plane
	RecommendedRelease    string           `json:"recommendedRelease,omitempty"`    // Latest AMI release for the version of the control plane, where it is known
	MinorVersionsBehind   *int             `json:"minorVersionsBehind,omitempty"`   // How many minor versions of Kubernetes its nodes are behind the control plane, where it is known
	LaunchTemplate        string           `json:"launchTemplate,omitempty"`        // Name of your own launch template, where it has one
	LaunchTemplateVersion string           `json:"launchTemplateVersion,omitempty"` // Version of your own launch template that it has
	UpdateStrategy        string           `json:"updateStrategy"`                  // DEFAULT or MINIMAL
	MaxUnavailable        string           `json:"maxUnavailable,omitempty"`        // How many nodes an update takes at once, a number or a percentage
	NodeRepair            bool             `json:"nodeRepair"`                      // EKS replaces nodes that are not well
	WarmPool              bool             `json:"warmPool"`                        // It keeps instances in reserve
	NodeRepairSettings    string           `json:"nodeRepairSettings,omitempty"`    // How it replaces them, where that is set, by the names of EKS's API
	WarmPoolSettings      string           `json:"warmPoolSettings,omitempty"`      // How many it keeps in reserve, and how
	HealthIssues          []NodeGroupIssue `json:"healthIssues"`                    // What EKS finds wrong with it
	Insights              []ClusterInsight `json:"insights"`                        // Findings of EKS about the nodes of the cluster that are not PASSING
	LatestUpdate          *NodeGroupUpdate `json:"latestUpdate,omitempty"`          // Its latest update by EKS to another version
	LatestConfigUpdate    *NodeGroupUpdate `json:"latestConfigUpdate,omitempty"`    // Its latest update by EKS of another kind
	Unread                string           `json:"unread,omitempty"`                // Why some of this is not known, or old
}

// NodeGroupIssue is an error of EKS's.
type NodeGroupIssue struct {
	Code      string   `json:"code"`              // EKS's code, such as PodEvictionFailure
	Message   string   `json:"message,omitempty"` // EKS's own words
	Resources []string `json:"resources"`         // IDs or names of what it is about
}

// ClusterInsight is a finding of EKS about a cluster.
type ClusterInsight struct {
	Name   string `json:"name"`             // Its name
	Status string `json:"status,omitempty"` // EKS's word: WARNING, ERROR or UNKNOWN
	Reason string `json:"reason,omitempty"` // Why, in EKS's own words
}

// NodeGroupUpdate is an update of a managed node group by EKS.
type NodeGroupUpdate struct {
	ID                    string           `json:"id"`                              // EKS's ID of it
	Type                  string           `json:"type"`                            // VersionUpdate or ConfigUpdate
	Status                string           `json:"status"`                          // EKS's word: InProgress, Successful, Failed, Cancelled, or a later one
	StartedAt             time.Time        `json:"startedAt"`                       // When it was asked for
	KubernetesVersion     string           `json:"kubernetesVersion,omitempty"`     // Target version
	ReleaseVersion        string           `json:"releaseVersion,omitempty"`        // Target AMI release
	LaunchTemplateVersion string           `json:"launchTemplateVersion,omitempty"` // Target version of your own launch template
	Errors                []NodeGroupIssue `json:"errors"`                          // Why it failed
}
