package cloud

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/drainboard/drainboard/lab/cloud/access"
)

// IAM simulates what the asking key may do, for its own user or role.
func TestSimulatePrincipalPolicy(t *testing.T) {
	b := serve(t, quick, nil)
	client := iam.New(iam.Options{Region: "eu-west-1", BaseEndpoint: aws.String(b.URL()), Credentials: b.sts.Options().Credentials, HTTPClient: b.sts.Options().HTTPClient})
	simulate := func(of string, actions ...string) (*iam.SimulatePrincipalPolicyOutput, error) {
		return client.SimulatePrincipalPolicy(b.ctx, &iam.SimulatePrincipalPolicyInput{PolicySourceArn: &of, ActionNames: actions, ResourceArns: []string{"arn:aws:autoscaling:eu-west-1:123456789012:autoScalingGroup:a:autoScalingGroupName/ng"}})
	}
	b.DenyKey("AKIALAB", "autoscaling:ResumeProcesses", true)
	b.DenyKey("AKIAOTHER", "autoscaling:SuspendProcesses", true)
	out, err := simulate(access.User, "autoscaling:SuspendProcesses", "autoscaling:ResumeProcesses")
	b.must(out, err)
	if r := out.EvaluationResults; len(r) != 2 || r[0].EvalDecision != "allowed" || r[1].EvalDecision != "implicitDeny" || *r[1].EvalActionName != "autoscaling:ResumeProcesses" ||
		len(r[1].ResourceSpecificResults) != 1 || r[1].ResourceSpecificResults[0].EvalResourceDecision != "implicitDeny" {
		t.Errorf("got %+v", r)
	}
	_, err = simulate("arn:aws:iam::123456789012:user/other", "autoscaling:SuspendProcesses")
	b.fails(err, "NoSuchEntity", "user/other")
	_, err = simulate(access.User, "SuspendProcesses")
	b.fails(err, "InvalidInput", "SuspendProcesses")

	b.Assume("AKIALAB", "/ops/", "admin")
	who, err := b.sts.GetCallerIdentity(context.Background(), &sts.GetCallerIdentityInput{})
	b.must(who, err)
	role, err := client.GetRole(b.ctx, &iam.GetRoleInput{RoleName: aws.String("admin")})
	b.must(role, err)
	if *who.Arn != "arn:aws:sts::123456789012:assumed-role/admin/lab" || *role.Role.Arn != "arn:aws:iam::123456789012:role/ops/admin" {
		t.Errorf("the key is %s, of role %s", *who.Arn, *role.Role.Arn)
	}
	_, err = simulate("arn:aws:iam::123456789012:role/admin", "ec2:TerminateInstances") // without its path
	b.fails(err, "NoSuchEntity", "role/admin")
	b.must(simulate(*role.Role.Arn, "ec2:TerminateInstances"))
	_, err = client.GetRole(b.ctx, &iam.GetRoleInput{RoleName: aws.String("none")})
	b.fails(err, "NoSuchEntity", "none")

	b.Deny("iam:SimulatePrincipalPolicy")
	_, err = simulate(*role.Role.Arn, "ec2:TerminateInstances")
	b.fails(err, "AccessDenied", "User: arn:aws:sts::123456789012:assumed-role/admin/lab is not authorized to perform: iam:SimulatePrincipalPolicy")
}
