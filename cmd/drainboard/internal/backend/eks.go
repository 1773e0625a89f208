package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/rights"
	"github.com/drainboard/drainboard/providers/eks"
	"github.com/drainboard/drainboard/providers/kube"
)

// managed is the managed node groups of an EKS cluster.
type managed struct {
	aws  *asg.Client
	kube *kube.Client
	eks  *eks.Client
}

func newManaged(aws *asg.Client, k *kube.Client) managed { return managed{aws, k, eks.New(aws)} }

func (b managed) Find(ctx context.Context, name string) (Group, error) {
	machines, err := b.kube.Machines(ctx)
	if err != nil {
		return nil, err
	}
	at, err := b.eks.Find(ctx, name, machines, b.kube.ClusterName())
	if err != nil {
		return nil, err
	}
	return b.group(ctx, at), nil
}

// FindAs is Find: all groups here are EKS's.
func (b managed) FindAs(ctx context.Context, name, _ string) (Group, error) {
	return b.Find(ctx, name)
}

// List are the managed node groups alone.
func (b managed) List(ctx context.Context, nodes []*world.Node) (rows []present.GroupRow, err error) {
	list, err := b.aws.Groups(ctx, machinesOf(nodes), b.kube.ClusterName())
	for _, g := range b.eks.Groups(ctx, list, byMachine(nodes)) {
		if g.Managed != nil {
			rows = append(rows, present.GroupRow{Summary: g})
		}
	}
	return rows, err
}

// dress replaces, in a list of groups, those that EKS manages by what EKS tells of them.
func (b managed) dress(ctx context.Context, rows []present.GroupRow, nodes []*world.Node) {
	list := make([]asg.Summary, len(rows))
	for i, r := range rows {
		list[i] = r.Summary
	}
	for i, g := range b.eks.Groups(ctx, list, byMachine(nodes)) {
		rows[i].Summary = g
	}
}

// byMachine are nodes by their machines.
func byMachine(nodes []*world.Node) map[string]*world.Node {
	out := map[string]*world.Node{}
	for _, n := range nodes {
		out[n.Machine] = n
	}
	return out
}

func (managed) Several() error { return nil }

func (b managed) Region() string { return b.aws.Region() }

func (b managed) group(ctx context.Context, at eks.Place) Group {
	known := world.Group{}
	b.eks.Describe(ctx, at, &known)
	return &managedGroup{awsGroup: awsGroup{b.aws, b.kube.Clock(), at.Name}, eks: b.eks, at: at, known: *known.Managed}
}

// managedGroup is a managed node group. EKS alone changes it, on request.
type managedGroup struct {
	awsGroup
	eks   *eks.Client
	at    eks.Place
	known world.ManagedGroup // as it was found
	// asked is what it is to be updated to.
	asked record.UpdateRequest
}

func (*managedGroup) Alias() string    { return "" }
func (*managedGroup) Provider() string { return eks.Provider }

// Strategy is the one that EKS updates the group by.
func (g *managedGroup) Strategy() string {
	if g.config().Strategy == world.OldFirst {
		return strategy.EKSMinimal{}.Name()
	}
	return strategy.EKS{}.Name()
}

// config is how EKS is to update the group.
func (g *managedGroup) config() world.UpdateConfig { return g.asked.Config.Over(g.known.Config()) }

// Ask takes in what a managed node group is to be updated to and how, before its strategy is asked for.
func Ask(g Group, asked Asked) {
	if m := managedOf(g); m != nil && asked != nil {
		m.asked = asked.Update()
	}
}

func (g *managedGroup) Feed(began func(context.Context) time.Time) Feed {
	return g.eks.Feed(g.at, g.feedOptions(began))
}

func (g *managedGroup) Executor(changed func()) live.Executor {
	return g.eks.Executor(g.at, g.clock.Now, changed)
}

// Fits lets the rules be those of a plan, which rehearses EKS's, or of a run, which follows EKS.
func (g *managedGroup) Fits(rules engine.Strategy) error {
	if rules.Name() != g.Strategy() && rules.Name() != (strategy.EKSManaged{}).Name() {
		return fmt.Errorf("--strategy %s: EKS updates node group %s by its own rules, now those of %s; --update-strategy sets which", rules.Name(), g.name, g.Strategy())
	}
	return nil
}

// kept are the settings that a user who asks EKS for an update can choose, by flag.
var kept = []string{"strategy", "seed", "on-drain-timeout", "max-unavailable"}

// evictionWindows is how many windows of its drain timeout EKS evicts for, by reports on
// updates that failed.
const evictionWindows = 3

// Settings are EKS's, with the node group's update configuration. What EKS has no setting
// for is refused.
func (g *managedGroup) Settings(_ context.Context, rules engine.Strategy, asked Asked) (record.Settings, []string, error) {
	if err := g.take(asked); err != nil {
		return record.Settings{}, nil, err
	}
	s, err := asked.Settings(rules)
	if err != nil {
		return s, nil, err
	}
	var flags []string
	for flag, origin := range s.Origin {
		if strings.HasPrefix(origin, "flag") && origin != "flag --auto" && !slices.Contains(kept, flag) {
			flags = append(flags, "--"+flag)
		}
	}
	if len(flags) > 0 {
		slices.Sort(flags)
		return s, nil, fmt.Errorf("%s: EKS updates node group %s by its own settings, and takes none from here but --max-unavailable and --update-strategy", strings.Join(flags, ", "), g.name)
	}
	if s.OnDrainTimeout != record.TimeoutFail && s.OnDrainTimeout != record.TimeoutForce {
		return s, nil, fmt.Errorf("--on-drain-timeout %s: EKS either fails or, with --force, deletes the pods", s.OnDrainTimeout)
	}
	if g.known.MaxUnavailable != "" && g.asked.Config.MaxUnavailable == "" {
		if s.MaxUnavailable, err = record.ParseAmount(g.known.MaxUnavailable); err != nil {
			return s, nil, fmt.Errorf("the update configuration of node group %s: %w", g.name, err)
		}
		s.Origin["max-unavailable"] = "EKS: the node group's update configuration"
	}
	if s.OnDrainTimeout == record.TimeoutFail {
		s.DrainTimeout *= evictionWindows
		s.Origin["drain-timeout"] = fmt.Sprintf("EKS: %d windows of 15 minutes, as reported", evictionWindows)
	}
	g.asked.Force = s.OnDrainTimeout == record.TimeoutForce
	s.Approve = record.ApproveNone
	s.Unmanaged, s.EmptyDir = true, true // EKS asks nobody
	for _, flag := range []string{"approve", "force-unmanaged", "delete-emptydir-data"} {
		s.Origin[flag] = "EKS: nobody is asked"
	}
	return s, nil, nil
}

// take takes in what the group is to be updated to, and refuses what EKS does not have.
func (g *managedGroup) take(asked Asked) error {
	g.asked = asked.Update()
	g.asked.Cluster, g.asked.Template = g.known.Cluster, g.known.TemplateName
	switch {
	case asked.NewTarget() && g.asked.TemplateVersion == "":
		return errors.New("--ami is for Auto Scaling groups: a managed node group goes to a release, or to a version of its own launch template")
	case g.asked.TemplateVersion != "" && g.known.TemplateName == "":
		return fmt.Errorf("--launch-template-version: node group %s was not created with a launch template, so EKS takes none", g.name)
	case g.asked.Kubernetes != "":
		return g.goesTo(g.asked.Kubernetes)
	}
	return nil
}

// UpdateOf is what EKS is to be asked for to update a managed node group, whose settings were asked for before.
func UpdateOf(g Group) record.UpdateRequest {
	if m := managedOf(g); m != nil {
		return m.asked
	}
	return record.UpdateRequest{}
}

// managedOf is the managed node group that a group is, nil for another one.
func managedOf(g Group) *managedGroup {
	if p, is := g.(patientGroup); is {
		g = p.Group
	}
	m, _ := g.(*managedGroup)
	return m
}

// goesTo refuses a Kubernetes version that EKS refuses for a node group: one that is no minor
// version, that is higher than the cluster's, or lower than the group's.
func (g *managedGroup) goesTo(version string) error {
	to, is := world.MinorOf(version)
	if !is {
		return fmt.Errorf("--kubernetes-version: %q is not a Kubernetes version such as 1.32", version)
	}
	if most, known := world.MinorOf(g.known.ClusterVersion); known && to > most {
		return fmt.Errorf("--kubernetes-version %s: EKS refuses it, because the cluster runs %s: update that first", version, g.known.ClusterVersion)
	}
	if least, known := world.MinorOf(g.known.Version); known && to < least {
		return fmt.Errorf("--kubernetes-version %s: EKS refuses it, because node group %s has %s and cannot go back", version, g.name, g.known.Version)
	}
	return nil
}

// asksFor is the target of an update to a version or release that was named: its AMI, by which each node is
// judged. Where that is not known the target is every node, but for the release that the group already has.
func (g *managedGroup) asksFor(ctx context.Context, launches string) (record.Target, error) {
	version := cmp.Or(g.asked.Kubernetes, versionOf(g.asked.Release), g.known.ClusterVersion)
	var image string
	var err error
	if g.asked.Release == "" {
		_, image, err = g.eks.Recommended(ctx, g.known.AMIType, version)
	} else {
		image, err = g.eks.Released(ctx, g.known.AMIType, version, g.asked.Release)
	}
	switch {
	case err != nil || image == "":
		return record.Target{All: g.asked.Release != g.known.Release || version != g.known.Version}, nil
	case image == launches:
		return record.Target{}, nil
	}
	return record.Target{Image: image}, nil
}

// versionOf is the Kubernetes version that a release begins with, as those of Amazon Linux do (1.32.1-20250203),
// "" where it does not: Bottlerocket counts its own (1.20.3-5d9ac849).
func versionOf(release string) string {
	version, build, _ := strings.Cut(release, "-")
	parts := strings.Split(version, ".")
	if _, err := time.Parse("20060102", build); err != nil || len(parts) != 3 {
		return ""
	}
	return parts[0] + "." + parts[1]
}

// Target is the recommended release, or what the group launches where that is the one.
func (g *managedGroup) Target(ctx context.Context, _ asg.TargetOptions) (record.Target, error) {
	now, err := g.aws.Group(ctx, g.at.AutoScalingGroup)
	if err != nil {
		return record.Target{}, err
	}
	if version := g.asked.TemplateVersion; version != "" && version != g.known.TemplateVersion {
		return record.Target{All: true}, nil // its image is in the version
	}
	if g.asked.Kubernetes != "" || g.asked.Release != "" {
		return g.asksFor(ctx, now.Image)
	}
	if behind, known := g.known.Behind(now.Image); !known || !behind {
		return record.Target{}, nil
	}
	return record.Target{Image: g.known.RecommendedImage}, nil
}

// QuotaOf is the account's limit on instances like those of a managed node group, which have to be named.
func QuotaOf(ctx context.Context, g Group, instances []string) (snapshot.Quota, error) {
	m := managedOf(g)
	if m == nil {
		return snapshot.Quota{}, errors.New("it is no managed node group")
	}
	return m.eks.Quota(ctx, instances)
}

// Gone are none: EKS's launch templates are not ours to restore.
func (*managedGroup) Gone(context.Context, record.Run, *world.World) ([]world.Template, error) {
	return nil, nil
}

// Rights is that to start the update: EKS does the rest by a role of its own.
func (g *managedGroup) Rights(ctx context.Context, _ engine.Strategy, w *world.World, p *snapshot.Plan) []snapshot.Right {
	if !p.HasWork() {
		return nil
	}
	var kinds []record.ActionKind
	if p.Run.UpdateConfig != nil || g.config() != g.known.Config() {
		kinds = append(kinds, record.SetUpdateConfig)
	}
	if len(p.Nodes) > 0 {
		kinds = append(kinds, record.StartUpdate)
	}
	var needed []snapshot.Right
	for _, kind := range kinds {
		for _, action := range record.KindOf(kind).Rights {
			needed = append(needed, snapshot.Right{Action: action})
		}
	}
	return rights.New(g.aws).Check(ctx, rights.Objects{Group: &w.Group, NodeGroup: g.known.ARN}, needed)
}

// Prove has nothing to prove.
func (*managedGroup) Prove(_ context.Context, rights []snapshot.Right) []snapshot.Right {
	return rights
}
