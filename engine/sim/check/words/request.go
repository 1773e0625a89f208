package words

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// grants are the events which tell that an API has granted a request.
var grants = map[record.ActionKind]record.EventType{
	record.Evict: record.PodEvicted, record.Delete: record.PodForced, record.AddTaint: record.NodeTainted, record.Annotate: record.NodeTainted,
	record.Cordon: record.NodeCordoned, record.AddLabel: record.NodeCordoned, record.Terminate: record.NodeTerminating,
	record.Detach: record.InstanceDetached, record.Deregister: record.InstanceOut, record.SetSizes: record.CapacityChanged,
	record.Suspend: record.CapacityChanged, record.Resume: record.CapacityChanged, record.LaunchIn: record.CapacityChanged,
	record.SetTemplate: record.CapacityChanged, record.CreateTemplate: record.CapacityChanged, record.EndWarm: record.CapacityChanged,
	record.Scale: record.WorkloadScaled,
}

// requests checks that what the API has granted is told, and nothing that nobody has asked for.
func (c *Check) requests(was *record.Run, in engine.Inputs, dec engine.Decision) {
	of := func(e record.Event, a record.Action) bool {
		return e.Type == grants[a.Kind] && (a.Pod == "" || e.Pod == a.Namespace+"/"+a.Pod) && (a.Machine == "" || e.Node == a.Node || e.Node == a.Machine)
	}
	for _, o := range in.Outcomes {
		p, asked := was.Pending[o.Key]
		if !asked || o.Verdict != record.Done || grants[p.Action.Kind] == "" || !p.Accepted.IsZero() || o.Already {
			continue
		}
		if !slices.ContainsFunc(dec.Events, func(e record.Event) bool { return of(e, p.Action) }) {
			c.d.Breaks("told: %s %s was granted, and %s is not told", p.Action.Kind, o.Key, grants[p.Action.Kind])
		}
	}
	for _, e := range dec.Events {
		if e.Command == "" || e.By != "" || !slices.Contains(slices.Collect(maps.Values(grants)), e.Type) {
			continue
		}
		if !slices.ContainsFunc(slices.Collect(maps.Values(was.Pending)), func(p record.Pending) bool { return of(e, p.Action) || p.Action.Command() == e.Command }) {
			c.d.Breaks("told: %s of %s%s, and nobody has asked for that", e.Type, e.Node, e.Pod)
		}
	}
}

// sizes checks that the sizes that are told are those that a request was for.
func (c *Check) sizes(was *record.Run, dec engine.Decision) {
	for _, e := range dec.Events {
		told, ours := sizeOf.FindAllStringSubmatch(e.Message, -1), e.Type == record.CapacityChanged && e.Reason == "" && strings.HasPrefix(e.Message, "set the group's sizes")
		if ours && !slices.ContainsFunc(slices.Collect(maps.Values(was.Pending)), func(p record.Pending) bool {
			return p.Action.Kind == record.SetSizes && !slices.ContainsFunc(told, func(m []string) bool { return m[2] != fmt.Sprint(sizeNamed(*p.Action.Sizes, m[1])) })
		}) {
			c.d.Breaks("told: %q, and nobody has asked for those sizes", e.Message)
		}
	}
}

// sizeOf finds a size with its name.
var sizeOf = regexp.MustCompile(`(min|max|desired) ([0-9]+)`)

// sizeNamed is the size with a name.
func sizeNamed(s world.Sizes, name string) int {
	switch name {
	case "min":
		return s.Min
	case "max":
		return s.Max
	}
	return s.Desired
}
