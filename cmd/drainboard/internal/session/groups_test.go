package session

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	authv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/awstest"
	"github.com/drainboard/drainboard/providers/kube"
)

// connectShop is connected to a cluster with nodes on i-4 and i-8, and to an AWS where i-4
// is of kops's cluster shop.example.com, and i-8 of the group web.
func connectShop(t *testing.T, provider string) (*Session, *awstest.Service) {
	t.Helper()
	s, aws, err := openShop(t, provider)
	if err != nil {
		t.Fatal(err)
	}
	return s, aws
}

// openShop is connectShop, or why there is none.
func openShop(t *testing.T, provider string) (*Session, *awstest.Service, error) {
	t.Helper()
	node := func(name, machine string) corev1.Node {
		return corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{ProviderID: "aws:///eu-west-1a/" + machine}}
	}
	flags := clitest.Serving(t, func(w http.ResponseWriter, r *http.Request) {
		var answer any = metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}}
		var review authv1.SelfSubjectAccessReview
		body, _ := io.ReadAll(r.Body)
		switch _, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, &review); {
		case err == nil && review.Spec.ResourceAttributes != nil:
			review.Status.Allowed = true
			review.Kind, review.APIVersion = "SelfSubjectAccessReview", "authorization.k8s.io/v1"
			answer = review
		case r.URL.Path == "/api/v1/nodes":
			answer = corev1.NodeList{TypeMeta: metav1.TypeMeta{Kind: "NodeList", APIVersion: "v1"}, Items: []corev1.Node{node("a4", "i-4"), node("w8", "i-8")}}
		case strings.HasSuffix(r.URL.Path, "/configmaps"):
			answer = corev1.ConfigMapList{TypeMeta: metav1.TypeMeta{Kind: "ConfigMapList", APIVersion: "v1"}}
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	})
	aws := awstest.Start(t)
	aws.WithTemplate()
	aws.On("DescribeInstanceRefreshes", "")
	aws.On("DescribeInstances", awstest.Reservation())
	kops := func(name, ig, role, machine string) string {
		return awstest.Group(name, awstest.E("LaunchTemplate", awstest.Spec("lt-1", "2")),
			awstest.Tags("KubernetesCluster", "shop.example.com", "kops.k8s.io/instancegroup", ig, "k8s.io/role/"+role, "1"),
			awstest.Members("Instances", awstest.Instance(machine, "eu-west-1a", "InService", "1")))
	}
	all := map[string]string{
		"nodes-a.shop.example.com":          kops("nodes-a.shop.example.com", "nodes-a", "node", "i-4"),
		"bastions.shop.example.com":         kops("bastions.shop.example.com", "bastions", "bastion", "i-1"),
		"master-a.masters.shop.example.com": kops("master-a.masters.shop.example.com", "master-a", "control-plane", "i-2"),
		"web":                               awstest.Group("web", awstest.E("LaunchTemplate", awstest.Spec("lt-1", "2")), awstest.Members("Instances", awstest.Instance("i-8", "eu-west-1a", "InService", "2"))),
	}
	aws.OnCall("DescribeAutoScalingGroups", func(f url.Values) string {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(all)) {
			named, of := f.Get("AutoScalingGroupNames.member.1"), f.Get("Filters.member.1.Name") != ""
			if named != "" && named != name || of && name == "web" {
				continue
			}
			list = append(list, all[name])
		}
		return awstest.Groups(list...)
	})
	s, _, err := (Options{Flags: flags, Namespace: "drainboard"}).Connect(t.Context(), backend.Where{Provider: provider}, kube.ReadRights("drainboard"), true)
	return s, aws, err
}

// A group is found by the name of its instance group or of its Auto Scaling group, and is
// kops's if it has kops's tags.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		name, provider string
		group, alias   string
		says           string // "" when it is found
	}{
		{"web", "", "web", "", ""},
		{"nodes-a", "", "nodes-a.shop.example.com", "nodes-a", ""},
		{"nodes-a.shop.example.com", "", "nodes-a.shop.example.com", "nodes-a", ""},
		{"nodes-a.shop.example.com", "asg", "nodes-a.shop.example.com", "", ""},
		{"master-a", "kops", "master-a.masters.shop.example.com", "master-a", ""},
		{"web", "kops", "", "", `has no instance group "web"; it has bastions, master-a, nodes-a`},
		{"nodes-z", "", "", "", `no instance group "nodes-z"`},
		{"web", "gke", "", "", "choose auto, asg, eks, kops or gardener"},
	} {
		s, _, err := openShop(t, c.provider)
		var at backend.Group
		if err == nil {
			at, err = s.Find(t.Context(), c.name)
		}
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s of %q: %v, want %q", c.name, c.provider, err, c.says)
			}
			continue
		}
		if err != nil || at.Name() != c.group || at.Alias() != c.alias || (at.Provider() == "kops") != (c.alias != "") {
			t.Errorf("%s of %q: %+v, %v", c.name, c.provider, at, err)
		}
	}
	s, aws := connectShop(t, "")
	if _, err := s.Find(t.Context(), "web"); err != nil || len(aws.Calls()) != 1 {
		t.Errorf("a group that is none of kops's takes %d calls, %v", len(aws.Calls()), err)
	}
}

// The groups of kops come first, in the order in which kops rolls them, by the names of
// their instance groups.
func TestGroupsOfKops(t *testing.T) {
	s, _ := connectShop(t, "")
	rows, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range rows {
		names = append(names, r.Called()+" "+r.Provider+" "+string(r.Role))
	}
	if got := strings.Join(names, ", "); got != "bastions kops bastion, master-a kops control-plane, nodes-a kops node, web asg " {
		t.Errorf("groups: %s", got)
	}
	var out bytes.Buffer
	if err := present.WriteGroups(&out, rows, true); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{"GROUP PROVIDER ROLE NODES OUTDATED", "bastions kops bastion 1 1", "master-a kops control-plane 1 1", "nodes-a kops node 1 1", "web asg - 1 0"} {
		if got := strings.Join(strings.Fields(lines[i]), " "); !strings.HasPrefix(got, want) {
			t.Errorf("line %d is %q, want %q", i, got, want)
		}
	}
	s, _ = connectShop(t, "asg")
	if rows, err = s.List(t.Context()); err != nil || slices.ContainsFunc(rows, func(r present.GroupRow) bool { return r.Role != "" || r.Provider != "asg" }) {
		t.Errorf("with --provider asg: %+v, %v", rows, err)
	}
	s, _ = connectShop(t, "kops")
	if rows, err = s.List(t.Context()); err != nil || len(rows) != 3 || rows[0].Role != world.RoleBastion {
		t.Errorf("with --provider kops: %+v, %v", rows, err)
	}
}

// A run continues as what it began, whatever the group's tags say by now; a flag that says
// something else is refused.
func TestARunGoesOnAsItBegan(t *testing.T) {
	const own = "nodes-a.shop.example.com"
	for _, c := range []struct {
		begun, name, provider string
		kops                  bool
		says                  string // "" when it continues
	}{
		{"kops", "nodes-a", "", true, ""},
		{"kops", own, "kops", true, ""},
		{"kops", own, "asg", false, "was started with --provider kops: omit --provider asg to resume it"},
		{"asg", "nodes-a", "", false, ""},
		{"asg", own, "kops", false, "was started with --provider asg"},
		{"asg", "web", "", false, ""},
		{"kops", "web", "", false, `has no instance group "web"`},
	} {
		s, _ := connectShop(t, c.provider)
		at, err := s.Find(t.Context(), c.name)
		if err != nil {
			t.Fatal(err)
		}
		at, err = s.AsBegun(t.Context(), at, record.Run{ID: "r", Provider: c.begun})
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if err != nil || (at.Provider() == "kops") != c.kops {
			t.Errorf("%+v: %+v, %v", c, at, err)
		}
	}
}
