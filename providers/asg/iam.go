package asg

// ReadActions are the IAM actions that reading needs (groups, plan, watch), sorted.
var ReadActions = []string{
	"autoscaling:DescribeAutoScalingGroups",
	"autoscaling:DescribeInstanceRefreshes",
	"autoscaling:DescribeLifecycleHooks",
	"autoscaling:DescribePolicies", // optional: names the scaling policies
	"autoscaling:DescribeScalingActivities",
	"autoscaling:DescribeScheduledActions", // optional: names these
	"autoscaling:DescribeWarmPool",         // where the group has one
	"ec2:DescribeImages",                   // with --ami; without it the image is not checked
	"ec2:DescribeInstances",                // tells Spot machines from others, and those that ended from detached ones
	"ec2:DescribeLaunchTemplateVersions",
	"ec2:DescribeSubnets",
	"iam:GetRole",                 // optional: finds the role of a session
	"iam:SimulatePrincipalPolicy", // optional: checks the rights of an upgrade
}

// UpgradeActions are the IAM actions that an upgrade needs beside ReadActions,
// sorted.
var UpgradeActions = []string{
	"autoscaling:DescribeAutoScalingInstances",
	"autoscaling:LaunchInstances", // where a zone gets no new machine
	"autoscaling:ResumeProcesses",
	"autoscaling:SuspendProcesses",
	"autoscaling:TerminateInstanceInAutoScalingGroup",
	"autoscaling:UpdateAutoScalingGroup",
	"ec2:CreateLaunchTemplateVersion",             // with --ami
	"ec2:DescribeInstanceStatus",                  // optional: what is wrong with a machine that does not join
	"ec2:GetConsoleOutput",                        // optional, as well
	"ec2:TerminateInstances",                      // where the group has a warm pool
	"elasticloadbalancing:DescribeInstanceHealth", // optional, by the strategy drainboard: is a machine out of a classic load balancer
	"elasticloadbalancing:DescribeTargetHealth",   // likewise, of a target group
}

// CloudOnlyActions are the IAM actions that an upgrade with --cloudonly needs beside those:
// its lock is a tag of the group. Sorted.
var CloudOnlyActions = []string{
	"autoscaling:CreateOrUpdateTags",
	"autoscaling:DeleteTags", // optional: without it a tag stays that nobody holds
	"autoscaling:DescribeTags",
}

// PassedActions are never called by Drainboard, but Auto Scaling checks that the
// caller has them when a group's launch template is set (user guide, "Control
// Amazon EC2 launch template usage in Auto Scaling groups") or LaunchInstances
// is called. Sorted.
var PassedActions = []string{
	"ec2:CreateFleet", // for autoscaling:LaunchInstances
	"ec2:CreateTags",  // if the template tags what it launches
	"ec2:RunInstances",
	"iam:PassRole", // of the template's instance profile
}
