package cloud

import (
	"math"
	"slices"
	"strings"
	"time"
)

// templateNamed is the launch template of LaunchTemplateId or LaunchTemplateName.
func templateNamed(s *state, r *request) (*template, *apiError) {
	id, name := r.str("LaunchTemplateId"), r.str("LaunchTemplateName")
	switch {
	case id == "" && name == "":
		return nil, ec2Error("MissingParameter", "You must specify either a launch template ID or a launch template name in the request.")
	case id != "" && name != "":
		return nil, ec2Error("InvalidParameterCombination", "You can specify either a launch template ID or a launch template name in the request, but not both.")
	case id != "":
		if t := s.templates[id]; t != nil {
			return t, nil
		}
		return nil, ec2Error("InvalidLaunchTemplateId.NotFound", "The specified launch template, with template ID %s, does not exist.", id)
	}
	if t := s.template(name); t != nil {
		return t, nil
	}
	return nil, ec2Error("InvalidLaunchTemplateName.NotFoundException", "The specified launch template, with template name %s, does not exist.", name)
}

func errNoVersion(t *template, v string) *apiError {
	return ec2Error("InvalidLaunchTemplateId.VersionNotFound", "Could not find the specified version %s for the launch template with ID %s.", v, t.id)
}

func describeTemplates(c *Cloud, r *request) ([]node, *apiError) {
	s := c.seen()
	ids, names := r.list("LaunchTemplateId"), r.list("LaunchTemplateName")
	for _, id := range ids {
		if s.templates[id] == nil {
			return nil, ec2Error("InvalidLaunchTemplateId.NotFound", "The specified launch template, with template ID %s, does not exist.", id)
		}
	}
	for _, name := range names {
		if s.template(name) == nil {
			return nil, ec2Error("InvalidLaunchTemplateName.NotFoundException", "The specified launch template, with template name %s, does not exist.", name)
		}
	}
	fs := r.filters("Filter", "Value")
	var ts []*template
	for _, t := range s.sortedTemplates() {
		named := len(ids)+len(names) == 0 || slices.Contains(ids, t.id) || slices.Contains(names, t.name)
		if named && !slices.ContainsFunc(fs, func(f filter) bool { return !t.passes(f) }) {
			ts = append(ts, t)
		}
	}
	from, to, token, err := c.page(r, len(ts), func(n int) string { return ts[n].id }, "MaxResults", 200, 200)
	if err != nil {
		return nil, err
	}
	return []node{each("launchTemplates", "item", ts[from:to], (*template).nodes), text("nextToken", token)}, nil
}

func (t *template) passes(f filter) bool {
	if key, ok := strings.CutPrefix(f.name, "tag:"); ok {
		v, has := t.tags[key]
		return has && f.matches(v)
	}
	return f.name == "launch-template-name" && f.matches(t.name)
}

func (t *template) nodes() []node {
	return []node{
		text("launchTemplateId", t.id),
		text("launchTemplateName", t.name),
		text("createTime", t.created),
		text("createdBy", identity),
		text("defaultVersionNumber", t.def),
		text("latestVersionNumber", t.latest()),
		tagSet(t.tags),
	}
}

// describeVersions tells of versions, the newest first. Without a template it
// tells of $Latest or $Default of all templates.
func describeVersions(c *Cloud, r *request) ([]node, *apiError) {
	s := c.seen()
	wanted := r.list("LaunchTemplateVersion")
	type versionOf struct {
		t *template
		v version
	}
	var found []versionOf
	if r.has("LaunchTemplateId") || r.has("LaunchTemplateName") {
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
		low, high := r.int("MinVersion", 1), r.int("MaxVersion", math.MaxInt)
		for _, v := range slices.Backward(t.versions) {
			if len(wanted) > 0 && slices.Contains(numbers, v.number) || len(wanted) == 0 && int(v.number) >= low && int(v.number) <= high {
				found = append(found, versionOf{t, v})
			}
		}
	} else {
		if len(wanted) == 0 || slices.ContainsFunc(wanted, func(w string) bool { return w != "$Latest" && w != "$Default" }) {
			return nil, ec2Error("InvalidParameterCombination", "Without a launch template ID or name, only $Latest and $Default can be described.")
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
	from, to, token, err := c.page(r, len(found), key, "MaxResults", 200, 200)
	if err != nil {
		return nil, err
	}
	return []node{
		each("launchTemplateVersionSet", "item", found[from:to], func(f versionOf) []node { return f.t.versionNodes(f.v) }),
		text("nextToken", token),
	}, nil
}

func (t *template) versionNodes(v version) []node {
	return []node{
		text("launchTemplateId", t.id),
		text("launchTemplateName", t.name),
		text("versionNumber", v.number),
		text("versionDescription", v.description),
		text("createTime", v.created),
		text("createdBy", identity),
		text("defaultVersion", v.number == t.def),
		el("launchTemplateData", v.data.nodes()...),
	}
}

func (d TemplateData) nodes() []node {
	nodes := []node{
		text("imageId", d.ImageID),
		text("instanceType", d.InstanceType),
		text("keyName", d.KeyName),
		text("userData", d.UserData),
	}
	if d.InstanceProfile != "" {
		nodes = append(nodes, el("iamInstanceProfile", text("name", d.InstanceProfile)))
	}
	if len(d.SecurityGroupIDs) > 0 {
		nodes = append(nodes, texts("securityGroupIdSet", "item", d.SecurityGroupIDs))
	}
	if len(d.Tags) > 0 {
		nodes = append(nodes, el("tagSpecificationSet", el("item", text("resourceType", "instance"), tagSet(d.Tags))))
	}
	return nodes
}

// createVersion adds a version: the given fields, over those of SourceVersion if
// the call has one. A client token makes it idempotent.
func createVersion(c *Cloud, r *request) ([]node, *apiError) {
	t, err := templateNamed(&c.state, r)
	if err != nil {
		return nil, err
	}
	answer, mismatch := c.used(r, 24*time.Hour)
	switch {
	case mismatch:
		return nil, ec2Error("IdempotentParameterMismatch", "Arguments on this idempotent request are inconsistent with arguments used in previous request(s).")
	case answer != nil:
		return answer, nil
	}
	data, err := templateData(r)
	if err != nil {
		return nil, err
	}
	if source := r.str("SourceVersion"); source != "" {
		v, ok := t.version(source)
		if !ok {
			return nil, errNoVersion(t, source)
		}
		data = data.over(v.data)
	} else if !r.any("LaunchTemplateData.") {
		return nil, ec2Error("MissingParameter", "The request must contain the parameter LaunchTemplateData")
	}
	v := c.addVersion(t, data, r.str("VersionDescription"))
	answer = []node{el("launchTemplateVersion", t.versionNodes(v)...)}
	c.use(r, answer)
	return answer, nil
}

// templateData decodes the fields that the lab knows and refuses others, so that
// no test believes in what was dropped.
func templateData(r *request) (TemplateData, *apiError) {
	const prefix = "LaunchTemplateData."
	d := TemplateData{
		ImageID:         r.str(prefix + "ImageId"),
		InstanceType:    r.str(prefix + "InstanceType"),
		UserData:        r.str(prefix + "UserData"),
		KeyName:         r.str(prefix + "KeyName"),
		InstanceProfile: r.str(prefix + "IamInstanceProfile.Name"),
	}
	d.SecurityGroupIDs = r.list(prefix + "SecurityGroupId")
	for _, spec := range r.structs(prefix + "TagSpecification") {
		if kind := r.str(spec + ".ResourceType"); kind != "instance" {
			return d, errUnknownField("TagSpecification of " + kind)
		}
		d.Tags = map[string]string{}
		for _, tag := range r.structs(spec + ".Tag") {
			d.Tags[r.str(tag+".Key")] = r.str(tag + ".Value")
		}
	}
	known := []string{"ImageId", "InstanceType", "UserData", "KeyName", "IamInstanceProfile", "SecurityGroupId", "TagSpecification"}
	for name := range r.form {
		if field, ok := strings.CutPrefix(name, prefix); ok {
			if field, _, _ = strings.Cut(field, "."); !slices.Contains(known, field) {
				return d, errUnknownField(field)
			}
		}
	}
	return d, nil
}

func errUnknownField(field string) *apiError {
	return ec2Error("UnsupportedOperation", "The lab does not know LaunchTemplateData's %s.", field)
}

func modifyTemplate(c *Cloud, r *request) ([]node, *apiError) {
	t, err := templateNamed(&c.state, r)
	if err != nil {
		return nil, err
	}
	if def := r.str("SetDefaultVersion"); def != "" {
		v, ok := t.version(def)
		if !ok {
			return nil, errNoVersion(t, def)
		}
		c.editTemplate(t, func(t *template) { t.def = v.number })
	}
	return []node{el("launchTemplate", c.state.templates[t.id].nodes()...)}, nil
}
