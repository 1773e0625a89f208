package cloud

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// TemplateData is what a launch template version says about an instance: the
// part of EC2's LaunchTemplateData that the lab knows.
type TemplateData struct {
	ImageID, InstanceType string
	UserData              string            // base64, as the API has it
	Tags                  map[string]string // tags of the instances
	KeyName               string
	InstanceProfile       string // name of the IAM instance profile
	SecurityGroupIDs      []string
}

// TemplateRef names a launch template version: by ID or by Name, and Version as
// a number, $Latest or $Default (empty is $Default).
type TemplateRef struct {
	ID, Name, Version string
}

// template is a launch template; its versions are numbered from 1 in order.
type template struct {
	id, name string
	created  time.Time
	def      int64 // the default version
	versions []version
	tags     map[string]string
}

type version struct {
	number      int64
	data        TemplateData
	description string
	created     time.Time
}

func (t *template) latest() int64 { return int64(len(t.versions)) }

// version resolves a number, $Latest, $Default or "" (the default).
func (t *template) version(s string) (version, bool) {
	n := t.def
	switch s {
	case "", "$Default":
	case "$Latest":
		n = t.latest()
	default:
		var err error
		if n, err = strconv.ParseInt(s, 10, 64); err != nil {
			return version{}, false
		}
	}
	if n < 1 || n > t.latest() {
		return version{}, false
	}
	return t.versions[n-1], true
}

// CreateLaunchTemplate makes a launch template with one version and returns its
// id. A name that is taken is a mistake in the program and panics.
func (c *Cloud) CreateLaunchTemplate(name string, data TemplateData) (id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state.template(name) != nil {
		panic(fmt.Sprintf("cloud: launch template %s exists already", name))
	}
	now := time.Now()
	t := &template{id: c.id("lt"), name: name, created: now, def: 1, versions: []version{{number: 1, data: data.clone(), created: now}}}
	c.state.templates[t.id] = t
	c.changed()
	return t.id
}

// AddTemplateVersion adds a version and returns its number; the default version
// stays as it is. It panics if there is no such template.
func (c *Cloud) AddTemplateVersion(idOrName string, data TemplateData) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.addVersion(c.mustTemplate(idOrName), data.clone(), "").number
}

// SetDefaultVersion makes a version the one that $Default means. It panics if
// there is no such template or version.
func (c *Cloud) SetDefaultVersion(idOrName string, number int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.mustTemplate(idOrName)
	if number < 1 || number > t.latest() {
		panic(fmt.Sprintf("cloud: launch template %s has no version %d", idOrName, number))
	}
	c.editTemplate(t, func(t *template) { t.def = number })
}

func (c *Cloud) mustTemplate(idOrName string) *template {
	t := c.state.template(idOrName)
	if t == nil {
		panic(fmt.Sprintf("cloud: no launch template %s", idOrName))
	}
	return t
}

func (c *Cloud) addVersion(t *template, data TemplateData, description string) version {
	v := version{number: t.latest() + 1, data: data, description: description, created: time.Now()}
	c.editTemplate(t, func(t *template) { t.versions = append(slices.Clip(t.versions), v) })
	return v
}

func (c *Cloud) editTemplate(t *template, change func(*template)) {
	n := *t
	change(&n)
	c.state.templates[n.id] = &n
	c.changed()
}

// template finds a launch template by id or name, nil if there is none.
func (s *state) template(idOrName string) *template {
	if t := s.templates[idOrName]; t != nil {
		return t
	}
	for _, t := range s.templates {
		if t.name == idOrName {
			return t
		}
	}
	return nil
}

func (s *state) sortedTemplates() []*template {
	return slices.SortedFunc(maps.Values(s.templates), func(a, b *template) int { return strings.Compare(a.id, b.id) })
}

// resolve finds the template and the version that a reference means now; problem
// says in AWS's words why there is none.
func (s *state) resolve(r TemplateRef) (t *template, v version, problem string) {
	name := r.ID
	if name == "" {
		name = r.Name
	}
	t = s.template(name)
	if t == nil {
		if r.ID != "" {
			return nil, version{}, fmt.Sprintf("The specified launch template, with template ID %s, does not exist.", r.ID)
		}
		return nil, version{}, fmt.Sprintf("The specified launch template, with template name %s, does not exist.", r.Name)
	}
	v, ok := t.version(r.Version)
	if !ok {
		return nil, version{}, fmt.Sprintf("Could not find the specified version %s for the launch template with ID %s.", r.Version, t.id)
	}
	return t, v, ""
}

func (d TemplateData) clone() TemplateData {
	d.Tags = maps.Clone(d.Tags)
	d.SecurityGroupIDs = slices.Clone(d.SecurityGroupIDs)
	return d
}

// over lays the fields that are set in d over those of base, as EC2 does for a
// version with a source version.
func (d TemplateData) over(base TemplateData) TemplateData {
	r := base.clone()
	for _, f := range []struct {
		to   *string
		from string
	}{
		{&r.ImageID, d.ImageID}, {&r.InstanceType, d.InstanceType}, {&r.UserData, d.UserData},
		{&r.KeyName, d.KeyName}, {&r.InstanceProfile, d.InstanceProfile},
	} {
		if f.from != "" {
			*f.to = f.from
		}
	}
	if d.Tags != nil {
		r.Tags = d.Tags
	}
	if d.SecurityGroupIDs != nil {
		r.SecurityGroupIDs = d.SecurityGroupIDs
	}
	return r
}
