package kops

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/awstest"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

const (
	clusterSpec = `apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata:
  name: shop.example.com
spec:
  channel: stable
  rollingUpdate:
    maxSurge: 2
    drainAndTerminate: false
`
	groupSpec = `apiVersion: kops.k8s.io/v1alpha3
kind: InstanceGroup
metadata:
  name: nodes-a
spec:
  role: Node
  rollingUpdate:
    maxUnavailable: 25%
`
)

// nodesA is the group that the specs are of.
var nodesA = Group{Summary: asg.Summary{Group: world.Group{Name: "nodes-a.shop.example.com", Role: world.RoleNode}}, InstanceGroup: "nodes-a"}

// write makes a state store in a directory.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func specFiles() map[string]string {
	return map[string]string{"shop.example.com/config": clusterSpec, "shop.example.com/instancegroup/nodes-a": groupSpec}
}

// checkSettings holds what the two specs say together.
func checkSettings(t *testing.T, c *Client) {
	t.Helper()
	u, err := c.Settings(t.Context(), nodesA)
	if err != nil {
		t.Fatal(err)
	}
	if u.MaxSurge.String() != "2" || u.MaxUnavailable.String() != "25%" || !u.KeepOld || len(u.Notes) != 0 ||
		u.Origin["max-surge"] != "Cluster shop.example.com" || u.Origin["max-unavailable"] != "InstanceGroup nodes-a" || u.Origin["drain-and-terminate"] != "Cluster shop.example.com" {
		t.Errorf("got %+v", u)
	}
}

func TestSettingsFromADirectory(t *testing.T) {
	dir := write(t, specFiles())
	for _, name := range []string{dir, "file://" + dir} {
		_, c := open(t, name)
		checkSettings(t, c)
	}
}

func TestSettingsFromS3(t *testing.T) {
	for _, tt := range []struct{ store, prefix string }{{"s3://state/kops/prod/", "/state/kops/prod/"}, {"s3://state", "/state/"}, {"s3://state.example.com/", "/state.example.com/"}} {
		s, c := open(t, tt.store)
		s.On("ListObjectsV2", "<ListBucketResult/>")
		s.OnCall("GetObject", func(f url.Values) string {
			name, ok := strings.CutPrefix(f.Get("Path"), tt.prefix)
			if text, there := specFiles()[name]; ok && there {
				return text
			}
			return awstest.Fail(404, "NoSuchKey", "The specified key does not exist.")
		})
		checkSettings(t, c)
		s.BucketsIn("us-east-2") // S3 tells, and it is asked there from then on
		checkSettings(t, c)
		checkSettings(t, c)
		if n := len(s.Sent("GetObject")); n != 2+3+2 {
			t.Errorf("asked %d times", n)
		}
	}
}

func TestStoreTrouble(t *testing.T) {
	for _, tt := range []struct {
		answer string
		kind   error
		words  string
	}{
		{awstest.Fail(404, "NoSuchKey", "The specified key does not exist."), fs.ErrNotExist, "the state store has no Cluster shop.example.com (no s3://state/prod/shop.example.com/config); check --state (KOPS_STATE_STORE) and --cluster-name"},
		{awstest.Fail(404, "NoSuchBucket", "The specified bucket does not exist"), nil, "reading s3://state/prod/shop.example.com/config: no S3 bucket state: check --state or KOPS_STATE_STORE"},
		{awstest.Fail(403, "AccessDenied", "User: arn:aws:iam::1:user/me is not authorized to perform: s3:GetObject on resource: x"), transport.ErrForbidden, "reading s3://state/prod/shop.example.com/config: AWS does not allow the IAM action s3:GetObject to arn:aws:iam::1:user/me (AccessDenied)"},
		{awstest.Fail(403, "AccessDenied", "Access Denied"), transport.ErrForbidden, "the IAM action s3:GetObject (AccessDenied); without s3:ListBucket S3 answers the same for missing objects"},
		{awstest.Fail(400, "ExpiredToken", "The provided token has expired."), transport.ErrExpired, "AWS credentials expired (ExpiredToken)"},
		{strings.Repeat("# long\n", 1<<20), nil, "larger than 4 MiB, not a spec"},
	} {
		s, c := open(t, "s3://state/prod")
		s.On("GetObject", tt.answer)
		if _, err := c.Settings(t.Context(), nodesA); err == nil || !strings.Contains(err.Error(), tt.words) || tt.kind != nil && !errors.Is(err, tt.kind) {
			t.Errorf("got %v, want %q", err, tt.words)
		}
	}
}

// An answer that is lost or throttled is asked for again.
func TestStoreAsksAgain(t *testing.T) {
	s, c := open(t, "s3://state")
	s.On("ListObjectsV2", "<ListBucketResult/>")
	answers := []string{awstest.Drop, awstest.Fail(503, "SlowDown", "Please reduce your request rate."), clusterSpec, groupSpec}
	s.OnCall("GetObject", func(url.Values) string {
		answer := answers[0]
		answers = answers[1:]
		return answer
	})
	checkSettings(t, c)
}

// A client for those who only look reads a state store.
func TestStoreReadOnly(t *testing.T) {
	s := awstest.Start(t)
	serve(s)
	a, err := asg.Connect(t.Context(), asg.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Connect(t.Context(), a, Options{Cluster: "shop.example.com", StateStore: "s3://state"})
	if err != nil {
		t.Fatal(err)
	}
	s.On("ListObjectsV2", "<ListBucketResult/>")
	s.OnCall("GetObject", func(f url.Values) string { return specFiles()[strings.TrimPrefix(f.Get("Path"), "/state/")] })
	checkSettings(t, c)
}

func TestDirectoryTrouble(t *testing.T) {
	dir := write(t, map[string]string{"shop.example.com/config": clusterSpec, "secret": groupSpec})
	_, c := open(t, dir)
	_, err := c.Settings(t.Context(), nodesA)
	if want := "the state store has no InstanceGroup nodes-a (no file://" + dir + "/shop.example.com/instancegroup/nodes-a); kops rolls no group without a spec: to roll it by kops's defaults, leave out --state and KOPS_STATE_STORE"; !errors.Is(err, fs.ErrNotExist) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	outside := nodesA
	outside.InstanceGroup = "../../../secret"
	if _, err := c.Settings(t.Context(), outside); err == nil || strings.Contains(err.Error(), "is no") {
		t.Errorf("read outside of the store: %v", err)
	}
	_, c = open(t, dir+"/nowhere")
	if _, err := c.Settings(t.Context(), nodesA); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
