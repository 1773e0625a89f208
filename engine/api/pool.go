package api

import "time"

// WorkerPool is what a worker pool of Gardener has beyond other groups. Versions, limits and
// times have the names of the Shoot.
type WorkerPool struct {
	Shoot             string             `json:"shoot,omitempty"`             // The Shoot, namespace/name, where it is read
	ShootInfo         *ShootInfo         `json:"shootInfo,omitempty"`         // What the Shoot's own cluster says of it, where the Shoot is not read
	UpdateStrategy    string             `json:"updateStrategy,omitempty"`    // Its update strategy
	KubernetesVersion string             `json:"kubernetesVersion,omitempty"` // The version of Kubernetes that it is to have
	MaxSurge          string             `json:"maxSurge,omitempty"`          // Of the whole pool, a number or a percentage
	MaxUnavailable    string             `json:"maxUnavailable,omitempty"`    // Of the whole pool, a number or a percentage
	ControlCluster    bool               `json:"controlCluster"`              // The zones are as the control cluster has them, else counted from the nodes
	PoolZones         []PoolZone         `json:"poolZones"`                   // Its zones; each has a machine deployment of its own
	Limits            MachineLimits      `json:"limits"`                      // Limits of machine-controller-manager
	InPlaceUpdates    map[string]int     `json:"inPlaceUpdates"`              // Nodes of an update in place, by how far it is
	UpdatePending     bool               `json:"updatePending"`               // The Shoot says that the pool awaits an update in place
	MaintenanceWindow *MaintenanceWindow `json:"maintenanceWindow,omitempty"` // The maintenance time window that is open, or the next one
	Errors            []string           `json:"errors"`                      // What did not work, a sentence each
	Notes             []string           `json:"notes"`                       // What the Shoot says, a sentence each
	Unknown           []string           `json:"unknown"`                     // What is not known, and what would show it, a sentence each
}

// ShootInfo has the fields of the ConfigMap shoot-info.
type ShootInfo struct {
	ShootName         string `json:"shootName,omitempty"`         // Name of the Shoot
	ProjectName       string `json:"projectName,omitempty"`       // Name of its project
	KubernetesVersion string `json:"kubernetesVersion,omitempty"` // Its version of Kubernetes
	Unreadable        string `json:"unreadable,omitempty"`        // Why the ConfigMap could not be read
}

// MaintenanceWindow is a maintenance time window.
type MaintenanceWindow struct {
	OpensAt     time.Time `json:"opensAt"`     // When it opens, or has opened
	LastStartAt time.Time `json:"lastStartAt"` // When the last operation starts in it, 15 minutes before its end
	Source      string    `json:"source"`      // Where it is read
}

// PoolZone is a zone of a worker pool.
type PoolZone struct {
	Zone              string `json:"zone"`                        // Name of the zone
	MachineDeployment string `json:"machineDeployment,omitempty"` // Its machine deployment, where the control cluster is read
	DesiredSize       *int   `json:"desiredSize,omitempty"`       // How many machines it should have, where the control cluster is read
	Updated           int    `json:"updated"`                     // How many machines are up to date
	Available         int    `json:"available"`                   // How many machines are available
	Total             int    `json:"total"`                       // How many there are, those that are being deleted included
	MaxSurge          string `json:"maxSurge,omitempty"`          // As the machine deployment has it, a number or a percentage
	MaxUnavailable    string `json:"maxUnavailable,omitempty"`    // As the machine deployment has it, a number or a percentage
	SurgeNodes        *int   `json:"surgeNodes,omitempty"`        // maxSurge resolved
	UnavailableNodes  *int   `json:"unavailableNodes,omitempty"`  // maxUnavailable resolved
	Estimated         bool   `json:"estimated"`                   // Both are worked out from the Shoot
	Paused            bool   `json:"paused"`                      // The machine deployment is paused
	Frozen            bool   `json:"frozen"`                      // The machine deployment is frozen
	Message           string `json:"message,omitempty"`           // Its progress, in the controller's own words
}

// MachineLimits have the names of the Shoot's machineControllerManager.
type MachineLimits struct {
	MachineDrainTimeout         Duration `json:"machineDrainTimeout"`    // After what time a drain is forced
	MachineHealthTimeout        Duration `json:"machineHealthTimeout"`   // After what time a machine that is not healthy is replaced
	MachineCreationTimeout      Duration `json:"machineCreationTimeout"` // After what time the creation of a machine has failed
	MachineInPlaceUpdateTimeout Duration `json:"inPlaceUpdateTimeout"`   // After what time an update in place has failed
	MaxEvictRetries             int      `json:"maxEvictRetries"`        // How often an eviction is tried
	DisableHealthTimeout        bool     `json:"disableHealthTimeout"`   // machineHealthTimeout does not count
	NodeConditions              []string `json:"nodeConditions"`         // Conditions with which a node is not healthy
	Assumed                     bool     `json:"assumed"`                // Nothing was read: these are the controller's defaults
}

// WorkerPoolStatus is the state of a worker pool at one time.
type WorkerPoolStatus struct {
	AsOf      time.Time `json:"asOf"`      // When it was read
	Instances int       `json:"instances"` // How many instances it has
	Outdated  int       `json:"outdated"`  // How many of these are to be replaced or updated
	WorkerPool
	Members     []PoolMember `json:"members"`     // All its instances, those on their way included
	Countdowns  []Countdown  `json:"countdowns"`  // All times that run out, the nearest end first
	BlockedPods []BlockedPod `json:"blockedPods"` // Pods that stay on nodes which are drained
}

// PoolMember is an instance of a worker pool.
type PoolMember struct {
	Instance      string   `json:"instance"`           // Its ID
	Node          string   `json:"node,omitempty"`     // Name of its node, once that has joined
	Zone          string   `json:"zone,omitempty"`     // Its zone
	Stage         string   `json:"stage" enum:"stage"` // Where it stands
	Version       string   `json:"version,omitempty"`  // Version of its kubelet
	UpToDate      bool     `json:"upToDate"`           // It is as the pool requires
	Ready         bool     `json:"ready"`              // Its node is ready
	Cordoned      bool     `json:"cordoned"`           // Its node is cordoned
	PodsToEvict   int      `json:"podsToEvict"`        // How many pods had to leave when its drain began
	PodsRemaining int      `json:"podsRemaining"`      // How many of these are still there
	Message       string   `json:"message,omitempty"`  // What there is to say of it
	Machine       *Machine `json:"machine,omitempty"`  // Its Machine, where the control cluster is read
}

// Machine is a Machine of machine-controller-manager.
type Machine struct {
	Name              string        `json:"name"`                    // Its name
	Phase             string        `json:"phase"`                   // Its phase
	PhaseSince        time.Time     `json:"phaseSince,omitzero"`     // Since when it has that phase
	LastOperation     string        `json:"lastOperation,omitempty"` // Its last operation
	Description       string        `json:"description,omitempty"`   // What that says
	Failed            bool          `json:"failed"`                  // That failed
	MachineDeployment string        `json:"machineDeployment"`       // The machine deployment it belongs to
	MachineSet        string        `json:"machineSet"`              // The machine set it belongs to
	CreatedAt         time.Time     `json:"createdAt,omitzero"`      // When it was created
	DeletedAt         time.Time     `json:"deletedAt,omitzero"`      // When its deletion was asked for
	Forced            bool          `json:"forced"`                  // Its deletion is forced
	Priority          int           `json:"priority"`                // Its priority in deletions
	PreservedUntil    time.Time     `json:"preservedUntil,omitzero"` // Until when it is preserved
	Limits            MachineLimits `json:"limits"`                  // Its own limits
}

// Countdown is the time until a limit.
type Countdown struct {
	Instance string `json:"instance,omitempty"` // ID of the instance it is about
	Node     string `json:"node,omitempty"`     // Name of the node it is about
	Pod      string `json:"pod,omitempty"`      // Pod it is about, namespace/name
	Wait
}

// ControllerRoll is what a roll of a worker pool by Gardener would meet.
type ControllerRoll struct {
	AsOf         time.Time   `json:"asOf"`         // When the pool was read
	AllNodes     bool        `json:"allNodes"`     // No node is outdated, so that a roll of all nodes is examined; else the roll under way
	Nodes        []PoolNode  `json:"nodes"`        // Nodes that it would move, by zone and name
	Obstacles    []Obstacle  `json:"obstacles"`    // What is in its way, or takes time
	NodeMarks    []NodeMarks `json:"nodeMarks"`    // Marks of others who move nodes, on the nodes of the pool
	NotEvaluated []string    `json:"notEvaluated"` // What nothing is said about, and why, a sentence each
}

// PoolNode is a node that a roll would move.
type PoolNode struct {
	Instance         string   `json:"instance"`          // ID of the instance
	Node             string   `json:"node"`              // Name of the node
	Zone             string   `json:"zone,omitempty"`    // Its zone
	Version          string   `json:"version,omitempty"` // Its version now
	PodsToEvict      int      `json:"podsToEvict"`       // How many pods have to leave
	PodsInTurn       int      `json:"podsInTurn"`        // How many of these have volumes, and leave one after the other
	PodsStaying      int      `json:"podsStaying"`       // How many pods stay
	ForeseenBlockers []string `json:"foreseenBlockers"`  // Blockers to expect, a sentence each
	NeverEvictable   []string `json:"neverEvictable"`    // Pods that can never be evicted as things are
	NotEvaluated     []string `json:"notEvaluated"`      // Why nothing could be foreseen
}

// Obstacle is something that a roll would meet.
type Obstacle struct {
	Type    string   `json:"type" enum:"obstacleType"` // What it is
	Message string   `json:"message"`                  // The same as a sentence
	Zone    string   `json:"zone,omitempty"`           // Zone it is about
	Budget  string   `json:"budget,omitempty"`         // PDB it is about, namespace/name
	Nodes   []string `json:"nodes"`                    // Names of the nodes it is about
	Pods    []string `json:"pods"`                     // Pods it is about, namespace/name
}
