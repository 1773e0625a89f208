package asg

import (
	"errors"
	"github.com/drainboard/drainboard/providers/asg/transport"
	"net/url"
	"strings"
	"testing"
)

// A group is found by its own name, by those that people know it by, and by a part of these
// that is of no other group of the cluster.
func TestMeant(t *testing.T) {
	s, c := connect(t)
	tagged := func(pairs ...string) string {
		tags := []string{e("Key", "kubernetes.io/cluster/prod", "Value", "owned")}
		for i := 0; i < len(pairs); i += 2 {
			tags = append(tags, e("Key", pairs[i], "Value", pairs[i+1]))
		}
		return members("Tags", tags...)
	}
	s.onCall("DescribeAutoScalingGroups", func(url.Values) string {
		return groups(
			group("eks-workers-0ac1", tagged("eks:nodegroup-name", "workers")),
			group("eks-workers-2-77fe", tagged("eks:nodegroup-name", "workers-2")),
			group("nodes-a.shop.example.com", tagged("kops.k8s.io/instancegroup", "nodes-a")),
			group("nodes-a-batch", members("Instances", instance("i-1", "a", "InService", "1"))),
			group("elsewhere-web"))
	})
	for _, tt := range []struct{ name, is, err string }{
		{"eks-workers-0ac1", "eks-workers-0ac1", ""},
		{"workers", "eks-workers-0ac1", ""},
		{"workers-2", "eks-workers-2-77fe", ""},
		{"nodes-a", "nodes-a.shop.example.com", ""},
		{"BATCH", "nodes-a-batch", ""},
		{"77fe", "eks-workers-2-77fe", ""},
		{"worker", "", `"worker" may mean eks-workers-0ac1 (EKS node group workers) or eks-workers-2-77fe (EKS node group workers-2): name one of them`},
		{"nodes", "", `"nodes" may mean nodes-a-batch or nodes-a.shop.example.com (kops instance group nodes-a): name one of them`},
		{"elsewhere", "", `no Auto Scaling group "elsewhere" in eu-west-1: did you mean elsewhere-web?`}, // another cluster's
		{"none-such", "", `no Auto Scaling group "none-such" in eu-west-1`},
	} {
		got, err := c.Meant(t.Context(), tt.name, map[string]bool{"i-1": true}, "prod")
		if tt.err == "" && (err != nil || got != tt.is) {
			t.Errorf("%s: got %q, %v, want %s", tt.name, got, err, tt.is)
		}
		if tt.err != "" && (err == nil || err.Error() != tt.err || errors.Is(err, transport.ErrNotFound) != strings.HasPrefix(tt.err, "no Auto Scaling group")) {
			t.Errorf("%s: got %q, %v, want %s", tt.name, got, err, tt.err)
		}
	}
}

// A group that is listed only after it was asked for by its name is not said to be missing.
func TestUnknownGroupThatCame(t *testing.T) {
	s, c := connect(t)
	s.onCall("DescribeAutoScalingGroups", func(in url.Values) string {
		if in.Get("AutoScalingGroupNames.member.1") != "" {
			return groups()
		}
		return groups(group("eks-workers-0ac1", ""))
	})
	_, err := c.Group(t.Context(), "eks-workers-0ac1")
	if !errors.Is(err, transport.ErrNotFound) || !strings.HasSuffix(err.Error(), " until a moment ago, and now there is one: try again") {
		t.Errorf("%v", err)
	}
}
