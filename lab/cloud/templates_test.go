package cloud

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

func TestCreateVersionIsIdempotent(t *testing.T) {
	b := serve(t, quick, nil)
	create := func(token, image string) (*ec2.CreateLaunchTemplateVersionOutput, error) {
		return b.ec2.CreateLaunchTemplateVersion(b.ctx, &ec2.CreateLaunchTemplateVersionInput{
			LaunchTemplateId: &b.lt, ClientToken: &token, SourceVersion: aws.String("1"), VersionDescription: aws.String("by a test"),
			LaunchTemplateData: &types.RequestLaunchTemplateData{ImageId: &image},
		})
	}
	first, err := create("one", "ami-3")
	b.must(first, err)
	d := first.LaunchTemplateVersion.LaunchTemplateData
	if *first.LaunchTemplateVersion.VersionNumber != 3 || *d.ImageId != "ami-3" || d.InstanceType != "t3.large" || *d.UserData != "b25l" ||
		len(d.TagSpecifications) != 1 || *d.TagSpecifications[0].Tags[0].Value != "node" {
		t.Errorf("version %+v of data %+v", first.LaunchTemplateVersion, d)
	}
	again, err := create("one", "ami-3")
	b.must(again, err)
	if *again.LaunchTemplateVersion.VersionNumber != 3 {
		t.Errorf("same token made version %d", *again.LaunchTemplateVersion.VersionNumber)
	}
	_, err = create("one", "ami-4")
	b.fails(err, "IdempotentParameterMismatch", "inconsistent")
	other, err := create("two", "ami-4")
	b.must(other, err)
	if *other.LaunchTemplateVersion.VersionNumber != 4 {
		t.Errorf("other token made version %d", *other.LaunchTemplateVersion.VersionNumber)
	}

	b.LoseAnswers("CreateLaunchTemplateVersion", 1)
	b.must(create("three", "ami-5"))
	all, err := b.ec2.DescribeLaunchTemplateVersions(b.ctx, &ec2.DescribeLaunchTemplateVersionsInput{LaunchTemplateId: &b.lt})
	b.must(all, err)
	if n := len(all.LaunchTemplateVersions); n != 5 || *all.LaunchTemplateVersions[0].VersionNumber != 5 {
		t.Errorf("%d versions", n)
	}
	_, err = b.ec2.CreateLaunchTemplateVersion(b.ctx, &ec2.CreateLaunchTemplateVersionInput{
		LaunchTemplateId: &b.lt, LaunchTemplateData: &types.RequestLaunchTemplateData{EbsOptimized: aws.Bool(true)},
	})
	b.fails(err, "UnsupportedOperation", "EbsOptimized")
}

func TestVersionsResolve(t *testing.T) {
	b := serve(t, quick, nil)
	describe := func(versions ...string) []int64 {
		out, err := b.ec2.DescribeLaunchTemplateVersions(b.ctx, &ec2.DescribeLaunchTemplateVersionsInput{LaunchTemplateName: aws.String("nodes"), Versions: versions})
		b.must(out, err)
		var numbers []int64
		for _, v := range out.LaunchTemplateVersions {
			numbers = append(numbers, *v.VersionNumber)
		}
		return numbers
	}
	if n := describe("$Latest"); len(n) != 1 || n[0] != 2 {
		t.Errorf("$Latest is %v", n)
	}
	if n := describe("$Default"); len(n) != 1 || n[0] != 1 {
		t.Errorf("$Default is %v", n)
	}
	if n := describe("1", "$Latest"); len(n) != 2 {
		t.Errorf("two versions are %v", n)
	}
	_, err := b.ec2.DescribeLaunchTemplateVersions(b.ctx, &ec2.DescribeLaunchTemplateVersionsInput{LaunchTemplateId: &b.lt, Versions: []string{"7"}})
	b.fails(err, "InvalidLaunchTemplateId.VersionNotFound", "version 7")
	_, err = b.ec2.DescribeLaunchTemplates(b.ctx, &ec2.DescribeLaunchTemplatesInput{LaunchTemplateNames: []string{"nobody"}})
	b.fails(err, "InvalidLaunchTemplateName.NotFoundException", "nobody")

	// Instances keep the version that was meant when they were launched.
	b.CreateGroup(GroupSpec{Name: "latest", Desired: 1, Max: 2, Template: TemplateRef{ID: b.lt, Version: "$Latest"}})
	b.CreateGroup(GroupSpec{Name: "default", Desired: 1, Max: 2, Template: TemplateRef{ID: b.lt, Version: "$Default"}})
	b.settle("latest", 1)
	b.settle("default", 1)
	b.AddTemplateVersion(b.lt, TemplateData{ImageID: "ami-3", InstanceType: "t3.large"})
	b.must(b.ec2.ModifyLaunchTemplate(b.ctx, &ec2.ModifyLaunchTemplateInput{LaunchTemplateId: &b.lt, DefaultVersion: aws.String("2")}))
	for _, name := range []string{"latest", "default"} {
		b.must(b.asg.SetDesiredCapacity(b.ctx, &autoscaling.SetDesiredCapacityInput{AutoScalingGroupName: &name, DesiredCapacity: aws.Int32(2)}))
		b.settle(name, 2)
	}
	for name, want := range map[string][2]string{"latest": {"2", "3"}, "default": {"1", "2"}} {
		g := b.described(name)
		if one, two := *g.Instances[0].LaunchTemplate.Version, *g.Instances[1].LaunchTemplate.Version; one != want[0] || two != want[1] {
			t.Errorf("%s: versions %s and %s, want %v", name, one, two, want)
		}
		if *g.LaunchTemplate.Version != "$"+string(name[0]-32)+name[1:] {
			t.Errorf("%s: the group's version became %s", name, *g.LaunchTemplate.Version)
		}
	}
	lts, err := b.ec2.DescribeLaunchTemplates(b.ctx, &ec2.DescribeLaunchTemplatesInput{LaunchTemplateIds: []string{b.lt}})
	b.must(lts, err)
	if l := lts.LaunchTemplates[0]; *l.DefaultVersionNumber != 2 || *l.LatestVersionNumber != 3 || *l.LaunchTemplateName != "nodes" {
		t.Errorf("template %+v", l)
	}
}
