package gardener

import (
	"bytes"
	"os"
	"slices"
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
