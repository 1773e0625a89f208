package api

import "time"

// GroupList is what `groups` prints.
type GroupList struct {
	TypeMeta
	Items []Group `json:"items"` // The groups of the cluster
}

// Group is a group of nodes that are upgraded together.
type Group struct {
	Name               string          `json:"name"`                                    // Its name; other documents and events have it as group
	InstanceGroup      string          `json:"instanceGroup,omitempty"`                 // The instance group, of groups that kops made
	ID                 string          `json:"id,omitempty"`                            // Distinguishes it from a later group of the same name (AWS: the ARN)
	Provider           string          `json:"provider"`                                // asg, eks, kops or gardener
	Role               string          `json:"role,omitempty" enum:"role"`              // What its instances do in the cluster
	Zones              []string        `json:"zones"`                                   // Availability zones
	LaunchTemplate     *LaunchTemplate `json:"launchTemplate,omitempty"`                // What it launches from; a worker pool has none
	Image              string          `json:"image,omitempty"`                         // ID of the image that it launches (AWS: the AMI)
	MinSize            *int            `json:"minSize,omitempty"`                       // Its minimum size, where that is known
	MaxSize            *int            `json:"maxSize,omitempty"`                       // Its maximum size, where that is known
	DesiredSize        int             `json:"desiredSize"`                             // Its desired size
	Instances          int             `json:"instances"`                               // How many instances it has
	Outdated           int             `json:"outdated"`                                // How many of these are to be replaced or updated
	DetachedInstances  []string        `json:"detachedInstances"`                       // IDs of instances that were detached from the group and still run
	SuspendedProcesses []string        `json:"suspendedProcesses"`                      // Its suspended processes
	RunState           string          `json:"runState,omitempty" enum:"groupRunState"` // State of its unfinished run, if it has one; elsewhere and unreadable where its record is not here, or damaged
	NodeMarks          []NodeMarks     `json:"nodeMarks"`                               // Marks of others who move nodes, on its nodes
	CannotStart        string          `json:"cannotStart,omitempty"`                   // Why no run can start on it now, a sentence
	Pool               *WorkerPool     `json:"pool,omitempty"`                          // What a worker pool of Gardener has beyond other groups
	NodeGroup          *NodeGroup      `json:"nodeGroup,omitempty"`                     // EKS's description of a managed node group
}

// LaunchTemplate is a version of a launch template.
type LaunchTemplate struct {
	ID             string `json:"id"`                       // ID of the launch template
	Name           string `json:"name,omitempty"`           // Name of the launch template
	Version        int64  `json:"version"`                  // Number of the version
	VersionInGroup string `json:"versionInGroup,omitempty"` // The version as the group has it: a number, $Latest or $Default
}

// NodeMarks are the marks of another controller or tool on nodes of a group.
type NodeMarks struct {
	Mover     string `json:"mover"`     // Who it is: EKS, kops, Gardener, Karpenter, Cluster Autoscaler, … or unknown
	AllNodes  bool   `json:"allNodes"`  // It moves all nodes, else single ones
	Estimated bool   `json:"estimated"` // Inferred from what the nodes show; no mark says so
	Marked    int    `json:"marked"`    // How many nodes have a mark of it
	Moving    int    `json:"moving"`    // How many of these it has begun to move
	Message   string `json:"message"`   // Who does what with which nodes, a sentence
}

// ExternalMover is another controller, tool or user who moves nodes of the group, or may.
type ExternalMover struct {
	Type      string    `json:"type" enum:"moverType"`    // What it does
	Mover     string    `json:"mover"`                    // Who it is, or unknown
	Action    string    `json:"action"`                   // What it does, a verb phrase
	Since     time.Time `json:"since,omitzero"`           // When it began or was first seen
	Nodes     []string  `json:"nodes"`                    // Names of the nodes it is about, or the first of them; none means the group
	MoreNodes int       `json:"moreNodes"`                // How many nodes beside these
	Mark      string    `json:"mark,omitempty"`           // The mark on the first of the nodes, as kubectl shows it
	Active    bool      `json:"active"`                   // It is at work now; else it may be at any time
	Handling  string    `json:"handling" enum:"handling"` // What the run does about it (docs/reference/external-movers.md)
	Message   string    `json:"message"`                  // What that means, a sentence
	Remedy    string    `json:"remedy,omitempty"`         // What the operator can do
	SeenAt    time.Time `json:"seenAt,omitzero"`          // When the process was last seen suspended
}

// Wait is a time that something takes, or may take at most.
type Wait struct {
	For       string    `json:"for"`                   // What is waited for, in a word or two, for people
	Since     time.Time `json:"since,omitzero"`        // When it began
	Until     time.Time `json:"until"`                 // When it ends
	Sources   []string  `json:"sources" enum:"source"` // Sources that must be readable for the time to count; while the run is paused or one is stale, until moves along
	Basis     string    `json:"basis,omitempty"`       // What it rests on, a sentence
	Estimated bool      `json:"estimated"`             // It is an estimate
}
