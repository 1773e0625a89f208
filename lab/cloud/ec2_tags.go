package cloud

import (
	"maps"
	"slices"
	"strings"
)

// tagSet is a list of tags, ordered by key.
func tagSet(tags map[string]string) node {
	return each("tagSet", "item", slices.Sorted(maps.Keys(tags)), func(k string) []node {
		return []node{text("key", k), {name: "value", text: tags[k]}}
	})
}

func createResourceTags(c *Cloud, r *request) ([]node, *apiError) {
	return retag(c, r, func(tags map[string]string, prefix string) {
		tags[r.str(prefix+".Key")] = r.str(prefix + ".Value")
	})
}

// deleteResourceTags takes tags away: all of a key or, where the call names a value,
// those with just that value, which may be empty.
func deleteResourceTags(c *Cloud, r *request) ([]node, *apiError) {
	return retag(c, r, func(tags map[string]string, prefix string) {
		key := r.str(prefix + ".Key")
		if value := prefix + ".Value"; !r.has(value) || tags[key] == r.str(value) {
			delete(tags, key)
		}
	})
}

// retag changes the tags of instances and launch templates by each tag that the call
// names, all of them or none.
func retag(c *Cloud, r *request, change func(tags map[string]string, prefix string)) ([]node, *apiError) {
	ids := r.list("ResourceId")
	for _, id := range ids {
		switch {
		case c.state.instances[id] != nil || c.state.templates[id] != nil:
		case strings.HasPrefix(id, "i-"):
			return nil, errNoInstance(id)
		default:
			return nil, ec2Error("InvalidID", "The ID '%s' is not valid", id)
		}
	}
	named := r.structs("Tag")
	for _, prefix := range named {
		if strings.HasPrefix(r.str(prefix+".Key"), "aws:") {
			return nil, ec2Error("InvalidParameterValue", "Tag keys starting with 'aws:' are reserved for internal use")
		}
	}
	changed := func(tags map[string]string) map[string]string {
		tags = maps.Clone(tags)
		if tags == nil {
			tags = map[string]string{}
		}
		for _, prefix := range named {
			change(tags, prefix)
		}
		return tags
	}
	for _, id := range ids {
		if i := c.state.instances[id]; i != nil {
			c.edit(i, func(i *instance) { i.Tags = changed(i.Tags) })
		} else {
			c.editTemplate(c.state.templates[id], func(t *template) { t.tags = changed(t.tags) })
		}
	}
	return []node{text("return", true)}, nil
}

// resourceTag is one tag of a resource, as DescribeTags lists them.
type resourceTag struct{ id, kind, key, value string }

// describeResourceTags lists the tags of instances and launch templates. Resources
// that do not exist have none, which is no error.
func describeResourceTags(c *Cloud, r *request) ([]node, *apiError) {
	s := c.seen()
	var all []resourceTag
	add := func(id, kind string, tags map[string]string) {
		for key, value := range tags {
			all = append(all, resourceTag{id, kind, key, value})
		}
	}
	for id, i := range s.instances {
		add(id, "instance", i.Tags)
	}
	for id, t := range s.templates {
		add(id, "launch-template", t.tags)
	}
	fs := r.filters("Filter", "Value")
	all = slices.DeleteFunc(all, func(t resourceTag) bool {
		return slices.ContainsFunc(fs, func(f filter) bool { return !t.passes(f) })
	})
	slices.SortFunc(all, func(a, b resourceTag) int { return strings.Compare(a.order(), b.order()) })
	from, to, token, err := c.page(r, len(all), func(n int) string { return all[n].order() }, "MaxResults", 1000, 1000)
	if err != nil {
		return nil, err
	}
	return []node{
		each("tagSet", "item", all[from:to], func(t resourceTag) []node {
			return []node{text("key", t.key), text("resourceId", t.id), text("resourceType", t.kind), {name: "value", text: t.value}}
		}),
		text("nextToken", token),
	}, nil
}

func (t resourceTag) order() string { return t.id + "\x00" + t.key }

// passes checks one of the filters that DescribeTags knows.
func (t resourceTag) passes(f filter) bool {
	if key, ok := strings.CutPrefix(f.name, "tag:"); ok {
		return t.key == key && f.matches(t.value)
	}
	has, known := map[string]string{"resource-id": t.id, "resource-type": t.kind, "key": t.key, "value": t.value}[f.name]
	return known && f.matches(has)
}
