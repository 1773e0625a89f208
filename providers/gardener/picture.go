package gardener

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// converter makes of an object what is kept of it.
type converter[T any] = func(*unstructured.Unstructured) *T

// fromNodes are the machines of a pool as far as its Nodes tell: those that have joined.
// Which are outdated their marks tell, and the Shoot where it asks for another minor version.
func fromNodes(w *world.World, g *world.Group, now time.Time) (members []world.Machine) {
	for _, n := range w.Nodes() {
		if n.Machine == "" || n.Labels[world.GardenerPool] != g.Name || n.Labels[machineName] == "" && now.Sub(n.Created) < namedAfter {
			continue
		}
		m := world.Machine{ID: n.Machine, Zone: n.Zone, State: world.MachineInService, Detail: "by its Node", Type: n.Labels[instanceType], Template: g.Template}
		if n.InPlace().Critical && now.Sub(n.Created) < g.Pool.Limits.Creation {
			m.State = world.MachinePending // it is new: no pod is to come to it yet
		}
		if otherMinor(n.Version, g.Pool.Version) || behind(n, g.Pool) {
			m.Template.Version = 0
		}
		members = append(members, m)
	}
	g.Sizes.Desired = len(members)
	return members
}

const (
	instanceType = "node.kubernetes.io/instance-type"
	// machineName is the label with the name of a node's Machine, put on it by
	// machine-controller-manager some seconds after it has joined. Older versions never do:
	// after namedAfter the node is known by its provider id.
	machineName = "node.gardener.cloud/machine-name"
	namedAfter  = time.Minute
)

// behind reports whether a node is not made as its pool asks for, by Gardener's own hash.
func behind(n *world.Node, p *world.Pool) bool {
	has := n.Labels[world.GardenerSecret]
	return p.NodeSecret != "" && has != "" && has != p.NodeSecret
}

// compare settles by which hash the nodes of a pool are up to date, and which are not: that of
// the Shoot, else that of the newest node. Where Gardener says that it is through, and none
// of the nodes has the Shoot's, that hash is not Gardener's; a change that is kept for the
// maintenance time window is another matter. Machines tell it better than a comparison.
func compare(w *world.World, p *world.Pool) {
	var nodes []*world.Node
	var newest *world.Node
	met := false
	for _, n := range w.Nodes() {
		switch {
		case n.Labels[world.GardenerPool] != p.Name:
			continue
		case n.Labels[world.GardenerSecret] != "":
			nodes = append(nodes, n)
		case p.NodeSecret != "":
			p.Unmarked = append(p.Unmarked, n.Name)
			continue
		default:
			continue
		}
		met = met || n.Labels[world.GardenerSecret] == p.NodeSecret
		if newest == nil || n.Created.After(newest.Created) {
			newest = n
		}
	}
	s := p.Progress
	through := s != nil && s.Observed >= s.Generation && s.State == "Succeeded" && !s.Confined
	if p.NodeSecret != "" && newest != nil && !met && through {
		p.NodeSecret, p.Disproved, p.Unhashed = "", true, "Gardener has finished, and none of them has the hash that the Shoot comes to"
	}
	if p.Unhashed != "" {
		p.Notes = append(p.Notes, systems.HashTellsNothing(p.Unhashed))
	}
	switch {
	case newest == nil:
		p.NodeSecret = ""
	case p.NodeSecret == "" && !p.Control && (s == nil || p.Unhashed != ""):
		p.NodeSecret = newest.Labels[world.GardenerSecret]
	}
	for _, n := range nodes {
		if behind(n, p) {
			p.Behind = append(p.Behind, n.Name)
		}
	}
}

// otherMinor reports whether a kubelet has another minor version than is asked for: only
// then its node is rolled for it.
func otherMinor(have, want string) bool {
	h, err := version.ParseGeneric(have)
	if err != nil {
		return false
	}
	v, err := version.ParseGeneric(want)
	return err == nil && (h.Major() != v.Major() || h.Minor() != v.Minor())
}

// minded are the machines of a pool as the control cluster has them. A machine is up to date
// that belongs to the newest set of its machine deployment.
func (f *Feed) minded(w *world.World, g *world.Group) (members []world.Machine) {
	newest, revisions := map[string]int64{}, map[string]int64{}
	for _, s := range f.sets {
		newest[s.deployment], revisions[s.name] = max(newest[s.deployment], s.revision), s.revision
	}
	zones := map[string]string{} // by machine deployment, as its Nodes say
	for _, m := range f.machines {
		if n := w.Node(m.node); n != nil && m.node != "" {
			zones[m.is.Deployment] = cmp.Or(zones[m.is.Deployment], n.Zone)
		}
	}
	ours := map[string]bool{}
	var templates []world.Template
	for _, d := range f.deployments {
		if d.pool != f.pool {
			continue
		}
		is := d.is
		is.Zone = cmp.Or(zones[is.Name], is.Zone, zoneOf(is.Name))
		zones[is.Name], ours[is.Name] = is.Zone, true
		g.Pool.Deployments = append(g.Pool.Deployments, is)
		g.Pool.Update = cmp.Or(d.update, g.Pool.Update)
		g.Sizes.Desired += is.Desired
		templates = append(templates, world.Template{ID: is.Name, Version: newest[is.Name]})
	}
	slices.SortFunc(g.Pool.Deployments, func(a, b world.MachineDeployment) int {
		return cmp.Or(cmp.Compare(a.Zone, b.Zone), cmp.Compare(a.Name, b.Name))
	})
	if len(templates) > 0 {
		g.Template, g.Overrides = templates[0], templates[1:]
	}
	if g.Pool.Shoot == "" { // the machines say it, each for itself
		g.Pool.Limits = f.usual(ours)
	}
	for _, m := range f.machines {
		if !ours[m.is.Deployment] {
			continue
		}
		out := world.Machine{
			ID: m.name, Node: m.node, Zone: zones[m.is.Deployment], State: m.state(), Detail: m.is.Phase, Managed: &m.is,
			Template:  world.Template{ID: m.is.Deployment, Version: revisions[m.is.Set]},
			Unhealthy: m.is.Phase == world.PhaseUnknown || m.is.Phase == world.PhaseFailed,
		}
		if n := w.Node(m.node); n != nil && m.node != "" {
			out.Zone, out.Type = cmp.Or(n.Zone, out.Zone), n.Labels[instanceType]
			if g.Pool.Shoot != "" && behind(n, g.Pool) {
				out.Template.Version = 0 // its machine set is the newest until Gardener has begun
			}
		}
		members = append(members, out)
	}
	return members
}

// usual are the limits of the pool's machines, those of the newest if they differ; the
// defaults without one.
func (f *Feed) usual(ours map[string]bool) world.MachineLimits {
	var last *machine
	for _, m := range f.machines {
		if ours[m.is.Deployment] && (last == nil || m.is.Created.After(last.is.Created)) {
			last = m
		}
	}
	if last == nil {
		return world.DefaultLimits("")
	}
	return last.is.Limits
}

// zoneOf is what a machine deployment's name says of its zone: z1 of shoot--dev--prod-web-z1
// (the worker controllers number the zones).
func zoneOf(name string) string {
	i := strings.LastIndexByte(name, '-')
	if zone := name[i+1:]; len(zone) > 1 && zone[0] == 'z' && strings.Trim(zone[1:], "0123456789") == "" {
		return zone
	}
	return ""
}
