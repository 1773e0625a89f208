package present

import (
	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// GroupsOf returns groups as a JSON document.
func GroupsOf(rows []GroupRow) api.GroupList {
	out := api.GroupList{Items: make([]api.Group, len(rows))}
	for i, g := range rows {
		of := api.Group{
			Name: g.Name, InstanceGroup: g.InstanceGroup, ID: g.ID, Provider: g.Provider, Role: string(g.Role), Zones: g.Zones,
			Image: g.Image, DesiredSize: g.Sizes.Desired, Instances: g.Machines, Outdated: g.Outdated, DetachedInstances: g.Detached,
			SuspendedProcesses: g.Suspended, RunState: g.Running, NodeMarks: marksOf(g.Others), CannotStart: Refused(g), Pool: g.Worker, NodeGroup: ManagedOf(g.Managed),
		}
		if g.Template.ID != "" {
			of.LaunchTemplate = &api.LaunchTemplate{ID: g.Template.ID, Name: g.TemplateName, Version: g.Template.Version, VersionInGroup: g.TemplateSpec}
		}
		if g.bounded() {
			of.MinSize, of.MaxSize = &g.Sizes.Min, &g.Sizes.Max
		}
		out.Items[i] = of
	}
	return out
}

// marksOf returns the marks of external movers on nodes, for JSON.
func marksOf(movers []snapshot.MoverView) []api.NodeMarks {
	out := make([]api.NodeMarks, len(movers))
	for i, m := range movers {
		out[i] = api.NodeMarks{Mover: moverOf(m.By), AllNodes: m.Roll, Estimated: m.Guess, Marked: m.Nodes, Moving: m.Working, Message: m.Text}
	}
	return out
}

// moverOf names an external mover in JSON, where an unknown one is a single word.
func moverOf(by world.Mover) string {
	switch by {
	case world.MoverUnknown:
		return "unknown"
	case world.MoverCloud:
		return "cloud"
	}
	return string(by)
}

// externalMoversOf returns external movers and how a run handles them, for JSON.
func externalMoversOf(movers []record.ExternalMover) []api.ExternalMover {
	out := make([]api.ExternalMover, len(movers))
	for i, m := range movers {
		out[i] = api.ExternalMover{
			Type: api.Word(string(m.Kind)), Mover: moverOf(world.Mover(m.Who)), Action: m.Does, Since: m.Since, Nodes: m.Nodes, MoreNodes: m.More, Mark: m.Mark,
			Active: m.Acts, Handling: api.Word(string(m.Handling)), Message: m.How, Remedy: m.WayOut, SeenAt: m.Seen,
		}
	}
	return out
}

// waitOf returns a wait for JSON, nil if there is none.
func waitOf(w *record.Wait) *api.Wait {
	if w == nil {
		return nil
	}
	out := &api.Wait{For: w.For, Since: w.Start, Until: w.End, Basis: w.Basis, Estimated: w.Guess}
	for _, s := range w.Needs {
		out.Sources = append(out.Sources, string(s))
	}
	return out
}

// unlessEmpty returns a list of what is not empty.
func unlessEmpty(sentence string) []string {
	if sentence == "" {
		return nil
	}
	return []string{sentence}
}
