package world

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Clean makes a string from outside safe for a terminal: control characters,
// escapes, bidirectional overrides, zero-width and other invisible characters
// are dropped, line breaks and tabs become spaces, broken UTF-8 becomes U+FFFD.
// What the Kubernetes API validates (names, labels, taints) passes unchanged.
//
// A World cleans all that it is given, so nothing else has to.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r == '\n', r == '\t', r == '\r', unicode.In(r, unicode.Z):
			b.WriteByte(' ')
		case unicode.In(r, unicode.C, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plain reports whether strings are printable ASCII, as nearly all are.
func plain(list ...string) bool {
	for _, s := range list {
		for i := range len(s) {
			if s[i] < ' ' || s[i] > '~' {
				return false
			}
		}
	}
	return true
}

func plainMap(m map[string]string) bool {
	for k, v := range m {
		if !plain(k, v) {
			return false
		}
	}
	return true
}

func cleanList(list []string) []string {
	if plain(list...) {
		return list
	}
	out := slices.Clone(list)
	for i, s := range out {
		out[i] = Clean(s)
	}
	return out
}

// cleanEach is a list with all its values clean: itself if they are.
func cleanEach[T comparable](list []T, clean func(T) T) []T {
	out, shared := list, true
	for i, v := range list {
		c := clean(v)
		if c == v {
			continue
		}
		if shared {
			out, shared = slices.Clone(list), false
		}
		out[i] = c
	}
	return out
}

func cleanMap(m map[string]string) map[string]string {
	if plainMap(m) {
		return m
	}
	out := make(map[string]string, len(m))
	for k, v := range maps.All(m) {
		out[Clean(k)] = Clean(v)
	}
	return out
}

// Clean is the pod with all its strings clean: itself if they are.
func (p *Pod) Clean() *Pod {
	if plain(p.UID, p.Namespace, p.Name, p.Node, p.Owner.Kind, p.Owner.Name, p.Owner.UID, p.Phase, p.Unplaced) && plain(p.Finalizers...) && plain(p.Unready...) && plainMap(p.Labels) && p.Needs.plain() {
		return p
	}
	c := *p
	c.UID, c.Namespace, c.Name, c.Node = Clean(p.UID), Clean(p.Namespace), Clean(p.Name), Clean(p.Node)
	c.Owner = Owner{Kind: Clean(p.Owner.Kind), Name: Clean(p.Owner.Name), UID: Clean(p.Owner.UID)}
	c.Phase, c.Unplaced = Clean(p.Phase), Clean(p.Unplaced)
	c.Finalizers, c.Unready, c.Labels = cleanList(p.Finalizers), cleanList(p.Unready), cleanMap(p.Labels)
	if !p.Needs.plain() { // no API accepts that: such a pod is taken for one that asks for nothing
		c.Needs = nil
	}
	return &c
}

// Clean is the node with all its strings clean: itself if they are.
func (n *Node) Clean() *Node {
	tainted := slices.ContainsFunc(n.Taints, func(t Taint) bool { return !plain(t.Key, t.Value, t.Effect) })
	odd := slices.ContainsFunc(n.Conditions, func(c Condition) bool { return !plain(c.Type, c.Reason) })
	for key := range n.Tainted {
		odd = odd || !plain(key)
	}
	if !tainted && !odd && plain(n.Name, n.Machine, n.Zone, n.Version, n.Trouble) && plainMap(n.Labels) && plainMap(n.Annotations) {
		return n
	}
	c := *n
	c.Name, c.Machine, c.Zone, c.Version, c.Trouble = Clean(n.Name), Clean(n.Machine), Clean(n.Zone), Clean(n.Version), Clean(n.Trouble)
	c.Labels, c.Taints = cleanMap(n.Labels), slices.Clone(n.Taints)
	for i, t := range c.Taints {
		c.Taints[i] = Taint{Key: Clean(t.Key), Value: Clean(t.Value), Effect: Clean(t.Effect)}
	}
	c.Annotations, c.Conditions, c.Tainted = cleanMap(n.Annotations), slices.Clone(n.Conditions), nil
	for i := range c.Conditions {
		c.Conditions[i].Type, c.Conditions[i].Reason = Clean(c.Conditions[i].Type), Clean(c.Conditions[i].Reason)
	}
	for key, at := range n.Tainted {
		if c.Tainted == nil {
			c.Tainted = make(map[string]time.Time, len(n.Tainted))
		}
		c.Tainted[Clean(key)] = at
	}
	return &c
}

// Clean is the budget with all its strings clean: itself if they are.
func (b *Budget) Clean() *Budget {
	if plain(b.Namespace, b.Name, b.Expression) {
		return b
	}
	c := *b
	c.Namespace, c.Name, c.Expression = Clean(b.Namespace), Clean(b.Name), Clean(b.Expression)
	return &c
}

// Clean is the machine with all its strings clean.
func (m Machine) Clean() Machine {
	m.ID, m.Zone, m.State, m.Detail, m.Type = Clean(m.ID), Clean(m.Zone), Clean(m.State), Clean(m.Detail), Clean(m.Type)
	m.Node, m.Template.ID, m.Managed = Clean(m.Node), Clean(m.Template.ID), m.Managed.Clean()
	return m
}

// Clean is the group with all its strings clean. The lists of the one given are
// left as they are.
func (g Group) Clean() Group {
	g.Name, g.ID, g.Provider, g.Refused, g.NoLaunchInZone = Clean(g.Name), Clean(g.ID), Clean(g.Provider), Clean(g.Refused), Clean(g.NoLaunchInZone)
	g.Template.ID, g.TemplateSpec, g.TemplateName, g.Image = Clean(g.Template.ID), Clean(g.TemplateSpec), Clean(g.TemplateName), Clean(g.Image)
	g.Zones, g.Suspended, g.Tags = cleanList(g.Zones), cleanList(g.Suspended), cleanMap(g.Tags)
	g.SuspensionReasons = cleanMap(g.SuspensionReasons)
	g.Refresh, g.Scaling, g.Pool, g.Managed = g.Refresh.Clean(), g.Scaling.Clean(), g.Pool.Clean(), g.Managed.Clean()
	g.Lately = g.Lately.Clean()
	g.Overrides = cleanEach(g.Overrides, func(t Template) Template { t.ID = Clean(t.ID); return t })
	g.Activities = cleanEach(g.Activities, Activity.clean)
	g.Subnets = cleanEach(g.Subnets, func(n Subnet) Subnet { n.ID, n.Zone = Clean(n.ID), Clean(n.Zone); return n })
	g.Warm = cleanEach(g.Warm, Machine.Clean)
	g.Role, g.Peers = Role(Clean(string(g.Role))), slices.Clone(g.Peers)
	for i, p := range g.Peers {
		g.Peers[i].Name, g.Peers[i].Alias, g.Peers[i].Role, g.Peers[i].Machines = Clean(p.Name), Clean(p.Alias), Role(Clean(string(p.Role))), cleanList(p.Machines)
	}
	g.Hooks = cleanEach(g.Hooks, func(h Hook) Hook { h.Name = Clean(h.Name); return h })
	return g
}

// clean is the activity with all its strings clean.
func (a Activity) clean() Activity {
	a.ID, a.Cause, a.Message = Clean(a.ID), Clean(a.Cause), Clean(a.Message)
	a.Launches, a.Ends, a.Zone = Clean(a.Launches), Clean(a.Ends), Clean(a.Zone)
	return a
}
