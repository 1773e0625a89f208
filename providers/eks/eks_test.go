package eks

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/awstest"
)

// service answers EKS and Systems Manager by path, or by the target of the call.
type service struct {
	answers map[string]string // "" is a refusal by IAM
	asked   []string
	sent    []string // the bodies of what changes something
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	what := r.Header.Get("X-Amz-Target")
	if what == "" {
		what = r.URL.Path
	}
	s.asked = append(s.asked, what)
	if r.Method == http.MethodPost && r.Header.Get("X-Amz-Target") == "" && r.URL.Path != "/" {
		sent, _ := io.ReadAll(r.Body)
		s.sent = append(s.sent, string(sent))
	}
	body := s.answers[what]
	if body == "" {
		w.Header().Set("X-Amzn-ErrorType", "AccessDeniedException")
		w.WriteHeader(http.StatusForbidden)
		body = `{"message":"User: arn:aws:iam::1:user/me is not authorized to perform: eks:Something"}`
	}
	if code, message, is := strings.Cut(body, "! "); is {
		w.Header().Set("X-Amzn-ErrorType", code)
		w.WriteHeader(http.StatusConflict)
		body = fmt.Sprintf(`{"message":%q}`, message)
	}
	if body == gone {
		w.Header().Set("X-Amzn-ErrorType", gone)
		w.WriteHeader(http.StatusNotFound)
		body = `{"message":"No update found for ID: x"}`
	}
	_, _ = w.Write([]byte(body))
}

// gone is the answer to what EKS does not know.
const gone = "ResourceNotFoundException"

const (
	atGroup   = "/clusters/prod/node-groups/web"
	atUpdates = "/clusters/prod/updates"
	atCluster = "/clusters/prod"
	atFound   = "/clusters/prod/insights"
	release   = "/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/standard/recommended/"
)

// start serves a node group with three updates, the latest in the middle of the list.
func start(t *testing.T) (*service, *details) {
	t.Helper()
	s := &service{answers: map[string]string{
		atGroup: `{"nodegroup":{"nodegroupName":"web","status":"UPDATING","version":"1.31","releaseVersion":"1.31.4-1","amiType":"AL2023_x86_64_STANDARD",
			"updateConfig":{"maxUnavailablePercentage":33,"updateStrategy":"MINIMAL"},"nodeRepairConfig":{"enabled":true,"maxParallelNodesRepairedCount":2,"maxUnhealthyNodeThresholdPercentage":20,"nodeRepairConfigOverrides":[{"nodeMonitoringCondition":"NetworkingReady"}]},
			"warmPoolConfig":{"enabled":true,"minSize":2,"maxGroupPreparedCapacity":9,"poolState":"STOPPED","reuseOnScaleIn":true},"launchTemplate":{"name":"mine","version":"4"},
			"health":{"issues":[{"code":"AsgInstanceLaunchFailures","message":"no capacity","resourceIds":["eks-web-1"]}]}}}`,
		atUpdates:        `{"updateIds":["a","b","c"]}`,
		atUpdates + "/a": `{"update":{"id":"a","type":"VersionUpdate","status":"Failed","createdAt":1700000000,"errors":[]}}`,
		atUpdates + "/b": `{"update":{"id":"b","type":"VersionUpdate","status":"InProgress","createdAt":1700000900.5,"params":[{"type":"Version","value":"1.32"},{"type":"ReleaseVersion","value":"1.32.1-9"},{"type":"LaunchTemplateVersion","value":"5"}],
			"errors":[{"errorCode":"PodEvictionFailure","errorMessage":"Reached max retries","resourceIds":["ip-1"]}]}}`,
		atUpdates + "/c": `{"update":{"id":"c","type":"ConfigUpdate","status":"Successful","createdAt":1700000100}}`,
		atCluster:        `{"cluster":{"name":"prod","version":"1.32"}}`,
		atFound:          `{"insights":[{"name":"Kubelet version skew","insightStatus":{"status":"ERROR","reason":"behind"}}]}`,

		"AmazonSSM.GetParameters": `{"Parameters":[{"Name":"` + release + `release_version","Value":"1.32.1-9"},{"Name":"` + release + `image_id","Value":"ami-9"}]}`,
	}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	awstest.Environment(t, map[string]string{"AWS_ENDPOINT_URL": server.URL, "AWS_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret"})
	c, err := asg.Connect(t.Context(), asg.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	return s, New(c).details(Place{"prod", "web", "eks-web-1"})
}

// again lets all that is known be read once more.
func (d *details) again() {
	for _, p := range d.parts {
		p.next = time.Time{}
	}
}

// All that EKS tells is in the group, under its own name; the latest update is the one that
// began last.
func TestDescribe(t *testing.T) {
	s, d := start(t)
	g := world.Group{Name: "eks-web-1", Image: "ami-1"}
	d.dress(t.Context(), &g)
	m := g.Managed
	if g.Name != "web" || g.Provider != "eks" || m.Unread != "" || m.AutoScalingGroup != "eks-web-1" {
		t.Fatalf("%+v %+v", g, m)
	}
	if m.Version != "1.31" || m.Release != "1.31.4-1" || m.ClusterVersion != "1.32" || m.Recommended != "1.32.1-9" || m.MaxUnavailable != "33%" || !m.Minimal || !m.Repairs || !m.WarmPool || m.RepairSettings != "maxParallelNodesRepaired 2, maxUnhealthyNodeThreshold 20%, nodeRepairConfigOverrides 1" ||
		m.WarmPoolSettings != "minSize 2, maxGroupPreparedCapacity 9, poolState STOPPED, reuseOnScaleIn true" || m.TemplateVersion != "4" {
		t.Errorf("%+v", m)
	}
	if behind, known := m.Behind(g.Image); !behind || !known {
		t.Error("it is not behind")
	}
	if len(m.Issues) != 1 || m.Issues[0].Resources[0] != "eks-web-1" || len(m.Insights) != 1 || m.Insights[0].Status != "ERROR" {
		t.Errorf("%+v %+v", m.Issues, m.Insights)
	}
	u := m.Update
	if u == nil || u.ID != "b" || u.Over() || u.Version != "1.32" || u.Release != "1.32.1-9" || u.TemplateVersion != "5" || !u.Since.Equal(time.UnixMilli(1700000900500)) || len(u.Errors) != 1 || u.Errors[0].Resources[0] != "ip-1" {
		t.Errorf("%+v", u)
	}
	if !strings.HasSuffix(g.Refused, "until EKS update b is over") || strings.Contains(g.Refused, "aws eks") { // it would be refused
		t.Error(g.Refused)
	}

	// What is over does not change, and is not asked for again. A status that the SDK does
	// not know is none of an end.
	s.asked = nil
	s.answers[atUpdates+"/b"] = `{"update":{"id":"b","type":"VersionUpdate","status":"Pausing","createdAt":1700000900}}`
	d.again()
	d.dress(t.Context(), &g)
	if slices.Contains(s.asked, atUpdates+"/a") || !slices.Contains(s.asked, atUpdates+"/b") {
		t.Error(s.asked)
	}
	if u := g.Managed.Update; u.Status != "Pausing" || u.Over() {
		t.Errorf("%+v", u)
	}
}

// The updates of nodes are told from those of the configuration, the latest of each first; one that EKS
// lists and does not know any more hides no other.
func TestUpdatesInARow(t *testing.T) {
	s, d := start(t)
	s.answers[atUpdates] = `{"updateIds":["c","a","x","b","e"]}`
	s.answers[atUpdates+"/b"] = `{"update":{"id":"b","type":"VersionUpdate","status":"Failed","createdAt":1700000900}}`
	s.answers[atUpdates+"/c"] = `{"update":{"id":"c","type":"ConfigUpdate","status":"InProgress","createdAt":1700002000}}`
	s.answers[atUpdates+"/e"] = `{"update":{"id":"e","type":"VersionUpdate","status":"Successful","createdAt":1700001000}}`
	s.answers[atUpdates+"/x"] = gone
	g := world.Group{}
	d.dress(t.Context(), &g)
	m := g.Managed
	if m.UpdatesUnread != "" || !m.UpdatesKnown || m.Update.ID != "e" || m.Named("b") == nil || m.Named("b").Status != "Failed" || m.Named("c") != nil || m.Configuring().ID != "c" {
		t.Errorf("%+v", m)
	}
	if !strings.HasSuffix(g.Refused, "until EKS update c is over") {
		t.Error(g.Refused)
	}
	s.answers[atUpdates+"/c"] = `{"update":{"id":"c","type":"ConfigUpdate","status":"Successful","createdAt":1700002000}}`
	d.again()
	d.dress(t.Context(), &g)
	if g.Refused != "" {
		t.Error(g.Refused)
	}
	delete(s.answers, atUpdates)
	d.again()
	d.dress(t.Context(), &g)
	if m := g.Managed; m.UpdatesUnread == "" || !m.UpdatesDenied || !m.UpdatesKnown || m.Update.ID != "e" {
		t.Errorf("%+v", m)
	}
}

// Findings that concern nodes and do not pass are told, also with a status that is new or missing, and no others.
func TestInsightsOfNodes(t *testing.T) {
	s, d := start(t)
	s.answers[atFound] = `{"insights":[
		{"name":"Kubelet version skew","category":"UPGRADE_READINESS","insightStatus":{"status":"ERROR","reason":"behind"}},
		{"name":"Amazon Linux 2 compatibility","category":"UPGRADE_READINESS","insightStatus":{"status":"WARNING","reason":"."}},
		{"name":"Nodes of a kind","category":"UPGRADE_READINESS","insightStatus":{"status":"UNKNOWN","reason":"not read yet"}},
		{"name":"Nodes of another kind","category":"UPGRADE_READINESS","insightStatus":{"status":"BRANDNEW"}},
		{"name":"Nodes without a status","category":"UPGRADE_READINESS"},
		{"name":"Nodes that are well","category":"UPGRADE_READINESS","insightStatus":{"status":"PASSING","reason":"."}},
		{"name":"Deprecated APIs removed in Kubernetes v1.32","category":"UPGRADE_READINESS","insightStatus":{"status":"ERROR","reason":"."}},
		{"name":"EKS add-on version compatibility","category":"UPGRADE_READINESS","insightStatus":{"status":"ERROR","reason":"."}},
		{"name":"Hybrid node webhook","category":"MISCONFIGURATION","insightStatus":{"status":"ERROR","reason":"."}}]}`
	g := world.Group{}
	d.dress(t.Context(), &g)
	want := []world.Insight{{Name: "Amazon Linux 2 compatibility", Status: "WARNING", Reason: "."}, {Name: "Kubelet version skew", Status: "ERROR", Reason: "behind"},
		{Name: "Nodes of a kind", Status: "UNKNOWN", Reason: "not read yet"}, {Name: "Nodes of another kind", Status: "BRANDNEW"}, {Name: "Nodes without a status", Status: "UNKNOWN"}}
	if !slices.Equal(g.Managed.Insights, want) {
		t.Errorf("%+v", g.Managed.Insights)
	}
}

// What cannot be read stays as it was, and the group says what it is.
func TestUnread(t *testing.T) {
	s, d := start(t)
	g := world.Group{}
	d.dress(t.Context(), &g)
	delete(s.answers, atGroup)
	delete(s.answers, "AmazonSSM.GetParameters")
	d.again()
	d.dress(t.Context(), &g)
	m := g.Managed
	if m.Version != "1.31" || m.Recommended != "1.32.1-9" || !strings.Contains(m.Unread, "the node group cannot be read: AWS does not allow the IAM action") || !strings.Contains(m.Unread, "the recommended release cannot be read") || strings.Contains(m.Unread, "insights") {
		t.Errorf("%+v", m)
	}
	s.asked = nil
	d.dress(t.Context(), &g) // at once, and nothing is due
	if len(s.asked) > 0 || g.Managed.Unread == "" {
		t.Error(s.asked, g.Managed.Unread)
	}
}

// Outdated is what is behind the recommended release, or has another version of the user's launch template: not
// what was launched from another version of the Auto Scaling group's.
func TestOutdated(t *testing.T) {
	const own = "eks.amazonaws.com/sourceLaunchTemplateVersion"
	node := func(image, version string) *world.Node {
		return &world.Node{Labels: map[string]string{"eks.amazonaws.com/nodegroup-image": image, own: version}}
	}
	nodes := map[string]*world.Node{"i-old": node("ami-8", "4"), "i-new": node("ami-9", "4"), "i-other": node("ami-9", "3"), "i-bare": {}}
	for _, tt := range []struct {
		launches, recommended string
		templates             int
		members               []string
		want                  int
	}{
		{"ami-9", "ami-9", 2, []string{"i-new"}, 0},                       // of an earlier version of the template, with the same AMI
		{"ami-9", "ami-9", 0, []string{"i-old", "i-new"}, 1},              // a failed update has left one
		{"ami-8", "ami-9", 0, []string{"i-old", "i-new"}, 1},              // one came by an update that failed
		{"ami-9", "ami-9", 0, []string{"i-other"}, 1},                     // the user's own template
		{"ami-8", "ami-9", 0, []string{"i-bare", "i-gone"}, 2},            // what the nodes have is not known
		{"ami-9", "", 2, []string{"i-old", "i-new", "i-other"}, 2},        // only the group's own AMI is known
		{"ami-9", "", 1, []string{"i-old", "i-bare", "i-gone", "i-x"}, 1}, // the template tells
	} {
		s := asg.Summary{Group: world.Group{Image: tt.launches, Managed: &world.ManagedGroup{RecommendedImage: tt.recommended, TemplateVersion: "4"}}, Members: tt.members, Outdated: tt.templates}
		if got := outdated(&s, nodes); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
}

// The quota that the group's instances count for, with what the whole account has of it.
func TestQuota(t *testing.T) {
	const standard, spots = "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances", "All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests"
	instance := func(id, kind string, cores int, spot bool) string {
		market := ""
		if spot {
			market = "<instanceLifecycle>spot</instanceLifecycle>"
		}
		return fmt.Sprintf("<item><instanceId>%s</instanceId><instanceType>%s</instanceType><cpuOptions><coreCount>%d</coreCount><threadsPerCore>2</threadsPerCore></cpuOptions>%s</item>", id, kind, cores, market)
	}
	list := func(instances ...string) string {
		return "<DescribeInstancesResponse><reservationSet><item><instancesSet>" + strings.Join(instances, "") + "</instancesSet></item></reservationSet></DescribeInstancesResponse>"
	}
	quotas := func(names ...string) string {
		var all []string
		for i, name := range names {
			all = append(all, fmt.Sprintf(`{"QuotaName":%q,"Value":%d}`, name, 64*(i+1)))
		}
		return `{"Quotas":[` + strings.Join(all, ",") + `]}`
	}
	s, d := start(t)
	account := list(instance("i-1", "m5.large", 1, false), instance("i-2", "c7gn.xlarge", 2, false), instance("i-3", "g5.xlarge", 2, false), instance("i-4", "t3.large", 1, true))
	for name, tt := range map[string]struct {
		group             []string
		instances, quotas string
		want              snapshot.Quota
		fails             string
	}{
		"two kinds":      {[]string{"i-1", "i-2"}, account, quotas("EC2-VPC Elastic IPs", spots, standard), snapshot.Quota{Name: standard, Family: "c", Limit: 192, Used: 6, Each: 4}, ""},
		"two quotas":     {[]string{"i-1", "i-3"}, account, quotas(standard, "Running On-Demand G and VT instances"), snapshot.Quota{}, "its instances count for several quotas"},
		"two markets":    {[]string{"i-4", "i-1"}, account, quotas(standard, spots), snapshot.Quota{}, "its instances count for several quotas"},
		"one kind":       {[]string{"i-1"}, account, quotas("EC2-VPC Elastic IPs", spots, standard), snapshot.Quota{Name: standard, Family: "m", Limit: 192, Used: 6, Each: 2}, ""},
		"spot":           {[]string{"i-4"}, account, quotas(standard, spots), snapshot.Quota{Name: spots, Family: "t", Spot: true, Limit: 128, Used: 2, Each: 2}, ""},
		"graphics":       {[]string{"i-3"}, account, quotas(standard, "Running On-Demand G and VT instances"), snapshot.Quota{Name: "Running On-Demand G and VT instances", Family: "g", Limit: 128, Used: 4, Each: 4}, ""},
		"no such quota":  {[]string{"i-3"}, account, quotas(standard), snapshot.Quota{}, "no EC2 quota is known for instances of family g"},
		"no instance":    {nil, account, quotas(standard), snapshot.Quota{}, "vCPUs of its instances are not known"},
		"not allowed":    {[]string{"i-1"}, account, "", snapshot.Quota{}, "AWS does not allow the IAM action"},
		"without a core": {[]string{"i-1"}, list(instance("i-1", "m5.large", 0, false)), quotas(standard), snapshot.Quota{}, "vCPUs of its instances are not known"},
	} {
		s.answers["/"], s.answers["ServiceQuotasV20190624.ListServiceQuotas"] = tt.instances, tt.quotas
		got, err := d.c.Quota(t.Context(), tt.group)
		if tt.fails == "" && (err != nil || got != tt.want) || tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
	if room := (snapshot.Quota{Limit: 64, Used: 59, Each: 2}).Room(); room != 2 {
		t.Error(room)
	}
}

// The families of instance types count for the quotas that AWS's names say.
func TestFamilies(t *testing.T) {
	for kind, name := range map[string]string{
		"m7g.large": "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances", "im4gn.large": "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances",
		"x2idn.large": "Running On-Demand X instances", "inf2.xlarge": "Running On-Demand Inf instances", "trn1.2xlarge": "Running On-Demand Trn instances",
		"hpc7g.16xlarge": "Running On-Demand HPC instances", "dl1.24xlarge": "Running On-Demand DL instances", "vt1.3xlarge": "Running On-Demand G and VT instances", "gr6.4xlarge": "All G and VT Spot Instance Requests",
	} {
		i := ec2types.Instance{InstanceType: ec2types.InstanceType(kind)}
		if !counts(name, familyOf(i)) {
			t.Errorf("%s does not count for %s", kind, name)
		}
		if counts("EC2-VPC Elastic IPs", familyOf(i)) || counts("Running On-Demand F instances", familyOf(i)) {
			t.Errorf("%s counts for another", kind)
		}
	}
}

// Each kind of AMI that the SDK knows has a recommended release, or is known to have none.
func TestEveryAMIType(t *testing.T) {
	none := []types.AMITypes{types.AMITypesCustom,
		types.AMITypesWindowsCore2019X8664, types.AMITypesWindowsFull2019X8664, types.AMITypesWindowsCore2022X8664,
		types.AMITypesWindowsFull2022X8664, types.AMITypesWindowsCore2025X8664, types.AMITypesWindowsFull2025X8664,
		types.AMITypesBottlerocketX8664NvidiaFips, types.AMITypesBottlerocketArm64NvidiaFips}
	for _, kind := range types.AMITypes("").Values() {
		release, image, known := parameters(string(kind), "1.32", "")
		if known == slices.Contains(none, kind) {
			t.Errorf("%s: %s", kind, release)
		}
		if known && (!strings.Contains(release, "1.32") || !strings.HasSuffix(image, "/image_id") || release == image) {
			t.Errorf("%s: %s, %s", kind, release, image)
		}
	}
	if _, _, known := parameters("AL2023_x86_64_STANDARD", "", ""); known {
		t.Error("without a version there is a path")
	}
	for kind, want := range map[types.AMITypes][2]string{
		types.AMITypesAl2023Arm64Nvidia:     {"1.32.1-20250203", "/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/arm64/nvidia/amazon-eks-node-al2023-arm64-nvidia-1.32-v20250203/image_id"},
		types.AMITypesAl2X8664Gpu:           {"1.32.1-20250203", "/aws/service/eks/optimized-ami/1.32/amazon-linux-2-gpu/amazon-eks-gpu-node-1.32-v20250203/image_id"},
		types.AMITypesBottlerocketX8664Fips: {"1.32.0-cacc4ce9", "/aws/service/bottlerocket/aws-k8s-1.32-fips/x86_64/1.32.0-cacc4ce9/image_id"},
	} {
		if _, image, _ := parameters(string(kind), "1.32", want[0]); image != want[1] {
			t.Errorf("%s %s: %s", kind, want[0], image)
		}
	}
}

// Tags tell whose an Auto Scaling group is.
func TestPlaceOf(t *testing.T) {
	if p, managed := PlaceOf("eks-web-1", map[string]string{GroupTag: "web", ClusterTag: "prod"}); !managed || p != (Place{"prod", "web", "eks-web-1"}) {
		t.Error(p, managed)
	}
	if _, managed := PlaceOf("web", map[string]string{"kops.k8s.io/instancegroup": "web"}); managed {
		t.Error("a group of kops is EKS's")
	}
}
