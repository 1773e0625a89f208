package gardener

import (
	"bytes"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/drainboard/drainboard/providers/kube"
)

// TestPublishedRolesGrantEveryRight holds the roles of the documentation to the rights that
// are asked for.
func TestPublishedRolesGrantEveryRight(t *testing.T) {
	c := &Client{}
	rights := func(kinds ...kube.Kind) (out []kube.Right) {
		for _, kind := range kinds {
			out = append(out, kind.Rights()...)
		}
		return out
	}
	for file, want := range map[string][][]kube.Right{ // a role after the other
		"rbac-control.yaml": {rights(c.kind(deployments), c.kind(sets), c.kind(machines)), c.WriteRights()},
		"rbac-garden.yaml":  {rights(c.shootKind()), {c.PaceRight()}},
	} {
		text, err := os.ReadFile("../../docs/reference/" + file)
		if err != nil {
			t.Fatal(err)
		}
		roles := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
		for _, list := range want {
			var role rbacv1.Role
			if err := roles.Decode(&role); err != nil {
				t.Fatal(err)
			}
			for _, r := range list {
				if !slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool {
					return slices.Contains(rule.APIGroups, r.Group) && slices.Contains(rule.Resources, r.Resource) && slices.Contains(rule.Verbs, r.Verb)
				}) {
					t.Errorf("docs/reference/%s: the role %s does not grant %s", file, role.Name, r)
				}
			}
		}
	}
}

// TestRightsPageNamesEveryRight holds the rows of docs/reference/rights.md for Gardener to the rights
// that are asked for: no more and no less.
func TestRightsPageNamesEveryRight(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/rights.md")
	if err != nil {
		t.Fatal(err)
	}
	c := &Client{}
	want := map[string][]string{ // verbs, by cluster and resource
		"garden cluster " + c.PaceRight().Resource: {c.PaceRight().Verb},
	}
	for _, kind := range []kube.Kind{c.kind(deployments), c.kind(sets), c.kind(machines)} {
		for _, r := range kind.Rights() {
			want["control cluster "+r.Resource] = append(want["control cluster "+r.Resource], r.Verb)
		}
	}
	for _, r := range c.shootKind().Rights() {
		want["garden cluster "+r.Resource] = append(want["garden cluster "+r.Resource], r.Verb)
	}
	for _, r := range c.WriteRights() {
		want["control cluster "+r.Resource] = append(want["control cluster "+r.Resource], r.Verb)
	}
	got := map[string][]string{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.HasPrefix(cells[1], " Gardener") {
			continue
		}
		for part := range strings.SplitSeq(strings.ReplaceAll(cells[2], " there", " in the control cluster"), ";") {
			resources, cluster, found := strings.Cut(strings.TrimSpace(part), " in the ")
			for resource := range strings.SplitSeq(resources, ", ") {
				if found && strings.HasSuffix(cluster, "cluster") {
					got[cluster+" "+resource] = append(got[cluster+" "+resource], strings.Split(strings.TrimSpace(cells[3]), ", ")...)
				}
			}
		}
	}
	for _, list := range []map[string][]string{got, want} {
		for on, verbs := range list {
			slices.Sort(verbs)
			list[on] = slices.Compact(verbs)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("docs/reference/rights.md has\n%v, and asked for is\n%v", got, want)
	}
}
