package cloud

import (
	"maps"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/lab/cloud/wire"
)

// tagSet is a list of tags, ordered by key.
func tagSet(tags map[string]string) wire.Node {
	return wire.Each("tagSet", "item", slices.Sorted(maps.Keys(tags)), func(k string) []wire.Node {
		return []wire.Node{wire.Text("key", k), {Name: "value", Text: tags[k]}}
	})
}

func createResourceTags(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	return retag(c, r, func(tags map[string]string, prefix string) {
		tags[r.Str(prefix+".Key")] = r.Str(prefix + ".Value")
	})
}

// deleteResourceTags takes tags away: all of a key or, where the call names a value,
// those with just that value, which may be empty.
func deleteResourceTags(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	return retag(c, r, func(tags map[string]string, prefix string) {
		key := r.Str(prefix + ".Key")
		if value := prefix + ".Value"; !r.Has(value) || tags[key] == r.Str(value) {
			delete(tags, key)
		}
	})
}

// retag changes the tags of instances and launch templates by each tag that the call
// names, all of them or none.
func retag(c *Cloud, r *wire.Request, change func(tags map[string]string, prefix string)) ([]wire.Node, *wire.Error) {
	ids := r.List("ResourceId")
	for _, id := range ids {
		switch {
		case c.state.instances[id] != nil || c.state.templates[id] != nil:
		case strings.HasPrefix(id, "i-"):
			return nil, errNoInstance(id)
		default:
			return nil, wire.EC2Error("InvalidID", "The ID '%s' is not valid", id)
		}
	}
	named := r.Structs("Tag")
	for _, prefix := range named {
		if strings.HasPrefix(r.Str(prefix+".Key"), "aws:") {
			return nil, wire.EC2Error("InvalidParameterValue", "Tag keys starting with 'aws:' are reserved for internal use")
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
	return []wire.Node{wire.Text("return", true)}, nil
}

// resourceTag is one tag of a resource, as DescribeTags lists them.
type resourceTag struct{ id, kind, key, value string }

// describeResourceTags lists the tags of instances and launch templates. Resources
// that do not exist have none, which is no error.
func describeResourceTags(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
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
	fs := r.Filters("Filter", "Value")
	all = slices.DeleteFunc(all, func(t resourceTag) bool {
		return slices.ContainsFunc(fs, func(f wire.Filter) bool { return !t.passes(f) })
	})
	slices.SortFunc(all, func(a, b resourceTag) int { return strings.Compare(a.order(), b.order()) })
	from, to, token, err := r.Page(len(all), func(n int) string { return all[n].order() }, "MaxResults", 1000, 1000)
	if err != nil {
		return nil, err
	}
	return []wire.Node{
		wire.Each("tagSet", "item", all[from:to], func(t resourceTag) []wire.Node {
			return []wire.Node{wire.Text("key", t.key), wire.Text("resourceId", t.id), wire.Text("resourceType", t.kind), {Name: "value", Text: t.value}}
		}),
		wire.Text("nextToken", token),
	}, nil
}

func (t resourceTag) order() string { return t.id + "\x00" + t.key }

// passes checks one of the filters that DescribeTags knows.
func (t resourceTag) passes(f wire.Filter) bool {
	if key, ok := strings.CutPrefix(f.Name, "tag:"); ok {
		return t.key == key && f.Matches(t.value)
	}
	has, known := map[string]string{"resource-id": t.id, "resource-type": t.kind, "key": t.key, "value": t.value}[f.Name]
	return known && f.Matches(has)
}
