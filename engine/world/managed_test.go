package world

import "testing"

// EKS goes by the labels of a node: the AMI, and the version of the user's own launch template,
// which an update that is under way may change.
func TestHasTarget(t *testing.T) {
	update := func(status, version string) *ManagedUpdate {
		return &ManagedUpdate{Status: status, TemplateVersion: version}
	}
	for name, c := range map[string]struct {
		managed *ManagedGroup
		labels  map[string]string
		want    bool
	}{
		"the AMI":                       {&ManagedGroup{}, map[string]string{eksImage: "ami-2"}, true},
		"another AMI":                   {&ManagedGroup{}, map[string]string{eksImage: "ami-1"}, false},
		"no label":                      {&ManagedGroup{}, nil, false},
		"no managed group":              {nil, map[string]string{eksImage: "ami-2"}, false},
		"its version":                   {&ManagedGroup{TemplateVersion: "3"}, map[string]string{eksImage: "ami-2", eksTemplateVersion: "3"}, true},
		"another version":               {&ManagedGroup{TemplateVersion: "3"}, map[string]string{eksImage: "ami-2", eksTemplateVersion: "2"}, false},
		"the update's version":          {&ManagedGroup{TemplateVersion: "3", Update: update(UpdateRuns, "4")}, map[string]string{eksImage: "ami-2", eksTemplateVersion: "4"}, true},
		"the version before":            {&ManagedGroup{TemplateVersion: "3", Update: update(UpdateRuns, "4")}, map[string]string{eksImage: "ami-2", eksTemplateVersion: "3"}, false},
		"the version of one that ended": {&ManagedGroup{TemplateVersion: "3", Update: update(UpdateFailed, "4")}, map[string]string{eksImage: "ami-2", eksTemplateVersion: "4"}, false},
	} {
		g := Group{Image: "ami-2", Managed: c.managed}
		if got := g.HasTarget(&Node{Labels: c.labels}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if g := (Group{Managed: &ManagedGroup{}}); g.HasTarget(&Node{Labels: map[string]string{}}) || g.HasTarget(nil) {
		t.Error("the AMI is not known")
	}
}
