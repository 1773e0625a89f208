package present

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// PlannedManaged is what an update of a managed node group by EKS would do.
type PlannedManaged struct {
	Group world.ManagedGroup
	Image string // that the group launches now
	Run   snapshot.Plan
	Asked record.UpdateRequest
}

// JSON is the plan for programs.
func (p PlannedManaged) JSON() api.GroupPlan {
	out := PlanOf(p.run())
	out.NodeGroup = ManagedOf(&p.Group)
	if p.Group.UnderWay() == nil { // else EKS refuses it
		out.StartCommand = p.command()
	}
	return out
}

func (p PlannedManaged) command() string {
	asked := p.Asked
	asked.Cluster = p.Group.Cluster
	start := asked.Command(p.Group.Name)
	if now := p.Group.Config(); asked.Config.Over(now) != now {
		return asked.ConfigCommand(p.Group.Name) + " && " + systems.EKSWaitCommand(p.Group.Cluster, p.Group.Name) + " && " + start
	}
	return start
}

// run is the rehearsal. EKS's order is its own, so that of the plan is one of many, which is said.
func (p PlannedManaged) run() snapshot.Plan {
	run := p.Run
	if len(run.Nodes) > 1 {
		run.Warnings = append(slices.Clone(run.Warnings), "EKS picks nodes at random: the order of this plan is one of many")
	}
	return run
}

// Write shows it to people, with wide all nodes however many there are.
func (p PlannedManaged) Write(w io.Writer, wide bool) {
	p.write(w, wide)
	switch u := p.Group.UnderWay(); {
	case u != nil:
		fmt.Fprintf(w, "\n%s:\n  drainboard watch %s follows it\n", systems.EKSBusy(u.ID), p.Run.Group)
	case len(p.Run.Nodes) > 0:
		fmt.Fprintf(w, "\nEKS carries the update out. drainboard upgrade %s starts and follows it, as does:\n  %s\n  drainboard watch %s\n", p.Run.Group, p.command(), p.Run.Group)
	}
}

func (p PlannedManaged) write(w io.Writer, wide bool) {
	WriteManaged(w, &p.Group)
	fmt.Fprintln(w)
	WritePlan(w, p.run(), nil, wide)
}

// WriteForApproval shows it to the user who is asked whether it starts.
func (p PlannedManaged) WriteForApproval(w io.Writer) {
	p.write(w, false)
	fmt.Fprintf(w, "\nEKS carries the update out: once it has started, it cannot be paused or cancelled.\n  %s\n", p.command())
}

// CannotStart returns why EKS is not asked for the update, nil if it can be. What else moves its nodes does not
// hold EKS up.
func (p PlannedManaged) CannotStart() error { return cannotStartManaged(p.Run) }

func cannotStartManaged(p snapshot.Plan) error {
	for _, m := range p.Opposed() {
		if m.Kind == record.ExternalRefresh {
			return exitcode.Usage(errors.New("not started: an external mover is active in this group\n  " + m.Action() + ": " + m.WayOut))
		}
	}
	return lacksRights(p)
}

// WriteManaged shows how a managed node group stands.
func WriteManaged(w io.Writer, m *world.ManagedGroup) {
	fmt.Fprintf(w, "%s: a managed node group of EKS cluster %s, %s\n", m.Name, m.Cluster, dash(m.Status))
	fmt.Fprintf(w, "  nodes: Kubernetes %s, release %s\n", dash(m.Version), dash(m.Release))
	fmt.Fprintf(w, "  cluster: Kubernetes %s, recommended release %s\n", dash(m.ClusterVersion), cmp.Or(m.Recommended, "not known for "+cmp.Or(m.AMIType, "this AMI")))
	if behind, known := m.Skew(); known {
		fmt.Fprintln(w, "  skew: "+systems.EKSSkew(behind))
	}
	if m.TemplateName != "" {
		fmt.Fprintf(w, "  launch template: %s:%s\n", m.TemplateName, dash(m.TemplateVersion))
	}
	fmt.Fprintf(w, "  updates: %s, maxUnavailable %s%s\n", updateStrategy(m), dash(m.MaxUnavailable), besides(m))
	if u := m.Update; u != nil {
		fmt.Fprintln(w, "  latest update: "+updateText(u))
		List(w, "  its errors:", issuesText(u.Errors))
	}
	if u := m.Configured; u != nil && (m.Update == nil || u.Since.After(m.Update.Since)) {
		fmt.Fprintln(w, "  latest update of the configuration: "+updateText(u))
		List(w, "  its errors:", issuesText(u.Errors))
	}
	List(w, "  health issues:", issuesText(m.Issues))
	var insights []string
	for _, i := range m.Insights {
		insights = append(insights, fmt.Sprintf("%s: %s%s", i.Status, i.Name, because(i.Reason)))
	}
	List(w, "  insights of EKS about nodes:", insights)
	if m.Unread != "" {
		fmt.Fprintln(w, "  not known: "+m.Unread)
	}
}

func updateStrategy(m *world.ManagedGroup) string {
	if m.Minimal {
		return "MINIMAL (old nodes go first)"
	}
	return "DEFAULT (new nodes come first)"
}

// besides names what else EKS does with the group's nodes.
func besides(m *world.ManagedGroup) string {
	var on []string
	if m.Repairs {
		on = append(on, "node repair on"+inBrackets(m.RepairSettings))
	}
	if m.WarmPool {
		on = append(on, "warm pool on"+inBrackets(m.WarmPoolSettings))
	}
	if len(on) == 0 {
		return ""
	}
	return ", " + strings.Join(on, ", ")
}

// inBrackets is a list of settings, "" for none.
func inBrackets(settings string) string {
	if settings == "" {
		return ""
	}
	return " (" + settings + ")"
}

func updateText(u *world.ManagedUpdate) string {
	to := ""
	if u.Version != "" || u.Release != "" {
		to = fmt.Sprintf(" to Kubernetes %s, release %s", dash(u.Version), dash(u.Release))
	}
	return fmt.Sprintf("%s%s: %s, started %s (%s)", u.Kind, to, u.Status, When(u.Since.Local()), u.ID)
}

// issuesText are EKS's errors, a line each, in its own words.
func issuesText(issues []world.ManagedIssue) (out []string) {
	for _, i := range issues {
		text := i.Code + ": " + i.Message
		if len(i.Resources) > 0 {
			text += " (" + strings.Join(i.Resources, ", ") + ")"
		}
		out = append(out, text)
	}
	return out
}

// ManagedOf is a managed node group for programs, nil for none.
func ManagedOf(m *world.ManagedGroup) *api.NodeGroup {
	if m == nil {
		return nil
	}
	out := &api.NodeGroup{
		Cluster: m.Cluster, AutoScalingGroup: m.AutoScalingGroup, Status: m.Status, KubernetesVersion: m.Version, ReleaseVersion: m.Release,
		AMIType: m.AMIType, ClusterVersion: m.ClusterVersion, RecommendedRelease: m.Recommended, UpdateStrategy: "DEFAULT", MaxUnavailable: m.MaxUnavailable,
		LaunchTemplate: m.TemplateName, LaunchTemplateVersion: m.TemplateVersion, NodeRepair: m.Repairs, WarmPool: m.WarmPool, NodeRepairSettings: m.RepairSettings, WarmPoolSettings: m.WarmPoolSettings, HealthIssues: issuesOf(m.Issues), Unread: m.Unread,
	}
	if m.Minimal {
		out.UpdateStrategy = "MINIMAL"
	}
	for _, i := range m.Insights {
		out.Insights = append(out.Insights, api.ClusterInsight{Name: i.Name, Status: i.Status, Reason: i.Reason})
	}
	if behind, known := m.Skew(); known {
		out.MinorVersionsBehind = &behind
	}
	out.LatestUpdate, out.LatestConfigUpdate = updateOf(m.Update), updateOf(m.Configured)
	return out
}

func updateOf(u *world.ManagedUpdate) *api.NodeGroupUpdate {
	if u == nil {
		return nil
	}
	return &api.NodeGroupUpdate{ID: u.ID, Type: u.Kind, Status: u.Status, StartedAt: u.Since, KubernetesVersion: u.Version, ReleaseVersion: u.Release, LaunchTemplateVersion: u.TemplateVersion, Errors: issuesOf(u.Errors)}
}

func issuesOf(issues []world.ManagedIssue) []api.NodeGroupIssue {
	out := make([]api.NodeGroupIssue, len(issues))
	for i, is := range issues {
		out[i] = api.NodeGroupIssue{Code: is.Code, Message: is.Message, Resources: is.Resources}
	}
	return out
}
