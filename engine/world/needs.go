package world

import (
	"maps"
	"slices"
)

// Room is how much of the scheduler's resources there is, or is asked for.
type Room struct {
	CPU    int `json:"cpu,omitempty"`    // thousandths of a core
	Memory int `json:"memory,omitempty"` // MiB
	Pods   int `json:"pods,omitempty"`
}

// Toleration is a taint that a pod tolerates.
type Toleration struct {
	Key    string `json:"key,omitempty"` // "" for any
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect,omitempty"` // "" for any
	Exists bool   `json:"exists,omitempty"` // any value
}

// Tolerates reports whether the toleration is one of a taint.
func (t Toleration) Tolerates(taint Taint) bool {
	return (t.Effect == "" || t.Effect == taint.Effect) && (t.Key == taint.Key || t.Key == "" && t.Exists) && (t.Exists || t.Value == taint.Value)
}

// Requirement is what labels have to be like: an operator of the API (In, NotIn, Exists,
// DoesNotExist, Gt, Lt) and its values.
type Requirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

// NodeName is the key of a requirement of a node's name.
const NodeName = "metadata.name"

// Near are pods that a pod has to be beside, or apart from: on nodes with the same value of a label.
type Near struct {
	Topology string        `json:"topology"`
	Selector []Requirement `json:"selector,omitempty"`
	None     bool          `json:"none,omitempty"` // it has no selector: no pod is meant
	// Namespaces of these pods; none: the pod's own. Any: all.
	Namespaces []string `json:"namespaces,omitempty"`
	Any        bool     `json:"any,omitempty"`
}

// Spread says by how many pods of a kind domains may differ.
type Spread struct {
	Topology string        `json:"topology"`
	MaxSkew  int           `json:"maxSkew"`
	Selector []Requirement `json:"selector,omitempty"`
	None     bool          `json:"none,omitempty"`
}

// Needs are what a pod asks of the node that it is to run on: what the scheduler must not ignore.
// What is only preferred is not there.
type Needs struct {
	Room
	Tolerations []Toleration      `json:"tolerations,omitempty"`
	NodeLabels  map[string]string `json:"nodeLabels,omitempty"`
	// Nodes: a node has to meet all of one of these lists, if there is any.
	Nodes    [][]Requirement `json:"nodes,omitempty"`
	Apart    []Near          `json:"apart,omitempty"`
	Together []Near          `json:"together,omitempty"`
	Spread   []Spread        `json:"spread,omitempty"`
}

// Nothing reports whether nothing is asked for.
func (n *Needs) Nothing() bool {
	return n.Room == Room{} && len(n.Tolerations)+len(n.NodeLabels)+len(n.Nodes)+len(n.Apart)+len(n.Together)+len(n.Spread) == 0
}

// Same reports whether two ask for the same.
func (n *Needs) Same(as *Needs) bool {
	if n == nil || as == nil {
		return n == as
	}
	return n.Room == as.Room && slices.Equal(n.Tolerations, as.Tolerations) && maps.Equal(n.NodeLabels, as.NodeLabels) &&
		slices.EqualFunc(n.Nodes, as.Nodes, sameAll) && slices.EqualFunc(n.Apart, as.Apart, sameNear) && slices.EqualFunc(n.Together, as.Together, sameNear) &&
		slices.EqualFunc(n.Spread, as.Spread, func(a, b Spread) bool {
			return a.Topology == b.Topology && a.MaxSkew == b.MaxSkew && a.None == b.None && sameAll(a.Selector, b.Selector)
		})
}

func sameAll(a, b []Requirement) bool {
	return slices.EqualFunc(a, b, func(a, b Requirement) bool {
		return a.Key == b.Key && a.Operator == b.Operator && slices.Equal(a.Values, b.Values)
	})
}

func sameNear(a, b Near) bool {
	return a.Topology == b.Topology && a.None == b.None && a.Any == b.Any && slices.Equal(a.Namespaces, b.Namespaces) && sameAll(a.Selector, b.Selector)
}

// plain reports whether all its texts are printable ASCII, as those are that the API accepts.
func (n *Needs) plain() bool {
	if n == nil {
		return true
	}
	for _, t := range n.Tolerations {
		if !plain(t.Key, t.Value, t.Effect) {
			return false
		}
	}
	for _, list := range n.Nodes {
		if !plainAll(list) {
			return false
		}
	}
	for _, near := range slices.Concat(n.Apart, n.Together) {
		if !plain(near.Topology) || !plain(near.Namespaces...) || !plainAll(near.Selector) {
			return false
		}
	}
	for _, s := range n.Spread {
		if !plain(s.Topology) || !plainAll(s.Selector) {
			return false
		}
	}
	return plainMap(n.NodeLabels)
}

func plainAll(list []Requirement) bool {
	return !slices.ContainsFunc(list, func(r Requirement) bool { return !plain(r.Key, r.Operator) || !plain(r.Values...) })
}
