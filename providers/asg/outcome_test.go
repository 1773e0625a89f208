package asg

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling"

	"github.com/drainboard/drainboard/engine/record"
)

// What becomes of an UpdateAutoScalingGroup for each kind of answer.
func TestClassify(t *testing.T) {
	tests := []struct {
		answer  string
		verdict record.Verdict
		refusal record.Refusal
		words   string
	}{
		{"", record.Done, "", ""},
		{drop, record.Unknown, "", ""},
		{fail(400, "Throttling", "Rate exceeded"), record.Refused, record.RefusedBusy, "AWS throttles our requests (Throttling): Rate exceeded"},
		{fail(503, "RequestLimitExceeded", "Request limit exceeded."), record.Refused, record.RefusedBusy, "throttles"},
		{fail(403, "AccessDenied", "User: arn:aws:iam::1:user/me is not authorized to perform: autoscaling:UpdateAutoScalingGroup on resource: arn:x because no identity-based policy allows it"),
			record.Refused, record.RefusedForbidden, "AWS does not allow the IAM action autoscaling:UpdateAutoScalingGroup to arn:aws:iam::1:user/me (AccessDenied)"},
		{fail(403, "AccessDenied", "no"), record.Refused, record.RefusedForbidden, "AWS does not allow the IAM action autoscaling:UpdateAutoScalingGroup (AccessDenied)"},
		{fail(400, "ValidationError", "You must use a valid fully-formed launch template. You are not authorized to perform this operation. Encoded authorization failure message: xyz"),
			record.Refused, record.RefusedForbidden, "AWS does not allow the IAM action ec2:RunInstances or iam:PassRole (ValidationError)"},
		{fail(400, "ValidationError", "Max bound, 1, must be greater than or equal to min bound, 3"), record.Refused, record.RefusedInvalid, "Max bound, 1, must be greater than or equal to min bound, 3"},
		{fail(400, "ValidationError", "AutoScalingGroup name not found - AutoScalingGroup: web not found"), record.Refused, record.RefusedInvalid, "name not found"},
		{fail(400, "ScalingActivityInProgress", "wait"), record.Refused, record.RefusedBusy, "wait"},
		{fail(400, "ResourceContention", "another update"), record.Refused, record.RefusedBusy, "another update"},
		{fail(400, "ResourceInUse", "in use"), record.Refused, record.RefusedConflict, "in use"},
		{fail(400, "InsufficientInstanceCapacity", "none left"), record.Refused, record.RefusedCapacity, "none left"},
		{fail(400, "VcpuLimitExceeded", "quota"), record.Refused, record.RefusedCapacity, "quota"},
		{fail(403, "ExpiredToken", "The security token included in the request is expired"), record.Refused, record.RefusedBusy, "AWS credentials expired (ExpiredToken): The security token included in the request is expired"},
		{fail(401, "AuthFailure", "AWS was not able to validate"), record.Refused, record.RefusedBusy, "AWS credentials are not valid (AuthFailure)"},
		{fail(500, "InternalFailure", "oops"), record.Unknown, "", "oops"},
		{fail(500, "InternalError", "An internal error has occurred"), record.Unknown, "", "internal"},
		{fail(502, "SomethingNew", "bad gateway"), record.Unknown, "", "bad gateway"},
		{fail(400, "SomethingNew", "evil\x1b]0;title\x07 words"), record.Refused, record.RefusedInvalid, "evil]0;title words"},
	}
	for _, tt := range tests {
		s, c := connect(t)
		s.on("DescribeAutoScalingGroups", groups(group("web")))
		s.on("UpdateAutoScalingGroup", strings.NewReplacer("\x1b", "&#x202e;", "\x07", "&#x200b;").Replace(tt.answer))
		o := do(t, c, record.Action{Kind: record.SetSizes, Group: "web", From: &sizes, Sizes: &raised})
		expect(t, o, tt.verdict, tt.refusal, tt.words)
		if n := len(s.sent("UpdateAutoScalingGroup")); n != 1 {
			t.Errorf("%q: sent %d times", tt.words, n)
		}
	}
}

// A write that the SDK does not repeat and that met a closed port was never
// sent; of one that may have been repeated nobody knows.
func TestNeverSent(t *testing.T) {
	connect(t)
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1") // tcpmux, which nobody serves; a port just closed may be another test's by now
	c, err := Connect(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	name := "web"
	x := c.Executor(ExecutorOptions{})
	expect(t, x.update(t.Context(), &autoscaling.UpdateAutoScalingGroupInput{AutoScalingGroupName: &name}), record.Refused, record.RefusedBusy, "AWS does not answer: dial tcp")
	expect(t, x.do(t.Context(), record.Action{Kind: record.Suspend, Group: name, Process: "Launch"}), record.Unknown, "", "AWS does not answer: dial tcp")
}
