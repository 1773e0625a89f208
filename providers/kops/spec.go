package kops

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"go.yaml.in/yaml/v3"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// spec is what is used of a Cluster or an InstanceGroup. What is read has one form in
// all versions of kops's API but for the names of roles, v1alpha2's Master being
// v1alpha3's ControlPlane.
//
// rollingUpdate is read strictly, since a field that is misspelt there would leave a
// default in force that nobody asked for. What stands elsewhere is kops's own business:
// its API grows with each release, and kops refuses what it does not know itself.
type spec struct {
	kind, name string
	where      string     // the file, for errors
	role       world.Role // of an InstanceGroup
	karpenter  bool       // Karpenter launches its machines: it has no Auto Scaling group
	update     rollingUpdate
}

// rollingUpdate is the field of that name; nil is a field that is not there.
type rollingUpdate struct {
	maxSurge, maxUnavailable *record.Amount
	drainAndTerminate        *bool
}

// String is what people call it: "InstanceGroup nodes-a".
func (s spec) String() string { return s.kind + " " + world.Clean(s.name) }

// versions of kops's API, and the group's name before kops 1.16.
var versions = []string{"kops.k8s.io/v1alpha2", "kops.k8s.io/v1alpha3", "kops/v1alpha2"}

// parse reads a spec of a kind and a name.
func parse(data []byte, where, kind, name string) (spec, error) {
	s, body, err := parseHead(data, where, kind, name)
	if err != nil {
		return s, err
	}
	for field, node := range body {
		if field != "rollingUpdate" && levenshtein.ComputeDistance(strings.ToLower(field), "rollingupdate") <= 2 {
			return s, s.wrong(node, "spec."+field, "is misspelt: the field is rollingUpdate")
		}
	}
	return s, s.readUpdate(body["rollingUpdate"])
}

// parseHead reads what a spec is of, and returns its other fields.
func parseHead(data []byte, where, kind, name string) (spec, map[string]*yaml.Node, error) {
	s := spec{kind: kind, name: name, where: where}
	var doc, more yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&doc); err != nil {
		return s, nil, fmt.Errorf("%s is not YAML: %s", where, world.Clean(err.Error()))
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return s, nil, fmt.Errorf("%s has more than one object", where)
	}
	top, err := s.fields(doc.Content[0], "")
	if err != nil {
		return s, nil, err
	}
	if version := scalar(top["apiVersion"]); !slices.Contains(versions, version) {
		return s, nil, fmt.Errorf("%s: unknown apiVersion %q (known: %s, %s)", where, world.Clean(version), versions[0], versions[1])
	}
	if got := scalar(top["kind"]); got != kind {
		return s, nil, fmt.Errorf("%s: kind is %q, not %s", where, world.Clean(got), kind)
	}
	meta, err := s.fields(top["metadata"], "metadata")
	if err != nil {
		return s, nil, err
	}
	if got := scalar(meta["name"]); got != name {
		return s, nil, fmt.Errorf("%s: metadata.name is %q, not %s", where, world.Clean(got), world.Clean(name))
	}
	body, err := s.fields(top["spec"], "spec")
	if err != nil {
		return s, nil, err
	}
	if kind == "InstanceGroup" {
		s.karpenter = scalar(body["manager"]) == "Karpenter"
		s.role, err = s.readRole(body["role"])
	}
	return s, body, err
}

// readUpdate reads the field spec.rollingUpdate, and holds it to what kops's API
// validation does (validateRollingUpdate in pkg/apis/kops/validation): no field is
// negative, not both are 0, and a control plane cannot surge.
func (s *spec) readUpdate(node *yaml.Node) error {
	const at = "spec.rollingUpdate"
	fields, err := s.fields(node, at)
	if err != nil {
		return err
	}
	u := &s.update
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		field, value := at+"."+name, fields[name]
		switch name {
		case "maxSurge":
			u.maxSurge, err = s.amount(value, field)
		case "maxUnavailable":
			u.maxUnavailable, err = s.amount(value, field)
		case "drainAndTerminate":
			u.drainAndTerminate, err = s.boolean(value, field)
		default:
			err = s.wrong(value, field, "is not a field of kops: use drainAndTerminate, maxSurge or maxUnavailable")
		}
		if err != nil {
			return err
		}
	}
	if u.maxSurge == nil {
		return nil
	}
	switch {
	case s.role == world.RoleControlPlane && u.maxSurge.N != 0:
		return s.wrong(fields["maxSurge"], at+".maxSurge", "is set, but the control plane cannot surge")
	case u.maxSurge.N == 0 && u.maxUnavailable != nil && u.maxUnavailable.N == 0:
		return s.wrong(fields["maxSurge"], at+".maxSurge", "and maxUnavailable are both 0: no node could be rolled")
	}
	return nil
}

// readRole is a role as specs write it: one of several words, or parts of the control
// plane in a list.
func (s *spec) readRole(node *yaml.Node) (world.Role, error) {
	written := scalar(node)
	var best world.Role
	for part := range strings.SplitSeq(strings.ToLower(written), ",") {
		i := slices.IndexFunc(roles, func(r roleTag) bool { return r.key == strings.TrimSpace(part) })
		if i < 0 {
			return "", s.wrong(node, "spec.role", fmt.Sprintf("is %q, not a role of kops", world.Clean(written)))
		}
		if best == "" || roles[i].role == world.RoleControlPlane {
			best = roles[i].role
		}
	}
	return best, nil
}

// amount is a number of nodes, or a string with a percentage.
func (s *spec) amount(node *yaml.Node, field string) (*record.Amount, error) {
	written := scalar(node)
	digits, percent := strings.CutSuffix(written, "%")
	n, err := strconv.ParseInt(digits, 10, 32)
	switch {
	case isNull(node):
		return nil, nil
	case err != nil || node.Tag != "!!int" && !percent:
		return nil, s.wrong(node, field, fmt.Sprintf("is %q, neither a number nor a percentage (examples: 3, 25%%)", world.Clean(written)))
	case n < 0:
		return nil, s.wrong(node, field, "is negative")
	}
	return &record.Amount{N: int(n), Percent: percent}, nil
}

func (s *spec) boolean(node *yaml.Node, field string) (*bool, error) {
	if isNull(node) {
		return nil, nil
	}
	var is bool
	if node.Tag != "!!bool" || node.Decode(&is) != nil {
		return nil, s.wrong(node, field, fmt.Sprintf("is %q, neither true nor false", world.Clean(scalar(node))))
	}
	return &is, nil
}

// fields are those of an object, none of one that is not there.
func (s *spec) fields(node *yaml.Node, at string) (map[string]*yaml.Node, error) {
	fields := map[string]*yaml.Node{}
	if node = resolved(node); isNull(node) {
		return fields, nil
	}
	if node.Kind != yaml.MappingNode {
		return nil, s.wrong(node, at, "is not an object")
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name := node.Content[i].Value
		if fields[name] != nil {
			return nil, s.wrong(node.Content[i], strings.TrimPrefix(at+"."+name, "."), "is given twice")
		}
		fields[name] = resolved(node.Content[i+1])
	}
	return fields, nil
}

// wrong is an error that says where, and how to put it right.
func (s *spec) wrong(node *yaml.Node, field, what string) error {
	line := 0
	if node != nil {
		line = node.Line
	}
	edit := "kops edit cluster"
	if s.kind == "InstanceGroup" {
		edit = "kops edit instancegroup"
	}
	return fmt.Errorf("%s, line %d: %s %s; correct it with %s %s", s.where, line, cmp.Or(world.Clean(field), "it"), what, edit, world.Clean(s.name))
}

// resolved is what an alias stands for.
func resolved(node *yaml.Node) *yaml.Node {
	if node != nil && node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

func isNull(node *yaml.Node) bool { return node == nil || node.Tag == "!!null" }

// scalar is a plain value as it is written, "" for anything else.
func scalar(node *yaml.Node) string {
	if isNull(node) || node.Kind != yaml.ScalarNode {
		return ""
	}
	return node.Value
}
