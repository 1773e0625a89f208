package kops

// ReadActions are the IAM actions that reading a kops cluster needs beside those of
// package asg, sorted.
var ReadActions = []string{
	"ec2:DescribeInstances", // what was detached, and what is ending
	"s3:GetObject",          // of a state store in S3
	"s3:ListBucket",         // of it, optional: else S3 says of what is not there that it may not be read
}

// UpgradeActions are the IAM actions that an upgrade of an instance group needs beside
// ReadActions and those of package asg, sorted.
var UpgradeActions = []string{
	"autoscaling:DetachInstances", // to surge
	"ec2:CreateTags",              // of what is detached
	"ec2:DeleteTags",              // optional: where it could not be detached
	"ec2:TerminateInstances",
	"elasticloadbalancing:DeregisterInstancesFromLoadBalancer", // where the group has a classic load balancer
	"elasticloadbalancing:DeregisterTargets",                   // where the group has target groups
	"elasticloadbalancing:DescribeInstanceHealth",
	"elasticloadbalancing:DescribeTargetHealth",
}
