package eks

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

const (
	// groupEvery and updateEvery are how often a node group and its update are read,
	// clusterEvery is for what rarely changes: the cluster, releases, insights.
	groupEvery   = 10 * time.Second
	updateEvery  = 3 * time.Second
	clusterEvery = 10 * time.Minute
	// again is until what could not be read is tried again, at most.
	again = 30 * time.Second
	// callTimeout bounds all calls for one picture.
	callTimeout = 15 * time.Second
)

// details are what EKS tells of one managed node group, as it was read last.
type details struct {
	c     *Client
	at    Place
	last  world.ManagedGroup
	parts []*part
	// updating is the part that reads the updates.
	updating *part
	updates  map[string]world.ManagedUpdate // those that are over, which do not change
	// grouping is the part that reads the node group. configured is the latest update of the configuration that was over
	// when it was read, configs are all of them, the newest first.
	grouping   *part
	configured string
	configs    []world.ManagedUpdate
}

// part is what is read together, in its own time.
type part struct {
	of      string // for people
	every   time.Duration
	read    func(context.Context) error
	next    time.Time // of this machine's clock
	last    time.Time // when it was last read, or tried
	problem string    // of the last read, "" if it was good
	denied  bool      // credentials or rights were missing
}

func (c *Client) details(at Place) *details {
	d := &details{c: c, at: at, updates: map[string]world.ManagedUpdate{}}
	d.last.Cluster, d.last.Name, d.last.AutoScalingGroup = at.Cluster, at.Name, at.AutoScalingGroup
	d.updating = &part{of: "its updates", every: updateEvery, read: d.update}
	d.grouping = &part{of: "the node group", every: groupEvery, read: d.group}
	d.parts = []*part{
		d.updating, // first: once an update of the configuration is over, the group is read again
		d.grouping,
		{of: "the cluster", every: clusterEvery, read: d.cluster},
		{of: "the recommended release", every: clusterEvery, read: d.recommended}, // by what the others tell
		{of: "the insights", every: clusterEvery, read: d.insights},
	}
	return d
}

// dress makes of an Auto Scaling group the managed node group that it belongs to. What
// cannot be read stays as it was, and Unread says why.
func (d *details) dress(ctx context.Context, g *world.Group) {
	ctx, cancel := context.WithTimeoutCause(ctx, callTimeout, fmt.Errorf("no answer within %s", callTimeout))
	defer cancel()
	var unread []string
	for _, p := range d.parts {
		now := time.Now()
		if !now.Before(p.next) || p == d.updating && d.c.changed.Load() > p.last.UnixNano() || p == d.grouping && p.problem == "" && d.configOld() {
			p.last = now
			p.problem, p.denied, p.next = "", false, time.Now().Add(p.every)
			if err := p.read(ctx); err != nil {
				err = d.c.asg.Explain(err)
				p.problem, p.denied, p.next = p.of+" cannot be read: "+err.Error(), errors.Is(err, live.ErrDenied), time.Now().Add(min(p.every, again))
			}
		}
		if p.problem != "" {
			unread = append(unread, p.problem)
		}
	}
	m := d.last
	m.ConfigOld = d.configOld()
	m.Unread, m.UpdatesUnread, m.UpdatesDenied = strings.Join(unread, "; "), d.updating.problem, d.updating.denied
	g.Name, g.Provider, g.Managed, g.Refused = d.at.Name, Provider, &m, Busy(&m)
}

// configOld reports whether an update of the configuration has ended since the group was read.
func (d *details) configOld() bool {
	u := d.last.Configured
	return u != nil && u.Over() && u.ID != d.configured
}

// Busy says which update EKS carries out, "" for none: it refuses another one meanwhile.
func Busy(m *world.ManagedGroup) string {
	if u := m.UnderWay(); u != nil {
		return systems.EKSBusy(u.ID)
	}
	return ""
}

func (d *details) group(ctx context.Context) error {
	out, err := d.c.api.DescribeNodegroup(ctx, &eks.DescribeNodegroupInput{ClusterName: &d.at.Cluster, NodegroupName: &d.at.Name})
	if err != nil {
		return err
	}
	n, m := out.Nodegroup, &d.last
	if d.configured = ""; m.Configured != nil && m.Configured.Over() {
		d.configured = m.Configured.ID
	}
	m.ARN = aws.ToString(n.NodegroupArn)
	m.Status, m.Version, m.Release, m.AMIType = string(n.Status), aws.ToString(n.Version), aws.ToString(n.ReleaseVersion), string(n.AmiType)
	m.TemplateName, m.TemplateVersion = "", ""
	if t := n.LaunchTemplate; t != nil {
		m.TemplateName, m.TemplateVersion = aws.ToString(t.Name), aws.ToString(t.Version)
	}
	m.MaxUnavailable, m.Minimal = "1", false
	if u := n.UpdateConfig; u != nil {
		m.Minimal = u.UpdateStrategy == types.NodegroupUpdateStrategiesMinimal
		switch {
		case u.MaxUnavailablePercentage != nil:
			m.MaxUnavailable = fmt.Sprintf("%d%%", *u.MaxUnavailablePercentage)
		case u.MaxUnavailable != nil:
			m.MaxUnavailable = fmt.Sprint(*u.MaxUnavailable)
		}
	}
	m.Repairs, m.RepairSettings = repairs(n.NodeRepairConfig)
	m.WarmPool, m.WarmPoolSettings = warmPool(n.WarmPoolConfig)
	m.Issues = nil
	if n.Health != nil {
		for _, i := range n.Health.Issues {
			m.Issues = append(m.Issues, world.ManagedIssue{Code: string(i.Code), Message: aws.ToString(i.Message), Resources: i.ResourceIds})
		}
	}
	return nil
}

// repairs tells whether and how EKS replaces nodes that are not well.
func repairs(c *types.NodeRepairConfig) (on bool, settings string) {
	if c == nil || !aws.ToBool(c.Enabled) {
		return false, ""
	}
	var s setting
	s.amount("maxParallelNodesRepaired", c.MaxParallelNodesRepairedCount, c.MaxParallelNodesRepairedPercentage)
	s.amount("maxUnhealthyNodeThreshold", c.MaxUnhealthyNodeThresholdCount, c.MaxUnhealthyNodeThresholdPercentage)
	if n := len(c.NodeRepairConfigOverrides); n > 0 {
		s.add("nodeRepairConfigOverrides", n)
	}
	return true, s.String()
}

// warmPool tells whether and how EKS keeps instances in reserve.
func warmPool(c *types.WarmPoolConfig) (on bool, settings string) {
	if c == nil || !aws.ToBool(c.Enabled) {
		return false, ""
	}
	var s setting
	s.amount("minSize", c.MinSize, nil)
	s.amount("maxGroupPreparedCapacity", c.MaxGroupPreparedCapacity, nil)
	if c.PoolState != "" {
		s.add("poolState", c.PoolState)
	}
	if aws.ToBool(c.ReuseOnScaleIn) {
		s.add("reuseOnScaleIn", true)
	}
	return true, s.String()
}

// setting is a list of names with values.
type setting []string

func (s setting) String() string { return strings.Join(s, ", ") }

func (s *setting) add(name string, value any) { *s = append(*s, fmt.Sprintf("%s %v", name, value)) }

// amount adds a number or a percentage, whichever is set.
func (s *setting) amount(name string, count, percentage *int32) {
	switch {
	case count != nil:
		s.add(name, *count)
	case percentage != nil:
		s.add(name, fmt.Sprintf("%d%%", *percentage))
	}
}

// update reads the updates. EKS lists ids in no order that tells which that is, so
// each is read once, and those that are not over again.
func (d *details) update(ctx context.Context) error {
	pages := eks.NewListUpdatesPaginator(d.c.api, &eks.ListUpdatesInput{Name: &d.at.Cluster, NodegroupName: &d.at.Name})
	var all []world.ManagedUpdate
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, id := range page.UpdateIds {
			u, known := d.updates[id]
			if !known {
				if u, err = d.describe(ctx, id); notFound(err) {
					continue // EKS has forgotten it since it was listed
				} else if err != nil {
					return err
				}
				if u.Over() {
					d.updates[id] = u
				}
			}
			all = append(all, u)
		}
	}
	d.sort(all)
	return nil
}

func notFound(err error) bool {
	var gone *types.ResourceNotFoundException
	return errors.As(err, &gone)
}

// earlier is how many updates before the latest one are kept: an update may end and others begin while
// nothing can be read.
const earlier = 10

// sort tells the updates of nodes from those of the configuration.
func (d *details) sort(all []world.ManagedUpdate) {
	slices.SortStableFunc(all, func(a, b world.ManagedUpdate) int { return b.Since.Compare(a.Since) })
	m := &d.last
	m.Update, m.Earlier, m.Configured, m.UpdatesKnown = nil, nil, nil, true
	d.configs = nil
	for _, u := range all {
		if u.Kind != world.VersionUpdate {
			d.configs = append(d.configs, u)
		}
		switch {
		case u.Kind != world.VersionUpdate && m.Configured == nil:
			m.Configured = &u
		case u.Kind != world.VersionUpdate:
		case m.Update == nil:
			m.Update = &u
		case len(m.Earlier) < earlier:
			m.Earlier = append(m.Earlier, u)
		}
	}
}

func (d *details) describe(ctx context.Context, id string) (world.ManagedUpdate, error) {
	out, err := d.c.api.DescribeUpdate(ctx, &eks.DescribeUpdateInput{Name: &d.at.Cluster, NodegroupName: &d.at.Name, UpdateId: &id})
	if err != nil {
		return world.ManagedUpdate{}, err
	}
	u := world.ManagedUpdate{ID: id, Kind: string(out.Update.Type), Status: string(out.Update.Status), Since: aws.ToTime(out.Update.CreatedAt)}
	for _, p := range out.Update.Params {
		switch p.Type {
		case types.UpdateParamTypeVersion:
			u.Version = aws.ToString(p.Value)
		case types.UpdateParamTypeReleaseVersion:
			u.Release = aws.ToString(p.Value)
		case types.UpdateParamTypeLaunchTemplateVersion:
			u.TemplateVersion = aws.ToString(p.Value)
		case types.UpdateParamTypeMaxUnavailable:
			u.Config.MaxUnavailable = aws.ToString(p.Value)
		case types.UpdateParamTypeMaxUnavailablePercentage:
			u.Config.MaxUnavailable = aws.ToString(p.Value) + "%"
		case types.UpdateParamTypeUpdateStrategy:
			u.Config.Strategy = aws.ToString(p.Value)
		}
	}
	for _, e := range out.Update.Errors {
		u.Errors = append(u.Errors, world.ManagedIssue{Code: string(e.ErrorCode), Message: aws.ToString(e.ErrorMessage), Resources: e.ResourceIds})
	}
	return u, nil
}

func (d *details) cluster(ctx context.Context) error {
	out, err := d.c.api.DescribeCluster(ctx, &eks.DescribeClusterInput{Name: &d.at.Cluster})
	if err != nil {
		return err
	}
	d.last.ClusterVersion = aws.ToString(out.Cluster.Version)
	return nil
}

// recommended reads the latest AMI release for the cluster's version.
func (d *details) recommended(ctx context.Context) error {
	release, image, err := d.c.Recommended(ctx, d.last.AMIType, d.last.ClusterVersion)
	if err == nil && release != "" {
		d.last.Recommended, d.last.RecommendedImage = release, image
	}
	return err
}

// Recommended is the latest AMI release for a kind of AMI and a Kubernetes version, "" where there
// is none.
func (c *Client) Recommended(ctx context.Context, amiType, version string) (release, image string, err error) {
	ofRelease, ofImage, known := parameters(amiType, version, "")
	if !known {
		return "", "", nil
	}
	found, err := c.parameters(ctx, ofRelease, ofImage)
	return found[ofRelease], found[ofImage], err
}

// Released is the AMI of a release for a kind of AMI and a Kubernetes version, "" where it is not known.
func (c *Client) Released(ctx context.Context, amiType, version, release string) (image string, err error) {
	_, ofImage, known := parameters(amiType, version, release)
	if !known {
		return "", nil
	}
	found, err := c.parameters(ctx, ofImage)
	return found[ofImage], err
}

// parameters are the values of parameters of Systems Manager by name, as far as there are such.
func (c *Client) parameters(ctx context.Context, names ...string) (map[string]string, error) {
	out, err := c.ssm.GetParameters(ctx, &ssm.GetParametersInput{Names: names})
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, p := range out.Parameters {
		found[aws.ToString(p.Name)] = aws.ToString(p.Value)
	}
	return found, nil
}

// series is where Systems Manager has the releases of a kind of AMI (EKS user guide, "Retrieve recommended
// Amazon Linux AMI IDs" and "Retrieve recommended Bottlerocket AMI IDs").
type series struct {
	path   string // with the Kubernetes version
	latest string // the folder of the recommended release
	image  string // what the names of Amazon Linux's images begin with, and their folders, as Karpenter finds them; "" for Bottlerocket
	tells  string // the parameter that tells which release is recommended
}

var ofAMIs = map[types.AMITypes]series{
	types.AMITypesAl2023X8664Standard:   amazonLinux("-2023/x86_64/standard", "node-al2023-x86_64-standard"),
	types.AMITypesAl2023Arm64Standard:   amazonLinux("-2023/arm64/standard", "node-al2023-arm64-standard"),
	types.AMITypesAl2023X8664Neuron:     amazonLinux("-2023/x86_64/neuron", "node-al2023-x86_64-neuron"),
	types.AMITypesAl2023X8664Nvidia:     amazonLinux("-2023/x86_64/nvidia", "node-al2023-x86_64-nvidia"),
	types.AMITypesAl2023Arm64Nvidia:     amazonLinux("-2023/arm64/nvidia", "node-al2023-arm64-nvidia"),
	types.AMITypesAl2X8664:              amazonLinux("-2", "node"),
	types.AMITypesAl2X8664Gpu:           amazonLinux("-2-gpu", "gpu-node"),
	types.AMITypesAl2Arm64:              amazonLinux("-2-arm64", "arm64-node"),
	types.AMITypesBottlerocketX8664:     bottlerocket("", "x86_64"),
	types.AMITypesBottlerocketArm64:     bottlerocket("", "arm64"),
	types.AMITypesBottlerocketX8664Fips: bottlerocket("-fips", "x86_64"),
	types.AMITypesBottlerocketArm64Fips: bottlerocket("-fips", "arm64"),

	types.AMITypesBottlerocketX8664Nvidia: bottlerocket("-nvidia", "x86_64"),
	types.AMITypesBottlerocketArm64Nvidia: bottlerocket("-nvidia", "arm64"),
}

func amazonLinux(path, image string) series {
	return series{"/aws/service/eks/optimized-ami/%s/amazon-linux" + path, "recommended", "amazon-eks-" + image, "release_version"}
}

func bottlerocket(variant, arch string) series {
	return series{"/aws/service/bottlerocket/aws-k8s-%s" + variant + "/" + arch, "latest", "", "image_version"}
}

// parameters are the names of the parameters that tell a release and its AMI, of the recommended one where
// release is "". It returns false where there are none: for custom AMIs, and for Windows, whose parameters
// have no release.
func parameters(amiType, version, release string) (ofRelease, ofImage string, known bool) {
	of, known := ofAMIs[types.AMITypes(amiType)]
	if !known || version == "" {
		return "", "", false
	}
	folder := of.latest
	switch {
	case release != "" && of.image != "": // 1.32.1-20250203 is of the image ...-1.32-v20250203
		folder = of.image + "-" + version + "-v" + release[strings.LastIndex(release, "-")+1:]
	case release != "":
		folder = release
	}
	path := fmt.Sprintf(of.path, version) + "/" + folder + "/"
	return path + of.tells, path + "image_id", true
}

// ofNodes finds an insight that concerns nodes by its name or reason: EKS has no field for that. Those
// of the category MISCONFIGURATION are about hybrid nodes (EKS user guide, "View cluster insights"),
// which are in no managed node group.
var ofNodes = regexp.MustCompile(`(?i)\b(nodes?|node ?groups?|kubelets?|AMIs?|Amazon Linux|Bottlerocket)\b`)

// insights reads what EKS has found out about the nodes of the cluster that is not as it should be.
func (d *details) insights(ctx context.Context) error {
	pages := eks.NewListInsightsPaginator(d.c.api, &eks.ListInsightsInput{ClusterName: &d.at.Cluster})
	var found []world.Insight
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, i := range page.Insights {
			in := world.Insight{Name: aws.ToString(i.Name), Status: string(types.InsightStatusValueUnknown)}
			if i.InsightStatus != nil {
				in.Status, in.Reason = string(i.InsightStatus.Status), aws.ToString(i.InsightStatus.Reason)
			}
			if in.Status == string(types.InsightStatusValuePassing) {
				continue // asking for the statuses that the SDK knows would leave new ones out
			}
			if i.Category != types.CategoryMisconfiguration && (ofNodes.MatchString(in.Name) || ofNodes.MatchString(in.Reason)) {
				found = append(found, in)
			}
		}
	}
	slices.SortFunc(found, func(a, b world.Insight) int { return strings.Compare(a.Name, b.Name) })
	d.last.Insights = found
	return nil
}
