package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/flags"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/eks"
	"github.com/drainboard/drainboard/providers/gardener"
	"github.com/drainboard/drainboard/providers/kops"
	"github.com/drainboard/drainboard/providers/kube"
)

// TestRightsNameEveryAction holds the IAM table of docs/reference/rights.md to what the code calls.
func TestRightsNameEveryAction(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/rights.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range slices.Concat(asg.ReadActions, asg.UpgradeActions, asg.CloudOnlyActions, asg.PassedActions, kops.ReadActions, kops.UpgradeActions, eks.ReadActions, eks.UpgradeActions) {
		if !strings.Contains(string(page), "`"+action+"`") {
			t.Errorf("docs/reference/rights.md does not name %s", action)
		}
	}
}

// TestKopsDocumentNamesEveryFlag holds docs/providers/kops.md to the flags that are kops's here, and
// to the names that kops has for ours.
func TestKopsDocumentNamesEveryFlag(t *testing.T) {
	page, err := os.ReadFile("../../docs/providers/kops.md")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"all-nodes", "cluster-name", "state", "interactive", "max-surge", "max-unavailable", "post-drain-wait"}
	for _, o := range flags.KopsOnly {
		names = append(names, o.Flag)
	}
	for name, ours := range flags.KopsNames {
		names = append(names, name, ours)
	}
	for _, name := range names {
		if !strings.Contains(string(page), "`--"+name) {
			t.Errorf("docs/providers/kops.md does not name --%s", name)
		}
	}
}

// TestPublishedRolesGrantEveryRight holds docs/reference/rbac.yaml to the rights that the
// commands ask for.
func TestPublishedRolesGrantEveryRight(t *testing.T) {
	file, err := os.ReadFile("../../docs/reference/rbac.yaml")
	if err != nil {
		t.Fatal(err)
	}
	granted := map[string][]rbacv1.PolicyRule{} // by namespace
	read := map[string][]rbacv1.PolicyRule{}    // of those, what drainboard-read grants
	docs := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(file), 4096)
	for {
		var role rbacv1.Role // a ClusterRole reads as one without a namespace
		if err := docs.Decode(&role); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		granted[role.Namespace] = append(granted[role.Namespace], role.Rules...)
		if role.Name == "drainboard-read" {
			read[role.Namespace] = append(read[role.Namespace], role.Rules...)
		}
	}
	grants := func(by map[string][]rbacv1.PolicyRule, r kube.Right) bool {
		return slices.ContainsFunc(by[r.Namespace], func(rule rbacv1.PolicyRule) bool {
			return slices.Contains(rule.APIGroups, r.Group) && slices.Contains(rule.Resources, r.Resource) && slices.Contains(rule.Verbs, r.Verb)
		})
	}
	for _, r := range append(kube.ReadRights(kube.Namespace), kube.DriverRights(kube.Namespace)...) { // all that status needs
		if !grants(read, r) {
			t.Errorf("drainboard-read in docs/reference/rbac.yaml does not grant %s", r)
		}
	}
	for _, r := range slices.Concat(kube.ReadRights(kube.Namespace), kube.WatchRights(kube.Namespace), kube.WriteRights(kube.Namespace), kube.ForceRights(), kube.ScaleRights(), kube.LogRights(), kube.RouteRights(), kube.AnnounceRights(kube.Namespace), kube.EarRights(kube.Namespace), kube.CommandRights(kube.Namespace)) {
		if !grants(granted, r) {
			t.Errorf("docs/reference/rbac.yaml does not grant %s", r)
		}
	}
	namespace, name, _ := strings.Cut(gardener.InfoName, "/")
	if rules := granted[namespace]; len(rules) != 1 || !slices.Equal(rules[0].ResourceNames, []string{name}) || !slices.Equal(rules[0].Verbs, []string{"get"}) {
		t.Errorf("docs/reference/rbac.yaml grants %v in %s, want to get the configmap %s", rules, namespace, name)
	}
}

// TestBoundRights holds what operators and a pipeline are to be given, rbac-operators.yaml, rbac-pipeline.yaml
// and iam-upgrade.json of docs/reference, to the published roles and to what the code calls.
func TestBoundRights(t *testing.T) {
	open := func(name string) []byte {
		file, err := os.ReadFile("../../docs/reference/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	type object struct {
		Kind     string
		Metadata struct{ Namespace, Name string }
		RoleRef  struct{ Kind, Name string }
	}
	each := func(name string, do func(object)) {
		docs := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(open(name)), 4096)
		for {
			var o object
			if err := docs.Decode(&o); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatal(err)
			}
			do(o)
		}
	}
	for file, which := range map[string]func(role string) bool{
		"rbac-operators.yaml": func(string) bool { return true },
		"rbac-pipeline.yaml": func(role string) bool {
			return slices.Contains([]string{"drainboard-read", "drainboard-upgrade", "drainboard-hear", "drainboard-events"}, role)
		},
	} {
		roles, bound := map[string]bool{}, map[string]bool{}
		each("rbac.yaml", func(o object) {
			if strings.HasSuffix(o.Kind, "Role") && which(o.Metadata.Name) {
				roles[o.Kind+" "+o.Metadata.Namespace+"/"+o.Metadata.Name] = true
			}
		})
		each(file, func(o object) {
			if o.Kind != o.RoleRef.Kind+"Binding" {
				t.Errorf("%s: a %s of a %s", file, o.Kind, o.RoleRef.Kind)
			}
			bound[o.RoleRef.Kind+" "+o.Metadata.Namespace+"/"+o.RoleRef.Name] = true
		})
		if len(roles) < 6 || !maps.Equal(roles, bound) {
			t.Errorf("%s binds: %v\nroles: %v", file, bound, roles)
		}
	}
	var policy struct {
		Statement []struct{ Action []string }
	}
	if err := json.Unmarshal(open("iam-upgrade.json"), &policy); err != nil {
		t.Fatal(err)
	}
	var given []string
	for _, s := range policy.Statement {
		given = append(given, s.Action...)
	}
	needed := slices.Concat(asg.ReadActions, asg.UpgradeActions, asg.PassedActions, eks.ReadActions, eks.UpgradeActions)
	slices.Sort(given)
	slices.Sort(needed)
	if !slices.Equal(slices.Compact(given), slices.Compact(needed)) {
		t.Errorf("given: %q\nneeded: %q", given, needed)
	}
}

// TestDocsNameEveryExternalMover holds docs/reference/external-movers.md to the kinds of external movers and the ways to
// handle them.
func TestDocsNameEveryExternalMover(t *testing.T) {
	file, err := os.ReadFile("../../docs/reference/external-movers.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []record.ExternalKind{
		record.ExternalRefresh, record.ExternalTemplate, record.ExternalRebalance, record.ExternalUnhealthy, record.ExternalPolicy, record.ExternalSchedule,
		record.ExternalAutoscaler, record.ExternalRoll, record.ExternalDrain, record.ExternalCordon, record.ExternalMark, record.ExternalRepair,
	} {
		if !strings.Contains(string(file), "\n| "+string(kind)+" | ") {
			t.Errorf("docs/reference/external-movers.md has no line for %s", kind)
		}
	}
	for _, how := range []record.Handling{record.HandlingRefused, record.HandlingSuspended, record.HandlingWaited, record.HandlingLeft, record.HandlingWarned} {
		if !strings.Contains(string(file), "\n| "+string(how)+" | ") {
			t.Errorf("docs/reference/external-movers.md does not say what %s means", how)
		}
	}
}

// foreignFlags are flags of other programs in lines that do not begin with their names.
var foreignFlags = []string{"certificate-identity-regexp", "certificate-oidc-issuer"}

// TestDocsNameRealFlags holds what the documents say of flags to the flags there are.
func TestDocsNameRealFlags(t *testing.T) {
	root := newRoot(strings.NewReader(""), io.Discard, io.Discard)
	known := func(name string) bool {
		return name == "help" || slices.ContainsFunc(append(root.Commands(), root), func(cmd *cobra.Command) bool {
			return cmd.Flags().Lookup(name) != nil || cmd.PersistentFlags().Lookup(name) != nil
		})
	}
	flag := regexp.MustCompile("(?:^|[ `(|=])--([a-z][a-z-]+)")
	others := regexp.MustCompile("(?m)^    (?:bin/lab|docker|cosign|sha256sum|kubectl|aws|make|go) .*$|`(?:bin/lab|kubectl|aws|brew|apk|docker|kops|dpkg|rpm) [^`]*`")
	found := 0
	for name, text := range pages(t) {
		if !forUsers(name) {
			continue
		}
		for _, m := range flag.FindAllStringSubmatch(others.ReplaceAllString(text, ""), -1) {
			if found++; !known(m[1]) && !slices.Contains(foreignFlags, m[1]) {
				t.Errorf("%s names --%s, which no command has", name, m[1])
			}
		}
	}
	if found < 300 {
		t.Errorf("only %d flags were found: are the pages still read right?", found)
	}
}

// TestDocsNameEveryAction writes the table of all kinds of actions in docs/reference/actions.md, as
// the engine describes them, or holds the page to it.
func TestDocsNameEveryAction(t *testing.T) {
	const path = "../../docs/reference/actions.md"
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	code := func(list ...string) string {
		if len(list) == 0 || list[0] == "" {
			return ""
		}
		return "`" + strings.Join(list, "`, `") + "`"
	}
	var table strings.Builder
	table.WriteString("| action | what it does | where | needs to see | undone by | rights |\n|---|---|---|---|---|---|\n")
	for _, k := range record.Kinds {
		var needs []string
		for _, s := range k.Needs {
			needs = append(needs, string(s))
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s | %s | %s |\n", k.Name, k.Means, k.Place, strings.Join(needs, ", "), code(string(k.Undo)), code(k.Rights...))
	}
	lead, rest, found := strings.Cut(string(doc), "-rewrite -->\n")
	_, after, closed := strings.Cut(rest, "<!-- end -->")
	if !found || !closed {
		t.Fatalf("%s has no place for the table", path)
	}
	want := lead + "-rewrite -->\n" + table.String() + "<!-- end -->" + after
	if want == string(doc) {
		return
	}
	if !*rewrite {
		t.Fatalf("%s has another table than the code; -rewrite writes it", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What the kinds of actions say they need is what is published as needed, and nothing that
// changes something is published that no action needs.
func TestActionsNeedThePublishedRights(t *testing.T) {
	published := slices.Concat(asg.ReadActions, asg.UpgradeActions, kops.UpgradeActions, eks.UpgradeActions)
	for _, list := range [][]kube.Right{kube.ReadRights("drainboard"), kube.WriteRights("drainboard"), kube.ForceRights(), kube.ScaleRights(), kube.RouteRights(), (&gardener.Client{}).WriteRights(), {(&gardener.Client{}).PaceRight()}} {
		for _, r := range list {
			published = append(published, r.Verb+" "+r.Resource)
		}
	}
	needed := map[string]bool{}
	for _, k := range record.Kinds {
		for _, right := range k.Rights {
			needed[right] = true
			if !slices.Contains(published, right) {
				t.Errorf("%s needs %s, which is not published", k.Name, right)
			}
		}
	}
	for _, right := range published {
		_, verb, _ := strings.Cut(right, ":")
		reads := strings.HasPrefix(verb, "Describe") || strings.HasPrefix(right, "iam:") || strings.HasPrefix(right, "get ") || strings.HasPrefix(right, "list ") || strings.HasPrefix(right, "watch ")
		own := strings.HasSuffix(right, " configmaps") || strings.HasSuffix(right, " leases") // the record and the lock
		if !reads && !own && !needed[right] {
			t.Errorf("%s is published, and no action needs it", right)
		}
	}
}
