package e2e

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/drainboard/drainboard/lab"
)

// published are the rights of docs/reference/rbac.yaml: of the roles drainboard-NAME, for
// the cluster and for namespaces.
func published(t *testing.T, names ...string) lab.Rights {
	t.Helper()
	rights := lab.Rights{Namespaces: map[string][]rbacv1.PolicyRule{}}
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(document(t, "docs", "reference", "rbac.yaml")), 4096); ; {
		var role rbacv1.Role // a ClusterRole reads as one without a namespace
		err := decoder.Decode(&role)
		if errors.Is(err, io.EOF) {
			return rights
		}
		if err != nil {
			t.Fatal(err)
		}
		wanted := slices.ContainsFunc(names, func(name string) bool { return role.Name == "drainboard-"+name })
		switch {
		case !wanted:
		case role.Kind == "ClusterRole":
			rights.Cluster = append(rights.Cluster, role.Rules...)
		case role.Kind == "Role":
			rights.Namespaces[role.Namespace] = append(rights.Namespaces[role.Namespace], role.Rules...)
		}
	}
}

var iamAction = regexp.MustCompile("`((?:autoscaling|ec2|elasticloadbalancing|iam|s3|eks|servicequotas|ssm):[A-Za-z]+)`")

// documentedActions are the IAM actions that docs/reference/rights.md asks for, without those for
// groups of kops.
func documentedActions(t *testing.T) map[string]bool {
	actions := map[string]bool{}
	for row := range strings.Lines(string(document(t, "docs", "reference", "rights.md"))) {
		if strings.HasPrefix(row, "| groups of kops") || strings.HasPrefix(row, "| managed node groups") {
			continue
		}
		for _, m := range iamAction.FindAllStringSubmatch(row, -1) {
			actions[m[1]] = true
		}
	}
	return actions
}

// granted are the IAM actions that docs/reference/rights.md asks for, for reading ("read") and for
// upgrades on top ("upgrade"), and for groups of kops besides ("kops read", "kops
// upgrade", "cloudonly", "eks read", "eks upgrade"). What AWS checks by itself when a template is set is not among them:
// nobody calls that.
func granted(t *testing.T, names ...string) []string {
	t.Helper()
	var actions []string
	for row := range strings.Lines(string(document(t, "docs", "reference", "rights.md"))) {
		for name, begin := range map[string]string{
			"read": "| `groups`, `plan`, `watch` |", "upgrade": "| `upgrade` also |",
			"kops read": "| groups of kops, `groups`, `plan`, `watch` also |", "kops upgrade": "| groups of kops, `upgrade` also |",
			"cloudonly": "| `upgrade --cloudonly` also", "eks read": "| managed node groups of EKS, `groups`, `plan`, `status`, `watch` also |",
			"eks upgrade": "| managed node groups of EKS, `upgrade` also |",
		} {
			if !slices.Contains(names, name) || !strings.HasPrefix(row, begin) {
				continue
			}
			for _, m := range iamAction.FindAllStringSubmatch(row, -1) {
				actions = append(actions, m[1])
			}
		}
	}
	if len(actions) == 0 {
		t.Fatal("docs/reference/rights.md lists no IAM actions")
	}
	return actions
}

// right is one verb on one resource, in one namespace or ("") the cluster.
type right struct{ verb, group, resource, namespace string }

// String is the right as drainboard names it.
func (r right) String() string {
	if r.namespace != "" {
		return r.verb + " " + r.resource + " in namespace " + r.namespace
	}
	return r.verb + " " + r.resource
}

// single are the rights one by one, each once.
func single(rights lab.Rights) []right {
	var out []right
	each(rights, func(r right) {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	})
	slices.SortFunc(out, func(a, b right) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// without are the rights but one.
func without(rights lab.Rights, but right) lab.Rights {
	out := lab.Rights{Namespaces: map[string][]rbacv1.PolicyRule{}}
	each(rights, func(r right) {
		rule := rbacv1.PolicyRule{Verbs: []string{r.verb}, APIGroups: []string{r.group}, Resources: []string{r.resource}}
		switch {
		case r == but:
		case r.namespace == "":
			out.Cluster = append(out.Cluster, rule)
		default:
			out.Namespaces[r.namespace] = append(out.Namespaces[r.namespace], rule)
		}
	})
	return out
}

func each(rights lab.Rights, do func(right)) {
	in := func(namespace string, rules []rbacv1.PolicyRule) {
		for _, rule := range rules {
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					for _, verb := range rule.Verbs {
						do(right{verb, group, resource, namespace})
					}
				}
			}
		}
	}
	in("", rights.Cluster)
	for namespace, rules := range rights.Namespaces {
		in(namespace, rules)
	}
}
