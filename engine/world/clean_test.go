package world_test

import (
	"fmt"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/drainboard/drainboard/engine/world"
)

func TestClean(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "shop/cart-1", "shop/cart-1"},
		{"letters", "Größe 大きさ", "Größe 大きさ"},
		{"escape", "a\x1b[31mred\x1b]0;title\x07", "a[31mred]0;title"},
		{"c1", "a\u009b31mb", "a31mb"},
		{"lines", "one\ntwo\tthree\r", "one two three "},
		{"separators", "a\u2028b\u00a0c", "a b c"},
		{"bidi", "a\u202eb\u2066c\u200f", "abc"},
		{"zero width", "a\u200bb\u200dc\ufeff\u2060", "abc"},
		{"soft hyphen", "a\u00adb", "ab"},
		{"invisible letters", "a\u3164\u115f\ufe0fb", "ab"},
		{"tags", "a\U000e0041b", "ab"},
		{"broken", "a\xffb", "a\ufffdb"},
		{"del", "a\x7fb", "ab"},
	} {
		if got := world.Clean(tt.in); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[31m\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		got := world.Clean(s)
		if !utf8.ValidString(got) || world.Clean(got) != got {
			t.Errorf("%q -> %q", s, got)
		}
		for _, r := range got {
			if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
				t.Errorf("%q keeps %U", s, r)
			}
		}
	})
}

// Everything that a world is given is clean in it, and what was clean before is
// kept as it is.
func TestWorldCleans(t *testing.T) {
	const evil = "a\x1b[2J\u202eb"
	w := world.New()
	m := map[string]string{evil: evil}
	w.SetNode(&world.Node{Name: evil, Machine: evil, Zone: evil, Version: evil, Trouble: evil, Labels: m, Taints: []world.Taint{{Key: evil, Value: evil, Effect: evil}},
		Tainted: map[string]time.Time{evil: {}}, Annotations: m, Conditions: []world.Condition{{Type: evil, Reason: evil}}})
	w.SetPod(&world.Pod{UID: evil, Namespace: evil, Name: evil, Node: evil, Owner: world.Owner{Kind: evil, Name: evil, UID: evil}, Phase: evil, Unplaced: evil, Finalizers: []string{evil}, Labels: m})
	w.SetBudget(&world.Budget{Namespace: evil, Name: evil, Expression: evil})
	machine := world.Machine{ID: evil, Zone: evil, State: evil, Detail: evil, Type: evil, Template: world.Template{ID: evil}}
	w.SetMachines([]world.Machine{machine})
	w.SetHealth(world.Cloud, world.Health{Problem: evil})
	w.SetGroup(world.Group{
		Name: evil, Provider: evil, Zones: []string{evil}, Template: world.Template{ID: evil}, TemplateSpec: evil, TemplateName: evil, Image: evil,
		Overrides: []world.Template{{ID: evil}}, Suspended: []string{evil}, Tags: m, Activities: []world.Activity{{ID: evil, Cause: evil, Message: evil}},
		Subnets: []world.Subnet{{ID: evil, Zone: evil}}, Warm: []world.Machine{machine}, Hooks: []world.Hook{{Name: evil}}, Refused: evil,
	})
	issues := []world.ManagedIssue{{Code: evil, Message: evil, Resources: []string{evil}}}
	managed := (&world.ManagedGroup{
		Cluster: evil, Name: evil, AutoScalingGroup: evil, Status: evil, Version: evil, Release: evil, AMIType: evil, ClusterVersion: evil, Recommended: evil,
		RecommendedImage: evil, TemplateName: evil, TemplateVersion: evil, MaxUnavailable: evil, Unread: evil, Issues: issues, Insights: []world.Insight{{Name: evil, Status: evil, Reason: evil}},
		Update: &world.ManagedUpdate{ID: evil, Kind: evil, Status: evil, Version: evil, Release: evil, Errors: issues},
	}).Clean()
	if said := fmt.Sprintf("%+v %+v", *managed, *managed.Update); world.Clean(said) != said {
		t.Errorf("%q", said)
	}
	const good = "a[2Jb"
	said := fmt.Sprintf("%+v %+v %+v %+v %+v %+v", *w.Node(good), *w.Pod(good), *w.Budget(good + "/" + good), *w.Machine(good), w.Group, w.Health)
	if world.Clean(said) != said {
		t.Errorf("%q", said)
	}
	if m[evil] != evil {
		t.Error("the caller's own map was changed")
	}
	p := &world.Pod{UID: "1", Labels: map[string]string{"app": "web"}}
	w.SetPod(p)
	if w.Pod("1") != p {
		t.Error("a clean pod was copied")
	}
}

// BenchmarkCleanPods is what the cleaning costs with the pods of a large cluster.
func BenchmarkCleanPods(b *testing.B) {
	pods := make([]*world.Pod, 150_000)
	for i := range pods {
		pods[i] = &world.Pod{
			UID: fmt.Sprintf("5f0c3c1e-6a5e-4f0a-9a35-%012d", i), Namespace: "shop", Name: fmt.Sprintf("checkout-7d9c6b5f4-%05d", i), Node: fmt.Sprintf("ip-10-0-%d-%d.eu-west-1.compute.internal", i/250, i%250),
			Owner: world.Owner{Kind: "ReplicaSet", Name: "checkout-7d9c6b5f4", UID: "0e1b6a0c-7a55-4f9d-8f0e-3c9f6f0a2b11"}, Phase: world.PodRunning,
			Labels: map[string]string{"app": "checkout", "pod-template-hash": "7d9c6b5f4", "team": "payments"},
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range pods {
			p.Clean()
		}
	}
}

// What a pod asks of its node is kept if the API could have accepted it, and not else.
func TestCleanNeeds(t *testing.T) {
	good := world.Needs{
		Room: world.Room{CPU: 100}, Tolerations: []world.Toleration{{Key: "a"}}, NodeLabels: map[string]string{"disk": "ssd"}, Nodes: [][]world.Requirement{{{Key: "a", Operator: "Exists"}}},
		Apart: []world.Near{{Topology: "zone"}}, Together: []world.Near{{Topology: "zone", Namespaces: []string{"shop"}}}, Spread: []world.Spread{{Topology: "zone", MaxSkew: 1}},
	}
	w := world.New()
	w.SetPod(&world.Pod{UID: "1", Needs: &good})
	if !w.Pod("1").Needs.Same(&good) {
		t.Errorf("%+v", w.Pod("1").Needs)
	}
	const evil = "a\x1b[31m"
	for name, edit := range map[string]func(*world.Needs){
		"toleration": func(n *world.Needs) { n.Tolerations = []world.Toleration{{Key: evil}} },
		"labels":     func(n *world.Needs) { n.NodeLabels = map[string]string{evil: ""} },
		"nodes":      func(n *world.Needs) { n.Nodes = [][]world.Requirement{{{Key: "a", Values: []string{evil}}}} },
		"apart":      func(n *world.Needs) { n.Apart = []world.Near{{Topology: evil}} },
		"together":   func(n *world.Needs) { n.Together = []world.Near{{Namespaces: []string{evil}}} },
		"spread":     func(n *world.Needs) { n.Spread = []world.Spread{{Selector: []world.Requirement{{Key: evil}}}} },
	} {
		bad := good
		if edit(&bad); bad.Same(&good) {
			t.Errorf("%s: it is the same", name)
		}
		w.SetPod(&world.Pod{UID: "1", Needs: &bad})
		if w.Pod("1").Needs != nil {
			t.Errorf("%s: it is kept", name)
		}
	}
}

// Two pods ask for the same only if each part of what they ask for is the same.
func TestSameNeeds(t *testing.T) {
	one := func() *world.Needs {
		return &world.Needs{Apart: []world.Near{{Topology: "zone", Namespaces: []string{"shop"}, Selector: []world.Requirement{{Key: "app", Operator: "In", Values: []string{"web"}}}}}}
	}
	if !one().Same(one()) {
		t.Error("the same is not the same")
	}
	for name, edit := range map[string]func(*world.Near){
		"topology":     func(n *world.Near) { n.Topology = "host" },
		"no selector":  func(n *world.Near) { n.None = true },
		"any":          func(n *world.Near) { n.Any = true },
		"namespaces":   func(n *world.Near) { n.Namespaces = []string{"till"} },
		"no namespace": func(n *world.Near) { n.Namespaces = nil },
		"selector":     func(n *world.Near) { n.Selector[0].Values = []string{"shop"} },
	} {
		other := one()
		if edit(&other.Apart[0]); other.Same(one()) || one().Same(other) {
			t.Errorf("%s: it is the same", name)
		}
	}
}
