package kops

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/awstest"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// connect starts an AWS and a client of it.
func connect(t *testing.T) (*awstest.Service, *asg.Client) {
	t.Helper()
	s := awstest.Start(t)
	c, err := asg.Connect(t.Context(), asg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// group is an Auto Scaling group of a cluster, with one machine of version 1.
func group(name, cluster, machine string, tags ...string) string {
	return awstest.Group(name, awstest.E("LaunchTemplate", awstest.Spec("lt-1", "2")),
		awstest.Tags(append(tags, "KubernetesCluster", cluster)...),
		awstest.Members("Instances", awstest.Instance(machine, "eu-west-1a", "InService", "1")))
}

// shop are the groups of the cluster shop.example.com, and machines i-d1 and i-d2 that were
// detached; the groups of others are there too.
var shop = []string{
	group("nodes-b.shop.example.com", "shop.example.com", "i-5", "kops.k8s.io/instancegroup", "nodes-b", "k8s.io/role/node", "1"),
	group("bastions.shop.example.com", "shop.example.com", "i-1", "kops.k8s.io/instancegroup", "bastions", "k8s.io/role/bastion", "1"),
	group("nodes-a.shop.example.com", "shop.example.com", "i-4", "kops.k8s.io/instancegroup", "nodes-a", "k8s.io/role/node", "1"),
	group("control-plane-a.masters.shop.example.com", "shop.example.com", "i-2", "kops.k8s.io/instancegroup", "control-plane-a", "k8s.io/role/control-plane", "1", "k8s.io/role/master", "1"),
	group("front.apiservers.shop.example.com", "shop.example.com", "i-3", "kops.k8s.io/instancegroup", "front", "k8s.io/role/apiserver", "1"),
	group("by-hand", "shop.example.com", "i-6"),
}

var others = []string{
	group("nodes.other.example.com", "other.example.com", "i-9", "kops.k8s.io/instancegroup", "nodes", "k8s.io/role/node", "1"),
	group("eks", "", "i-8", "eks:cluster-name", "x"),
}

// serve answers for all groups, or for those of one cluster, one on each page.
func serve(s *awstest.Service) {
	s.WithTemplate()
	s.On("DescribeInstanceRefreshes", "")
	s.OnCall("DescribeAutoScalingGroups", func(f url.Values) string {
		list := slices.Concat(shop, others)
		switch {
		case f.Get("Filters.member.1.Name") == "":
		case f.Get("Filters.member.1.Name") == "tag:KubernetesCluster" && f.Get("Filters.member.1.Values.member.1") == "shop.example.com":
			list = shop
		default:
			list = nil
		}
		at := 0
		for i := range list {
			if f.Get("NextToken") == string(rune('a'+i)) {
				at = i
			}
		}
		if at >= len(list) {
			return awstest.Groups()
		}
		if at+1 < len(list) {
			return awstest.Groups(list[at]) + awstest.E("NextToken", string(rune('a'+at+1)))
		}
		return awstest.Groups(list[at])
	})
	s.OnCall("DescribeInstances", func(f url.Values) string {
		if !strings.Contains(f.Get("Filter.2.Name")+f.Get("Filter.2.Value.1"), "kops.k8s.io/detached-from-asg") {
			return awstest.Reservation() // nothing is ending
		}
		return awstest.Reservation(
			awstest.Machine("i-d1", "running", "kops.k8s.io/detached-from-asg", "nodes-a.shop.example.com"),
			awstest.Machine("i-4", "running", "kops.k8s.io/detached-from-asg", "nodes-a.shop.example.com"))
	})
}

// open starts an AWS with the shop, and connects to it.
func open(t *testing.T, store string) (*awstest.Service, *Client) {
	t.Helper()
	s, a := connect(t)
	serve(s)
	c, err := Connect(t.Context(), a, Options{Cluster: "shop.example.com", StateStore: store})
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

func TestConnect(t *testing.T) {
	ids := func(list ...string) map[string]bool {
		m := map[string]bool{}
		for _, id := range list {
			m[id] = true
		}
		return m
	}
	for _, tt := range []struct {
		name    string
		o       Options
		cluster string
		kind    error
		words   string
	}{
		{"by its machines", Options{Machines: ids("i-4", "i-5", "i-6")}, "shop.example.com", nil, ""},
		{"by name, and its machines agree", Options{Cluster: "shop.example.com", Machines: ids("i-4")}, "shop.example.com", nil, ""},
		{"by name alone", Options{Cluster: "new.example.com"}, "new.example.com", nil, ""},
		{"by name, with another's machines", Options{Cluster: "shop.example.com", Machines: ids("i-9")}, "", nil, "the nodes of this kubeconfig belong to the kops cluster other.example.com, not to shop.example.com: choose another context"},
		{"two clusters", Options{Machines: ids("i-4", "i-9")}, "", nil, "several kops clusters, other.example.com and shop.example.com: name one with --cluster-name"},
		{"none of kops's", Options{Machines: ids("i-8")}, "", ErrNoCluster, "no node of this kubeconfig belongs to a kops cluster in eu-west-1"},
		{"the cluster's tag alone", Options{Machines: ids("i-6")}, "", ErrNoCluster, "no node of this kubeconfig"},
		{"another name for nodes of none", Options{Cluster: "shop.example.com", Machines: ids("i-8")}, "", ErrNoCluster, "no node of this kubeconfig"},
		{"nothing to go by", Options{}, "", nil, "name it with --cluster-name or KOPS_CLUSTER_NAME"},
		{"a store of another kind", Options{Cluster: "x", StateStore: "gs://bucket"}, "", nil, `the state store "gs://bucket" is not supported: use s3://bucket/prefix`},
		{"a store without a bucket", Options{Cluster: "x", StateStore: "s3:///x"}, "", nil, "has no S3 bucket"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, a := connect(t)
			serve(s)
			c, err := Connect(t.Context(), a, tt.o)
			if tt.words != "" {
				if err == nil || !strings.Contains(err.Error(), tt.words) || tt.kind != nil && !errors.Is(err, tt.kind) {
					t.Errorf("got %v, want %q", err, tt.words)
				}
				return
			}
			if err != nil || c.Cluster() != tt.cluster {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestGroupsInOrder(t *testing.T) {
	_, c := open(t, "")
	groups, err := c.Groups(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range groups {
		got = append(got, g.InstanceGroup+" "+string(g.Role))
		if g.Provider != Provider || g.Outdated != 1 || (g.InstanceGroup == "nodes-a") != slices.Equal(g.Detached, []string{"i-d1"}) {
			t.Errorf("got %+v", g)
		}
	}
	want := []string{"bastions bastion", "control-plane-a control-plane", "front apiserver", "nodes-a node", "nodes-b node"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestFind(t *testing.T) {
	s, c := open(t, "")
	for _, name := range []string{"control-plane-a", "control-plane-a.masters.shop.example.com"} {
		if g, err := c.Find(t.Context(), name); err != nil || g.InstanceGroup != "control-plane-a" || g.Name != "control-plane-a.masters.shop.example.com" {
			t.Errorf("%s: got %+v %v", name, g, err)
		}
	}
	_, err := c.Find(t.Context(), "nodes")
	if want := `kops cluster shop.example.com has no instance group "nodes"; it has bastions, control-plane-a, front, nodes-a, nodes-b`; !errors.Is(err, transport.ErrNotFound) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	s.On("DescribeAutoScalingGroups", awstest.Groups())
	if _, err := c.Find(t.Context(), "nodes"); !errors.Is(err, transport.ErrNotFound) || !strings.Contains(err.Error(), "no instance group of kops cluster shop.example.com in eu-west-1") {
		t.Errorf("got %v", err)
	}
	s.On("DescribeAutoScalingGroups", awstest.Fail(403, "AccessDenied", "no"))
	if _, err := c.Find(t.Context(), "nodes"); !errors.Is(err, transport.ErrForbidden) {
		t.Errorf("got %v", err)
	}
}

func TestRolesAndNames(t *testing.T) {
	for _, tt := range []struct {
		name string // of the Auto Scaling group
		tags []string
		role world.Role
		want string
	}{
		{"a.masters.x.org", []string{"k8s.io/role/master"}, world.RoleControlPlane, "a"}, // without the tag of newer kops
		{"a.apiservers.x.org", []string{"k8s.io/role/apiserver"}, world.RoleAPIServer, "a"},
		{"nodes.x.org", []string{"k8s.io/role/node"}, world.RoleNode, "nodes"},
		{"elsewhere", []string{"k8s.io/role/bastion"}, world.RoleBastion, "elsewhere"},
		{"elsewhere", []string{"kops.k8s.io/instancegroup"}, world.RoleNode, "1"},
		{"parts.masters.x.org", []string{"k8s.io/role/etcd", "k8s.io/role/apiserver"}, world.RoleControlPlane, "parts"},
		{"nodes.x.org", nil, "", "nodes"},
	} {
		g := world.Group{Name: tt.name, Tags: map[string]string{"KubernetesCluster": "x.org"}}
		for _, key := range tt.tags {
			g.Tags[key] = "1"
		}
		if role, name := roleOf(g.Tags), nameOf(g); role != tt.role || name != tt.want {
			t.Errorf("%s %v: got %s %s", tt.name, tt.tags, role, name)
		}
	}
}

// The feed is the one of Auto Scaling groups, of a group of the cluster.
func TestFeed(t *testing.T) {
	s, c := open(t, "")
	for _, action := range []string{"DescribePolicies", "DescribeScheduledActions", "DescribeLifecycleHooks"} {
		s.On(action, "")
	}
	var got *world.World
	f := c.Feed("nodes-a.shop.example.com", asg.FeedOptions{Certain: true})
	done := make(chan error, 1)
	seen := make(chan struct{})
	go func() {
		done <- f.Run(t.Context(), func(change live.Change) {
			if got == nil {
				got = world.New()
				change(got)
				close(seen)
			}
		})
	}()
	select {
	case <-seen:
	case err := <-done:
		t.Fatalf("ended: %v", err)
	}
	if g := got.Group; g.Provider != Provider || g.Role != world.RoleNode || len(g.Peers) != 5 {
		t.Errorf("got %+v", g)
	}
	if m := got.Machine("i-d1"); m == nil || !m.Detached {
		t.Errorf("got %+v", m)
	}
	if m := got.Machine("i-4"); m == nil || m.Detached {
		t.Errorf("got %+v", m)
	}
}

// The executor tags what it detaches as kops does.
func TestExecutor(t *testing.T) {
	s, c := open(t, "")
	s.On("DescribeAutoScalingInstances", awstest.Members("AutoScalingInstances", awstest.E("InstanceId", "i-4", "AutoScalingGroupName", "nodes-a.shop.example.com", "LifecycleState", "InService")))
	s.On("CreateTags", awstest.E("return", "true"))
	s.On("DetachInstances", "")
	a := record.Action{Key: "detach i-4", Kind: record.Detach, Group: "nodes-a.shop.example.com", Machine: "i-4"}
	e := c.Executor(asg.ExecutorOptions{})
	if o := e.Do(t.Context(), a); o.Verdict != record.Done {
		t.Fatalf("got %+v", o)
	}
	tags, detached := s.Sent("CreateTags"), s.Sent("DetachInstances")
	if len(tags) != 1 || tags[0].Get("Tag.1.Key") != "kops.k8s.io/detached-from-asg" || tags[0].Get("Tag.1.Value") != "nodes-a.shop.example.com" || len(detached) != 1 {
		t.Errorf("sent %v, %v", tags, detached)
	}
}

// The strategy names the same tag in its commands.
func TestDetachedTag(t *testing.T) {
	if strategy.DetachedTag != TagDetached {
		t.Errorf("commands have the tag %s, the executor puts %s", strategy.DetachedTag, TagDetached)
	}
}

func TestActionLists(t *testing.T) {
	for _, list := range [][]string{ReadActions, UpgradeActions} {
		if !slices.IsSorted(list) {
			t.Errorf("not sorted: %v", list)
		}
	}
}
