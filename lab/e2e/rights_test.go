package e2e

import (
	"bytes"
	"cmp"
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

// iamRows are the IAM actions of docs/reference/rights.md by what they are for, the first cell of
// their row. A row with an empty one is for the same as the row above it.
func iamRows(t *testing.T) map[string][]string {
	t.Helper()
	rows, use := map[string][]string{}, ""
	for row := range strings.Lines(string(document(t, "docs", "reference", "rights.md"))) {
		cell, rest, isRow := strings.Cut(strings.TrimPrefix(row, "|"), "|")
		if !isRow || !strings.HasPrefix(row, "|") {
			use = ""
			continue
		}
		use = cmp.Or(strings.TrimSpace(cell), use)
		for _, m := range iamAction.FindAllStringSubmatch(rest, -1) {
			rows[use] = append(rows[use], m[1])
		}
	}
	return rows
}

// documentedActions are the IAM actions that docs/reference/rights.md asks for, without those for
// groups of kops and managed node groups.
func documentedActions(t *testing.T) map[string]bool {
	actions := map[string]bool{}
	for use, list := range iamRows(t) {
		if strings.HasPrefix(use, "kops:") || strings.HasPrefix(use, "EKS managed:") {
			continue
		}
		for _, action := range list {
			actions[action] = true
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
	rows := iamRows(t)
	var actions []string
	for _, name := range names {
		use, known := map[string]string{
			"read": "`groups`, `plan`, `watch`", "upgrade": "`upgrade` also",
			"kops read": "kops: `groups`, `plan`, `watch` also", "kops upgrade": "kops: `upgrade` also",
			"cloudonly": "`upgrade --cloudonly` also, for the lock, a tag of the group", "eks read": "EKS managed: `groups`, `plan`, `status`, `watch` also",
			"eks upgrade": "EKS managed: `upgrade` also",
		}[name]
		if !known {
			continue // a role of rbac.yaml that needs nothing of AWS
		}
		if len(rows[use]) == 0 {
			t.Fatalf("docs/reference/rights.md has no row for %s", use)
		}
		actions = append(actions, rows[use]...)
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
