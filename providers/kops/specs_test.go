package kops

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/awstest"
)

// instanceGroup is a spec, rollingUpdate misspelt: that is the business of who rolls it.
func instanceGroup(name, role, more string) string {
	return "apiVersion: kops.k8s.io/v1alpha2\nkind: InstanceGroup\nmetadata:\n  name: " + name + "\nspec:\n  role: " + role + "\n  rollingUpdat: {}\n" + more
}

var made = func(name string) bool { return name == "nodes-a" }

// checkUnmade holds which groups have a spec only.
func checkUnmade(t *testing.T, c *Client) {
	t.Helper()
	got, err := c.Unmade(t.Context(), made)
	want := []world.Peer{
		{Name: "masters", Alias: "masters", Role: world.RoleControlPlane, Missing: true},
		{Name: "spot", Alias: "spot", Role: world.RoleNode},
	}
	if err != nil || !slices.EqualFunc(got, want, func(a, b world.Peer) bool {
		return a.Name == b.Name && a.Alias == b.Alias && a.Role == b.Role && a.Missing == b.Missing
	}) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
	}
}

func unmade() map[string]string {
	return map[string]string{
		"shop.example.com/instancegroup/nodes-a": groupSpec,
		"shop.example.com/instancegroup/masters": instanceGroup("masters", "Master", ""),
		"shop.example.com/instancegroup/spot":    instanceGroup("spot", "Node", "  manager: Karpenter\n"),
	}
}

func TestUnmadeInADirectory(t *testing.T) {
	_, c := open(t, write(t, unmade()))
	checkUnmade(t, c)
	_, c = open(t, write(t, map[string]string{"shop.example.com/config": clusterSpec}))
	if got, err := c.Unmade(t.Context(), made); len(got) > 0 || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := (&Client{}).Unmade(t.Context(), made); len(got) > 0 || err != nil {
		t.Errorf("without a store: %v, %v", got, err)
	}
}

// All pages are read, once; a spec is read once, and only of a group that the cloud lacks.
func TestUnmadeInS3(t *testing.T) {
	s, c := open(t, "s3://state/prod")
	s.BucketsIn("us-east-2")
	const prefix = "prod/shop.example.com/instancegroup/"
	key := func(name string) string { return "<Contents><Key>" + prefix + name + "</Key></Contents>" }
	s.OnCall("ListObjectsV2", func(f url.Values) string {
		switch {
		case f.Get("Prefix") != prefix:
			return awstest.Fail(400, "InvalidArgument", f.Get("Prefix"))
		case f.Get("Token") == "":
			return "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>more</NextContinuationToken>" + key("") + key("spot") + "</ListBucketResult>"
		}
		return "<ListBucketResult>" + key("nodes-a") + key("masters") + "</ListBucketResult>"
	})
	s.OnCall("GetObject", func(f url.Values) string { return unmade()[strings.TrimPrefix(f.Get("Path"), "/state/prod/")] })
	checkUnmade(t, c)
	checkUnmade(t, c)
	if lists, reads := len(s.Sent("ListObjectsV2")), len(s.Sent("GetObject")); lists != 3 || reads != 2 {
		t.Errorf("listed %d times, read %d specs", lists, reads)
	}
}

// Who may not list the specs is told in the plan, and nothing else fails for it.
func TestUnmadeForbidden(t *testing.T) {
	s, c := open(t, "s3://state")
	s.On("ListObjectsV2", awstest.Fail(403, "AccessDenied", "Access Denied"))
	s.OnCall("GetObject", func(f url.Values) string { return specFiles()[strings.TrimPrefix(f.Get("Path"), "/state/")] })
	if got, err := c.Unmade(t.Context(), made); len(got) > 0 || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	u, err := c.Settings(t.Context(), nodesA)
	if want := "the state store's instance groups cannot be listed: AWS does not allow the IAM action s3:ListBucket (AccessDenied); an instance group that has a spec and no Auto Scaling group is not noticed"; err != nil || len(u.Notes) != 1 || u.Notes[0] != want {
		t.Errorf("got  %v, %v\nwant %s", u.Notes, err, want)
	}
}
