package asg

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

func TestStates(t *testing.T) {
	for _, s := range types.LifecycleState("").Values() {
		want := map[string]string{
			"Pending": world.MachinePending, "Quarantined": world.MachinePending,
			"ReplacingRootVolume": world.MachinePending, "RootVolumeReplaced": world.MachinePending,
			"InService": world.MachineInService, "Terminating": world.MachineTerminating,
			"Terminated": "", "Detached": "", "Warmed": "",
			"Detaching": world.MachineStandby, "EnteringStandby": world.MachineStandby, "Standby": world.MachineStandby,
		}
		phase, _, _ := strings.Cut(string(s), ":")
		state, known := want[phase]
		if !known {
			t.Errorf("the SDK has a new lifecycle state %s: decide on it", s)
		}
		if got := stateOf(s); got != state {
			t.Errorf("stateOf(%s) = %q, want %q", s, got, state)
		}
	}
	if got := stateOf("Unheard:Of"); got != world.MachineStandby {
		t.Errorf("an unknown state is %q", got)
	}
}

func TestMachines(t *testing.T) {
	s, c := connect(t)
	s.on("DescribeAutoScalingGroups", groups(group("web", members("Instances",
		instance("i-1", "eu-west-1a", "InService", "2"),
		instance("i-2", "eu-west-1b", "Terminating:Wait", "1"),
		instance("i-3", "eu-west-1b", "Warmed:Stopped", "1"),
		e("InstanceId", "i-4", "AvailabilityZone", "eu-west-1c", "LifecycleState", "Pending", "HealthStatus", "Unhealthy",
			"InstanceType", "m5.large", "ProtectedFromScaleIn", "true", "LaunchConfigurationName", "old"),
	))))
	g, err := c.describe(t.Context(), "web")
	if err != nil {
		t.Fatal(err)
	}
	want := []world.Machine{
		{ID: "i-1", Zone: "eu-west-1a", State: "InService", Detail: "InService", Template: world.Template{ID: "lt-1", Version: 2}, Type: "m5.large"},
		{ID: "i-2", Zone: "eu-west-1b", State: "Terminating", Detail: "Terminating:Wait", Template: world.Template{ID: "lt-1", Version: 1}, Type: "m5.large"},
		{ID: "i-4", Zone: "eu-west-1c", State: "Pending", Detail: "Pending", Type: "m5.large", Protected: true, Unhealthy: true},
	}
	got := machines(g)
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got  %+v\nwant %+v", got[i], want[i])
		}
	}
}

func TestGroups(t *testing.T) {
	s, c := connect(t)
	s.withTemplate()
	s.on("DescribeInstanceRefreshes", "")
	tag := func(k, v string) string { return members("Tags", e("Key", k, "Value", v)) }
	first := groups(
		group("b-latest", e("LaunchTemplate", spec("lt-1", "$Latest")), members("Instances",
			instance("i-1", "eu-west-1a", "InService", "3"), instance("i-2", "eu-west-1a", "InService", "2"), instance("i-3", "eu-west-1a", "Terminating", "1"))),
		group("not-ours", e("LaunchTemplate", spec("lt-1", "1")), members("Instances", instance("i-9", "eu-west-1a", "InService", "1"))),
	) + e("NextToken", "page2")
	second := groups(
		group("a-empty\x1b", e("LaunchTemplate", spec("lt-1", "$Default")), tag("kubernetes.io/cluster/prod", "owned")),
		group("c-other", e("LaunchTemplate", spec("lt-1", "1")), tag("kubernetes.io/cluster/test", "owned")),
	)
	second = strings.ReplaceAll(second, "\x1b", "&#x9;")
	s.onCall("DescribeAutoScalingGroups", func(f url.Values) string {
		if f.Get("NextToken") == "page2" {
			return second
		}
		return first
	})
	got, err := c.Groups(t.Context(), map[string]bool{"i-2": true}, "prod")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Name != "a-empty " || got[1].Name != "b-latest" {
		t.Fatalf("got %+v", got)
	}
	if d := got[0]; d.Template.Version != 2 || d.TemplateSpec != "$Default" || d.Image != "ami-2" || d.Machines != 0 {
		t.Errorf("got %+v", d)
	}
	if l := got[1]; l.Template.Version != 3 || l.TemplateSpec != "$Latest" || l.TemplateName != "web" || l.Machines != 2 || l.Outdated != 1 || l.Sizes != (world.Sizes{Min: 1, Max: 5, Desired: 3}) {
		t.Errorf("got %+v", l)
	}
}

func TestOverrides(t *testing.T) {
	s, c := connect(t)
	s.withTemplate()
	s.on("DescribeInstanceRefreshes", "")
	s.on("DescribeAutoScalingGroups", groups(group("mixed",
		e("MixedInstancesPolicy", e("LaunchTemplate", e("LaunchTemplateSpecification", spec("lt-1", "3"))+members("Overrides",
			e("InstanceType", "m5.large"),
			e("InstanceType", "m6g.large", "LaunchTemplateSpecification", spec("lt-1", "$Default")),
			e("InstanceType", "m7g.large", "LaunchTemplateSpecification", spec("lt-1", "2"))))),
		members("Instances", instance("i-1", "a", "InService", "3"), instance("i-2", "a", "InService", "2"), instance("i-3", "a", "InService", "1")))))
	g, err := c.Group(t.Context(), "mixed")
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Overrides) != 1 || g.Overrides[0].Version != 2 || g.Outdated != 1 || !g.Mixed {
		t.Errorf("got %+v", g)
	}
}

func TestUpkeep(t *testing.T) {
	s, c := connect(t)
	s.withTemplate()
	s.on("DescribeInstanceRefreshes", "")
	template := e("LaunchTemplate", spec("lt-1", "1"))
	for _, tt := range []struct {
		group string
		want  world.Upkeep
	}{
		{"", world.Upkeep{}},
		{e("CapacityRebalance", "false", "InstanceMaintenancePolicy", e("MinHealthyPercentage", "-1", "MaxHealthyPercentage", "-1")), world.Upkeep{}},
		{e("MaxInstanceLifetime", "604800", "CapacityRebalance", "true", "InstanceMaintenancePolicy", e("MinHealthyPercentage", "90", "MaxHealthyPercentage", "120"),
			"AvailabilityZoneImpairmentPolicy", e("ZonalShiftEnabled", "true")),
			world.Upkeep{MaxLifetime: 7 * 24 * time.Hour, CapacityRebalance: true, MinHealthy: 90, MaxHealthy: 120, ZonalShift: true}},
	} {
		s.on("DescribeAutoScalingGroups", groups(group("web", template+tt.group)))
		if g, err := c.Group(t.Context(), "web"); err != nil || g.Upkeep != tt.want {
			t.Errorf("got %+v, %v, want %+v", g.Upkeep, err, tt.want)
		}
	}
}

func TestRefused(t *testing.T) {
	template := e("LaunchTemplate", spec("lt-1", "1"))
	tests := []struct {
		name, group, refreshes, want string
	}{
		{"none", template, "", ""},
		{"launch configuration", e("LaunchConfigurationName", "old"), "", "it uses the launch configuration old"},
		{"eks", template + members("Tags", e("Key", "eks:nodegroup-name", "Value", "ng"), e("Key", "eks:cluster-name", "Value", "prod")), "",
			"it belongs to the EKS managed node group ng, whose own updates would undo ours: refused for now; use aws eks update-nodegroup-version --cluster-name prod --nodegroup-name ng, and drainboard watch web to follow it"},
		{"operator", template + e("Operator", e("Principal", "svc.amazonaws.com")), "", "only its operator svc.amazonaws.com may change it"},
		{"deleting", template + e("Status", "Delete in progress"), "", "it is being deleted (delete in progress)"},
		{"refresh", template, members("InstanceRefreshes", e("InstanceRefreshId", "r-1", "Status", "Successful"), e("InstanceRefreshId", "r-2", "Status", "InProgress", "PercentageComplete", "40")),
			"instance refresh r-2 replaces the group's instances (InProgress, 40 %): wait for it, or cancel it with aws autoscaling cancel-instance-refresh --auto-scaling-group-name web"},
		{"old refresh", template, members("InstanceRefreshes", e("InstanceRefreshId", "r-1", "Status", "Cancelled")), ""},
		{"template gone", e("LaunchTemplate", spec("lt-1", "9")), "", "it cannot launch instances: Could not find the specified version 9"},
	}
	s, c := connect(t)
	s.withTemplate()
	for _, tt := range tests {
		s.on("DescribeAutoScalingGroups", groups(group("web", tt.group)))
		s.on("DescribeInstanceRefreshes", tt.refreshes)
		g, err := c.Group(t.Context(), "web")
		got := g.Refused + g.Refresh.Sentence(g.Name)
		if err != nil || !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: got %q, %v", tt.name, got, err)
		}
	}
}

func TestUnknownGroup(t *testing.T) {
	s, c := connect(t)
	s.onCall("DescribeAutoScalingGroups", func(f url.Values) string {
		if f.Get("AutoScalingGroupNames.member.1") != "" {
			return groups()[:0]
		}
		return groups(group("web-blue"), group("db"))
	})
	_, err := c.Group(t.Context(), "web-bleu")
	if want := `no Auto Scaling group "web-bleu" in eu-west-1: did you mean web-blue?`; !errors.Is(err, transport.ErrNotFound) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Each right that a read lacks is named.
func TestForbidden(t *testing.T) {
	s, c := connect(t)
	s.withTemplate()
	s.on("DescribeInstanceRefreshes", "")
	s.on("DescribeAutoScalingGroups", groups(group("web", e("LaunchTemplate", spec("lt-1", "1")))))
	s.on("DescribeLaunchTemplateVersions", fail(403, "UnauthorizedOperation", "You are not authorized to perform this operation."))
	_, err := c.Group(t.Context(), "web")
	if want := "AWS does not allow the IAM action ec2:DescribeLaunchTemplateVersions (UnauthorizedOperation)"; !errors.Is(err, transport.ErrForbidden) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	s.on("DescribeAutoScalingGroups", fail(403, "AccessDenied", "User: arn:aws:iam::1:user/me is not authorized to perform: autoscaling:DescribeAutoScalingGroups because no identity-based policy allows the action"))
	_, err = c.Group(t.Context(), "web")
	if want := "AWS does not allow the IAM action autoscaling:DescribeAutoScalingGroups to arn:aws:iam::1:user/me (AccessDenied)"; !errors.Is(err, transport.ErrForbidden) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestTarget(t *testing.T) {
	s, c := connect(t)
	s.withTemplate()
	override := e("InstanceType", "m6g.large", "LaunchTemplateSpecification", spec("lt-1", "1"))
	mixed := func(override string) string {
		return group("web", e("MixedInstancesPolicy", e("LaunchTemplate", e("LaunchTemplateSpecification", spec("lt-1", "2"))+members("Overrides", override))))
	}
	s.on("DescribeAutoScalingGroups", groups(mixed(override)))
	s.onCall("DescribeImages", func(f url.Values) string {
		switch id := f.Get("ImageId.1"); id {
		case "ami-2":
			return items("imagesSet", e("imageId", id, "imageState", "available"))
		case "ami-3":
			return items("imagesSet", e("imageId", id, "imageState", "pending"))
		case "ami-4":
			return fail(403, "UnauthorizedOperation", "You are not authorized to perform this operation.")
		default:
			return fail(400, "InvalidAMIID.NotFound", "The image id '["+id+"]' does not exist")
		}
	})
	tests := []struct {
		o         TargetOptions
		templates string
		image     string
		err       string
	}{
		{o: TargetOptions{}},
		{o: TargetOptions{TemplateVersion: "3"}, templates: "lt-1:3 lt-1:1"},
		{o: TargetOptions{TemplateVersion: "$Latest"}, templates: "lt-1:3 lt-1:1"},
		{o: TargetOptions{TemplateVersion: "$Default"}, templates: "lt-1:2 lt-1:1"},
		{o: TargetOptions{TemplateVersion: "7"}, err: "launch template name-of-lt-1 of group web has no version 7 (newest: 3)"},
		{o: TargetOptions{TemplateVersion: "newest"}, err: `"newest" is not a launch template version: give a number, $Latest or $Default`},
		{o: TargetOptions{TemplateVersion: "0"}, err: `"0" is not a launch template version: give a number, $Latest or $Default`},
		{o: TargetOptions{AMI: "ami-2"}, err: "group web: m6g.large in its mixed instances policy launches from a template of its own, lt-1:1 with image ami-1, which --ami would not change: create a version of each template with the image for its instance types (aws ec2 create-launch-template-version --launch-template-id lt-1 --source-version 1 --launch-template-data ImageId=AMI), set the policy to them, and roll the group without --ami"},
		{o: TargetOptions{AMI: "ami-3"}, err: "AMI ami-3 is pending, not available"},
		{o: TargetOptions{AMI: "ami-5"}, err: "no AMI ami-5 in eu-west-1, or it is not shared with this account"},
		{o: TargetOptions{AMI: "ami-2", TemplateVersion: "1"}, err: "give either a launch template version or an AMI"},
	}
	for _, tt := range tests {
		got, err := c.Target(t.Context(), "web", tt.o)
		if tt.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), tt.err) {
				t.Errorf("%+v: got %v, want %s", tt.o, err, tt.err)
			}
			continue
		}
		var names []string
		for _, v := range got.Templates {
			names = append(names, v.String())
		}
		if err != nil || strings.Join(names, " ") != tt.templates || got.Image != tt.image {
			t.Errorf("%+v: got %+v, %v", tt.o, got, err)
		}
	}
	for _, g := range []string{group("web", e("LaunchTemplate", spec("lt-1", "1"))), mixed(e("InstanceType", "m6g.large")), mixed(e("InstanceType", "m6g.large", "LaunchTemplateSpecification", spec("lt-1", "2")))} {
		s.on("DescribeAutoScalingGroups", groups(g))
		if got, err := c.Target(t.Context(), "web", TargetOptions{AMI: "ami-2"}); err != nil || got.Image != "ami-2" {
			t.Errorf("%s: got %+v, %v", g, got, err)
		}
	}
	s.on("DescribeAutoScalingGroups", groups(group("web", e("LaunchTemplate", spec("lt-1", "1")))))
	for _, image := range []string{"ami-4", "resolve:ssm:/my/ami"} { // we may not look; nor know
		if got, err := c.Target(t.Context(), "web", TargetOptions{AMI: image}); err != nil || got.Image != image {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	s.on("DescribeAutoScalingGroups", groups(mixed(e("InstanceType", "m6g.large", "ImageId", "ami-9"))))
	if _, err := c.Target(t.Context(), "web", TargetOptions{AMI: "ami-2"}); err == nil || !strings.Contains(err.Error(), "overrides the image for m6g.large with ami-9") {
		t.Errorf("got %v", err)
	}
	s.on("DescribeAutoScalingGroups", groups(group("web", e("LaunchConfigurationName", "old"))))
	if _, err := c.Target(t.Context(), "web", TargetOptions{AMI: "ami-2"}); err == nil || !strings.Contains(err.Error(), "launch configuration old") {
		t.Errorf("got %v", err)
	}
}
