package objects

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"

	"github.com/drainboard/drainboard/engine/world"
)

// needsOf is what a pod asks of its node, nil for nothing.
func needsOf(p *PodFields) *world.Needs {
	s := &p.Spec
	out := &world.Needs{Room: requested(p)}
	for _, t := range s.Tolerations {
		// every pod tolerates these for some minutes, which matters to none that looks for a node
		if t.Effect == corev1.TaintEffectNoExecute && (t.Key == corev1.TaintNodeNotReady || t.Key == corev1.TaintNodeUnreachable) {
			continue
		}
		out.Tolerations = append(out.Tolerations, world.Toleration{Key: t.Key, Value: t.Value, Effect: string(t.Effect), Exists: t.Operator == corev1.TolerationOpExists})
	}
	if len(s.NodeSelector) > 0 {
		out.NodeLabels = s.NodeSelector
	}
	if a := s.Affinity; a != nil {
		if n := a.NodeAffinity; n != nil && n.RequiredDuringSchedulingIgnoredDuringExecution != nil {
			for _, term := range n.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
				if all := slices.Concat(requirements(term.MatchExpressions), requirements(term.MatchFields)); len(all) > 0 { // an empty one matches no node
					out.Nodes = append(out.Nodes, all)
				}
			}
		}
		if n := a.PodAffinity; n != nil {
			out.Together = nearOf(n.RequiredDuringSchedulingIgnoredDuringExecution)
		}
		if n := a.PodAntiAffinity; n != nil {
			out.Apart = nearOf(n.RequiredDuringSchedulingIgnoredDuringExecution)
		}
	}
	for _, c := range s.TopologySpreadConstraints {
		if c.WhenUnsatisfiable == corev1.ScheduleAnyway {
			continue
		}
		spread := world.Spread{Topology: c.TopologyKey, MaxSkew: int(c.MaxSkew), Selector: selected(c.LabelSelector), None: c.LabelSelector == nil}
		for _, key := range c.MatchLabelKeys {
			if value, has := p.ObjectMeta.Labels[key]; has {
				spread.Selector = append(spread.Selector, world.Requirement{Key: key, Operator: string(corev1.NodeSelectorOpIn), Values: []string{value}})
			}
		}
		out.Spread = append(out.Spread, spread)
	}
	if out.Nothing() {
		return nil
	}
	return out
}

// requested is what the scheduler reserves for a pod: what its containers ask for together, or an
// init container for itself if that is more (k8s.io/component-helpers resource/helpers.go,
// PodRequests).
func requested(p *PodFields) world.Room {
	var all, init, sidecars amounts
	for _, c := range p.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			sidecars = sidecars.plus(c.Resources.Requests)
			init = init.most(sidecars)
			continue
		}
		init = init.most(sidecars.plus(c.Resources.Requests))
	}
	for _, c := range p.Spec.Containers {
		all = all.plus(c.Resources.Requests)
	}
	all = all.plus(sidecars).most(init)
	if r := p.Spec.Resources; r != nil {
		all = maps.Clone(all)
		if all == nil {
			all = amounts{}
		}
		maps.Copy(all, r.Requests)
	}
	all = all.plus(p.Spec.Overhead)
	return world.Room{CPU: all.cpu(), Memory: all.memory(true)}
}

// amounts are those of resources that the scheduler counts here: thousandths of cores, bytes, pods.
type amounts map[string]int64

func (amounts) reads(name string) bool {
	return name == string(corev1.ResourceCPU) || name == string(corev1.ResourceMemory) || name == string(corev1.ResourcePods)
}

// set adds a quantity of a resource.
func (a *amounts) set(name string, q quantity.Quantity) {
	if *a == nil {
		*a = amounts{}
	}
	if (*a)[name] = q.Value(); name == string(corev1.ResourceCPU) {
		(*a)[name] = q.MilliValue()
	}
}

func (a amounts) plus(b amounts) amounts {
	if len(b) == 0 {
		return a
	}
	out := maps.Clone(a)
	if out == nil {
		out = amounts{}
	}
	for name, n := range b {
		out[name] += n
	}
	return out
}

func (a amounts) most(b amounts) amounts {
	out := maps.Clone(a)
	if out == nil {
		out = amounts{}
	}
	for name, n := range b {
		out[name] = max(out[name], n)
	}
	return out
}

// room is what there is for pods on a node.
func (a amounts) room() world.Room {
	return world.Room{CPU: a.cpu(), Memory: a.memory(false), Pods: int(a[string(corev1.ResourcePods)])}
}

func (a amounts) cpu() int { return int(a[string(corev1.ResourceCPU)]) }

// memory is in MiB, a part of one counts as one if up.
func (a amounts) memory(up bool) int {
	const mib = 1 << 20
	n := a[string(corev1.ResourceMemory)]
	if up {
		n += mib - 1
	}
	return int(n / mib)
}

func nearOf(terms []nearFields) (out []world.Near) {
	for _, t := range terms {
		near := world.Near{Topology: t.TopologyKey, Selector: selected(t.LabelSelector), None: t.LabelSelector == nil}
		near.Namespaces = append(near.Namespaces, t.Namespaces...)
		if s := t.NamespaceSelector; s != nil { // labels of namespaces are not read
			near.Any, near.Namespaces = true, nil
		}
		out = append(out, near)
	}
	return out
}

// selected is what a selector requires.
func selected(s *selectorFields) (out []world.Requirement) {
	if s == nil {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		out = append(out, world.Requirement{Key: key, Operator: string(corev1.NodeSelectorOpIn), Values: []string{s.MatchLabels[key]}})
	}
	for _, r := range s.MatchExpressions {
		out = append(out, world.Requirement{Key: r.Key, Operator: string(r.Operator), Values: cloned(r.Values)})
	}
	return out
}

func requirements(list []nodeRequirementFields) (out []world.Requirement) {
	for _, r := range list {
		out = append(out, world.Requirement{Key: r.Key, Operator: string(r.Operator), Values: cloned(r.Values)})
	}
	return out
}

// cloned is a list of its own, nil if it is empty.
func cloned(list []string) []string { return append([]string(nil), list...) }
