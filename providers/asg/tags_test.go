package asg

import (
	"errors"
	"testing"

	"github.com/drainboard/drainboard/providers/asg/awstest"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// The tags of a large group are read without its instances: a start waits for them.
func TestTags(t *testing.T) {
	s, c := connect(t)
	s.on("DescribeAutoScalingGroups", groups(group("web", awstest.Tags("shop", "corner"))))
	if got, err := c.Tags(t.Context(), "web"); err != nil || got["shop"] != "corner" {
		t.Errorf("got %v, %v", got, err)
	}
	sent := s.sent("DescribeAutoScalingGroups")
	if len(sent) != 1 || sent[0].Get("AutoScalingGroupNames.member.1") != "web" || sent[0].Get("IncludeInstances") != "false" {
		t.Errorf("sent %v", sent)
	}
	s.on("DescribeAutoScalingGroups", groups())
	if _, err := c.Tags(t.Context(), "web"); !errors.Is(err, transport.ErrNotFound) {
		t.Errorf("of no group: %v", err)
	}
}
