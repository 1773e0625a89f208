package eks

// ReadActions are the IAM actions that reading managed node groups needs beside
// asg.ReadActions, sorted.
var ReadActions = []string{
	"eks:DescribeCluster",
	"eks:DescribeNodegroup",
	"eks:DescribeUpdate",
	"eks:ListInsights", // optional: what EKS has found out about the cluster
	"eks:ListUpdates",
	"servicequotas:ListServiceQuotas", // optional: whether the account may run the surge of a plan
	"ssm:GetParameters",               // optional: the recommended AMI release
}

// UpgradeActions are the IAM actions that starting an update needs beside ReadActions, sorted.
var UpgradeActions = []string{
	"eks:UpdateNodegroupConfig",
	"eks:UpdateNodegroupVersion",
}
