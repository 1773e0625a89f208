package eks_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awseks "github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/machines"
)

// The cluster, its insights, and the recommended releases.
func TestCluster(t *testing.T) {
	ctx := testContext(t)
	c, err := shared.api.DescribeCluster(ctx, &awseks.DescribeClusterInput{Name: aws.String(lab.EKSCluster)})
	if err != nil || *c.Cluster.Version != "1.32" || c.Cluster.Status != types.ClusterStatusActive {
		t.Fatal(c, err)
	}
	if _, err := shared.api.DescribeCluster(ctx, &awseks.DescribeClusterInput{Name: aws.String("other")}); code(err) != "ResourceNotFoundException" {
		t.Error(err)
	}
	insight := func(id string, category types.Category) types.Insight {
		return types.Insight{Id: aws.String(id), Name: aws.String("Kubelet version skew"), Category: category, KubernetesVersion: aws.String("1.33"),
			InsightStatus: &types.InsightStatus{Status: types.InsightStatusValueError, Reason: aws.String("nodes behind")},
			Resources:     []types.InsightResourceDetail{{KubernetesResourceUri: aws.String("/api/v1/nodes/a")}}}
	}
	shared.SetInsights(insight("one", types.CategoryUpgradeReadiness), insight("two", types.CategoryMisconfiguration))
	list, err := shared.api.ListInsights(ctx, &awseks.ListInsightsInput{ClusterName: aws.String(lab.EKSCluster), Filter: &types.InsightsFilter{Categories: []types.Category{types.CategoryUpgradeReadiness}}})
	if err != nil || len(list.Insights) != 1 || *list.Insights[0].Id != "one" {
		t.Error(list, err)
	}
	one, err := shared.api.DescribeInsight(ctx, &awseks.DescribeInsightInput{ClusterName: aws.String(lab.EKSCluster), Id: aws.String("one")})
	if err != nil || len(one.Insight.Resources) != 1 {
		t.Error(one, err)
	}

	const path = "/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/standard/recommended/release_version"
	p, err := shared.ssm.GetParameter(ctx, &ssm.GetParameterInput{Name: aws.String(path)})
	if err != nil || *p.Parameter.Value != "1.32.1-20250203" {
		t.Error(p, err)
	}
	const ofRelease = "/aws/service/eks/optimized-ami/1.31/amazon-linux-2023/x86_64/standard/amazon-eks-node-al2023-x86_64-standard-1.31-v20250203/image_id"
	if p, err := shared.ssm.GetParameter(ctx, &ssm.GetParameterInput{Name: aws.String(ofRelease)}); err != nil || *p.Parameter.Value != machines.OldAMI {
		t.Error(p, err)
	}
	several, err := shared.ssm.GetParameters(ctx, &ssm.GetParametersInput{Names: []string{path, "/aws/service/eks/optimized-ami/9.99/x"}})
	if err != nil || len(several.Parameters) != 1 || len(several.InvalidParameters) != 1 {
		t.Error(several, err)
	}
	if _, err := shared.ssm.GetParameter(ctx, &ssm.GetParameterInput{Name: aws.String("/no/such")}); code(err) != "ParameterNotFound" {
		t.Error(err)
	}
}

// The account's quotas are told in pages, the one of ordinary instances as the cloud has it.
func TestQuotas(t *testing.T) {
	ctx := testContext(t)
	client := servicequotas.NewFromConfig(shared.cfg)
	pages, told := servicequotas.NewListServiceQuotasPaginator(client, &servicequotas.ListServiceQuotasInput{ServiceCode: aws.String("ec2")}), map[string]float64{}
	n := 0
	for ; pages.HasMorePages(); n++ {
		page, err := pages.NextPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range page.Quotas {
			told[*q.QuotaName] = *q.Value
		}
	}
	if n != 2 || told["Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances"] != 20000 {
		t.Error(n, told)
	}
	if _, err := client.ListServiceQuotas(ctx, &servicequotas.ListServiceQuotasInput{ServiceCode: aws.String("no")}); code(err) != "NoSuchResourceException" {
		t.Error(err)
	}
}

// Lists come in pages.
func TestPages(t *testing.T) {
	ctx := testContext(t)
	for _, name := range []string{"page-a", "page-b"} {
		shared.add(t, lab.Nodegroup{Name: name, Zones: lab.Zones("eu-west-1", 1)})
	}
	pages := awseks.NewListNodegroupsPaginator(shared.api, &awseks.ListNodegroupsInput{ClusterName: aws.String(lab.EKSCluster), MaxResults: aws.Int32(1)})
	var all []string
	for pages.HasMorePages() {
		p, err := pages.NextPage(ctx)
		if err != nil || len(p.Nodegroups) != 1 {
			t.Fatal(p, err)
		}
		all = append(all, p.Nodegroups...)
	}
	if len(all) < 2 {
		t.Error(all)
	}
}

// What cannot be is refused with the service's codes.
func TestRefusals(t *testing.T) {
	ctx := testContext(t)
	shared.add(t, lab.Nodegroup{Name: "refuse", Zones: lab.Zones("eu-west-1", 1), Kubernetes: "1.32"})
	cluster, name := aws.String(lab.EKSCluster), aws.String("refuse")
	for why, in := range map[string]*awseks.UpdateNodegroupVersionInput{
		"above the cluster":  {Version: aws.String("1.33")},
		"below the group":    {Version: aws.String("1.31")},
		"no such release":    {ReleaseVersion: aws.String("1.32.0-1")},
		"made without a one": {LaunchTemplate: &types.LaunchTemplateSpecification{Id: aws.String("lt-1"), Version: aws.String("2")}},
	} {
		in.ClusterName, in.NodegroupName = cluster, name
		if _, err := shared.api.UpdateNodegroupVersion(ctx, in); code(err) != "InvalidParameterException" {
			t.Errorf("%s: %v", why, err)
		}
	}
	if _, err := shared.api.DescribeNodegroup(ctx, &awseks.DescribeNodegroupInput{ClusterName: cluster, NodegroupName: aws.String("none")}); code(err) != "ResourceNotFoundException" {
		t.Error(err)
	}
	if _, err := shared.api.DescribeUpdate(ctx, &awseks.DescribeUpdateInput{Name: cluster, NodegroupName: name, UpdateId: aws.String("none")}); code(err) != "ResourceNotFoundException" {
		t.Error(err)
	}
	if _, err := shared.api.ListAddons(ctx, &awseks.ListAddonsInput{ClusterName: cluster}); code(err) != "UnknownOperationException" {
		t.Error(err)
	}
}

// The cloud's faults, rights and log hold for EKS and Systems Manager too.
func TestFaults(t *testing.T) {
	ctx := testContext(t)
	cfg := shared.cfg.Copy()
	cfg.Credentials = credentials.NewStaticCredentialsProvider("AKIAFAULT", "secret", "")
	api, parameters := awseks.NewFromConfig(cfg), ssm.NewFromConfig(cfg)
	ask := func() (string, string) {
		_, err := api.DescribeCluster(ctx, &awseks.DescribeClusterInput{Name: aws.String(lab.EKSCluster)})
		_, other := parameters.GetParameter(ctx, &ssm.GetParameterInput{Name: aws.String("/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/standard/recommended/image_id")})
		return code(err), code(other)
	}
	check := func(what, eks, ssm string) {
		t.Helper()
		if a, b := ask(); a != eks || b != ssm {
			t.Errorf("%s: %s, %s", what, a, b)
		}
	}
	c := shared.Cloud()
	check("all is well", "<nil>", "<nil>")
	c.ThrottleKey("AKIAFAULT", 1)
	check("throttled", "ThrottlingException", "ThrottlingException")
	c.ThrottleKey("AKIAFAULT", 0)
	c.ExpireKey("AKIAFAULT", true)
	check("expired", "ExpiredTokenException", "ExpiredTokenException")
	c.ExpireKey("AKIAFAULT", false)
	c.Grant("AKIAFAULT", "ssm:GetParameter")
	check("no right", "AccessDeniedException", "<nil>")
	c.Grant("AKIAFAULT", "ssm:GetParameter", "eks:DescribeCluster")
	check("rights", "<nil>", "<nil>")
	end := c.Gate().Fail(1, cloud.Asks("AKIAFAULT", "DescribeCluster"), cloud.Troubles[1])
	check("trouble", "ServerException", "<nil>")
	end()
	seen := map[string]bool{}
	for _, call := range c.Calls() {
		if call.AccessKey == "AKIAFAULT" {
			seen[call.Service+":"+call.Action] = true
			if !call.Reads() {
				t.Errorf("%s is not a read", call.Action)
			}
		}
	}
	if len(seen) != 2 || !seen["eks:DescribeCluster"] || !seen["ssm:GetParameter"] {
		t.Error(seen)
	}
}
