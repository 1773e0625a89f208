package world

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ManagedGroup is what EKS tells of a managed node group.
type ManagedGroup struct {
	// Cluster and Name are EKS's own names; AutoScalingGroup is where its machines are.
	Cluster, Name, AutoScalingGroup string
	// ARN is its name in IAM policies.
	ARN string
	// Status is EKS's word: ACTIVE, UPDATING, DEGRADED, ...
	Status string
	// Version (of Kubernetes) and Release (of the AMI) are what its nodes are to have by
	// its last update; AMIType is EKS's word for the kind of AMI.
	Version, Release, AMIType string
	// ClusterVersion is the control plane's, which an update goes to unless it says
	// otherwise.
	ClusterVersion string
	// Recommended is the latest AMI release for ClusterVersion, RecommendedImage its AMI,
	// "" where they are not known.
	Recommended, RecommendedImage string
	// TemplateName and TemplateVersion are those of the user's own launch template, "" for
	// a group without one.
	TemplateName, TemplateVersion string
	// MaxUnavailable is how many nodes an update takes at once, a number or a percentage.
	MaxUnavailable string
	// Minimal: an update terminates old nodes first (MINIMAL), without extra ones.
	Minimal bool
	// Repairs: EKS replaces nodes that are not well. WarmPool: it keeps machines in
	// reserve.
	Repairs, WarmPool bool
	// RepairSettings and WarmPoolSettings are how, in EKS's words, "" for its defaults.
	RepairSettings, WarmPoolSettings string
	// Issues are what EKS finds wrong with the group.
	Issues []ManagedIssue
	// Insights are those findings about the cluster that concern its nodes and are not PASSING.
	Insights []Insight
	// Update is the latest update of its nodes to another version, nil where there was none;
	// Earlier are those before it, the newest first, as many as are worth keeping.
	Update  *ManagedUpdate
	Earlier []ManagedUpdate
	// Configured is the latest update of another kind, of its configuration; nil where there was
	// none. It takes turns with those of Update: EKS carries out one at a time.
	Configured *ManagedUpdate
	// ConfigOld: what EKS tells of the group (MaxUnavailable, Minimal) may be from before the end of Configured.
	ConfigOld bool
	// Unread says why some of this is not known, or old; "" where nothing is. UpdatesUnread says
	// it of the updates alone. UpdatesKnown: they were read at least once; before that, UpdatesUnread says why not. UpdatesDenied: credentials
	// or rights are what is missing now.
	Unread, UpdatesUnread       string
	UpdatesKnown, UpdatesDenied bool
}

// UpdateConfig is how EKS updates the nodes of a managed node group.
type UpdateConfig struct {
	// MaxUnavailable is how many nodes EKS takes at once, a number or a percentage, Strategy its word for the order:
	// DEFAULT or MINIMAL. "" where nothing is said.
	MaxUnavailable string `json:"maxUnavailable,omitempty"`
	Strategy       string `json:"strategy,omitempty"`
}

// EKS's words for the order in which an update replaces nodes.
const (
	NewFirst = "DEFAULT"
	OldFirst = "MINIMAL"
)

// Over is the configuration with the values of another where it has none.
func (c UpdateConfig) Over(base UpdateConfig) UpdateConfig {
	return UpdateConfig{MaxUnavailable: cmp.Or(c.MaxUnavailable, base.MaxUnavailable), Strategy: cmp.Or(c.Strategy, base.Strategy)}
}

// String is the configuration in EKS's words.
func (c UpdateConfig) String() string {
	var out []string
	for _, v := range []struct{ name, is string }{{"maxUnavailable", c.MaxUnavailable}, {"updateStrategy", c.Strategy}} {
		if v.is != "" {
			out = append(out, v.name+" "+v.is)
		}
	}
	return strings.Join(out, ", ")
}

// Config is how EKS updates the group's nodes now.
func (m *ManagedGroup) Config() UpdateConfig {
	c := UpdateConfig{MaxUnavailable: cmp.Or(m.MaxUnavailable, "1"), Strategy: NewFirst}
	if m.Minimal {
		c.Strategy = OldFirst
	}
	return c
}

// ManagedIssue is an error that EKS tells of, with its own code and words.
type ManagedIssue struct {
	Code, Message string
	// Resources are the ids or names of what it is about: nodes, instances, groups.
	Resources []string
}

// Insight is a finding of EKS about a cluster.
type Insight struct {
	Name, Status, Reason string
}

// ManagedUpdate is an update of a managed node group.
type ManagedUpdate struct {
	ID string
	// Kind and Status are EKS's words: VersionUpdate or ConfigUpdate; InProgress,
	// Successful, Failed, Cancelled, or one that is not known here.
	Kind, Status string
	Since        time.Time
	// Version and Release are what it goes to, TemplateVersion is that of the user's own launch
	// template; "" where it does not say.
	Version, Release, TemplateVersion string
	Errors                            []ManagedIssue
	// Config is what one of the configuration sets.
	Config UpdateConfig
}

// Skew is how many minor versions of Kubernetes the nodes are behind the cluster, by what EKS tells, and
// whether that can be told.
func (m *ManagedGroup) Skew() (behind int, known bool) {
	cluster, is := MinorOf(m.ClusterVersion)
	nodes, are := MinorOf(m.Version)
	return cluster - nodes, is && are && nodes <= cluster
}

// MinorOf is the second number of a Kubernetes version such as 1.32, false for anything else.
func MinorOf(version string) (int, bool) {
	major, minor, two := strings.Cut(version, ".")
	n, err := strconv.Atoi(minor)
	return n, two && major == "1" && err == nil
}

// Named is the update of the group's nodes with an id, nil where it is not known.
func (m *ManagedGroup) Named(id string) *ManagedUpdate {
	if m.Update != nil && m.Update.ID == id {
		return m.Update
	}
	for i := range m.Earlier {
		if m.Earlier[i].ID == id {
			return &m.Earlier[i]
		}
	}
	return nil
}

// Configuring is the update of the group's configuration that is under way, nil where none is.
func (m *ManagedGroup) Configuring() *ManagedUpdate {
	if u := m.Configured; u != nil && !u.Over() {
		return u
	}
	return nil
}

// UnderWay is the update that EKS carries out now, of nodes or of the configuration, nil for none.
func (m *ManagedGroup) UnderWay() *ManagedUpdate {
	if u := m.Update; u != nil && !u.Over() {
		return u
	}
	return m.Configuring()
}

// EKS's words for the kind and the status of an update.
const (
	VersionUpdate   = "VersionUpdate"
	UpdateRuns      = "InProgress"
	UpdateSucceeded = "Successful"
	UpdateFailed    = "Failed"
	UpdateCancelled = "Cancelled"
)

// Over reports whether an update has ended. A status that is not known here is none of an
// end.
func (u *ManagedUpdate) Over() bool {
	return u.Status == UpdateSucceeded || u.Status == UpdateFailed || u.Status == UpdateCancelled
}

// Behind reports whether the group's nodes are behind the recommended release, and whether
// that can be told at all. image is what the group launches now.
func (m *ManagedGroup) Behind(image string) (behind, known bool) {
	if m.RecommendedImage == "" || image == "" {
		return false, false
	}
	return image != m.RecommendedImage, true
}

// Labels that EKS puts on the nodes of managed node groups (EKS user guide, "Understand each
// phase of node updates").
const (
	eksImage           = "eks.amazonaws.com/nodegroup-image"
	eksTemplateVersion = "eks.amazonaws.com/sourceLaunchTemplateVersion"
)

// HasTarget reports whether a node of a managed node group (nil for none) has what the group's
// updates go to: the AMI that the group launches now and, with a launch template of the user's,
// its version. EKS goes by these labels and leaves such nodes as they are. It makes another
// version of the Auto Scaling group's template for each update, so after a failed one that
// version differs on nodes that need no replacement.
func (g *Group) HasTarget(n *Node) bool {
	return g.HasImage(n, g.Image)
}

// HasImage is HasTarget for another AMI that an update goes to.
func (g *Group) HasImage(n *Node, image string) bool {
	if g.Managed == nil || n == nil || image == "" || n.Labels[eksImage] != image {
		return false
	}
	version := g.Managed.TemplateVersion
	if u := g.Managed.Update; u != nil && !u.Over() && u.TemplateVersion != "" {
		version = u.TemplateVersion
	}
	return n.Labels[eksTemplateVersion] == version
}

// BehindRecommended reports whether a node (nil: one that is not known) of a managed node group has
// another AMI than the recommended one, which has to be known, or another version of the user's own
// launch template than the group. A version of the Auto Scaling group's template says nothing: EKS makes
// one also where no node has to be replaced.
func (g *Group) BehindRecommended(n *Node) bool {
	m := g.Managed
	if n == nil || n.Labels[eksImage] == "" {
		return g.Image != m.RecommendedImage
	}
	return n.Labels[eksImage] != m.RecommendedImage || n.Labels[eksTemplateVersion] != m.TemplateVersion
}

// SetsUp reports whether the update that is under way has not changed what the group launches yet: it
// goes to the recommended release, whose AMI is another one. Where that is not known, the answer is no.
func (g *Group) SetsUp() bool {
	m := g.Managed
	return m != nil && m.Update != nil && !m.Update.Over() && m.RecommendedImage != "" && m.Update.Release == m.Recommended && g.Image != m.RecommendedImage
}

// Awaits reports whether a node is to be replaced by the update that is under way though the group
// launches its like still.
func (g *Group) Awaits(n *Node) bool {
	return n != nil && g.SetsUp() && n.Labels[eksImage] != "" && n.Labels[eksImage] != g.Managed.RecommendedImage
}

// Clean is the group with all its strings clean.
func (m *ManagedGroup) Clean() *ManagedGroup {
	if m == nil {
		return nil
	}
	c := *m
	for _, s := range []*string{&c.ARN, &c.Cluster, &c.Name, &c.AutoScalingGroup, &c.Status, &c.Version, &c.Release, &c.AMIType, &c.ClusterVersion,
		&c.Recommended, &c.RecommendedImage, &c.TemplateName, &c.TemplateVersion, &c.MaxUnavailable, &c.RepairSettings, &c.WarmPoolSettings, &c.Unread, &c.UpdatesUnread} {
		*s = Clean(*s)
	}
	c.Issues = cleanIssues(c.Issues)
	c.Insights = slices.Clone(c.Insights)
	for i, in := range c.Insights {
		c.Insights[i] = Insight{Clean(in.Name), Clean(in.Status), Clean(in.Reason)}
	}
	c.Update, c.Configured = m.Update.clean(), m.Configured.clean()
	c.Earlier = slices.Clone(c.Earlier)
	for i := range c.Earlier {
		c.Earlier[i] = *c.Earlier[i].clean()
	}
	return &c
}

func (u *ManagedUpdate) clean() *ManagedUpdate {
	if u == nil {
		return nil
	}
	return &ManagedUpdate{Clean(u.ID), Clean(u.Kind), Clean(u.Status), u.Since, Clean(u.Version), Clean(u.Release), Clean(u.TemplateVersion), cleanIssues(u.Errors), UpdateConfig{Clean(u.Config.MaxUnavailable), Clean(u.Config.Strategy)}}
}

func cleanIssues(issues []ManagedIssue) []ManagedIssue {
	out := slices.Clone(issues)
	for i, is := range out {
		out[i] = ManagedIssue{Clean(is.Code), Clean(is.Message), cleanList(is.Resources)}
	}
	return out
}
