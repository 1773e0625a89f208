package kops

import (
	"fmt"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/world"
)

// specOf is a spec with this rollingUpdate, as YAML.
func specOf(kind, name, role, update string) string {
	return fmt.Sprintf("apiVersion: kops.k8s.io/v1alpha2\nkind: %s\nmetadata:\n  name: %s\nspec:\n  role: %s\n  rollingUpdate:%s\n", kind, name, role, update)
}

// What the specs of a group and its cluster come to together: group over cluster over
// kops's defaults.
func TestResolve(t *testing.T) {
	for _, tt := range []struct {
		group, cluster, role string
		surge, unavailable   string // with their origins
		keep                 string
		note                 string
	}{
		{"", "", "Node", "1 kops", "0 kops", "false kops", ""},
		{"", " {maxSurge: 3}", "Node", "3 Cluster x", "0 kops", "false kops", ""},
		{" {maxSurge: 0}", " {maxSurge: 3}", "Node", "0 InstanceGroup g", "1 kops", "false kops", ""},
		{" {maxSurge: 30%}", "", "Node", "30% InstanceGroup g", "0 kops", "false kops", ""},
		{" {maxSurge: 150%}", "", "Node", "150% InstanceGroup g", "0 kops", "false kops", ""},
		{" {maxUnavailable: 25%}", " {maxSurge: 0, maxUnavailable: 2}", "Node", "0 Cluster x", "25% InstanceGroup g", "false kops", ""},
		{" {maxSurge: 0, maxUnavailable: 25%}", "", "Node", "0 InstanceGroup g", "25% InstanceGroup g", "false kops", ""},
		{" {maxUnavailable: null}", " {maxUnavailable: 2}", "Node", "1 kops", "2 Cluster x", "false kops", ""},
		{" {drainAndTerminate: true}", " {drainAndTerminate: false}", "Node", "1 kops", "0 kops", "false InstanceGroup g", ""},
		{"", " {drainAndTerminate: false}", "Node", "1 kops", "0 kops", "true Cluster x", ""},
		{" {maxUnavailable: 0}", " {maxSurge: 0}", "Node", "0 Cluster x", "0 InstanceGroup g", "false kops", ""}, // for what lays flags over it
		{"", " {maxSurge: 2}", "Bastion", "2 Cluster x", "0 kops", "false kops", ""},
		{"", " {maxSurge: 2}", "APIServer", "2 Cluster x", "0 kops", "false kops", ""},

		{"", "", "ControlPlane", "0 kops", "1 kops", "false kops", ""},
		{" {maxSurge: 0}", "", "Master", "0 kops", "1 kops", "false kops", ""},
		{"", " {maxSurge: 2}", "Master", "0 kops", "1 kops", "false kops", "maxSurge 2 of Cluster x ignored: the control plane cannot surge"},
		{"", " {maxSurge: 2, maxUnavailable: 0}", "ControlPlane", "0 kops", "1 kops", "false kops", "ignored"},
		{" {maxUnavailable: 2}", " {maxSurge: 1}", "ControlPlane", "0 kops", "2 InstanceGroup g", "false kops", "ignored"},
		{"", "", "APIServer,Etcd", "0 kops", "1 kops", "false kops", ""},
	} {
		group, err := parse([]byte(specOf("InstanceGroup", "g", tt.role, tt.group)), "group", "InstanceGroup", "g")
		if err != nil {
			t.Errorf("%s: %v", tt.group, err)
			continue
		}
		cluster, err := parse([]byte(specOf("Cluster", "x", "none of its fields", tt.cluster)), "cluster", "Cluster", "x")
		if err != nil {
			t.Errorf("%s: %v", tt.cluster, err)
			continue
		}
		u := resolve(world.RoleNode, group, cluster) // where the tags do not tell, the spec does
		got := []string{u.MaxSurge.String() + " " + u.Origin["max-surge"], u.MaxUnavailable.String() + " " + u.Origin["max-unavailable"], fmt.Sprint(u.KeepOld) + " " + u.Origin["drain-and-terminate"]}
		if want := []string{tt.surge, tt.unavailable, tt.keep}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s over %s for %s:\ngot  %v\nwant %v", tt.group, tt.cluster, tt.role, got, want)
		}
		if notes := strings.Join(u.Notes, " "); !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" {
			t.Errorf("%s over %s for %s: notes %q", tt.group, tt.cluster, tt.role, notes)
		}
	}
}

// Without a state store kops's defaults hold, and that is said.
func TestSettingsWithoutAStore(t *testing.T) {
	_, c := open(t, "")
	u, err := c.Settings(t.Context(), nodesA)
	if err != nil || u.MaxSurge.N != 1 || u.MaxUnavailable.N != 0 || u.KeepOld || u.Origin["max-surge"] != "kops" || len(u.Notes) != 1 || !strings.Contains(u.Notes[0], "no state store given (--state or KOPS_STATE_STORE)") {
		t.Errorf("got %+v %v", u, err)
	}
	master := nodesA
	master.Role = world.RoleControlPlane
	if u, err = c.Settings(t.Context(), master); err != nil || u.MaxSurge.N != 0 || u.MaxUnavailable.N != 1 {
		t.Errorf("got %+v %v", u, err)
	}
}

func TestParseErrors(t *testing.T) {
	const fix = "; correct it with kops edit instancegroup g"
	update := func(text string) string { return specOf("InstanceGroup", "g", "Node", text) }
	for _, tt := range []struct{ text, want string }{
		{update("\n    maxSurg: 2"), "s3://b/g, line 8: spec.rollingUpdate.maxSurg is not a field of kops: use drainAndTerminate, maxSurge or maxUnavailable" + fix},
		{update("\n    maxsurge: 2"), "line 8: spec.rollingUpdate.maxsurge is not a field"},
		{update("\n    maxSurge: 2\n    maxSurge: 3"), "line 9: spec.rollingUpdate.maxSurge is given twice"},
		{update(" 3"), "line 7: spec.rollingUpdate is not an object"},
		{update(" {maxSurge: -1}"), "line 7: spec.rollingUpdate.maxSurge is negative"},
		{update(" {maxUnavailable: -1%}"), "spec.rollingUpdate.maxUnavailable is negative"},
		{update(" {maxSurge: \"3\"}"), `spec.rollingUpdate.maxSurge is "3", neither a number nor a percentage (examples: 3, 25%)`},
		{update(" {maxSurge: 1.5}"), "neither a number"},
		{update(" {maxSurge: lots}"), "neither a number"},
		{update(" {maxSurge: [1]}"), "neither a number"},
		{update(" {maxSurge: 99999999999}"), "neither a number"},
		{update(" {drainAndTerminate: \"no\"}"), `spec.rollingUpdate.drainAndTerminate is "no", neither true nor false`},
		{update(" {maxSurge: 0, maxUnavailable: 0}"), "spec.rollingUpdate.maxSurge and maxUnavailable are both 0: no node could be rolled"},
		{specOf("InstanceGroup", "g", "Master", " {maxSurge: 1}"), "spec.rollingUpdate.maxSurge is set, but the control plane cannot surge" + fix},
		{specOf("InstanceGroup", "g", "ControlPlane", " {maxSurge: 10%}"), "cannot surge"},
		{specOf("InstanceGroup", "g", "Nodes", ""), `spec.role is "Nodes", not a role of kops`},
		{strings.Replace(update(" {maxSurge: 1}"), "rollingUpdate", "rollingupdate", 1), "line 7: spec.rollingupdate is misspelt: the field is rollingUpdate"},
		{strings.Replace(update(" {maxSurge: 1}"), "rollingUpdate", "rollingUpdates", 1), "spec.rollingUpdates is misspelt"},
		{strings.Replace(update(""), "v1alpha2", "v2", 1), `s3://b/g: unknown apiVersion "kops.k8s.io/v2" (known: kops.k8s.io/v1alpha2, kops.k8s.io/v1alpha3)`},
		{specOf("Cluster", "g", "Node", ""), `s3://b/g: kind is "Cluster", not InstanceGroup`},
		{specOf("InstanceGroup", "h", "Node", ""), `s3://b/g: metadata.name is "h", not g`},
		{update("") + "---\nkind: Cluster\n", "s3://b/g has more than one object"},
		{"a: [", "s3://b/g is not YAML"},
		{"", "s3://b/g is not YAML"},
		{"- a", "s3://b/g, line 1: it is not an object"},
		{"kind: \x1b[31m", "s3://b/g is not YAML"},
	} {
		_, err := parse([]byte(tt.text), "s3://b/g", "InstanceGroup", "g")
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s\ngot  %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// What is not used is kops's own business: fields of other releases, and JSON.
func TestParseLeavesTheRest(t *testing.T) {
	for _, text := range []string{
		"apiVersion: kops.k8s.io/v1alpha3\nkind: InstanceGroup\nmetadata: {name: g, generation: 3}\nspec: {role: node, tomorrow: [1, {a: b}], updatePolicy: external}\nstatus: 1\n",
		`{"apiVersion": "kops/v1alpha2", "kind": "InstanceGroup", "metadata": {"name": "g"}, "spec": {"role": "Node", "rollingUpdate": {"maxSurge": "10%"}}}`,
		"apiVersion: kops.k8s.io/v1alpha2\nkind: InstanceGroup\nmetadata: {name: g}\nspec:\n  role: Node\n  some: &u {maxSurge: 10%}\n  rollingUpdate: *u\n",
	} {
		s, err := parse([]byte(text), "x", "InstanceGroup", "g")
		if err != nil || s.role != world.RoleNode || strings.Contains(text, "maxSurge") && s.update.maxSurge.String() != "10%" {
			t.Errorf("%s: got %+v %v", text, s, err)
		}
	}
}
