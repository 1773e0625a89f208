package cloud

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/access"
	"github.com/drainboard/drainboard/lab/cloud/wire"
)

// templateNamed is the launch template of LaunchTemplateId or LaunchTemplateName.
func templateNamed(s *state, r *wire.Request) (*template, *wire.Error) {
	id, name := r.Str("LaunchTemplateId"), r.Str("LaunchTemplateName")
	switch {
	case id == "" && name == "":
		return nil, wire.EC2Error("MissingParameter", "You must specify either a launch template ID or a launch template name in the request.")
	case id != "" && name != "":
		return nil, wire.EC2Error("InvalidParameterCombination", "You can specify either a launch template ID or a launch template name in the request, but not both.")
	case id != "":
		if t := s.templates[id]; t != nil {
			return t, nil
		}
		return nil, wire.EC2Error("InvalidLaunchTemplateId.NotFound", "The specified launch template, with template ID %s, does not exist.", id)
	}
	if t := s.template(name); t != nil {
		return t, nil
	}
	return nil, wire.EC2Error("InvalidLaunchTemplateName.NotFoundException", "The specified launch template, with template name %s, does not exist.", name)
}

func errNoVersion(t *template, v string) *wire.Error {
	return wire.EC2Error("InvalidLaunchTemplateId.VersionNotFound", "Could not find the specified version %s for the launch template with ID %s.", v, t.id)
}

func describeTemplates(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	s := c.seen()
	ids, names := r.List("LaunchTemplateId"), r.List("LaunchTemplateName")
	for _, id := range ids {
		if s.templates[id] == nil {
			return nil, wire.EC2Error("InvalidLaunchTemplateId.NotFound", "The specified launch template, with template ID %s, does not exist.", id)
		}
	}
	for _, name := range names {
		if s.template(name) == nil {
			return nil, wire.EC2Error("InvalidLaunchTemplateName.NotFoundException", "The specified launch template, with template name %s, does not exist.", name)
		}
	}
	fs := r.Filters("Filter", "Value")
	var ts []*template
	for _, t := range s.sortedTemplates() {
		named := len(ids)+len(names) == 0 || slices.Contains(ids, t.id) || slices.Contains(names, t.name)
		if named && !slices.ContainsFunc(fs, func(f wire.Filter) bool { return !t.passes(f) }) {
			ts = append(ts, t)
		}
	}
	from, to, token, err := r.Page(len(ts), func(n int) string { return ts[n].id }, "MaxResults", 200, 200)
	if err != nil {
		return nil, err
	}
	return []wire.Node{wire.Each("launchTemplates", "item", ts[from:to], (*template).nodes), wire.Text("nextToken", token)}, nil
}

func (t *template) passes(f wire.Filter) bool {
	if key, ok := strings.CutPrefix(f.Name, "tag:"); ok {
		v, has := t.tags[key]
		return has && f.Matches(v)
	}
	return f.Name == "launch-template-name" && f.Matches(t.name)
}

func (t *template) nodes() []wire.Node {
	return []wire.Node{
		wire.Text("launchTemplateId", t.id),
		wire.Text("launchTemplateName", t.name),
		wire.Text("createTime", t.created),
		wire.Text("createdBy", access.User),
		wire.Text("defaultVersionNumber", t.def),
		wire.Text("latestVersionNumber", t.latest()),
		tagSet(t.tags),
	}
}

// describeVersions tells of versions, the newest first. Without a template it
// tells of $Latest or $Default of all templates.
func describeVersions(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	s := c.seen()
	wanted := r.List("LaunchTemplateVersion")
	type versionOf struct {
		t *template
		v version
	}
	var found []versionOf
	if r.Has("LaunchTemplateId") || r.Has("LaunchTemplateName") {
		t, err := templateNamed(s, r)
		if err != nil {
			return nil, err
		}
		var numbers []int64
		for _, w := range wanted {
			v, ok := t.version(w)
			if !ok {
				return nil, errNoVersion(t, w)
			}
			numbers = append(numbers, v.number)
		}
		low, high := r.Int("MinVersion", 1), r.Int("MaxVersion", math.MaxInt)
		for _, v := range slices.Backward(t.versions) {
			if len(wanted) > 0 && slices.Contains(numbers, v.number) || len(wanted) == 0 && int(v.number) >= low && int(v.number) <= high {
				found = append(found, versionOf{t, v})
			}
		}
	} else {
		if len(wanted) == 0 || slices.ContainsFunc(wanted, func(w string) bool { return w != "$Latest" && w != "$Default" }) {
			return nil, wire.EC2Error("InvalidParameterCombination", "Without a launch template ID or name, only $Latest and $Default can be described.")
		}
		for _, t := range s.sortedTemplates() {
			for _, v := range slices.Backward(t.versions) {
				if slices.Contains(wanted, "$Latest") && v.number == t.latest() || slices.Contains(wanted, "$Default") && v.number == t.def {
					found = append(found, versionOf{t, v})
				}
			}
		}
	}
	key := func(n int) string { return found[n].t.id + order(^uint64(found[n].v.number)) }
	from, to, token, err := r.Page(len(found), key, "MaxResults", 200, 200)
	if err != nil {
		return nil, err
	}
	return []wire.Node{
		wire.Each("launchTemplateVersionSet", "item", found[from:to], func(f versionOf) []wire.Node { return f.t.versionNodes(f.v) }),
		wire.Text("nextToken", token),
	}, nil
}

func (t *template) versionNodes(v version) []wire.Node {
	return []wire.Node{
		wire.Text("launchTemplateId", t.id),
		wire.Text("launchTemplateName", t.name),
		wire.Text("versionNumber", v.number),
		wire.Text("versionDescription", v.description),
		wire.Text("createTime", v.created),
		wire.Text("createdBy", access.User),
		wire.Text("defaultVersion", v.number == t.def),
		wire.El("launchTemplateData", v.data.nodes()...),
	}
}

func (d TemplateData) nodes() []wire.Node {
	nodes := []wire.Node{
		wire.Text("imageId", d.ImageID),
		wire.Text("instanceType", d.InstanceType),
		wire.Text("keyName", d.KeyName),
		wire.Text("userData", d.UserData),
	}
	if d.InstanceProfile != "" {
		nodes = append(nodes, wire.El("iamInstanceProfile", wire.Text("name", d.InstanceProfile)))
	}
	if len(d.SecurityGroupIDs) > 0 {
		nodes = append(nodes, wire.Texts("securityGroupIdSet", "item", d.SecurityGroupIDs))
	}
	if len(d.Tags) > 0 {
		nodes = append(nodes, wire.El("tagSpecificationSet", wire.El("item", wire.Text("resourceType", "instance"), tagSet(d.Tags))))
	}
	return nodes
}

// createVersion adds a version: the given fields, over those of SourceVersion if
// the call has one. A client token makes it idempotent.
func createVersion(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	t, err := templateNamed(&c.state, r)
	if err != nil {
		return nil, err
	}
	answer, mismatch := c.used(r, 24*time.Hour)
	switch {
	case mismatch:
		return nil, wire.EC2Error("IdempotentParameterMismatch", "Arguments on this idempotent request are inconsistent with arguments used in previous request(s).")
	case answer != nil:
		return answer, nil
	}
	data, err := templateData(r)
	if err != nil {
		return nil, err
	}
	if source := r.Str("SourceVersion"); source != "" {
		v, ok := t.version(source)
		if !ok {
			return nil, errNoVersion(t, source)
		}
		data = data.over(v.data)
	} else if !r.Any("LaunchTemplateData.") {
		return nil, wire.EC2Error("MissingParameter", "The request must contain the parameter LaunchTemplateData")
	}
	v := c.addVersion(t, data, r.Str("VersionDescription"))
	answer = []wire.Node{wire.El("launchTemplateVersion", t.versionNodes(v)...)}
	c.use(r, answer)
	return answer, nil
}

// templateData decodes the fields that the lab knows and refuses others, so that
// no test believes in what was dropped.
func templateData(r *wire.Request) (TemplateData, *wire.Error) {
	const prefix = "LaunchTemplateData."
	d := TemplateData{
		ImageID:         r.Str(prefix + "ImageId"),
		InstanceType:    r.Str(prefix + "InstanceType"),
		UserData:        r.Str(prefix + "UserData"),
		KeyName:         r.Str(prefix + "KeyName"),
		InstanceProfile: r.Str(prefix + "IamInstanceProfile.Name"),
	}
	d.SecurityGroupIDs = r.List(prefix + "SecurityGroupId")
	for _, spec := range r.Structs(prefix + "TagSpecification") {
		if kind := r.Str(spec + ".ResourceType"); kind != "instance" {
			return d, errUnknownField("TagSpecification of " + kind)
		}
		d.Tags = map[string]string{}
		for _, tag := range r.Structs(spec + ".Tag") {
			d.Tags[r.Str(tag+".Key")] = r.Str(tag + ".Value")
		}
	}
	known := []string{"ImageId", "InstanceType", "UserData", "KeyName", "IamInstanceProfile", "SecurityGroupId", "TagSpecification"}
	for name := range r.Form {
		if field, ok := strings.CutPrefix(name, prefix); ok {
			if field, _, _ = strings.Cut(field, "."); !slices.Contains(known, field) {
				return d, errUnknownField(field)
			}
		}
	}
	return d, nil
}

func errUnknownField(field string) *wire.Error {
	return wire.EC2Error("UnsupportedOperation", "The lab does not know LaunchTemplateData's %s.", field)
}

func modifyTemplate(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	t, err := templateNamed(&c.state, r)
	if err != nil {
		return nil, err
	}
	if def := r.Str("SetDefaultVersion"); def != "" {
		v, ok := t.version(def)
		if !ok {
			return nil, errNoVersion(t, def)
		}
		c.editTemplate(t, func(t *template) { t.def = v.number })
	}
	return []wire.Node{wire.El("launchTemplate", c.state.templates[t.id].nodes()...)}, nil
}
